// SPDX-License-Identifier: Apache-2.0
// Plans: what their identities notice, and what they ignore.
#include "plan_sample.h"

static struct ct_hash base_hash;
static struct ct_hash base_data_hash;

static void expect_hashes(const struct sample *s, bool same, bool same_data)
{
    struct ct_hash hash = ct_plan_hash(&s->plan);
    struct ct_hash data = ct_plan_data_hash(&s->plan);

    assert_int_equal(strlen(hash.text), CT_HASH_TEXT_SIZE - 1);
    assert_int_equal(strcmp(hash.text, base_hash.text) == 0, same);
    assert_int_equal(strcmp(data.text, base_data_hash.text) == 0, same_data);
}

/* Makes a fresh plan, changes it, compares its hashes with those of the unchanged one. */
#define CHANGED(change, same, same_data)                                                 \
    do {                                                                                 \
        struct sample s;                                                                 \
                                                                                         \
        make(&s);                                                                        \
        base_hash = ct_plan_hash(&s.plan);                                               \
        base_data_hash = ct_plan_data_hash(&s.plan);                                     \
        change;                                                                          \
        expect_hashes(&s, same, same_data);                                              \
    } while (0)

static void test_hash_ignores(void **state)
{
    struct ct_plan_macro swapped[] = {{"VEC", "4"}, {"EMPTY", ""}, {"WG", "64"}};

    (void)state;
    CHANGED((void)0, true, true);
    CHANGED(s.programs[0].source_path = "/else/f.cl", true, true);
    CHANGED(s.programs[0].include_dirs[0] = "/else", true, true);
    CHANGED(s.programs[0].include_count = 1, true, true);
    CHANGED(s.programs[0].source = "/* other comment */ kernel void f() {}", true, true);
    CHANGED(s.programs[0].options = "  -cl-std=CL1.2  ", true, true);
    CHANGED(s.programs[0].macros = swapped, true, true);
    CHANGED(s.plan.reference.c_path = "/else/f.c", true, true);
    CHANGED(s.plan.baseline = s.plan.reference, true, true);
    CHANGED(s.buffers[0].name = "renamed", true, true);
    CHANGED(s.launches[0].name = "renamed", true, true);
    CHANGED(s.launches[1].global[1] = 5, true, true); /* beyond its dimensions */
    CHANGED(s.args[1].bytes[100] = 1, true, true);    /* beyond its type */
    CHANGED(s.args[0].local_bytes = 1, true, true);   /* of a buffer */
    CHANGED(s.buffers[1].fill.seed = 1, true, true);  /* of no fill */
    CHANGED(s.buffers[0].tolerance = 1, true, true);  /* of no check */
    CHANGED(s.buffers[2].fill.path = "/else/f.c", true, true);
    CHANGED(s.buffers[0].reduce = CT_REDUCE_SUM, true, true); /* of no check */
    CHANGED(s.launches[2].name = "renamed", true, true);
    CHANGED(s.launches[2].program = 1, true, true); /* of a copy */
    CHANGED(s.truth_launch.name = "renamed", true, true);
}

static void test_hash_notices(void **state)
{
    (void)state;
    CHANGED(s.macros[0].value = "65", false, true);
    CHANGED(s.macros[0].name = "WH", false, true);
    CHANGED(s.programs[0].macro_count = 2, false, true);
    CHANGED(s.programs[0].options = "-cl-std=CL1.1", false, true);
    CHANGED(s.programs[0].source_hash = ct_hash_bytes("h", 1), false, true);
    CHANGED(s.launches[0].kernel = "h", false, true);
    CHANGED(s.launches[0].local[0] = 32, false, true);
    CHANGED(s.launches[0].global[1] = 8, false, true);
    CHANGED(s.launches[0].dims = 3, false, true);
    CHANGED(s.plan.launch_count = 1, false, true);
    CHANGED(s.launches[0].require = NULL, false, true);
    CHANGED(s.launches[2].from = 0, false, true);
    CHANGED(s.launches[2].kind = CT_LAUNCH_ZERO, false, true);
    CHANGED(s.args[3].sampler.linear = true, false, true);
    CHANGED(s.env[0].value = "2", false, true);
    CHANGED(s.env[1].value = "", false, true); /* empty is not taken out */
    CHANGED(s.plan.env_count = 1, false, true);
    CHANGED(s.plan.end_to_end = false, false, true);
    CHANGED(s.plan.cold = false, false, true);
    CHANGED(s.plan.error = true, false, true);
    CHANGED(s.launches[1].extra = 2, false, true);
    CHANGED(s.args[4].data_bytes = 2, false, true);
    CHANGED(s.args[5].kind = CT_ARG_LOCAL, false, true);
    CHANGED(s.buffers[3].restore = CT_RESTORE_ONCE, false, true);
    CHANGED(s.buffers[0].transfer = CT_TRANSFER_HOST, false, true);
    CHANGED(s.buffers[3].reduce = CT_REDUCE_MAX, false, true);
    CHANGED(s.args[2].local_bytes = 4096, false, true);
    CHANGED(s.args[0].buffer = 0, false, true);
    CHANGED(s.args[1].bytes[3] = 1, false, true);
    CHANGED(s.args[1].type.scalar = CT_T_INT, false, true);
    CHANGED(s.buffers[1].tolerance = 1e-3, false, true);
    CHANGED(s.buffers[1].compare = 80, false, true);
    CHANGED(s.buffers[1].check = CT_CHECK_ABSOLUTE, false, true);
}

