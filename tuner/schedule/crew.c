// SPDX-License-Identifier: Apache-2.0
// The crew as its user sees it.
#define _GNU_SOURCE // sched_getaffinity
#include "schedule/crew.h"
#include "schedule/measure.h"

#include "base/clock.h"
#include "protocol/cache.h"
#include "schedule/crew_impl.h"
#include "protocol/memory.h"
#include "protocol/objects.h"
#include "protocol/trim.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Processors that we may run on. */
static unsigned processors(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) < 1)
        return 1;
    return (unsigned)CPU_COUNT(&set);
}

/* What drivers and we have stored must not grow for ever. */
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

static enum ct_status make_hand(struct ct_crew *crew, const struct ct_devinfo *device,
                                struct ct_crew_hand *hand, struct ct_err *err)
{
    enum ct_status status = ct_runner_new(device, &hand->runner, err);

    if (!status)
        hand->runner->shelf = &crew->shelf;
    return status;
}

enum ct_status ct_crew_new(const struct ct_devinfo *device,
                           const struct ct_crew_options *options, struct ct_crew **out,
                           struct ct_err *err)
{
    struct ct_crew *crew = calloc(1, sizeof(*crew));
    enum ct_status status;

    if (!crew)
        return ct_err_nomem(err);
    crew->options = *options;
    crew->race = (struct ct_race){.samples = options->samples, .off = options->no_race};
    crew->processor = device->type && !strcmp(device->type, "CPU");
    crew->builder_count = options->jobs ? options->jobs : processors();
    if (crew->builder_count > CT_CREW_JOBS_MAX)
        crew->builder_count = CT_CREW_JOBS_MAX;
    crew->memory_bytes = options->builder_memory_bytes
                             ? options->builder_memory_bytes
                             : ct_memory_share(crew->builder_count);
    crew->twins_off = options->no_twins ? "switched off" : "";
    crew->stats.jobs = crew->builder_count;
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        ct_str_init(&crew->samples[i].code);
        ct_str_init(&crew->samples[i].binaries);
    }
    crew->texts = ct_program_texts_new();
    crew->builders = ct_mem_array(crew->builder_count, sizeof(*crew->builders));
    status = crew->texts && crew->builders ? ct_worker_prepare(err) : ct_err_nomem(err);
    if (!status)
        status = make_hand(crew, device, &crew->runner, err);
    for (unsigned i = 0; !status && i < crew->builder_count; i++)
        status = make_hand(crew, device, &crew->builders[i], err);
    if (status) {
        ct_crew_free(crew);
        return status;
    }
    trim_caches();
    *out = crew;
    return CT_OK;
}

static void free_job(struct ct_crew_job *job)
{
    if (!job)
        return;
    if (job->stage == CT_STAGE_DONE)
        ct_outcome_release(&job->outcome);
    ct_str_release(&job->handover);
    free(job);
}

/* Ends everybody's work at once. */
static void abandon(struct ct_crew *crew)
{
    for (unsigned i = 0; crew->builders && i < crew->builder_count; i++) {
        if (crew->builders[i].runner)
            ct_runner_abandon(crew->builders[i].runner);
        crew->builders[i].busy = false;
    }
    if (crew->runner.runner)
        ct_runner_abandon(crew->runner.runner);
    crew->runner.busy = false;
}

void ct_crew_free(struct ct_crew *crew)
{
    if (!crew)
        return;
    abandon(crew);
    for (unsigned i = 0; crew->builders && i < crew->builder_count; i++)
        ct_runner_free(crew->builders[i].runner);
    ct_runner_free(crew->runner.runner);
    for (size_t i = 0; i < crew->job_count; i++) {
        free_job(crew->jobs[i]);
        free(crew->past[i].bytes);
    }
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        ct_str_release(&crew->samples[i].code);
        ct_str_release(&crew->samples[i].binaries);
    }
    ct_keymap_release(&crew->macro_keys);
    ct_keymap_release(&crew->code_keys);
    ct_shelf_release(&crew->shelf);
    ct_program_texts_free(crew->texts);
    ct_arena_release(&crew->arena);
    ct_crew_kept_release(crew);
    free(crew->builders);
    free(crew->jobs);
    free(crew->past);
    free(crew->done);
    free(crew);
}

