// SPDX-License-Identifier: Apache-2.0
// Fills and comparisons of buffers.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "worker/data/data.h"
#include "worker/reference/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ct_plan_buffer buffer(enum ct_scalar scalar, unsigned width, uint64_t count,
                                    enum ct_check_kind check, double tolerance)
{
    return (struct ct_plan_buffer){.name = "b",
                                   .type = {scalar, width},
                                   .count = count,
                                   .check = check,
                                   .tolerance = tolerance,
                                   .compare = count};
}

static bool right(const struct ct_plan_buffer *b, const void *seen, const void *reference,
                  struct ct_mismatch *mismatch)
{
    return ct_verify_buffer(b, seen, reference, ct_verify_rms(b, reference), mismatch);
}

static void relative_uses_the_larger_of_value_and_rms(void **state)
{
    /* rms = sqrt((9 + 16 + 0 + 0) / 4) = 2.5 */
    const float reference[] = {3, 4, 0, 0};
    struct ct_plan_buffer b = buffer(CT_T_FLOAT, 1, 4, CT_CHECK_RELATIVE, 0.01);
    struct ct_mismatch mismatch = {0};
    float seen[4];

    (void)state;
    assert_true(ct_verify_rms(&b, reference) == 2.5);
    memcpy(seen, reference, sizeof(seen));
    assert_true(right(&b, seen, reference, &mismatch));
    seen[2] = 0.0249f;
    assert_true(right(&b, seen, reference, &mismatch));
    seen[1] = 4.0399f;
    assert_true(right(&b, seen, reference, &mismatch));
    seen[2] = -0.0251f;
    assert_false(right(&b, seen, reference, &mismatch));
    assert_int_equal(mismatch.element, 2);
    assert_int_equal(mismatch.wrong_count, 1);
    assert_true(mismatch.expected == 0 && mismatch.seen == -0.0251f);
    seen[1] = 4.5f;
    assert_false(right(&b, seen, reference, &mismatch));
    assert_int_equal(mismatch.element, 1);
    assert_int_equal(mismatch.wrong_count, 2);
}

static void nan_and_infinity_equal_only_themselves(void **state)
{
    const double nan = (double)NAN;
    const double inf = (double)INFINITY;
    const struct {
        double reference;
        double seen;
        bool good;
    } cases[] = {
        {nan, nan, true}, {nan, 1, false},    {1, nan, false},
        {inf, inf, true}, {inf, -inf, false}, {inf, 1e300, false},
        {1, inf, false},  {-inf, -inf, true}, {nan, inf, false},
    };
    static const enum ct_check_kind checks[] = {CT_CHECK_RELATIVE, CT_CHECK_ABSOLUTE,
                                                CT_CHECK_EXACT};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        for (size_t c = 0; c < 3; c++) {
            struct ct_plan_buffer b = buffer(CT_T_DOUBLE, 1, 3, checks[c], 0.5);
            double reference[] = {1, cases[i].reference, 2};
            double seen[] = {1, cases[i].seen, 2};
            struct ct_mismatch mismatch = {0};

            assert_int_equal(right(&b, seen, reference, &mismatch), cases[i].good);
            if (!cases[i].good)
                assert_int_equal(mismatch.element, 1);
        }
    }
}

static void exact_and_absolute(void **state)
{
    const float reference[] = {0, 1, -2};
    const float zeros[] = {-0.0f, 1, -2};
    const float near[] = {0, 1.25f, -2};
    struct ct_plan_buffer exact = buffer(CT_T_FLOAT, 1, 3, CT_CHECK_EXACT, 0);
    struct ct_plan_buffer absolute = buffer(CT_T_FLOAT, 1, 3, CT_CHECK_ABSOLUTE, 0.25);
    struct ct_plan_buffer none = buffer(CT_T_FLOAT, 1, 3, CT_CHECK_NONE, 0);
    struct ct_mismatch mismatch = {0};

    (void)state;
    assert_true(right(&exact, zeros, reference, &mismatch));
    assert_false(right(&exact, near, reference, &mismatch));
    assert_int_equal(mismatch.element, 1);
    assert_true(right(&absolute, near, reference, &mismatch));
    absolute.tolerance = 0.24;
    assert_false(right(&absolute, near, reference, &mismatch));
    assert_true(right(&none, near, reference, &mismatch));
}

