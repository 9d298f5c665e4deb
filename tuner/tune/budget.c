// SPDX-License-Identifier: Apache-2.0
// Limits that end a search before everything is measured.
#include "tune/budget.h"

#include "judge/policy.h"

#include <math.h>
#include <string.h>

static enum ct_status choose_target(struct ct_budget *budget, const char *option,
                                    const struct ct_spec *spec,
                                    const struct ct_objective *objective,
                                    struct ct_err *err)
{
    const char *text = option ? option : spec->measure.target.text;
    bool is_metric = objective->kind == CT_OBJECTIVE_METRIC;
    bool is_time = false;
    struct ct_str why;
    enum ct_status status = CT_OK;

    if (!text)
        return CT_OK;
    ct_str_init(&why);
    if (!ct_spec_goal(text, &budget->target, &is_time))
        ct_str_puts(&why, "must be a time such as 1.2ms, or a number for a metric");
    else if (!is_metric && !is_time)
        ct_str_addf(&why, "requires a unit (ns, us, ms, s), since the objective is %s",
                    objective->name);
    else if (is_metric && is_time)
        ct_str_addf(&why, "must be a plain number, since the objective is the metric %s",
                    objective->name);
    budget->has_target = true;
    if (why.length && option)
        status = ct_err_set(err, CT_E_USAGE, "--target %s: it %s", text, why.data);
    else if (why.length)
        status = ct_err_at(err, CT_E_SPEC, spec->path, spec->measure.target.place.line,
                           spec->measure.target.place.column, "'target' %s", why.data);
    ct_str_release(&why);
    return status;
}

enum ct_status ct_budget_choose(struct ct_budget *budget,
                                const struct ct_budget_options *options,
                                const struct ct_spec *spec,
                                const struct ct_objective *objective, uint64_t count,
                                struct ct_err *err)
{
    double fraction = options->fraction > 0 ? options->fraction : spec->measure.fraction;

    *budget = (struct ct_budget){
        .evaluations =
            options->evaluations ? options->evaluations : spec->measure.evaluations,
        .seconds = options->seconds > 0 ? options->seconds : spec->measure.duration_s,
        .no_progress =
            options->no_progress ? options->no_progress : spec->measure.no_progress,
        .until_chance = options->until_chance > 0 ? options->until_chance
                                                  : spec->measure.until_chance,
        .playoff = options->playoff,
        .baseline = options->baseline,
        .progress_best = INFINITY,
    };
    if (fraction > 0) {
        double share = ceil(fraction * (double)count);

        /* The smaller of two budgets ends the search. */
        if (!budget->evaluations || share < (double)budget->evaluations) {
            budget->evaluations = (uint64_t)share;
            budget->is_share = true;
        }
    }
    return choose_target(budget, options->target, spec, objective, err);
}

/* Of a search with a limit of time. */
static double planned_playoff_s(const struct ct_budget *budget)
{
    double least = fmin(CT_POLICY_BUDGET_LEAST_S, 0.5 * budget->seconds);
    double both = CT_POLICY_CONTEST_SHARE * budget->seconds;

    return budget->playoff > 0 ? budget->playoff * budget->seconds
                               : fmax(both - budget->noise_s, least);
}

void ct_budget_reserve(struct ct_budget *budget)
{
    if (budget->seconds > 0)
        budget->reserved_s = fmin(planned_playoff_s(budget), 0.5 * budget->seconds);
}

/* Without a limit of time, after `rest_s` seconds of searching. */
static double least_contest_s(const struct ct_budget *budget, double rest_s)
{
    double left_s = budget->steady ? fmax(CT_POLICY_CONTEST_END_S - rest_s, 0)
                                   : CT_POLICY_CONTEST_LEAST_S;

    return fmin(CT_POLICY_CONTEST_LEAST_S, left_s);
}

