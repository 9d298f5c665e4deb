// SPDX-License-Identifier: Apache-2.0
// Options of a session, whether from the command line or a test.
#ifndef CT_TUNE_OPTIONS_H
#define CT_TUNE_OPTIONS_H

#include "schedule/scheduler.h"

#include <stdbool.h>
#include <stdint.h>

struct ct_observer;

/* Limits that end a search early; zeros: those of the space file. */
struct ct_budget_options {
    uint64_t evaluations; /* new ones */
    double seconds;
    double fraction;     /* of the valid configurations, 0 to 1 */
    double until_chance; /* of a configuration more than 5% better, 0 to 1 */
    uint64_t no_progress;
    double playoff;     /* share of the whole search's time that the play-off may take */
    double baseline;    /* the same for the host baseline; 0: the default */
    const char *target; /* "1.2ms", or a plain number for a metric; borrowed */
};

/* The state of caches while a configuration is timed. */
enum ct_cache_state {
    CT_CACHE_UNSPECIFIED, /* the space file's */
    CT_CACHE_WARM,
    CT_CACHE_COLD,
};

/* One of several searches, from 1; of 0: the only one. */
struct ct_division {
    uint64_t number;
    uint64_t of;
};

/* Zeros and NULL mean "not given"; strings are borrowed while the session lives. */
struct ct_tune_options {
    const char *db; /* path of the database; NULL: the default one */
    const char *objective;
    const char *per_value; /* parameter whose values are each shown with their best */
    const char *strategy;
    const char *effort; /* the level whose options are among these (tune/effort.h) */
    uint64_t seed;      /* of random choices */
    struct ct_budget_options budget;
    struct ct_deadlines deadlines;
    const char *const *with; /* other databases to learn from; borrowed */
    size_t with_count;
    const char *const *beside; /* databases of other parts, whose best counts; borrowed */
    size_t beside_count;
    struct ct_division shard;  /* measures this part of the space; no play-off */
    struct ct_division island; /* `with` are databases of others; no play-off */
    bool playoff_only;         /* of stored results */
    enum ct_cache_state cache;
    uint32_t samples; /* per configuration */
    unsigned jobs;    /* builders; 0: the number of processors */
    /* Of builders, shared with other sessions (tune/fleet.h); NULL: none. */
    struct ct_pool *pool;
    /* Further devices of the same kind, which take part in a search; borrowed. */
    const struct ct_devinfo *const *siblings;
    size_t sibling_count;
    unsigned retry;  /* bits of enum ct_result_status to evaluate again */
    bool keep_going; /* even if the default and the next ones are wrong in every value */
    bool fresh;      /* measure stored results again */
    bool rough;      /* neither A/A test nor play-off */
    bool no_cache;
    bool no_duplicates;
    bool no_race;
    bool no_transfer;
    bool no_baseline;
};

/* Deadlines from seconds: of a launch (0: 10) and of a build (0: derived from that). */
struct ct_deadlines ct_tune_deadlines(double launch_s, double build_s);

/* Scheduler options common to all sessions.  The observer, which may be NULL, must outlive the
 * scheduler.  `samples` 0: the default number; `expected`: jobs in total. */
struct ct_scheduler_options
ct_tune_scheduler_options(const struct ct_tune_options *options,
                          const struct ct_observer *observer, uint32_t samples,
                          uint64_t expected);

#endif
