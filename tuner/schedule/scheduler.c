// SPDX-License-Identifier: Apache-2.0
// The scheduler's public interface.
#include "schedule/scheduler.h"
#include "schedule/measure.h"

#include "base/clock.h"
#include "base/cpuinfo.h"
#include "protocol/cache.h"
#include "schedule/scheduler_impl.h"
#include "protocol/memory.h"
#include "protocol/objects.h"
#include "protocol/trim.h"

#include <stdlib.h>
#include <string.h>

/* The caches of drivers and of cltune must not grow forever. */
static void trim_caches(void)
{
    struct ct_str path;

    ct_str_init(&path);
    if (ct_cache_driver_own(&path)) {
        ct_objects_mend(path.data);
        ct_trim_pocl(path.data, ct_trim_limit());
    }
    ct_str_reset(&path);
    if (!ct_cache_folder("binaries", &path, NULL))
        ct_trim_files(path.data, ".bin", ct_trim_limit());
    ct_str_reset(&path);
    if (!ct_cache_folder("host", &path, NULL))
        ct_trim_files(path.data, ".so", ct_trim_limit());
    ct_str_reset(&path);
    if (!ct_cache_folder("objects", &path, NULL))
        ct_trim_files(path.data, ".sums", ct_trim_limit() / 16);
    ct_str_release(&path);
}

static enum ct_status make_runner(struct ct_scheduler *scheduler,
                                  const struct ct_devinfo *device, struct ct_runner **out,
                                  struct ct_err *err)
{
    enum ct_status status = ct_runner_new(device, out, err);

    if (!status)
        (*out)->shared_cache = &scheduler->shared_cache;
    return status;
}

static enum ct_status make_siblings(struct ct_scheduler *scheduler, struct ct_err *err)
{
    size_t count = scheduler->options.sibling_count;
    enum ct_status status = CT_OK;

    if (count > CT_SCHEDULER_SIBLINGS)
        count = CT_SCHEDULER_SIBLINGS;
    if (!count)
        return CT_OK;
    scheduler->siblings = ct_mem_array(count, sizeof(*scheduler->siblings));
    if (!scheduler->siblings)
        return ct_err_nomem(err);
    for (; !status && scheduler->sibling_count < count; scheduler->sibling_count++) {
        unsigned i = scheduler->sibling_count;
        struct ct_worker_slot *slot = &scheduler->siblings[i].slot;

        slot->device = i + 1;
        status =
            make_runner(scheduler, scheduler->options.siblings[i], &slot->runner, err);
    }
    return status;
}

/* The device's limits. */
static enum ct_status copy_device(struct ct_scheduler *scheduler, struct ct_err *err)
{
    const struct ct_str *packed = &scheduler->runner.runner->device;
    struct ct_wire_reader in;

    ct_wire_reader_init(&in, packed->data, packed->length);
    ct_devinfo_get(&in, &scheduler->limits.arena, &scheduler->limits.device);
    return in.failed ? ct_err_nomem(err) : CT_OK;
}

/* Two processors open two devices in the time of one; from three on, one is left for others. */
static unsigned spares_of(const struct ct_scheduler_options *options)
{
    unsigned processors = ct_cpuinfo_usable();
    unsigned most = processors == 2 ? 2 : processors - 1;

    most = options->spares ? options->spares : most;
    return most < CT_SCHEDULER_SPARES ? most : CT_SCHEDULER_SPARES;
}

enum ct_status ct_scheduler_new(const struct ct_devinfo *device,
                                const struct ct_scheduler_options *options,
                                struct ct_scheduler **out, struct ct_err *err)
{
    struct ct_scheduler *scheduler = calloc(1, sizeof(*scheduler));
    enum ct_status status;

