// SPDX-License-Identifier: Apache-2.0
// Nothing twice on device 0: what is the same, and what only looks like it.
#define _GNU_SOURCE // folder.h
#include "scheduler_plan.h"
#include "worker/worker_main.h"

enum { FILLERS = 8, TWINS = 4, PAIRS = 5, ALL = FILLERS + 2 * PAIRS };

/* KIND makes every program another one; LOOK is what the tests play with. */
#define HEAD                                                                             \
    "kernel void scale(global const float *in, global float *out, uint n, float "        \
    "factor)\n"                                                                          \
    "{\n"                                                                                \
    "    size_t i = get_global_id(0);\n"                                                 \
    "    float x = i < n ? in[i] * factor : 0;\n"                                        \
    "    for (int k = 0; k < KIND; k++) x = x + 0 * in[(i + k) % n];\n"
#define TAIL                                                                             \
    "    if (i < n) out[i] = x;\n"                                                       \
    "}\n"

static char kinds[ALL][8];
static struct ct_plan_macro macros[ALL][3];

static void plan_of(struct plan *p, int index, int kind, const char *source)
{
    plan_init(p, "");
    snprintf(kinds[index], sizeof(kinds[index]), "%d", kind);
    p->program.source = source;
    p->program.source_hash = ct_hash_bytes(source, strlen(source));
    macros[index][0] = (struct ct_plan_macro){"KIND", kinds[index]};
    p->program.macros = macros[index];
    p->program.macro_count = 1;
}

static void add_macro(struct plan *p, int index, const char *name, const char *value)
{
    macros[index][p->program.macro_count++] = (struct ct_plan_macro){name, value};
}

/* Submits eight different plans, so that calibrating pays, and then for each source two that differ
 * in LOOK alone; reports of the latter: the first, the second of the first source, and so on. */
static void try_pairs(const char *const *sources, int count, struct ct_report *found,
                      struct ct_scheduler_stats *stats)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report reports[ALL];
    struct plan p[ALL];
    int all = FILLERS + 2 * count;

    assert_true(all <= ALL);
    for (int i = 0; i < all; i++) {
        int pair = i < FILLERS ? 0 : (i - FILLERS) / 2;

        plan_of(&p[i], i, i < FILLERS ? i : 20 + pair, sources[pair]);
        add_macro(&p[i], i, "LOOK", i >= FILLERS && (i - FILLERS) % 2 ? "2" : "1");
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    wait_all(scheduler, reports, (size_t)all);
    ct_scheduler_stats_get(scheduler, stats);
    release_all(reports, FILLERS);
    memcpy(found, reports + FILLERS, (size_t)(2 * count) * sizeof(*found));
    ct_scheduler_free(scheduler);
}

static void try_pair(const char *source, struct ct_report *first,
                     struct ct_report *second, struct ct_scheduler_stats *stats)
{
    struct ct_report found[2];

    try_pairs(&source, 1, found, stats);
    *first = found[0];
    *second = found[1];
}

static void unused_macros_make_duplicates(void **state)
{
    struct ct_report first;
    struct ct_report second;
    struct ct_scheduler_stats stats;

    (void)state;
    try_pair(HEAD TAIL, &first, &second, &stats);
    assert_status(&first, CT_RESULT_OK);
    assert_status(&second, CT_RESULT_OK);
    assert_int_equal(first.duplicate, CT_DUPLICATE_NONE);
    assert_int_equal(second.duplicate, CT_DUPLICATE_MACROS);
    assert_int_equal(second.duplicate_of, FILLERS);
    assert_true(second.outcome.time_ns == first.outcome.time_ns);
    assert_int_equal(second.outcome.samples.count, first.outcome.samples.count);
    assert_int_equal(second.outcome.spent_ns[CT_PHASE_BUILD], 0);
    assert_int_equal(second.outcome.spent_ns[CT_PHASE_MEASURE], 0);
    assert_int_equal(stats.macro_duplicates, 1);
    ct_outcome_release(&first.outcome);
    ct_outcome_release(&second.outcome);
}

/* The macro reaches the source, and what it does is seen: the second is wrong. */
static void fooled_by_none(void **state)
{
    static const char *const sources[] = {
        /* Used as it is. */
        HEAD "    if (LOOK == 2) x += 1;\n" TAIL,
        /* Pasted together. */
        "#define JOIN(a, b) a##b\n" HEAD "    if (JOIN(LO, OK) == 2) x += 1;\n" TAIL,
        /* Only in a conditional. */
        HEAD "#if LOOK == 2\n    x += 1;\n#endif\n" TAIL,
        /* Cut by a continuation, with and without a blank behind it. */
        HEAD "    if (LO\\\nOK == 2) x += 1;\n" TAIL,
        HEAD "    if (LO\\ \nOK == 2) x += 1;\n" TAIL,
    };

    enum { COUNT = sizeof(sources) / sizeof(*sources) };
    struct ct_report found[2 * COUNT];
    struct ct_scheduler_stats stats;

    (void)state;
    try_pairs(sources, COUNT, found, &stats);
    for (int i = 0; i < 2 * COUNT; i++) {
        assert_status(&found[i], i % 2 ? CT_RESULT_WRONG : CT_RESULT_OK);
        assert_int_equal(found[i].duplicate, CT_DUPLICATE_NONE);
    }
    release_all(found, 2 * (size_t)COUNT);
}

