// SPDX-License-Identifier: Apache-2.0
// The base modules that compute: random numbers, statistics, values as text.
#include "base/clock.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/value.h"
#include "plan/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- rng --- */

/* From the state 1, 2, 3, 4: the vector that implementations of xoshiro256** share. */
static void test_rng_reference(void **state)
{
    struct ct_rng rng = {{1, 2, 3, 4}};
    static const uint64_t expected[] = {11520u,
                                        0u,
                                        1509978240u,
                                        1215971899390074240u,
                                        1216172134540287360u,
                                        607988272756665600u,
                                        16172922978634559625u,
                                        8476171486693032832u,
                                        10595114339597558777u,
                                        2904607092377533576u};

    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_true(ct_rng_next(&rng) == expected[i]);
}

/* Constants computed with a separate implementation in Python. */
static void test_rng_seeds(void **state)
{
    static const struct {
        uint64_t seed;
        uint64_t values[4];
    } known[] = {
        {0,
         {0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0,
          0x6aa594f1262d2d2c}},
        {1,
         {0xb3f2af6d0fc710c5, 0x853b559647364cea, 0x92f89756082a4514,
          0x642e1c7bc266a3a7}},
        {42,
         {0x15780b2e0c2ec716, 0x6104d9866d113a7e, 0xae17533239e499a1,
          0xecb8ad4703b360a1}},
        {UINT64_MAX,
         {0x8f5520d52a7ead08, 0xc476a018caa1802d, 0x81de31c0d260469e,
          0xbf658d7e065f3c2f}},
    };
    static const unsigned below[] = {2, 2, 9, 3, 6, 4, 4, 7, 8, 5, 9, 3};
    static const double normal[] = {0.9643618527255184, -0.3039301238656567,
                                    0.30479435832638674, -1.7010190714940672};
    struct ct_rng rng;

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        ct_rng_seed(&rng, known[i].seed);
        for (int j = 0; j < 4; j++)
            assert_true(ct_rng_next(&rng) == known[i].values[j]);
    }
    ct_rng_seed(&rng, 42);
    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
        assert_int_equal(ct_rng_below(&rng, 10), below[i]);
    ct_rng_seed(&rng, 7);
    assert_true(ct_rng_unit(&rng) == 0x1.66b1f5ee9df2ep-1);
    assert_true(ct_rng_unit(&rng) == 0x1.1d70f6593d20ap-2);
    ct_rng_seed(&rng, 7);
    for (size_t i = 0; i < sizeof(normal) / sizeof(normal[0]); i++)
        assert_true(fabs(ct_rng_normal(&rng) - normal[i]) < 1e-14);
}

static void test_rng_ranges(void **state)
{
    struct ct_rng rng;
    double sum = 0;
    double squares = 0;
    enum { DRAWS = 100000 };
    uint64_t limit = UINT64_MAX / 3 * 2; /* a third of the raw values must be rejected */
    unsigned low = 0;

    (void)state;
    ct_rng_seed(&rng, 3);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t drawn = ct_rng_below(&rng, limit);
        double x = ct_rng_normal(&rng);
        double unit = ct_rng_unit(&rng);

        assert_true(drawn < limit);
        assert_true(unit >= 0 && unit < 1);
        assert_int_equal(ct_rng_below(&rng, 1), 0);
        low += drawn < limit / 2;
        sum += x;
        squares += x * x;
    }
    /* Five standard deviations each. */
    assert_true(fabs(low - DRAWS / 2.0) < 5 * sqrt(DRAWS) / 2);
    assert_true(fabs(sum / DRAWS) < 5 / sqrt(DRAWS));
    assert_true(fabs(squares / DRAWS - 1) < 5 * sqrt(2.0 / DRAWS));
}

/* --- stats --- */

static void test_median(void **state)
{
    double odd[] = {5, 1, 4};
    double even[] = {4, 1, 3, 2};
    double same[] = {7, 7, 7, 7};

    (void)state;
    assert_true(ct_stats_median(NULL, 0) == 0);
    assert_true(ct_stats_median(odd, 1) == 5);
    assert_true(ct_stats_median(odd, 3) == 4);
    assert_true(ct_stats_median(even, 4) == 2.5);
    assert_true(even[0] == 1 && even[3] == 4);
    assert_true(ct_stats_median(same, 4) == 7);
}