static void integers_of_64_bits_are_exact(void **state)
{
    const int64_t big = INT64_MAX - 1;
    const int64_t reference[] = {big, INT64_MIN};
    int64_t seen[] = {big, INT64_MIN};
    struct ct_plan_buffer b = buffer(CT_T_LONG, 1, 2, CT_CHECK_EXACT, 0);
    struct ct_mismatch mismatch = {0};

    (void)state;
    assert_true(right(&b, seen, reference, &mismatch));
    seen[0]++;
    assert_false(right(&b, seen, reference, &mismatch));
    assert_int_equal(mismatch.element, 0);
    assert_int_equal(mismatch.wrong_count, 1);
    b.check = CT_CHECK_ABSOLUTE;
    b.tolerance = 1;
    assert_true(right(&b, seen, reference, &mismatch));
    seen[0] -= 3;
    assert_false(right(&b, seen, reference, &mismatch));
    /* The widest difference there is. */
    seen[0] = big;
    seen[1] = INT64_MAX;
    assert_false(right(&b, seen, reference, &mismatch));
    assert_int_equal(mismatch.element, 1);
}

static void every_type_finds_its_last_wrong_value(void **state)
{
    (void)state;
    for (int scalar = 0; scalar < CT_T_COUNT; scalar++) {
        enum { COUNT = 3000 }; /* more than a block */
        struct ct_plan_buffer b =
            buffer((enum ct_scalar)scalar, 1, COUNT, CT_CHECK_RELATIVE, 0.001);
        double room[2][COUNT];
        struct ct_mismatch mismatch = {0};

        for (size_t i = 0; i < COUNT; i++)
            for (int k = 0; k < 2; k++)
                ct_scalar_store(b.type.scalar, room[k], i, (double)(i % 100));
        assert_true(right(&b, room[0], room[1], &mismatch));
        ct_scalar_store(b.type.scalar, room[0], COUNT - 1, 101);
        assert_false(right(&b, room[0], room[1], &mismatch));
        assert_int_equal(mismatch.element, COUNT - 1);
        assert_int_equal(mismatch.wrong_count, 1);
        b.compare = COUNT - 1;
        assert_true(right(&b, room[0], room[1], &mismatch));
    }
}

/* Whole blocks of floats take a faster way than the rest. */
static void blocks_of_floats_are_as_strict(void **state)
{
    enum { COUNT = 2048 };
    static float reference[COUNT];
    static float seen[COUNT];
    struct ct_plan_buffer b = buffer(CT_T_FLOAT, 1, COUNT, CT_CHECK_RELATIVE, 0.01);
    struct ct_mismatch mismatch = {0};

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        reference[i] = seen[i] = i % 2 ? 1 : -1;
    reference[8] = seen[8] = NAN;
    seen[5] = 1.0099f;
    assert_true(right(&b, seen, reference, &mismatch));
    seen[1500] = -1.0101f;
    assert_false(right(&b, seen, reference, &mismatch));
    assert_int_equal(mismatch.element, 1500);
    assert_int_equal(mismatch.wrong_count, 1);
    seen[1500] = -1;
    seen[1600] = NAN;
    assert_false(right(&b, seen, reference, &mismatch));
    assert_int_equal(mismatch.element, 1600);
}

static void pad_lanes_do_not_count(void **state)
{
    float reference[] = {1, 2, 3, NAN, 4, 5, 6, 7};
    float seen[] = {1, 2, 3, 99, 4, 5, 6, NAN};
    struct ct_plan_buffer b = buffer(CT_T_FLOAT, 3, 2, CT_CHECK_RELATIVE, 1e-6);
    struct ct_mismatch mismatch = {0};

    (void)state;
    assert_true(fabs(ct_verify_rms(&b, reference) - sqrt(91.0 / 6)) < 1e-12);
    assert_true(right(&b, seen, reference, &mismatch));
    seen[6] = 5;
    assert_false(right(&b, seen, reference, &mismatch));
    assert_int_equal(mismatch.element, 6);
}

