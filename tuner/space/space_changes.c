// SPDX-License-Identifier: Apache-2.0
// Distinguishes changed parameters from merely inactive ones, level by level.
#include "space/space_query.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct ct_expr *condition_at(const struct ct_changes *c, size_t level)
{
    return c->space->binding->spec->params[c->diagram->params[level]].condition;
}

static size_t depth_of(const struct ct_changes *c, const struct ct_expr *expr)
{
    size_t depth = 0;

    for (size_t i = 0; i < expr->slot_count; i++)
        if (c->depth[expr->slots[i]] > depth)
            depth = c->depth[expr->slots[i]];
    return depth;
}

/* `outside`: the depth of parameters of other components. */
static void find_depths(struct ct_changes *c, size_t outside)
{
    const struct ct_spec *spec = c->space->binding->spec;
    const struct ct_diagram *d = c->diagram;

    for (size_t p = 0; p < spec->param_count; p++)
        c->depth[spec->params[p].slot] = outside;
    for (size_t l = 0; l < d->param_count; l++)
        c->depth[spec->params[d->params[l]].slot] = l + 1;
    for (size_t i = 0; i < spec->slots.order_count; i++) {
        int slot = spec->slots.order[i];

        if (spec->slots.symbols[slot].per_config)
            c->depth[slot] = depth_of(c, spec->slots.symbols[slot].expr);
    }
}

/* The level at which it is known whether the parameter of `level` is active. */
static size_t known_level(const struct ct_changes *c, size_t level)
{
    size_t depth = depth_of(c, condition_at(c, level));

    return depth > level + 1 ? depth - 1 : level;
}

/* Whether no valid configuration has another value than the inactive one at `level`. */
static bool always_inactive(const struct ct_diagram *d, size_t level, uint32_t inactive)
{
    for (uint64_t r = 0; d->listed && r < d->valid; r++)
        if (d->listed[r * d->param_count + level] != inactive)
            return false;
    if (d->listed)
        return true;
    for (uint32_t n = d->level_node[level]; n < d->level_node[level + 1]; n++)
        for (uint32_t e = d->node_edge[n]; e < d->node_edge[n + 1]; e++)
            if (d->edges[e].first != inactive || d->edges[e].last != inactive)
                return false;
    return true;
}

/* Conditions on other components have the same outcome for all valid values there, unless
 * constraints leave a parameter only its inactive value: that is a value like any other. */
static void find_conditional(struct ct_changes *c)
{
    const struct ct_diagram *d = c->diagram;

    find_depths(c, SIZE_MAX);
    c->conditional = false;
    for (size_t l = 0; l < d->param_count; l++) {
        const struct ct_expr *condition = condition_at(c, l);

        c->conditional_level[l] =
            condition &&
            (depth_of(c, condition) < SIZE_MAX ||
             !always_inactive(d, l, c->space->binding->inactive[d->params[l]]));
        c->conditional = c->conditional || c->conditional_level[l];
    }
}

/* Sorts computed names and conditional parameters by level. */
static void sort_by_level(struct ct_changes *c)
{
    const struct ct_spec *spec = c->space->binding->spec;
    const struct ct_diagram *d = c->diagram;
    size_t names = 0;
    size_t known = 0;

    for (size_t l = 0; l < d->param_count; l++) {
        c->name_from[l] = names;
        c->known_from[l] = known;
        for (size_t i = 0; i < spec->slots.order_count; i++)
            if (spec->slots.symbols[spec->slots.order[i]].per_config &&
                c->depth[spec->slots.order[i]] == l + 1)
                c->names[names++] = spec->slots.order[i];
        for (size_t q = 0; q <= l; q++)
            if (c->conditional_level[q] && known_level(c, q) == l)
                c->known[known++] = d->params[q];
    }
    c->name_from[d->param_count] = names;
    c->known_from[d->param_count] = known;
}

/* Parameters outside the component get any valid value (find_conditional): those of the given
 * configuration may be invalid. */
static enum ct_status fill_env(struct ct_changes *c, struct ct_err *err)
{
    uint32_t *valid = ct_mem_array(c->space->param_count, sizeof(*valid));

