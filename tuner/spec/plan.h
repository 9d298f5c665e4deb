// SPDX-License-Identifier: Apache-2.0
// One configuration made concrete: all that a worker needs to build, verify and time it.
//
// A plan holds no expressions and no names of parameters: programs with their final text
// and options, buffers with their final sizes, launches with their final arguments.  It
// is what crosses the process boundary, and its hash is what identifies an experiment.
#ifndef CT_SPEC_PLAN_H
#define CT_SPEC_PLAN_H

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/wire.h"
#include "spec/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ct_fill_kind {
    CT_FILL_NONE, /* every byte 0xFF: NaN for reals */
    CT_FILL_ZERO,
    CT_FILL_CONSTANT, /* a */
    CT_FILL_RAMP,     /* a + index * b */
    CT_FILL_UNIFORM,  /* between a and b; integers: a to b inclusive */
    CT_FILL_NORMAL,   /* mean a, standard deviation b */
};

struct ct_fill {
    enum ct_fill_kind kind;
    double a;
    double b;
    uint64_t seed; /* from the buffer's name, so that adding a buffer changes no other */
};

enum ct_check_kind {
    CT_CHECK_NONE,
    CT_CHECK_RELATIVE, /* |x - r| <= t * max(|r|, rms(reference)) */
    CT_CHECK_ABSOLUTE, /* |x - r| <= t */
    CT_CHECK_EXACT,    /* the same bytes; for reals the same value, or both NaN */
};

struct ct_plan_buffer {
    const char *name;
    struct ct_type type;
    uint64_t count; /* elements of `type` */
    struct ct_fill fill;
    enum ct_check_kind check;
    double tolerance;
    uint64_t compare; /* leading elements compared; at most count */
};

enum ct_arg_kind {
    CT_ARG_BUFFER,
    CT_ARG_SCALAR,
    CT_ARG_LOCAL, /* local memory; device launches only */
};

struct ct_plan_arg {
    enum ct_arg_kind kind;
    uint32_t buffer;                       /* index into the plan's buffers */
    struct ct_type type;                   /* of a scalar */
    unsigned char bytes[CT_TYPE_SIZE_MAX]; /* of a scalar: ct_type_size(type) of them */
    uint64_t local_bytes;
};

struct ct_plan_macro {
    const char *name;
    const char *value;
};

/* One OpenCL program.  `source` is the full text (several files concatenated with #line);
 * `macros` become -D options after `options`, in order; `include_dirs` become -I. */
struct ct_plan_program {
    const char *source;
    const char *source_path; /* of the first file, for messages */
    const char *options;
    size_t macro_count;
    struct ct_plan_macro *macros;
    size_t include_count;
    const char **include_dirs;
    /* What identifies the source: a hash of its text and of everything that it includes,
     * without comments (spec/source.h). */
    struct ct_hash source_hash;
};

struct ct_plan_launch {
    const char *name;   /* of the section */
    const char *kernel; /* entry point */
    uint32_t program;   /* index into the plan's programs */
    uint32_t dims;      /* 1 to 3 */
    uint64_t global[3]; /* already rounded up to multiples of local */
    uint64_t local[3];  /* all 0: the driver chooses */
    size_t arg_count;
    struct ct_plan_arg *args;
};

/* A host function: reference or baseline.  `function` is NULL when there is none. */
struct ct_plan_host {
    const char *c_path; /* C file, absolute */
    const char *function;
    const char *libs;      /* linker options, "" for none */
    struct ct_hash c_hash; /* of the C file's text */
    size_t arg_count;
    struct ct_plan_arg *args; /* buffers and scalars */
};

struct ct_plan {
    size_t program_count;
    struct ct_plan_program *programs;
    size_t buffer_count;
    struct ct_plan_buffer *buffers;
    size_t launch_count;
    struct ct_plan_launch *launches;
    struct ct_plan_host reference;
    struct ct_plan_host baseline;
};

/* Appends the plan to a message. */
void ct_plan_put(struct ct_str *out, const struct ct_plan *plan);

/* Reads a plan; everything is owned by the arena.  CT_E_WORKER when the message is
 * damaged (indices are checked too), CT_E_NOMEM. */
enum ct_status ct_plan_get(struct ct_wire_reader *in, struct ct_arena *arena,
                           struct ct_plan *plan, struct ct_err *err);

/* Appends the full text of the options that the program is built with: options, macros,
 * include directories, those with blanks in double quotes, which PoCL and NVIDIA read
 * alike. False when memory is short.  What is not ct_plan_quotable cannot be passed. */
bool ct_plan_options(const struct ct_plan_program *program, struct ct_str *out);

/* Whether the value of a macro or the name of a folder can be passed to a compiler: it
 * may hold no double quote and no end of line, for which no driver knows a way of
 * writing. */
bool ct_plan_quotable(const char *text);

/* The identity of the evaluated experiment without the device: final macros and options,
 * source hashes, launches, arguments, buffers, checks, reference (not the baseline, not
 * paths, not the names of sections, not the order of macros).  Two plans with equal
 * hashes do the same work.  An empty text when memory is short. */
struct ct_hash ct_plan_hash(const struct ct_plan *plan);

/* The identity of the data alone: buffers (types, sizes, fills, which of them are
 * checked, but not how) and reference.  Plans with equal data hashes share inputs and
 * expected outputs.  An empty text when memory is short. */
struct ct_hash ct_plan_data_hash(const struct ct_plan *plan);

#endif
