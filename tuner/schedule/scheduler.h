// SPDX-License-Identifier: Apache-2.0
// Many configurations on one device: built ahead by several workers, run alone by one.
//
// The caller submits plans and waits for reports.  Builders compile submitted plans in parallel;
// the runner checks and times them, one configuration at a time.  While a CPU device is being
// timed none of our other processes runs: builders and runner alternate, batch by batch, and
// reports come between batches only, so that a caller that works (stores, draws, thinks) only
// between ct_scheduler_wait and the next call never disturbs a measurement.  On other devices
// builders work ahead while the runner runs, and reports come one by one.
//
// Several schedulers can work side by side, each on a thread of its own, with a pool of builders.
#ifndef CT_SCHEDULE_SCHEDULER_H
#define CT_SCHEDULE_SCHEDULER_H

#include "schedule/measure.h"
#include "schedule/pool.h"

struct ct_scheduler;

enum {
    CT_SCHEDULER_JOBS_MAX = 256,                           /* builders at most */
    CT_SCHEDULER_WORKERS_MAX = CT_SCHEDULER_JOBS_MAX + 31, /* and siblings */
};

enum ct_scheduler_task {
    CT_TASK_NONE,
    CT_TASK_OPEN,   /* opens the device */
    CT_TASK_SAMPLE, /* builds a sample of what the compiler does */
    CT_TASK_EARLY,  /* builds a program that will probably be needed */
    CT_TASK_JOB,
};

/* One of the workers besides the runner. */
struct ct_scheduler_worker {
    unsigned device; /* 0: it builds; from 1 on: it measures on that sibling */
    enum ct_scheduler_task task;
    /* Of the job; of CT_TASK_EARLY the plan's place in ct_scheduler_build_early's. */
    uint64_t ticket;
};

/* What the workers do. */
struct ct_scheduler_activity {
    unsigned builders; /* processes that may build now */
    unsigned building; /* of these: those that do */
    bool running;      /* the runner has a job, or is about to begin one */
    uint64_t ticket;   /* of that */
    /* Builders that have had work, then siblings that take part; valid during the call. */
    const struct ct_scheduler_worker *workers;
    size_t worker_count; /* at most CT_SCHEDULER_WORKERS_MAX */
};

struct ct_scheduler_options {
    unsigned jobs; /* builders; 0: one for each processor this process may use */
    struct ct_deadlines deadlines;
    uint64_t builder_memory_bytes; /* one builder's limit; 0: a share of the machine's */
    uint32_t samples;              /* 0: the default number */
    bool no_race;                  /* all configurations get all samples */
    uint64_t seed;                 /* of the inputs' random values */
    bool no_cache;                 /* no stored binaries: neither read nor written */
    /* Build and measure known duplicates, and what is certain to be refused. */
    bool no_duplicates;
    /* Jobs end when they are built, for the caches: the runner gets none, and there are no
     * duplicates, whose originals depend on the order.  A binary that cannot be stored is an error,
     * CT_E_IO, and so is a driver that provides none, CT_E_DEVICE. */
    bool build_only;
    /* Jobs expected in total; 0: many.  No more builders are started than are worth it. */
    uint64_t expected;
    /* Processes that ct_scheduler_prepare will be asked for in all; 0: unknown.  On devices that are no
     * processors builders give theirs: as many open the device while the first programs compile. */
    size_t contests;
    /* Most processes that ct_scheduler_prepare makes; 0: one less than there are processors this
     * process may use, of two both, at most 6. */
    unsigned spares;
    /* What it shares with schedulers of other devices; NULL: nothing.  Borrowed until it is freed. */
    struct ct_pool *pool;
    /* Other devices of the same name and driver, which measure, too; copied.  At most 31. */
    const struct ct_devinfo *const *siblings;
    size_t sibling_count;
    /* One of them, from 1 on, is lost: it takes no part any longer.  May be NULL; must not call the
     * scheduler. */
    void (*lost)(void *user, size_t sibling, const struct ct_err *why);
    void *lost_user;
    /* As in struct ct_measure_options, at most once per scheduler. */
    void (*slow)(void *user, const char *who, double limit_s);
    void *slow_user;
    uint64_t slow_after_ns;
    /* After builders or siblings were given work, and before the runner is: never while a CPU device is timed.
     * May be NULL.  It must not call the scheduler. */
    void (*activity)(void *user, const struct ct_scheduler_activity *activity);
    void *activity_user;
    /* Before a runner is given one of several jobs that are built, if others have ended since that are not
     * reported yet (on CPU devices a whole batch): when to rank them anew.  May be NULL.  It must not call
     * the scheduler but for ct_scheduler_unreported and ct_scheduler_rank, and should take microseconds. */
    void (*rank)(void *user);
    void *rank_user;
};

/* Starts nothing yet.  `device` is copied.  CT_E_NOMEM, CT_E_WORKER. */
enum ct_status ct_scheduler_new(const struct ct_devinfo *device,
                                const struct ct_scheduler_options *options,
                                struct ct_scheduler **out, struct ct_err *err);

/* Ends all workers and frees. */
void ct_scheduler_free(struct ct_scheduler *scheduler);

