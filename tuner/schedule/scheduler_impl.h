// SPDX-License-Identifier: Apache-2.0
// What the scheduler's files share.
#ifndef CT_SCHEDULE_SCHEDULER_IMPL_H
#define CT_SCHEDULE_SCHEDULER_IMPL_H

#include "protocol/build.h"
#include "schedule/scheduler.h"
#include "base/map.h"
#include "schedule/mask.h"
#include "schedule/runner_impl.h"
#include "plan/program_text.h"

enum {
    CT_SCHEDULER_BATCH = 8,  /* jobs in a batch, per builder */
    CT_SCHEDULER_AHEAD = 32, /* jobs in hand where there are no batches, per builder */
    CT_SCHEDULER_FEW = 4,    /* builders at the beginning */
    CT_SCHEDULER_MANY =
        64, /* programs for which there are twice as many, on devices that are not processors */
    CT_SCHEDULER_SIBLINGS =
        31, /* devices besides the first one, which all waiting counts */
    CT_SCHEDULER_CALIBRATE = 8, /* jobs that must be submitted before calibrating pays */
    CT_SCHEDULER_SPARES = 6, /* a context takes half a GiB of a GPU, and more do not open
                              * faster: drivers create them one by one */
};

enum ct_scheduler_stage {
    CT_STAGE_WAITING,
    CT_STAGE_BUILDING,
    CT_STAGE_BUILT, /* waits for the runner */
    CT_STAGE_RUNNING,
    CT_STAGE_DUPLICATE, /* waits for its original's outcome */
    CT_STAGE_DONE,      /* has its outcome */
};

/* A job from its submission to its report. */
struct ct_scheduler_job {
    struct ct_job job;
    enum ct_scheduler_stage stage;
    bool own; /* not a duplicate: it has to be measured itself */
    bool
        second_try; /* alone and with the whole deadline, because a shrunk one was missed */
    unsigned device; /* that has measured it: 0, or the number of a sibling */
    bool first_only; /* a sibling has failed: the first device decides */
    double promise;  /* the lower, the sooner it runs once it is built */
    struct ct_hash macro_key;
    struct ct_hash code_key;
    struct ct_hash twins; /* what builds with the same programs have in common */
    bool has_twins;       /* that was found out */
    bool loaded;          /* the runner has been told to load them */
    bool
        doubted; /* its builder ended in a launch of few work-groups: the runner decides */
    enum ct_duplicate duplicate;
    size_t original; /* index of the job that it waits for or is a copy of */
    bool from_cache;
    struct ct_outcome outcome;         /* complete from CT_STAGE_DONE on */
    uint64_t built_ns[CT_PHASE_COUNT]; /* spent by the builder, and on a first try */
    struct ct_str handover;            /* for the runner */
};

/* What is kept of a job for its duplicates: its outcome, packed. */
struct ct_scheduler_past {
    uint64_t ticket;
    uint64_t deadline_ns; /* of the outcome */
    /* The outcome, compressed, since few of thousands have duplicates; NULL: nothing is kept. */
    char *bytes;
    uint32_t stored; /* bytes */
    uint32_t length; /* of the outcome as a message */
    bool copied;     /* the outcome is that of job `of`, which is no copy */
    size_t of;
};

/* A builder's results for a plan that may come again. */
struct ct_scheduler_kept {
    bool from_cache;
    char *handover;
    size_t length;
};

/* A builder or the runner, and its current work. */
struct ct_worker_slot {
    struct ct_runner *runner;
    bool busy;
    bool started;   /* has had work */
    bool warming;   /* only opens the device */
    bool preparing; /* the runner: makes data or loads a program, and has no job */
    bool calibrating;
    unsigned device; /* 0: builders and the runner; from 1 on: the runner of a sibling */
    bool early;      /* builds a program that is only expected to be wanted */
    bool small;      /* and launches few work-groups */
    size_t at;       /* index of a job, of a sample or of an early build */
    struct ct_hash twins; /* of the programs that a builder builds; "": unknown */
};

/* Another device of the same kind. */
struct ct_scheduler_sibling {
    struct ct_worker_slot slot;
    bool out; /* takes no part any longer */
    uint64_t measured;
};

enum ct_scheduler_calibration {
    CT_CALIBRATION_NONE, /* not yet */
    CT_CALIBRATION_BUSY,
    CT_CALIBRATION_DONE,
};

/* A calibration build of the first plan; times of its first two launches. */
struct ct_scheduler_sample {
    bool good;
    uint64_t small_ns;
    uint64_t first_ns;
    uint64_t second_ns;
    uint64_t rebuild_ns;
    uint64_t binary_ns;
    struct ct_str code; /* mapped for the launch */
    struct ct_str binaries;
};

