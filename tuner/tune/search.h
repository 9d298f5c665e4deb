// SPDX-License-Identifier: Apache-2.0
// A search: one space file on one device for one problem.  Read by reports, written by tune/
// only.
#ifndef CT_TUNE_SEARCH_H
#define CT_TUNE_SEARCH_H

#include "base/map.h"
#include "db/snapshot.h"
#include "judge/drift.h"
#include "judge/playoff.h"
#include "schedule/scheduler.h"
#include "search/part.h"
#include "search/strategy.h"
#include "tune/baseline.h"
#include "tune/budget.h"
#include "tune/jobs.h"
#include "tune/meter.h"
#include "tune/objective.h"
#include "tune/observer.h"
#include "tune/options.h"
#include "tune/results.h"
#include "tune/siblings.h"
#include "tune/store.h"
#include "tune/workload.h"

/* The strategy. */
struct ct_search_proposer {
    struct ct_strategy *strategy;
    const char *asked;       /* by whom it was chosen: "auto"; borrowed */
    struct ct_limits limits; /* what it was told */
    char name[64];           /* "auto (surrogate)" */
    size_t transfer_count;   /* results it was given from elsewhere */
    size_t transfer_sources; /* devices, problems and versions they came from */
};

/* Which part of the space is measured. */
struct ct_search_part {
    struct ct_part part;
    double share; /* of the expected time of the whole space */
    size_t
        known; /* results elsewhere that this rests on; 0: it is the share of configurations */
};

/* Results of searches beside this one: islands' (--with), or other parts' (--beside). */
struct ct_search_islands {
    struct ct_island {
        struct ct_db_seen seen;
        bool warned;
    } * others;         /* one for each of their databases; NULL: none read yet */
    struct ct_map seen; /* their experiments that are none of this search */
    uint64_t next_ns;   /* when they are read again */
    uint64_t adopted;   /* results taken over */
    double bar_ns;      /* the fastest of the other parts; 0: none known */
};

/* The default configuration, which every speed-up is relative to. */
struct ct_search_default {
    struct ct_evaluated result;
    bool known;
    bool retry;     /* in flight when an earlier search died: tried last */
    bool has_first; /* `first` was evaluated before the database was opened */
    struct ct_outcome first;
    bool has_plan;
    struct ct_arena arena; /* owns the plan */
    struct ct_plan plan;   /* for whatever times it again */
};

enum { CT_SEARCH_SPREADS = 8 };

/* The A/A test and its consequences; without one, what results show. */
struct ct_search_noise {
    bool known;
    struct ct_noise result;
    bool doubted;     /* the user was warned that the check is inconclusive */
    uint32_t samples; /* per configuration; 0: the default number */
    /* Relative deviations of samples within a process, of the latest results; how many there were. */
    double spreads[CT_SEARCH_SPREADS];
    size_t spread_count;
};

/* The default, timed again during the run. */
struct ct_search_drift {
    /* Times that the default would have if nothing but the device's speed changed it. */
    struct ct_drift series;
    uint64_t ticket; /* of the scheduler's job */
    bool out;
    /* The default has changed, and another configuration, which is timed next, will show whether the
     * device has. */
    struct {
        bool wanted;
        bool out;              /* it is the job */
        double default_ns;     /* the default's time now */
        uint64_t evaluations;  /* by then */
        double before_ns;      /* of the witness */
        struct ct_arena arena; /* owns the plan */
        struct ct_plan plan;
    } witness;
    bool told_alone; /* that the default has changed alone */
    /* The device's speed in the last play-off: its times divided by those of the first epoch; 0: unknown. */
    double playoff;
    struct ct_drift_anchor pick_then; /* and the two times that tell of it */
    struct ct_drift_anchor default_then;
    uint64_t run_ns;      /* total run time when it was last timed */
    uint64_t evaluations; /* evaluations by then */
};

/* The second look at what seemed slow, of this run. */
struct ct_search_second {
    uint64_t timed;
    uint64_t faster; /* of these: than when they were first timed */
};

/* The play-offs of this run. */
struct ct_search_playoff {
    bool played;
    size_t entrants;
    size_t processes;
    size_t tied;       /* with the pick */
    double resolution; /* smaller differences are within the noise */
    bool doubtful;
    bool cut; /* short, by its limit */
    /* By which share ratios differ from process to process, where a play-off has shown more than the A/A test
     * (and was called off for it); 0: it has not. */
    double spread;
    /* What a play-off has shown of ratios that differ less than the A/A test of the default had times differ;
     * all 0: none has. */
    struct ct_steadiness settled;
    bool hard;      /* the limit holds even if no interval can be stated */
    double limit_s; /* of all of them */
    /* How much slower the device was in the last one than before it, by the default or, where that hardly
     * differs from process to process, by the entrants; 0: unknown, or within the noise. */
    double slower;
    double planned_s; /* the least that all of them were expected to take */
    size_t planned;   /* processes of that */
    uint64_t spent_ns;
    size_t alternated; /* no play-off, but so many leaders of a rough search alternated */
    /* Configurations that take part in any case, besides those that may be the best; borrowed. */
    const int64_t *invited;
    size_t invited_count;
};

