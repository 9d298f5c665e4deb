// SPDX-License-Identifier: Apache-2.0
// What ends a search before everything is measured.
#include "cli/search.h"

#include "base/clock.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

/* The target in the unit of the objective: times in nanoseconds. */
static enum ct_status choose_target(struct ct_search *search, struct ct_err *err)
{
    const struct ct_spec *spec = search->spec;
    const char *text = search->options->target ? search->options->target : spec->target;
    bool wants_time = search->objective != CT_OBJECTIVE_METRIC;
    bool is_time = false;
    struct ct_str why;
    enum ct_status status = CT_OK;

    if (!text)
        return CT_OK;
    ct_str_init(&why);
    if (!ct_spec_goal(text, &search->target, &is_time))
        ct_str_puts(&why, "wants a time such as 1.2ms, or a number for a metric");
    else if (wants_time && !is_time)
        ct_str_addf(&why, "needs a unit (ns, us, ms, s), since the objective is %s",
                    search->objective_name);
    else if (!wants_time && is_time)
        ct_str_addf(&why, "is a plain number where the objective is the metric %s",
                    search->objective_name);
    search->has_target = true;
    if (why.length && search->options->target)
        status = ct_err_set(err, CT_E_USAGE, "--target %s: it %s", text, why.data);
    else if (why.length)
        status = ct_err_at(err, CT_E_SPEC, spec->path, spec->target_place.line,
                           spec->target_place.column, "'target' %s", why.data);
    ct_str_release(&why);
    return status;
}

enum ct_status ct_search_choose_budget(struct ct_search *search, struct ct_err *err)
{
    const struct ct_options *options = search->options;
    const struct ct_spec *spec = search->spec;
    double fraction = options->fraction > 0 ? options->fraction : spec->fraction;

    search->budget_evaluations =
        options->evaluations ? options->evaluations : spec->evaluations;
    search->budget_s = options->duration_s > 0 ? options->duration_s : spec->duration_s;
    search->budget_no_progress =
        options->no_progress ? options->no_progress : spec->no_progress;
    if (fraction > 0) {
        double share = ceil(fraction * (double)ct_space_count(search->space));

        /* The smaller of two budgets ends the search. */
        if (!search->budget_evaluations || share < (double)search->budget_evaluations) {
            search->budget_evaluations = (uint64_t)share;
            search->budget_is_share = true;
        }
    }
    return choose_target(search, err);
}

bool ct_search_is_limited(const struct ct_search *search)
{
    return search->budget_s > 0 || search->has_target || search->budget_no_progress ||
           (search->budget_evaluations &&
            search->budget_evaluations < ct_space_count(search->space));
}

void ct_search_note_progress(struct ct_search *search, const struct ct_evaluated *entry)
{
    bool better = search->best_ns > 0 && (!(search->progress_best < INFINITY) ||
                                          search->best_cost < search->progress_best);

    if (better) {
        search->progress_best = search->best_cost;
        search->fruitless = 0;
    } else if (!entry->stored) {
        search->fruitless++;
    }
}

bool ct_search_target_reached(const struct ct_search *search)
{
    return search->has_target && search->best_ns > 0 &&
           search->best_cost <= (search->maximize ? -search->target : search->target);
}

enum ct_search_end ct_search_budget_spent(const struct ct_search *search)
{
    if (ct_search_target_reached(search))
        return CT_SEARCH_TARGET;
    if (search->budget_evaluations && search->evaluated >= search->budget_evaluations)
        return search->budget_is_share ? CT_SEARCH_FRACTION : CT_SEARCH_EVALUATIONS;
    if (search->budget_s > 0 &&
        (double)(ct_clock_now_ns() - search->start_ns) / 1e9 >= search->budget_s)
        return CT_SEARCH_TIME;
    if (search->budget_no_progress && search->fruitless >= search->budget_no_progress)
        return CT_SEARCH_NO_PROGRESS;
    return CT_SEARCH_WHOLE;
}

