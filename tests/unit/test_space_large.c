// SPDX-License-Identifier: Apache-2.0
// Spaces of which nearly everything is valid, of many parameters, and of about as many
// configurations as 64 bits can number.
#include "space_brute.h"

#include "base/rng.h"
#include "base/str.h"

static enum ct_status build(struct space_text *t, const char *text, uint64_t bytes)
{
    const struct ct_space_options options = {.memory_max_bytes = bytes};
    struct ct_err err = CT_ERR_INIT;

    space_text_bind(t, text, NULL);
    return ct_space_new(t->binding, &options, &t->space, &err);
}

/* --- what holds for certain --- */

/* What two of four parameters decide for good whatever the others will be, where that is
 * much of the space, little of it, and where roots share what they look at. */
static void test_certain(void **state)
{
    static const char *const constraints[] = {
        "c = A + B + C + D > 12",
        "c = A + B - C * D > -20",
        "c = A * B * C * D > 300",
        "c = (A * B) / (C * D) >= 1",
        "c = A * B != C * D * 50",
        "c = !(A * B < 3 * C * D)",
        "c = min(A * B, C * 40) > D",
        "c = max(A, B) * C > D + 10",
        "c = A * B / 2.0 + C > D",
        "c = -(A * B) < C - D - 9",
        "c = A * B > 90 || C < D",
        "c = A > 20 && B > C || D == 2",
        "c = A + B + C > 20\nd = A + B - 2 * D < 90",
        "c = A + B + C > 20\nd = A + C + D > 9\ne = B * D < 400",
        "c = A * B + C > 30\nd = A * B * D % 7 != 3",
        "c = A + B * C > 30\nd = (A + B) % C != D",
        "c = A * C > 3\nd = B * D > 5\ne = A + B != 30 || C > D",
        "c = (A > 30 || C > 1) && (B > 30 || D > 1) && A * B > 2 * C",
        "c = 100 / (A - C) < 60 || B + D > 8",
        "c = A + B + C + D > 300",
        "c = A * C + B + 37 < 150",
    };
    static const char *const lists[] = {"1..70", "2..70, 1", "-3..66"};

    (void)state;
    for (size_t i = 0; i < 3 * sizeof(constraints) / sizeof(constraints[0]); i++) {
        struct ct_str text;
        struct space_text t;
        struct ct_space_stats stats;

        ct_str_init(&text);
        ct_str_addf(&text,
                    "[param]\nA = %s\nB = %s\nC = 1..5\nD = 2..4\n[constraint]\n%s\n",
                    lists[i % 3], lists[i % 3], constraints[i / 3]);
        space_text_open(&t, text.data, NULL);
        ct_str_release(&text);
        brute_check(&t);
        ct_space_stats_get(t.space, &stats);
        if (stats.constraint_count == 1 && stats.components[0].param_count == 4) {
            assert_true(stats.constraints[0].tried == stats.cartesian);
            assert_true(stats.constraints[0].removed ==
                        stats.cartesian - (double)stats.valid);
        }
        space_text_close(&t);
    }
}

/* Sums and products of which three parts or more are bounded by constants, while one
 * parameter is known and the one beside it is not: all of them count.  Both constraints
 * are alike, so that one of them is last whatever the order. */
static void test_many_constants(void **state)
{
    static const char *const constraints[] = {
        "c = A * B + (37 + B) < 424\nd = A * C + (37 + C) < 424",
        "c = 3 * B * (A % B) < 900\nd = 3 * C * (A % C) < 900",
    };
    static const char *const lists[] = {"-3..62", "1..66"};

    (void)state;
    for (size_t i = 0; i < sizeof(constraints) / sizeof(constraints[0]); i++) {
        struct ct_str text;
        struct space_text t;

        ct_str_init(&text);
        ct_str_addf(&text, "[param]\nA = %s\nB = %s\nC = %s\n[constraint]\n%s\n",
                    lists[i], lists[i], lists[i], constraints[i]);
        space_text_open(&t, text.data, NULL);
        ct_str_release(&text);
        brute_check(&t);
        space_text_close(&t);
    }
}

