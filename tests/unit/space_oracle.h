// SPDX-License-Identifier: Apache-2.0
// Answers every query about a space from the list of its configurations and compares, for tests.
#ifndef CT_TESTS_SPACE_ORACLE_H
#define CT_TESTS_SPACE_ORACLE_H

#include "space_naive.h"

#include "base/mem.h"
#include "base/rng.h"
#include "space/space_impl.h"

#include <stdlib.h>
#include <string.h>

/* --- properties of a space, given the list of its configurations in order --- */

struct oracle {
    const struct ct_binding *binding;
    const struct ct_space *space;
    const struct ct_config_list *all;
    bool *active; /* by configuration and parameter */
};

/* Whether a parameter has only its inactive value in all valid configurations, and its condition
 * names one of another component: then the space has nothing to decide about it, and counts it as
 * active. */
static inline bool counts_as_active(const struct ct_space *space,
                                    const struct ct_config_list *all, size_t p)
{
    bool marked[NAIVE_PARAMS] = {false};
    bool outside = false;

    naive_mark(space->binding->spec, space->binding->spec->params[p].condition, marked);
    for (size_t q = 0; q < space->param_count; q++)
        outside =
            outside || (marked[q] && space->component_of[q] != space->component_of[p]);
    for (size_t i = 0; outside && i < all->count; i++)
        outside = ct_config_list_at(all, i)[p] == space->binding->inactive[p];
    return outside;
}

static inline void oracle_open(struct oracle *o, const struct ct_space *space,
                               const struct ct_config_list *all)
{
    size_t params = space->param_count;
    struct ct_value *env = ct_mem_array(space->binding->spec->slots.count, sizeof(*env));

    o->binding = space->binding;
    o->space = space;
    o->all = all;
    o->active = ct_mem_array(all->count * params, sizeof(*o->active));
    assert_true(env && o->active);
    for (size_t i = 0; i < all->count; i++) {
        ct_binding_evaluate(o->binding, ct_config_list_at(all, i), env);
        for (size_t p = 0; p < params; p++)
            o->active[i * params + p] =
                counts_as_active(space, all, p) || ct_binding_active(o->binding, p, env);
    }
    free(env);
}

/* How many active parameters of configuration number `i` differ from `config`, and the
 * last of them. */
static inline size_t differ(const struct oracle *o, size_t i, const uint32_t *config,
                            size_t *last)
{
    const uint32_t *other = ct_config_list_at(o->all, i);
    size_t count = 0;

    for (size_t p = 0; p < o->all->param_count; p++)
        if (other[p] != config[p] && o->active[i * o->all->param_count + p]) {
            count++;
            *last = p;
        }
    return count;
}

static inline bool same(const struct oracle *o, const uint32_t *a, const uint32_t *b)
{
    return memcmp(a, b, o->all->param_count * sizeof(*a)) == 0;
}

/* Whether no other neighbour has a value of the same parameter in between. */
static inline bool adjacent(const struct oracle *o, size_t i, const uint32_t *config,
                            size_t p)
{
    uint32_t value = ct_config_list_at(o->all, i)[p];

    for (size_t j = 0; j < o->all->count; j++) {
        uint32_t other = ct_config_list_at(o->all, j)[p];
        size_t last = SIZE_MAX;
        size_t count = differ(o, j, config, &last);

        if (count == 1 && last == p &&
            ((value < other && other < config[p]) ||
             (config[p] < other && other < value)))
            return false;
    }
    return true;
}

static inline bool is_neighbour(const struct oracle *o, size_t i, const uint32_t *config,
                                enum ct_neighbourhood kind)
{
    size_t last = SIZE_MAX;
    size_t count = differ(o, i, config, &last);

    if (same(o, ct_config_list_at(o->all, i), config))
        return false;
    if (kind == CT_NEIGHBOURS_TWO)
        return count <= 2;
    if (kind == CT_NEIGHBOURS_ADJACENT && count == 1)
        return adjacent(o, i, config, last);
    return count <= 1;
}

static inline void check_neighbours(const struct oracle *o, const uint32_t *config,
                                    enum ct_neighbourhood kind)
{
    struct ct_config_list list = {0};
    struct ct_err err = CT_ERR_INIT;
    size_t expected = 0;

