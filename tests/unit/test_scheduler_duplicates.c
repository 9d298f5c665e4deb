// SPDX-License-Identifier: Apache-2.0
// What a job leaves for its duplicates, and for theirs.
#include "schedule/scheduler_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 4 };

static struct ct_scheduler_job jobs[COUNT];
static struct ct_scheduler_job *items[COUNT];
static struct ct_scheduler_past past[COUNT];
static size_t done[COUNT];
static struct ct_scheduler scheduler;

static int set_up(void **state)
{
    (void)state;
    memset(jobs, 0, sizeof(jobs));
    memset(past, 0, sizeof(past));
    memset(&scheduler, 0, sizeof(scheduler));
    for (size_t i = 0; i < COUNT; i++) {
        past[i].ticket = jobs[i].job.ticket = 100 + i;
        jobs[i].stage = CT_STAGE_RUNNING;
        items[i] = &jobs[i];
        ct_str_init(&jobs[i].handover);
    }
    scheduler.jobs.items = items;
    scheduler.jobs.past = past;
    scheduler.jobs.count = COUNT;
    scheduler.done.items = done;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        ct_outcome_release(&jobs[i].outcome);
        free(past[i].bytes);
    }
    return 0;
}

/* Of noise, which is hardly compressed. */
static double sample(uint32_t i)
{
    return 1000 + (double)(i * 2654435761U) * 0x1p-20 + (double)(i * 40503U) * 0x1p-40;
}

/* An outcome with `count` samples. */
static struct ct_outcome outcome_with(uint32_t count)
{
    struct ct_outcome outcome = {.status = CT_RESULT_OK,
                                 .phase = CT_PHASE_MEASURE,
                                 .message = "",
                                 .build_log = "a log",
                                 .time_ns = 1234.5,
                                 .deadline_ns = 77};
    double *ns = ct_arena_array(&outcome.arena, count, sizeof(*ns));

    assert_non_null(ns);
    for (uint32_t i = 0; i < count; i++)
        ns[i] = sample(i);
    outcome.samples.ns = ns;
    outcome.samples.count = count;
    outcome.samples.launches = 1;
    outcome.spent_ns[CT_PHASE_BUILD] = 5;
    return outcome;
}

/* Says that a job is a duplicate of another one, and settles. */
static void follow(size_t index, size_t original)
{
    jobs[index].stage = CT_STAGE_DUPLICATE;
    jobs[index].duplicate = CT_DUPLICATE_BINARY;
    jobs[index].original = original;
    ct_scheduler_settle(&scheduler);
}

static void expect_copy(size_t index, uint32_t count)
{
    const struct ct_outcome *outcome = &jobs[index].outcome;

    assert_int_equal(jobs[index].stage, CT_STAGE_DONE);
    assert_true(outcome->time_ns == 1234.5);
    assert_string_equal(outcome->build_log, "a log");
    assert_int_equal(outcome->deadline_ns, 77);
    assert_int_equal(outcome->spent_ns[CT_PHASE_BUILD], 0);
    assert_int_equal(outcome->samples.count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_true(outcome->samples.ns[i] == sample(i));
}

/* Of messages of any length: few bytes are compressed with small tables. */
static void outcomes_are_copied(void **state)
{
    static const uint32_t counts[] = {1, 30, 61, 62, 63, 64, 65, 500, 1000, 5000, 20000};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct ct_outcome outcome = outcome_with(counts[i]);

        set_up(state);
        ct_scheduler_done(&scheduler, 0, &outcome);
        assert_int_equal(jobs[0].outcome.spent_ns[CT_PHASE_BUILD], 5);
        follow(1, 0);
        expect_copy(1, counts[i]);
        tear_down(state);
    }
    set_up(state);
}

/* A duplicate of a duplicate, whose outcome is kept only once. */
static void copies_are_copied(void **state)
{
    struct ct_outcome outcome = outcome_with(10);

    (void)state;
    ct_scheduler_done(&scheduler, 0, &outcome);
    items[0] = NULL; /* reported */
    follow(1, 0);
    assert_null(past[1].bytes);
    items[1] = NULL;
    follow(2, 1);
    items[2] = NULL;
    follow(3, 2);
    expect_copy(2, 10);
    expect_copy(3, 10);
    assert_int_equal(scheduler.stats.binary_duplicates, 3);
    assert_int_equal(scheduler.done.count, 4);
}

/* What is no longer believed is not copied: the job measures itself. */
static void forgotten_ones_are_not_copied(void **state)
{
    struct ct_outcome outcome = outcome_with(10);

    (void)state;
    ct_scheduler_done(&scheduler, 0, &outcome);
    follow(1, 0);
    ct_scheduler_forget(&scheduler, 101);
    follow(2, 1);
    assert_int_equal(jobs[2].stage, CT_STAGE_BUILT);
    ct_scheduler_forget(&scheduler, 100);
    follow(3, 0);
    assert_int_equal(jobs[3].stage, CT_STAGE_BUILT);
}

/* Whether a launch of few work-groups suffices, by what three samples' launches have taken. */
static bool suffices(const struct ct_built samples[CT_MASK_SAMPLES])
{
    memset(&scheduler.duplicates, 0, sizeof(scheduler.duplicates));
    for (size_t i = 0; i < CT_MASK_SAMPLES; i++) {
        ct_str_init(&scheduler.duplicates.samples[i].code);
        ct_str_init(&scheduler.duplicates.samples[i].binaries);
    }
    for (size_t i = 0; i < CT_MASK_SAMPLES; i++)
        ct_scheduler_sampled(&scheduler, i, &samples[i]);
    return scheduler.duplicates.small_is_enough;
}

/* A driver that still has to compile shows it in each of them, a disturbance in one. */
static void samples_show_what_launches_compile(void **state)
{
    static const uint64_t ms = 1000000;
    const struct ct_built quick = {.small_ns = 50 * ms, .first_ns = ms, .second_ns = ms};
    const struct ct_built disturbed = {
        .small_ns = 50 * ms, .first_ns = 20 * ms, .second_ns = ms};
    const struct ct_built other = {
        .small_ns = 50 * ms, .first_ns = 50 * ms, .second_ns = 40 * ms};
    const struct ct_built none = {.first_ns = 50 * ms, .second_ns = ms};

    (void)state;
    assert_true(suffices((struct ct_built[]){quick, quick, quick}));
    assert_true(suffices((struct ct_built[]){quick, disturbed, quick}));
    assert_false(suffices((struct ct_built[]){disturbed, disturbed, disturbed}));
    assert_false(suffices((struct ct_built[]){disturbed, other, disturbed}));
    assert_false(suffices((struct ct_built[]){quick, quick, none}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outcomes_are_copied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_are_copied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forgotten_ones_are_not_copied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(samples_show_what_launches_compile, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