    if (!scheduler)
        return ct_err_nomem(err);
    scheduler->options = *options;
    scheduler->race =
        (struct ct_race){.samples = options->samples, .off = options->no_race};
    scheduler->cpu_device = device->type && !strcmp(device->type, "CPU");
    scheduler->builder_count = options->jobs ? options->jobs : ct_cpuinfo_usable();
    if (scheduler->builder_count > CT_SCHEDULER_JOBS_MAX)
        scheduler->builder_count = CT_SCHEDULER_JOBS_MAX;
    scheduler->spares.most = spares_of(options);
    scheduler->memory_bytes = options->builder_memory_bytes
                                  ? options->builder_memory_bytes
                                  : ct_memory_share(scheduler->builder_count);
    scheduler->duplicates.off = options->no_duplicates ? "switched off" : "";
    scheduler->stats.jobs = scheduler->builder_count;
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        ct_str_init(&scheduler->duplicates.samples[i].code);
        ct_str_init(&scheduler->duplicates.samples[i].binaries);
    }
    scheduler->texts = ct_program_texts_new();
    scheduler->builders =
        ct_mem_array(scheduler->builder_count, sizeof(*scheduler->builders));
    status = scheduler->texts && scheduler->builders ? ct_worker_prepare(err)
                                                     : ct_err_nomem(err);
    if (!status && options->pool)
        status = ct_pool_join(options->pool, &scheduler->member, err);
    if (!status)
        status = make_runner(scheduler, device, &scheduler->runner.runner, err);
    if (!status)
        status = copy_device(scheduler, err);
    for (unsigned i = 0; !status && i < scheduler->builder_count; i++) {
        status = make_runner(scheduler, device, &scheduler->builders[i].runner, err);
        if (!status)
            scheduler->builders[i].runner->only_builds = scheduler->cpu_device;
    }
    if (!status)
        status = make_runner(scheduler, device, &scheduler->host, err);
    if (!status)
        status = make_siblings(scheduler, err);
    for (unsigned i = 0; !status && i < scheduler->spares.most; i++)
        status = make_runner(scheduler, device, &scheduler->spares.items[i], err);
    if (status) {
        ct_scheduler_free(scheduler);
        return status;
    }
    trim_caches();
    *out = scheduler;
    return CT_OK;
}

static void free_job(struct ct_scheduler_job *job)
{
    if (!job)
        return;
    if (job->stage == CT_STAGE_DONE)
        ct_outcome_release(&job->outcome);
    ct_str_release(&job->handover);
    free(job);
}

/* Ends all work at once. */
static void abandon(struct ct_scheduler *scheduler)
{
    for (unsigned i = 0; scheduler->builders && i < scheduler->builder_count; i++) {
        ct_scheduler_give_builders(scheduler, scheduler->builders[i].busy);
        if (scheduler->builders[i].runner)
            ct_runner_abandon(scheduler->builders[i].runner);
        scheduler->builders[i].busy = scheduler->builders[i].early = false;
    }
    ct_scheduler_release_early(scheduler);
    if (scheduler->runner.runner)
        ct_runner_abandon(scheduler->runner.runner);
    if (scheduler->host)
        ct_runner_abandon(scheduler->host);
    ct_scheduler_abandon_siblings(scheduler);
    scheduler->runner.preparing = scheduler->runner.busy = false;
    ct_scheduler_dismiss(scheduler);
    ct_scheduler_see_off(scheduler, true);
    ct_scheduler_note_rest(scheduler);
}

/* Their processes end side by side: closing a context takes a tenth of a second on some devices. */
static void let_go_all(struct ct_scheduler *scheduler)
{
    for (unsigned i = 0; scheduler->builders && i < scheduler->builder_count; i++)
        ct_runner_let_go(scheduler->builders[i].runner);
    ct_runner_let_go(scheduler->runner.runner);
    ct_runner_let_go(scheduler->host);
    for (unsigned i = 0; i < scheduler->sibling_count; i++)
        ct_runner_let_go(scheduler->siblings[i].slot.runner);
}

