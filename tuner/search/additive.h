// SPDX-License-Identifier: Apache-2.0
// What each value of each parameter does to the cost, by the results so far: a guess of what the rest
// cost that takes microseconds.
//
// The logarithm of the cost is a sum of effects of a configuration's values, fitted by backfitting
// (Hastie and Tibshirani, Generalized Additive Models, 1990, 4.4); each effect is shrunk as if one more
// result had shown none.  Cruder than the surrogate, but quick enough between two launches.
#ifndef CT_SEARCH_ADDITIVE_H
#define CT_SEARCH_ADDITIVE_H

#include "space/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fewest results that a fit is made from. */
enum { CT_ADDITIVE_LEAST = 8 };

struct ct_additive {
    size_t params;
    size_t values;   /* of all parameters */
    size_t *offsets; /* of each parameter's first value */
    double *effect;  /* one per value */
    double *sums;    /* scratch: one per value */
    size_t *counts;
    size_t most;       /* results that are kept at most */
    size_t rows;       /* results that are kept */
    size_t next;       /* which of them the next one replaces */
    uint32_t *configs; /* [row][parameter] */
    double *costs;     /* by row: logarithms */
    double *rest;      /* by row, scratch: the logarithm less mean and effects */
};

/* Keeps up to `most` results: a further one replaces the oldest.  False if memory is short or a space has
 * too many values (65,536): then there is nothing to fit, and only ct_additive_release may follow. */
bool ct_additive_init(struct ct_additive *model, const struct ct_binding *binding,
                      size_t most);
void ct_additive_release(struct ct_additive *model);

/* Adds a result: value indices of every parameter, and the logarithm of the cost; INFINITY is a failure,
 * which counts as the highest of the others in each fit. */
void ct_additive_add(struct ct_additive *model, const uint32_t *config, double log_cost);

/* Fits the effects anew; false, and all are 0, with fewer than CT_ADDITIVE_LEAST results. */
bool ct_additive_fit(struct ct_additive *model);

/* The logarithm of a configuration's cost by the last fit, less the mean of the results. */
double ct_additive_of(const struct ct_additive *model, const uint32_t *config);

#endif