/* What a driver has reported of a kernel, without local arguments. */
struct ct_scheduler_limit {
    struct ct_kernel_facts facts;
    /* And something else of another build of the same: nothing is certain. */
    bool contradicted;
};

enum ct_early_state {
    CT_EARLY_WAITING,
    CT_EARLY_BUILDING,
    CT_EARLY_BUILT,
    CT_EARLY_GONE, /* a job has it, or it came to nothing */
};

/* A plan that is expected to be submitted. */
struct ct_early {
    const struct ct_plan *plan;
    struct ct_hash hash;
    struct ct_hash twins; /* as of a job */
    enum ct_early_state state;
    struct ct_outcome outcome; /* CT_EARLY_BUILT: of its builder */
    struct ct_str built;       /* a struct ct_built, as sent */
};

struct ct_scheduler {
    struct ct_scheduler_options options;
    bool cpu_device; /* builders and runner alternate */
    uint64_t memory_bytes;
    struct ct_pool_member *member; /* NULL: no other scheduler */
    struct ct_worker_slot runner;
    struct ct_runner
        *host; /* for baselines: the runner keeps its process and its context */
    struct ct_scheduler_sibling *siblings;
    unsigned sibling_count;
    struct ct_worker_slot *builders;
    unsigned builder_count;
    struct { /* workers that have opened the device, for the runner */
        struct ct_runner *items[CT_SCHEDULER_SPARES];
        unsigned most;
        bool off; /* one has failed, or memory is short */
    } spares;
    struct { /* the runner's former ones, which have been asked to exit */
        struct ct_worker items[CT_SCHEDULER_SPARES];
        unsigned count;
    } leaving;
    struct ct_shared_cache shared_cache;
    struct ct_program_texts *texts;
    struct {
        struct ct_scheduler_job **items; /* NULL once reported */
        struct ct_scheduler_past *past;  /* one per job */
        size_t count;
        size_t capacity;
        size_t past_capacity;
        size_t fresh; /* jobs that may have duplicates */
        size_t first; /* all before it are reported */
    } jobs;
    struct {
        struct ct_scheduler_kept *items;
        struct ct_map keys; /* of plans, to their indices */
        size_t count;
        size_t capacity;
        size_t bytes;
    } kept;
    struct {
        struct ct_early *items;
        size_t count;
        size_t bytes;    /* of the results */
        double programs; /* different ones for each configuration; 0: unknown */
        bool closed;     /* no more are begun */
    } early;
    struct ct_map built_once; /* twins of which a build has ended, whatever came of it */
    uint64_t finished;
    struct { /* total build time, and how many jobs */
        uint64_t ns;
        uint64_t count;
    } built;
    struct { /* indices of jobs to be reported, in order */
        size_t *items;
        size_t count;
        size_t at;
        size_t capacity;
    } done;
    struct { /* the runner's preparation, while the first builds run */
        bool begun;
        bool no_loads;        /* one has hung */
        struct ct_hash data;  /* of the plan it is for */
        struct ct_err failed; /* its reference did not end in time; code CT_OK: it did */
    } ahead;
    bool
        quiet; /* a contest is on: nobody opens the device, which disturbs what is timed */
    double leader_ns;
    bool races;             /* the leader counts, once there is one */
    uint64_t ranked;        /* how many had finished when options.rank was last called */
    struct ct_race race;    /* except for its leader */
    bool slow_reported;     /* options.slow was called */
    bool running;           /* on a CPU device: the runner's turn */
    uint64_t interleave_ns; /* when the builders' turn began */
    uint64_t told_ns;       /* when the activity was last told */
    uint64_t memory_due_ns; /* when memory is checked next */
    uint64_t linger_ns;     /* when waiting ends in any case; 0: never */
    bool moved;             /* a worker has finished since work began */
    uint64_t booked_ns;     /* up to when wall time is accounted for */
    struct ct_err failed;   /* code CT_OK: no error */
    struct {
        struct ct_map macro_keys; /* to indices of jobs */
        struct ct_map code_keys;
        struct ct_arena arena;     /* owns `first_plan` */
        struct ct_plan first_plan; /* the first one submitted, used to calibrate */
        bool has_first_plan;
        enum ct_scheduler_calibration calibration;
        unsigned samples_begun;
        unsigned samples_ended;
        struct ct_scheduler_sample samples[CT_MASK_SAMPLES];
        bool late_compiler;   /* the driver compiles at the first launch */
        bool binaries_pay;    /* and its binaries are worth that they compile once more */
        bool small_is_enough; /* for it to compile, a launch of few work-groups is */
        bool small_kills;     /* such a launch of a sample has ended its builder */
        unsigned again;       /* bits: samples that did, and are built without one */
        bool by_code;         /* keys are of mapped code, not of binaries */
        struct ct_mask mask;
        const char *off; /* why they are not looked for; NULL: they are */
    } duplicates;
    struct {                   /* for jobs that are certain to be refused */
        struct ct_arena arena; /* owns `device` */
        struct ct_devinfo device;
        struct ct_map keys; /* of kernels as built, to their indices */
        struct ct_scheduler_limit *items;
        size_t count;
        size_t capacity;
    } limits;
    struct ct_scheduler_stats stats;
};