/* Names plans that will probably be submitted, once, before anything else: builders that have
 * nothing else to do compile them, until the first job is submitted that need not be alone and is
 * no repetition.  Borrowed until the scheduler is freed.  CT_E_NOMEM. */
enum ct_status ct_scheduler_build_early(struct ct_scheduler *scheduler,
                                        const struct ct_plan *plans, size_t count,
                                        struct ct_err *err);

/* Whether that is of any use: on CPU devices builders wait for the runner. */
bool ct_scheduler_builds_early(const struct ct_scheduler *scheduler);

/* How many more submissions would keep all workers busy now; 0: submit later.  More may be
 * submitted and will wait. */
size_t ct_scheduler_capacity(const struct ct_scheduler *scheduler);

struct ct_job {
    uint64_t ticket; /* the caller's name for it */
    /* borrowed, with everything it refers to, until reported */
    const struct ct_plan *plan;
    bool full; /* never stopped early for being slow (the default configuration) */
    /* measured even if it or a duplicate has a result, and never used as an original (A/A test,
     * play-off, drift).  Earlier builds of the same plan are reused: it is built at most once */
    bool again;
    /* With a slot, of an `again` job: the runner keeps the plan until ct_scheduler_renew, or
     * until the runner dies; no builder is used for another sample. */
    struct ct_interleave_step step;
    uint32_t samples; /* 0: as many as ct_scheduler_sampling says */
    double agreeing;  /* see struct ct_race */
    double beat_ns;   /* the same */
    /* other plans of this space file work: an error in its reference, fills or arguments
     * (CT_E_SPEC) is this job's own result, CT_RESULT_INVALID */
    bool trusted;
    bool fresh; /* of an `again` job: stored binaries are neither used nor made */
    /* built and run while the scheduler has no other job, after everything submitted before it
     * (an in-flight retry of an earlier run) */
    bool alone;
};

/* Submits a job.  CT_E_NOMEM. */
enum ct_status ct_scheduler_submit(struct ct_scheduler *scheduler,
                                   const struct ct_job *job, struct ct_err *err);

/* How many jobs are built and wait for the runner. */
size_t ct_scheduler_built_count(const struct ct_scheduler *scheduler);

/* Orders them: the lower what `promise` says of a job's ticket, the sooner it runs, among equals as
 * submitted.  Others come in the order of their submission: jobs that are `again` or `alone`, and
 * those that are built later, as if promised 0. */
void ct_scheduler_rank(struct ct_scheduler *scheduler,
                       double (*promise)(void *user, uint64_t ticket), void *user);

/* Calls `look` for each job, but for those that are `again`, that has ended and was not reported yet.  Its
 * outcome is valid during the call. */
void ct_scheduler_unreported(const struct ct_scheduler *scheduler,
                             void (*look)(void *user, uint64_t ticket,
                                          const struct ct_outcome *outcome),
                             void *user);

/* Best time so far (end to end if the plans ask for that; 0: none yet): clearly slower configurations
 * stop early, and the launch deadline shrinks with it.  Once it was called, times that are not reported
 * yet count as well, but for those of jobs that are `full`, which may not be what is searched. */
void ct_scheduler_leader(struct ct_scheduler *scheduler, double leader_ns);

/* From the next job on: the number of samples (0: the default), and the smallest relative
 * difference that can be resolved (struct ct_race). */
void ct_scheduler_sampling(struct ct_scheduler *scheduler, uint32_t samples,
                           double resolution);

/* From the next job on: the caller submits what was stopped early, and took up to `times` as long as the
 * leader, once more later (0: nothing), so that less of it has to be timed now. */
void ct_scheduler_second_look(struct ct_scheduler *scheduler, double times);

/* The next job is run by a new process, perhaps a prepared one; only while the runner is idle. */
void ct_scheduler_renew(struct ct_scheduler *scheduler);

/* Starts the processes of the next `wanted` renewals side by side, as far as that is worthwhile,
 * and waits until they have opened the device: opening six contexts at once takes half as long as
 * one after the other (H200).  On devices other than processors, builders that are idle, or soon
 * will be, give theirs, and all of them make the first plan's data, too.  On processors whose driver
 * compiles at the first launch they make the data and the programs of all plans: there, finding
 * what was compiled takes longer than a launch (PoCL 3.1).  Only while the scheduler has
 * no job, so nothing is timed meanwhile.  Does nothing while prepared ones are left.  A process that fails is none: the renewal starts
 * another, and nothing more is prepared.  Each holds a context: all are ended when the device
 * refuses memory.  The first of `count` plans (at least one) tells their environment.
 * CT_E_INTERRUPTED. */
enum ct_status ct_scheduler_prepare(struct ct_scheduler *scheduler,
                                    const struct ct_plan *const *plans, size_t count,
                                    size_t wanted, struct ct_err *err);

/* Processes that are prepared and not in use; and ending those. */
size_t ct_scheduler_prepared(const struct ct_scheduler *scheduler);
void ct_scheduler_dismiss(struct ct_scheduler *scheduler);

