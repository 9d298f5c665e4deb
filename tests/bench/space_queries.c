// SPDX-License-Identifier: Apache-2.0
// What questions to a search space cost: space_queries SPACE.ini prints one JSON object
// with nanoseconds for each, the least of several rounds.
#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "space/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN = 20000, ROUNDS = 7, NEAR = 200 };

struct bench {
    struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_space *space;
    uint64_t *indices;
    uint32_t *configs; /* of the indices */
    size_t params;
    const char *between;
    int failed;
};

/* Prints the least of the rounds, divided by how many questions each asked. */
static void report(struct bench *b, const char *name, void (*ask)(struct bench *),
                   double questions)
{
    uint64_t best_ns = UINT64_MAX;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start_ns = ct_clock_now_ns();
        uint64_t took_ns;

        ask(b);
        took_ns = ct_clock_now_ns() - start_ns;
        if (took_ns < best_ns)
            best_ns = took_ns;
    }
    printf("%s\"%s\": %.1f", b->between, name, (double)best_ns / questions);
    b->between = ", ";
}

static void ask_config(struct bench *b)
{
    for (size_t i = 0; i < DRAWN; i++)
        ct_space_config(b->space, b->indices[i], b->configs + i * b->params);
}

static void ask_index(struct bench *b)
{
    for (size_t i = 0; i < DRAWN; i++) {
        uint64_t index;

        if (!ct_space_index(b->space, b->configs + i * b->params, &index) ||
            index != b->indices[i])
            b->failed = 1;
    }
}

static void ask_round_trip(struct bench *b)
{
    for (size_t i = 0; i < DRAWN; i++) {
        uint32_t *config = b->configs + i * b->params;
        uint64_t index;

        ct_space_config(b->space, b->indices[i], config);
        if (!ct_space_index(b->space, config, &index) || index != b->indices[i])
            b->failed = 1;
    }
}

static void ask_next(struct bench *b)
{
    for (size_t i = 0; i < DRAWN; i++)
        if (!ct_space_next(b->space, b->configs) && !ct_space_first(b->space, b->configs))
            b->failed = 1;
}

static void ask_sample(struct bench *b)
{
    struct ct_config_list list = {0};
    struct ct_err err = CT_ERR_INIT;

    if (ct_space_sample(b->space, 1000, 1, &list, &err))
        b->failed = 1;
    ct_config_list_release(&list);
}

static void ask_neighbours(struct bench *b, enum ct_neighbourhood kind)
{
    for (size_t i = 0; i < NEAR; i++) {
        struct ct_config_list list = {0};
        struct ct_err err = CT_ERR_INIT;

        if (ct_space_neighbours(b->space, b->configs + i * b->params, kind, &list, &err))
            b->failed = 1;
        ct_config_list_release(&list);
    }
}

static void ask_one(struct bench *b)
{
    ask_neighbours(b, CT_NEIGHBOURS_ONE);
}

static void ask_two(struct bench *b)
{
    ask_neighbours(b, CT_NEIGHBOURS_TWO);
}

/* Of combinations that are mostly invalid. */
static void ask_nearest(struct bench *b)
{
    uint32_t *config = ct_mem_array(b->params, sizeof(*config));
    struct ct_rng rng;
    struct ct_err err = CT_ERR_INIT;

    ct_rng_seed(&rng, 3);
    for (size_t i = 0; i < NEAR && config; i++) {
        for (size_t p = 0; p < b->params; p++)
            config[p] = (uint32_t)ct_rng_below(&rng, b->binding->domains[p].count);
        if (!ct_space_nearest(b->space, config, config, &err))
            b->failed = 1;
    }
    free(config);
}

static int open_space(struct bench *b, const char *path)
{
    static const struct ct_binding_options none;
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    int failed = ct_spec_load(path, &b->spec, &diags, &err) ||
                 ct_binding_new(b->spec, &none, &b->binding, &diags, &err) ||
                 ct_space_new(b->binding, NULL, &b->space, &err) ||
                 !ct_space_count(b->space);

    if (failed)
        fprintf(stderr, "space_queries: %s: %s\n", path,
                err.code ? err.message : "nothing is valid");
    ct_diags_release(&diags);
    return failed;
}

static void ask_all(struct bench *b)
{
    struct ct_rng rng;

    ct_rng_seed(&rng, 1);
    for (size_t i = 0; i < DRAWN; i++)
        b->indices[i] = ct_rng_below(&rng, ct_space_count(b->space));
    b->between = "{";
    report(b, "index_to_config_ns", ask_config, DRAWN);
    report(b, "config_to_index_ns", ask_index, DRAWN);
    report(b, "round_trip_ns", ask_round_trip, DRAWN);
    report(b, "sample_1000_ns", ask_sample, 1);
    report(b, "neighbours_one_ns", ask_one, NEAR);
    report(b, "neighbours_two_ns", ask_two, NEAR);
    report(b, "nearest_ns", ask_nearest, NEAR);
    report(b, "next_ns", ask_next, DRAWN);
    puts("}");
}

int main(int argc, char **argv)
{
    struct bench b;

    memset(&b, 0, sizeof(b));
    if (argc != 2) {
        fprintf(stderr, "usage: space_queries SPACE.ini\n");
        return 2;
    }
    if (open_space(&b, argv[1]))
        return 1;
    b.params = b.spec->param_count;
    b.indices = ct_mem_array(DRAWN, sizeof(*b.indices));
    b.configs = ct_mem_array(DRAWN * b.params, sizeof(*b.configs));
    if (b.indices && b.configs)
        ask_all(&b);
    else
        b.failed = 1;
    free(b.indices);
    free(b.configs);
    ct_space_free(b.space);
    ct_binding_free(b.binding);
    ct_spec_free(b.spec);
    return b.failed;
}
