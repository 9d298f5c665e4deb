// SPDX-License-Identifier: Apache-2.0
// The kernels that a source defines, read without a compiler.
#ifndef CT_INIT_KERNELS_H
#define CT_INIT_KERNELS_H

#include "init/code.h"
#include "protocol/describe.h"
#include "spacefile/arg_type.h"

struct ct_kernel_code {
    const char *name;
    int line;
    bool has_args; /* the arguments could be read */
    size_t arg_count;
    struct ct_described_arg *args;
    const char *required[3]; /* texts in reqd_work_group_size; NULL: none */
    size_t begin;            /* tokens of its body; both 0 if there is none */
    size_t end;
};

/* Lists the kernels, in the order of the source; `code` owns the result.  CT_E_NOMEM. */
enum ct_status ct_kernels_find(struct ct_code *code, struct ct_kernel_code **out,
                               size_t *count, struct ct_err *err);

/* The type that a name stands for, through macros and typedefs; its `name` is NULL for structures
 * and for what only a compiler knows. */
struct ct_ctype ct_kernels_type(const struct ct_code *code, const char *name);

/* The last word of the type's name that its typedefs lead to: "struct point", "image2d_t". */
const char *ct_kernels_alias(const struct ct_code *code, const char *name);

#endif
