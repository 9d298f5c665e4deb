// SPDX-License-Identifier: Apache-2.0
// The end of a rough search: its leaders alternate in one more process.
//
// Single processes that ran one after the other, while a machine had other work, put a configuration
// ahead that is a tenth or a half slower than the best.  Samples that alternate share what disturbs
// them.  That is no play-off: nothing is known of other processes, and no interval of the ratios
// is stated; but it costs a second, and the order of the first is that of one contest.
#include "tune/entrants.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "judge/policy.h"
#include "schedule/interleaved.h"

#include <stdlib.h>

/* Those of this run that are as likely to be the best as any, first. */
static void choose(struct ct_team *team)
{
    size_t count = 0;

    ct_team_choose(team);
    for (size_t i = 0; i < team->found && count < CT_POLICY_ROUGH_ENTRANTS; i++) {
        const struct ct_member *member = &team->members[i];

        /* The times of a play-off are better than any of this. */
        if (!member->entry->stored && !member->entry->rank &&
            member->cost <= CT_POLICY_ROUGH_NEAR * team->members[0].cost)
            team->members[count++] = *member;
    }
    team->count = count;
}

static bool has_time(const struct ct_search *search)
{
    return !(search->budget.seconds > 0) ||
           (double)(ct_clock_now_ns() - search->pace.start_ns) / 1e9 <
               search->budget.seconds;
}

static enum ct_status run(struct ct_team *team, struct ct_err *err)
{
    struct ct_search *search = team->search;
    const struct ct_plan *plans[CT_POLICY_ENTRANTS];
    struct ct_outcome outcomes[CT_POLICY_ENTRANTS];
    struct ct_interleaved how = {.plans = plans,
                                 .count = team->count,
                                 .least = CT_POLICY_SAMPLES_LEAST,
                                 .most = CT_POLICY_SAMPLES_MOST};
    struct ct_map experiments = {0};
    struct ct_rng rng;
    enum ct_status status;

    for (size_t i = 0; i < team->count; i++)
        plans[i] = &team->members[i].plan;
    if (!ct_interleaved_possible(plans, team->count))
        return CT_OK;
    ct_rng_seed(&rng, search->options->seed);
    status = ct_interleaved_run(search->jobs.scheduler, &how, &rng, outcomes, err);
    if (status)
        return status;
    ct_search_map_experiments(search, &experiments);
    for (size_t i = 0; i < team->count; i++) {
        if (!status)
            status = ct_search_record_again(search, &experiments, &team->members[i].root,
                                            &outcomes[i], err);
        ct_outcome_release(&outcomes[i]);
    }
    ct_map_release(&experiments);
    ct_search_note_best(search, NULL);
    search->playoff.alternated = team->count;
    return status;
}

enum ct_status ct_search_refine(struct ct_search *search, struct ct_err *err)
{
    struct ct_team *team;
    enum ct_status status = CT_OK;

    /* Without racing, each keeps the samples of its own process. */
    if (!search->results.evaluated || search->options->no_race ||
        search->objective.kind != CT_OBJECTIVE_TIME || !has_time(search))
        return CT_OK;
    team = ct_mem_array(1, sizeof(*team));
    if (!team)
        return ct_err_nomem(err);
    team->search = search;
    choose(team);
    if (team->count > 1)
        status = ct_team_plan(team, err);
    if (!status && team->count > 1)
        status = run(team, err);
    for (size_t i = 0; i < team->count; i++)
        ct_arena_release(&team->members[i].arena);
    free(team);
    return status;
}
