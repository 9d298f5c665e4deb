// SPDX-License-Identifier: Apache-2.0
// What a search makes best: time, end to end, a metric of the space file, or anything
// else that is observed.
#include "cli/search.h"

#include <math.h>
#include <string.h>

/* What the objective is computed from. */
static uint32_t needs(const struct ct_search *search)
{
    switch (search->objective) {
    case CT_OBJECTIVE_TIME:
        break;
    case CT_OBJECTIVE_END_TO_END:
        return 1u << CT_QUANTITY_END_TO_END_NS;
    case CT_OBJECTIVE_METRIC:
        return ct_spec_metric_uses(search->spec, search->objective_metric);
    case CT_OBJECTIVE_QUANTITY:
        return 1u << search->objective_quantity;
    }
    return 1u << CT_QUANTITY_TIME_NS;
}

/* Times have two names each; the database knows one. */
static const char *stored_name(enum ct_spec_objective objective, const char *name)
{
    return objective == CT_OBJECTIVE_TIME         ? "time"
           : objective == CT_OBJECTIVE_END_TO_END ? "end_to_end"
                                                  : name;
}

/* The objective that --objective names. */
static enum ct_status take_option(struct ct_search *search, const char *name,
                                  struct ct_err *err)
{
    const struct ct_spec *spec = search->spec;
    const char *likely;
    size_t which;

    if (!ct_spec_find_objective(spec, name, &search->objective, &which, &likely))
        return ct_err_set(err, CT_E_USAGE,
                          "--objective %s: it is neither time nor end_to_end nor a "
                          "metric of the space file nor anything that is observed%s%s%s",
                          name, likely ? "; did you mean '" : "", likely ? likely : "",
                          likely ? "'?" : "");
    search->maximize = false;
    if (search->objective == CT_OBJECTIVE_QUANTITY) {
        search->objective_quantity = (enum ct_quantity)which;
        /* The file's direction is about the file's objective. */
        search->maximize = spec->maximize && spec->objective == CT_OBJECTIVE_QUANTITY &&
                           spec->objective_quantity == search->objective_quantity;
    }
    if (search->objective != CT_OBJECTIVE_METRIC)
        return CT_OK;
    search->objective_metric = which;
    search->maximize = spec->maximize;
    if (spec->direction_text)
        return CT_OK;
    return ct_err_set(err, CT_E_USAGE,
                      "--objective %s: say in [measure] of %s whether 'direction' is "
                      "minimize or maximize",
                      name, spec->path);
}

enum ct_status ct_search_choose_objective(struct ct_search *search, struct ct_err *err)
{
    const struct ct_spec *spec = search->spec;
    const char *name = search->options->objective;
    enum ct_status status = CT_OK;

    if (name) {
        status = take_option(search, name, err);
    } else {
        name = spec->objective_text ? spec->objective_text : "time";
        search->objective = spec->objective;
        search->objective_metric = spec->objective_metric;
        search->objective_quantity = spec->objective_quantity;
        search->maximize = spec->maximize;
    }
    search->objective_name = stored_name(search->objective, name);
    if (!status)
        search->needs = needs(search);
    return status;
}

bool ct_search_by_time(const struct ct_search *search)
{
    return !(search->needs & ~(1u << CT_QUANTITY_TIME_NS));
}

/* --- what cannot be observed --- */

/* Why a quantity may be unknown. */
static const char *why_unknown(enum ct_quantity quantity)
{
    switch (quantity) {
    case CT_QUANTITY_HOST_LOAD:
    case CT_QUANTITY_OTHERS_LOAD:
        return "the system does not tell how busy processors are, or launches are too "
               "short for it";
    case CT_QUANTITY_POWER_W:
    case CT_QUANTITY_ENERGY_J:
    case CT_QUANTITY_CORE_CLOCK_MHZ:
    case CT_QUANTITY_MEMORY_CLOCK_MHZ:
    case CT_QUANTITY_TEMPERATURE_C:
    case CT_QUANTITY_THROTTLED:
        return "it comes from NVIDIA's management library (libnvidia-ml.so.1), which is "
               "not there or does not know the device";
    case CT_QUANTITY_EXECUTION_CYCLES:
    case CT_QUANTITY_IDLE_CYCLES:
    case CT_QUANTITY_INSTRUCTIONS:
    case CT_QUANTITY_INSTRUCTION_MISSES:
    case CT_QUANTITY_L2_MISSES:
        return "the driver's events have no such counter "
               "(cl_vc4cl_performance_counters), or reading it needs more rights";
    default:
        return "it was not measured";
    }
}

