// SPDX-License-Identifier: Apache-2.0
// Cold caches on device 0: which buffers a timed pipeline gets, shown by the pipelines
// themselves, which count in their buffers and crash when they have been there too often.
#define _GNU_SOURCE // folder.h
#include "worker/timing/sampling_policy.h"
#include "worker/worker_main.h"
#include "measure_plan.h"

#include "worker/timing/cold_copies.h"

static const char count_source[] =
    "kernel void count(global uint *runs, global uint *each, global const uint *same,\n"
    "                  global uint *blank, uint limit, uint n)\n"
    "{\n"
    "    if (get_global_id(0) > 0) return;\n"
    "    runs[0] += 1;\n"
    "    each[0] += 1;\n"
    "    int wrong = runs[0] > limit || runs[0] != runs[n - 1] + 1 || each[0] != 1;\n"
    "    for (uint i = 0; i < 64; i++) wrong |= same[i] != 7 || blank[i] != 0xFFFFFFFF;\n"
    "    runs[n - 1] = runs[0];\n"
    "    if (wrong) runs[1ul << 42] = 1;\n"
    "}\n";

enum {
    SAMPLES = 40,
    SMALL = 64,
    TAKES = 1 + CT_SAMPLING_POLICY_RETAKES, /* where other programs are at work */
};

static struct ct_runner *runner;
static uint64_t cache_bytes;

/* Counts in a buffer of an eighth of the last cache.  The small one, which is as new for
 * each run, makes every sample a single run. */
struct counting {
    struct ct_plan plan;
    struct ct_plan_program program;
    struct ct_plan_buffer buffers[4];
    struct ct_plan_launch launch;
    struct ct_plan_arg args[6];
};

static void counting_init(struct counting *c, uint32_t limit)
{
    uint64_t count = cache_bytes / 8 / 4;

    memset(c, 0, sizeof(*c));
    c->program = (struct ct_plan_program){.source = count_source,
                                          .source_path = "count.cl",
                                          .options = "",
                                          .source_hash = ct_hash_bytes(count_source, 7)};
    c->buffers[0] = (struct ct_plan_buffer){.name = "runs",
                                            .type = {CT_T_UINT, 1},
                                            .count = count,
                                            .fill = {.kind = CT_FILL_ZERO}};
    c->buffers[1] = (struct ct_plan_buffer){.name = "each",
                                            .type = {CT_T_UINT, 1},
                                            .count = SMALL,
                                            .fill = {.kind = CT_FILL_ZERO},
                                            .restore = CT_RESTORE_EACH};
    c->buffers[2] = (struct ct_plan_buffer){.name = "same",
                                            .type = {CT_T_UINT, 1},
                                            .count = SMALL,
                                            .fill = {.kind = CT_FILL_CONSTANT, .a = 7}};
    c->buffers[3] =
        (struct ct_plan_buffer){.name = "blank", .type = {CT_T_UINT, 1}, .count = SMALL};
    for (uint32_t i = 0; i < 4; i++)
        c->args[i] = (struct ct_plan_arg){.kind = CT_ARG_BUFFER, .buffer = i};
    c->args[4] = scalar(CT_T_UINT, limit);
    c->args[5] = scalar(CT_T_UINT, (double)count);
    c->launch = (struct ct_plan_launch){.name = "count",
                                        .kernel = "count",
                                        .dims = 1,
                                        .global = {64},
                                        .local = {64},
                                        .arg_count = 6,
                                        .args = c->args};
    c->plan = (struct ct_plan){.program_count = 1,
                               .programs = &c->program,
                               .buffer_count = 4,
                               .buffers = c->buffers,
                               .launch_count = 1,
                               .launches = &c->launch,
                               .cold = true};
}

static void evaluate(const struct counting *c, enum ct_result_status status,
                     struct ct_outcome *outcome)
{
    struct ct_measure_options how = options(60);
    struct ct_err err = CT_ERR_INIT;

    how.race.samples = SAMPLES;
    if (ct_runner_evaluate(runner, &c->plan, &how, outcome, &err))
        fail_msg("%s", err.message);
    if (outcome->status != status)
        fail_msg("%s, not %s: %s\n%s", ct_result_status_name(outcome->status),
                 ct_result_status_name(status), outcome->message, outcome->build_log);
}

/* Forty-one runs over seventeen copies are at most three for each, and the first launch
 * is one more of the plan's own buffers.  Three times: contents are as new each time. */
static void copies_take_turns(void **state)
{
    struct counting c;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct ct_outcome outcome;

        counting_init(&c, 4 * TAKES);
        evaluate(&c, CT_RESULT_OK, &outcome);
        /* The small ones count as well, a little. */
        assert_in_range(outcome.cold.copies, 16, 17);
        assert_false(outcome.cold.incomplete);
        assert_int_equal(outcome.samples.count, SAMPLES);
        assert_int_equal(outcome.samples.launches, 1);
        ct_outcome_release(&outcome);
    }
}

/* The same with warm caches: all runs are on the same buffers. */
static void warm_caches_have_one(void **state)
{
    struct ct_outcome outcome;
    struct counting c;

    (void)state;
    counting_init(&c, SAMPLES * TAKES + 2);
    c.plan.cold = false;
    evaluate(&c, CT_RESULT_OK, &outcome);
    assert_int_equal(outcome.cold.copies, 0);
    ct_outcome_release(&outcome);
    counting_init(&c, SAMPLES + 1);
    c.plan.cold = false;
    evaluate(&c, CT_RESULT_CRASHED, &outcome);
    assert_int_equal(outcome.phase, CT_PHASE_MEASURE);
    ct_outcome_release(&outcome);
}

