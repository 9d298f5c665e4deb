// SPDX-License-Identifier: Apache-2.0
// One search for several problems: the configuration with the best weighted geometric mean.
//
// The mean over the problems of (time / best time there) is least where the weighted sum of the
// logarithms of the times is: the best times are the same for all configurations.  So the strategy
// minimizes that sum, and ratios are stated at the end.  Each problem has a search of its own
// (tune/search.h) that evaluates, resumes and stores as always; here is what they are asked for.
#ifndef CT_TUNE_JOINT_H
#define CT_TUNE_JOINT_H

#include "base/map.h"
#include "tune/search.h"

/* A problem. */
struct ct_joint_part {
    struct ct_search *search; /* borrowed */
    double weight;            /* above 0 */
    /* Private. */
    struct ct_strategy *feed;
    struct ct_map places; /* from an index of its space to the results, plus 1 */
    size_t placed;        /* results that are in the map */
    int64_t *invited;     /* those to take part in its play-off */
};

/* One of the best, with its result for each problem. */
struct ct_joint_best {
    uint64_t index; /* in the first problem's space */
    double mean;    /* weighted geometric mean of the ratios */
    double value;   /* weighted geometric mean of the objective, in its own unit */
    double *ratios; /* cost / least cost known there, of each problem */
    const struct ct_evaluated **entries; /* of each problem */
    bool played;                         /* all times are of play-offs */
    bool tied; /* the interval of its ratio to the first one contains 1 */
};

/* Initially all zeros but `parts`, `count` and `options`. */
struct ct_joint {
    struct ct_joint_part *parts;
    size_t count;
    const struct ct_tune_options
        *options; /* of the whole: its budget counts configurations */
    struct ct_strategy *strategy;
    char name[64]; /* of the strategy */
    struct ct_budget budget;
    uint64_t evaluated; /* configurations that were new for some problem */
    uint64_t known;     /* whose results were stored for all */
    uint64_t worked;    /* that worked for all problems */
    uint64_t failed;    /* for at least one */
    struct ct_arena arena;
    struct ct_joint_best *best; /* up to ten, the pick first */
    size_t best_count;
};

/* Whether there is a target, and the pick's weighted geometric mean of the objective reaches it.  Valid
 * after ct_joint_run. */
bool ct_joint_target_reached(const struct ct_joint *joint);

/* The options of the search of one of `count` problems: its budget is the joint search's. */
struct ct_tune_options ct_joint_part_options(const struct ct_tune_options *options,
                                             size_t number, size_t count);

/* Searches, once, and ranks.  All results are stored when it returns.  A target of the options is one
 * for the weighted geometric mean of the objective; the space file's is one for a single problem, and
 * does not count.  Errors as for ct_search_run.  Release in any case, after the searches were freed. */
enum ct_status ct_joint_run(struct ct_joint *joint, struct ct_err *err);

/* CT_E_NOT_FOUND, with the first failure, if no configuration worked for all problems. */
enum ct_status ct_joint_found(const struct ct_joint *joint, struct ct_err *err);

void ct_joint_release(struct ct_joint *joint);

#endif
