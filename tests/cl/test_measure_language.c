// SPDX-License-Identifier: Apache-2.0
// Pipelines of many commands, and fills from everywhere, on device 0.
#define _GNU_SOURCE // folder.h
#include "many_plan.h"
#include "worker/worker_main.h"

/* --- launches --- */

static void copies_and_zeroes_are_launches(void **state)
{
    struct many m;

    (void)state;
    many_init(&m, 4);
    m.buffers[0].fill = ramp(1, 1);
    m.buffers[3].count = m.buffers[3].compare = N / 2;
    m.buffers[2].fill = constant(9);
    add_add(&m, 0, 1, 10);
    add_zero(&m, 2);
    /* The smaller size counts. */
    add_copy(&m, 1, 3);
    expecting(&m, 1, ramp(11, 1));
    expecting(&m, 2, (struct ct_fill){.kind = CT_FILL_ZERO});
    expecting(&m, 3, ramp(11, 1));
    evaluate_only(&m, CT_RESULT_OK);
    /* A plan may consist of nothing else. */
    many_init(&m, 2);
    m.buffers[0].fill = ramp(1, 1);
    add_copy(&m, 0, 1);
    expecting(&m, 1, ramp(1, 1));
    evaluate_only(&m, CT_RESULT_OK);
    expecting(&m, 1, ramp(1, 2));
    evaluate_only(&m, CT_RESULT_WRONG);
}

/* b0 and b1 exchange their roles with every pass. */
static void loops_give_every_pass_its_arguments(void **state)
{
    enum { PASSES = 4000 };
    struct ct_plan_launch *launches = calloc(PASSES, sizeof(*launches));
    struct ct_plan_arg(*args)[3] = calloc(PASSES, sizeof(*args));
    struct ct_outcome outcome;
    struct many m;

    (void)state;
    assert_true(launches && args);
    many_init(&m, 2);
    m.buffers[0].fill = constant(0);
    m.buffers[0].count = m.buffers[0].compare = 16;
    m.buffers[1].count = m.buffers[1].compare = 16;
    for (uint32_t i = 0; i < PASSES; i++) {
        args[i][0] = buffer_arg(i % 2);
        args[i][1] = buffer_arg(1 - i % 2);
        args[i][2] = scalar(CT_T_FLOAT, i % 3);
        launches[i] = (struct ct_plan_launch){.name = "pass",
                                              .kernel = "add",
                                              .require = "KERNEL_WORK_GROUP_SIZE > 0",
                                              .dims = 1,
                                              .global = {16},
                                              .arg_count = 3,
                                              .args = args[i]};
    }
    m.plan.launches = launches;
    m.plan.launch_count = PASSES;
    /* The sum of i % 3: 1333 whole rounds of 3, and 0. */
    expecting(&m, 0, constant(1333 * 3));
    m.buffers[0].restore = CT_RESTORE_EACH;
    evaluate(&m, CT_RESULT_OK, &outcome);
    assert_int_equal(outcome.fact_count, PASSES);
    assert_true(outcome.facts[PASSES - 1].work_group_size > 0);
    ct_outcome_release(&outcome);
    free(args);
    free(launches);
}

static void unmet_requirements_skip(void **state)
{
    struct ct_outcome outcome;
    struct many m;

    (void)state;
    many_init(&m, 2);
    m.buffers[0].fill = constant(0);
    add_add(&m, 0, 1, 1);
    expecting(&m, 1, constant(1));
    m.launches[0].require = "KERNEL_WORK_GROUP_SIZE >= 1 && KERNEL_LOCAL_MEM_SIZE == 0";
    evaluate_only(&m, CT_RESULT_OK);
    m.launches[0].require = "KERNEL_LOCAL_MEM_SIZE > 0";
    evaluate(&m, CT_RESULT_SKIPPED, &outcome);
    assert_contains(outcome.message, "KERNEL_LOCAL_MEM_SIZE > 0 is false");
    assert_contains(outcome.message, "KERNEL_LOCAL_MEM_SIZE = 0");
    ct_outcome_release(&outcome);
    m.launches[0].require = "WG > 0";
    spec_error(&m, (const char *[]){"launch l", "WG", NULL});
}

static void programs_are_built_separately(void **state)
{
    struct ct_plan_macro macros[2] = {{"VALUE", "5"}, {"VALUE", "6"}};
    struct ct_plan_program programs[2];
    struct many m;

    (void)state;
    many_init(&m, 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct ct_plan_launch *launch = add_launch(&m, CT_LAUNCH_KERNEL);

        programs[i] = m.program;
        programs[i].macro_count = 1;
        programs[i].macros = &macros[i];
        launch->kernel = "value";
        launch->program = i;
        launch->arg_count = 1;
        launch->args[0] = buffer_arg(i);
        expecting(&m, i, constant(5 + i));
    }
    m.plan.program_count = 2;
    m.plan.programs = programs;
    evaluate_only(&m, CT_RESULT_OK);
}

/* Without a bounds check the last work-items read beside one buffer and write beside the
 * other: what they compute there is not a number, as the bands are. */
static void missing_bounds_check_is_seen(void **state)
{
    struct ct_outcome outcome;
    struct many m;

    (void)state;
    many_init(&m, 2);
    m.buffers[0].fill = ramp(1, 1);
    add_add(&m, 0, 1, 1);
    expecting(&m, 1, ramp(2, 1));
    m.launches[0].global[0] = N + 1;
    evaluate(&m, CT_RESULT_WRONG, &outcome);
    assert_true(outcome.mismatch.guard);
    assert_int_equal(outcome.mismatch.buffer, 1);
    assert_int_equal(outcome.mismatch.element, N);
    ct_outcome_release(&outcome);
}

