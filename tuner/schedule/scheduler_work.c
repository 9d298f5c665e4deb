// SPDX-License-Identifier: Apache-2.0
// Assigns work to builders and the runner, and collects the results.
#include "schedule/scheduler_impl.h"
#include "schedule/measure.h"

#include "base/clock.h"
#include "protocol/memory.h"

#include <stdint.h>
#include <string.h>

/* --- busy workers --- */

/* Those with work for a job. */
static unsigned busy_builders(const struct ct_scheduler *scheduler)
{
    unsigned count = 0;

    for (unsigned i = 0; i < scheduler->builder_count; i++)
        count += scheduler->builders[i].busy && !scheduler->builders[i].early;
    return count;
}

/* The oldest unreported job at a given stage, from job `*index` on. */
static bool find_stage_from(const struct ct_scheduler *scheduler,
                            enum ct_scheduler_stage stage, size_t *index)
{
    for (size_t i = *index; i < scheduler->jobs.count; i++)
        if (scheduler->jobs.items[i] && scheduler->jobs.items[i]->stage == stage) {
            *index = i;
            return true;
        }
    return false;
}

static bool find_stage(const struct ct_scheduler *scheduler,
                       enum ct_scheduler_stage stage, size_t *index)
{
    *index = scheduler->jobs.first;
    return find_stage_from(scheduler, stage, index);
}

bool ct_scheduler_idle(const struct ct_scheduler *scheduler)
{
    size_t index;

    return !scheduler->runner.busy && !busy_builders(scheduler) &&
           !ct_scheduler_busy_siblings(scheduler) &&
           !find_stage(scheduler, CT_STAGE_BUILT, &index);
}

/* Accounts wall time up to now to the workers that were busy since the last call. */
static void book(struct ct_scheduler *scheduler)
{
    uint64_t now_ns = ct_clock_now_ns();
    uint64_t passed_ns = now_ns - scheduler->booked_ns;

    if (busy_builders(scheduler))
        scheduler->stats.build_wall_ns += passed_ns;
    if ((scheduler->runner.busy && !ct_scheduler_is_loading(scheduler)) ||
        ct_scheduler_busy_siblings(scheduler))
        scheduler->stats.run_wall_ns += passed_ns;
    else if (busy_builders(scheduler))
        scheduler->stats.build_alone_wall_ns += passed_ns;
    scheduler->booked_ns = now_ns;
}

/* --- feeding --- */

/* A plan of the scheduler's own, kept while its builder needs it. */
static enum ct_status send_sample(struct ct_scheduler *scheduler,
                                  struct ct_worker_slot *slot, size_t index,
                                  struct ct_err *err)
{
    struct ct_plan *plan = ct_arena_alloc(&scheduler->duplicates.arena, sizeof(*plan));
    enum ct_status status =
        plan ? ct_scheduler_sample_plan(scheduler, index, &scheduler->duplicates.arena,
                                        plan, err)
             : ct_err_nomem(err);

    if (status)
        return status;
    slot->calibrating = true;
    slot->at = index;
    return ct_scheduler_send_builder(scheduler, slot, plan, NULL, true, err);
}

/* Gives a builder that no job needs a program that one will probably need. */
static enum ct_status send_early(struct ct_scheduler *scheduler,
                                 struct ct_worker_slot *slot, struct ct_err *err)
{
    enum ct_status status;
    size_t index;

    if (!ct_scheduler_next_early(scheduler, &index))
        return CT_OK;
    slot->early = true;
    slot->calibrating = false;
    slot->at = index;
    status = ct_scheduler_send_builder(
        scheduler, slot, scheduler->early.items[index].plan, NULL, false, err);
    slot->twins = scheduler->early.items[index].twins;
    return status;
}

