// SPDX-License-Identifier: Apache-2.0
// Few configurations that serve many devices and problems.
#ifndef CT_TUNE_VARIANTS_H
#define CT_TUNE_VARIANTS_H

#include "db/points.h"

/* The loss that is accepted everywhere unless a number of variants is given. */
#define CT_VARIANTS_LOSS 0.05

/* A choice of configurations, and which of them serves each point.  A loss is the share of the best
 * performance that is missing. */
struct ct_variants {
    struct ct_arena arena;
    int64_t *configurations; /* hashes; in the order of the points they serve best */
    size_t count;
    size_t *of_point;  /* the variant with the least loss there */
    double *losses;    /* at each point, with that variant */
    double worst_loss; /* the largest of them */
    double mean;       /* weighted geometric mean of the performance */
    double tolerance;  /* what each point had to be within */
    bool exact;        /* no choice is better (fewer, or a smaller largest loss) */
};

/* The fewest configurations of which one is within CT_VARIANTS_LOSS of the best at each point
 * (`most` 0), or at most `most` with the smallest largest loss.  Set cover is solved exactly where
 * that takes few steps (iterative deepening with branching on the point that has the fewest
 * candidates), else greedily (Chvatal 1979, "A greedy heuristic for the set-covering problem").
 * CT_E_NOT_FOUND: more than `most` are needed to have one that works at each point; says how many
 * would do.  Release `out` in any case. */
enum ct_status ct_variants_choose(const struct ct_db_points *points, size_t most,
                                  struct ct_variants *out, struct ct_err *err);

/* The one configuration with the largest geometric mean of performance, weighted by the points'
 * weights, among those that can be used at all of them.  One that the last play-offs of all points
 * ranked is preferred to one that seems better by less than a tenth.  CT_E_NOT_FOUND: there is none. */
enum ct_status ct_variants_portable(const struct ct_db_points *points,
                                    struct ct_variants *out, struct ct_err *err);

void ct_variants_release(struct ct_variants *variants);

#endif