/* --- scheduler_request.c --- */

/* The part of a request before the plan; `job` may be NULL. */
struct ct_request ct_scheduler_request(const struct ct_scheduler *scheduler,
                                       const struct ct_job *job);

/* --- scheduler_twins.c --- */

/* What builds have in common whose programs are the same, so that the first one's binaries serve all;
 * "": none is stored, or the programs' text is not known. */
struct ct_hash ct_scheduler_twin_key(struct ct_scheduler *scheduler,
                                     const struct ct_plan *plan);

/* Whether a builder works on the same programs, for the first time. */
bool ct_scheduler_waits_for_twin(const struct ct_scheduler *scheduler,
                                 const struct ct_hash *key);

/* Takes note that a builder has ended. */
void ct_scheduler_note_twin(struct ct_scheduler *scheduler, struct ct_worker_slot *slot);

/* --- scheduler_orders.c --- */

/* Whether launches compile, so that builders make them instead of asking for binaries. */
bool ct_scheduler_compiles_late(const struct ct_scheduler *scheduler);

/* Whether evaluations build from source, and find in the driver's own cache what was compiled. */
bool ct_scheduler_loads_programs(const struct ct_scheduler *scheduler);

/* Sends a builder to work on a plan. */
enum ct_status ct_scheduler_send_builder(struct ct_scheduler *scheduler,
                                         struct ct_worker_slot *slot,
                                         const struct ct_plan *plan,
                                         const struct ct_job *job, bool sample,
                                         struct ct_err *err);

/* Has the runner, or that of a sibling, run a job that is built. */
enum ct_status ct_scheduler_send_runner(struct ct_scheduler *scheduler,
                                        struct ct_worker_slot *slot, size_t index,
                                        struct ct_err *err);

/* --- scheduler_built.c --- */

/* With options.build_only: whether what a job's builder has built is where a search finds it; counts
 * it.  CT_E_IO, CT_E_DEVICE. */
enum ct_status ct_scheduler_check_built(struct ct_scheduler *scheduler, size_t index,
                                        const struct ct_built *built, struct ct_err *err);

/* Takes note of how a builder's job has ended (`built`), or a runner's.  If the builder died in a launch of few
 * work-groups, which the kernel may not be made for, the job is doubted: the runner decides; a sample is built
 * again without one. */
void ct_scheduler_note_small(struct ct_scheduler *scheduler,
                             const struct ct_worker_slot *slot, bool built,
                             const struct ct_outcome *outcome);

/* --- scheduler_siblings.c --- */

/* Frees them. */
void ct_scheduler_release_siblings(struct ct_scheduler *scheduler);

/* Gives idle ones work, except on CPU devices: they share their processors. */
enum ct_status ct_scheduler_feed_siblings(struct ct_scheduler *scheduler,
                                          struct ct_err *err);

/* How many measure now. */
unsigned ct_scheduler_busy_siblings(const struct ct_scheduler *scheduler);

/* Takes note of how a sibling's job has ended; true: it has no result yet, because the device is
 * lost or the first one has to confirm a failure; the outcome is released. */
bool ct_scheduler_took_sibling(struct ct_scheduler *scheduler,
                               struct ct_worker_slot *slot, enum ct_status status,
                               const struct ct_err *why, struct ct_outcome *outcome);

/* Ends their work at once. */
void ct_scheduler_abandon_siblings(struct ct_scheduler *scheduler);

/* --- scheduler_work.c --- */

/* Works until there may be something to report: one round of feeding, waiting and collecting. */
enum ct_status ct_scheduler_work(struct ct_scheduler *scheduler, struct ct_err *err);

/* Takes note of what builders have finished.  Errors as for ct_scheduler_wait. */
enum ct_status ct_scheduler_step_builders(struct ct_scheduler *scheduler,
                                          struct ct_err *err);