/* Whether a job that must run alone is in hand, or `index` is one that cannot start yet. */
static bool must_wait(const struct ct_scheduler *scheduler, size_t index)
{
    bool others = false;

    for (size_t i = scheduler->jobs.first; i < scheduler->jobs.count; i++) {
        const struct ct_scheduler_job *job = scheduler->jobs.items[i];
        bool in_work = job && job->stage > CT_STAGE_WAITING && job->stage < CT_STAGE_DONE;

        if (in_work && job->job.alone)
            return true;
        others = others || in_work;
    }
    return scheduler->jobs.items[index]->job.alone &&
           (others || !ct_scheduler_idle(scheduler));
}

/* On CPU devices the builders' turn is limited, so that results come in: what is built by then is
 * a batch. */
static bool turn_is_over(const struct ct_scheduler *scheduler)
{
    const uint64_t interleave_ns = 10000000000;
    size_t index;

    return scheduler->cpu_device &&
           ct_clock_now_ns() - scheduler->interleave_ns > interleave_ns &&
           find_stage(scheduler, CT_STAGE_BUILT, &index);
}

/* Whether the same is being built for another job. */
static bool waits_for_twin(struct ct_scheduler *scheduler, struct ct_scheduler_job *job)
{
    if (job->job.fresh || job->job.alone)
        return false;
    if (!job->has_twins) {
        job->twins = ct_scheduler_twin_key(scheduler, job->job.plan);
        job->has_twins = true;
    }
    return ct_scheduler_waits_for_twin(scheduler, &job->twins);
}

static enum ct_status feed_builder(struct ct_scheduler *scheduler,
                                   struct ct_worker_slot *slot, struct ct_err *err)
{
    struct ct_outcome refusal;
    enum ct_status status;
    size_t index;

    if (turn_is_over(scheduler) ||
        (!slot->started && !ct_scheduler_worth_starting(scheduler)))
        return CT_OK;
    if (find_stage(scheduler, CT_STAGE_WAITING, &index) &&
        !scheduler->jobs.items[index]->job.alone) {
        size_t sample;

        if (ct_scheduler_next_sample(scheduler, &sample))
            return send_sample(scheduler, slot, sample, err);
    }
    for (index = scheduler->jobs.first;
         find_stage_from(scheduler, CT_STAGE_WAITING, &index); index++) {
        struct ct_scheduler_job *job = scheduler->jobs.items[index];

        if (must_wait(scheduler, index))
            return send_early(scheduler, slot, err);
        if (ct_scheduler_macro_duplicate(scheduler, index))
            continue;
        if (ct_scheduler_refuses(scheduler, index, &refusal)) {
            ct_scheduler_done(scheduler, index, &refusal);
            continue;
        }
        status = ct_scheduler_use_early(scheduler, index, err);
        if (!status)
            continue;
        if (status != CT_E_NOT_FOUND)
            return status;
        if (waits_for_twin(scheduler, job))
            continue;
        job->stage = CT_STAGE_BUILDING;
        slot->calibrating = false;
        slot->at = index;
        status = ct_scheduler_send_builder(scheduler, slot, job->job.plan, &job->job,
                                           false, err);
        slot->twins = job->twins;
        return status;
    }
    if (!slot->started && scheduler->quiet)
        return CT_OK;
    status = send_early(scheduler, slot, err);
    if (!status && !slot->busy && !find_stage(scheduler, CT_STAGE_BUILT, &index))
        ct_scheduler_warm_up(scheduler, slot);
    return status;
}

static enum ct_status feed_builders(struct ct_scheduler *scheduler, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (unsigned i = 0; !status && i < scheduler->builder_count; i++) {
        struct ct_worker_slot *slot = &scheduler->builders[i];

        if (slot->busy)
            continue;
        if (!ct_scheduler_take_builder(scheduler))
            break;
        status = feed_builder(scheduler, slot, err);
        ct_scheduler_give_builders(scheduler, !slot->busy);
    }
    return status;
}

