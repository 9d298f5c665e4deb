// SPDX-License-Identifier: Apache-2.0
// An explicit list as one enumerated component.
#include "space/space_listed_set.h"
#include "space/space_impl.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Whether row `a` does not come after row `b`. */
static int compare_rows(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t p = 0; p < n; p++)
        if (a[p] != b[p])
            return a[p] < b[p] ? -1 : 1;
    return 0;
}

/* Merges the sorted rows [low, middle) and [middle, high) of `from` into `to`. */
static void merge(const uint32_t *from, uint32_t *to, size_t n, size_t low, size_t middle,
                  size_t high)
{
    size_t left = low;
    size_t right = middle;

    for (size_t at = low; at < high; at++) {
        bool take_left =
            left < middle &&
            (right >= high || compare_rows(from + left * n, from + right * n, n) <= 0);
        size_t row = take_left ? left++ : right++;

        memcpy(to + at * n, from + row * n, n * sizeof(*to));
    }
}

/* Sorts rows bottom-up; `other` has room for as many. */
static void sort_rows(uint32_t *rows, uint32_t *other, size_t n, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = low + width < count ? low + width : count;
            size_t high = middle + width < count ? middle + width : count;

            merge(rows, other, n, low, middle, high);
        }
        memcpy(rows, other, count * n * sizeof(*rows));
    }
}

static size_t drop_repeated(uint32_t *rows, size_t n, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (!kept || compare_rows(rows + (kept - 1) * n, rows + i * n, n) != 0)
            memmove(rows + kept++ * n, rows + i * n, n * sizeof(*rows));
    return kept;
}

static void fill_stats(struct ct_space *space, struct ct_diagram *all)
{
    const struct ct_binding *binding = space->binding;
    double cartesian = 1;

    for (size_t p = 0; p < space->param_count; p++)
        cartesian *= (double)binding->domains[p].count;
    space->component_stats[0] =
        (struct ct_component_stats){.param_count = space->param_count,
                                    .params = all->params,
                                    .cartesian = cartesian,
                                    .valid = space->count,
                                    .enumerated = true};
    space->stats.cartesian = cartesian;
    space->stats.canonical = space->count;
    space->stats.valid = space->count;
    space->stats.valid_approx = (double)space->count;
    space->stats.bytes = space->count * space->param_count * sizeof(*all->listed);
    space->stats.peak_bytes = 2 * space->stats.bytes;
    space->stats.component_count = space->component_count;
    space->stats.components = space->component_stats;
    space->stats.constraint_count = binding->spec->constraint_count;
    space->stats.constraints = space->constraints;
}

/* Everything but the rows; ct_space_free frees it, also if incomplete. */
static bool allocate_listed(struct ct_space *space)
{
    size_t n = space->param_count;
    struct ct_diagram *all;

    space->components = ct_mem_array(1, sizeof(*space->components));
    space->component_of = ct_mem_array(n, sizeof(*space->component_of));
    space->level_of = ct_mem_array(n, sizeof(*space->level_of));
    space->component_stats = ct_mem_array(1, sizeof(*space->component_stats));
    space->constraints =
        ct_mem_array(space->binding->spec->constraint_count, sizeof(*space->constraints));
    if (!space->components || !space->component_of || !space->level_of ||
        !space->component_stats || !space->constraints)
        return false;
    space->component_count = 1;
    all = space->components;
    all->param_count = n;
    all->params = ct_mem_array(n, sizeof(*all->params));
    for (size_t p = 0; p < n && all->params; p++) {
        all->params[p] = p;
        space->level_of[p] = p;
    }
    return all->params != NULL;
}

enum ct_status ct_space_new_listed(const struct ct_binding *binding,
                                   const uint32_t *configs, size_t count,
                                   struct ct_space **out, struct ct_err *err)
{
    struct ct_space *space = ct_mem_array(1, sizeof(*space));
    size_t n = binding->spec->param_count;
    uint32_t *rows = NULL;
    uint32_t *other = NULL;

    if (!space)
        return ct_err_nomem(err);
    space->binding = binding;
    space->param_count = n;
    if (n && count <= SIZE_MAX / n) {
        rows = ct_mem_array(count * n, sizeof(*rows));
        other = ct_mem_array(count * n, sizeof(*other));
    }
    if (!rows || !other || !allocate_listed(space)) {
        free(rows);
        free(other);
        ct_space_free(space);
        return ct_err_nomem(err);
    }
    if (count)
        memcpy(rows, configs, count * n * sizeof(*rows));
    sort_rows(rows, other, n, count);
    free(other);
    space->count = drop_repeated(rows, n, count);
    space->components[0].listed = rows;
    space->components[0].valid = space->count;
    fill_stats(space, space->components);
    *out = space;
    return CT_OK;
}
