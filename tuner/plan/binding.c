// SPDX-License-Identifier: Apache-2.0
// Binds a specification to a problem and a device.
#include "plan/binding.h"

#include "plan/binding_impl.h"

#include <stdlib.h>
#include <string.h>

struct binder {
    struct ct_binding *binding;
    const struct ct_binding_options *options;
    struct ct_diags *diags;
    size_t usage_errors;
    size_t value_count; /* of lists that were expanded here */
    bool nomem;
};

#define USAGE(binder, ...)                                                               \
    do {                                                                                 \
        ct_diags_add((binder)->diags, CT_ERROR, CT_BINDING_PLACE, 0, 0, __VA_ARGS__);    \
        (binder)->usage_errors++;                                                        \
    } while (0)

static void *allocate_array(struct binder *b, size_t count, size_t size_bytes)
{
    void *memory = ct_arena_array(&b->binding->arena, count, size_bytes);

    b->nomem = b->nomem || !memory;
    return memory;
}

/* --- names --- */

static void unknown_name(struct binder *b, const char *name, enum ct_symbol_class class,
                         const char *what)
{
    const struct ct_spec *spec = b->binding->spec;
    const char **names = allocate_array(b, spec->slots.count, sizeof(*names));
    const char *likely;
    struct ct_str hint;
    size_t count = 0;

    if (!names)
        return;
    for (size_t i = 0; i < spec->slots.count; i++)
        if (spec->slots.symbols[i].class == class)
            names[count++] = spec->slots.symbols[i].name;
    likely = ct_str_suggest(name, names, count);
    ct_str_init(&hint);
    if (class == CT_SYM_PARAM)
        ct_spec_put_params(spec, name, &hint);
    else if (likely)
        ct_str_addf(&hint, "; did you mean '%s'?", likely);
    USAGE(b, "'%s' is not a %s of this space file%s", name, what, hint.data);
    b->nomem = b->nomem || hint.failed;
    ct_str_release(&hint);
}

/* Slot of a setting's name in its class, or -1 after a diagnosis. */
static int find_setting(struct binder *b, const char *name, enum ct_symbol_class class,
                        const char *what)
{
    int slot = ct_spec_find(b->binding->spec, name);

    if (slot >= 0 && b->binding->spec->slots.symbols[slot].class == class)
        return slot;
    unknown_name(b, name, class, what);
    return -1;
}

static bool given_before(struct binder *b, const struct ct_setting *settings,
                         size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(settings[i].name, settings[index].name) == 0) {
            USAGE(b, "'%s' is given twice", settings[index].name);
            return true;
        }
    return false;
}

/* --- values that do not depend on parameters --- */

static void take_device(struct binder *b)
{
    const struct ct_devinfo *device = b->options->device;
    struct ct_binding *binding = b->binding;
    const char **texts[] = {&binding->device_name, &binding->device_vendor,
                            &binding->device_type};
    const char *from[] = {device ? ct_devinfo_text(device, CT_DEVICE_NAME) : "",
                          device ? ct_devinfo_text(device, CT_DEVICE_VENDOR) : "",
                          device && device->type ? device->type : ""};

    for (size_t i = 0; i < 3; i++) {
        *texts[i] = ct_arena_copy(&binding->arena, from[i], strlen(from[i]));
        b->nomem = b->nomem || !*texts[i];
    }
    for (size_t i = 0; device && i < CT_DEVPROP_COUNT; i++) {
        struct ct_value value =
            device->props[i].kind == CT_NONE ? ct_value_absent() : device->props[i];

        if (value.kind == CT_TEXT) {
            value.u.s = ct_arena_copy(&binding->arena, value.u.s, strlen(value.u.s));
            b->nomem = b->nomem || !value.u.s;
        }
        binding->fixed[i] = value;
    }
}