/* The first quantity of a set; CT_QUANTITY_COUNT: it is empty. */
static enum ct_quantity first_of(uint32_t set)
{
    int i = 0;

    while (i < CT_QUANTITY_COUNT && !(set >> i & 1))
        i++;
    return (enum ct_quantity)i;
}

enum ct_status ct_search_check_observed(struct ct_search *search, struct ct_err *err)
{
    const struct ct_evaluated *known = &search->default_result;
    const char *device = ct_devinfo_text(search->device, CT_DEVICE_NAME);
    enum ct_quantity missing;

    if (!search->default_known || known->status != CT_RESULT_OK)
        return CT_OK;
    missing = first_of(search->needs & ~known->observed.known);
    if (missing < CT_QUANTITY_COUNT) {
        const char *name = ct_quantity_info_of(missing)->name;
        bool itself = strcmp(name, search->objective_name) == 0;

        return ct_err_set(err, CT_E_DEVICE,
                          "the objective %s%s%s%s is not known on %s: %s; choose another "
                          "with --objective",
                          search->objective_name, itself ? "" : " needs ",
                          itself ? "" : name, itself ? "" : ", which", device,
                          why_unknown(missing));
    }
    if (known->stored)
        return CT_OK;
    for (size_t i = 0; i < search->spec->metric_count; i++) {
        missing = first_of(ct_spec_metric_uses(search->spec, i) & ~known->observed.known);
        if (missing < CT_QUANTITY_COUNT)
            ct_cli_warn("the metric %s has no value: %s is not known on %s: %s",
                        search->spec->metrics[i].name, ct_quantity_info_of(missing)->name,
                        device, why_unknown(missing));
    }
    return CT_OK;
}

/* --- values --- */

double ct_search_value(const struct ct_search *search,
                       const struct ct_quantities *observed)
{
    double value = NAN;

    switch (search->objective) {
    case CT_OBJECTIVE_TIME:
        return ct_quantities_get(observed, CT_QUANTITY_TIME_NS);
    case CT_OBJECTIVE_END_TO_END:
        return ct_quantities_get(observed, CT_QUANTITY_END_TO_END_NS);
    case CT_OBJECTIVE_QUANTITY:
        return ct_quantities_get(observed, search->objective_quantity);
    case CT_OBJECTIVE_METRIC:
        break;
    }
    if (!ct_binding_metric(search->binding, search->objective_metric, search->values,
                           observed, &value) ||
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

    /* Of two negative values the quotient says the opposite. */
    return isfinite(ratio) && entry->value > 0 && base->value > 0 ? ratio : 0;
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

bool ct_search_races(const struct ct_search *search)
{
    return search->objective == CT_OBJECTIVE_TIME &&
           !(ct_spec_metrics_use(search->spec) >> CT_QUANTITY_END_TO_END_NS & 1);
}

enum ct_status ct_search_plan(struct ct_search *search, struct ct_arena *arena,
                              struct ct_plan *plan, struct ct_err *err)
{
    enum ct_status status = ct_binding_plan(search->binding, search->values,
                                            search->sources, arena, plan, err);
    uint32_t uses = search->needs | ct_spec_metrics_use(search->spec);

    /* The command line may want another objective than the file. */
    plan->end_to_end = uses >> CT_QUANTITY_END_TO_END_NS & 1;
    if (search->options->cache)
        plan->cold = search->cold;
    return status;
}
