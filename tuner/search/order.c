// SPDX-License-Identifier: Apache-2.0
#include "search/order.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Results that the model starts from: twice the values of a parameter, within these. */
    DESIGN_LEAST = CT_ADDITIVE_LEAST,
    DESIGN_MOST = 32,
    /* So many of a list are chosen for their distance while results are missing: builders are that far ahead
     * of the first of them, unless there are many. */
    FAR_MOST = 64,
    REFIT_SHARE = 8, /* fitted again once there is a further one for each 8 */
};

struct ct_order_item {
    uint64_t index;
    size_t place; /* in the list as it was loaded */
    /* Parameters in which it differs from the nearest one that was chosen. */
    size_t distance;
    double cost; /* by the model */
};

bool ct_order_init(struct ct_order *order, const struct ct_space *space)
{
    const struct ct_binding *binding = ct_space_binding(space);
    size_t most = 0;
    uint64_t room = ct_space_count(space);

    memset(order, 0, sizeof(*order));
    order->space = space;
    order->params = binding->spec->param_count;
    if (room > CT_ORDER_MOST)
        room = CT_ORDER_MOST;
    order->list = ct_mem_array((size_t)room + 1, sizeof(*order->list));
    order->config = ct_mem_array(order->params + 1, sizeof(*order->config));
    if (!order->list || !order->config)
        return false;
    for (size_t p = 0; p < order->params; p++)
        if (binding->domains[p].count > most)
            most = binding->domains[p].count;
    order->design = 2 * most < DESIGN_LEAST  ? DESIGN_LEAST
                    : 2 * most > DESIGN_MOST ? DESIGN_MOST
                                             : 2 * most;
    /* Without these the list's own order remains. */
    order->configs =
        ct_mem_array((size_t)room + 1, (order->params + 1) * sizeof(*order->configs));
    order->has_model =
        order->configs && ct_additive_init(&order->model, binding, CT_ORDER_MOST);
    if (order->has_model)
        order->uses = ct_mem_array(order->model.values + 1, sizeof(*order->uses));
    order->has_model = order->uses != NULL;
    return true;
}

void ct_order_release(struct ct_order *order)
{
    ct_additive_release(&order->model);
    free(order->list);
    free(order->configs);
    free(order->config);
    free(order->uses);
    memset(order, 0, sizeof(*order));
}

static const uint32_t *config_of(const struct ct_order *order, size_t place)
{
    return order->configs + place * order->params;
}

/* --- far apart --- */

static size_t difference(const struct ct_order *order, size_t a, size_t b)
{
    const uint32_t *x = config_of(order, a);
    const uint32_t *y = config_of(order, b);
    size_t count = 0;

    for (size_t p = 0; p < order->params; p++)
        count += x[p] != y[p];
    return count;
}

/* How often the values of a configuration were chosen. */
static size_t uses_of(const struct ct_order *order, size_t place)
{
    const uint32_t *config = config_of(order, place);
    size_t sum = 0;

    for (size_t p = 0; p < order->params; p++)
        sum += order->uses[order->model.offsets[p] + config[p]];
    return sum;
}

/* Where the one is that is farthest from those chosen; of such ones that whose values were chosen least, and
 * of such ones the first of the list. */
static size_t farthest(const struct ct_order *order)
{
    size_t best = order->count - 1;
    size_t best_uses = uses_of(order, order->list[best].place);

    for (size_t i = best; i-- > 0;) {
        size_t uses;

        if (order->list[i].distance < order->list[best].distance)
            continue;
        uses = uses_of(order, order->list[i].place);
        if (order->list[i].distance > order->list[best].distance || uses < best_uses) {
            best = i;
            best_uses = uses;
        }
    }
    return best;
}

static void choose(struct ct_order *order, size_t at)
{
    size_t place = order->list[at].place;
    const uint32_t *config = config_of(order, place);

    for (size_t p = 0; p < order->params; p++)
        order->uses[order->model.offsets[p] + config[p]]++;
    for (size_t i = 0; i < order->count; i++) {
        size_t distance = difference(order, order->list[i].place, place);

        if (distance < order->list[i].distance)
            order->list[i].distance = distance;
    }
    order->chosen++;
}