double ct_budget_playoff_s(const struct ct_budget *budget, double spent_s,
                           double played_s)
{
    double share = budget->playoff;

    if (budget->seconds > 0)
        return fmax(fmin(planned_playoff_s(budget) - played_s, budget->seconds - spent_s),
                    0);
    if (!(share > 0)) {
        double rest_s = spent_s - played_s - budget->noise_s;
        double both_s = CT_POLICY_CONTEST_SHARE * rest_s - budget->noise_s;

        return fmax(fmax(both_s, least_contest_s(budget, rest_s)) - played_s, 0);
    }
    if (share >= 1)
        return CT_POLICY_PLAYOFF_MOST_S;
    return fmax(share / (1 - share) * (spent_s - played_s) - played_s, 0);
}

double ct_budget_baseline_s(const struct ct_budget *budget, double spent_s)
{
    double share = budget->baseline > 0 ? budget->baseline : CT_POLICY_BASELINE_SHARE;
    double limit_s;

    if (share >= 1)
        return (double)INFINITY;
    limit_s =
        budget->seconds > 0 ? share * budget->seconds : share / (1 - share) * spent_s;
    return budget->baseline > 0 ? limit_s : fmax(limit_s, CT_POLICY_BASELINE_LEAST_S);
}

bool ct_budget_playoff_is_hard(const struct ct_budget *budget)
{
    return budget->seconds > 0 || budget->playoff > 0;
}

bool ct_budget_is_limited(const struct ct_budget *budget, uint64_t count)
{
    return budget->seconds > 0 || budget->has_target || budget->no_progress ||
           budget->until_chance > 0 ||
           (budget->evaluations && budget->evaluations < count);
}

void ct_budget_note_progress(struct ct_budget *budget, const struct ct_results *results,
                             bool stored)
{
    bool better = results->best_ns > 0 && (!(budget->progress_best < INFINITY) ||
                                           results->best_cost < budget->progress_best);

    if (better) {
        budget->progress_best = results->best_cost;
        budget->fruitless = 0;
    } else if (!stored) {
        budget->fruitless++;
    }
}

bool ct_budget_target_reached(const struct ct_budget *budget,
                              const struct ct_objective *objective,
                              const struct ct_results *results)
{
    return budget->has_target && results->best_ns > 0 &&
           results->best_cost <= ct_objective_cost(objective, budget->target);
}

enum ct_search_end ct_budget_spent(const struct ct_budget *budget,
                                   const struct ct_objective *objective,
                                   const struct ct_results *results, double seconds)
{
    if (ct_budget_target_reached(budget, objective, results))
        return CT_SEARCH_TARGET;
    if (budget->evaluations && results->evaluated >= budget->evaluations)
        return budget->is_share ? CT_SEARCH_FRACTION : CT_SEARCH_EVALUATIONS;
    if (budget->seconds > 0 && seconds >= budget->seconds - budget->reserved_s)
        return CT_SEARCH_TIME;
    if (budget->no_progress && budget->fruitless >= budget->no_progress)
        return CT_SEARCH_NO_PROGRESS;
    return CT_SEARCH_WHOLE;
}

bool ct_budget_asks_chance(struct ct_budget *budget, uint64_t evaluated)
{
    if (!(budget->until_chance > 0) || evaluated < budget->chance_next)
        return false;
    budget->chance_next = evaluated + 4 + evaluated / 16;
    return true;
}

size_t ct_budget_room(const struct ct_budget *budget, uint64_t used, size_t wanted)
{
    uint64_t left = budget->evaluations > used ? budget->evaluations - used : 0;

    return budget->evaluations && wanted > left ? (size_t)left : wanted;
}

const char *ct_search_end_name(enum ct_search_end end)
{
    static const char *const names[] = {
        [CT_SEARCH_WHOLE] = "whole",       [CT_SEARCH_EVALUATIONS] = "evaluations",
        [CT_SEARCH_TIME] = "time",         [CT_SEARCH_TARGET] = "target",
        [CT_SEARCH_FRACTION] = "fraction", [CT_SEARCH_NO_PROGRESS] = "no_progress",
        [CT_SEARCH_CHANCE] = "chance",     [CT_SEARCH_ALL_WRONG] = "all_wrong",
    };

    return names[end];
}