/* Gives work to every worker that may have some now. */
static enum ct_status feed(struct ct_scheduler *scheduler, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    size_t index;
    unsigned building = busy_builders(scheduler);
    unsigned measuring = ct_scheduler_busy_siblings(scheduler);
    bool may_run; /* the runner, now */

    if (!ct_scheduler_may_begin(scheduler))
        return CT_OK;
    if (scheduler->cpu_device && !scheduler->running && !building) {
        scheduler->interleave_ns =
            scheduler->interleave_ns ? scheduler->interleave_ns : ct_clock_now_ns();
    }
    if (!scheduler->cpu_device || !scheduler->running) {
        status = feed_builders(scheduler, err);
        /* Nothing left to build: what is built can run now. */
        if (scheduler->cpu_device && !busy_builders(scheduler))
            scheduler->running = true;
    }
    if (!status)
        ct_scheduler_begin_ahead(scheduler);
    if (!status)
        ct_scheduler_load_ahead(scheduler);
    if (!status && busy_builders(scheduler) > building)
        ct_scheduler_tell_activity(scheduler, SIZE_MAX);
    may_run = (!scheduler->cpu_device || scheduler->running) && !scheduler->runner.busy;
    if (!status && may_run)
        ct_scheduler_rank_anew(scheduler);
    if (!status && may_run && ct_scheduler_find_built(scheduler, &index) &&
        !(scheduler->jobs.items[index]->second_try && busy_builders(scheduler))) {
        ct_scheduler_tell_activity(scheduler, index);
        status = ct_scheduler_send_runner(scheduler, &scheduler->runner, index, err);
    }
    if (!status)
        status = ct_scheduler_feed_siblings(scheduler, err);
    if (!status && ct_scheduler_busy_siblings(scheduler) > measuring)
        ct_scheduler_tell_activity(scheduler, SIZE_MAX);
    if (scheduler->cpu_device && scheduler->running && !scheduler->runner.busy) {
        scheduler->running = false;
        scheduler->interleave_ns = 0;
    }
    return status;
}

/* --- collecting --- */

void ct_scheduler_done(struct ct_scheduler *scheduler, size_t index,
                       struct ct_outcome *outcome)
{
    struct ct_scheduler_job *job = scheduler->jobs.items[index];

    job->outcome = *outcome;
    for (int i = 0; i < CT_PHASE_COUNT; i++)
        job->outcome.spent_ns[i] += job->built_ns[i];
    job->stage = CT_STAGE_DONE;
    scheduler->finished++;
    /* For its possible duplicates; without memory there will be none. */
    if (!scheduler->options.no_duplicates && !job->job.again &&
        !scheduler->jobs.past[index].copied)
        ct_scheduler_pack(&job->outcome, &scheduler->jobs.past[index]);
    /* ct_scheduler_submit has allocated the space. */
    scheduler->done.items[scheduler->done.count++] = index;
}

/* A builder's slow launch shared the processor with others: the runner, alone, will decide. */
static bool had_company(const struct ct_scheduler *scheduler,
                        const struct ct_outcome *outcome)
{
    return scheduler->cpu_device && scheduler->builder_count > 1 &&
           outcome->status == CT_RESULT_TIMEOUT && outcome->phase == CT_PHASE_FIRST;
}

static enum ct_status job_built(struct ct_scheduler *scheduler, size_t index,
                                struct ct_outcome *outcome, const struct ct_built *built,
                                struct ct_err *err)
{
    struct ct_scheduler_job *job = scheduler->jobs.items[index];