/* Pipelines of one sample take turns too: every copy is run, and none much oftener than
 * others. */
static void grouped_runs_take_turns(void **state)
{
    static const char source[] =
        "kernel void count(global uint *runs, global uint *each,\n"
        "    global const uint *same, global uint *blank, uint limit, uint n)\n"
        "{\n"
        "    if (get_global_id(0) > 0) return;\n"
        "    runs[0] += 1;\n"
        "    each[0] += 1;\n"
        "    if (runs[0] != each[0] || runs[0] > limit) runs[1ul << 42] = 1;\n"
        "}\n";
    struct ct_outcome outcome;
    struct counting c;

    (void)state;
    counting_init(&c, TAKES * (3 + SAMPLES * 100 / 16));
    c.buffers[1].restore = CT_RESTORE_ONCE;
    c.program.source = source;
    c.program.source_hash = ct_hash_bytes(source, strlen(source));
    evaluate(&c, CT_RESULT_OK, &outcome);
    assert_in_range(outcome.cold.copies, 16, 17);
    ct_outcome_release(&outcome);
}

/* And so do passes with transfers.  Inputs are sent anew each time, but not what has no
 * fill: that is counted in here.  A run lasts more than 10 ms, so that every sample is
 * one. */
static void passes_take_turns(void **state)
{
    static const char source[] =
        "kernel void count(global uint *runs, global uint *each,\n"
        "    global const uint *same, global uint *blank, uint limit, uint n)\n"
        "{\n"
        "    if (get_global_id(0) > 0) return;\n"
        "    for (volatile int i = 0; i < 40000000; i++) {}\n"
        "    blank[0] += 1;\n"
        "    if (blank[0] + 1 > limit) runs[1ul << 42] = 1;\n"
        "}\n";
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct counting c;

    (void)state;
    /* Twelve runs without transfers, eleven with. */
    counting_init(&c, 6 * TAKES);
    c.plan.end_to_end = true;
    c.program.source = source;
    c.program.source_hash = ct_hash_bytes(source, strlen(source));
    c.buffers[1].restore = CT_RESTORE_ONCE;
    how.race.samples = 10;
    assert_int_equal(ct_runner_evaluate(runner, &c.plan, &how, &outcome, NULL), CT_OK);
    assert_string_equal(outcome.message, "");
    assert_int_equal(outcome.status, CT_RESULT_OK);
    assert_true(outcome.end_to_end.time_ns > 0);
    ct_outcome_release(&outcome);
}

/* Buffers larger than twice the cache need no copies. */
static void large_buffers_need_no_copies(void **state)
{
    struct ct_outcome outcome;
    struct counting c;

    (void)state;
    counting_init(&c, SAMPLES * TAKES + 2);
    c.buffers[0].count = cache_bytes / 2 + SMALL;
    c.args[5] = scalar(CT_T_UINT, (double)c.buffers[0].count);
    evaluate(&c, CT_RESULT_OK, &outcome);
    assert_int_equal(outcome.cold.copies, 1);
    assert_false(outcome.cold.incomplete);
    ct_outcome_release(&outcome);
}

/* Pure: how many copies. */
static void copies_are_counted(void **state)
{
    static const struct {
        uint64_t used, copy, cache, room;
        size_t copies;
        bool short_of;
    } cases[] = {
        {1000, 1000, 10000, 1000000, 21, false}, /* 20 would be just twice */
        {1001, 1001, 10000, 1000000, 20, false},
        {20000, 20000, 10000, 1000000, 2, false},
        {20001, 20001, 10000, 1000000, 1, false},
        {1000, 1000, 10000, 20000, 21, false},
        {1000, 1000, 10000, 19999, 20, true},
        {1000, 1000, 10000, 0, 1, true},
        {1, 40000, 1 << 20, 1ull << 40, CT_COLD_COPIES_MOST, true},
        {0, 0, 10000, 1000000, 1, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        bool short_of = !cases[i].short_of;

        assert_int_equal(ct_cold_copies_count(cases[i].used, cases[i].copy,
                                              cases[i].cache, cases[i].room, &short_of),
                         cases[i].copies);
        assert_int_equal(short_of, cases[i].short_of);
    }
}

static int set_up(void **state)
{
    struct ct_arena arena = {0};
    struct ct_devinfo *devices = NULL;
    size_t count = 0;

    if (set_up_folder(state) || ct_measure_devices(&arena, &devices, &count, NULL))
        return -1;
    cache_bytes =
        ct_cold_copies_cache_bytes(&devices[0], strcmp(devices[0].type, "CPU") == 0);
    ct_arena_release(&arena);
    runner = runner_new();
    return cache_bytes % 8;
}

static int tear_down(void **state)
{
    ct_runner_free(runner);
    return remove_folder(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_counted),
        cmocka_unit_test(copies_take_turns),
        cmocka_unit_test(warm_caches_have_one),
        cmocka_unit_test(grouped_runs_take_turns),
        cmocka_unit_test(passes_take_turns),
        cmocka_unit_test(large_buffers_need_no_copies),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