static void take_assumptions(struct binder *b)
{
    const struct ct_binding *binding = b->binding;

    for (size_t i = 0; i < b->options->assume_count; i++) {
        const struct ct_setting *setting = &b->options->assume[i];
        int slot = find_setting(b, setting->name, CT_SYM_DEVICE, "device limit");
        bool text;
        size_t errors = b->diags->errors;

        if (slot < 0 || given_before(b, b->options->assume, i))
            continue;
        text = binding->spec->slots.symbols[slot].kind == CT_TEXT;
        if (ct_binding_read_value(binding, setting, text, &b->binding->arena,
                                  &b->binding->fixed[slot], b->diags) &&
            !text && binding->fixed[slot].kind != CT_INT)
            USAGE(b, "'%s=%s': the limit must be an integer", setting->name,
                  setting->text);
        else
            b->usage_errors += b->diags->errors - errors;
    }
}

/* Overrides of [problem]; marks their slots in `given`. */
static void take_problem(struct binder *b, bool *given)
{
    for (size_t i = 0; i < b->options->problem_count; i++) {
        const struct ct_setting *setting = &b->options->problem[i];
        int slot = find_setting(b, setting->name, CT_SYM_PROBLEM, "problem name");
        size_t errors = b->diags->errors;

        if (slot < 0 || given_before(b, b->options->problem, i))
            continue;
        given[slot] = ct_binding_read_value(
            b->binding, setting, b->binding->spec->slots.symbols[slot].kind == CT_TEXT,
            &b->binding->arena, &b->binding->fixed[slot], b->diags);
        b->usage_errors += b->diags->errors - errors;
    }
}

static void evaluate_fixed(struct binder *b, const bool *given)
{
    struct ct_binding *binding = b->binding;
    const struct ct_spec *spec = binding->spec;

    for (size_t i = 0; i < spec->slots.order_count; i++) {
        int slot = spec->slots.order[i];
        const struct ct_symbol *symbol = &spec->slots.symbols[slot];
        char why[CT_EVAL_WHY_SIZE];
        enum ct_eval failed;

        if (symbol->per_config || given[slot])
            continue;
        failed = ct_expr_eval(symbol->expr, binding->fixed, &binding->fixed[slot]);
        if (failed && failed != CT_EVAL_UNKNOWN)
            ct_diags_add(b->diags, CT_ERROR, spec->path, symbol->expr->place.line,
                         symbol->expr->place.column, "'%s' cannot be computed: %s",
                         symbol->name,
                         ct_expr_why(symbol->expr, failed, binding->fixed, why));
    }
}

/* --- domains --- */

static void expand(struct binder *b, size_t param)
{
    struct ct_binding *binding = b->binding;
    const struct ct_spec *spec = binding->spec;
    const struct ct_param *p = &spec->params[param];
    struct ct_domain *all = &binding->all[param];

    if (p->values) {
        all->values = p->values;
        all->count = p->value_count;
        binding->domains[param] = *all;
        return;
    }
    switch (ct_spec_expand(p->items, p->item_count, binding->fixed, spec->path,
                           &binding->arena, &all->values, &all->count, b->diags)) {
    case CT_EXPANDED:
        b->value_count += all->count;
        break;
    case CT_EXPANSION_UNKNOWN:
        ct_diags_add(b->diags, CT_ERROR, spec->path, p->place.line, p->place.column,
                     "the values of '%s' depend on a device: use -d to choose one, or "
                     "--assume to give its limits",
                     spec->slots.symbols[p->slot].name);
        b->usage_errors++;
        break;
    case CT_EXPANSION_WRONG:
        break;
    case CT_EXPANSION_NOMEM:
        b->nomem = true;
        break;
    }
    binding->domains[param] = *all;
}

