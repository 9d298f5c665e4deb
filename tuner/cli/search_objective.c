// SPDX-License-Identifier: Apache-2.0
// What a search makes best: time, end to end, or a metric of the space file.
#include "cli/search.h"

#include <math.h>
#include <string.h>

/* The objective that --objective names. */
static enum ct_status take_option(struct ct_search *search, const char *name,
                                  struct ct_err *err)
{
    const struct ct_spec *spec = search->spec;
    const char *names[66] = {"time", "end_to_end"};
    size_t count = 2;
    const char *likely;

    search->objective_name = name;
    search->maximize = false;
    search->objective = CT_OBJECTIVE_TIME;
    if (strcmp(name, "time") == 0)
        return CT_OK;
    search->objective = CT_OBJECTIVE_END_TO_END;
    if (strcmp(name, "end_to_end") == 0)
        return CT_OK;
    search->objective = CT_OBJECTIVE_METRIC;
    for (size_t i = 0; i < spec->metric_count; i++) {
        if (count < sizeof(names) / sizeof(names[0]))
            names[count++] = spec->metrics[i].name;
        if (strcmp(spec->metrics[i].name, name) != 0)
            continue;
        search->objective_metric = i;
        search->maximize = spec->maximize;
        if (spec->direction_text)
            return CT_OK;
        return ct_err_set(err, CT_E_USAGE,
                          "--objective %s: say in [measure] of %s whether 'direction' is "
                          "minimize or maximize",
                          name, spec->path);
    }
    likely = ct_str_suggest(name, names, count);
    return ct_err_set(err, CT_E_USAGE,
                      "--objective %s: it is neither time nor end_to_end nor a metric of "
                      "the space file%s%s%s",
                      name, likely ? "; did you mean '" : "", likely ? likely : "",
                      likely ? "'?" : "");
}

enum ct_status ct_search_choose_objective(struct ct_search *search, struct ct_err *err)
{
    const struct ct_spec *spec = search->spec;

    if (search->options->objective)
        return take_option(search, search->options->objective, err);
    search->objective = spec->objective;
    search->objective_name = spec->objective_text ? spec->objective_text : "time";
    search->objective_metric = spec->objective_metric;
    search->maximize = spec->maximize;
    return CT_OK;
}

double ct_search_value(const struct ct_search *search, double time_ns,
                       double end_to_end_ns)
{
    double value = NAN;

    switch (search->objective) {
    case CT_OBJECTIVE_TIME:
        return time_ns;
    case CT_OBJECTIVE_END_TO_END:
        return end_to_end_ns > 0 ? end_to_end_ns : NAN;
    case CT_OBJECTIVE_METRIC:
        break;
    }
    if (!ct_binding_metric(search->binding, search->objective_metric, search->values,
                           time_ns, &value) ||
        !isfinite(value))
        return NAN;
    return value;
}

double ct_search_positive(const struct ct_search *search, double value)
{
    double cost = search->maximize ? 1 / value : value;

    return isfinite(cost) && cost > 0 ? cost : NAN;
}

double ct_search_cost(const struct ct_search *search, const struct ct_evaluated *entry)
{
    return search->maximize ? -entry->value : entry->value;
}

double ct_search_gain(const struct ct_search *search, const struct ct_evaluated *entry,
                      const struct ct_evaluated *base)
{
    double ratio =
        search->maximize ? entry->value / base->value : base->value / entry->value;

    return isfinite(ratio) && ratio > 0 ? ratio : 0;
}

bool ct_search_competes(struct ct_search *search, const struct ct_evaluated *entry)
{
    double cost = ct_search_cost(search, entry);

    if (entry->status != CT_RESULT_OK || isnan(cost))
        return false;
    if (!(search->best_ns > 0) || cost < search->best_cost) {
        search->best_ns = entry->time_ns;
        search->best_cost = cost;
    }
    return true;
}

enum ct_status ct_search_plan(struct ct_search *search, struct ct_arena *arena,
                              struct ct_plan *plan, struct ct_err *err)
{
    enum ct_status status = ct_binding_plan(search->binding, search->values,
                                            search->sources, arena, plan, err);

    /* The command line may want another objective than the file. */
    plan->end_to_end = search->objective == CT_OBJECTIVE_END_TO_END;
    return status;
}
