// SPDX-License-Identifier: Apache-2.0
// Integers of 128 bits: known values, laws, and the compiler's own where it has them.
#include "base/rng.h"
#include "base/wide.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void prints(struct ct_wide value, const char *text)
{
    char seen[CT_WIDE_TEXT_SIZE];

    ct_wide_print(value, seen);
    assert_string_equal(seen, text);
}

static struct ct_wide lowest(void)
{
    return (struct ct_wide){0, INT64_MIN};
}

static void known_values(void **state)
{
    struct ct_wide most = ct_wide_uint(UINT64_MAX);

    (void)state;
    prints(ct_wide_int(0), "0");
    prints(ct_wide_int(-1), "-1");
    prints(ct_wide_int(INT64_MIN), "-9223372036854775808");
    prints(most, "18446744073709551615");
    prints(ct_wide_add(most, ct_wide_int(1)), "18446744073709551616");
    prints(ct_wide_times(most, UINT64_MAX / 2),
           "170141183460469231704017187605319778305");
    prints(ct_wide_times(ct_wide_int(-3), 7), "-21");
    prints(ct_wide_negate(ct_wide_times(most, 1000)), "-18446744073709551615000");
    prints(lowest(), "-170141183460469231731687303715884105728");
    assert_true(ct_wide_compare(lowest(), ct_wide_int(INT64_MIN)) < 0);
    assert_true(ct_wide_compare(most, ct_wide_int(-1)) > 0);
    assert_true(ct_wide_compare(most, most) == 0);
}

static void reals_are_the_nearest(void **state)
{
    struct ct_wide at = ct_wide_times(ct_wide_uint(UINT64_C(1) << 60), UINT64_C(1) << 60);
    struct ct_wide half = ct_wide_uint(UINT64_C(1) << 63);

    (void)state;
    assert_true(ct_wide_real(ct_wide_int(-5)) == -5);
    assert_true(ct_wide_real(ct_wide_uint(UINT64_MAX)) == 0x1p64);
    assert_true(ct_wide_real(at) == 0x1p120);
    assert_true(ct_wide_real(lowest()) == -0x1p127);
    /* Half a unit in the last place beside 2^120 is 2^67: a tie goes to even, and one more decides. */
    at = ct_wide_add(at, ct_wide_times(half, 16));
    assert_true(ct_wide_real(at) == 0x1p120);
    assert_true(ct_wide_real(ct_wide_add(at, ct_wide_int(1))) ==
                nextafter(0x1p120, INFINITY));
    prints(ct_wide_from_real(0x1p64), "18446744073709551616");
    prints(ct_wide_from_real(-0x1p64), "-18446744073709551616");
    prints(ct_wide_from_real(-0.9), "0");
    prints(ct_wide_from_real(0x1.fffffffffffffp126),
           "170141183460469212842221372237303250944");
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 whole;

static whole whole_of(struct ct_wide value)
{
    return (whole)value.high * ((whole)1 << 64) + (whole)value.low;
}

static struct ct_wide draw(struct ct_rng *rng)
{
    uint64_t low = ct_rng_below(rng, UINT64_MAX) >> ct_rng_below(rng, 64);
    uint64_t high = ct_rng_below(rng, UINT64_MAX) >> (2 + ct_rng_below(rng, 62));
    struct ct_wide drawn = {low, ct_rng_below(rng, 2) ? 0 : (int64_t)high};

    return ct_rng_below(rng, 2) ? ct_wide_negate(drawn) : drawn;
}

static void agrees_with_the_compiler(void **state)
{
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 7);
    for (int i = 0; i < 100000; i++) {
        struct ct_wide a = draw(&rng);
        struct ct_wide b = draw(&rng);
        uint64_t factor = ct_rng_below(&rng, 1000);
        struct ct_wide low = {a.low, 0};

        assert_true(whole_of(ct_wide_add(a, b)) == whole_of(a) + whole_of(b));
        assert_true(whole_of(ct_wide_negate(a)) == -whole_of(a));
        assert_true((ct_wide_compare(a, b) < 0) == (whole_of(a) < whole_of(b)));
        assert_true(whole_of(ct_wide_times(low, b.low >> 1)) ==
                    whole_of(low) * (b.low >> 1));
        assert_true(whole_of(ct_wide_times(ct_wide_int((int64_t)a.low), factor)) ==
                    (whole)(int64_t)a.low * (whole)factor);
        assert_true(ct_wide_real(a) == (double)whole_of(a));
        assert_true(whole_of(ct_wide_from_real(ct_wide_real(a))) ==
                    (whole)(double)whole_of(a));
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(reals_are_the_nearest),
#ifdef __SIZEOF_INT128__
        cmocka_unit_test(agrees_with_the_compiler),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
