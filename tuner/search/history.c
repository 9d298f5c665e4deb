// SPDX-License-Identifier: Apache-2.0
// The history that strategies share.
#include "search/history.h"

#include <math.h>
#include <string.h>

/* The next index; false if all were drawn or memory is short (`*failed`). */
static bool draw_index(struct ct_draw *draw, struct ct_rng *rng, uint64_t *index,
                       bool *failed)
{
    uint64_t here = draw->drawn;
    uint64_t there;

    if (here >= draw->count)
        return false;
    there = here + ct_rng_below(rng, draw->count - here);
    *index = ct_map_get(&draw->moved, there, there);
    if (!ct_map_put(&draw->moved, there, ct_map_get(&draw->moved, here, here))) {
        *failed = true;
        return false;
    }
    draw->drawn++;
    return true;
}

static void release_draw(struct ct_draw *draw)
{
    ct_map_release(&draw->moved);
}

void ct_history_init(struct ct_history *history, const struct ct_space *space,
                     uint64_t seed)
{
    memset(history, 0, sizeof(*history));
    history->space = space;
    history->count = ct_space_count(space);
    history->draw.count = history->count;
    ct_rng_seed(&history->rng, seed);
}

void ct_history_release(struct ct_history *history)
{
    ct_map_release(&history->costs);
    release_draw(&history->draw);
}

bool ct_history_has(const struct ct_history *history, uint64_t index)
{
    return ct_map_has(&history->costs, index);
}

static double from_bits(uint64_t bits)
{
    double cost;

    memcpy(&cost, &bits, sizeof(cost));
    return cost;
}

bool ct_history_cost(const struct ct_history *history, uint64_t index, double *cost)
{
    uint64_t bits = ct_map_get(&history->costs, index, CT_HISTORY_PENDING);

    if (bits == CT_HISTORY_PENDING)
        return false;
    *cost = from_bits(bits);
    return true;
}

bool ct_history_ask(struct ct_history *history, uint64_t index)
{
    if (history->failed || ct_history_has(history, index))
        return false;
    if (!ct_map_put(&history->costs, index, CT_HISTORY_PENDING)) {
        history->failed = true;
        return false;
    }
    history->pending++;
    return true;
}

bool ct_history_tell(struct ct_history *history, uint64_t index, double cost)
{
    bool was_asked = ct_history_has(history, index);
    double known;
    uint64_t bits;

    if (was_asked && ct_history_cost(history, index, &known))
        return false;
    memcpy(&bits, &cost, sizeof(bits));
    if (!ct_map_put(&history->costs, index, bits)) {
        history->failed = true;
        return false;
    }
    history->results++;
    history->pending -= was_asked;
    return true;
}

bool ct_history_draw(struct ct_history *history, uint64_t *index)
{
    while (!history->failed &&
           draw_index(&history->draw, &history->rng, index, &history->failed))
        if (!ct_history_has(history, *index))
            return true;
    return false;
}

double ct_history_result_cost(const struct ct_strategy_result *result)
{
    return result->ok && isfinite(result->objective) ? result->objective : INFINITY;
}