/* False, with a diagnosis, if the lists before a parameter have too many values. */
static bool has_room(struct binder *b, size_t param)
{
    const struct ct_spec *spec = b->binding->spec;
    const struct ct_place *place = &spec->params[param].place;

    if (b->value_count <= CT_SPEC_VALUES_TOTAL_MAX)
        return true;
    ct_diags_add(b->diags, CT_ERROR, spec->path, place->line, place->column,
                 "up to this point, the parameters have more than %d values in total: "
                 "shorten the lists",
                 CT_SPEC_VALUES_TOTAL_MAX);
    return false;
}

/* Whether there can be configurations in which the parameter is inactive. */
static bool can_be_inactive(const struct ct_binding *binding,
                            const struct ct_param *param)
{
    struct ct_value value;

    if (!param->condition)
        return false;
    for (size_t i = 0; i < param->condition->slot_count; i++)
        if (binding->spec->slots.symbols[param->condition->slots[i]].per_config)
            return true;
    return ct_expr_eval(param->condition, binding->fixed, &value) != CT_EVAL_OK ||
           !ct_value_true(value);
}

/* Restricts a domain to the values of a setting, in the file's order. */
static void restrict_domain(struct binder *b, size_t param, const struct ct_value *wanted,
                            size_t wanted_count)
{
    struct ct_binding *binding = b->binding;
    const struct ct_domain *all = &binding->all[param];
    bool *keep = allocate_array(b, all->count, sizeof(*keep));
    struct ct_value *values = allocate_array(b, all->count, sizeof(*values));
    size_t count = 0;

    if (!keep || !values)
        return;
    for (size_t i = 0; i < wanted_count; i++)
        keep[ct_spec_find_value(all->values, all->count, wanted[i])] = true;
    if (!keep[0] && can_be_inactive(binding, &binding->spec->params[param])) {
        binding->only_inactive[param] = true;
        keep[0] = true;
    }
    for (size_t i = 0; i < all->count; i++)
        if (keep[i])
            values[count++] = all->values[i];
    binding->domains[param].values = values;
    binding->domains[param].count = count;
}

static void take_restrictions(struct binder *b)
{
    struct ct_arena scratch = {0};

    for (size_t i = 0; i < b->options->restrict_count; i++) {
        const struct ct_setting *setting = &b->options->restrict_[i];
        int slot = find_setting(b, setting->name, CT_SYM_PARAM, "parameter");
        size_t errors = b->diags->errors;
        const struct ct_value *values;
        size_t count;
        size_t param;

        if (slot < 0 || given_before(b, b->options->restrict_, i))
            continue;
        param = (size_t)ct_spec_find_param(b->binding->spec, setting->name);
        if (!b->binding->all[param].count)
            continue; /* the list is invalid, which has been reported */
        if (ct_binding_read_list(b->binding, param, setting, &scratch, &values, &count,
                                 b->diags))
            restrict_domain(b, param, values, count);
        b->usage_errors += b->diags->errors - errors;
    }
    ct_arena_release(&scratch);
}

/* --- the configuration used as reference --- */

/* Whether a setting of `config` is one value of its parameter. */
static bool check_setting(struct binder *b, const struct ct_spec_setting *from)
{
    const struct ct_spec *spec = b->binding->spec;
    struct ct_setting setting = {from->name, from->text};
    size_t param = (size_t)ct_spec_find_param(spec, from->name);
    struct ct_arena scratch = {0};
    struct ct_diags found = {0};
    const struct ct_value *values;
    size_t count;
    bool ok = ct_binding_read_list(b->binding, param, &setting, &scratch, &values, &count,
                                   &found);

    for (size_t i = 0; i < found.count; i++)
        ct_diags_add(b->diags, CT_ERROR, spec->path, from->place.line, from->place.column,
                     "%s", found.items[i].message);
    if (ok && count != 1)
        ct_diags_add(b->diags, CT_ERROR, spec->path, from->place.line, from->place.column,
                     "'%s=%s': a configuration has a single value for it", from->name,
                     from->text);
    b->nomem = b->nomem || found.failed;
    ct_diags_release(&found);
    ct_arena_release(&scratch);
    return ok && count == 1;
}