/* --- jobs --- */

/* Jobs that are not finished; of those the ones that builders have yet to do; and what
 * the others' binaries take. */
struct in_hand {
    size_t count;
    size_t unbuilt;
    size_t bytes;
};

static struct in_hand in_hand(const struct ct_crew *crew)
{
    struct in_hand has = {0};

    for (size_t i = crew->first; i < crew->job_count; i++) {
        const struct ct_crew_job *job = crew->jobs[i];

        if (!job || job->stage >= CT_STAGE_DONE)
            continue;
        has.count++;
        has.unbuilt += job->stage < CT_STAGE_BUILT;
        has.bytes += job->handover.length;
    }
    return has;
}

/* On processors a batch is whatever is in hand.  Elsewhere builders are kept busy
 * whatever waits for the runner or for a twin: compiling may take long where running
 * does not, and the reverse a little later.  The limits are for the memory's sake. */
size_t ct_crew_appetite(const struct ct_crew *crew)
{
    const size_t bytes_max = (size_t)32 << 20;
    size_t builders = crew->builder_count;
    size_t most = (crew->processor ? CT_CREW_BATCH : CT_CREW_AHEAD) * builders;
    struct in_hand has = in_hand(crew);
    size_t left = has.count < most ? most - has.count : 0;
    size_t wanted = 2 * builders + 2;

    if (crew->processor)
        return left;
    wanted = has.unbuilt < wanted && has.bytes < bytes_max ? wanted - has.unbuilt : 0;
    return wanted < left ? wanted : left;
}

enum ct_status ct_crew_submit(struct ct_crew *crew, const struct ct_job *job,
                              struct ct_err *err)
{
    struct ct_crew_job *made = calloc(1, sizeof(*made));
    enum ct_status status;

    if (!made ||
        !ct_mem_grow(&crew->jobs, &crew->job_capacity, crew->job_count + 1,
                     sizeof(struct ct_crew_job *)) ||
        !ct_mem_grow(&crew->past, &crew->past_capacity, crew->job_count + 1,
                     sizeof(*crew->past)) ||
        !ct_mem_grow(&crew->done, &crew->done_capacity, crew->job_count + 1,
                     sizeof(*crew->done))) {
        free(made);
        return ct_err_nomem(err);
    }
    made->job = *job;
    made->own = job->again;
    ct_str_init(&made->handover);
    crew->past[crew->job_count] = (struct ct_crew_past){.ticket = job->ticket};
    crew->jobs[crew->job_count++] = made;
    status = ct_crew_identify(crew, crew->job_count - 1, err);
    if (status) {
        crew->job_count--;
        free_job(made);
        return status;
    }
    crew->fresh += !job->again;
    ct_crew_reuse(crew, made);
    /* The runner has it, or else makes it itself. */
    if (job->turn.sample)
        made->stage = CT_STAGE_BUILT;
    return CT_OK;
}

void ct_crew_leader(struct ct_crew *crew, double leader_ns)
{
    crew->leader_ns = leader_ns;
}

void ct_crew_sampling(struct ct_crew *crew, uint32_t samples, double resolution)
{
    crew->race.samples = samples;
    crew->race.resolution = resolution;
}

void ct_crew_renew(struct ct_crew *crew)
{
    ct_runner_renew(crew->runner.runner);
}

void ct_crew_forget(struct ct_crew *crew, uint64_t ticket)
{
    for (size_t i = 0; i < crew->job_count; i++)
        if (crew->past[i].ticket == ticket) {
            free(crew->past[i].bytes);
            crew->past[i].bytes = NULL;
        }
}

