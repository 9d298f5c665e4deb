// SPDX-License-Identifier: Apache-2.0
// The importance of parameters of made-up spaces, whose truth is known.
#include "report/importance.h"

#include "base/rng.h"

// clang-format off: cmocka.h needs these
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <string.h>

enum { WIDTH_MOST = 8, MOST = 5000 };
static const char *const names[WIDTH_MOST] = {"A", "B", "C", "D", "E", "F", "G", "H"};

struct world {
    struct ct_value values[MOST * WIDTH_MOST];
    double cost[MOST];
    struct ct_importance_input input;
    struct ct_importance found;
};

static struct world world;

static void begin(size_t width)
{
    world.input = (struct ct_importance_input){
        .names = names, .width = width, .values = world.values, .cost = world.cost};
}

static void add(const int64_t *values, double logarithm)
{
    struct ct_value *row = world.values + world.input.count * world.input.width;

    for (size_t p = 0; p < world.input.width; p++)
        row[p] = ct_value_int(values[p]);
    world.cost[world.input.count++] = exp(logarithm);
}

static void find(void)
{
    struct ct_err err = CT_ERR_INIT;

    assert_int_equal(ct_importance_find(&world.input, &world.found, &err), CT_OK);
}

static const struct ct_importance_param *param(const char *name)
{
    for (size_t p = 0; p < world.found.param_count; p++)
        if (strcmp(world.found.params[p].name, name) == 0)
            return &world.found.params[p];
    fail_msg("no parameter %s", name);
    return NULL;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%g is not within %g of %g", value, tolerance, expected);
}

/* Compares the sentences, one a line, and releases what was found. */
static void says(const char *expected)
{
    struct ct_str sentences[CT_IMPORTANCE_SENTENCES];
    struct ct_str text;
    size_t count;

    for (size_t i = 0; i < CT_IMPORTANCE_SENTENCES; i++)
        ct_str_init(&sentences[i]);
    ct_str_init(&text);
    count = ct_report_importance_sentences(&world.found, sentences);
    for (size_t i = 0; i < CT_IMPORTANCE_SENTENCES; i++) {
        if (i < count)
            ct_str_addf(&text, "%s\n", sentences[i].data);
        ct_str_release(&sentences[i]);
    }
    assert_string_equal(text.data, expected);
    ct_str_release(&text);
    ct_importance_release(&world.found);
}

/* A halves the time with 4, B takes a tenth off; C does nothing. */
static double additive(const int64_t *v)
{
    return log(4) - (v[0] == 4 ? log(2) : 0) - (v[1] == 2 ? log(1.1) : 0);
}

static void test_additive(void **state)
{
    /* Variances of an effect e of one of n values: e^2 (n - 1) / n^2. */
    const double a = log(2) * log(2) * 3 / 16;
    const double b = log(1.1) * log(1.1) / 4;
    int64_t standard_values[] = {1, 1, 0};
    struct ct_value standard[3];

    (void)state;
    begin(3);
    for (int64_t i = 1; i <= 4; i++)
        for (int64_t j = 1; j <= 2; j++)
            for (int64_t k = 0; k < 8; k++)
                add((int64_t[]){i, j, k}, additive((int64_t[]){i, j, k}));
    for (size_t p = 0; p < 3; p++)
        standard[p] = ct_value_int(standard_values[p]);
    world.input.valid = world.input.count;
    world.input.standard = standard;
    find();
    assert_int_equal(world.found.state, CT_IMPORTANCE_KNOWN);
    assert_true(world.found.whole);
    assert_near(param("A")->main, a / (a + b), 1e-6);
    assert_near(param("A")->total, a / (a + b), 1e-6);
    assert_near(param("B")->main, b / (a + b), 1e-6);
    assert_near(param("C")->main, 0, 1e-6);
    assert_near(param("C")->total, 0, 1e-6);
    assert_near(param("A")->worth, 2, 1e-6);
    assert_near(param("B")->worth, 1.1, 1e-6);
    assert_true(param("A")->matters && param("B")->matters && !param("C")->matters);
    assert_true(param("C")->no_difference);
    assert_int_equal(param("A")->best.low.u.i, 4);
    assert_true(param("A")->versus_default);
    assert_int_equal(world.found.pair_count, 0);
    says(
        "1 of 3 parameters decides: A; the others explain less than 10% of the variation\n"
        "A=4 is worth 2.00x over the default A=1, on average (95% interval 2.00x to 2.00x)\n"
        "B=2 is worth 1.10x over the default B=1, on average (95% interval 1.10x to 1.10x)\n"
        "C makes no difference (less than 0.1% in 9 of 10 comparisons)\n");
}

