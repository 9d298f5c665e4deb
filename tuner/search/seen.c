// SPDX-License-Identifier: Apache-2.0
// The memory that strategies share.
#include "search/seen.h"

#include <math.h>
#include <string.h>

bool ct_draw_next(struct ct_draw *draw, struct ct_rng *rng, uint64_t *index, bool *failed)
{
    uint64_t here = draw->drawn;
    uint64_t there;

    if (here >= draw->count)
        return false;
    there = here + ct_rng_below(rng, draw->count - here);
    *index = ct_index_map_get(&draw->moved, there, there);
    if (!ct_index_map_put(&draw->moved, there,
                          ct_index_map_get(&draw->moved, here, here))) {
        *failed = true;
        return false;
    }
    draw->drawn++;
    return true;
}

void ct_draw_release(struct ct_draw *draw)
{
    ct_index_map_release(&draw->moved);
}

void ct_seen_init(struct ct_seen *seen, const struct ct_space *space, uint64_t seed)
{
    memset(seen, 0, sizeof(*seen));
    seen->space = space;
    seen->count = ct_space_count(space);
    seen->draw.count = seen->count;
    ct_rng_seed(&seen->rng, seed);
}

void ct_seen_release(struct ct_seen *seen)
{
    ct_index_map_release(&seen->costs);
    ct_draw_release(&seen->draw);
}

bool ct_seen_has(const struct ct_seen *seen, uint64_t index)
{
    return ct_index_map_has(&seen->costs, index);
}

static double from_bits(uint64_t bits)
{
    double cost;

    memcpy(&cost, &bits, sizeof(cost));
    return cost;
}

bool ct_seen_cost(const struct ct_seen *seen, uint64_t index, double *cost)
{
    uint64_t bits = ct_index_map_get(&seen->costs, index, CT_SEEN_PENDING);

    if (bits == CT_SEEN_PENDING)
        return false;
    *cost = from_bits(bits);
    return true;
}

bool ct_seen_ask(struct ct_seen *seen, uint64_t index)
{
    if (seen->failed || ct_seen_has(seen, index))
        return false;
    if (!ct_index_map_put(&seen->costs, index, CT_SEEN_PENDING)) {
        seen->failed = true;
        return false;
    }
    seen->pending++;
    return true;
}

bool ct_seen_tell(struct ct_seen *seen, uint64_t index, double cost)
{
    bool was_asked = ct_seen_has(seen, index);
    double known;
    uint64_t bits;

    if (was_asked && ct_seen_cost(seen, index, &known))
        return false;
    memcpy(&bits, &cost, sizeof(bits));
    if (!ct_index_map_put(&seen->costs, index, bits)) {
        seen->failed = true;
        return false;
    }
    seen->told++;
    seen->pending -= was_asked;
    return true;
}

bool ct_seen_draw(struct ct_seen *seen, uint64_t *index)
{
    while (!seen->failed && ct_draw_next(&seen->draw, &seen->rng, index, &seen->failed))
        if (!ct_seen_has(seen, *index))
            return true;
    return false;
}

double ct_seen_told_cost(const struct ct_told *told)
{
    return told->ok && isfinite(told->objective) ? told->objective : INFINITY;
}