/* Errors in `config` are reported before any planning. */
static void check_reference(struct binder *b)
{
    const struct ct_spec *spec = b->binding->spec;
    const struct ct_spec_reference *from = &spec->reference;
    struct ct_setting *settings =
        allocate_array(b, from->setting_count, sizeof(*settings));
    struct ct_value *values = allocate_array(b, spec->param_count, sizeof(*values));
    struct ct_err err = CT_ERR_INIT;
    bool ok = settings && values;

    for (size_t i = 0; settings && values && i < from->setting_count; i++) {
        settings[i] = (struct ct_setting){from->settings[i].name, from->settings[i].text};
        ok = check_setting(b, &from->settings[i]) && ok;
    }
    /* An invalid default is reported to whoever requests it. */
    if (!ok || !from->setting_count || ct_binding_start(b->binding, values, &err)) {
        b->nomem = b->nomem || err.code == CT_E_NOMEM;
        return;
    }
    if (ct_binding_parse(b->binding, settings, from->setting_count, values, &err))
        ct_diags_add(b->diags, CT_ERROR, spec->path, from->config_place.line,
                     from->config_place.column, "%s", err.message);
}

static void bind_all(struct binder *b)
{
    size_t errors = b->diags->errors;
    struct ct_binding *binding = b->binding;
    const struct ct_spec *spec = binding->spec;
    bool *given = allocate_array(b, spec->slots.count, sizeof(*given));

    binding->fixed = allocate_array(b, spec->slots.count, sizeof(*binding->fixed));
    binding->domains = allocate_array(b, spec->param_count, sizeof(*binding->domains));
    binding->all = allocate_array(b, spec->param_count, sizeof(*binding->all));
    binding->inactive = allocate_array(b, spec->param_count, sizeof(*binding->inactive));
    binding->only_inactive =
        allocate_array(b, spec->param_count, sizeof(*binding->only_inactive));
    if (b->nomem)
        return;
    take_device(b);
    take_assumptions(b);
    take_problem(b, given);
    /* Consequences of an invalid setting would be blamed on the file. */
    if (b->nomem || b->usage_errors)
        return;
    evaluate_fixed(b, given);
    for (size_t i = 0; i < spec->param_count && has_room(b, i); i++)
        expand(b, i);
    if (!b->nomem && b->diags->errors == errors)
        take_restrictions(b);
    if (!b->nomem && b->diags->errors == errors)
        check_reference(b);
    if (!b->nomem && b->diags->errors == errors)
        b->nomem = !ct_binding_check(binding, b->diags);
}

enum ct_status ct_binding_new(const struct ct_spec *spec,
                              const struct ct_binding_options *options,
                              struct ct_binding **out, struct ct_diags *diags,
                              struct ct_err *err)
{
    static const struct ct_binding_options nothing;
    struct binder b = {.options = options ? options : &nothing, .diags = diags};
    size_t first = diags->count;
    size_t errors = diags->errors;
    enum ct_status status = CT_OK;

    *out = NULL;
    b.binding = ct_mem_array(1, sizeof(*b.binding));
    if (!b.binding)
        return ct_err_nomem(err);
    b.binding->spec = spec;
    bind_all(&b);
    if (b.nomem || diags->failed) {
        status = ct_err_nomem(err);
    } else if (diags->errors > errors) {
        status = diags->errors - errors > b.usage_errors ? CT_E_SPEC : CT_E_USAGE;
        while (diags->items[first].severity != CT_ERROR)
            first++;
        ct_err_at(err, status, diags->items[first].file, diags->items[first].line,
                  diags->items[first].column, "%s", diags->items[first].message);
    }
    if (status)
        ct_binding_free(b.binding);
    else
        *out = b.binding;
    return status;
}

void ct_binding_free(struct ct_binding *binding)
{
    if (!binding)
        return;
    ct_arena_release(&binding->arena);
    free(binding);
}