    assert_int_equal(ct_space_neighbours(o->space, config, kind, &list, &err), CT_OK);
    for (size_t i = 0; i < o->all->count; i++) {
        size_t seen = 0;

        for (size_t j = 0; j < list.count; j++)
            seen += same(o, ct_config_list_at(&list, j), ct_config_list_at(o->all, i));
        assert_int_equal(seen, is_neighbour(o, i, config, kind));
        expected += seen;
    }
    assert_int_equal(list.count, expected); /* nothing else */
    ct_config_list_release(&list);
}

/* Decides whether a parameter is active after those that its condition depends on. */
static inline void settle_param(const struct ct_binding *binding, size_t p,
                                uint32_t *config, bool *done)
{
    const struct ct_spec *spec = binding->spec;
    struct ct_value *env = ct_mem_array(spec->slots.count, sizeof(*env));
    bool marked[NAIVE_PARAMS] = {false};
    uint32_t inside[NAIVE_PARAMS];

    assert_non_null(env);
    naive_mark(spec, spec->params[p].condition, marked);
    for (size_t q = 0; q < spec->param_count; q++)
        if (marked[q] && !done[q])
            settle_param(binding, q, config, done);
    for (size_t q = 0; q < spec->param_count; q++)
        inside[q] = config[q] < binding->domains[q].count
                        ? config[q]
                        : (uint32_t)binding->domains[q].count - 1;
    ct_binding_evaluate(binding, inside, env);
    if (!ct_binding_active(binding, p, env))
        config[p] = binding->inactive[p];
    done[p] = true;
    free(env);
}

/* The canonical form of a configuration. */
static inline void settle(const struct ct_binding *binding, uint32_t *config)
{
    bool done[NAIVE_PARAMS] = {false};

    for (size_t p = 0; p < binding->spec->param_count; p++)
        if (!done[p])
            settle_param(binding, p, config, done);
}

static inline void check_nearest(const struct oracle *o, const uint32_t *config)
{
    uint32_t from[NAIVE_PARAMS] = {0};
    uint32_t nearest[NAIVE_PARAMS];
    struct ct_err err = CT_ERR_INIT;
    uint64_t least = UINT64_MAX;
    uint64_t shortest = UINT64_MAX;
    size_t best = SIZE_MAX;

    memcpy(from, config, o->all->param_count * sizeof(*from));
    settle(o->binding, from);
    for (size_t i = 0; i < o->all->count; i++) {
        const uint32_t *other = ct_config_list_at(o->all, i);
        uint64_t count = 0;
        uint64_t distance = 0;

        for (size_t p = 0; p < o->all->param_count; p++) {
            count += other[p] != from[p];
            distance += other[p] < from[p] ? from[p] - other[p] : other[p] - from[p];
        }
        if (count < least || (count == least && distance < shortest)) {
            least = count;
            shortest = distance;
            best = i;
        }
    }
    memcpy(nearest, config, o->all->param_count * sizeof(*nearest));
    assert_int_equal(ct_space_nearest(o->space, nearest, nearest, &err), best < SIZE_MAX);
    assert_int_equal(err.code, CT_OK);
    if (best < SIZE_MAX)
        assert_true(same(o, nearest, ct_config_list_at(o->all, best)));
}

/* --- indices, membership, the walk --- */

static inline void check_order(const struct oracle *o)
{
    const struct ct_space *space = o->space;
    uint32_t walk[NAIVE_PARAMS] = {0};
    uint32_t seen[NAIVE_PARAMS] = {0};
    struct ct_value values[NAIVE_PARAMS];

    assert_true(ct_space_count(space) == o->all->count);
    assert_int_equal(ct_space_first(space, walk), o->all->count > 0);
    for (size_t i = 0; i < o->all->count; i++) {
        const uint32_t *config = ct_config_list_at(o->all, i);
        uint64_t index = UINT64_MAX;

        ct_space_config(space, i, seen);
        assert_true(same(o, seen, config));
        assert_true(same(o, walk, config));
        assert_true(ct_space_contains(space, config));
        assert_true(ct_space_index(space, config, &index) && index == i);
        index = UINT64_MAX;
        ct_binding_values(o->binding, config, values);
        assert_true(ct_space_find(space, values, &index) && index == i);
        assert_int_equal(ct_space_next(space, walk), i + 1 < o->all->count);
    }
    if (o->all->count) /* the end of the walk changes nothing */
        assert_true(same(o, walk, ct_config_list_at(o->all, o->all->count - 1)));
}