    memcpy(job->built_ns, outcome->spent_ns, sizeof(job->built_ns));
    scheduler->built.ns +=
        outcome->spent_ns[CT_PHASE_BUILD] + outcome->spent_ns[CT_PHASE_FIRST];
    scheduler->built.count++;
    ct_scheduler_note_limits(scheduler, job->job.plan, outcome);
    if (outcome->status == CT_RESULT_OK && scheduler->options.build_only) {
        enum ct_status status = ct_scheduler_check_built(scheduler, index, built, err);

        if (status) {
            ct_outcome_release(outcome);
            return status;
        }
    }
    if (scheduler->options.build_only ||
        (outcome->status != CT_RESULT_OK && !job->doubted &&
         !had_company(scheduler, outcome))) {
        memset(outcome->spent_ns, 0, sizeof(outcome->spent_ns));
        ct_scheduler_done(scheduler, index, outcome);
        return CT_OK;
    }
    job->stage = CT_STAGE_BUILT;
    if (outcome->status == CT_RESULT_OK) {
        struct ct_handover handover = {built->program_count, built->programs};

        job->from_cache = built->from_cache;
        scheduler->stats.from_cache += built->from_cache && !job->job.again;
        scheduler->stats.built += !built->from_cache;
        ct_handover_put(&job->handover, &handover);
        if (job->handover.failed)
            ct_str_release(&job->handover);
        ct_scheduler_keep(scheduler, job);
        ct_scheduler_binary_duplicate(scheduler, index, built, outcome);
    }
    ct_outcome_release(outcome);
    return CT_OK;
}

enum ct_status ct_scheduler_built(struct ct_scheduler *scheduler, size_t index,
                                  bool sample, struct ct_outcome *outcome,
                                  const struct ct_str *sent, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_built built = {0};
    struct ct_wire_reader in;
    enum ct_status status = CT_OK;

    ct_wire_reader_init(&in, sent->data, sent->length);
    if (outcome->status == CT_RESULT_OK)
        ct_built_get(&in, &arena, &built);
    if (in.failed) {
        ct_outcome_release(outcome);
        ct_arena_release(&arena);
        return ct_err_set(err, CT_E_WORKER, "a builder sent a damaged message");
    }
    if (sample) {
        if (!(scheduler->duplicates.again >> index & 1))
            ct_scheduler_sampled(scheduler, index,
                                 outcome->status == CT_RESULT_OK ? &built : NULL);
        ct_outcome_release(outcome);
    } else {
        status = job_built(scheduler, index, outcome, &built, err);
    }
    ct_arena_release(&arena);
    return status;
}

/* Within a batch the caller cannot announce the best; it has said that it counts.  Repeated measurements are
 * no candidates, and the default may be none. */
static void note_leader(struct ct_scheduler *scheduler, const struct ct_job *job,
                        const struct ct_outcome *outcome)
{
    double ns = job->plan->end_to_end ? outcome->end_to_end.time_ns : outcome->time_ns;

    if (outcome->status == CT_RESULT_OK && scheduler->races && ns > 0 &&
        (!(scheduler->leader_ns > 0) || ns < scheduler->leader_ns) && !job->again &&
        !job->full)
        scheduler->leader_ns = ns;
}

static void note_race(struct ct_scheduler *scheduler, const struct ct_outcome *outcome)
{
    scheduler->stats.samples_saved += outcome->race.saved;
    scheduler->stats.saved_ns += outcome->race.saved_ns;
    scheduler->stats.samples_added += outcome->race.added;
    scheduler->stats.added_ns += outcome->race.added_ns;
    scheduler->stats.samples_retaken += outcome->samples.retaken;
}

static void note_measured(struct ct_scheduler *scheduler,
                          const struct ct_scheduler_job *job,
                          const struct ct_outcome *outcome)
{
    if (!outcome->samples.count || job->job.again)
        return;
    scheduler->stats.measured++;
    scheduler->stats.loaded += job->loaded && outcome->programs_kept > 0;
    scheduler->stats.stopped_early += outcome->stopped_early;
}

/* Whether an error in the space file is that of one configuration, whose macros or sizes its
 * reference does not support, or of a sample, whose job will report it; then it has its outcome. */
static bool own_mistake(const struct ct_scheduler *scheduler,
                        const struct ct_worker_slot *slot, const struct ct_err *why,
                        struct ct_outcome *outcome)
{
    const char *message;