const char *ct_search_end_name(enum ct_search_end end)
{
    static const char *const names[] = {
        [CT_SEARCH_WHOLE] = "whole",       [CT_SEARCH_EVALUATIONS] = "evaluations",
        [CT_SEARCH_TIME] = "time",         [CT_SEARCH_TARGET] = "target",
        [CT_SEARCH_FRACTION] = "fraction", [CT_SEARCH_NO_PROGRESS] = "no_progress",
    };

    return names[end];
}

void ct_search_put_value(const struct ct_search *search, double value, struct ct_str *out)
{
    char text[CT_FORMAT_SIZE];

    if (search->objective == CT_OBJECTIVE_METRIC)
        ct_str_addf(out, "%s %s", search->objective_name, ct_format_real(text, value));
    else
        ct_str_puts(out, ct_format_time(text, value));
}

void ct_search_put_budget(const struct ct_search *search, struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    if (search->budget_evaluations)
        ct_str_addf(out, ", at most %s new evaluations%s",
                    ct_format_count(number, search->budget_evaluations),
                    search->budget_is_share ? " (a share of the valid ones)" : "");
    if (search->budget_s > 0)
        ct_str_addf(out, ", at most %s", ct_format_duration(number, search->budget_s));
    if (search->has_target) {
        ct_str_puts(out, ", until ");
        ct_search_put_value(search, search->target, out);
        ct_str_puts(out, search->maximize ? " or more" : " or less");
    }
    if (search->budget_no_progress)
        ct_str_addf(out, ", at most %s in a row without a better one",
                    ct_format_count(number, search->budget_no_progress));
}

void ct_search_put_end(const struct ct_search *search, struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    switch (search->end) {
    case CT_SEARCH_WHOLE:
        break;
    case CT_SEARCH_EVALUATIONS:
        ct_str_addf(out, "the budget of %s new evaluations is spent",
                    ct_format_count(number, search->budget_evaluations));
        break;
    case CT_SEARCH_FRACTION:
        ct_str_addf(out,
                    "the budget of a share of the space (%s new evaluations) is spent",
                    ct_format_count(number, search->budget_evaluations));
        break;
    case CT_SEARCH_TIME:
        ct_str_addf(out, "the budget of %s is spent",
                    ct_format_duration(number, search->budget_s));
        break;
    case CT_SEARCH_TARGET:
        ct_str_puts(out, "the target of ");
        ct_search_put_value(search, search->target, out);
        ct_str_puts(out, ct_search_target_reached(search)
                             ? " is reached"
                             : " was reached in single processes, never in a play-off");
        break;
    case CT_SEARCH_NO_PROGRESS:
        ct_str_addf(out, "%s new evaluations in a row brought nothing better",
                    ct_format_count(number, search->budget_no_progress));
        break;
    }
}

bool ct_search_put_why(struct ct_search *search, int64_t index, struct ct_str *out)
{
    double sign = search->maximize ? -1 : 1;
    struct ct_why why;

    if (index == CT_OUTSIDE || !search->strategy ||
        !ct_strategy_why(search->strategy, (uint64_t)index, &why))
        return false;
    if (why.predicted) {
        double low = search->maximize ? -why.high : why.low;
        double high = search->maximize ? -why.low : why.high;

        ct_str_puts(out, "predicted ");
        ct_search_put_value(search, sign * why.objective, out);
        ct_str_puts(out, " (");
        ct_search_put_value(search, low, out);
        ct_str_puts(out, " to ");
        ct_search_put_value(search, high, out);
        ct_str_puts(out, "): ");
    }
    ct_str_puts(out, why.reason);
    if (why.predicted)
        ct_str_addf(out, " (%.0f%%)", 100 * why.is_better);
    return true;
}

double ct_search_chance(const struct ct_search *search)
{
    return search->best_ns > 0 ? ct_strategy_chance(search->strategy, 0.95) : NAN;
}
