// SPDX-License-Identifier: Apache-2.0
// What failures have in common.
#include "tune/conjunction.h"

#include "base/rng.h"

// clang-format off: cmocka.h needs these
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <string.h>

enum { WIDTH = 3, MOST = 200 };
static const char *const names[WIDTH] = {"ALGORITHM", "SEGMENT", "WG"};

struct world {
    struct ct_value failed[MOST * WIDTH];
    struct ct_value worked[MOST * WIDTH];
    struct ct_conjunction_input input;
};

static void add(struct world *world, bool fails, const char *algorithm, int segment,
                int wg)
{
    size_t *count = fails ? &world->input.failed_count : &world->input.worked_count;
    struct ct_value *row = (fails ? world->failed : world->worked) + *count * WIDTH;

    row[0] = ct_value_text(algorithm);
    row[1] = ct_value_int(segment);
    row[2] = ct_value_int(wg);
    ++*count;
    world->input.names = names;
    world->input.width = WIDTH;
    world->input.failed = world->failed;
    world->input.worked = world->worked;
}

static void expect(const struct world *world, const char *text)
{
    struct ct_str out;

    ct_str_init(&out);
    assert_int_equal(ct_conjunction_put(&world->input, &out), text != NULL);
    assert_string_equal(out.data, text ? text : "");
    ct_str_release(&out);
}

/* All of a small space, where `algorithm` with a segment fails. */
static void fill(struct world *world)
{
    static const char *const algorithms[] = {"direct", "tiled", "transposed"};

    for (int a = 0; a < 3; a++)
        for (int segment = 0; segment <= 32; segment += 16)
            for (int wg = 32; wg <= 128; wg *= 2)
                add(world, a == 2 && segment > 0, algorithms[a], segment, wg);
}

static void test_two_terms(void **state)
{
    struct world world = {0};

    (void)state;
    fill(&world);
    assert_int_equal(world.input.failed_count, 6);
    expect(&world, "ALGORITHM=transposed && SEGMENT>0");
    /* One counter-example. */
    add(&world, false, "transposed", 16, 128);
    expect(&world, NULL);
}

static void test_three_terms(void **state)
{
    struct world world = {0};

    (void)state;
    for (int segment = 0; segment <= 32; segment += 16)
        for (int wg = 32; wg <= 128; wg *= 2) {
            add(&world, segment > 0 && wg <= 64, "transposed", segment, wg);
            add(&world, false, "direct", segment, wg);
        }
    expect(&world, "ALGORITHM=transposed && SEGMENT>0 && WG<=64");
}

static void test_counter_example(void **state)
{
    struct world world = {0};

    (void)state;
    fill(&world);
    for (int wg = 32; wg <= 128; wg *= 2)
        add(&world, false, "transposed", 16 + (wg == 64) * 16, wg);
    expect(&world, NULL);
}

static void test_bounds(void **state)
{
    struct world world = {0};

    (void)state;
    for (int wg = 32; wg <= 1024; wg *= 2)
        for (int segment = 0; segment < 2; segment++)
            add(&world, wg > 128, "direct", segment, wg);
    expect(&world, "WG>=256");
    memset(&world, 0, sizeof(world));
    for (int wg = 32; wg <= 1024; wg *= 2)
        for (int segment = 0; segment < 2; segment++)
            add(&world, wg < 128, "direct", segment, wg);
    expect(&world, "WG<=64");
}

static void test_few_witnesses(void **state)
{
    struct world world = {0};

    (void)state;
    for (int i = 0; i < 3; i++)
        add(&world, true, "tiled", i, 64);
    for (int i = 0; i < 30; i++)
        add(&world, false, "direct", i, 64);
    expect(&world, NULL);
    add(&world, true, "tiled", 3, 64);
    expect(&world, "ALGORITHM=tiled");
    /* When nothing works, nothing tells them apart. */
    world.input.worked_count = 0;
    expect(&world, NULL);
}

/* Failures at random are not explained, or without a counter-example. */
static void test_random(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 1);
    for (int round = 0; round < 50; round++) {
        struct world world = {0};

        for (int i = 0; i < MOST; i++)
            add(&world, ct_rng_below(&rng, 4) == 0,
                ct_rng_below(&rng, 2) ? "direct" : "tiled", (int)ct_rng_below(&rng, 3),
                (int)ct_rng_below(&rng, 4));
        expect(&world, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_terms),       cmocka_unit_test(test_three_terms),
        cmocka_unit_test(test_counter_example), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_few_witnesses),   cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