/* The macro is used, but not in what is compiled to code. */
static void equal_code_makes_duplicates(void **state)
{
    struct ct_report first;
    struct ct_report second;
    struct ct_scheduler_stats stats;

    (void)state;
    try_pair(HEAD "    if (LOOK > 2) x += LOOK;\n" TAIL, &first, &second, &stats);
    assert_status(&first, CT_RESULT_OK);
    assert_status(&second, CT_RESULT_OK);
    if (*stats.duplicates_off) {
        /* Not every driver shows what it compiles. */
        assert_int_equal(second.duplicate, CT_DUPLICATE_NONE);
        print_message("no equal binaries here: %s\n", stats.duplicates_off);
    } else {
        /* The one that was built first is measured, whichever that is. */
        const struct ct_report *duplicate =
            second.duplicate == CT_DUPLICATE_BINARY ? &second : &first;
        const struct ct_report *other = duplicate == &first ? &second : &first;

        assert_int_equal(duplicate->duplicate, CT_DUPLICATE_BINARY);
        assert_int_equal(other->duplicate, CT_DUPLICATE_NONE);
        assert_int_equal(duplicate->duplicate_of, other->ticket);
        assert_true(duplicate->outcome.time_ns == other->outcome.time_ns);
        assert_true(duplicate->outcome.spent_ns[CT_PHASE_BUILD] > 0);
        assert_int_equal(duplicate->outcome.spent_ns[CT_PHASE_MEASURE], 0);
        assert_true(stats.binary_duplicates >= 1);
    }
    ct_outcome_release(&first.outcome);
    ct_outcome_release(&second.outcome);
}

/* Equal code, but other work: arguments, sizes, data, tolerances. */
static void equal_code_is_not_enough(void **state)
{
    enum { COUNT = FILLERS + TWINS };
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report reports[COUNT];
    struct plan p[COUNT];

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        plan_of(&p[i], i, i < FILLERS ? i : 30, HEAD "    if (LOOK > 2) x += 1;\n" TAIL);
        add_macro(&p[i], i, "LOOK", i % 2 ? "1" : "0");
    }
    p[FILLERS + 1].args[3] = scalar(CT_T_FLOAT, 4);
    p[FILLERS + 2].launch.global[0] = 2048;
    p[FILLERS + 3].buffers[0].fill.b = 2;
    for (int i = 0; i < COUNT; i++)
        submit(scheduler, (uint64_t)i, &p[i]);
    wait_all(scheduler, reports, COUNT);
    for (int i = FILLERS; i < COUNT; i++) {
        assert_status(&reports[i], CT_RESULT_OK);
        assert_int_equal(reports[i].duplicate, CT_DUPLICATE_NONE);
    }
    release_all(reports, COUNT);
    ct_scheduler_free(scheduler);
}

/* What is wrong is wrong for its duplicate, too; what crashed is tried itself. */
static void failures_are_shared_but_crashes(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report reports[6];
    struct plan p[6];
    static const char *const modes[3] = {"last", "wild", "syntax"};
    static const enum ct_result_status wanted[3] = {CT_RESULT_WRONG, CT_RESULT_CRASHED,
                                                    CT_RESULT_BUILD_FAILED};

    (void)state;
    for (int i = 0; i < 6; i++) {
        static char names[6][32];

        plan_init(&p[i], modes[i / 2]);
        snprintf(names[i], sizeof(names[i]), "MODE_%s", modes[i / 2]);
        p[i].program.macros = macros[i];
        p[i].program.macro_count = 0;
        add_macro(&p[i], i, names[i], "1");
        add_macro(&p[i], i, "LOOK", i % 2 ? "1" : "2");
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    wait_all(scheduler, reports, 6);
    for (int i = 0; i < 6; i++) {
        assert_status(&reports[i], wanted[i / 2]);
        assert_int_equal(reports[i].duplicate,
                         i % 2 && i / 2 != 1 ? CT_DUPLICATE_MACROS : CT_DUPLICATE_NONE);
    }
    release_all(reports, 6);
    ct_scheduler_free(scheduler);
}

static void duplicates_can_be_switched_off(void **state)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct ct_scheduler *scheduler;
    struct ct_report reports[2];
    struct ct_scheduler_stats stats;
    struct plan p[2];

    (void)state;
    options.no_duplicates = true;
    scheduler = new_scheduler(&options);
    for (int i = 0; i < 2; i++) {
        plan_of(&p[i], i, 5, HEAD TAIL);
        add_macro(&p[i], i, "LOOK", i ? "1" : "2");
        submit(scheduler, (uint64_t)i, &p[i]);
    }
    wait_all(scheduler, reports, 2);
    ct_scheduler_stats_get(scheduler, &stats);
    assert_int_equal(stats.measured, 2);
    assert_int_equal(reports[1].duplicate, CT_DUPLICATE_NONE);
    assert_string_equal(stats.duplicates_off, "switched off");
    release_all(reports, 2);
    ct_scheduler_free(scheduler);
}

/* Whether calibrating pays depends on what compiling takes. */
static int set_up(void **state)
{
    int failed = set_up_folder(state);

    own_driver_cache();
    return failed;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unused_macros_make_duplicates),
        cmocka_unit_test(fooled_by_none),
        cmocka_unit_test(equal_code_makes_duplicates),
        cmocka_unit_test(equal_code_is_not_enough),
        cmocka_unit_test(failures_are_shared_but_crashes),
        cmocka_unit_test(duplicates_can_be_switched_off),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
