// SPDX-License-Identifier: Apache-2.0
// Jobs that are certain to be refused are not built, and no others.
#include "schedule/scheduler_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GROUP = 64, OWN_BYTES = 100, DEVICE_GROUP = 256, DEVICE_BYTES = 1000 };

/* A scheduler with one job of one launch, whose program does not use the macro WG. */
struct world {
    struct ct_scheduler scheduler;
    struct ct_scheduler_job job;
    struct ct_scheduler_job *items[1];
    struct ct_plan plan;
    struct ct_plan_program program;
    struct ct_plan_macro macros[2];
    struct ct_plan_launch launch;
    struct ct_plan_arg arg;
};

static int set_up(void **state)
{
    struct world *world = calloc(1, sizeof(*world));
    struct ct_scheduler *scheduler = &world->scheduler;

    world->macros[0] = (struct ct_plan_macro){"WG", "32"};
    world->macros[1] = (struct ct_plan_macro){"TILE", "4"};
    world->program =
        (struct ct_plan_program){.source = "kernel void k(local int *a) { a[0] = TILE; }",
                                 .source_path = "/nowhere/k.cl",
                                 .options = "",
                                 .macro_count = 2,
                                 .macros = world->macros};
    world->arg = (struct ct_plan_arg){.kind = CT_ARG_LOCAL, .local_bytes = 200};
    world->launch = (struct ct_plan_launch){.name = "main",
                                            .kernel = "k",
                                            .dims = 2,
                                            .global = {1024, 1024},
                                            .local = {32, 1},
                                            .arg_count = 1,
                                            .args = &world->arg};
    world->plan = (struct ct_plan){.program_count = 1,
                                   .programs = &world->program,
                                   .launch_count = 1,
                                   .launches = &world->launch};
    world->job.job.plan = &world->plan;
    world->items[0] = &world->job;
    scheduler->jobs.items = world->items;
    scheduler->jobs.count = 1;
    scheduler->texts = ct_program_texts_new();
    scheduler->limits.device.props[CT_DEVICE_MAX_WORK_GROUP_SIZE] =
        ct_value_int(DEVICE_GROUP);
    scheduler->limits.device.props[CT_DEVICE_LOCAL_MEM_SIZE] = ct_value_int(DEVICE_BYTES);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    ct_scheduler_release_limits(&world->scheduler);
    ct_program_texts_free(world->scheduler.texts);
    free(world);
    return 0;
}

/* A build of the present plan reports this. */
static void note(struct world *world, uint64_t group)
{
    struct ct_kernel_facts facts = {.work_group_size = group,
                                    .local_mem_bytes = OWN_BYTES + world->arg.local_bytes,
                                    .registers = 40};
    struct ct_outcome outcome = {.fact_count = 1, .facts = &facts};

    ct_scheduler_note_limits(&world->scheduler, &world->plan, &outcome);
}

/* Whether the plan with this work-group is refused, and with what message. */
static bool refused(struct world *world, uint64_t group, const char *message)
{
    struct ct_scheduler *scheduler = &world->scheduler;
    uint64_t counted = scheduler->stats.refused;

    world->launch.local[0] = group;
    if (!ct_scheduler_refuses(scheduler, 0, &world->job.outcome)) {
        assert_int_equal(scheduler->stats.refused, counted);
        return false;
    }
    assert_int_equal(scheduler->stats.refused, counted + 1);
    assert_int_equal(world->job.outcome.status, CT_RESULT_INVALID);
    if (message)
        assert_string_equal(world->job.outcome.message, message);
    ct_outcome_release(&world->job.outcome);
    return true;
}

static const char too_large[] =
    "launch main: a work-group of 128 is larger than kernel k allows (64)";

static void what_the_same_build_allows_is_certain(void **state)
{
    struct world *world = *state;

    assert_false(refused(world, 128, NULL));
    note(world, GROUP);
    assert_true(refused(world, 128, too_large));
    assert_false(refused(world, GROUP, NULL));
    /* The program has no WG: the same build. */
    world->macros[0].value = "128";
    assert_true(refused(world, 128, too_large));
}

static void other_builds_say_nothing(void **state)
{
    struct world *world = *state;
    struct ct_plan_env env = {"DEBUG", "1"};

    note(world, GROUP);
    world->macros[1].value = "8";
    assert_false(refused(world, 128, NULL));
    world->macros[1].value = "4";
    world->program.options = "-cl-mad-enable";
    assert_false(refused(world, 128, NULL));
    world->program.options = "";
    world->launch.kernel = "other";
    assert_false(refused(world, 128, NULL));
    world->launch.kernel = "k";
    world->plan.env_count = 1;
    world->plan.env = &env;
    assert_false(refused(world, 128, NULL));
    world->plan.env_count = 0;
    assert_true(refused(world, 128, too_large));
}

static void contradicting_builds_say_nothing(void **state)
{
    struct world *world = *state;

    note(world, GROUP);
    note(world, GROUP);
    assert_true(refused(world, 128, too_large));
    note(world, 2 * GROUP);
    assert_false(refused(world, 128, NULL));
    note(world, GROUP);
    assert_false(refused(world, 128, NULL));
}

static void local_memory_of_kernel_and_arguments_counts(void **state)
{
    struct world *world = *state;

    note(world, GROUP);
    world->arg.local_bytes = DEVICE_BYTES - OWN_BYTES;
    assert_false(refused(world, 32, NULL));
    world->arg.local_bytes++;
    assert_true(refused(world, 32,
                        "launch main: 1001 bytes of local memory are more than the "
                        "device's 1000"));
    world->arg.local_bytes = UINT64_MAX;
    assert_true(refused(world, 32, NULL));
}

static void the_device_needs_no_build(void **state)
{
    struct world *world = *state;

    assert_false(refused(world, DEVICE_GROUP, NULL));
    assert_true(
        refused(world, 2 * DEVICE_GROUP,
                "launch main: a work-group of 512 is larger than the device's 256"));
    world->arg.local_bytes = DEVICE_BYTES + 1;
    assert_true(refused(world, 32, NULL));
}

static void facts_are_passed_on(void **state)
{
    struct world *world = *state;
    struct ct_outcome *outcome = &world->job.outcome;

    note(world, GROUP);
    world->arg.local_bytes = 300;
    world->launch.local[0] = 128;
    assert_true(ct_scheduler_refuses(&world->scheduler, 0, outcome));
    assert_int_equal(outcome->fact_count, 1);
    assert_int_equal(outcome->facts[0].work_group_size, GROUP);
    assert_int_equal(outcome->facts[0].local_mem_bytes, OWN_BYTES + 300);
    assert_int_equal(outcome->facts[0].registers, 40);
    ct_outcome_release(outcome);
}

static void some_are_built_in_any_case(void **state)
{
    struct world *world = *state;

    note(world, GROUP);
    world->job.job.full = true;
    assert_false(refused(world, 128, NULL));
    world->job.job.full = false;
    world->job.own = true;
    assert_false(refused(world, 128, NULL));
    world->job.own = false;
    world->scheduler.options.no_duplicates = true;
    assert_false(refused(world, 128, NULL));
    world->scheduler.options.no_duplicates = false;
    assert_true(refused(world, 128, too_large));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(what_the_same_build_allows_is_certain),
        TEST(other_builds_say_nothing),
        TEST(contradicting_builds_say_nothing),
        TEST(local_memory_of_kernel_and_arguments_counts),
        TEST(the_device_needs_no_build),
        TEST(facts_are_passed_on),
        TEST(some_are_built_in_any_case),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