/* Waits until a busy worker has something to say, a tenth of a second at most while builders work,
 * and ends builders that take too much memory. */
void ct_scheduler_poll(struct ct_scheduler *scheduler);

/* Gives idle workers something to do, without waiting. */
enum ct_status ct_scheduler_feed(struct ct_scheduler *scheduler, struct ct_err *err);

/* Whether no worker is busy and no built job waits for the runner. */
bool ct_scheduler_idle(const struct ct_scheduler *scheduler);

/* Gives a job its outcome, which is taken over. */
void ct_scheduler_done(struct ct_scheduler *scheduler, size_t index,
                       struct ct_outcome *outcome);

/* --- scheduler_activity.c --- */

/* Tells the caller what the workers do, if it wants to know.  `next`: index of the job that the
 * runner is about to get, or SIZE_MAX. */
void ct_scheduler_tell_activity(struct ct_scheduler *scheduler, size_t next);

/* Tells it again, twice a second, while builders work and nothing is timed that this disturbs: the
 * caller may have been too busy to show it. */
void ct_scheduler_repeat_activity(struct ct_scheduler *scheduler);

/* --- scheduler_shared.c: all of them are true at once, or nothing, without a pool --- */

/* Whether workers may be given work now. */
bool ct_scheduler_may_begin(struct ct_scheduler *scheduler);

/* Whether one more builder may work; and that so many no longer do. */
bool ct_scheduler_take_builder(struct ct_scheduler *scheduler);
void ct_scheduler_give_builders(struct ct_scheduler *scheduler, unsigned count);

/* Lets the others know if no worker works. */
void ct_scheduler_note_rest(struct ct_scheduler *scheduler);

/* --- scheduler_ahead.c --- */

/* Has the idle runner make the data of the first plan while builders build, once; not on a CPU
 * device, whose processors builders need. */
void ct_scheduler_begin_ahead(struct ct_scheduler *scheduler);

/* Takes note of how that ended: CT_E_INTERRUPTED, else CT_OK. */
enum ct_status ct_scheduler_took_ahead(struct ct_scheduler *scheduler,
                                       enum ct_status status, const struct ct_err *why,
                                       struct ct_outcome *outcome, struct ct_err *err);

/* The error that an evaluation of a plan would have after as long a wait; else CT_OK. */
enum ct_status ct_scheduler_failed_ahead(const struct ct_scheduler *scheduler,
                                         const struct ct_job *job, struct ct_err *err);

/* Has the idle runner of a CPU device load a program that is built while builders build others, if its
 * driver makes the runner build from source what its own cache has. */
void ct_scheduler_load_ahead(struct ct_scheduler *scheduler);

/* Whether it does: on a CPU device it prepares nothing else. */
static inline bool ct_scheduler_is_loading(const struct ct_scheduler *scheduler)
{
    return scheduler->cpu_device && scheduler->runner.preparing;
}

/* Gives up a preparation: the runner must be idle. */
void ct_scheduler_end_ahead(struct ct_scheduler *scheduler);

/* --- scheduler_deadlines.c --- */

/* The deadlines of a job on the runner: a launch has twenty times the leader's time (and what the
 * resolution of the A/A test adds to both), at least 1 s, and the whole deadline if it is not to be
 * stopped early or tried again. */
struct ct_deadlines ct_scheduler_deadlines(const struct ct_scheduler *scheduler,
                                           const struct ct_scheduler_job *job);

/* Whether a runner's job missed only a shrunk deadline, although its first launch was fast enough
 * or its worker waited for processors: then it waits for the runner again, its outcome is
 * released, and next it runs alone with the whole deadline. */
bool ct_scheduler_tries_again(struct ct_scheduler *scheduler,
                              const struct ct_worker_slot *slot,
                              struct ct_outcome *outcome);

/* Takes over a builder's result for a job, or for a sample: its outcome, and a struct ct_built as
 * sent.  CT_E_WORKER. */
enum ct_status ct_scheduler_built(struct ct_scheduler *scheduler, size_t index,
                                  bool sample, struct ct_outcome *outcome,
                                  const struct ct_str *sent, struct ct_err *err);

/* --- scheduler_early.c --- */

/* The next plan for an idle builder; false if none. */
bool ct_scheduler_next_early(struct ct_scheduler *scheduler, size_t *index);

/* Takes note of how building one of them has ended: CT_E_INTERRUPTED, else CT_OK. */
enum ct_status ct_scheduler_took_early(struct ct_scheduler *scheduler,
                                       struct ct_worker_slot *slot, enum ct_status status,
                                       const struct ct_err *why,
                                       struct ct_outcome *outcome, struct ct_err *err);

