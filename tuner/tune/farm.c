// SPDX-License-Identifier: Apache-2.0
#include "tune/farm.h"

#include "base/clock.h"
#include "protocol/cache.h"
#include "search/strategy.h"
#include "tune/place.h"

#include <string.h>

/* Jobs in hand, each with its plan. */
enum { SLOTS = 256 };

struct slot {
    struct ct_arena arena;
    struct ct_plan plan;
    bool busy;
};

struct farm_task {
    struct ct_farm *farm;
    struct ct_scheduler *scheduler;
    struct slot *slots;
    uint64_t next; /* 0: the default, then number `next` - 1 of the farm */
};

/* --- choosing --- */

static enum ct_status ask_strategy(struct ct_farm *farm, struct ct_err *err)
{
    const struct ct_limits limits = {.evaluations = farm->count};
    struct ct_strategy *strategy;
    uint64_t count = 0;
    enum ct_status status = ct_strategy_new(farm->options->strategy, farm->work.space,
                                            farm->options->seed, &strategy, err);

    if (status)
        return status;
    farm->indices =
        ct_arena_array(&farm->arena, (size_t)farm->count, sizeof(*farm->indices));
    ct_strategy_limit(strategy, &limits);
    while (farm->indices && count < farm->count) {
        size_t more = ct_strategy_ask(strategy, (size_t)(farm->count - count),
                                      farm->indices + count);

        if (!more)
            break;
        count += more;
    }
    ct_strategy_free(strategy);
    farm->count = count;
    return farm->indices ? CT_OK : ct_err_nomem(err);
}

static enum ct_status choose(struct ct_farm *farm, struct ct_err *err)
{
    const struct ct_tune_options *options = farm->options;
    struct ct_space_stats stats;

    ct_space_stats_get(farm->work.space, &stats);
    if (options->shard.of && options->strategy)
        return ct_err_set(
            err, CT_E_USAGE,
            "--shard divides the whole space, --strategy asks for a part of "
            "it: use one of them");
    if (options->shard.of && !stats.valid_exact)
        return ct_err_set(err, CT_E_USAGE,
                          "--shard requires a space that can be counted");
    farm->count = options->shard.of
                      ? ct_space_shard_count(farm->work.space, options->shard.number - 1,
                                             options->shard.of)
                      : ct_space_count(farm->work.space);
    if (options->budget.evaluations && options->budget.evaluations < farm->count)
        farm->count = options->budget.evaluations;
    return options->strategy ? ask_strategy(farm, err) : CT_OK;
}

static int64_t index_at(const struct ct_farm *farm, uint64_t i)
{
    const struct ct_division *shard = &farm->options->shard;

    if (farm->indices)
        return (int64_t)farm->indices[i];
    return (int64_t)(shard->of ? ct_space_shard_index(shard->number - 1, shard->of, i)
                               : i);
}

/* Caches that cannot be written are known before anything is compiled. */
static enum ct_status find_caches(struct ct_farm *farm, struct ct_err *err)
{
    bool chosen;
    enum ct_status status = ct_cache_folder("binaries", &farm->cache, err);

    if (!status)
        status = ct_cache_driver(&farm->driver_cache, &chosen, err);
    return status ? status : ct_cache_room(err);
}

enum ct_status ct_farm_init(struct ct_farm *farm, const struct ct_tune_options *options,
                            const struct ct_devinfo *device, const struct ct_spec *spec,
                            struct ct_binding *binding, struct ct_space *space,
                            struct ct_err *err)
{
    enum ct_status status;

    *farm = (struct ct_farm){.options = options};
    ct_str_init(&farm->cache);
    ct_str_init(&farm->driver_cache);
    status =
        ct_workload_init(&farm->work, device, spec, binding, space, options->cache, err);
    if (!status)
        status = find_caches(farm, err);
    return status ? status : choose(farm, err);
}

void ct_farm_release(struct ct_farm *farm)
{
    ct_workload_release(&farm->work);
    ct_arena_release(&farm->arena);
    ct_str_release(&farm->cache);
    ct_str_release(&farm->driver_cache);
}

/* --- building --- */

static void note_failure(struct ct_farm *farm, const char *message)
{
    farm->failed++;
    if (!farm->first_failure)
        farm->first_failure = ct_arena_copy(&farm->arena, message, strlen(message));
}

/* Submits the next configuration; one without a plan has failed. */
static enum ct_status submit_next(struct farm_task *run, size_t at, struct ct_err *err)
{
    struct ct_farm *farm = run->farm;
    struct slot *slot = &run->slots[at];
    uint64_t number = run->next++;
    int64_t index = number ? index_at(farm, number - 1) : farm->work.default_index;
    struct ct_job job = {.ticket = at, .plan = &slot->plan, .trusted = number > 0};
    struct ct_err why = CT_ERR_INIT;
    enum ct_status status;

    if (number && index == farm->work.default_index)
        return CT_OK;
    ct_workload_values(&farm->work, index);
    status = ct_workload_plan(&farm->work, 0, &slot->arena, &slot->plan, &why);
    if (status == CT_E_NOMEM) {
        *err = why;
        return status;
    }
    if (status) {
        ct_arena_release(&slot->arena);
        farm->done++;
        note_failure(farm, why.message);
        return CT_OK;
    }
    slot->busy = true;
    return ct_scheduler_submit(run->scheduler, &job, err);
}

static enum ct_status submit_some(struct farm_task *run, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t at = 0; at < SLOTS && !status; at++) {
        if (run->next > run->farm->count || !ct_scheduler_capacity(run->scheduler))
            break;
        while (!run->slots[at].busy && run->next <= run->farm->count && !status)
            status = submit_next(run, at, err);
    }
    return status;
}

static enum ct_status build_all(struct farm_task *run, struct ct_err *err)
{
    struct ct_farm *farm = run->farm;
    enum ct_status status = CT_OK;

    while (!status) {
        struct ct_report report;

        status = submit_some(run, err);
        if (!status)
            status = ct_scheduler_wait(run->scheduler, &report, err);
        if (status)
            break;
        farm->done++;
        if (report.outcome.status != CT_RESULT_OK)
            note_failure(farm, report.outcome.message);
        ct_outcome_release(&report.outcome);
        ct_arena_release(&run->slots[report.ticket].arena);
        run->slots[report.ticket].busy = false;
    }
    return status == CT_E_NOT_FOUND ? CT_OK : status;
}

enum ct_status ct_farm_run(struct ct_farm *farm, struct ct_err *err)
{
    struct ct_scheduler_options options =
        ct_tune_scheduler_options(farm->options, NULL, 0, farm->count + 1);
    uint64_t start_ns = ct_clock_now_ns();
    struct farm_task run = {.farm = farm};
    enum ct_status status;

    options.build_only = options.no_duplicates = true;
    options.slow = NULL;
    run.slots = ct_arena_array(&farm->arena, SLOTS, sizeof(*run.slots));
    if (!run.slots)
        return ct_err_nomem(err);
    status = ct_scheduler_new(farm->work.device, &options, &run.scheduler, err);
    if (status)
        return status;
    status = build_all(&run, err);
    ct_scheduler_stats_get(run.scheduler, &farm->stats);
    farm->stats.duplicates_off = NULL;
    ct_scheduler_free(run.scheduler);
    for (size_t i = 0; i < SLOTS; i++)
        ct_arena_release(&run.slots[i].arena);
    farm->wall_ns = ct_clock_now_ns() - start_ns;
    if (!status)
        status = ct_workload_check_sources(&farm->work, err);
    if (status)
        ct_place_error(farm->work.spec, err);
    return status;
}