void ct_scheduler_free(struct ct_scheduler *scheduler)
{
    if (!scheduler)
        return;
    abandon(scheduler);
    let_go_all(scheduler);
    ct_pool_leave(scheduler->member);
    for (unsigned i = 0; scheduler->builders && i < scheduler->builder_count; i++)
        ct_runner_free(scheduler->builders[i].runner);
    ct_runner_free(scheduler->runner.runner);
    ct_runner_free(scheduler->host);
    ct_scheduler_release_siblings(scheduler);
    for (unsigned i = 0; i < scheduler->spares.most; i++)
        ct_runner_free(scheduler->spares.items[i]);
    for (size_t i = 0; i < scheduler->jobs.count; i++) {
        free_job(scheduler->jobs.items[i]);
        free(scheduler->jobs.past[i].bytes);
    }
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        ct_str_release(&scheduler->duplicates.samples[i].code);
        ct_str_release(&scheduler->duplicates.samples[i].binaries);
    }
    ct_map_release(&scheduler->duplicates.macro_keys);
    ct_map_release(&scheduler->duplicates.code_keys);
    ct_shared_cache_release(&scheduler->shared_cache);
    ct_program_texts_free(scheduler->texts);
    ct_scheduler_release_limits(scheduler);
    ct_arena_release(&scheduler->duplicates.arena);
    ct_scheduler_kept_release(scheduler);
    ct_map_release(&scheduler->built_once);
    free(scheduler->builders);
    free(scheduler->jobs.items);
    free(scheduler->jobs.past);
    free(scheduler->done.items);
    free(scheduler);
}

/* --- jobs --- */

/* Unfinished jobs; among them those that builders have yet to do; and the size of the others'
 * binaries. */
struct in_work {
    size_t count;
    size_t unbuilt;
    size_t bytes;
};

static struct in_work find_in_work(const struct ct_scheduler *scheduler)
{
    struct in_work has = {0};

    for (size_t i = scheduler->jobs.first; i < scheduler->jobs.count; i++) {
        const struct ct_scheduler_job *job = scheduler->jobs.items[i];

        if (!job || job->stage >= CT_STAGE_DONE)
            continue;
        has.count++;
        has.unbuilt += job->stage < CT_STAGE_BUILT;
        has.bytes += job->handover.length;
    }
    return has;
}

/* On CPU devices a batch is whatever is in hand.  Elsewhere builders are kept busy however many
 * jobs wait for the runner or a duplicate: compiling may take long where running does not, and
 * the reverse a little later.  The limits bound memory. */
size_t ct_scheduler_capacity(const struct ct_scheduler *scheduler)
{
    const size_t bytes_max = (size_t)32 << 20;
    size_t builders = scheduler->builder_count;
    size_t most =
        (scheduler->cpu_device ? CT_SCHEDULER_BATCH : CT_SCHEDULER_AHEAD) * builders;
    struct in_work has = find_in_work(scheduler);
    size_t left = has.count < most ? most - has.count : 0;
    /* One at work and one ready for each runner. */
    size_t wanted = 2 * (builders + 1 + scheduler->sibling_count);

    if (scheduler->cpu_device)
        return left;
    wanted = has.unbuilt < wanted && has.bytes < bytes_max ? wanted - has.unbuilt : 0;
    return wanted < left ? wanted : left;
}

enum ct_status ct_scheduler_submit(struct ct_scheduler *scheduler,
                                   const struct ct_job *job, struct ct_err *err)
{
    struct ct_scheduler_job *made = calloc(1, sizeof(*made));
    enum ct_status status;

    if (!made ||
        !ct_mem_grow(&scheduler->jobs.items, &scheduler->jobs.capacity,
                     scheduler->jobs.count + 1, sizeof(struct ct_scheduler_job *)) ||
        !ct_mem_grow(&scheduler->jobs.past, &scheduler->jobs.past_capacity,
                     scheduler->jobs.count + 1, sizeof(*scheduler->jobs.past)) ||
        !ct_mem_grow(&scheduler->done.items, &scheduler->done.capacity,
                     scheduler->jobs.count + 1, sizeof(*scheduler->done.items))) {
        free(made);
        return ct_err_nomem(err);
    }
    made->job = *job;
    made->own = job->again;
    ct_str_init(&made->handover);
    scheduler->jobs.past[scheduler->jobs.count] =
        (struct ct_scheduler_past){.ticket = job->ticket};
    scheduler->jobs.items[scheduler->jobs.count++] = made;
    status = ct_scheduler_identify(scheduler, scheduler->jobs.count - 1, err);
    if (status) {
        scheduler->jobs.count--;
        free_job(made);
        return status;
    }
    scheduler->jobs.fresh += !job->again;
    scheduler->early.closed |= !job->again && !job->alone;
    scheduler->quiet &= job->again;
    ct_scheduler_reuse(scheduler, made);
    /* The runner has it, or makes it itself. */
    if (job->step.sample || job->plan->command)
        made->stage = CT_STAGE_BUILT;
    return CT_OK;
}