/* What the data hang on is noticed by both hashes. */
static void test_data_hash_notices(void **state)
{
    (void)state;
    CHANGED(s.buffers[3].planes = 0, false, false);
    CHANGED(s.buffers[3].fill.kind = CT_FILL_ZERO, false, false);
    CHANGED(s.buffers[2].fill.path_hash = ct_hash_bytes("x", 1), false, false);
    CHANGED(s.buffers[2].fill.function = "other", false, false);
    CHANGED(s.buffers[2].image.channel = CT_CHANNEL_UNSIGNED_INT8, false, false);
    CHANGED(s.buffers[2].image.dims = 0, false, false);
    CHANGED(s.sources[1] = 1, false, false);
    CHANGED(s.buffers[2].has_expect = false, false, false);
    CHANGED(s.truth_launch.global[0] = 2, false, false);
    CHANGED(s.plan.reference_plan = NULL, false, false);
    CHANGED(s.buffers[1].check = CT_CHECK_NONE, false, false);
    CHANGED(s.buffers[0].count = 999, false, false);
    CHANGED(s.buffers[0].type.width = 1, false, false);
    CHANGED(s.buffers[0].fill.seed = 1, false, false);
    CHANGED(s.buffers[0].fill.b = 2, false, false);
    CHANGED(s.plan.reference.c_hash = ct_hash_bytes("d", 1), false, false);
    CHANGED(s.plan.reference.libs = "", false, false);
    CHANGED(s.plan.reference.function = NULL, false, false);
    CHANGED(s.host_args[1].bytes[0] = 1, false, false);
}

/* Of macros defined twice the last one counts. */
static void test_hash_of_macros(void **state)
{
    struct ct_plan_macro twice[] = {{"VEC", "4"}, {"VEC", "64"}, {"WG", "64"}};
    struct ct_plan_macro twisted[] = {{"VEC", "64"}, {"VEC", "4"}, {"WG", "64"}};
    struct ct_hash hash;
    struct sample other;

    (void)state;
    make(&other);
    other.programs[0].macros = twice;
    hash = ct_plan_hash(&other.plan);
    other.programs[0].macros = twisted;
    assert_string_not_equal(ct_plan_hash(&other.plan).text, hash.text);
}

/* Of the fill of buffer `i` of a plan in which `change` was made. */
#define FILL_HASH(hash, i, change)                                                       \
    do {                                                                                 \
        struct sample s;                                                                 \
                                                                                         \
        make(&s);                                                                        \
        change;                                                                          \
        (hash) = ct_plan_fill_hash(&s.buffers[i]);                                       \
    } while (0)

#define FILL_CHANGED(i, change, same)                                                    \
    do {                                                                                 \
        struct ct_hash base;                                                             \
        struct ct_hash now;                                                              \
                                                                                         \
        FILL_HASH(base, i, (void)0);                                                     \
        FILL_HASH(now, i, change);                                                       \
        assert_int_equal(strlen(now.text), CT_HASH_TEXT_SIZE - 1);                       \
        assert_int_equal(strcmp(now.text, base.text) == 0, same);                        \
    } while (0)

/* What a buffer holds by itself, whatever is done with it in whatever plan. */
static void test_fill_hash(void **state)
{
    struct ct_hash hash;

    (void)state;
    FILL_CHANGED(0, s.buffers[0].name = "renamed", true);
    FILL_CHANGED(0, s.buffers[0].transfer = CT_TRANSFER_HOST, true);
    FILL_CHANGED(0, s.buffers[1].count = 999, true);
    FILL_CHANGED(2, s.buffers[2].check = CT_CHECK_NONE, true);
    FILL_CHANGED(2, s.buffers[2].fill.path = "/else/f.c", true);
    FILL_CHANGED(0, s.buffers[0].count = 999, false);
    FILL_CHANGED(0, s.buffers[0].type.width = 1, false);
    FILL_CHANGED(0, s.buffers[0].fill.seed = 1, false);
    FILL_CHANGED(0, s.buffers[0].fill.kind = CT_FILL_NORMAL, false);
    FILL_CHANGED(2, s.buffers[2].fill.path_hash = ct_hash_bytes("x", 1), false);
    FILL_CHANGED(2, s.buffers[2].fill.function = "other", false);
    /* Made from another buffer, by a file that nobody knows, or in no time. */
    FILL_HASH(hash, 3, (void)0);
    assert_string_equal(hash.text, "");
    FILL_HASH(hash, 2, *s.buffers[2].fill.path_hash.text = 0);
    assert_string_equal(hash.text, "");
    FILL_HASH(hash, 0, s.buffers[0].fill.kind = CT_FILL_ZERO);
    assert_string_equal(hash.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_ignores),      cmocka_unit_test(test_hash_notices),
        cmocka_unit_test(test_data_hash_notices), cmocka_unit_test(test_hash_of_macros),
        cmocka_unit_test(test_fill_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