/* Nearly everything is valid: what does not matter any more is not remembered. */
static void test_nearly_all(void **state)
{
    static const char text[] = "[param]\nA = 0..65535\nB = 0..65535\nC = 0..65535\n"
                               "D = 0..65535\n[constraint]\nsome = A + B + C + D > 0\n";
    struct space_text t;
    struct ct_space_stats stats;
    uint32_t config[4];
    uint64_t index = 0;

    (void)state;
    assert_int_equal(build(&t, text, (uint64_t)1 << 23), CT_OK);
    ct_space_stats_get(t.space, &stats);
    /* All but one of 2^64. */
    assert_true(stats.valid == UINT64_MAX && stats.valid_exact);
    assert_true(stats.components[0].valid == UINT64_MAX);
    assert_true(stats.components[0].valid_exact);
    assert_int_equal(stats.nodes, 7);
    assert_true(stats.constraints[0].removed == 1);
    ct_space_config(t.space, UINT64_MAX - 1, config);
    for (size_t p = 0; p < 4; p++)
        assert_int_equal(config[p], 65535);
    assert_true(ct_space_index(t.space, config, &index) && index == UINT64_MAX - 1);
    assert_false(ct_space_next(t.space, config));
    memset(config, 0, sizeof(config));
    assert_false(ct_space_contains(t.space, config));
    assert_true(ct_space_first(t.space, config));
    assert_true(ct_space_index(t.space, config, &index) && index == 0);
    space_text_close(&t);
    /* The same with a limit that half of the pairs are below. */
    assert_int_equal(build(&t,
                           "[param]\nA = 0..999\nB = 0..999\nC = 0..9\nD = 0..9\n"
                           "[constraint]\nmost = A * C + B * D <= 8991\n",
                           0),
                     CT_OK);
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.valid_exact && stats.valid > 50000000 && stats.valid < 100000000);
    space_text_close(&t);
}

/* --- many parameters --- */

/* Numbers 0 to count - 1 in an order that a seed decides. */
static void shuffle(size_t *order, size_t count, uint64_t seed)
{
    struct ct_rng rng;

    ct_rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++) {
        size_t other = (size_t)ct_rng_below(&rng, i + 1);

        order[i] = order[other];
        order[other] = i;
    }
}

enum { ROW = 300 };

/* Sequences of `ROW` numbers of 0 to 3 of which no three neighbours add to more than
 * 5. */
static double count_rows(void)
{
    double ways[4][4];
    double total = 0;

    for (int i = 0; i < 16; i++)
        ways[i / 4][i % 4] = 1;
    for (int n = 2; n < ROW; n++) {
        double next[4][4] = {{0}};

        for (int i = 0; i < 64; i++)
            if (i / 16 + i / 4 % 4 + i % 4 <= 5)
                next[i / 4 % 4][i % 4] += ways[i / 16][i / 4 % 4];
        memcpy(ways, next, sizeof(ways));
    }
    for (int i = 0; i < 16; i++)
        total += ways[i / 4][i % 4];
    return total;
}

/* A row of parameters, each tied to its neighbours, in a file that names both parameters
 * and constraints in any order: merged, it is narrow. */
static void test_long_row(void **state)
{
    struct ct_str text;
    struct space_text t;
    struct ct_space_stats stats;
    size_t order[ROW] = {0};
    double expected = count_rows();

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[param]\n");
    shuffle(order, ROW, 1);
    for (size_t i = 0; i < ROW; i++)
        ct_str_addf(&text, "P%zu = 0..3\n", order[i]);
    ct_str_puts(&text, "[constraint]\n");
    shuffle(order, ROW - 2, 2);
    for (size_t i = 0; i < ROW - 2; i++)
        ct_str_addf(&text, "c%zu = P%zu + P%zu + P%zu <= 5\n", i, order[i], order[i] + 1,
                    order[i] + 2);
    assert_int_equal(build(&t, text.data, (uint64_t)1 << 25), CT_OK);
    ct_str_release(&text);
    ct_space_stats_get(t.space, &stats);
    assert_int_equal(stats.component_count, 1);
    assert_true(stats.valid == UINT64_MAX && !stats.valid_exact);
    assert_true(stats.valid_approx > expected * (1 - 1e-12) &&
                stats.valid_approx < expected * (1 + 1e-12));
    space_text_close(&t);
}

