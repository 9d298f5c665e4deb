// SPDX-License-Identifier: Apache-2.0
// Orders to builders, their results, and the part of these that the runner gets.
#ifndef CT_PROTOCOL_BUILD_H
#define CT_PROTOCOL_BUILD_H

#include "base/mem.h"
#include "base/str.h"
#include "base/wire.h"
#include "plan/program_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- the order --- */

/* What a program consists of. */
struct ct_build_text {
    /* Of the program, with all its includes and the macros that it may depend on
     * (ct_program_text_build_key); "": unknown, so nothing is stored. */
    struct ct_hash hash;
    size_t file_count;
    const struct ct_program_file *files;
};

enum ct_build_launch {
    CT_BUILD_LAUNCH_NEVER,
    CT_BUILD_LAUNCH_ONCE,  /* the driver compiles at the first launch */
    CT_BUILD_LAUNCH_TWICE, /* to find out whether it does */
};

struct ct_build_order {
    enum ct_build_launch launch;
    /* The first launch is of few work-groups, if that is possible; where there are two, it is one more. */
    bool small;
    uint64_t data_limit_bytes; /* no launch if the buffers take more */
    bool binaries;             /* binaries are requested */
    bool code;                 /* code mapped for the launch is requested */
    bool cache;                /* stored binaries may be used and written */
    size_t text_count;         /* one per program; 0: none known */
    struct ct_build_text *texts;
};

void ct_build_order_put(struct ct_str *out, const struct ct_build_order *order);
/* Check in->failed afterwards. */
void ct_build_order_get(struct ct_wire_reader *in, struct ct_arena *arena,
                        struct ct_build_order *order);

/* --- the reply, after the outcome --- */

/* One program as a builder made it. */
struct ct_built_program {
    const void *binary;
    size_t size_bytes; /* 0: none, build from source */
    const char *log;   /* of its compilation */
};

struct ct_built {
    bool launched;
    /* Wall times of the launches: of the one with few work-groups (0: there was none), and of the others. */
    uint64_t small_ns;
    uint64_t first_ns;
    uint64_t second_ns;
    bool from_cache; /* every program came from a stored binary */
    /* Why a binary could not be stored although it should; NULL: none was refused. */
    const char *unstored;
    /* Samples: least time of building all programs once more, and of requesting all binaries. */
    uint64_t rebuild_ns;
    uint64_t binary_ns;
    size_t program_count;
    struct ct_built_program *programs;
    /* Machine code that was mapped for the first launch; size 0: unknown. */
    const void *code;
    size_t code_bytes;
};

void ct_built_put(struct ct_str *out, const struct ct_built *built);
/* Binaries and code are borrowed from the message.  Check in->failed afterwards. */
void ct_built_get(struct ct_wire_reader *in, struct ct_arena *arena,
                  struct ct_built *built);

/* --- the runner's part: follows the plan of CT_MSG_EVALUATE --- */

struct ct_handover {
    size_t program_count; /* 0: build everything from source */
    struct ct_built_program *programs;
};

void ct_handover_put(struct ct_str *out, const struct ct_handover *handover);
void ct_handover_get(struct ct_wire_reader *in, struct ct_arena *arena,
                     struct ct_handover *handover);

#endif