/* --- fills --- */

static void fills_come_from_other_buffers(void **state)
{
    uint32_t sources[] = {0, 1};
    struct ct_fill both = {
        .kind = CT_FILL_INTERLEAVE, .source_count = 2, .sources = sources};
    struct many m;

    (void)state;
    many_init(&m, 4);
    m.buffers[0].fill = ramp(0, 2);
    m.buffers[1].fill = ramp(1, 2);
    m.buffers[2].type.width = 2;
    m.buffers[2].fill = both;
    m.buffers[3].type.width = 2;
    m.buffers[3].fill =
        (struct ct_fill){.kind = CT_FILL_COPY, .source_count = 1, .sources = sources};
    sources[0] = 0;
    add_zero(&m, 0);
    expecting(&m, 2, ramp(0, 1));
    m.buffers[3].count = m.buffers[3].compare = N / 2;
    expecting(&m, 3, ramp(0, 2));
    evaluate_only(&m, CT_RESULT_OK);
    expecting(&m, 2, ramp(0, 2));
    evaluate_only(&m, CT_RESULT_WRONG);
    m.buffers[3].count = m.buffers[3].compare = N / 4;
    spec_error(&m, (const char *[]){"buffer b3", "copy of buffer b0", NULL});
    m.buffers[1].count = m.buffers[1].compare = N / 2;
    spec_error(&m, (const char *[]){"buffer b2", "interleave", NULL});
}

static void fills_come_from_files(void **state)
{
    static const char head[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (240,), }                  "
        "                                       \n";
    char path[128];
    float numbers[N];
    struct many m;
    FILE *file;

    (void)state;
    snprintf(path, sizeof(path), "%s/numbers.npy", test_folder);
    file = fopen(path, "wb");
    assert_non_null(file);
    for (size_t i = 0; i < N; i++)
        numbers[i] = (float)i * 3;
    assert_int_equal(fwrite("\x93NUMPY\x01\x00", 1, 8, file), 8);
    fputc((int)(sizeof(head) - 1), file);
    fputc(0, file);
    fputs(head, file);
    assert_int_equal(fwrite(numbers, sizeof(float), N, file), N);
    assert_int_equal(fclose(file), 0);
    many_init(&m, 2);
    m.buffers[0].fill = (struct ct_fill){.kind = CT_FILL_FILE, .path = path};
    add_add(&m, 0, 1, 1);
    expecting(&m, 1, ramp(1, 3));
    evaluate_only(&m, CT_RESULT_OK);
    /* Edited since it was hashed: nothing may be stored under the old hash. */
    m.buffers[0].fill.path_hash = ct_hash_bytes("other", 5);
    plan_error(&m, CT_E_IO,
               (const char *[]){"buffer b0", "numbers.npy", "changed", NULL});
    m.buffers[0].fill.path_hash = (struct ct_hash){""};
    m.buffers[0].count = m.buffers[0].compare = N + 1;
    spec_error(&m, (const char *[]){"buffer b0", "numbers.npy", "240", "241", NULL});
    m.buffers[0].fill.path = "/nowhere/at/all.npy";
    plan_error(&m, CT_E_IO, (const char *[]){"/nowhere/at/all.npy", NULL});
}

static void fills_come_from_c(void **state)
{
    char path[128];
    struct many m;

    (void)state;
    snprintf(path, sizeof(path), "%s/fill.c", test_folder);
    write_file(path,
               "#include <math.h>\n"
               "#include <stdint.h>\n"
               "void squares(float *x, uint64_t n)\n"
               "{ for (uint64_t i = 0; i < n; i++) x[i] = sqrtf((float)(i * i)); }\n"
               "void beside(float *x, uint64_t n) { x[n] = 1; }\n"
               "void crash(float *x, uint64_t n) { (void)n; x[(uint64_t)1 << 42] = 1; }\n"
               "void other(float *x, const char *n) { (void)x; (void)n; }\n");
    many_init(&m, 2);
    m.buffers[0].fill =
        (struct ct_fill){.kind = CT_FILL_C, .path = path, .function = "squares"};
    add_add(&m, 0, 1, 1);
    expecting(&m, 1, ramp(1, 1));
    evaluate_only(&m, CT_RESULT_OK);
    m.buffers[0].fill.function = "beside";
    spec_error(&m, (const char *[]){"the fill beside of buffer b0", "outside", NULL});
    m.buffers[0].fill.function = "crash";
    spec_error(&m, (const char *[]){"the fill crash of buffer b0", "crashed", NULL});
    m.buffers[0].fill.function = "other";
    spec_error(&m, (const char *[]){"buffer b0", "the fill does not compile", NULL});
    m.buffers[0].fill.function = "nobody";
    spec_error(&m, (const char *[]){"nobody", NULL});
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_zeroes_are_launches),
        cmocka_unit_test(loops_give_every_pass_its_arguments),
        cmocka_unit_test(unmet_requirements_skip),
        cmocka_unit_test(programs_are_built_separately),
        cmocka_unit_test(missing_bounds_check_is_seen),
        cmocka_unit_test(fills_come_from_other_buffers),
        cmocka_unit_test(fills_come_from_files),
        cmocka_unit_test(fills_come_from_c),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up_runner, tear_down_runner);
}