/* Times. */
struct ct_search_pace {
    uint64_t start_ns;
    uint64_t end_ns;     /* 0: it runs */
    uint64_t loop_ns;    /* when the strategy was first asked */
    uint64_t loop_first; /* evaluations before that */
    uint64_t planned;    /* evaluations expected in total */
};

struct ct_search {
    const struct ct_tune_options *options;
    const struct ct_observer *observer;
    struct ct_workload work;
    struct ct_objective objective;
    int per_value; /* parameter whose values are each shown with their results; -1: none */
    struct ct_budget budget;
    struct ct_search_part part;
    struct ct_search_proposer proposer;
    struct ct_search_islands islands;
    struct ct_store store;
    struct ct_jobs jobs;
    struct ct_canary canary;
    struct ct_results results;
    struct ct_search_default defaults;
    struct ct_search_noise noise;
    struct ct_search_drift drift;
    struct ct_siblings siblings;
    struct ct_search_second second;
    struct ct_search_playoff playoff;
    struct ct_baseline host;
    struct ct_search_pace pace;
    struct ct_meter meter;
    bool interrupted;
};

/* Prepares a search: nothing is measured, no worker started, no database opened but those that
 * balance parts (options->with).  Options,
 * observer (NULL: none), device and spec are borrowed; binding and space are taken over, also on
 * failure. CT_E_USAGE, CT_E_SPEC, CT_E_NOMEM; CT_E_DB and CT_E_NOT_FOUND for these databases. */
enum ct_status ct_search_new(const struct ct_tune_options *options,
                             const struct ct_observer *observer,
                             const struct ct_devinfo *device, const struct ct_spec *spec,
                             struct ct_binding *binding, struct ct_space *space,
                             struct ct_search **out, struct ct_err *err);

/* Searches, once.  When it returns, for whatever reason, all results are stored and available.
 * CT_E_INTERRUPTED; CT_E_SPEC for errors of the space file as a whole; CT_E_DEVICE, CT_E_DB,
 * CT_E_IO, CT_E_WORKER, CT_E_NOMEM. */
enum ct_status ct_search_run(struct ct_search *search, struct ct_err *err);

/* CT_E_NOT_FOUND, with the first failure, if no configuration worked. */
enum ct_status ct_search_found(const struct ct_search *search, struct ct_err *err);

void ct_search_free(struct ct_search *search);

/* The number of configurations that it is about: of its part, else of the space. */
uint64_t ct_search_count(const struct ct_search *search);

/* The default's time, 0 if unknown. */
double ct_search_default_ns(const struct ct_search *search);

/* How many times as good as the default an entry is; 0 if unknown. */
double ct_search_gain(const struct ct_search *search, const struct ct_evaluated *entry);

/* An entry that took no part in the play-off as if it had been measured then, by the default's
 * times before and in it; others, and where the difference is within the noise, as they are
 * (false). */
bool ct_search_rescale(const struct ct_search *search, const struct ct_evaluated *entry,
                       struct ct_evaluated *out);

/* As ct_results_ranking, with the values that ct_search_rescale gives: an entry measured before the
 * device became slower is not ordered by a time that it would no longer have. */
const struct ct_evaluated **ct_search_ranking(const struct ct_search *search,
                                              size_t *count);

/* How much longer than its time budget a search took that has ended; 0: not longer. */
double ct_search_over_s(const struct ct_search *search);

/* Whether there is a target and the best reaches it. */
bool ct_search_target_reached(const struct ct_search *search);

/* Appends the smallest conjunction that holds for all failures of a status, and for nothing that
 * worked (conjunction.h), and counts them.  False, and nothing appended: there is none. */
bool ct_search_explain_failures(const struct ct_search *search,
                                enum ct_result_status status, size_t *count,
                                struct ct_str *out);

/* The estimated chance that a configuration more than 5% better remains; NAN: the strategy has no
 * estimate. */
double ct_search_chance(const struct ct_search *search);

/* Why the strategy proposed a configuration.  False if it gives no reason. */
struct ct_why;
bool ct_search_why(const struct ct_search *search, int64_t index, struct ct_why *why);

/* What a value of the parameter search->per_value got. */
struct ct_search_arm {
    struct ct_value value;
    const struct ct_evaluated *best; /* NULL: none worked */
    size_t evaluated;                /* results, stored ones included */
    size_t failed;                   /* of these */
};

/* One for each value with results: in the ranking's order, then those of which none worked.  The
 * caller frees it; NULL if there is no such parameter or memory is short. */
struct ct_search_arm *ct_search_arms(const struct ct_search *search,
                                     const struct ct_evaluated *const *order,
                                     size_t order_count, size_t *count);

/* A ceiling of the device, as `cltune peak` has stored it, and what an entry reaches. */
struct ct_share {
    double reached; /* in 10^9 per second; NAN: unknown */
    double most;
};

struct ct_ceilings {
    struct ct_share memory;     /* bytes, against copying */
    struct ct_share arithmetic; /* floating-point operations, against multiply-adds */
};

/* `entry` may be NULL: everything is unknown then. */
struct ct_ceilings ct_search_ceilings(const struct ct_search *search,
                                      const struct ct_evaluated *entry);
bool ct_share_is_known(const struct ct_share *share);

#endif
