// SPDX-License-Identifier: Apache-2.0
// Neighbours: each component's diagram is walked with a budget of changes, and the results of the
// components are combined within the same budget.
#include "space/space_query.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Combinations of one component within the budget, by number of changes. */
struct found {
    struct ct_config_list lists[3];
    size_t *changed; /* for each of lists[1]: the changed parameter */
    size_t changed_room;
};

struct walk {
    struct ct_changes changes;
    const struct ct_diagram *diagram;
    uint64_t budget;
    uint8_t *need; /* by node: lower bound of the changes needed; NULL: unknown */
    uint32_t *row; /* a component's values, by level */
    struct found *found;
    bool nomem;
};

/* --- one component --- */

/* The least number of changes from each node on, as far as it is known without knowing which
 * parameters are active; so that the walk enters no dead end. */
static bool find_needs(struct walk *w)
{
    const struct ct_diagram *d = w->diagram;

    w->need = ct_mem_array(d->node_count, sizeof(*w->need));
    for (size_t l = d->param_count; w->need && l-- > 0;)
        for (uint32_t n = d->level_node[l]; n < d->level_node[l + 1]; n++) {
            uint8_t least = UINT8_MAX;

            for (uint32_t e = d->node_edge[n]; e < d->node_edge[n + 1]; e++) {
                const struct ct_edge *edge = &d->edges[e];
                uint8_t below = l + 1 < d->param_count ? w->need[edge->child] : 0;

                below = (uint8_t)(below + ct_changes_certain(&w->changes, l, edge->first,
                                                             edge->last));
                if (below < least)
                    least = below;
            }
            /* Any number above the budget will do. */
            w->need[n] = least > 3 ? 3 : least;
        }
    return w->need != NULL;
}

static void emit(struct walk *w, uint64_t count, size_t param)
{
    const struct ct_diagram *d = w->diagram;
    struct found *found = w->found;

    for (size_t l = 0; l < d->param_count; l++)
        w->row[l] = w->changes.config[d->params[l]];
    if (!ct_config_list_add(&found->lists[count], d->param_count, w->row)) {
        w->nomem = true;
        return;
    }
    if (count != 1)
        return;
    if (!ct_mem_grow(&found->changed, &found->changed_room, found->lists[1].count,
                     sizeof(*found->changed)))
        w->nomem = true;
    else
        found->changed[found->lists[1].count - 1] = param;
}

static bool walk_levels(struct walk *w, size_t level, struct ct_cursor at, uint64_t count,
                        size_t param);

/* Takes one value and continues; whether that found anything. */
static bool enter_value(struct walk *w, size_t level, uint32_t value,
                        struct ct_cursor child, uint64_t count, size_t param)
{
    count += ct_changes_take(&w->changes, level, value, &param);
    if (count > w->budget)
        return false;
    if (level + 1 == w->diagram->param_count) {
        emit(w, count, param);
        return true;
    }
    if (w->need && count + w->need[child.low] > w->budget)
        return false;
    return walk_levels(w, level + 1, child, count, param);
}

/* The values of a branch, all of which lead to the same place: if one changed value finds
 * nothing, the others do not either, unless conditions depend on it. */
static bool enter_branch(struct walk *w, size_t level, const struct ct_branch *branch,
                         uint64_t count, size_t param)
{
    uint32_t from = w->changes.from[w->diagram->params[level]];
    bool any = false;

    for (uint64_t value = branch->first; value <= branch->last && !w->nomem; value++) {
        bool found = enter_value(w, level, (uint32_t)value, branch->child, count, param);

        any = any || found;
        if (found || w->changes.conditional || value == from)
            continue;
        if (from <= value || from > branch->last)
            break;
        value = (uint64_t)from - 1;
    }
    return any;
}

/* Without budget only the given value remains, and that of an inactive parameter. */
static bool walk_same(struct walk *w, size_t level, struct ct_cursor at, uint64_t count,
                      size_t param)
{
    size_t p = w->diagram->params[level];
    uint32_t from = w->changes.from[p];
    uint32_t inactive = w->changes.space->binding->inactive[p];
    struct ct_cursor child;
    bool any = false;

    if (ct_cursor_follow(w->diagram, level, at, from, &child))
        any = enter_value(w, level, from, child, count, param);
    if (inactive != from && ct_changes_free(&w->changes, level, inactive) &&
        ct_cursor_follow(w->diagram, level, at, inactive, &child))
        any = enter_value(w, level, inactive, child, count, param) || any;
    return any;
}

static bool walk_levels(struct walk *w, size_t level, struct ct_cursor at, uint64_t count,
                        size_t param)
{
    struct ct_branches branches;
    struct ct_branch branch;
    bool any = false;

    if (count == w->budget)
        return walk_same(w, level, at, count, param);
    branches = ct_cursor_branches(w->diagram, level, at);
    while (!w->nomem && ct_branches_next(&branches, &branch))
        any = enter_branch(w, level, &branch, count, param) || any;
    return any;
}

static enum ct_status explore(const struct ct_space *space, const struct ct_diagram *d,
                              const uint32_t *config, uint64_t budget,
                              struct found *found, struct ct_err *err)
{
    uint32_t *chosen = ct_mem_array(space->param_count, sizeof(*chosen));
    struct walk w = {.diagram = d, .budget = budget, .found = found};
    enum ct_status status;

