// SPDX-License-Identifier: Apache-2.0
// Compares configurations: rounds in fresh processes, ratios within each round.
#include "tune/compare.h"

#include "base/rng.h"
#include "judge/policy.h"
#include "schedule/interleaved.h"
#include "tune/place.h"

#include <string.h>

enum ct_status ct_compare_init(struct ct_compare *compare,
                               const struct ct_tune_options *options,
                               const struct ct_observer *observer,
                               const struct ct_devinfo *device,
                               const struct ct_spec *spec, struct ct_binding *binding,
                               size_t count, size_t rounds, struct ct_err *err)
{
    enum ct_status status;

    if (rounds && rounds < CT_POLICY_COMPARE_LEAST) {
        *compare = (struct ct_compare){0};
        ct_binding_free(binding);
        return ct_err_set(err, CT_E_USAGE,
                          "--rounds %zu is too few: a comparison requires at least %d "
                          "processes for a 95%% confidence interval",
                          rounds, CT_POLICY_COMPARE_LEAST);
    }
    *compare = (struct ct_compare){.options = options,
                                   .observer = observer,
                                   .count = count,
                                   .rounds = rounds ? rounds : CT_POLICY_COMPARE_ROUNDS};
    status = ct_workload_init(&compare->work, device, spec, binding, NULL, options->cache,
                              err);
    if (status)
        return status;
    compare->rivals = ct_arena_array(&compare->arena, count, sizeof(*compare->rivals));
    if (!compare->rivals)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count; i++) {
        struct ct_rival *rival = &compare->rivals[i];

        rival->message = "";
        rival->values =
            ct_arena_array(&compare->arena, spec->param_count, sizeof(*rival->values));
        rival->times_ns =
            ct_arena_array(&compare->arena, compare->rounds, sizeof(*rival->times_ns));
        if (!rival->values || !rival->times_ns)
            return ct_err_nomem(err);
    }
    return CT_OK;
}

void ct_compare_release(struct ct_compare *compare)
{
    ct_workload_release(&compare->work);
    ct_arena_release(&compare->arena);
}

enum ct_status ct_compare_choose(struct ct_compare *compare, size_t index,
                                 const struct ct_setting *settings, size_t setting_count,
                                 struct ct_err *err)
{
    struct ct_rival *rival = &compare->rivals[index];
    const struct ct_workload *work = &compare->work;
    enum ct_status status = ct_binding_start(work->binding, rival->values, err);

    if (!status)
        status =
            ct_binding_parse(work->binding, settings, setting_count, rival->values, err);
    if (!status)
        status = ct_binding_plan(work->binding, rival->values, work->sources,
                                 &compare->arena, &rival->plan, err);
    return status;
}

/* --- timing --- */

/* Space for one round. */
struct round {
    struct ct_scheduler *scheduler;
    struct ct_rng rng;
    const struct ct_plan **plans; /* of those that still work */
    size_t *of;                   /* their indices */
    struct ct_outcome *outcomes;
};

/* Notes a rival's outcome in a round. */
static void note_outcome(struct ct_compare *compare, struct ct_rival *rival,
                         const struct ct_outcome *outcome)
{
    rival->status = outcome->status;
    if (outcome->status == CT_RESULT_OK)
        rival->times_ns[rival->count++] = outcome->time_ns;
    else
        rival->message =
            ct_arena_copy(&compare->arena, outcome->message, strlen(outcome->message));
    if (!rival->message)
        rival->message = "";
}

/* Runs all that still work in one fresh process; `*left`: how many do. */
static enum ct_status run_round(struct ct_compare *compare, struct round *round,
                                size_t *left, struct ct_err *err)
{
    struct ct_interleaved how = {.plans = round->plans,
                                 .least = CT_INTERLEAVED_LEAST,
                                 .most = CT_INTERLEAVED_MOST};
    enum ct_status status;

    for (size_t i = 0; i < compare->count; i++) {
        if (compare->rivals[i].status != CT_RESULT_OK)
            continue;
        round->plans[how.count] = &compare->rivals[i].plan;
        round->of[how.count++] = i;
    }
    *left = how.count;
    if (!how.count)
        return CT_OK;
    how.whole = !ct_interleaved_possible(round->plans, how.count);
    status =
        ct_interleaved_run(round->scheduler, &how, &round->rng, round->outcomes, err);
    for (size_t i = 0; i < how.count && !status; i++) {
        note_outcome(compare, &compare->rivals[round->of[i]], &round->outcomes[i]);
        ct_outcome_release(&round->outcomes[i]);
    }
    return status;
}

static enum ct_status run_rounds(struct ct_compare *compare, struct ct_err *err)
{
    const struct ct_scheduler_options options =
        ct_tune_scheduler_options(compare->options, compare->observer, 0, compare->count);
    struct ct_arena *arena = &compare->arena;
    struct round round = {0};
    size_t left = compare->count;
    enum ct_status status;

    round.plans = ct_arena_array(arena, compare->count, sizeof(struct ct_plan *));
    round.of = ct_arena_array(arena, compare->count, sizeof(*round.of));
    round.outcomes = ct_arena_array(arena, compare->count, sizeof(*round.outcomes));
    if (!round.plans || !round.of || !round.outcomes)
        return ct_err_nomem(err);
    status = ct_scheduler_new(compare->work.device, &options, &round.scheduler, err);
    if (status)
        return status;
    ct_observer_event(compare->observer, &(struct ct_event){.kind = CT_EVENT_COMPARE,
                                                            .count = compare->count,
                                                            .rounds = compare->rounds});
    ct_rng_seed(&round.rng, 1);
    for (size_t i = 0; i < compare->rounds && left && !status; i++)
        status = run_round(compare, &round, &left, err);
    ct_scheduler_free(round.scheduler);
    return status;
}

/* --- evaluation --- */

static struct ct_range range_of(double *values, size_t count)
{
    struct ct_range range = {0};

    if (!count)
        return range;
    ct_stats_median_interval(values, count, 0.95, &range.low, &range.high);
    range.middle = ct_stats_median(values, count);
    return range;
}

/* Ratios within each round, so that what a process has in common cancels out. */
static enum ct_status relate_rounds(struct ct_compare *compare, struct ct_err *err)
{
    double *scratch = ct_arena_array(&compare->arena, compare->rounds, sizeof(*scratch));
    const struct ct_rival *first = &compare->rivals[0];

    if (!scratch)
        return ct_err_nomem(err);
    for (size_t i = 0; i < compare->count; i++) {
        struct ct_rival *rival = &compare->rivals[i];
        size_t both = rival->count < first->count ? rival->count : first->count;

        if (rival->status != CT_RESULT_OK)
            continue;
        memcpy(scratch, rival->times_ns, rival->count * sizeof(*scratch));
        rival->time = range_of(scratch, rival->count);
        for (size_t r = 0; r < both; r++)
            scratch[r] = rival->times_ns[r] / first->times_ns[r];
        if (first->status == CT_RESULT_OK)
            rival->ratio = range_of(scratch, both);
    }
    return CT_OK;
}

enum ct_status ct_compare_run(struct ct_compare *compare, struct ct_err *err)
{
    enum ct_status status = run_rounds(compare, err);

    if (!status)
        status = relate_rounds(compare, err);
    if (status)
        ct_place_error(compare->work.spec, err);
    return status;
}
