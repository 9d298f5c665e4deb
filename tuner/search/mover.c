// SPDX-License-Identifier: Apache-2.0
// From ideas to configurations that are asked for once.
#include "search/mover.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ct_mover_init(struct ct_mover *mover, const struct ct_mover_hooks *hooks,
                   const struct ct_space *space, uint64_t seed)
{
    const struct ct_binding *binding = ct_space_binding(space);

    mover->hooks = hooks;
    mover->domains = binding->domains;
    mover->param_count = binding->spec->param_count;
    ct_seen_init(&mover->seen, space, seed);
    mover->config = ct_mem_array(mover->param_count, sizeof(*mover->config));
    mover->idea = ct_mem_array(mover->param_count, sizeof(*mover->idea));
    return mover->config && mover->idea;
}

void ct_mover_release(struct ct_mover *mover)
{
    ct_seen_release(&mover->seen);
    ct_index_map_release(&mover->tags);
    free(mover->config);
    free(mover->idea);
}

/* A configuration that no result is known of and nobody waits for. */
static bool next(struct ct_mover *mover, uint64_t *index)
{
    /* Ideas that are known already cost nothing but must not go on for ever. */
    enum { KNOWN_MAX = 60 };
    struct ct_seen *seen = &mover->seen;

    for (int i = 0; i < KNOWN_MAX; i++) {
        uint64_t tag = CT_MOVER_STRAY;
        double cost;

        if (!mover->hooks->propose(mover, mover->idea, &tag))
            break;
        /* A valid configuration without an index is one beyond 2^64. */
        if (!ct_space_index(seen->space, mover->idea, index) &&
            (!ct_space_nearest(seen->space, mover->idea, mover->idea, NULL) ||
             !ct_space_index(seen->space, mover->idea, index)))
            continue;
        if (ct_seen_cost(seen, *index, &cost)) {
            mover->hooks->result(mover, mover->idea, cost, tag);
        } else if (!ct_seen_has(seen, *index)) {
            if (!ct_index_map_put(&mover->tags, *index, tag))
                seen->failed = true;
            return ct_seen_ask(seen, *index);
        }
    }
    return ct_seen_draw(seen, index) && ct_seen_ask(seen, *index);
}

size_t ct_mover_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct ct_mover *mover = (struct ct_mover *)strategy;
    size_t given = 0;

    while (given < max && !mover->seen.failed &&
           mover->seen.told + mover->seen.pending < mover->seen.count &&
           next(mover, &indices[given]))
        given++;
    return given;
}

void ct_mover_tell(struct ct_strategy *strategy, uint64_t index,
                   const struct ct_told *told)
{
    struct ct_mover *mover = (struct ct_mover *)strategy;
    double cost = ct_seen_told_cost(told);

    if (!ct_seen_tell(&mover->seen, index, cost))
        return;
    ct_space_config(mover->seen.space, index, mover->config);
    mover->hooks->result(mover, mover->config, cost,
                         ct_index_map_get(&mover->tags, index, CT_MOVER_STRAY));
}

void ct_mover_limit(struct ct_strategy *strategy, const struct ct_limits *limits)
{
    struct ct_mover *mover = (struct ct_mover *)strategy;

    mover->limits = *limits;
}

bool ct_mover_random(struct ct_mover *mover, uint32_t *config)
{
    if (!mover->seen.count)
        return false;
    ct_space_config(mover->seen.space, ct_rng_below(&mover->seen.rng, mover->seen.count),
                    config);
    return true;
}

/* The first parameter in which two configurations differ; param_count: none. */
static size_t changed(const struct ct_mover *mover, const uint32_t *a, const uint32_t *b)
{
    size_t p = 0;

    while (p < mover->param_count && a[p] == b[p])
        p++;
    return p;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

bool ct_mover_around(struct ct_mover *mover, const uint32_t *config, bool turns_taken,
                     struct ct_config_list *list)
{
    struct ct_config_list plain = {0};
    size_t n = mover->param_count;
    uint64_t *keys = NULL;
    size_t *turns = NULL;
    bool enough = false;

    list->count = 0;
    if (ct_space_neighbours(mover->seen.space, config, CT_NEIGHBOURS_ONE, &plain, NULL))
        goto out;
    /* A key: turn of the parameter, something random, number of the neighbour; the values
     * of a parameter have been shuffled before they get their turns. */
    keys = ct_mem_array(plain.count, sizeof(*keys));
    turns = ct_mem_array(n + 1, sizeof(*turns));
    if (!keys || !turns || plain.count > UINT16_MAX ||
        !ct_mem_grow(&list->configs, &list->room, plain.count * n,
                     sizeof(*list->configs)))
        goto out;
    for (size_t i = 0; i < plain.count; i++)
        keys[i] = (ct_rng_next(&mover->seen.rng) & 0xffffffff) << 16 | i;
    qsort(keys, plain.count, sizeof(*keys), by_key);
    for (size_t i = 0; i < plain.count; i++) {
        size_t which = keys[i] & 0xffff;
        size_t p = changed(mover, config, ct_config_list_at(&plain, which));

        keys[i] = (turns_taken ? (uint64_t)turns[p]++ << 48 : 0) |
                  (ct_rng_next(&mover->seen.rng) & 0xffffffff) << 16 | which;
    }
    qsort(keys, plain.count, sizeof(*keys), by_key);
    list->param_count = n;
    list->count = plain.count;
    for (size_t i = 0; i < plain.count; i++)
        memcpy(list->configs + i * n, ct_config_list_at(&plain, keys[i] & 0xffff),
               n * sizeof(*list->configs));
    enough = true;
out:
    free(keys);
    free(turns);
    ct_config_list_release(&plain);
    if (!enough)
        mover->seen.failed = true;
    return enough;
}

double ct_mover_horizon(const struct ct_mover *mover)
{
    uint64_t most =
        mover->limits.evaluations ? mover->limits.evaluations : CT_MOVER_EVALUATIONS;

    return (double)(most < mover->seen.count ? most : mover->seen.count);
}

double ct_mover_progress(const struct ct_mover *mover)
{
    return (double)(mover->seen.told + mover->seen.pending) /
           (ct_mover_horizon(mover) + 1);
}

double ct_mover_excess(double cost, double than)
{
    if (!(cost < INFINITY))
        return INFINITY;
    if (!(than < INFINITY))
        return -INFINITY;
    return cost > 0 && than > 0 ? log(cost / than) : cost - than;
}
