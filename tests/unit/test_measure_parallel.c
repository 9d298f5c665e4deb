// SPDX-License-Identifier: Apache-2.0
// Large buffers are filled and compared by several threads: results must not depend on how many.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/hash.h"
#include "worker/data/data.h"
#include "worker/reference/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3000001 }; /* several ranges, and the last one is shorter */

/* Fills, and the hashes of what one thread made of them before there were several. */
static const struct {
    enum ct_scalar scalar;
    unsigned width;
    struct ct_fill fill;
    const char *hash;
} cases[] = {
    {CT_T_FLOAT,
     1,
     {.kind = CT_FILL_UNIFORM, .a = -1, .b = 1},
     "581c95fc9432d6046687250b1fe64108"},
    {CT_T_FLOAT,
     3,
     {.kind = CT_FILL_UNIFORM, .a = 0, .b = 5, .seed = 7},
     "95170a1a242932e8bb01c4cd70b0fa3a"},
/* The last bit of logarithms differs between C libraries, and where they cannot use fused
 * multiply-adds. */
#if UINTPTR_MAX > UINT32_MAX && defined(__GLIBC__)
    {CT_T_DOUBLE,
     1,
     {.kind = CT_FILL_NORMAL, .a = 1, .b = 2},
     "3f9d537ad2d1fb289b2e397e15cf8599"},
#endif
    {CT_T_HALF,
     2,
     {.kind = CT_FILL_NORMAL, .a = 0, .b = 1},
     "ec1beb794dfc70ba291816f8766c33aa"},
    {CT_T_INT,
     1,
     {.kind = CT_FILL_UNIFORM, .a = -1000, .b = 1000},
     "68503fba9bcc909c5d6dafa1b0f49565"},
    /* One draw in 2048 is rejected here. */
    {CT_T_LONG,
     1,
     {.kind = CT_FILL_UNIFORM, .a = 0, .b = 6755399441055744.0},
     "ba7cc9f788e0e92841544a645654bd84"},
    {CT_T_INT,
     1,
     {.kind = CT_FILL_NORMAL, .a = 0, .b = 100},
     "d7d0543f6f52f424a16d4f355a186e23"},
    {CT_T_ULONG,
     1,
     {.kind = CT_FILL_UNIFORM, .a = 0, .b = 0x1p60},
     "c41e3b9644edbe6152c499f90a391c52"},
    {CT_T_USHORT,
     4,
     {.kind = CT_FILL_RAMP, .a = 3, .b = 1},
     "f34b74058a49e247fcdc1ab560a57467"},
    {CT_T_FLOAT,
     1,
     {.kind = CT_FILL_RAMP, .a = 0.5, .b = 0.25},
     "f74ea93d2d5fb43154dabd4009f6bb1f"},
    {CT_T_DOUBLE,
     3,
     {.kind = CT_FILL_CONSTANT, .a = 0.1},
     "34fc8e3e76e64e9efca7bd54f6741722"},
};

/* Stored results depend on the inputs. */
static void fills_are_the_same_bytes_as_ever(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_plan_buffer b = {.name = "b",
                                   .type = {cases[i].scalar, cases[i].width},
                                   .count = COUNT,
                                   .fill = cases[i].fill};
        size_t size = 0;
        void *bytes;

        assert_true(ct_layout_size(&b, &size));
        bytes = malloc(size);
        assert_non_null(bytes);
        ct_data_fill(&b, 42, bytes);
        assert_string_equal(ct_hash_bytes(bytes, size).text, cases[i].hash);
        free(bytes);
    }
}

/* The worst scalar is described, of equal ones the first, wherever ranges begin. */
static void the_first_of_the_worst_is_described(void **state)
{
    static const size_t wrong[] = {2999999, 5, 1500000, 1024, 2100000};
    struct ct_plan_buffer b = {.name = "b",
                               .type = {CT_T_FLOAT, 1},
                               .count = COUNT,
                               .compare = COUNT,
                               .check = CT_CHECK_ABSOLUTE,
                               .tolerance = 0.5};
    float *reference = calloc(COUNT, sizeof(*reference));
    float *actual = calloc(COUNT, sizeof(*actual));
    struct ct_mismatch mismatch = {0};

    (void)state;
    assert_non_null(reference);
    assert_non_null(actual);
    assert_true(ct_verify_buffer(&b, actual, reference, 0, &mismatch));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        actual[wrong[i]] = 2;
    actual[77] = 0.25f;
    assert_false(ct_verify_buffer(&b, actual, reference, 0, &mismatch));
    assert_int_equal(mismatch.wrong_count, 5);
    assert_int_equal(mismatch.element, 5);
    actual[2100000] = 3;
    actual[2999999] = 3;
    assert_false(ct_verify_buffer(&b, actual, reference, 0, &mismatch));
    assert_int_equal(mismatch.wrong_count, 5);
    assert_int_equal(mismatch.element, 2100000);
    assert_string_equal(mismatch.seen_text, "3");
    actual[2500000] = NAN;
    actual[1000] = INFINITY;
    assert_false(ct_verify_buffer(&b, actual, reference, 0, &mismatch));
    assert_int_equal(mismatch.wrong_count, 7);
    assert_int_equal(mismatch.element, 1000);
    free(actual);
    free(reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_are_the_same_bytes_as_ever),
        cmocka_unit_test(the_first_of_the_worst_is_described),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