/* All results of a space on a device whose noise hides what B may do: that is no reason to say that
 * it does nothing, and not one to say that it decides. */
static void test_hidden_by_noise(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 3);
    begin(2);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 8; j++)
            add((int64_t[]){i, j}, 0.9 * (double)i + 0.28 * ct_rng_normal(&rng));
    world.input.valid = world.input.count;
    world.input.noise = 1.9;
    find();
    assert_int_equal(world.found.state, CT_IMPORTANCE_KNOWN);
    assert_int_equal(world.found.deciding, 2);
    assert_true(param("B")->within > 0.1 && param("B")->within <= 1.9);
    assert_false(param("B")->no_difference);
    assert_true(param("A")->matters);
    assert_string_equal(param("A")->name, world.found.params[0].name);
    says("A matters most: 98% of the variation depends on it\n"
         "A=0 is worth 6.66x over A=2, on average (95% interval 4.15x to 9.21x)\n");
}

/* A and B matter only together. */
static void test_pure_interaction(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 1);
    begin(3);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 4; j++)
            for (int64_t k = 0; k < 5; k++)
                add((int64_t[]){i, j, k},
                    ((i + j) % 2 ? 0.5 : 0) + 0.002 * ct_rng_normal(&rng));
    world.input.valid = world.input.count;
    world.input.failed = 9;
    find();
    assert_near(param("A")->main, 0, 0.01);
    assert_near(param("A")->total, 1, 0.01);
    assert_near(param("B")->total, 1, 0.01);
    assert_near(param("C")->total, 0, 0.01);
    assert_int_equal(world.found.pair_count, 1);
    assert_near(world.found.pairs[0].share, 1, 0.01);
    assert_string_equal(world.found.pairs[0].names[0], "A");
    assert_string_equal(world.found.pairs[0].names[1], "B");
    assert_false(param("A")->matters || param("B")->matters);
    assert_int_equal(world.found.deciding, 2);
    says("2 of 3 parameters decide: B and A; the other explains less than 10% of the "
         "variation (without the 11% of results that failed)\n"
         "C makes no difference (0.8% in 9 of 10 comparisons)\n"
         "A and B interact: the effect of one depends on the other (100% of the "
         "variation)\n");
}

/* B is at most A, so that costs differ between values of B although only A has an effect. */
static void test_constraint(void **state)
{
    (void)state;
    begin(3);
    for (int64_t i = 1; i <= 8; i++)
        for (int64_t j = 1; j <= i; j++)
            for (int64_t k = 0; k < 2; k++)
                add((int64_t[]){i, j, k}, -0.1 * (double)i);
    world.input.valid = world.input.count;
    find();
    assert_near(param("A")->main, 1, 0.01);
    assert_near(param("B")->main, 0, 0.01);
    assert_near(param("B")->total, 0, 1e-9);
    assert_true(param("A")->matters);
    assert_true(param("B")->no_difference);
    assert_int_equal(world.found.deciding, 1);
    ct_importance_release(&world.found);
}

/* A hundred and twenty results of 65,536. */
static void test_part_of_a_space(void **state)
{
    struct ct_rng rng;

    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        ct_rng_seed(&rng, seed);
        begin(8);
        for (int i = 0; i < 120; i++) {
            int64_t v[8] = {0};

            for (size_t p = 0; p < 8; p++)
                v[p] = (int64_t)ct_rng_below(&rng, 4);
            /* Variances 0.3125, 0.05 and, of the pair beyond its parts, 0.0625. */
            add(v, 0.5 * (double)v[0] + 0.2 * (double)v[1] +
                       ((v[2] + v[3]) % 2 ? 0.5 : 0) + 0.02 * ct_rng_normal(&rng));
        }
        world.input.valid = 65536;
        find();
        assert_false(world.found.whole);
        assert_int_equal(world.found.state, CT_IMPORTANCE_KNOWN);
        assert_string_equal(world.found.params[0].name, "A");
        assert_near(param("A")->main, 0.735, 0.12);
        assert_near(param("B")->main, 0.118, 0.06);
        assert_true(param("A")->matters && param("A")->low < exp(1.5) &&
                    param("A")->high > exp(1.5) * 0.9);
        for (size_t p = 4; p < 8; p++) {
            assert_near(param(names[p])->main, 0, 0.03);
            assert_false(param(names[p])->matters);
        }
        ct_importance_release(&world.found);
    }
}

