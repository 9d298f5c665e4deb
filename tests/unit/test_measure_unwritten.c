// SPDX-License-Identifier: Apache-2.0
// Searching large arrays for what was never written, and for what could pass for it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/rng.h"
#include "worker/reference/poison.h"
#include "worker/data/data.h"
#include "worker/reference/expected.h"
#include "worker/reference/unwritten.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Some blocks of the search, and a rest. */
enum { COUNT = 5000 };

static void set_scalar(void *array, size_t size, size_t index, unsigned char value)
{
    memset((unsigned char *)array + index * size, value, size);
}

/* One scalar with all bits set, wherever it is; in pad lanes it does not count. */
static void all_bits_set_are_found_anywhere(void **state)
{
    static const struct ct_type types[] = {{CT_T_CHAR, 1},  {CT_T_SHORT, 2},
                                           {CT_T_FLOAT, 1}, {CT_T_FLOAT, 3},
                                           {CT_T_ULONG, 1}, {CT_T_UINT, 16}};

    (void)state;
    for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
        size_t size = ct_scalar_size(types[t].scalar);
        size_t room = ct_type_size(types[t]) / size;
        size_t total = COUNT * room;
        struct ct_plan_buffer buffer = {.type = types[t], .count = COUNT};
        void *array = calloc(total, size);
        struct ct_rng rng;

        assert_non_null(array);
        assert_false(ct_unwritten_unsure(&buffer, array));
        ct_rng_seed(&rng, t);
        for (int i = 0; i < 200; i++) {
            size_t at = i < 4 ? (size_t[]){0, 1023, 1024, total - 1}[i]
                              : (size_t)ct_rng_below(&rng, total);

            set_scalar(array, size, at, 0xFF);
            assert_int_equal(ct_unwritten_unsure(&buffer, array),
                             at % room < types[t].width);
            /* Not all of its bits. */
            ((unsigned char *)array)[at * size + size - 1] = 0xFE;
            assert_false(ct_unwritten_unsure(&buffer, array));
            set_scalar(array, size, at, 0);
        }
        free(array);
    }
}

/* What is set after a run on ones and zero after one on zeros was not written. */
static void what_keeps_both_backgrounds_is_marked(void **state)
{
    const struct ct_plan_buffer buffer = {.type = {CT_T_UINT, 1}, .count = COUNT};
    uint32_t *ones = calloc(COUNT, sizeof(*ones));
    uint32_t *zeros = calloc(COUNT, sizeof(*zeros));
    unsigned char *marks;
    struct ct_rng rng;
    struct ct_err err;

    (void)state;
    assert_non_null(ones);
    assert_non_null(zeros);
    ct_rng_seed(&rng, 1);
    for (size_t i = 0; i < COUNT; i++) {
        /* Some stretches have none, some many. */
        uint64_t kind = ct_rng_below(&rng, i % 2000 < 1200 ? 4 : 1000);

        ones[i] = kind < 2 ? UINT32_MAX : 1;
        zeros[i] = kind == 0 ? 0 : kind == 1 ? UINT32_MAX : 1;
    }
    assert_int_equal(ct_unwritten_mark(&buffer, ones, zeros, &marks, &err), CT_OK);
    assert_non_null(marks);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(marks[i], ones[i] == UINT32_MAX && zeros[i] == 0);
    free(marks);
    memset(zeros, 1, COUNT * sizeof(*zeros));
    assert_int_equal(ct_unwritten_mark(&buffer, ones, zeros, &marks, &err), CT_OK);
    assert_null(marks);
    free(ones);
    free(zeros);
}

/* Where NaN is expected, a number stands before. */
static void a_nan_that_is_expected_is_set_apart(void **state)
{
    static const size_t places[] = {0, 700, 1023, 1024, 4096, COUNT - 1};
    struct ct_plan_buffer planned = {
        .name = "out", .type = {CT_T_FLOAT, 1}, .count = COUNT, .check = CT_CHECK_EXACT};
    struct ct_plan plan = {.buffer_count = 1, .buffers = &planned};

    (void)state;
    for (size_t p = 0; p <= sizeof(places) / sizeof(*places); p++) {
        struct ct_dataset *dataset = calloc(1, sizeof(*dataset));
        struct ct_dataset_buffer *buffer;
        struct ct_err err;
        float *truth;

        assert_non_null(dataset);
        dataset->count = 1;
        buffer = dataset->buffers = calloc(1, sizeof(*dataset->buffers));
        assert_non_null(buffer);
        buffer->size_bytes = buffer->device_bytes = COUNT * sizeof(float);
        truth = buffer->expected.bytes = ct_data_alloc(buffer->size_bytes);
        assert_non_null(truth);
        buffer->expected.size_bytes = buffer->size_bytes;
        for (size_t i = 0; i < COUNT; i++)
            truth[i] = (float)i;
        if (p < sizeof(places) / sizeof(*places))
            truth[places[p]] = NAN;
        assert_int_equal(ct_poison_set(dataset, &plan, &err), CT_OK);
        if (p == sizeof(places) / sizeof(*places)) {
            assert_null(buffer->initial);
        } else {
            const float *initial = buffer->initial;

            assert_non_null(initial);
            assert_true(buffer->poisoned);
            for (size_t i = 0; i < COUNT; i++)
                assert_int_equal(isnan(initial[i]) != 0, i != places[p]);
        }
        ct_dataset_free(dataset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bits_set_are_found_anywhere),
        cmocka_unit_test(what_keeps_both_backgrounds_is_marked),
        cmocka_unit_test(a_nan_that_is_expected_is_set_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
