// SPDX-License-Identifier: Apache-2.0
// Runs a strategy's own code against recorded results, and reports how soon it found what.
#ifndef CT_REPLAY_REPLAY_H
#define CT_REPLAY_REPLAY_H

#include "replay/recorded.h"

#include <stddef.h>
#include <stdint.h>

/* A configuration's result elsewhere. */
struct ct_replay_transfer {
    uint64_t index; /* in the space of the replay */
    struct ct_strategy_result result;
    unsigned source; /* one number for each source */
};

struct ct_replay_options {
    size_t repeats;
    size_t evaluations; /* per repeat; a space with fewer configurations ends sooner */
    uint64_t seed;
    size_t batch; /* proposals asked for before any result is given; at least 1 */
    /* Strategies of different seeds side by side, each on a machine of its own; every second each is
     * told what the others have found.  Evaluations are those of all of them, time is that of the
     * clock.  0 or 1: one, and time is what evaluations take. */
    size_t islands;
    /* given before the first ask (borrowed) */
    const struct ct_replay_transfer *transfers;
    size_t transfer_count;
    bool chance; /* ask for the chance that a configuration more than 5% better remains */
};

/* After this many evaluations of a repeat (fewer if there are not as many). */
enum { CT_REPLAY_CHANCES = 5 };
extern const size_t ct_replay_chance_at[CT_REPLAY_CHANCES];

/* A chance that a strategy stated, and whether something better remained. */
struct ct_replay_chance {
    double stated; /* NAN: no estimate */
    bool remained;
};

/* The repeats' results, one after the other: repeat r made counts[r] evaluations; after number k
 * (from 0) of them the best time was best_ns[r * evaluations + k] (INFINITY: nothing had worked)
 * indices[r * evaluations + k] was the configuration, and spent_ns[...] had been spent compiling and running when it was recorded. */
struct ct_replay {
    size_t repeats;
    size_t evaluations;
    size_t *counts;
    uint64_t *indices; /* the configuration of each evaluation */
    double *best_ns;
    double *spent_ns;
    double own_ns; /* the strategy's own processor time, all repeats together */
    /* repeats * CT_REPLAY_CHANCES; NULL: not requested */
    struct ct_replay_chance *chances;
    size_t asked; /* evaluations of all repeats together */
};

/* What a strategy is told of a record. */
struct ct_strategy_result ct_record_result(const struct ct_record *record);

/* Runs `repeats` independent strategies with seeds derived from options->seed.  Failed
 * configurations cost an evaluation.  CT_E_USAGE for an unknown strategy; CT_E_NOMEM. */
enum ct_status ct_replay_run(const struct ct_recorded *recorded, const char *strategy,
                             const struct ct_replay_options *options,
                             struct ct_replay *out, struct ct_err *err);
void ct_replay_release(struct ct_replay *replay);

/* Evaluations until the best recorded time / the best found time reached `fraction`, for each
 * repeat; twice the evaluations if it did not.  Returns how many did. */
size_t ct_replay_reach(const struct ct_replay *replay, const struct ct_recorded *recorded,
                       double fraction, double *evaluations);

/* Recorded nanoseconds spent until then; twice what the repeat spent if it was not reached. */
void ct_replay_reach_ns(const struct ct_replay *replay,
                        const struct ct_recorded *recorded, double fraction,
                        double *spent_ns);

/* Mean over the repeats of best recorded time / best found time after `count`
 * evaluations (0 while nothing had worked). */
double ct_replay_fraction(const struct ct_replay *replay,
                          const struct ct_recorded *recorded, size_t count);

/* Expected recorded nanoseconds until random search without replacement finds the first of the
 * configurations that reach `fraction`: with m of N such, (N + 1) / (m + 1) draws of mean cost. */
double ct_replay_random_ns(const struct ct_recorded *recorded, double fraction);

/* The score of Willemsen, Schoonhoven, Filipovic, Tollenaar, van Nieuwpoort and van Werkhoven, "A
 * methodology for comparing optimization algorithms for auto-tuning" (Future Generation Computer
 * Systems 159, 2024): random search has the expected order statistic of the working
 * configurations as its curve; the budget is what it needs to come within 5% of the way from the
 * optimum to the median, evaluations taking the median of the recorded durations; the score is
 * the mean, over CT_REPLAY_POINTS equidistant times up to the budget, of (random - found) /
 * (random - optimum), found being the median over the repeats (as the authors' software does).
 * 1: the optimum at once; 0: as random search; negative: worse.  A repeat that has found nothing
 * yet counts as random search.  NAN if every configuration takes the same time or no duration was
 * recorded; CT_E_NOMEM. */
enum { CT_REPLAY_POINTS = 50 };
enum ct_status ct_replay_score(const struct ct_replay *replay,
                               const struct ct_recorded *recorded, double *score,
                               struct ct_err *err);

#endif