/* Results that have nothing to do with the parameters support no claim. */
static void test_noise_alone(void **state)
{
    struct ct_rng rng;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ct_rng_seed(&rng, seed);
        begin(6);
        for (int i = 0; i < 60; i++) {
            int64_t v[6] = {0};

            for (size_t p = 0; p < 6; p++)
                v[p] = (int64_t)ct_rng_below(&rng, 4);
            add(v, 0.3 * ct_rng_normal(&rng));
        }
        world.input.valid = 4096;
        find();
        assert_int_equal(world.found.state, CT_IMPORTANCE_UNCLEAR);
        assert_int_equal(world.found.deciding, 0);
        assert_int_equal(world.found.pair_count, 0);
        ct_importance_release(&world.found);
    }
}

static void test_too_few(void **state)
{
    (void)state;
    begin(1);
    for (int64_t i = 0; i < 19; i++)
        add(&i, (double)i);
    world.input.valid = 1000;
    find();
    assert_int_equal(world.found.state, CT_IMPORTANCE_TOO_FEW);
    assert_int_equal(world.found.needed, 20);
    says("");
    /* The whole of a space says more. */
    world.input.valid = 19;
    find();
    assert_int_equal(world.found.state, CT_IMPORTANCE_KNOWN);
    ct_importance_release(&world.found);
}

static void test_alike(void **state)
{
    (void)state;
    begin(2);
    for (int64_t i = 0; i < 40; i++)
        add((int64_t[]){i % 4, i / 4}, 0.0001 * (double)(i % 4));
    find();
    assert_int_equal(world.found.state, CT_IMPORTANCE_ALIKE);
    says("no parameter makes a difference: 95% of the 40 results are within 0.0% of the "
         "best\n");
    /* A difference of 10% is within a noise of 30%. */
    begin(2);
    for (int64_t i = 0; i < 40; i++)
        add((int64_t[]){i % 4, i / 4}, i % 4 ? 0.1 : 0);
    world.input.noise = 0.3;
    find();
    assert_int_equal(world.found.state, CT_IMPORTANCE_ALIKE);
    ct_importance_release(&world.found);
}

/* Texts, values that are not active, and one that never varies. */
static void test_kinds(void **state)
{
    static const char *const texts[] = {"direct", "tiled", "fast"};

    (void)state;
    begin(3);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 16; j++) {
            struct ct_value *row = world.values + world.input.count * 3;

            add((int64_t[]){i, j, 7}, i == 2 ? 0 : 1);
            row[0] = ct_value_text(texts[i]);
            if (i == 0)
                row[1] = ct_value_absent();
        }
    world.input.valid = world.input.count;
    find();
    assert_int_equal(world.found.param_count, 2);
    assert_string_equal(param("A")->best.low.u.s, "fast");
    says(
        "1 of 2 parameters decides: A; the other explains less than 10% of the variation\n"
        "A=fast is worth 2.72x over A=tiled, on average (95% interval 2.72x to 2.72x)\n"
        "B makes no difference (less than 0.1% in 9 of 10 comparisons)\n");
}

/* A parameter with a thousand values has them in groups. */
static void test_many_values(void **state)
{
    (void)state;
    begin(2);
    for (int64_t i = 0; i < 1000; i++)
        add((int64_t[]){i, i * 7 % 3}, i < 500 ? 1 : 0);
    world.input.valid = 1000;
    find();
    assert_int_equal(param("A")->levels, 16);
    assert_near(param("A")->main, 1, 0.02);
    assert_true(param("A")->best.low.u.i >= 500);
    assert_true(param("A")->best.high.u.i - param("A")->best.low.u.i > 50);
    ct_importance_release(&world.found);
}

/* The same input has the same result. */
static void test_repeatable(void **state)
{
    struct ct_importance first;

    (void)state;
    begin(3);
    for (int64_t i = 0; i < 60; i++)
        add((int64_t[]){i % 4, i % 7, i % 5},
            0.2 * (double)(i % 7) + 0.01 * (double)(i % 3));
    find();
    first = world.found;
    find();
    assert_int_equal(first.param_count, world.found.param_count);
    for (size_t p = 0; p < first.param_count; p++) {
        assert_string_equal(first.params[p].name, world.found.params[p].name);
        assert_true(first.params[p].main == world.found.params[p].main);
        assert_true(first.params[p].low == world.found.params[p].low);
    }
    ct_importance_release(&first);
    ct_importance_release(&world.found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_additive),        cmocka_unit_test(test_pure_interaction),
        cmocka_unit_test(test_constraint),      cmocka_unit_test(test_part_of_a_space),
        cmocka_unit_test(test_hidden_by_noise), cmocka_unit_test(test_noise_alone),
        cmocka_unit_test(test_too_few),         cmocka_unit_test(test_alike),
        cmocka_unit_test(test_kinds),           cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_repeatable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
