// SPDX-License-Identifier: Apache-2.0
// OpenCL types: names, sizes, ranges, and every half there is.
#include "spacefile/type.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct ct_type type_of(const char *name)
{
    struct ct_type type = {CT_T_COUNT, 0};

    if (!ct_type_parse(name, &type))
        fail_msg("%s is no type", name);
    return type;
}

static void test_names(void **state)
{
    static const char *const scalars[] = {"char", "uchar", "short", "ushort",
                                          "int",  "uint",  "long",  "ulong",
                                          "half", "float", "double"};
    static const char *const suffixes[] = {"", "2", "3", "4", "8", "16"};

    (void)state;
    for (size_t s = 0; s < sizeof(scalars) / sizeof(scalars[0]); s++) {
        for (size_t w = 0; w < sizeof(suffixes) / sizeof(suffixes[0]); w++) {
            char name[16];
            char again[16];
            struct ct_type type;

            snprintf(name, sizeof(name), "%s%s", scalars[s], suffixes[w]);
            type = type_of(name);
            assert_int_equal(type.scalar, s);
            ct_type_name(type, again);
            assert_string_equal(again, name);
        }
    }
}

static void test_no_names(void **state)
{
    static const char *const wrong[] = {
        "",         "size_t", "float1", "float5", "float04", "float ", "Float", "float32",
        "unsigned", "in",     "bool",   "ulon",   "doubles", "4",      "half-"};
    struct ct_type type;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (ct_type_parse(wrong[i], &type))
            fail_msg("\"%s\" was taken for a type", wrong[i]);
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(ct_type_size(type_of("uchar")), 1);
    assert_int_equal(ct_type_size(type_of("half")), 2);
    assert_int_equal(ct_type_size(type_of("float2")), 8);
    assert_int_equal(ct_type_size(type_of("float3")), 16);
    assert_int_equal(ct_type_size(type_of("char3")), 4);
    assert_int_equal(ct_type_size(type_of("double16")), CT_TYPE_SIZE_MAX);
    assert_int_equal(ct_scalar_size(CT_T_ULONG), 8);
    assert_string_equal(ct_type_c_name(type_of("uint4")), "uint32_t");
    assert_string_equal(ct_type_c_name(type_of("half")), "uint16_t");
    assert_string_equal(ct_type_c_name(type_of("long")), "int64_t");
}

static bool fits(const char *name, struct ct_value value)
{
    unsigned char bytes[CT_TYPE_SIZE_MAX];

    return ct_type_store(type_of(name), value, bytes);
}

static void test_integer_ranges(void **state)
{
    static const struct {
        const char *name;
        int64_t low;
        int64_t high;
    } ranges[] = {{"char", INT8_MIN, INT8_MAX},    {"uchar", 0, UINT8_MAX},
                  {"short", INT16_MIN, INT16_MAX}, {"ushort", 0, UINT16_MAX},
                  {"int", INT32_MIN, INT32_MAX},   {"uint", 0, UINT32_MAX}};

    (void)state;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const char *name = ranges[i].name;
        int64_t low = ranges[i].low;
        int64_t high = ranges[i].high;

        assert_true(fits(name, ct_value_int(low)));
        assert_true(fits(name, ct_value_int(high)));
        assert_false(fits(name, ct_value_int(low - 1)));
        assert_false(fits(name, ct_value_int(high + 1)));
        assert_true(fits(name, ct_value_real((double)low)));
        assert_true(fits(name, ct_value_real((double)high)));
        assert_false(fits(name, ct_value_real((double)low - 1)));
        assert_false(fits(name, ct_value_real((double)high + 1)));
        assert_false(fits(name, ct_value_real(0.5)));
    }
    assert_true(fits("long", ct_value_int(INT64_MIN)));
    assert_true(fits("ulong", ct_value_int(INT64_MAX)));
    assert_false(fits("ulong", ct_value_int(-1)));
    assert_true(fits("ulong", ct_value_real(0x1p63)));
    assert_false(fits("ulong", ct_value_real(0x1p64)));
    assert_false(fits("long", ct_value_real(0x1p63)));
    assert_true(fits("long", ct_value_real(-0x1p63)));
    assert_false(fits("long", ct_value_real(NAN)));
    assert_false(fits("long", ct_value_real(INFINITY)));
}

static void test_other_ranges(void **state)
{
    struct ct_value none = {.kind = CT_NONE};

    (void)state;
    assert_true(fits("half", ct_value_real(65504)));
    assert_true(fits("half", ct_value_real(65519)));
    assert_false(fits("half", ct_value_real(65520)));
    assert_false(fits("half", ct_value_int(-65520)));
    assert_true(fits("float", ct_value_real(FLT_MAX)));
    assert_false(fits("float", ct_value_real(1e39)));
    assert_true(fits("double", ct_value_real(DBL_MAX)));
    assert_true(fits("float", ct_value_real(0.1)));
    assert_false(fits("int", ct_value_text("1")));
    assert_false(fits("float", none));
}