void ct_scheduler_leader(struct ct_scheduler *scheduler, double leader_ns)
{
    scheduler->leader_ns = leader_ns;
    scheduler->races = true;
}

void ct_scheduler_sampling(struct ct_scheduler *scheduler, uint32_t samples,
                           double resolution)
{
    scheduler->race.samples = samples;
    scheduler->race.resolution = resolution;
}

void ct_scheduler_second_look(struct ct_scheduler *scheduler, double times)
{
    scheduler->race.second_look = times;
}

void ct_scheduler_renew(struct ct_scheduler *scheduler)
{
    ct_scheduler_end_ahead(scheduler);
    ct_scheduler_next_process(scheduler);
}

void ct_scheduler_forget(struct ct_scheduler *scheduler, uint64_t ticket)
{
    for (size_t i = 0; i < scheduler->jobs.count; i++)
        if (scheduler->jobs.past[i].ticket == ticket) {
            free(scheduler->jobs.past[i].bytes);
            scheduler->jobs.past[i].bytes = NULL;
            scheduler->jobs.past[i].copied = false;
        }
}

void ct_scheduler_drop(struct ct_scheduler *scheduler)
{
    if (scheduler->jobs.first < scheduler->jobs.count)
        abandon(scheduler);
    /* Others may be duplicates of these: without an outcome they are measured themselves. */
    for (; scheduler->jobs.first < scheduler->jobs.count; scheduler->jobs.first++) {
        free_job(scheduler->jobs.items[scheduler->jobs.first]);
        scheduler->jobs.items[scheduler->jobs.first] = NULL;
    }
    scheduler->done.at = scheduler->done.count = 0;
}

/* --- reports --- */

size_t ct_scheduler_ready(const struct ct_scheduler *scheduler)
{
    if (scheduler->cpu_device && !ct_scheduler_idle(scheduler))
        return 0;
    return scheduler->done.count - scheduler->done.at;
}

/* Notes an error, if it is one: nothing more is started, and all running work is given up. */
static void fail(struct ct_scheduler *scheduler, enum ct_status status)
{
    if (!status)
        return;
    scheduler->failed.code = status;
    abandon(scheduler);
    /* What was built is no longer needed. */
    for (size_t i = scheduler->jobs.first; i < scheduler->jobs.count; i++)
        if (scheduler->jobs.items[i] && scheduler->jobs.items[i]->stage < CT_STAGE_DONE)
            scheduler->jobs.items[i]->stage = CT_STAGE_WAITING;
}

static void report_next(struct ct_scheduler *scheduler, struct ct_report *report)
{
    size_t index = scheduler->done.items[scheduler->done.at++];
    struct ct_scheduler_job *job = scheduler->jobs.items[index];

    *report = (struct ct_report){
        .ticket = job->job.ticket,
        .outcome = job->outcome,
        .duplicate = job->duplicate,
        .duplicate_of = job->duplicate != CT_DUPLICATE_NONE
                            ? scheduler->jobs.past[job->original].ticket
                            : 0,
        .from_cache = job->from_cache,
        .device = job->device,
    };
    memset(&job->outcome, 0, sizeof(job->outcome));
    free_job(job);
    scheduler->jobs.items[index] = NULL;
    while (scheduler->jobs.first < scheduler->jobs.count &&
           !scheduler->jobs.items[scheduler->jobs.first])
        scheduler->jobs.first++;
    /* Nothing left to report: reuse the list from its start. */
    if (scheduler->done.at == scheduler->done.count)
        scheduler->done.at = scheduler->done.count = 0;
}