void ct_crew_drop(struct ct_crew *crew)
{
    if (crew->first < crew->job_count)
        abandon(crew);
    /* Others may be the same as these: without an outcome they are looked at themselves.
     */
    for (; crew->first < crew->job_count; crew->first++) {
        free_job(crew->jobs[crew->first]);
        crew->jobs[crew->first] = NULL;
    }
    crew->done_at = crew->done_count = 0;
}

/* --- reports --- */

size_t ct_crew_ready(const struct ct_crew *crew)
{
    if (crew->processor && !ct_crew_idle(crew))
        return 0;
    return crew->done_count - crew->done_at;
}

/* Notes an error, if it is one: nothing more is begun, and what was is given up. */
static void fail(struct ct_crew *crew, enum ct_status status)
{
    if (!status)
        return;
    crew->failed.code = status;
    abandon(crew);
    /* What was built is of no use any more. */
    for (size_t i = crew->first; i < crew->job_count; i++)
        if (crew->jobs[i] && crew->jobs[i]->stage < CT_STAGE_DONE)
            crew->jobs[i]->stage = CT_STAGE_WAITING;
}

static void report_next(struct ct_crew *crew, struct ct_report *report)
{
    size_t index = crew->done[crew->done_at++];
    struct ct_crew_job *job = crew->jobs[index];

    *report = (struct ct_report){
        .ticket = job->job.ticket,
        .outcome = job->outcome,
        .twin = job->twin,
        .twin_of = job->twin != CT_TWIN_NONE ? crew->past[job->original].ticket : 0,
        .from_cache = job->from_cache,
    };
    memset(&job->outcome, 0, sizeof(job->outcome));
    free_job(job);
    crew->jobs[index] = NULL;
    while (crew->first < crew->job_count && !crew->jobs[crew->first])
        crew->first++;
    /* Nothing left to report: the list begins anew. */
    if (crew->done_at == crew->done_count)
        crew->done_at = crew->done_count = 0;
}

/* Nobody is to wait while the caller looks at a report, unless everybody has to. */
static void keep_busy(struct ct_crew *crew)
{
    if (!crew->processor && !crew->failed.code)
        fail(crew, ct_crew_feed(crew, &crew->failed));
}

enum ct_status ct_crew_wait(struct ct_crew *crew, struct ct_report *report,
                            struct ct_err *err)
{
    for (;;) {
        if (ct_crew_ready(crew)) {
            keep_busy(crew);
            report_next(crew, report);
            return CT_OK;
        }
        if (crew->failed.code) {
            if (err)
                *err = crew->failed;
            return crew->failed.code;
        }
        if (!in_hand(crew).count)
            return CT_E_NOT_FOUND;
        fail(crew, ct_crew_work(crew, &crew->failed));
    }
}

enum ct_status ct_crew_baseline(struct ct_crew *crew, const struct ct_plan *plan,
                                bool all, struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_measure_options options = {
        .deadlines = crew->options.deadlines,
        .race = crew->race,
        .seed = crew->options.seed,
        .all_processors = all,
    };

    return ct_runner_baseline(crew->runner.runner, plan, &options, outcome, err);
}

void ct_crew_stats(const struct ct_crew *crew, struct ct_crew_stats *stats)
{
    uint64_t spent_ns[CT_PHASE_COUNT];
    unsigned workers;

    *stats = crew->stats;
    stats->twins_off = crew->twins_off;
    ct_runner_spent(crew->runner.runner, stats->spent_ns, &stats->runners_started);
    for (unsigned i = 0; i < crew->builder_count; i++) {
        ct_runner_spent(crew->builders[i].runner, spent_ns, &workers);
        stats->builders_started += workers;
        for (int k = 0; k < CT_PHASE_COUNT; k++)
            stats->spent_ns[k] += spent_ns[k];
    }
}