/* Values left out at each end, and the coverage, from exact fractions in Python. */
static void test_median_interval(void **state)
{
    static const struct {
        size_t count;
        double level;
        size_t cut;
        double coverage;
    } known[] = {
        {1, 0.95, 0, 0},
        {2, 0.95, 0, 0.5},
        {3, 0.95, 0, 0.75},
        {5, 0.95, 0, 0.9375},
        {6, 0.95, 0, 0.96875},
        {7, 0.95, 0, 0.984375},
        {8, 0.95, 0, 0.9921875},
        {9, 0.95, 1, 0.9609375},
        {10, 0.95, 1, 0.978515625},
        {11, 0.95, 1, 0.98828125},
        {20, 0.95, 5, 0.95861053466796875},
        {25, 0.95, 7, 0.95671474933624268},
        {50, 0.95, 17, 0.96716086243573152},
        {100, 0.95, 39, 0.96479979978229513},
        {1000, 0.95, 468, 0.95370880263950186},
        {5, 0.50, 1, 0.625},
        {6, 0.50, 1, 0.78125},
        {10, 0.50, 3, 0.65625},
        {10, 0.99, 0, 0.998046875},
        {25, 0.99, 5, 0.99592268466949463},
        {1000, 0.99, 458, 0.99136005099773949},
        {1000, 0.50, 488, 0.53295487834721389},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        double values[1000];
        size_t count = known[i].count;
        double low = -1;
        double high = -1;
        double coverage;

        for (size_t j = 0; j < count; j++) /* falling: it must sort */
            values[j] = (double)(count - 1 - j);
        coverage = ct_stats_median_interval(values, count, known[i].level, &low, &high);
        if (low != (double)known[i].cut || high != (double)(count - 1 - known[i].cut) ||
            !(fabs(coverage - known[i].coverage) < 1e-10))
            fail_msg("%zu at %g: %g to %g covers %.12g", count, known[i].level, low, high,
                     coverage);
    }
}

/* --- value --- */

static void expect_print(struct ct_value value, const char *expected)
{
    struct ct_str out;

    ct_str_init(&out);
    ct_value_print(&out, value);
    assert_string_equal(out.data, expected);
    ct_str_release(&out);
}

static void test_value_print(void **state)
{
    struct ct_value none = {.kind = CT_NONE};

    (void)state;
    expect_print(ct_value_int(INT64_MIN), "-9223372036854775808");
    expect_print(ct_value_int(0), "0");
    expect_print(ct_value_real(1), "1.0");
    expect_print(ct_value_real(-2.5), "-2.5");
    expect_print(ct_value_real(0.1), "0.1");
    expect_print(ct_value_real(0.1 + 0.2), "0.30000000000000004");
    expect_print(ct_value_real(1e300), "1e+300");
    expect_print(ct_value_real(123456789), "123456789.0");
    expect_print(ct_value_real(5e-324), "5e-324");
    expect_print(ct_value_real(-0.0), "-0.0");
    expect_print(ct_value_text("a b"), "a b");
    expect_print(none, "");
}

/* What is printed is a literal of C and reads back the same. */
static void test_value_print_exact(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 5);
    for (int i = 0; i < 10000; i++) {
        uint64_t bits = ct_rng_next(&rng);
        struct ct_str out;
        double real;

        memcpy(&real, &bits, sizeof(real));
        if (!isfinite(real))
            continue;
        ct_str_init(&out);
        ct_value_print(&out, ct_value_real(real));
        assert_true(strtod(out.data, NULL) == real);
        assert_non_null(strpbrk(out.data, ".e"));
        ct_str_release(&out);
    }
}

/* Nothing shorter reads back the same: equal values have equal texts, also those of older
 * versions, which are hashed. */
