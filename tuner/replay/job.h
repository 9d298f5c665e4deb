// SPDX-License-Identifier: Apache-2.0
// Strategies on recorded spaces: runs every strategy on every space, and computes figures for
// each.
#ifndef CT_REPLAY_JOB_H
#define CT_REPLAY_JOB_H

#include "replay/chance.h"
#include "replay/replay.h"
#include "replay/sources.h"
#include "replay/stored.h"

enum { CT_REPLAY_GOALS = 3, CT_REPLAY_COUNTS = 5, CT_REPLAY_MAIN_GOAL = 1 };
extern const double ct_replay_goals[CT_REPLAY_GOALS]; /* shares of the best performance */
extern const size_t ct_replay_counts[CT_REPLAY_COUNTS]; /* evaluations */

/* A strategy's results on one space. */
struct ct_replay_figures {
    double low[CT_REPLAY_GOALS]; /* quartiles of the evaluations to each goal */
    double median[CT_REPLAY_GOALS];
    double high[CT_REPLAY_GOALS];
    double reach[CT_REPLAY_GOALS]; /* share of the repeats */
    double fraction[CT_REPLAY_COUNTS];
    double score;
    double spent_s; /* recorded seconds to the main goal, median */
    double saved_s; /* the mean time of random search less that */
    double own_s;   /* the strategy's own time */
    double own_ms;  /* per evaluation */
};

/* Zeros, but for `replay`. */
struct ct_replay_job {
    struct ct_replay_options replay;
    struct ct_recorded_list list;
    struct ct_replay_sources sources; /* results elsewhere */
    const char *traces; /* folder for every repeat (traces.h); NULL: none; borrowed */
    const char **strategies;
    size_t strategy_count;
    struct ct_chance_bins *chances;    /* strategy by strategy */
    struct ct_replay_figures *figures; /* strategy by strategy, space by space */
    struct ct_arena arena;
};

/* Adds the spaces of one file: one, or all in a cltune database. */
enum ct_status ct_replay_job_add(struct ct_replay_job *job, const char *path,
                                 struct ct_err *err);

/* Adds a file with results elsewhere, for the spaces of the job. */
enum ct_status ct_replay_job_add_source(struct ct_replay_job *job, const char *path,
                                        struct ct_err *err);

/* Sets the strategies "a,b,c", once there is a space.  CT_E_USAGE for an unknown one. */
enum ct_status ct_replay_job_strategies(struct ct_replay_job *job, const char *names,
                                        struct ct_err *err);

/* Runs all of them; `done` (may be NULL) is called after each. */
enum ct_status ct_replay_job_run(struct ct_replay_job *job,
                                 void (*done)(const char *strategy, const char *space),
                                 struct ct_err *err);

/* Figures of a strategy over all spaces: geometric means of the medians, means of the rest. */
struct ct_replay_figures ct_replay_job_overall(const struct ct_replay_job *job,
                                               size_t strategy);

void ct_replay_job_release(struct ct_replay_job *job);

#endif
