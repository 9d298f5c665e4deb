// SPDX-License-Identifier: Apache-2.0
// The kernels of a program, as the driver describes them (CT_MSG_DESCRIBE).
#ifndef CT_PROTOCOL_DESCRIBE_H
#define CT_PROTOCOL_DESCRIBE_H

#include "base/mem.h"
#include "base/str.h"
#include "base/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an argument's memory is. */
enum ct_described_place {
    CT_PLACE_VALUE, /* none: it is passed by value, or an image or a sampler */
    CT_PLACE_GLOBAL,
    CT_PLACE_CONSTANT,
    CT_PLACE_LOCAL,
    CT_PLACE_COUNT
};

struct ct_described_arg {
    const char *name; /* "" if the driver does not report it */
    const char *type; /* "float4*", "uint", "image2d_t" */
    enum ct_described_place place;
    bool is_const; /* a pointer to const, or an image that is only read */
};

struct ct_described_kernel {
    const char *name;
    size_t arg_count;
    struct ct_described_arg *args; /* NULL if the driver does not report them */
    uint64_t required[3];          /* reqd_work_group_size; all 0: none */
};

struct ct_described {
    bool built;
    const char *log; /* of the compiler; "" for none */
    size_t kernel_count;
    struct ct_described_kernel *kernels;
};

void ct_described_put(struct ct_str *out, const struct ct_described *described);
/* Everything is owned by the arena.  Check in->failed afterwards. */
void ct_described_get(struct ct_wire_reader *in, struct ct_arena *arena,
                      struct ct_described *out);

#endif