enum ct_duplicate {
    CT_DUPLICATE_NONE, /* built and measured itself */
    /* differs from `duplicate_of` only in macros that its programs do not use: not built */
    CT_DUPLICATE_MACROS,
    /* its binaries, launches and arguments equal those of `duplicate_of`: built, not measured */
    CT_DUPLICATE_BINARY,
};

struct ct_report {
    uint64_t ticket;
    /* the caller's, to be released; of a duplicate: a copy of the original's, with only its own
     * time spent */
    struct ct_outcome outcome;
    enum ct_duplicate duplicate;
    uint64_t duplicate_of; /* ticket */
    bool from_cache;       /* every program came from a stored binary */
    unsigned device;       /* that has measured it: 0, or the number of a sibling */
};

/* Works until the next report is available.  CT_E_NOT_FOUND (err untouched) if no submitted job
 * is left.  Other errors as for ct_runner_evaluate; what was finished before is still reported
 * first, and after CT_E_INTERRUPTED too: the error follows the last report.  Jobs without a
 * report were not evaluated. */
enum ct_status ct_scheduler_wait(struct ct_scheduler *scheduler, struct ct_report *report,
                                 struct ct_err *err);

/* Works until a report is ready, but no longer than until `until_ns` of ct_clock_now_ns: whether there
 * is one.  False at once if no job is left, after an error, which ct_scheduler_wait returns, and on CPU
 * devices, where all reports of a batch are there together. */
bool ct_scheduler_linger(struct ct_scheduler *scheduler, uint64_t until_ns);

/* Nothing may become a duplicate of the job reported with this ticket: another try may differ. */
void ct_scheduler_forget(struct ct_scheduler *scheduler, uint64_t ticket);

/* Drops jobs that were submitted and not reported: they are not evaluated. */
void ct_scheduler_drop(struct ct_scheduler *scheduler);

/* Number of reports that ct_scheduler_wait returns at once, without any work. */
size_t ct_scheduler_ready(const struct ct_scheduler *scheduler);

/* The baseline of a plan, in a process of its own, while the scheduler has no job: on one
 * processor, or with `all` on all of them, within a limit of time unless that is 0 (measure.h).
 * Errors as for ct_runner_baseline. */
enum ct_status ct_scheduler_baseline(struct ct_scheduler *scheduler,
                                     const struct ct_plan *plan, bool all,
                                     uint64_t limit_ns, struct ct_outcome *outcome,
                                     struct ct_err *err);

/* Times a plan once on each device that takes part, in a fresh process, on all of them side by side
 * (CPU devices: one after another), while the scheduler has no job.  `times_ns[0]` is that of the
 * first device, others follow; 0: it failed, or takes no part.  Errors of the first device as for
 * ct_scheduler_wait; siblings are lost. */
enum ct_status ct_scheduler_time_all(struct ct_scheduler *scheduler,
                                     const struct ct_plan *plan, double *times_ns,
                                     struct ct_err *err);

/* A sibling measures nothing from now on.  What it has measured. */
void ct_scheduler_leave_out(struct ct_scheduler *scheduler, size_t sibling);
uint64_t ct_scheduler_measured(const struct ct_scheduler *scheduler, size_t sibling);

/* Statistics of the scheduler so far. */
struct ct_scheduler_stats {
    unsigned jobs;
    unsigned builders_started; /* processes, replaced ones included */
    unsigned runners_started;
    uint64_t built; /* sets of programs compiled */
    uint64_t early; /* builds, failed ones included, begun before their jobs came */
    uint64_t binary_bytes; /* of all builds, where binaries were requested */
    uint64_t launched;     /* builds that ended with the launch that compiles */
    uint64_t unlaunched;   /* builds whose data were too large for that */
    uint64_t from_cache; /* loaded from stored binaries instead, excluding `again` jobs */
    uint64_t macro_duplicates;  /* not built */
    uint64_t binary_duplicates; /* not measured */
    /* Not built: limits of the device, or of the same kernel, are exceeded. */
    uint64_t refused;
    uint64_t measured; /* excluding `again` jobs */
    uint64_t loaded;   /* of these, those whose programs the runner had loaded before */
    uint64_t stopped_early; /* among those measured */
    uint64_t second_tries;  /* after a shrunk deadline was missed for doubtful reasons */
    /* Racing, as in struct ct_outcome. */
    uint64_t samples_saved;
    uint64_t saved_ns;
    uint64_t samples_added;
    uint64_t added_ns;
    uint64_t samples_retaken;
    uint64_t build_wall_ns; /* in which at least one builder worked */
    uint64_t run_wall_ns; /* in which the runner worked, or its processes were prepared */
    uint64_t build_alone_wall_ns; /* in which builders worked and the runner did not */
    uint64_t spent_ns[CT_PHASE_COUNT]; /* sums over all workers */
    /* Why binary duplicates are not looked for; "" while they are. */
    const char *duplicates_off;
    bool binaries; /* requested of the driver, not only of samples */
    /* Builders launch few work-groups for the driver to compile, because samples show that it suffices. */
    bool small_launches;
};
void ct_scheduler_stats_get(const struct ct_scheduler *scheduler,
                            struct ct_scheduler_stats *stats);

#endif
