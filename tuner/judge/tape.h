// SPDX-License-Identifier: Apache-2.0
// What the rounds of a play-off recorded of one entrant, and its times relative to the winner's.
#ifndef CT_JUDGE_TAPE_H
#define CT_JUDGE_TAPE_H

#include "judge/playoff.h"

/* An entrant's results by round; rounds without it have no entries. */
struct ct_tape {
    size_t count;
    size_t *rounds; /* ascending */
    double *costs;
    double *times_ns;
    double *ends_ns;
    struct ct_quantities *observed;
};

/* An empty tape with room for that many rounds, in the arena; false if out of memory. */
bool ct_tape_make(struct ct_arena *arena, size_t rounds, struct ct_tape *tape);

/* Records an outcome that worked. */
void ct_tape_add(struct ct_tape *tape, size_t round, double cost,
                 const struct ct_outcome *outcome);

/* Median and 95% interval of the values that are known, not NAN; zeros without any.  `scratch`: room
 * for `count`. */
void ct_tape_median(const double *values, size_t count,
                    const struct ct_steadiness *steady, double *scratch, double *middle,
                    double *low, double *high);

/* Fills in an entrant's times, quantities and series from its own rounds, and the cost of its
 * ranking.  `scratch`: room for all rounds. */
void ct_tape_describe(const struct ct_tape *tape, const struct ct_steadiness *steady,
                      double *scratch, struct ct_entrant *out);

/* The paired ratio of costs in the rounds that both have; NAN without any. */
struct ct_ratio ct_tape_cost_ratio(const struct ct_tape *own,
                                   const struct ct_tape *winner,
                                   const struct ct_steadiness *steady, double *scratch);

/* Replaces an entrant's times, its energy and the cost of its ranking by the winner's reported
 * ones times the paired ratios over the rounds that both have: so times of one play-off agree
 * with its ratios, though the device's speed changed before the winner was confirmed.  Ratios
 * below 1 count as 1 if `limited`: the winner was chosen, so no difference in the other's favour
 * is significant, and times do not contradict the choice.  If not, and its costs vary so much less
 * than the ratios that nothing is in common, the times of its own rounds stay, and the ratio follows
 * from them.  Without common rounds nothing changes. */
void ct_tape_relate(const struct ct_tape *own, const struct ct_tape *winner,
                    const struct ct_entrant *reported, const struct ct_steadiness *steady,
                    bool limited, double *scratch, struct ct_entrant *out);

#endif