    w.row = ct_mem_array(d->param_count, sizeof(*w.row));
    if (!chosen || !w.row) {
        status = ct_err_nomem(err);
        goto out;
    }
    status = ct_changes_init(&w.changes, space, d, config, chosen, err);
    /* With a single change the walk visits few nodes, and preparing all of them costs more. */
    if (!status && budget > 1 && !d->listed && !find_needs(&w))
        status = ct_err_nomem(err);
    if (!status) {
        walk_levels(&w, 0, ct_cursor_root(d), 0, 0);
        if (w.nomem)
            status = ct_err_nomem(err);
    }
    ct_changes_release(&w.changes);
out:
    free(w.need);
    free(w.row);
    free(chosen);
    return status;
}

/* --- adjacent values --- */

/* Keeps, of the combinations with one change, those with the nearest values before and after the
 * given one. */
static enum ct_status keep_adjacent(const struct ct_space *space,
                                    const struct ct_diagram *d, const uint32_t *config,
                                    struct found *found, struct ct_err *err)
{
    struct ct_config_list *list = &found->lists[1];
    uint32_t *before = ct_mem_array(d->param_count, sizeof(*before));
    uint32_t *after = ct_mem_array(d->param_count, sizeof(*after));
    enum ct_status status = CT_OK;
    size_t kept = 0;

    if (!before || !after) {
        status = ct_err_nomem(err);
        goto out;
    }
    for (size_t l = 0; l < d->param_count; l++)
        after[l] = UINT32_MAX;
    for (size_t i = 0; i < list->count; i++) {
        size_t p = found->changed[i];
        size_t l = space->level_of[p];
        uint32_t value = ct_config_list_at(list, i)[l];

        if (value < config[p] && value >= before[l])
            before[l] = value;
        if (value > config[p] && value <= after[l])
            after[l] = value;
    }
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t *row = ct_config_list_at(list, i);
        size_t p = found->changed[i];
        size_t l = space->level_of[p];

        if (row[l] != (row[l] < config[p] ? before[l] : after[l]))
            continue;
        memmove(&list->configs[kept * d->param_count], row,
                d->param_count * sizeof(*row));
        kept++;
    }
    list->count = kept;
out:
    free(before);
    free(after);
    return status;
}

/* --- all components --- */

struct combine {
    const struct ct_space *space;
    const uint32_t *config;
    uint64_t budget;
    const struct found *found; /* by component */
    uint64_t *rest;            /* by component: changes still needed */
    uint32_t *chosen;
    struct ct_config_list *list;
};

/* Whether nothing differs from the given configuration. */
static bool nothing_differs(const struct combine *m)
{
    for (size_t p = 0; p < m->space->param_count; p++)
        if (m->chosen[p] != m->config[p])
            return false;
    return true;
}

static bool combine_components(struct combine *m, size_t component, uint64_t count)
{
    const struct ct_space *space = m->space;
    const struct ct_diagram *d = &space->components[component];

    if (component == space->component_count)
        return nothing_differs(m) ||
               ct_config_list_add(m->list, space->param_count, m->chosen);
    for (uint64_t more = 0; count + more + m->rest[component + 1] <= m->budget; more++) {
        const struct ct_config_list *rows = &m->found[component].lists[more];

        for (size_t i = 0; i < rows->count; i++) {
            const uint32_t *row = ct_config_list_at(rows, i);

            for (size_t l = 0; l < d->param_count; l++)
                m->chosen[d->params[l]] = row[l];
            if (!combine_components(m, component + 1, count + more))
                return false;
        }
    }
    return true;
}

static enum ct_status combine_all(const struct ct_space *space, const uint32_t *config,
                                  uint64_t budget, const struct found *found,
                                  struct ct_config_list *list, struct ct_err *err)
{
    struct combine m = {space, config, budget, found, NULL, NULL, list};
    enum ct_status status = CT_OK;

    m.rest = ct_mem_array(space->component_count + 1, sizeof(*m.rest));
    m.chosen = ct_mem_array(space->param_count, sizeof(*m.chosen));
    if (!m.rest || !m.chosen) {
        status = ct_err_nomem(err);
        goto out;
    }
    for (size_t c = space->component_count; c-- > 0;) {
        uint64_t least = 0;

        while (least <= budget && !found[c].lists[least].count)
            least++;
        m.rest[c] = m.rest[c + 1] + least;
    }
    if (m.rest[0] <= budget && !combine_components(&m, 0, 0))
        status = ct_err_nomem(err);
out:
    free(m.rest);
    free(m.chosen);
    return status;
}

enum ct_status ct_space_neighbours(const struct ct_space *space, const uint32_t *config,
                                   enum ct_neighbourhood kind,
                                   struct ct_config_list *list, struct ct_err *err)
{
    uint64_t budget = kind == CT_NEIGHBOURS_TWO ? 2 : 1;
    enum ct_status status = CT_OK;
    struct found *found;

    list->param_count = space->param_count;
    if (!space->count)
        return CT_OK;
    found = ct_mem_array(space->component_count, sizeof(*found));
    if (!found)
        return ct_err_nomem(err);
    for (size_t c = 0; c < space->component_count && !status; c++) {
        const struct ct_diagram *d = &space->components[c];

        status = explore(space, d, config, budget, &found[c], err);
        if (!status && kind == CT_NEIGHBOURS_ADJACENT)
            status = keep_adjacent(space, d, config, &found[c], err);
    }
    if (!status)
        status = combine_all(space, config, budget, found, list, err);
    for (size_t c = 0; c < space->component_count; c++) {
        for (size_t i = 0; i < 3; i++)
            ct_config_list_release(&found[c].lists[i]);
        free(found[c].changed);
    }
    free(found);
    return status;
}