/* A parameter that all others are tied to, and one constraint over many. */
static void test_hub(void **state)
{
    struct ct_str text;
    struct space_text t;
    struct ct_space_stats stats;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[param]\nHUB = 0..3\n");
    for (int p = 0; p < 100; p++)
        ct_str_addf(&text, "P%d = 0, 1, 2\n", p);
    ct_str_puts(&text, "[constraint]\n");
    for (int p = 0; p < 100; p += 2)
        ct_str_addf(&text, "c%d = P%d >= HUB\n", p, p);
    ct_str_puts(&text, "few = ");
    for (int p = 0; p < 100; p++)
        ct_str_addf(&text, "%sP%d", p ? " + " : "", p);
    ct_str_puts(&text, " >= 199\n");
    assert_int_equal(build(&t, text.data, 0), CT_OK);
    ct_str_release(&text);
    ct_space_stats_get(t.space, &stats);
    /* All are 2, or one of them is 1: with HUB of 0 and 1 any, with 2 one of the odd. */
    assert_int_equal(stats.valid, 2 * 101 + 51);
    space_text_close(&t);
}

/* --- as many as 64 bits can number --- */

/* 2^64 - 1 is 3 * 5 * 17 * 257 * 641 * 65537 * 6700417. */
static void open_product(struct space_text *t, int last, const char *more)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_str_addf(&text,
                "[param]\nA = 0..2\nB = 0..4\nC = 0..16\nD = 0..256\nE = 0..640\n"
                "F = 0..65536\nG = 0..2999\nH = 0..2999\n%s[constraint]\n"
                "most = G * 3000 + H < %d\n",
                more, last);
    space_text_open(t, text.data, NULL);
    ct_str_release(&text);
}

static void test_last_number(void **state)
{
    struct space_text t;
    struct ct_space_stats stats;
    uint32_t config[8];
    uint64_t index = 0;

    (void)state;
    open_product(&t, 6700417, "");
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.valid == UINT64_MAX && stats.valid_exact);
    assert_true(stats.canonical == UINT64_MAX && !stats.canonical_exact);
    ct_space_config(t.space, UINT64_MAX - 1, config);
    assert_true(ct_space_index(t.space, config, &index) && index == UINT64_MAX - 1);
    assert_false(ct_space_next(t.space, config));
    assert_true(ct_space_shard_count(t.space, 0, 2) +
                    ct_space_shard_count(t.space, 1, 2) ==
                UINT64_MAX);
    assert_true(ct_space_shard_count(t.space, 0, 2) >= UINT64_MAX >> 1);
    assert_true(ct_space_shard_count(t.space, 1, 2) >= UINT64_MAX >> 1);
    space_text_close(&t);
    open_product(&t, 6700418, "");
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.valid == UINT64_MAX && !stats.valid_exact);
    space_text_close(&t);
    open_product(&t, 6700416, "");
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.valid == UINT64_MAX - UINT64_MAX / 6700417 && stats.valid_exact);
    space_text_close(&t);
    open_product(&t, 6700417, "I = 0, 1\nJ = 7\n");
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.valid == UINT64_MAX && !stats.valid_exact);
    assert_true(stats.components[0].valid_exact);
    space_text_close(&t);
}

/* One component beyond counting beside one that is empty, found only as it is built. */
static void test_empty_of_many(void **state)
{
    struct ct_str text;
    struct space_text t;
    struct ct_space_stats stats;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[param]\nA = 0..65535\nB = 0..65535\nC = 0..65535\nD = 0..65535\n"
                       "E = 0..1\nF = 1..9\nG = 1..9\n[constraint]\n"
                       "any = A + B + C + D + E > 0\nnone = F * G == 11\n");
    space_text_open(&t, text.data, NULL);
    ct_str_release(&text);
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.valid == 0 && stats.valid_exact);
    assert_true(stats.canonical == UINT64_MAX && !stats.canonical_exact);
    space_text_close(&t);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certain),       cmocka_unit_test(test_many_constants),
        cmocka_unit_test(test_nearly_all),    cmocka_unit_test(test_long_row),
        cmocka_unit_test(test_hub),           cmocka_unit_test(test_last_number),
        cmocka_unit_test(test_empty_of_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