/* Anywhere in the list, each time far from the last places (multiples of the golden ratio). */
static size_t scattered(struct ct_order *order)
{
    uint64_t part = (++order->chosen * UINT64_C(0x9E3779B97F4A7C15)) >> 32;

    return (size_t)(part * order->count >> 32);
}

static uint64_t take(struct ct_order *order, size_t at)
{
    uint64_t index = order->list[at].index;

    order->count--;
    memmove(order->list + at, order->list + at + 1,
            (order->count - at) * sizeof(*order->list));
    return index;
}

/* --- cheapest --- */

/* The most expensive first, and of equals the last of the list. */
static int by_cost(const void *a, const void *b)
{
    const struct ct_order_item *x = a;
    const struct ct_order_item *y = b;

    return x->cost != y->cost ? (x->cost < y->cost) - (x->cost > y->cost)
                              : (x->place < y->place) - (x->place > y->place);
}

static void sort(struct ct_order *order)
{
    for (size_t i = 0; i < order->count; i++)
        order->list[i].cost =
            ct_additive_of(&order->model, config_of(order, order->list[i].place));
    qsort(order->list, order->count, sizeof(*order->list), by_cost);
}

/* Whether the model leads; it is up to date then, and the list in its order. */
static bool leads(struct ct_order *order)
{
    size_t more = order->told - order->fitted;

    if (!order->has_model || order->model.rows < order->design)
        return false;
    if (order->fitted && more <= order->fitted / REFIT_SHARE)
        return true;
    if (!ct_additive_fit(&order->model))
        return false;
    order->fitted = order->told;
    sort(order);
    return true;
}

/* --- the list --- */

void ct_order_load(struct ct_order *order, const uint64_t *indices, size_t count,
                   const struct ct_index_set *known)
{
    order->count = count;
    order->chosen = 0;
    for (size_t i = 0; i < count; i++) {
        order->list[count - 1 - i] = (struct ct_order_item){
            .index = indices[i], .place = i, .distance = order->params + 1};
        if (order->has_model)
            ct_space_config(order->space, indices[i], order->configs + i * order->params);
    }
    if (order->uses)
        memset(order->uses, 0, order->model.values * sizeof(*order->uses));
    for (size_t i = count; i-- > 0;) {
        if (!ct_index_set_has(known, order->list[i].index))
            continue;
        if (order->has_model && order->chosen < FAR_MOST)
            choose(order, i);
        take(order, i);
    }
    order->chosen = 0;
    if (order->fitted)
        sort(order);
}

bool ct_order_next(struct ct_order *order, uint64_t *index)
{
    size_t at;

    if (!order->count)
        return false;
    at = order->count - 1;
    if (order->has_model && !leads(order)) {
        if (order->chosen < FAR_MOST) {
            at = farthest(order);
            choose(order, at);
        } else {
            at = scattered(order);
        }
    }
    *index = take(order, at);
    return true;
}

/* A cost on a scale on which differences are ratios, also if it is the negative of something that is to be
 * high; false if it has no place on it. */
static bool scaled(struct ct_order *order, double objective, double *cost)
{
    int sign = objective > 0 ? 1 : -1;

    *cost = sign > 0 ? log(objective) : -log(-objective);
    if (!isfinite(*cost) || sign * order->sign < 0)
        return false;
    order->sign = sign;
    return true;
}

void ct_order_tell(struct ct_order *order, uint64_t index,
                   const struct ct_strategy_result *result)
{
    double cost = INFINITY;

    if (!order->has_model || index >= ct_space_count(order->space) ||
        (result->ok && !scaled(order, result->objective, &cost)))
        return;
    ct_space_config(order->space, index, order->config);
    ct_additive_add(&order->model, order->config, cost);
    order->told++;
}
