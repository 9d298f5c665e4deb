// SPDX-License-Identifier: Apache-2.0
// Several values per size: -p n=512,1024 -p m=2,4 are four problems.  With weights, -p n=512:3,1024:1,
// they are one task: the first one counts three times as much.
#ifndef CT_CLI_SWEEP_H
#define CT_CLI_SWEEP_H

#include "cli/options.h"

/* The values of one size. */
struct ct_sweep_list {
    const char *name;
    char *text; /* values separated by zeros */
    size_t count;
    double *weights; /* of each value; NULL: none was given */
};

/* Zeros: one problem, that of the space file. */
struct ct_sweep {
    struct ct_sweep_list *lists;
    size_t list_count;
    size_t count;             /* of the combinations */
    struct ct_setting *items; /* of one combination */
};

/* Splits settings, whose names and texts are borrowed.  CT_E_USAGE: some values of a size have a
 * weight and others have none, or a weight is not a positive number; CT_E_NOMEM. */
enum ct_status ct_sweep_init(struct ct_sweep *sweep, const struct ct_settings *settings,
                             struct ct_err *err);
void ct_sweep_release(struct ct_sweep *sweep);

/* Combination number `n`, valid until the next one. */
struct ct_settings ct_sweep_at(struct ct_sweep *sweep, size_t n);

/* Whether some size has weights; the weight of combination `n`, the product of its values'. */
bool ct_sweep_is_weighted(const struct ct_sweep *sweep);
double ct_sweep_weight(const struct ct_sweep *sweep, size_t n);

/* Value `n` of a size. */
const char *ct_sweep_value(const struct ct_sweep_list *list, size_t n);

#endif
