// SPDX-License-Identifier: Apache-2.0
// Configurations by value: the default, settings from the command line, printing.
#include "plan/binding_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *param_name(const struct ct_binding *binding, size_t param)
{
    return binding->spec->slots.symbols[binding->spec->params[param].slot].name;
}

/* Gives inactive parameters their first value, except named ones; returns the first named one
 * that has another value, or -1. */
static long set_inactive(const struct ct_binding *binding, const bool *named,
                         struct ct_value *values, struct ct_value *env)
{
    size_t count = binding->spec->param_count;
    bool changed = true;

    /* A parameter's condition may depend on another one's value; there are no cycles, so the
     * number of rounds is limited by the longest chain. */
    while (changed) {
        changed = false;
        ct_binding_evaluate_values(binding, values, env);
        for (size_t i = 0; i < count; i++)
            if (!named[i] && !ct_value_equal(values[i], binding->all[i].values[0]) &&
                !ct_binding_active(binding, i, env)) {
                values[i] = binding->all[i].values[0];
                changed = true;
            }
    }
    for (size_t i = 0; i < count; i++)
        if (named[i] && !ct_value_equal(values[i], binding->all[i].values[0]) &&
            !ct_binding_active(binding, i, env))
            return (long)i;
    return -1;
}

enum { IDLE_SIZE = 512 };

/* Reports that an inactive parameter was given a value; returns `text`. */
static const char *say_idle(const struct ct_binding *binding, size_t param,
                            const struct ct_value *values, char text[IDLE_SIZE])
{
    struct ct_str given;
    struct ct_str first;

    ct_str_init(&given);
    ct_str_init(&first);
    ct_value_print(&given, values[param]);
    ct_value_print(&first, binding->all[param].values[0]);
    snprintf(
        text, IDLE_SIZE, "'%s' cannot be %s: it applies only if %s, and is %s otherwise",
        param_name(binding, param), given.data,
        binding->spec->params[param].condition->text, first.length ? first.data : "''");
    ct_str_release(&given);
    ct_str_release(&first);
    return text;
}

/* --- the default --- */

static bool matches(const struct ct_binding *binding, const char *pattern)
{
    return *binding->device_name &&
           (ct_str_contains_nocase(binding->device_name, pattern) ||
            ct_str_contains_nocase(binding->device_vendor, pattern) ||
            ct_str_contains_nocase(binding->device_type, pattern));
}

/* Takes a section's values of parameters that no earlier section named. */
static enum ct_status take_section(const struct ct_binding *binding,
                                   const struct ct_spec_default *section,
                                   struct ct_value *values, bool *named,
                                   struct ct_err *err)
{
    const char *path = binding->spec->path;

    for (size_t i = 0; i < section->count; i++) {
        const struct ct_default_value *entry = &section->values[i];
        const struct ct_domain *all = &binding->all[entry->param];
        char why[CT_EVAL_WHY_SIZE];
        struct ct_value value;
        enum ct_eval failed;
        long index;

        if (named[entry->param])
            continue;
        failed = ct_expr_eval(entry->value, binding->fixed, &value);
        if (failed)
            return ct_err_at(err, CT_E_SPEC, path, entry->place.line, entry->place.column,
                             "'%s' cannot be computed: %s", entry->value->text,
                             ct_expr_why(entry->value, failed, binding->fixed, why));
        index = ct_spec_find_value(all->values, all->count, value);
        if (index < 0)
            return ct_err_at(err, CT_E_SPEC, path, entry->place.line, entry->place.column,
                             "%s is not a value of '%s'", entry->value->text,
                             param_name(binding, entry->param));
        values[entry->param] = all->values[index];
        named[entry->param] = true;
    }
    return CT_OK;
}

static enum ct_status check_default(const struct ct_binding *binding,
                                    const struct ct_value *env, struct ct_err *err)
{
    const struct ct_spec *spec = binding->spec;

    for (size_t i = 0; i < spec->constraint_count; i++) {
        enum ct_verdict verdict = ct_binding_decide(binding, i, env);
        const struct ct_place *place =
            spec->default_count ? &spec->defaults[0].place : &spec->constraints[i].place;

        if (verdict == CT_VIOLATED || verdict == CT_FAILED)
            return ct_err_at(
                err, CT_E_SPEC, spec->path, place->line, place->column,
                "%s constraint '%s': %s%s",
                spec->default_count ? "the default configuration violates"
                                    : "the first values of the parameters violate",
                spec->constraints[i].name, spec->constraints[i].expr->text,
                spec->default_count ? "" : "; set others in a [default] section");
    }
    return CT_OK;
}

static enum ct_status build_default(const struct ct_binding *binding,
                                    struct ct_value *values, bool *named,
                                    struct ct_value *env, bool valid, struct ct_err *err)
{
    const struct ct_spec *spec = binding->spec;
    enum ct_status status = CT_OK;
    char text[IDLE_SIZE];
    long idle;