/* Workers are kept busy while the caller handles a report, unless all of them have to wait. */
static void keep_busy(struct ct_scheduler *scheduler)
{
    if (!scheduler->cpu_device && !scheduler->failed.code)
        fail(scheduler, ct_scheduler_feed(scheduler, &scheduler->failed));
}

enum ct_status ct_scheduler_wait(struct ct_scheduler *scheduler, struct ct_report *report,
                                 struct ct_err *err)
{
    for (;;) {
        if (ct_scheduler_ready(scheduler)) {
            keep_busy(scheduler);
            ct_scheduler_note_rest(scheduler);
            report_next(scheduler, report);
            return CT_OK;
        }
        if (scheduler->failed.code) {
            if (err)
                *err = scheduler->failed;
            return scheduler->failed.code;
        }
        /* What is done waits on CPU devices for builders that are only opening the device. */
        if (!find_in_work(scheduler).count && scheduler->done.at == scheduler->done.count)
            return CT_E_NOT_FOUND;
        fail(scheduler, ct_scheduler_work(scheduler, &scheduler->failed));
    }
}

bool ct_scheduler_linger(struct ct_scheduler *scheduler, uint64_t until_ns)
{
    if (scheduler->cpu_device)
        return false;
    scheduler->linger_ns = until_ns;
    while (!ct_scheduler_ready(scheduler) && !scheduler->failed.code &&
           find_in_work(scheduler).count && ct_clock_now_ns() < until_ns)
        fail(scheduler, ct_scheduler_work(scheduler, &scheduler->failed));
    scheduler->linger_ns = 0;
    return ct_scheduler_ready(scheduler) > 0;
}

enum ct_status ct_scheduler_baseline(struct ct_scheduler *scheduler,
                                     const struct ct_plan *plan, bool all,
                                     uint64_t limit_ns, struct ct_outcome *outcome,
                                     struct ct_err *err)
{
    struct ct_measure_options options = {
        .deadlines = scheduler->options.deadlines,
        .race = scheduler->race,
        .seed = scheduler->options.seed,
        .all_processors = all,
        .limit_ns = limit_ns,
    };
    enum ct_status status;

    /* Its calls are timed by wall clock. */
    ct_scheduler_end_ahead(scheduler);
    if (!scheduler->member)
        return ct_runner_baseline(scheduler->host, plan, &options, outcome, err);
    status = ct_pool_alone(scheduler->member, err);
    if (status)
        return status;
    status = ct_runner_baseline(scheduler->host, plan, &options, outcome, err);
    ct_pool_share(scheduler->member);
    return status;
}

static void add_runner(struct ct_scheduler_stats *stats, const struct ct_runner *runner)
{
    uint64_t spent_ns[CT_PHASE_COUNT];
    unsigned workers;

    ct_runner_spent(runner, spent_ns, &workers);
    stats->runners_started += workers;
    for (int k = 0; k < CT_PHASE_COUNT; k++)
        stats->spent_ns[k] += spent_ns[k];
}

void ct_scheduler_stats_get(const struct ct_scheduler *scheduler,
                            struct ct_scheduler_stats *stats)
{
    uint64_t spent_ns[CT_PHASE_COUNT];
    unsigned workers;

    *stats = scheduler->stats;
    stats->duplicates_off = scheduler->duplicates.off;
    stats->binaries = !ct_scheduler_loads_programs(scheduler);
    stats->small_launches = scheduler->duplicates.small_is_enough;
    ct_runner_spent(scheduler->runner.runner, stats->spent_ns, &stats->runners_started);
    for (unsigned i = 0; i < scheduler->builder_count; i++) {
        ct_runner_spent(scheduler->builders[i].runner, spent_ns, &workers);
        stats->builders_started += workers;
        for (int k = 0; k < CT_PHASE_COUNT; k++)
            stats->spent_ns[k] += spent_ns[k];
    }
    add_runner(stats, scheduler->host);
    for (unsigned i = 0; i < scheduler->spares.most; i++)
        add_runner(stats, scheduler->spares.items[i]);
    for (unsigned i = 0; i < scheduler->sibling_count; i++)
        add_runner(stats, scheduler->siblings[i].slot.runner);
}
