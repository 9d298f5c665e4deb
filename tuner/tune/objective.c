// SPDX-License-Identifier: Apache-2.0
// What a search optimizes: time, end to end, a metric of the space file, or any other observed
// quantity.
#include "tune/objective.h"

#include <math.h>
#include <string.h>

/* What the objective is computed from. */
static uint32_t needs(const struct ct_spec *spec, const struct ct_objective *objective)
{
    switch (objective->kind) {
    case CT_OBJECTIVE_TIME:
        break;
    case CT_OBJECTIVE_END_TO_END:
        return 1u << CT_QUANTITY_END_TO_END_NS;
    case CT_OBJECTIVE_METRIC:
        return ct_spec_metric_uses(spec, objective->metric);
    case CT_OBJECTIVE_QUANTITY:
        return 1u << objective->quantity;
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

/* The objective the user has named. */
static enum ct_status find_named(const struct ct_spec *spec, const char *name,
                                 struct ct_objective *out, struct ct_err *err)
{
    const char *likely;
    size_t which;

    if (!ct_spec_find_objective(spec, name, &out->kind, &which, &likely))
        return ct_err_set(
            err, CT_E_USAGE,
            "--objective %s: not time, end_to_end, a metric of the space file or "
            "an observed quantity%s%s%s",
            name, likely ? "; did you mean '" : "", likely ? likely : "",
            likely ? "'?" : "");
    if (out->kind == CT_OBJECTIVE_QUANTITY) {
        out->quantity = (enum ct_quantity)which;
        /* The file's direction applies to the file's objective only. */
        out->maximize = spec->optimized.maximize &&
                        spec->optimized.objective == CT_OBJECTIVE_QUANTITY &&
                        spec->optimized.quantity == out->quantity;
    }
    if (out->kind != CT_OBJECTIVE_METRIC)
        return CT_OK;
    out->metric = which;
    out->maximize = spec->optimized.maximize;
    if (spec->measure.direction.text)
        return CT_OK;
    return ct_err_set(err, CT_E_USAGE,
                      "--objective %s: set 'direction' in [measure] of %s to minimize or "
                      "maximize",
                      name, spec->path);
}

enum ct_status ct_objective_choose(const struct ct_spec *spec, const char *name,
                                   struct ct_objective *out, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    memset(out, 0, sizeof(*out));
    if (name) {
        status = find_named(spec, name, out, err);
    } else {
        name = spec->measure.objective.text ? spec->measure.objective.text : "time";
        out->kind = spec->optimized.objective;
        out->metric = spec->optimized.metric;
        out->quantity = spec->optimized.quantity;
        out->maximize = spec->optimized.maximize;
    }
    out->name = stored_name(out->kind, name);
    if (!status)
        out->needs = needs(spec, out);
    return status;
}

bool ct_objective_is_time(const struct ct_objective *objective)
{
    return !(objective->needs & ~(1u << CT_QUANTITY_TIME_NS));
}

double ct_objective_value(const struct ct_objective *objective,
                          const struct ct_binding *binding, const struct ct_value *values,
                          const struct ct_quantities *observed)
{
    double value = NAN;

    switch (objective->kind) {
    case CT_OBJECTIVE_TIME:
        return ct_quantities_get(observed, CT_QUANTITY_TIME_NS);
    case CT_OBJECTIVE_END_TO_END:
        return ct_quantities_get(observed, CT_QUANTITY_END_TO_END_NS);
    case CT_OBJECTIVE_QUANTITY:
        return ct_quantities_get(observed, objective->quantity);
    case CT_OBJECTIVE_METRIC:
        break;
    }
    if (!ct_binding_metric(binding, objective->metric, values, observed, &value) ||
        !isfinite(value))
        return NAN;
    return value;
}

double ct_objective_positive(const struct ct_objective *objective, double value)
{
    double cost = objective->maximize ? 1 / value : value;

    return isfinite(cost) && cost > 0 ? cost : NAN;
}

double ct_objective_cost(const struct ct_objective *objective, double value)
{
    return objective->maximize ? -value : value;
}

bool ct_objective_is_better(const struct ct_objective *objective, double value,
                            double other)
{
    return ct_objective_cost(objective, value) < ct_objective_cost(objective, other);
}

double ct_objective_gain(const struct ct_objective *objective, double value, double base)
{
    double ratio = objective->maximize ? value / base : base / value;

    /* For two negative values the quotient would be reversed. */
    return isfinite(ratio) && value > 0 && base > 0 ? ratio : 0;
}

bool ct_objective_races(const struct ct_objective *objective, const struct ct_spec *spec)
{
    return objective->kind == CT_OBJECTIVE_TIME &&
           !(ct_spec_metrics_use(spec) >> CT_QUANTITY_END_TO_END_NS & 1);
}
