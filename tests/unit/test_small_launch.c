// SPDX-License-Identifier: Apache-2.0
// Launches that are small, but for which a driver compiles the same.
#include "plan/small_launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 17 };

static struct ct_plan_launch launches[MOST];

/* Whether a plan of so many equal launches is shrunk; the first one's range is left in `small`. */
static bool shrinks(size_t count, uint32_t dims, const uint64_t global[3],
                    const uint64_t local[3], uint64_t small[3])
{
    struct ct_plan plan = {.launches = launches, .launch_count = count};
    struct ct_arena arena = {0};
    struct ct_plan out;
    bool done;

    for (size_t i = 0; i < count; i++) {
        launches[i] = (struct ct_plan_launch){.kind = CT_LAUNCH_KERNEL, .dims = dims};
        memcpy(launches[i].global, global, sizeof(launches[i].global));
        memcpy(launches[i].local, local, sizeof(launches[i].local));
    }
    done = ct_small_launch(&plan, &arena, &out);
    if (done) {
        assert_int_equal(out.launch_count, count);
        memcpy(small, out.launches[0].global, sizeof(launches->global));
        assert_memory_equal(out.launches[0].local, local, sizeof(launches->local));
        assert_memory_equal(launches[0].global, global, sizeof(launches->global));
    }
    ct_arena_release(&arena);
    return done;
}

#define RANGE(...) ((const uint64_t[3]){__VA_ARGS__})

static void one_group_is_left(void **state)
{
    uint64_t small[3];

    (void)state;
    assert_true(shrinks(1, 1, RANGE(1024), RANGE(64), small));
    assert_int_equal(small[0], 64);
    assert_true(shrinks(2, 2, RANGE(512, 256), RANGE(16, 8), small));
    assert_int_equal(small[0], 16);
    assert_int_equal(small[1], 8);
    assert_true(shrinks(1, 3, RANGE(64, 64, 16), RANGE(32, 2, 1), small));
    assert_int_equal(small[2], 1);
}

/* PoCL compiles something else for more than 65,535 work-items of a dimension. */
static void wide_ranges_stay_wide(void **state)
{
    uint64_t small[3];

    (void)state;
    assert_true(shrinks(1, 1, RANGE(1 << 20), RANGE(64), small));
    assert_int_equal(small[0], 65536);
    assert_true(shrinks(1, 2, RANGE(24 * 100000, 4096), RANGE(24, 4), small));
    assert_int_equal(small[0], 65544); /* the next multiple */
    assert_int_equal(small[1], 4);
    assert_true(shrinks(1, 1, RANGE(65535 * 5), RANGE(5), small));
    assert_int_equal(small[0], 65540);
    assert_true(shrinks(1, 1, RANGE(65535), RANGE(5), small));
    assert_int_equal(small[0], 5);
}

static void not_for_little(void **state)
{
    uint64_t small[3];

    (void)state;
    assert_false(shrinks(1, 1, RANGE(192), RANGE(64), small));
    assert_true(shrinks(1, 1, RANGE(256), RANGE(64), small));
    assert_false(shrinks(1, 1, RANGE(100000), RANGE(50000), small));
}

static void not_where_the_range_decides(void **state)
{
    uint64_t small[3];

    (void)state;
    assert_false(shrinks(1, 2, RANGE(512, 512), RANGE(0, 0), small));
    assert_false(shrinks(0, 1, RANGE(512), RANGE(1), small));
    assert_true(shrinks(MOST - 1, 1, RANGE(512), RANGE(1), small));
    assert_false(shrinks(MOST, 1, RANGE(512), RANGE(1), small));
}

/* What copies a buffer between two launches is no range. */
static void copies_stay(void **state)
{
    struct ct_plan_launch three[] = {
        {.kind = CT_LAUNCH_KERNEL, .dims = 1, .global = {512}, .local = {8}},
        {.kind = CT_LAUNCH_COPY, .from = 1, .to = 2},
        {.kind = CT_LAUNCH_KERNEL, .dims = 1, .global = {512}, .local = {4}}};
    struct ct_plan plan = {.launches = three, .launch_count = 3};
    struct ct_arena arena = {0};
    struct ct_plan out;

    (void)state;
    assert_true(ct_small_launch(&plan, &arena, &out));
    assert_int_equal(out.launches[1].kind, CT_LAUNCH_COPY);
    assert_int_equal(out.launches[1].to, 2);
    assert_int_equal(out.launches[2].global[0], 4);
    plan.launches = &three[1];
    plan.launch_count = 1;
    assert_false(ct_small_launch(&plan, &arena, &out));
    ct_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_group_is_left),
        cmocka_unit_test(wide_ranges_stay_wide),
        cmocka_unit_test(not_for_little),
        cmocka_unit_test(not_where_the_range_decides),
        cmocka_unit_test(copies_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