    if (why->code != CT_E_SPEC || slot->warming ||
        (!slot->calibrating && !scheduler->jobs.items[slot->at]->job.trusted))
        return false;
    memset(outcome, 0, sizeof(*outcome));
    message = ct_arena_copy(&outcome->arena, why->message, strlen(why->message));
    outcome->status = CT_RESULT_INVALID;
    outcome->phase = slot->runner->x.phase;
    outcome->message = message ? message : "";
    outcome->build_log = "";
    memcpy(outcome->spent_ns, slot->runner->x.spent_ns, sizeof(outcome->spent_ns));
    return true;
}

/* Whether it is a runner. */
static bool runs(const struct ct_scheduler *scheduler, const struct ct_worker_slot *slot)
{
    return slot == &scheduler->runner || slot->device;
}

static enum ct_status step_slot(struct ct_scheduler *scheduler,
                                struct ct_worker_slot *slot, struct ct_err *err)
{
    struct ct_err why = CT_ERR_INIT;
    struct ct_outcome outcome;
    bool done = false;
    enum ct_status status;

    if (!slot->busy)
        return CT_OK;
    /* The first slow runner reports, the others do not. */
    slot->runner->slow.report = scheduler->slow_reported ? NULL : scheduler->options.slow;
    slot->runner->slow.user = scheduler->options.slow_user;
    slot->runner->slow.after_ns = scheduler->options.slow_after_ns;
    status = ct_runner_step(slot->runner, &done, &outcome, &why);
    scheduler->slow_reported = scheduler->slow_reported || slot->runner->slow.reported;
    /* It was refused memory, or killed perhaps for it, and tries again in a new process. */
    if (slot->runner->killed && !scheduler->spares.off) {
        scheduler->spares.off = true;
        ct_scheduler_dismiss(scheduler);
    }
    if (!done)
        return status;
    book(scheduler);
    slot->busy = false;
    ct_scheduler_note_twin(scheduler, slot);
    ct_scheduler_give_builders(scheduler, !runs(scheduler, slot));
    scheduler->moved = true;
    if (slot->preparing)
        return ct_scheduler_took_ahead(scheduler, status, &why, &outcome, err);
    if (slot->early)
        return ct_scheduler_took_early(scheduler, slot, status, &why, &outcome, err);
    if (slot->device &&
        ct_scheduler_took_sibling(scheduler, slot, status, &why, &outcome))
        return CT_OK;
    if (status && own_mistake(scheduler, slot, &why, &outcome))
        status = CT_OK;
    if (status) {
        *err = why;
        return status;
    }
    if (slot->warming) {
        slot->warming = false;
        ct_outcome_release(&outcome);
        return CT_OK;
    }
    ct_scheduler_note_small(scheduler, slot, !runs(scheduler, slot), &outcome);
    if (!runs(scheduler, slot))
        return ct_scheduler_built(scheduler, slot->at, slot->calibrating, &outcome,
                                  &slot->runner->extra, err);
    if (ct_scheduler_tries_again(scheduler, slot, &outcome))
        return CT_OK;
    note_race(scheduler, &outcome);
    note_measured(scheduler, scheduler->jobs.items[slot->at], &outcome);
    note_leader(scheduler, &scheduler->jobs.items[slot->at]->job, &outcome);
    scheduler->jobs.items[slot->at]->device = slot->device;
    ct_scheduler_done(scheduler, slot->at, &outcome);
    return CT_OK;
}

enum ct_status ct_scheduler_step_builders(struct ct_scheduler *scheduler,
                                          struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (unsigned i = 0; !status && i < scheduler->builder_count; i++)
        status = step_slot(scheduler, &scheduler->builders[i], err);
    return status;
}

enum ct_status ct_scheduler_feed(struct ct_scheduler *scheduler, struct ct_err *err)
{
    scheduler->booked_ns = ct_clock_now_ns();
    return feed(scheduler, err);
}

