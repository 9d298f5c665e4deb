// SPDX-License-Identifier: Apache-2.0
// One planned configuration: all that a worker needs to build, verify and time it.
//
// A plan holds no expressions and no names of parameters: programs with their final text and
// options, buffers with their final sizes, launches with their final arguments.  It is what
// crosses the process boundary, and its hash identifies an experiment.
#ifndef CT_PLAN_PLAN_H
#define CT_PLAN_PLAN_H

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/wire.h"
#include "spacefile/kinds.h"
#include "spacefile/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_plan_arg;

struct ct_fill {
    enum ct_fill_kind kind;
    double a;
    double b;
    uint64_t seed; /* from the buffer's name, so that adding a buffer changes no other */
    size_t source_count;
    /* of a buffer's fill: buffers that come before it in the plan; of `expect`: any (their
     * initial contents) */
    uint32_t *sources;
    const char *path;         /* of CT_FILL_FILE and CT_FILL_C, absolute; else NULL */
    struct ct_hash path_hash; /* of that file's bytes */
    const char *function;     /* of CT_FILL_C */
    size_t arg_count;
    struct ct_plan_arg *args; /* of that function, beyond array and count: values only */
};

/* dims 0: a plain buffer. */
struct ct_plan_image {
    uint32_t dims;    /* 1 to 3 */
    uint64_t size[3]; /* in pixels; 1 beyond dims */
    enum ct_channel_order order;
    enum ct_channel_type channel;
};

struct ct_plan_buffer {
    const char *name;
    struct ct_type type;
    uint64_t count; /* elements of `type` */
    struct ct_fill fill;
    enum ct_check_kind check;
    double tolerance;
    struct ct_fill check_by; /* of CT_CHECK_C: file, function and further arguments */
    uint64_t compare;        /* leading elements compared; at most count */
    enum ct_reduce reduce;
    /* 0: elements lie one after the other.  N (the scalars of an element, its `type` being a
     * vector of N or, with type scalar, records of N scalars): the device has N planes of count
     * scalars each (count / N of them with type scalar, which N divides); fills, host code and
     * comparisons use records. */
    uint32_t planes;
    enum ct_restore restore;
    enum ct_transfer transfer;
    /* For an image: `type` and `count` are those of its pixels in host memory (float4 for
     * RGBA FLOAT, uchar4 for RGBA UNORM_INT8), rows packed. */
    struct ct_plan_image image;
    bool has_expect; /* its expected contents come from `expect`, not a reference */
    struct ct_fill expect;
};

struct ct_plan_arg {
    enum ct_arg_kind kind;
    uint32_t buffer;                       /* index into the plan's buffers */
    struct ct_type type;                   /* of a scalar */
    unsigned char bytes[CT_TYPE_SIZE_MAX]; /* of a scalar: ct_type_size(type) of them */
    const unsigned char *data;             /* of CT_ARG_BYTES: `data_bytes` of them */
    uint64_t data_bytes;
    uint64_t local_bytes;
    struct ct_plan_sampler sampler;
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
    /* Identity of the source: a hash of its text and all its includes, without comments
     * (spacefile/source.h). */
    struct ct_hash source_hash;
};

/* More would make one sample as long as a search. */
enum { CT_PLAN_WEIGHT_MOST = 1000 };

/* Loops are unrolled: every pass has its own launches, with its own arguments and the
 * buffers as swapped for it. */
struct ct_plan_launch {
    /* unless a kernel, only `name`, `from` and `to` are used; `kernel` is "" */
    enum ct_launch_kind kind;
    uint32_t from;
    uint32_t to;
    /* An expression in KERNEL_WORK_GROUP_SIZE, KERNEL_LOCAL_MEM_SIZE,
     * KERNEL_PRIVATE_MEM_SIZE and KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE alone (all
     * other names replaced by their values), in the language of spacefile/expr/expr.h;
     * false after building means CT_RESULT_SKIPPED.  NULL: none. */
    const char *require;
    const char *name; /* of the section */
    uint32_t extra;   /* how many times more it is enqueued, in a row, when it is timed */
    const char *kernel; /* entry point */
    uint32_t program;   /* index into the plan's programs */
    uint32_t dims;      /* 1 to 3 */
    uint64_t global[3]; /* already rounded up to multiples of local */
    uint64_t local[3];  /* all 0: the driver chooses */
    size_t arg_count;
    struct ct_plan_arg *args;
};

/* A host function: reference or baseline.  `function` is NULL if there is none. */
struct ct_plan_host {
    const char *c_path; /* C file, absolute */
    const char *function;
    const char *libs;      /* linker options, "" for none */
    struct ct_hash c_hash; /* of the C file's text */
    size_t arg_count;
    struct ct_plan_arg *args; /* buffers and scalars */
};

struct ct_plan_env {
    const char *name;
    const char *value; /* NULL: the variable is removed */
};

/* Words of commands, run one after the other where the word "&&" stands between them. */
struct ct_plan_words {
    size_t count;
    const char **words;
};