static void test_value_print_shortest(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 6);
    for (int i = 0; i < 20000; i++) {
        double digits = pow(10, (double)(ct_rng_next(&rng) % 17));
        double real = (double)(int64_t)(ct_rng_unit(&rng) * digits) /
                      pow(10, (double)(ct_rng_next(&rng) % 30));
        struct ct_str out;
        char shortest[40] = "";

        if (i % 4 == 0) { /* the bits of any, subnormal ones among them */
            uint64_t bits = ct_rng_next(&rng) >> (i % 64 == 0 ? 12 : 0);

            memcpy(&real, &bits, sizeof(real));
        }
        if (!isfinite(real))
            continue;
        for (int d = 1; d <= 17 && (d == 1 || strtod(shortest, NULL) != real); d++)
            snprintf(shortest, sizeof(shortest), "%.*g", d, real);
        if (!strpbrk(shortest, ".e"))
            strcat(shortest, ".0");
        ct_str_init(&out);
        ct_value_print(&out, ct_value_real(real));
        assert_string_equal(out.data, shortest);
        ct_str_release(&out);
    }
}

static void test_value_equal(void **state)
{
    struct ct_value none = {.kind = CT_NONE};
    char text[] = "a";

    (void)state;
    assert_true(ct_value_equal(ct_value_int(2), ct_value_real(2)));
    assert_true(ct_value_equal(ct_value_real(2), ct_value_int(2)));
    assert_false(ct_value_equal(ct_value_int(2), ct_value_real(2.5)));
    assert_true(ct_value_equal(ct_value_text("a"), ct_value_text(text)));
    assert_false(ct_value_equal(ct_value_text("1"), ct_value_int(1)));
    assert_true(ct_value_equal(none, none));
    assert_false(ct_value_equal(none, ct_value_int(0)));
    /* 2^53 + 1 has no double of its own. */
    assert_false(
        ct_value_equal(ct_value_int((INT64_C(1) << 53) + 1), ct_value_real(0x1p53)));
    assert_false(ct_value_equal(ct_value_int(INT64_MAX), ct_value_real(0x1p63)));
}

static void test_clock(void **state)
{
    uint64_t before = ct_clock_now_ns();

    (void)state;
    assert_true(ct_clock_now_ns() >= before);
    assert_true(ct_clock_unix_s() > 1700000000);
}

/* --- numbers in JSON --- */

static void expect_json(json_t *json, size_t flags, const char *expected)
{
    char *text = ct_json_dump(json, flags);

    assert_string_equal(text, expected);
    free(text);
    json_decref(json);
}

static void test_json_reals(void **state)
{
    (void)state;
    expect_json(json_pack("[f, f, f, f]", 0.1, 2288652.631, 1.0 / 3, -1e300),
                JSON_COMPACT, "[0.1,2288652.631,0.3333333333333333,-1e+300]");
    expect_json(json_pack("[f, f, f]", 800000.0, 0.0, 5e-324), JSON_COMPACT,
                "[800000.0,0.0,4.94065645841247e-324]");
    /* Texts, integers and words stay, whatever they look like. */
    expect_json(json_pack("{s:[b, b, n], s:I}", "0.10000000000000001", 1, 0,
                          "\\\"0.10000000000000001", (json_int_t)INT64_MIN),
                JSON_COMPACT,
                "{\"0.10000000000000001\":[true,false,null],"
                "\"\\\\\\\"0.10000000000000001\":-9223372036854775808}");
    expect_json(json_real(0.3), JSON_ENCODE_ANY, "0.3");
    assert_null(ct_json_dump(NULL, 0));
}

/* What is read is what was written. */
static void test_json_reads_back(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 1);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = ct_rng_next(&rng);
        double value;
        char *text;
        json_t *json;
        json_t *read;

        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        json = json_pack("[f]", value);
        text = ct_json_dump(json, 0);
        read = json_loads(text, 0, NULL);
        assert_non_null(read);
        assert_true(json_real_value(json_array_get(read, 0)) == value);
        free(text);
        json_decref(json);
        json_decref(read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rng_reference),
        cmocka_unit_test(test_rng_seeds),
        cmocka_unit_test(test_rng_ranges),
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_median_interval),
        cmocka_unit_test(test_value_print),
        cmocka_unit_test(test_value_print_exact),
        cmocka_unit_test(test_value_print_shortest),
        cmocka_unit_test(test_value_equal),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_json_reals),
        cmocka_unit_test(test_json_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
