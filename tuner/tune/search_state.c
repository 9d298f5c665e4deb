// SPDX-License-Identifier: Apache-2.0
// Queries about a search, valid at any time, and what its scheduler is told of them.
#include "tune/search_impl.h"

#include "judge/policy.h"

#include <math.h>

double ct_search_default_ns(const struct ct_search *search)
{
    return search->defaults.known && search->defaults.result.status == CT_RESULT_OK
               ? search->defaults.result.time_ns
               : 0;
}

double ct_search_gain(const struct ct_search *search, const struct ct_evaluated *entry)
{
    return ct_search_default_ns(search) > 0
               ? ct_objective_gain(&search->objective, entry->value,
                                   search->defaults.result.value)
               : 0;
}

double ct_search_over_s(const struct ct_search *search)
{
    double spent_s = (double)(search->pace.end_ns - search->pace.start_ns) / 1e9;

    return search->pace.end_ns && search->budget.seconds > 0
               ? fmax(spent_s - search->budget.seconds, 0)
               : 0;
}

bool ct_search_target_reached(const struct ct_search *search)
{
    return ct_budget_target_reached(&search->budget, &search->objective,
                                    &search->results);
}

double ct_search_chance(const struct ct_search *search)
{
    return search->results.best_ns > 0
               ? ct_strategy_chance(search->proposer.strategy, 0.95)
               : NAN;
}

bool ct_search_why(const struct ct_search *search, int64_t index, struct ct_why *why)
{
    return index != CT_OUTSIDE &&
           ct_strategy_why(search->proposer.strategy, (uint64_t)index, why);
}

bool ct_search_looks_twice(const struct ct_search *search)
{
    return search->noise.known &&
           search->noise.result.resolution > CT_POLICY_SECOND_NOISE &&
           !search->options->no_race && !search->options->rough &&
           ct_objective_races(&search->objective, search->work.spec);
}

void ct_search_announce_second(struct ct_search *search)
{
    /* With a limit of time there may be none. */
    bool certain = ct_search_looks_twice(search) && !(search->budget.seconds > 0);

    ct_scheduler_second_look(search->jobs.scheduler, certain ? CT_POLICY_SECOND_NEAR : 0);
}
