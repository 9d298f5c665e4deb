// SPDX-License-Identifier: Apache-2.0
// Which programs are compiled while the default is measured: those that the strategy will ask for.
//
// A second strategy of the same name and seed is asked in advance; it is told that there is a default, but
// not yet how fast.  The search's own one may answer differently once it knows that, or results of other
// devices; then some programs were compiled in vain, by processors that had nothing else to do.
#include "tune/search_impl.h"

#include <string.h>

enum { EARLY_MOST = 64 };

static size_t ask(const struct ct_search *search, uint64_t indices[EARLY_MOST])
{
    const struct ct_strategy_result measured = {.ok = true, .objective = 1};
    struct ct_strategy *strategy;
    /* As many as are submitted at first. */
    size_t most = ct_search_most_unknown(search);
    size_t count = 0;

    most = ct_budget_room(&search->budget, 0, most < EARLY_MOST ? most : EARLY_MOST);
    if (ct_search_new_strategy(search, search->proposer.asked, &strategy, NULL))
        return 0;
    ct_strategy_limit(strategy, &search->proposer.limits);
    if (search->work.default_index >= 0)
        ct_strategy_tell(strategy, (uint64_t)search->work.default_index, &measured);
    while (count < most) {
        size_t more = ct_strategy_ask(strategy, most - count, indices + count);

        if (!more)
            break;
        count += more;
    }
    ct_strategy_free(strategy);
    return count;
}

enum ct_status ct_search_build_early(struct ct_search *search, struct ct_err *err)
{
    uint64_t indices[EARLY_MOST];
    enum ct_spent before;
    size_t count;
    size_t made = 0;

    if (!ct_scheduler_builds_early(search->jobs.scheduler))
        return CT_OK;
    before = ct_meter_turn(&search->meter, CT_SPENT_STRATEGY);
    count = ask(search, indices);
    ct_meter_turn(&search->meter, before);
    search->jobs.early =
        ct_arena_array(&search->jobs.early_arena, count + 1, sizeof(*search->jobs.early));
    search->jobs.early_indices = ct_arena_array(&search->jobs.early_arena, count + 1,
                                                sizeof(*search->jobs.early_indices));
    if (!search->jobs.early || !search->jobs.early_indices)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count; i++) {
        if ((int64_t)indices[i] == search->work.default_index)
            continue;
        /* One that has no plan is refused when it is proposed. */
        ct_workload_values(&search->work, (int64_t)indices[i]);
        search->jobs.early_indices[made] = (int64_t)indices[i];
        made +=
            !ct_workload_plan(&search->work, search->objective.needs,
                              &search->jobs.early_arena, &search->jobs.early[made], NULL);
    }
    search->jobs.early_count = made;
    return ct_scheduler_build_early(search->jobs.scheduler, search->jobs.early, made,
                                    err);
}
