// SPDX-License-Identifier: Apache-2.0
// What a kernel's body shows of its launch and its arguments.
#ifndef CT_INIT_USAGE_H
#define CT_INIT_USAGE_H

#include "init/kernels.h"

struct ct_arg_usage {
    bool is_read;
    bool is_written;
    int bound; /* 1 to 3: a work-item's number in this dimension is compared with it; 0: none */
    char image; /* 'f', 'i' or 'u', as its pixels are read or written; 0: unknown */
};

struct ct_usage {
    unsigned dims;   /* 1 to 3 */
    bool knows_dims; /* the body has get_global_id or the like */
    bool has_bounds[3];
    bool has_barrier;
    bool uses_local_id;
    const char
        *local_shape[2]; /* sizes of its first local array, the last dimension first */
    size_t local_dims;
    struct ct_arg_usage *args; /* one per argument, of `arg_count` */
};

/* Looks at the body of a kernel, whose arguments have these names.  `code` owns the result.
 * CT_E_NOMEM. */
enum ct_status ct_usage_find(struct ct_code *code, const struct ct_kernel_code *kernel,
                             size_t arg_count, const struct ct_described_arg *args,
                             struct ct_usage *out, struct ct_err *err);

#endif