/* Gives a waiting job the build that was begun early: then it is no longer waiting.
 * CT_E_NOT_FOUND if there is none; CT_E_WORKER. */
enum ct_status ct_scheduler_use_early(struct ct_scheduler *scheduler, size_t index,
                                      struct ct_err *err);

void ct_scheduler_release_early(struct ct_scheduler *scheduler);

/* --- scheduler_processes.c --- */

/* Has an idle builder open the device while others build: creating a context takes half a second
 * on some devices. */
void ct_scheduler_warm_up(struct ct_scheduler *scheduler, struct ct_worker_slot *slot);

/* Whether one more builder saves more time than its start takes: opening a GPU takes half a
 * second, and seconds if many do it at once.  Build times are known after the first ones. */
bool ct_scheduler_worth_starting(const struct ct_scheduler *scheduler);

/* Frees what is left of processes that have ended; with `all`, waits for the others. */
void ct_scheduler_see_off(struct ct_scheduler *scheduler, bool all);

/* --- scheduler_spares.c --- */

/* Ends the idle runner's process, and gives the runner a prepared one, if there is any. */
void ct_scheduler_next_process(struct ct_scheduler *scheduler);

/* --- scheduler_order.c --- */

/* The job that the runner takes next: of those that are built and may overtake each other the most
 * promising one, the oldest among equals; false if there is none. */
bool ct_scheduler_find_built(const struct ct_scheduler *scheduler, size_t *index);

/* The same for the runner of a sibling, which takes only what may be measured anywhere. */
bool ct_scheduler_find_built_anywhere(const struct ct_scheduler *scheduler,
                                      size_t *index);

/* Has the caller rank them anew, if there is a choice and something has ended since it was last asked that it
 * has no report of. */
void ct_scheduler_rank_anew(struct ct_scheduler *scheduler);

/* --- scheduler_kept.c --- */

/* Keeps the result of a build, because its plan may come again. */
void ct_scheduler_keep(struct ct_scheduler *scheduler,
                       const struct ct_scheduler_job *job);

/* A new job that was built before skips the builder: it only waits for the runner. */
void ct_scheduler_reuse(const struct ct_scheduler *scheduler,
                        struct ct_scheduler_job *job);

void ct_scheduler_kept_release(struct ct_scheduler *scheduler);

/* --- scheduler_refused.c --- */

/* Takes note of what a driver reports of the kernels of a plan that was built. */
void ct_scheduler_note_limits(struct ct_scheduler *scheduler, const struct ct_plan *plan,
                              const struct ct_outcome *outcome);

/* Before building: whether the device, or a kernel of the same program, is known to allow less than
 * a launch of the job asks for.  Then `outcome` is the job's, for ct_scheduler_done, and counted. */
bool ct_scheduler_refuses(struct ct_scheduler *scheduler, size_t index,
                          struct ct_outcome *outcome);

void ct_scheduler_release_limits(struct ct_scheduler *scheduler);

/* --- scheduler_duplicates.c --- */

/* Packs a finished job's outcome, and gives it back; false if out of memory. */
bool ct_scheduler_pack(const struct ct_outcome *from, struct ct_scheduler_past *to);

/* Notes the identity of a new job.  CT_E_NOMEM. */
enum ct_status ct_scheduler_identify(struct ct_scheduler *scheduler, size_t index,
                                     struct ct_err *err);

/* Before building: whether the job equals another except for unused macros.  Then it waits for
 * that one, or has its outcome already. */
bool ct_scheduler_macro_duplicate(struct ct_scheduler *scheduler, size_t index);

/* After building: whether its compiled code equals another's. */
bool ct_scheduler_binary_duplicate(struct ct_scheduler *scheduler, size_t index,
                                   const struct ct_built *built,
                                   const struct ct_outcome *outcome);

/* Passes on the outcomes of originals to their waiting duplicates. */
void ct_scheduler_settle(struct ct_scheduler *scheduler);

/* The next calibration sample for a builder; false if none. */
bool ct_scheduler_next_sample(struct ct_scheduler *scheduler, size_t *index);
/* The plan of a sample, in `arena`.  CT_E_NOMEM. */
enum ct_status ct_scheduler_sample_plan(const struct ct_scheduler *scheduler,
                                        size_t index, struct ct_arena *arena,
                                        struct ct_plan *plan, struct ct_err *err);
/* The result of building a sample; NULL if it failed. */
void ct_scheduler_sampled(struct ct_scheduler *scheduler, size_t index,
                          const struct ct_built *built);

#endif