/* --- waiting --- */

/* Ends builders that take too much memory. */
static void look_at_memory(struct ct_scheduler *scheduler)
{
    uint64_t now_ns = ct_clock_now_ns();
    uint64_t most_bytes = 0;

    if (now_ns < scheduler->memory_due_ns)
        return;
    for (unsigned i = 0; i < scheduler->builder_count; i++) {
        struct ct_runner *runner = scheduler->builders[i].runner;
        uint64_t used_bytes = 0;

        if (scheduler->builders[i].busy && ct_runner_compiles(runner))
            used_bytes = ct_memory_of(runner->worker.pid);
        if (used_bytes > scheduler->memory_bytes)
            ct_runner_too_large(runner, scheduler->memory_bytes);
        else if (used_bytes > most_bytes)
            most_bytes = used_bytes;
    }
    scheduler->memory_due_ns =
        now_ns + ct_memory_pause_ns(most_bytes, scheduler->memory_bytes);
}

/* Builders, the runner, its siblings. */
static struct ct_worker_slot *slot_at(struct ct_scheduler *scheduler, unsigned i)
{
    if (i < scheduler->builder_count)
        return &scheduler->builders[i];
    i -= scheduler->builder_count;
    return i ? &scheduler->siblings[i - 1].slot : &scheduler->runner;
}

void ct_scheduler_poll(struct ct_scheduler *scheduler)
{
    struct ct_worker *workers[CT_SCHEDULER_JOBS_MAX + 1 + CT_SCHEDULER_SIBLINGS];
    unsigned all = scheduler->builder_count + 1 + scheduler->sibling_count;
    uint64_t until_ns = scheduler->linger_ns ? scheduler->linger_ns : UINT64_MAX;
    bool builds = false;
    size_t count = 0;

    for (unsigned i = 0; i < all; i++) {
        struct ct_worker_slot *slot = slot_at(scheduler, i);
        uint64_t deadline_ns;

        if (!slot->busy)
            continue;
        builds = builds || !runs(scheduler, slot);
        workers[count++] = &slot->runner->worker;
        deadline_ns = ct_runner_deadline(slot->runner);
        if (deadline_ns < until_ns)
            until_ns = deadline_ns;
    }
    if (builds && scheduler->memory_due_ns < until_ns)
        until_ns = scheduler->memory_due_ns;
    if (!count)
        ct_scheduler_note_rest(scheduler);
    if (scheduler->member && ct_pool_waits(scheduler->member)) {
        ct_worker_poll_with(workers, count, ct_pool_descriptor(scheduler->member),
                            until_ns);
        ct_pool_woken(scheduler->member);
    } else if (count) {
        ct_worker_poll(workers, count, until_ns);
    }
    look_at_memory(scheduler);
}

enum ct_status ct_scheduler_work(struct ct_scheduler *scheduler, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    /* Who waits for others has no worker that would notice. */
    if (scheduler->member && ct_worker_interrupted())
        return ct_runner_interrupted(err);
    ct_scheduler_settle(scheduler);
    scheduler->booked_ns = ct_clock_now_ns();
    scheduler->moved = false;
    status = feed(scheduler, err);
    if (!status)
        status = ct_scheduler_step_builders(scheduler, err);
    if (!status)
        status = step_slot(scheduler, &scheduler->runner, err);
    for (unsigned i = 0; !status && i < scheduler->sibling_count; i++)
        status = step_slot(scheduler, &scheduler->siblings[i].slot, err);
    if (status)
        return status;
    ct_scheduler_settle(scheduler);
    /* A worker that has just finished gets its next work before anything is waited for. */
    if (!scheduler->moved &&
        (!scheduler->cpu_device || busy_builders(scheduler) || scheduler->runner.busy)) {
        book(scheduler);
        ct_scheduler_poll(scheduler);
        book(scheduler);
        ct_scheduler_repeat_activity(scheduler);
    }
    return CT_OK;
}
