// SPDX-License-Identifier: Apache-2.0
// Many configurations on one device: built ahead by several workers, run alone by one.
//
// The caller submits plans and waits for reports.  Builders compile what was submitted,
// side by side; the runner checks and times it, one configuration at a time.  While a
// processor is being timed nothing else of ours runs: builders and runner take turns,
// batch by batch, and reports come between batches only, so that a caller that works
// (stores, draws, thinks) only between ct_scheduler_wait and the next call never disturbs
// a measurement.  On other devices builders work ahead while the runner runs, and reports
// come one by one.
#ifndef CT_SCHEDULE_SCHEDULER_H
#define CT_SCHEDULE_SCHEDULER_H

#include "schedule/measure.h"

struct ct_scheduler;

struct ct_scheduler_options {
    unsigned jobs; /* builders; 0: one for each processor that we may run on */
    struct ct_deadlines deadlines;
    uint64_t builder_memory_bytes; /* one builder's limit; 0: a share of the machine's */
    uint32_t samples;              /* 0: the default number */
    bool no_race;                  /* everyone gets all samples */
    uint64_t seed;                 /* of the inputs' random values */
    bool no_cache;                 /* no stored binaries: neither read nor written */
    bool no_duplicates; /* build and measure also what is known to be the same */
    /* Jobs that will come in all, as far as is known; 0: many.  No more builders are
     * started than are worth it. */
    uint64_t expected;
    /* As in struct ct_measure_options, at most once a scheduler. */
    void (*slow)(void *user, const char *who, double limit_s);
    void *slow_user;
    uint64_t slow_after_ns;
};

/* Starts nothing yet.  `device` is copied.  CT_E_NOMEM, CT_E_WORKER. */
enum ct_status ct_scheduler_new(const struct ct_devinfo *device,
                                const struct ct_scheduler_options *options,
                                struct ct_scheduler **out, struct ct_err *err);

/* Ends all workers and frees. */
void ct_scheduler_free(struct ct_scheduler *scheduler);

/* How many more submissions would keep everyone busy now; 0: submit later.  More may be
 * submitted, they wait. */
size_t ct_scheduler_capacity(const struct ct_scheduler *scheduler);

struct ct_job {
    uint64_t ticket;            /* the caller's name for it */
    const struct ct_plan *plan; /* borrowed, with all that it refers to, until reported */
    bool full;  /* never stopped early for being slow (the default configuration) */
    bool again; /* measured whatever is known of it or of what equals it, and nothing else
                   is taken to equal this measurement (A/A test, play-off, drift).  What
                   a builder has made of the same plan before is used: such a plan is
                   built once at most */
    /* With a slot, of an `again` job: the runner keeps it until ct_scheduler_renew, or
     * until it dies; no builder is asked for a sample more. */
    struct ct_interleave_step step;
    uint32_t samples; /* 0: as many as ct_scheduler_sampling says */
    bool trusted; /* others of the same space file work: what is wrong with its reference,
                    fills or arguments (CT_E_SPEC) is its own result, CT_RESULT_INVALID */
    bool fresh;   /* of an `again` job: no stored binary is used or made */
    bool alone;   /* built and run while nothing else is with the scheduler, after
                    everything submitted before it (a suspect of an earlier run) */
};

/* Hands a job over.  CT_E_NOMEM. */
enum ct_status ct_scheduler_submit(struct ct_scheduler *scheduler,
                                   const struct ct_job *job, struct ct_err *err);

/* Best time so far (end to end where the plans ask for that; 0: none): clearly slower
 * configurations stop early, and the deadline of launches shrinks with it. */
void ct_scheduler_leader(struct ct_scheduler *scheduler, double leader_ns);

/* From the next job on: how many samples (0: the default number), and the smallest
 * relative difference that can be told apart (struct ct_race). */
void ct_scheduler_sampling(struct ct_scheduler *scheduler, uint32_t samples,
                           double resolution);

/* The next job is run by a new process; only while the runner has nothing to do. */
void ct_scheduler_renew(struct ct_scheduler *scheduler);

enum ct_duplicate {
    CT_DUPLICATE_NONE, /* built and measured itself */
    CT_DUPLICATE_MACROS, /* differs from `duplicate_of` only in macros that its programs do not
                       use: not built */
    CT_DUPLICATE_BINARY, /* its binaries equal those of `duplicate_of`, and so do launches and
                       arguments: built, not measured */
};

struct ct_report {
    uint64_t ticket;
    struct ct_outcome
        outcome; /* the caller's, to be released; of a duplicate: a copy of the
                                  other's, with nothing spent but what was */
    enum ct_duplicate duplicate;
    uint64_t duplicate_of; /* ticket */
    bool from_cache;       /* every program came from a stored binary */
};

/* Works until the next report is there.  CT_E_NOT_FOUND (err untouched) when nothing
 * submitted is left.  Other errors are those of ct_runner_evaluate; what was finished
 * before is still reported first, and after CT_E_INTERRUPTED too: the error comes when
 * there is nothing more to report.  Jobs without a report were not evaluated. */
enum ct_status ct_scheduler_wait(struct ct_scheduler *scheduler, struct ct_report *report,
                                 struct ct_err *err);

/* Nothing is taken to be the same as what was reported with this ticket: another try may
 * come to something else. */
void ct_scheduler_forget(struct ct_scheduler *scheduler, uint64_t ticket);

/* Gives up what was submitted and not reported: those jobs are not evaluated. */
void ct_scheduler_drop(struct ct_scheduler *scheduler);

/* Reports that the next calls of ct_scheduler_wait return at once, without any work. */
size_t ct_scheduler_ready(const struct ct_scheduler *scheduler);

/* The baseline of a plan, on the runner, when no job is with the scheduler: on one
 * processor, or with `all` on all of them (measure.h); errors as ct_runner_baseline's. */
enum ct_status ct_scheduler_baseline(struct ct_scheduler *scheduler,
                                     const struct ct_plan *plan, bool all,
                                     struct ct_outcome *outcome, struct ct_err *err);

/* What the scheduler did so far. */
struct ct_scheduler_stats {
    unsigned jobs;
    unsigned builders_started; /* processes, replaced ones included */
    unsigned runners_started;
    uint64_t built;      /* programs' sets compiled */
    uint64_t from_cache; /* loaded from stored binaries instead, of jobs not `again` */
    uint64_t macro_duplicates;  /* not built */
    uint64_t binary_duplicates; /* not measured */
    uint64_t measured;          /* jobs not `again` */
    /* Racing, as in struct ct_outcome. */
    uint64_t samples_saved;
    uint64_t saved_ns;
    uint64_t samples_added;
    uint64_t added_ns;
    uint64_t samples_retaken;
    uint64_t build_wall_ns;            /* during which at least one builder worked */
    uint64_t run_wall_ns;              /* during which the runner worked */
    uint64_t spent_ns[CT_PHASE_COUNT]; /* sums over all workers */
    /* Why equal binaries are not looked for: "" while they are. */
    const char *duplicates_off;
};
void ct_scheduler_stats_get(const struct ct_scheduler *scheduler,
                            struct ct_scheduler_stats *stats);

#endif
