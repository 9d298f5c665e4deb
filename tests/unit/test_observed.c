// SPDX-License-Identifier: Apache-2.0
// Quantities as the database keeps them.
#include "tune/observed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static struct ct_quantities get(const char *text)
{
    struct ct_quantities out = {.known = UINT32_MAX};
    struct ct_err err = CT_ERR_INIT;

    assert_int_equal(ct_observed_get(text, &out, &err), CT_OK);
    return out;
}

static void quantities_come_back(void **state)
{
    struct ct_quantities in = {0};
    struct ct_quantities out;
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    ct_quantities_set(&in, CT_QUANTITY_HOST_LOAD, 0.1 + 0.2);
    ct_quantities_set(&in, CT_QUANTITY_TIME_NS, 5);
    ct_quantities_set(&in, CT_QUANTITY_L2_MISSES, 1e300);
    ct_quantities_set(&in, CT_QUANTITY_POWER_W, NAN);
    assert_int_equal(ct_observed_put(&in, &text, NULL), CT_OK);
    /* Canonical: by name, with a point. */
    assert_string_equal(text.data, "{\"host_load\":0.30000000000000004,"
                                   "\"l2_misses\":1e+300,\"time_ns\":5.0}");
    out = get(text.data);
    assert_int_equal(out.known, in.known);
    for (int i = 0; i < CT_QUANTITY_COUNT; i++)
        assert_true(!(in.known >> i & 1) || out.value[i] == in.value[i]);
    ct_str_release(&text);
}

static void nothing_is_known(void **state)
{
    struct ct_quantities none = {0};
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    assert_int_equal(ct_observed_put(&none, &text, NULL), CT_OK);
    assert_string_equal(text.data, "{}");
    assert_int_equal(get(text.data).known, 0);
    assert_int_equal(get("").known, 0);
    ct_str_release(&text);
}

static void strange_texts(void **state)
{
    struct ct_quantities out;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    /* Of a later version, by another hand. */
    out = get("{\"magnetism_t\":3.0,\"throttled\":1,\"power_w\":\"much\"}");
    assert_int_equal(out.known, 1u << CT_QUANTITY_THROTTLED);
    assert_true(out.value[CT_QUANTITY_THROTTLED] == 1);
    assert_int_equal(ct_observed_get("[1]", &out, &err), CT_E_DB);
    assert_int_equal(out.known, 0);
    assert_int_equal(ct_observed_get("{\"power_w\":", &out, NULL), CT_E_DB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_come_back),
        cmocka_unit_test(nothing_is_known),
        cmocka_unit_test(strange_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
