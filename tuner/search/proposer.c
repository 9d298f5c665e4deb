// SPDX-License-Identifier: Apache-2.0
// Turns ideas into configurations that are proposed once.
#include "search/proposer.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ct_proposer_init(struct ct_proposer *proposer, const struct ct_proposer_hooks *hooks,
                      const struct ct_space *space, uint64_t seed)
{
    const struct ct_binding *binding = ct_space_binding(space);

    proposer->hooks = hooks;
    proposer->domains = binding->domains;
    proposer->param_count = binding->spec->param_count;
    ct_history_init(&proposer->history, space, seed);
    proposer->config = ct_mem_array(proposer->param_count, sizeof(*proposer->config));
    proposer->idea = ct_mem_array(proposer->param_count, sizeof(*proposer->idea));
    return proposer->config && proposer->idea;
}

void ct_proposer_release(struct ct_proposer *proposer)
{
    ct_history_release(&proposer->history);
    ct_map_release(&proposer->tags);
    free(proposer->config);
    free(proposer->idea);
}

/* A configuration that has no result and is not pending. */
static bool next_unseen(struct ct_proposer *proposer, uint64_t *index)
{
    /* Ideas with known results cost nothing but must not go on forever. */
    enum { KNOWN_MAX = 60 };
    struct ct_history *history = &proposer->history;

    for (int i = 0; i < KNOWN_MAX; i++) {
        uint64_t tag = CT_PROPOSER_STRAY;
        double cost;

        if (!proposer->hooks->propose(proposer, proposer->idea, &tag))
            break;
        /* A valid configuration without an index is one beyond 2^64. */
        if (!ct_space_index(history->space, proposer->idea, index) &&
            (!ct_space_nearest(history->space, proposer->idea, proposer->idea, NULL) ||
             !ct_space_index(history->space, proposer->idea, index)))
            continue;
        if (ct_history_cost(history, *index, &cost)) {
            proposer->hooks->result(proposer, proposer->idea, cost, tag);
        } else if (!ct_history_has(history, *index)) {
            if (!ct_map_put(&proposer->tags, *index, tag))
                history->failed = true;
            return ct_history_ask(history, *index);
        }
    }
    return ct_history_draw(history, index) && ct_history_ask(history, *index);
}

size_t ct_proposer_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    struct ct_proposer *proposer = (struct ct_proposer *)strategy;
    size_t given = 0;

    while (given < max && !proposer->history.failed &&
           proposer->history.results + proposer->history.pending <
               proposer->history.count &&
           next_unseen(proposer, &indices[given]))
        given++;
    return given;
}

void ct_proposer_tell(struct ct_strategy *strategy, uint64_t index,
                      const struct ct_strategy_result *result)
{
    struct ct_proposer *proposer = (struct ct_proposer *)strategy;
    double cost = ct_history_result_cost(result);

    if (!ct_history_tell(&proposer->history, index, cost))
        return;
    ct_space_config(proposer->history.space, index, proposer->config);
    proposer->hooks->result(proposer, proposer->config, cost,
                            ct_map_get(&proposer->tags, index, CT_PROPOSER_STRAY));
}

void ct_proposer_limit(struct ct_strategy *strategy, const struct ct_limits *limits)
{
    struct ct_proposer *proposer = (struct ct_proposer *)strategy;

    proposer->limits = *limits;
}

bool ct_proposer_random(struct ct_proposer *proposer, uint32_t *config)
{
    if (!proposer->history.count)
        return false;
    ct_space_config(proposer->history.space,
                    ct_rng_below(&proposer->history.rng, proposer->history.count),
                    config);
    return true;
}

/* The first parameter in which two configurations differ; param_count: none. */
static size_t first_difference(const struct ct_proposer *proposer, const uint32_t *a,
                               const uint32_t *b)
{
    size_t p = 0;

    while (p < proposer->param_count && a[p] == b[p])
        p++;
    return p;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

bool ct_proposer_around(struct ct_proposer *proposer, const uint32_t *config,
                        bool turns_taken, struct ct_config_list *list)
{
    struct ct_config_list plain = {0};
    size_t n = proposer->param_count;
    uint64_t *keys = NULL;
    size_t *turns = NULL;
    bool enough = false;

    list->count = 0;
    if (ct_space_neighbours(proposer->history.space, config, CT_NEIGHBOURS_ONE, &plain,
                            NULL))
        goto out;
    /* A key: turn of the parameter, a random number, number of the neighbour; the values of a
     * parameter have been shuffled before they get their turns. */
    keys = ct_mem_array(plain.count, sizeof(*keys));
    turns = ct_mem_array(n + 1, sizeof(*turns));
    if (!keys || !turns || plain.count > UINT16_MAX ||
        !ct_mem_grow(&list->configs, &list->room, plain.count * n,
                     sizeof(*list->configs)))
        goto out;
    for (size_t i = 0; i < plain.count; i++)
        keys[i] = (ct_rng_next(&proposer->history.rng) & 0xffffffff) << 16 | i;
    qsort(keys, plain.count, sizeof(*keys), by_key);
    for (size_t i = 0; i < plain.count; i++) {
        size_t which = keys[i] & 0xffff;
        size_t p = first_difference(proposer, config, ct_config_list_at(&plain, which));

        keys[i] = (turns_taken ? (uint64_t)turns[p]++ << 48 : 0) |
                  (ct_rng_next(&proposer->history.rng) & 0xffffffff) << 16 | which;
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
        proposer->history.failed = true;
    return enough;
}

/* Evaluations to plan for: the limit, the size of the space, or CT_PROPOSER_EVALUATIONS without a
 * limit. */
static double planned_evaluations(const struct ct_proposer *proposer)
{
    uint64_t most = proposer->limits.evaluations ? proposer->limits.evaluations
                                                 : CT_PROPOSER_EVALUATIONS;

    return (double)(most < proposer->history.count ? most : proposer->history.count);
}

double ct_proposer_progress(const struct ct_proposer *proposer)
{
    return (double)(proposer->history.results + proposer->history.pending) /
           (planned_evaluations(proposer) + 1);
}

double ct_proposer_excess(double cost, double than)
{
    if (!(cost < INFINITY))
        return INFINITY;
    if (!(than < INFINITY))
        return -INFINITY;
    return cost > 0 && than > 0 ? log(cost / than) : cost - than;
}