/* Every combination of values, and some outside the lists, is in the space or not. */
static inline void check_membership(const struct oracle *o, struct ct_rng *rng)
{
    uint32_t config[NAIVE_PARAMS] = {0};
    size_t at = 0;

    for (int round = 0; round < 60; round++) {
        uint64_t index;
        bool member = false;

        for (size_t p = 0; p < o->all->param_count; p++)
            config[p] =
                (uint32_t)ct_rng_below(rng, o->binding->domains[p].count + (round > 50));
        for (at = 0; at < o->all->count && !member; at++)
            member = same(o, ct_config_list_at(o->all, at), config);
        assert_int_equal(ct_space_contains(o->space, config), member);
        assert_int_equal(ct_space_index(o->space, config, &index), member);
    }
}

static inline void check_shards(const struct oracle *o, uint64_t shards)
{
    bool *seen = ct_mem_array(o->all->count, sizeof(*seen));
    uint64_t total = 0;

    assert_non_null(seen);
    for (uint64_t s = 0; s < shards; s++) {
        uint64_t count = ct_space_shard_count(o->space, s, shards);

        assert_true(count == o->all->count / shards ||
                    count == o->all->count / shards + 1);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t index = ct_space_shard_index(s, shards, i);

            assert_true(index < o->all->count && !seen[index]);
            assert_true(ct_space_shard_of(index, shards) == s);
            assert_true(!i || index > ct_space_shard_index(s, shards, i - 1));
            seen[index] = true;
        }
        total += count;
    }
    assert_true(total == o->all->count);
    free(seen);
}

static inline void check_sample(const struct oracle *o, size_t count, uint64_t seed)
{
    struct ct_config_list list = {0};
    struct ct_config_list again = {0};
    struct ct_err err = CT_ERR_INIT;
    bool *seen = ct_mem_array(o->all->count, sizeof(*seen));

    assert_non_null(seen);
    assert_int_equal(ct_space_sample(o->space, count, seed, &list, &err), CT_OK);
    assert_int_equal(ct_space_sample(o->space, count, seed, &again, &err), CT_OK);
    assert_int_equal(list.count, count < o->all->count ? count : o->all->count);
    assert_int_equal(again.count, list.count);
    for (size_t i = 0; i < list.count; i++) {
        uint64_t index = 0;

        assert_true(same(o, ct_config_list_at(&list, i), ct_config_list_at(&again, i)));
        assert_true(ct_space_index(o->space, ct_config_list_at(&list, i), &index));
        assert_false(seen[index]);
        seen[index] = true;
    }
    ct_config_list_release(&list);
    ct_config_list_release(&again);
    free(seen);
}

static inline void check_questions(const struct oracle *o, struct ct_rng *rng)
{
    uint32_t config[NAIVE_PARAMS] = {0};

    for (int round = 0; round < 6; round++) {
        for (size_t p = 0; p < o->all->param_count; p++)
            config[p] =
                (uint32_t)ct_rng_below(rng, o->binding->domains[p].count + (round > 4));
        if (round < 3 && o->all->count)
            memcpy(config,
                   ct_config_list_at(o->all, (size_t)ct_rng_below(rng, o->all->count)),
                   o->all->param_count * sizeof(*config));
        check_neighbours(o, config, CT_NEIGHBOURS_ONE);
        check_neighbours(o, config, CT_NEIGHBOURS_ADJACENT);
        check_neighbours(o, config, CT_NEIGHBOURS_TWO);
        check_nearest(o, config);
    }
}

static inline void check_all(const struct ct_space *space,
                             const struct ct_config_list *all, struct ct_rng *rng)
{
    struct oracle o;

    oracle_open(&o, space, all);
    check_order(&o);
    check_membership(&o, rng);
    check_shards(&o, 1 + ct_rng_below(rng, 7));
    check_sample(&o, 1 + (size_t)ct_rng_below(rng, all->count + 2), ct_rng_next(rng));
    check_sample(&o, 1 + all->count / 4, ct_rng_next(rng));
    check_questions(&o, rng);
    free(o.active);
}

#endif
