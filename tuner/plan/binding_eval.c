// SPDX-License-Identifier: Apache-2.0
// Configurations of a binding: environments, constraints, metrics.
#include "plan/binding_impl.h"

#include <stdlib.h>
#include <string.h>

static void evaluate_names(const struct ct_binding *binding, struct ct_value *env)
{
    const struct ct_spec *spec = binding->spec;

    for (size_t i = 0; i < spec->slots.order_count; i++) {
        int slot = spec->slots.order[i];

        /* What fails to evaluate keeps its CT_NONE from binding->fixed. */
        if (spec->slots.symbols[slot].per_config)
            ct_expr_eval(spec->slots.symbols[slot].expr, env, &env[slot]);
    }
}

void ct_binding_evaluate(const struct ct_binding *binding, const uint32_t *config,
                         struct ct_value *env)
{
    const struct ct_spec *spec = binding->spec;

    memcpy(env, binding->fixed, spec->slots.count * sizeof(*env));
    for (size_t i = 0; i < spec->param_count; i++)
        env[spec->params[i].slot] = binding->domains[i].values[config[i]];
    evaluate_names(binding, env);
}

void ct_binding_evaluate_values(const struct ct_binding *binding,
                                const struct ct_value *values, struct ct_value *env)
{
    const struct ct_spec *spec = binding->spec;

    memcpy(env, binding->fixed, spec->slots.count * sizeof(*env));
    for (size_t i = 0; i < spec->param_count; i++)
        env[spec->params[i].slot] = values[i];
    evaluate_names(binding, env);
}

void ct_binding_values(const struct ct_binding *binding, const uint32_t *config,
                       struct ct_value *values)
{
    for (size_t i = 0; i < binding->spec->param_count; i++)
        values[i] = binding->domains[i].values[config[i]];
}

/* Whether evaluating `expr` fails only for lack of a device limit. */
static bool lacks_device(const struct ct_binding *binding, const struct ct_expr *expr,
                         const struct ct_value *env)
{
    for (size_t i = 0; i < expr->slot_count; i++) {
        const struct ct_symbol *symbol = &binding->spec->slots.symbols[expr->slots[i]];
        struct ct_value value;

        if (env[expr->slots[i]].kind != CT_NONE)
            continue;
        if (symbol->class == CT_SYM_DEVICE)
            return true;
        if (symbol->expr && ct_expr_eval(symbol->expr, env, &value) == CT_EVAL_UNKNOWN &&
            lacks_device(binding, symbol->expr, env))
            return true;
    }
    return false;
}

void ct_binding_mark_uses(const struct ct_binding *binding, bool *marked)
{
    const struct ct_spec *spec = binding->spec;

    /* What a name uses comes before it, so backwards every mark comes in time. */
    for (size_t i = spec->slots.order_count; i-- > 0;) {
        const struct ct_expr *expr = spec->slots.symbols[spec->slots.order[i]].expr;

        for (size_t j = 0; marked[spec->slots.order[i]] && expr && j < expr->slot_count;
             j++)
            marked[expr->slots[j]] = true;
    }
}

void ct_binding_explain(const struct ct_binding *binding, const struct ct_expr *expr,
                        enum ct_eval failed, const struct ct_value *env,
                        struct ct_str *out)
{
    char why[CT_EVAL_WHY_SIZE];

    for (size_t i = 0; failed == CT_EVAL_UNKNOWN && i < expr->slot_count; i++) {
        const struct ct_symbol *symbol = &binding->spec->slots.symbols[expr->slots[i]];
        struct ct_value value;

        if (env[expr->slots[i]].kind != CT_NONE)
            continue;
        if (symbol->class == CT_SYM_DEVICE) {
            ct_str_addf(out, "%s is unknown%s", symbol->name,
                        *binding->device_name ? " of this device" : " without a device");
            return;
        }
        if (symbol->expr) {
            enum ct_eval deeper = ct_expr_eval(symbol->expr, env, &value);

            ct_str_addf(out, "'%s': ", symbol->name);
            ct_binding_explain(binding, symbol->expr, deeper, env, out);
            return;
        }
    }
    ct_str_puts(out, ct_expr_why(expr, failed, env, why));
}

bool ct_binding_active(const struct ct_binding *binding, size_t param,
                       const struct ct_value *env)
{
    const struct ct_expr *condition = binding->spec->params[param].condition;
    struct ct_value value;
    enum ct_eval failed;

    if (!condition)
        return true;
    failed = ct_expr_eval(condition, env, &value);
    if (failed == CT_EVAL_UNKNOWN)
        return lacks_device(binding, condition, env);
    return !failed && ct_value_true(value);
}

enum ct_verdict ct_binding_decide(const struct ct_binding *binding, size_t index,
                                  const struct ct_value *env)
{
    const struct ct_expr *expr = binding->spec->constraints[index].expr;
    struct ct_value value;
    enum ct_eval failed = ct_expr_eval(expr, env, &value);

    if (!failed)
        return ct_value_true(value) ? CT_HOLDS : CT_VIOLATED;
    /* A name can have no value because it cannot be computed: that is not a missing device. */
    if (failed == CT_EVAL_UNKNOWN && lacks_device(binding, expr, env))
        return CT_UNDECIDED;
    return CT_FAILED;
}

/* Unknown quantities stay without a value. */
static void set_observed(const struct ct_spec *spec, const struct ct_quantities *observed,
                         struct ct_value *env)
{
    for (size_t slot = 0; slot < spec->slots.count; slot++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[slot];

        if (symbol->class == CT_SYM_RESULT && observed->known >> symbol->quantity & 1)
            env[slot] = ct_value_real(observed->value[symbol->quantity]);
    }
}

bool ct_binding_metric(const struct ct_binding *binding, size_t index,
                       const struct ct_value *values,
                       const struct ct_quantities *observed, double *out)
{
    const struct ct_spec *spec = binding->spec;
    struct ct_value *env = ct_mem_array(spec->slots.count, sizeof(*env));
    struct ct_value value;
    bool ok = false;

    if (!env)
        return false;
    ct_binding_evaluate_values(binding, values, env);
    set_observed(spec, observed, env);
    if (!ct_expr_eval(spec->metrics[index].expr, env, &value) && value.kind != CT_TEXT) {
        *out = ct_value_number(value);
        ok = true;
    }
    free(env);
    return ok;
}