    if (!valid)
        return ct_err_nomem(err);
    ct_space_first(c->space, valid);
    ct_binding_evaluate(c->space->binding, valid, c->env);
    free(valid);
    return CT_OK;
}

enum ct_status ct_changes_init(struct ct_changes *changes, const struct ct_space *space,
                               const struct ct_diagram *diagram, const uint32_t *from,
                               uint32_t *config, struct ct_err *err)
{
    const struct ct_spec *spec = space->binding->spec;
    struct ct_changes *c = changes;
    size_t levels = diagram->param_count;

    memset(c, 0, sizeof(*c));
    c->space = space;
    c->diagram = diagram;
    c->from = from;
    c->config = config;
    for (size_t l = 0; l < levels && !c->conditional; l++)
        c->conditional = condition_at(c, l) != NULL;
    if (!c->conditional)
        return CT_OK;
    c->env = ct_mem_array(spec->slots.count, sizeof(*c->env));
    c->depth = ct_mem_array(spec->slots.count, sizeof(*c->depth));
    c->name_from = ct_mem_array(levels + 1, sizeof(*c->name_from));
    c->names = ct_mem_array(spec->slots.order_count, sizeof(*c->names));
    c->known_from = ct_mem_array(levels + 1, sizeof(*c->known_from));
    c->known = ct_mem_array(levels, sizeof(*c->known));
    c->conditional_level = ct_mem_array(levels, sizeof(*c->conditional_level));
    if (!c->env || !c->depth || !c->conditional_level || !c->name_from || !c->names ||
        !c->known_from || !c->known || fill_env(c, NULL)) {
        ct_changes_release(c);
        return ct_err_nomem(err);
    }
    find_conditional(c);
    find_depths(c, 0);
    sort_by_level(c);
    return CT_OK;
}

void ct_changes_release(struct ct_changes *changes)
{
    free(changes->env);
    free(changes->depth);
    free(changes->name_from);
    free(changes->names);
    free(changes->known_from);
    free(changes->known);
    free(changes->conditional_level);
    memset(changes, 0, sizeof(*changes));
}

bool ct_changes_free(const struct ct_changes *changes, size_t level, uint32_t value)
{
    size_t p = changes->diagram->params[level];

    return changes->conditional && changes->conditional_level[level] &&
           value == changes->space->binding->inactive[p];
}

/* Whether the value of a parameter differs; then records which. */
static unsigned note_change(const struct ct_changes *c, size_t p, size_t *param)
{
    if (c->config[p] == c->from[p])
        return 0;
    *param = p;
    return 1;
}

unsigned ct_changes_take(struct ct_changes *changes, size_t level, uint32_t value,
                         size_t *param)
{
    struct ct_changes *c = changes;
    const struct ct_binding *binding = c->space->binding;
    const struct ct_spec *spec = binding->spec;
    size_t p = c->diagram->params[level];
    unsigned count = 0;

    c->config[p] = value;
    if (!ct_changes_free(c, level, value))
        count += note_change(c, p, param);
    if (!c->conditional)
        return count;
    c->env[spec->params[p].slot] = binding->domains[p].values[value];
    for (size_t i = c->name_from[level]; i < c->name_from[level + 1]; i++)
        if (ct_expr_eval(spec->slots.symbols[c->names[i]].expr, c->env,
                         &c->env[c->names[i]]))
            c->env[c->names[i]].kind = CT_NONE;
    for (size_t i = c->known_from[level]; i < c->known_from[level + 1]; i++) {
        size_t q = c->known[i];

        if (c->config[q] == binding->inactive[q] && c->config[q] != c->from[q] &&
            ct_binding_active(binding, q, c->env))
            count += note_change(c, q, param);
    }
    return count;
}

bool ct_changes_certain(const struct ct_changes *changes, size_t level, uint32_t first,
                        uint32_t last)
{
    size_t p = changes->diagram->params[level];
    uint32_t from = changes->from[p];
    uint32_t inactive = changes->space->binding->inactive[p];

    if (first <= from && from <= last)
        return false;
    return !(ct_changes_free(changes, level, inactive) && first <= inactive &&
             inactive <= last);
}