/* A file that the program finds in its folder: a copy, or a text. */
struct ct_plan_file {
    const char *name;
    const char *path; /* absolute; NULL: of a text */
    struct ct_hash hash;
    const char *text; /* NULL: of a copy */
};

/* A number in what a run prints, or in a file that it writes. */
struct ct_plan_read {
    const char *name;
    const char *pattern; /* POSIX extended; the first group is the number */
    const char *file;    /* NULL: the output */
    double unit_ns;      /* of a time; 0: a number */
    uint32_t quantity;   /* of a number */
};

/* A program that is measured instead of launches: set up once, then run once for each sample. */
struct ct_plan_command {
    struct ct_plan_words run; /* one command */
    struct ct_plan_words setup;
    struct ct_plan_words cleanup;
    bool parallel_setup; /* set-ups use nothing but their folders */
    bool shell;          /* each of them is one text for `sh -c` */
    const char *folder;  /* absolute; NULL: a temporary one */
    size_t file_count;
    struct ct_plan_file
        *files;        /* texts are written before each run, copies before the set-up */
    const char *input; /* absolute; NULL: nothing to read */
    struct ct_hash input_hash;
    struct ct_hash program_hash; /* of the program, if it is known before the set-up */
    uint32_t exit_status;
    const char *expect; /* patterns for the output, or NULL */
    const char *reject;
    const char *compare; /* a file's name, or "output"; NULL: nothing is compared */
    uint64_t limit_ns;   /* of a run; 0: only the deadlines count */
    uint64_t disk_bytes;
    size_t read_count;
    struct ct_plan_read *reads;
};

struct ct_plan {
    /* Instead of programs, buffers and launches; NULL for kernels.  What is compared is that of
     * the `reference_plan`, a run of the default configuration. */
    struct ct_plan_command *command;
    size_t env_count;
    struct ct_plan_env *env; /* of the worker that builds and runs it */
    size_t program_count;
    struct ct_plan_program *programs;
    size_t buffer_count;
    struct ct_plan_buffer *buffers;
    size_t launch_count;
    struct ct_plan_launch *launches;
    /* Source of the checked buffers' expected contents: host code, or another plan (no reference
     * of its own, the same buffers by index, possibly of other sizes) that runs on the device
     * first; neither: only buffers with `has_expect` are verified. */
    struct ct_plan_host reference;
    struct ct_plan *reference_plan;
    struct ct_plan_host baseline;
    bool end_to_end; /* time transfers too: for the objective or a metric */
    bool error;      /* compute the largest and mean difference from the truth */
    bool watched; /* a metric or the objective needs what is only seen during samples */
    bool cold; /* the caches hold nothing of the buffers when a timed pipeline begins */
};

/* Makes the plan observe these quantities, bits of enum ct_quantity, as far as that costs time. */
void ct_plan_observe(struct ct_plan *plan, uint32_t quantities);

/* Whether a launch of the plan counts more than once. */
bool ct_plan_weighted(const struct ct_plan *plan);

/* Appends the plan to a message. */
void ct_plan_put(struct ct_str *out, const struct ct_plan *plan);

/* Reads a plan; everything is owned by the arena.  CT_E_WORKER if the message is damaged (indices
 * are checked too), CT_E_NOMEM. */
enum ct_status ct_plan_get(struct ct_wire_reader *in, struct ct_arena *arena,
                           struct ct_plan *plan, struct ct_err *err);

/* Appends the full text of the program's build options: options, macros, include directories,
 * those with blanks in double quotes, which PoCL and NVIDIA parse alike. False if out of memory.
 * Parts with double quotes or line ends, for which no driver has an escape, cannot be passed. */
bool ct_plan_options(const struct ct_plan_program *program, struct ct_str *out);

/* The identity of the evaluated experiment without the device: final macros and options, source
 * hashes, launches, arguments, buffers, checks, reference (not the baseline, not paths, not the
 * names of sections, not the order of macros).  Two plans with equal hashes do the same work.  An
 * empty text if out of memory. */
struct ct_hash ct_plan_hash(const struct ct_plan *plan);

/* Whether both run with the same variables of the environment. */
bool ct_plan_same_env(const struct ct_plan *a, const struct ct_plan *b);

/* The identity of everything but the programs: launches, arguments, buffers, checks, reference,
 * environment.  Two plans with equal frames whose programs are the same machine code do the same
 * work.  An empty text if out of memory. */
struct ct_hash ct_plan_frame_hash(const struct ct_plan *plan);

/* The identity of the data alone: buffers (types, sizes, fills, which of them are checked, but
 * not how) and reference.  Plans with equal data hashes share inputs and expected outputs.  An
 * empty text if out of memory. */
struct ct_hash ct_plan_data_hash(const struct ct_plan *plan);

/* The identity of a buffer's contents, if its fill needs no other buffer and takes longer than a
 * copy: type, size, fill.  Buffers with equal fill hashes, in any plans, begin with the same
 * bytes.  An empty text otherwise, and if out of memory. */
struct ct_hash ct_plan_fill_hash(const struct ct_plan_buffer *buffer);

#endif