    for (size_t i = 0; i < spec->param_count; i++)
        values[i] = binding->all[i].values[0];
    for (int general = 0; general < 2; general++)
        for (size_t i = 0; !status && i < spec->default_count; i++) {
            const struct ct_spec_default *section = &spec->defaults[i];

            if (general ? !section->pattern
                        : section->pattern && matches(binding, section->pattern))
                status = take_section(binding, section, values, named, err);
        }
    if (status)
        return status;
    idle = set_inactive(binding, named, values, env);
    if (idle >= 0)
        return ct_err_at(err, CT_E_SPEC, spec->path, spec->defaults[0].place.line,
                         spec->defaults[0].place.column, "in the default %s",
                         say_idle(binding, (size_t)idle, values, text));
    return valid ? check_default(binding, env, err) : CT_OK;
}

static enum ct_status make_default(const struct ct_binding *binding,
                                   struct ct_value *values, bool valid,
                                   struct ct_err *err)
{
    bool *named = ct_mem_array(binding->spec->param_count, sizeof(*named));
    struct ct_value *env = ct_mem_array(binding->spec->slots.count, sizeof(*env));
    enum ct_status status = named && env
                                ? build_default(binding, values, named, env, valid, err)
                                : ct_err_nomem(err);

    free(named);
    free(env);
    return status;
}

enum ct_status ct_binding_default(const struct ct_binding *binding,
                                  struct ct_value *values, struct ct_err *err)
{
    return make_default(binding, values, true, err);
}

enum ct_status ct_binding_start(const struct ct_binding *binding, struct ct_value *values,
                                struct ct_err *err)
{
    return make_default(binding, values, false, err);
}

/* --- settings --- */

static enum ct_status unknown_param(const struct ct_binding *binding, const char *name,
                                    struct ct_err *err)
{
    struct ct_str hint;
    enum ct_status status;

    ct_str_init(&hint);
    ct_spec_put_params(binding->spec, name, &hint);
    status = hint.failed ? ct_err_nomem(err)
                         : ct_err_set(err, CT_E_USAGE, "'%s' is not a parameter%s", name,
                                      hint.data);
    ct_str_release(&hint);
    return status;
}

static enum ct_status take_setting(const struct ct_binding *binding,
                                   const struct ct_setting *setting,
                                   struct ct_value *values, bool *named,
                                   struct ct_err *err)
{
    int param = ct_spec_find_param(binding->spec, setting->name);
    struct ct_arena scratch = {0};
    struct ct_diags diags = {0};
    enum ct_status status = CT_OK;
    const struct ct_value *list;
    size_t count;

    if (param < 0)
        return unknown_param(binding, setting->name, err);
    if (named[param])
        return ct_err_set(err, CT_E_USAGE, "'%s' is given twice", setting->name);
    if (!ct_binding_read_list(binding, (size_t)param, setting, &scratch, &list, &count,
                              &diags))
        status = diags.failed ? ct_err_nomem(err)
                              : ct_err_set(err, CT_E_USAGE, "%s", diags.items[0].message);
    else if (count != 1)
        status = ct_err_set(err, CT_E_USAGE,
                            "'%s=%s': a configuration has a single value for it",
                            setting->name, setting->text);
    else
        values[param] = list[0];
    named[param] = true;
    ct_diags_release(&diags);
    ct_arena_release(&scratch);
    return status;
}

enum ct_status ct_binding_parse(const struct ct_binding *binding,
                                const struct ct_setting *settings, size_t count,
                                struct ct_value *values, struct ct_err *err)
{
    bool *named = ct_mem_array(binding->spec->param_count, sizeof(*named));
    struct ct_value *env = ct_mem_array(binding->spec->slots.count, sizeof(*env));
    enum ct_status status = CT_OK;
    long idle;

    if (!named || !env) {
        status = ct_err_nomem(err);
        goto out;
    }
    for (size_t i = 0; !status && i < count; i++)
        status = take_setting(binding, &settings[i], values, named, err);
    if (!status && (idle = set_inactive(binding, named, values, env)) >= 0) {
        char text[IDLE_SIZE];

        status = ct_err_set(err, CT_E_USAGE, "%s",
                            say_idle(binding, (size_t)idle, values, text));
    }
out:
    free(named);
    free(env);
    return status;
}

/* --- printing --- */

void ct_binding_print_param(const struct ct_binding *binding, size_t param,
                            struct ct_value value, struct ct_str *out)
{
    bool quote =
        value.kind == CT_TEXT && (!ct_expr_is_word(value.u.s, strlen(value.u.s)) ||
                                  ct_spec_find(binding->spec, value.u.s) >= 0);

    ct_str_addf(out, "%s=%s", param_name(binding, param), quote ? "'" : "");
    ct_value_print(out, value);
    if (quote)
        ct_str_putc(out, '\'');
}

void ct_binding_print(const struct ct_binding *binding, const struct ct_value *values,
                      const struct ct_value *env, struct ct_str *out)
{
    const char *between = "";

    for (size_t i = 0; i < binding->spec->param_count; i++) {
        if (env && !ct_binding_active(binding, i, env))
            continue;
        ct_str_puts(out, between);
        ct_binding_print_param(binding, i, values[i], out);
        between = " ";
    }
}
