// SPDX-License-Identifier: Apache-2.0
// What only a search stores: what is in flight, the default, the baseline, rankings.
#include "tune/search_impl.h"

#include "base/cpuinfo.h"
#include "tune/observed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ct_status ct_search_store_inflight(struct ct_search *search, struct ct_err *err)
{
    struct ct_hash *experiments =
        ct_mem_array(search->jobs.pending_count, sizeof(*experiments));
    enum ct_spent before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    enum ct_status status;

    if (!experiments) {
        ct_meter_turn(&search->meter, before);
        return ct_err_nomem(err);
    }
    for (size_t i = 0; i < search->jobs.pending_count; i++)
        experiments[i] = search->jobs.pending[i]->entry.experiment;
    status = ct_db_batch_begin(search->store.db, search->store.run.id, experiments,
                               search->jobs.pending_count, err);
    free(experiments);
    ct_meter_turn(&search->meter, before);
    return status;
}

/* One row for the database; texts are added to `arena`. */
static enum ct_status ranked_of(struct ct_search *search,
                                const struct ct_evaluated *entry,
                                const struct ct_entrant *entrant, struct ct_arena *arena,
                                struct ct_db_ranked *out, struct ct_err *err)
{
    struct ct_str metrics;
    struct ct_str quantities;
    enum ct_status status;
    bool ends = entrant && entrant->end_to_end_ns > 0;

    ct_str_init(&metrics);
    ct_str_init(&quantities);
    ct_workload_values(&search->work, entry->index);
    status = ct_store_put_metrics(&search->store, &entry->observed, &metrics, err);
    if (!status)
        status = ct_observed_put(&entry->observed, &quantities, err);
    *out = (struct ct_db_ranked){
        .experiment = entry->experiment,
        .tied = entry->tied,
        .value = entry->value,
        .time_ns = entry->time_ns,
        .low_ns = entry->low_ns,
        .high_ns = entry->high_ns,
        .end_to_end_ns = ends ? entrant->end_to_end_ns : NAN,
        .end_to_end_low_ns = ends ? entrant->end_to_end_low_ns : NAN,
        .end_to_end_high_ns = ends ? entrant->end_to_end_high_ns : NAN,
        .rounds = entrant ? entrant->processes : entry->rounds,
        .rounds_ns = entrant ? entrant->times_ns : NULL,
    };
    if (!status)
        out->metrics = ct_arena_copy(arena, metrics.data, metrics.length);
    if (!status)
        out->observed = ct_arena_copy(arena, quantities.data, quantities.length);
    if (!status && (!out->metrics || !out->observed))
        status = ct_err_nomem(err);
    ct_str_release(&metrics);
    ct_str_release(&quantities);
    return status;
}

enum ct_status ct_search_store_rankings(struct ct_search *search,
                                        struct ct_evaluated *const *order,
                                        const struct ct_entrant *const *entrants,
                                        size_t count, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_ranked *ranked_all = ct_arena_array(&arena, count, sizeof(*ranked_all));
    enum ct_spent before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    enum ct_status status = ranked_all || !count ? CT_OK : ct_err_nomem(err);

    for (size_t i = 0; ranked_all && i < count && !status; i++)
        status = ranked_of(search, order[i], entrants[i], &arena, &ranked_all[i], err);
    if (!status)
        status = ct_db_rankings_put(search->store.db, search->store.run.id, ranked_all,
                                    count, err);
    ct_arena_release(&arena);
    ct_meter_turn(&search->meter, before);
    return status;
}

enum { RANKINGS = 64 };

enum ct_status ct_search_find_rankings(struct ct_search *search, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_result *top = ct_arena_array(&arena, RANKINGS, sizeof(*top));
    size_t count = 0;
    enum ct_spent before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    enum ct_status status =
        top ? ct_db_best_top(search->store.db, search->store.run.device_id,
                             search->store.run.kernel_id, search->store.run.problem_id,
                             search->objective.name, search->objective.maximize, RANKINGS,
                             &arena, top, &count, err)
            : ct_err_nomem(err);

    ct_meter_turn(&search->meter, before);
    for (size_t i = 0; i < count && !status; i++) {
        if (top[i].rank.number < 0)
            break;
        for (size_t d = 0; d < search->results.done_count; d++) {
            struct ct_evaluated *entry = &search->results.done[d];

            if (strcmp(entry->experiment.text, top[i].experiment.text) != 0)
                continue;
            entry->rank = (size_t)top[i].rank.number + 1;
            entry->tied = top[i].rank.tied;
        }
    }
    ct_arena_release(&arena);
    if (!status)
        ct_search_share(search);
    return status;
}

enum ct_status ct_search_store_baseline(struct ct_search *search,
                                        const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_db_baseline baseline = {
        .kernel_id = search->store.run.kernel_id,
        .problem_id = search->store.run.problem_id,
        .function = plan->baseline.function,
        .time_ns = search->host.one.time_ns,
        .low_ns = search->host.one.low_ns,
        .high_ns = search->host.one.high_ns,
        .all_time_ns = NAN,
        .all_low_ns = NAN,
        .all_high_ns = NAN,
    };
    enum ct_spent before;
    enum ct_status status;
    char cpu[200];

    ct_cpuinfo_name(cpu, sizeof(cpu));
    baseline.host_cpu = cpu;
    search->store.run.baseline_time_ns = search->host.one.time_ns;
    if (search->host.has_all) {
        baseline.all_time_ns = search->host.all.time_ns;
        baseline.all_low_ns = search->host.all.low_ns;
        baseline.all_high_ns = search->host.all.high_ns;
        baseline.processors = search->host.processors;
        search->store.run.baseline_all_time_ns = search->host.all.time_ns;
        search->store.run.baseline_all_processors = (int64_t)search->host.processors;
    }
    before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    status = ct_db_baseline_put(search->store.db, &baseline, err);
    ct_meter_turn(&search->meter, before);
    return status;
}

enum ct_status ct_search_store_default(struct ct_search *search, struct ct_err *err)
{
    if (search->defaults.known && search->defaults.result.status == CT_RESULT_OK) {
        search->store.run.default_time_ns = search->defaults.result.time_ns;
        search->store.run.default_value = search->defaults.result.value;
    } else if (search->defaults.known) {
        search->store.run.default_time_ns = search->store.run.default_value = NAN;
    }
    return ct_search_store_end(search, "running", err);
}

enum ct_status ct_search_store_end(struct ct_search *search, const char *status,
                                   struct ct_err *err)
{
    enum ct_spent before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    enum ct_status ended;

    if (!search->options->no_race)
        search->store.run.race_saved_ns = (int64_t)search->jobs.stats.saved_ns;
    ended = ct_store_end(&search->store, status, search->results.evaluated,
                         search->results.reused, err);
    ct_meter_turn(&search->meter, before);
    return ended;
}