/* What messages say: integers exactly, reals with as many digits as tell them apart. */
static void mismatches_have_exact_texts(void **state)
{
    static const uint64_t ulongs[] = {UINT64_MAX, UINT64_MAX - 1};
    static const int64_t longs[] = {INT64_MIN, INT64_MAX};
    static const uint32_t uints[] = {4294967295u, 7};
    static const double doubles[] = {1.0, 1.0000000000000002};
    static const float floats[] = {-NAN, 0.1f};
    static const struct {
        enum ct_scalar type;
        const void *values;
        size_t size;
        const char *seen;
        const char *expected;
    } cases[] = {
        {CT_T_ULONG, ulongs, 8, "18446744073709551615", "18446744073709551614"},
        {CT_T_LONG, longs, 8, "-9223372036854775808", "9223372036854775807"},
        {CT_T_UINT, uints, 4, "4294967295", "7"},
        {CT_T_DOUBLE, doubles, 8, "1", "1.0000000000000002"},
        {CT_T_FLOAT, floats, 4, "NaN", "0.100000001"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_plan_buffer b = buffer(cases[i].type, 1, 1, CT_CHECK_EXACT, 0);
        const char *second = (const char *)cases[i].values + cases[i].size;
        struct ct_mismatch mismatch = {0};

        assert_false(right(&b, cases[i].values, second, &mismatch));
        assert_string_equal(mismatch.seen_text, cases[i].seen);
        assert_string_equal(mismatch.expected_text, cases[i].expected);
    }
}

static void fills_depend_on_both_seeds_alone(void **state)
{
    enum { COUNT = 1000 };
    struct ct_plan_buffer b = buffer(CT_T_FLOAT, 1, COUNT, CT_CHECK_NONE, 0);
    float first[COUNT];
    float again[COUNT];

    (void)state;
    b.fill = (struct ct_fill){.kind = CT_FILL_UNIFORM, .a = -1, .b = 2, .seed = 7};
    ct_data_fill(&b, 1, first);
    ct_data_fill(&b, 1, again);
    assert_memory_equal(first, again, sizeof(first));
    for (size_t i = 0; i < COUNT; i++)
        assert_true(first[i] >= -1 && first[i] <= 2);
    ct_data_fill(&b, 2, again);
    assert_memory_not_equal(first, again, sizeof(first));
    b.fill.seed = 8;
    ct_data_fill(&b, 1, again);
    assert_memory_not_equal(first, again, sizeof(first));
    /* Bytes that every machine must agree on: results are shared by their hash. */
    b.fill = (struct ct_fill){.kind = CT_FILL_UNIFORM, .a = 0, .b = 1, .seed = 42};
    ct_data_fill(&b, 0, first);
    assert_true(first[0] == (float)0.083862971059882163);
}

static void fills_of_each_kind(void **state)
{
    enum { COUNT = 2000 };
    struct ct_plan_buffer ints = buffer(CT_T_UCHAR, 1, COUNT, CT_CHECK_NONE, 0);
    struct ct_plan_buffer threes = buffer(CT_T_FLOAT, 3, 2, CT_CHECK_NONE, 0);
    struct ct_plan_buffer doubles = buffer(CT_T_DOUBLE, 1, COUNT, CT_CHECK_NONE, 0);
    unsigned char bytes[COUNT];
    unsigned seen = 0;
    float six[8];
    double normal[COUNT];
    double sum = 0;
    double squares = 0;

    (void)state;
    ints.fill = (struct ct_fill){.kind = CT_FILL_UNIFORM, .a = 3, .b = 6, .seed = 1};
    ct_data_fill(&ints, 0, bytes);
    for (size_t i = 0; i < COUNT; i++) {
        assert_in_range(bytes[i], 3, 6);
        seen |= 1u << bytes[i];
    }
    assert_int_equal(seen, 0x78); /* both ends */
    ints.fill = (struct ct_fill){.kind = CT_FILL_NONE};
    ct_data_fill(&ints, 0, bytes);
    assert_int_equal(bytes[0], 0xFF);
    assert_int_equal(bytes[COUNT - 1], 0xFF);
    ints.fill = (struct ct_fill){.kind = CT_FILL_ZERO};
    ct_data_fill(&ints, 0, bytes);
    assert_int_equal(bytes[COUNT - 1], 0);
    threes.fill = (struct ct_fill){.kind = CT_FILL_RAMP, .a = 10, .b = 0.5, .seed = 0};
    ct_data_fill(&threes, 0, six);
    assert_true(six[0] == 10 && six[1] == 10.5f && six[2] == 11 && six[3] == 0);
    assert_true(six[4] == 11.5f && six[6] == 12.5f && six[7] == 0);
    threes.fill = (struct ct_fill){.kind = CT_FILL_CONSTANT, .a = -2, .b = 0, .seed = 0};
    ct_data_fill(&threes, 0, six);
    assert_true(six[5] == -2);
    doubles.fill = (struct ct_fill){.kind = CT_FILL_NORMAL, .a = 5, .b = 2, .seed = 3};
    ct_data_fill(&doubles, 0, normal);
    for (size_t i = 0; i < COUNT; i++) {
        sum += normal[i];
        squares += (normal[i] - 5) * (normal[i] - 5);
    }
    assert_true(fabs(sum / COUNT - 5) < 0.2);
    assert_true(fabs(sqrt(squares / COUNT) - 2) < 0.2);
}

static void sizes_do_not_overflow(void **state)
{
    struct ct_plan_buffer b = buffer(CT_T_DOUBLE, 16, UINT64_MAX / 64, CT_CHECK_NONE, 0);
    size_t size;

    (void)state;
    assert_false(ct_layout_size(&b, &size));
    b = buffer(CT_T_FLOAT, 3, 5, CT_CHECK_NONE, 0);
    assert_true(ct_layout_size(&b, &size));
    assert_int_equal(size, 80);
}

static void arrays_notice_writes_beside_them(void **state)
{
    unsigned char *array = ct_data_alloc(100);

    (void)state;
    assert_non_null(array);
    assert_int_equal((uintptr_t)array % 64, 0);
    memset(array, 1, 100);
    assert_true(ct_data_intact(array, 100));
    array[100] = 0;
    assert_false(ct_data_intact(array, 100));
    ct_data_free(array);
    ct_data_free(NULL);
}

/* --- the first wrong values --- */

static void the_first_wrong_values_are_in_memory_order(void **state)
{
    enum { COUNT = 3000 };
    struct ct_plan_buffer b = buffer(CT_T_FLOAT, 3, COUNT, CT_CHECK_RELATIVE, 1e-3);
    float *reference = calloc(COUNT, 4 * sizeof(*reference));
    float *seen = calloc(COUNT, 4 * sizeof(*seen));
    struct ct_mismatch found[3] = {{0}};

    (void)state;
    assert_non_null(reference);
    assert_non_null(seen);
    for (size_t i = 0; i < (size_t)4 * COUNT; i++)
        reference[i] = seen[i] = 1;
    seen[3] = 7; /* a pad lane */
    seen[6] = 1.5f;
    seen[9] = 1.0001f;
    seen[8001] = NAN;
    seen[11998] = 1000;
    assert_int_equal(ct_verify_differences(&b, seen, reference, 1, found, 3), 3);
    assert_int_equal(found[0].element, 6);
    assert_string_equal(found[0].seen_text, "1.5");
    assert_string_equal(found[0].expected_text, "1");
    assert_int_equal(found[1].element, 8001);
    assert_string_equal(found[1].seen_text, "NaN");
    assert_int_equal(found[2].element, 11998);
    assert_int_equal(ct_verify_differences(&b, seen, reference, 1, found, 1), 1);
    b.compare = 2;
    assert_int_equal(ct_verify_differences(&b, seen, reference, 1, found, 3), 1);
    b.check = CT_CHECK_NONE;
    assert_int_equal(ct_verify_differences(&b, seen, reference, 1, found, 3), 0);
    free(reference);
    free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative_uses_the_larger_of_value_and_rms),
        cmocka_unit_test(nan_and_infinity_equal_only_themselves),
        cmocka_unit_test(exact_and_absolute),
        cmocka_unit_test(integers_of_64_bits_are_exact),
        cmocka_unit_test(every_type_finds_its_last_wrong_value),
        cmocka_unit_test(blocks_of_floats_are_as_strict),
        cmocka_unit_test(pad_lanes_do_not_count),
        cmocka_unit_test(mismatches_have_exact_texts),
        cmocka_unit_test(the_first_wrong_values_are_in_memory_order),
        cmocka_unit_test(fills_depend_on_both_seeds_alone),
        cmocka_unit_test(fills_of_each_kind),
        cmocka_unit_test(sizes_do_not_overflow),
        cmocka_unit_test(arrays_notice_writes_beside_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