static void test_stored_bytes(void **state)
{
    unsigned char bytes[CT_TYPE_SIZE_MAX];
    int16_t shorts[4];
    uint64_t longs[2];
    float single;

    (void)state;
    memset(bytes, 0xAA, sizeof(bytes));
    assert_true(ct_type_store(type_of("short3"), ct_value_int(-2), bytes));
    memcpy(shorts, bytes, sizeof(shorts));
    for (int i = 0; i < 4; i++)
        assert_int_equal(shorts[i], -2);
    assert_int_equal(bytes[8], 0xAA);
    assert_true(ct_type_store(type_of("ulong2"), ct_value_real(0x1p63 + 2048), bytes));
    memcpy(longs, bytes, sizeof(longs));
    assert_true(longs[1] == UINT64_C(9223372036854777856));
    assert_true(ct_type_store(type_of("float"), ct_value_int(16777217), bytes));
    memcpy(&single, bytes, sizeof(single));
    assert_true(single == 16777216.0f);
}

static uint16_t half_of(double value)
{
    uint16_t half;

    ct_scalar_store(CT_T_HALF, &half, 0, value);
    return half;
}

static double of_half(uint16_t half)
{
    return ct_scalar_load(CT_T_HALF, &half, 0);
}

/* Constants from Python's struct module, format 'e'. */
static void test_half_constants(void **state)
{
    static const struct {
        double value;
        uint16_t half;
    } known[] = {{1.0, 0x3c00},     {-2.0, 0xc000},     {65504.0, 0x7bff},
                 {0x1p-14, 0x0400}, {0x1p-24, 0x0001},  {1.0 / 3, 0x3555},
                 {0.1, 0x2e66},     {3.140625, 0x4248}, {0.0, 0x0000},
                 {-0.0, 0x8000},    {1e9, 0x7c00},      {-1e9, 0xfc00},
                 {0x1p-25, 0x0000}, {0x1.8p-24, 0x0002}};

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        assert_int_equal(half_of(known[i].value), known[i].half);
    assert_true(isnan(of_half(half_of(NAN))));
    assert_true(isinf(of_half(0x7c00)) && of_half(0xfc00) < 0);
    assert_true(of_half(0x3555) == 0.333251953125);
    assert_true(of_half(0x0001) == 0x1p-24);
}

/* Every finite half survives; every point between two rounds to the nearer, half way to
 * the one with an even last bit. */
static void test_half_rounding(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 0x7c00; h++) {
        double low = of_half((uint16_t)h);
        double high = h == 0x7bff ? 65536 : of_half((uint16_t)(h + 1));
        double middle = (low + high) / 2;

        assert_int_equal(half_of(low), h);
        assert_int_equal(half_of(-low), h | 0x8000);
        assert_true(low < high);
        assert_int_equal(half_of(middle), h % 2 ? h + 1 : h);
        assert_int_equal(half_of(nextafter(middle, low)), h);
        assert_int_equal(half_of(nextafter(middle, high)), h + 1);
    }
}

static double through(enum ct_scalar scalar, double value)
{
    unsigned char array[24];

    memset(array, 0xAA, sizeof(array));
    ct_scalar_store(scalar, array, 1, value);
    assert_int_equal(array[ct_scalar_size(scalar) - 1], 0xAA);
    assert_int_equal(array[2 * ct_scalar_size(scalar)], 0xAA);
    return ct_scalar_load(scalar, array, 1);
}

static void test_scalar_clamping(void **state)
{
    (void)state;
    for (int s = 0; s < CT_T_COUNT; s++) {
        bool is_unsigned =
            s == CT_T_UCHAR || s == CT_T_USHORT || s == CT_T_UINT || s == CT_T_ULONG;

        assert_true(through((enum ct_scalar)s, 100) == 100);
        assert_true(through((enum ct_scalar)s, -100) == (is_unsigned ? 0 : -100));
    }
    assert_true(through(CT_T_INT, 2.6) == 3);
    assert_true(through(CT_T_INT, -2.6) == -3);
    assert_true(through(CT_T_CHAR, 1000) == 127);
    assert_true(through(CT_T_CHAR, -1000) == -128);
    assert_true(through(CT_T_UCHAR, 255.4) == 255);
    assert_true(through(CT_T_UCHAR, 255.6) == 255);
    assert_true(through(CT_T_UINT, INFINITY) == 4294967295.0);
    assert_true(through(CT_T_LONG, 1e30) == 0x1p63);
    assert_true(through(CT_T_LONG, -1e30) == -0x1p63);
    assert_true(through(CT_T_ULONG, 1e30) == 0x1p64);
    assert_true(through(CT_T_INT, NAN) == 0);
    assert_true(through(CT_T_FLOAT, 0.5) == 0.5);
    assert_true(through(CT_T_FLOAT, 1e300) == INFINITY);
    assert_true(through(CT_T_DOUBLE, 0.1) == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),           cmocka_unit_test(test_no_names),
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_integer_ranges),
        cmocka_unit_test(test_other_ranges),    cmocka_unit_test(test_stored_bytes),
        cmocka_unit_test(test_half_constants),  cmocka_unit_test(test_half_rounding),
        cmocka_unit_test(test_scalar_clamping),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
