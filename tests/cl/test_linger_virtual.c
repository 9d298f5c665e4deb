// SPDX-License-Identifier: Apache-2.0
// Waiting a moment for a further report, on the virtual driver's device 0.
#define _GNU_SOURCE // folder.h
#include "base/clock.h"
#include "copy_reference.h"
#include "worker/worker_main.h"

static const char source[] =
    "#pragma virtual base 50000\n"
    "#pragma virtual fault MODE slow launch_hang\n"
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n"
    "}\n";

static struct ct_plan_macro quick[] = {{"MODE", "good"}};
static struct ct_plan_macro slow[] = {{"MODE", "slow"}};

static const uint64_t moment_ns = 10000000;
static const uint64_t minute_ns = 60000000000;

static void a_report_ends_it(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 60);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report report;
    struct plan p;

    (void)state;
    assert_false(ct_scheduler_linger(scheduler, ct_clock_now_ns() + minute_ns));
    copy_plan_init(&p, source, quick, 1);
    submit(scheduler, 0, &p);
    assert_true(ct_scheduler_linger(scheduler, ct_clock_now_ns() + minute_ns));
    assert_int_equal(ct_scheduler_ready(scheduler), 1);
    wait_all(scheduler, &report, 1);
    assert_status(&report, CT_RESULT_OK);
    release_all(&report, 1);
    ct_scheduler_free(scheduler);
}

/* The runner has a launch that hangs: without an end of its own, waiting would end with the report
 * of that. */
static void so_does_the_time(void **state)
{
    struct ct_scheduler_options options = scheduler_options(1, 3);
    struct ct_scheduler *scheduler = new_scheduler(&options);
    struct ct_report reports[2];
    struct plan p[2];

    (void)state;
    copy_plan_init(&p[0], source, quick, 1);
    copy_plan_init(&p[1], source, slow, 1);
    submit(scheduler, 0, &p[0]);
    submit(scheduler, 1, &p[1]);
    assert_true(ct_scheduler_linger(scheduler, ct_clock_now_ns() + minute_ns));
    assert_int_equal(ct_scheduler_wait(scheduler, &reports[0], NULL), CT_OK);
    assert_int_equal(reports[0].ticket, 0);
    for (int i = 0; i < 20; i++)
        assert_false(ct_scheduler_linger(scheduler, ct_clock_now_ns() + moment_ns));
    assert_int_equal(ct_scheduler_wait(scheduler, &reports[1], NULL), CT_OK);
    assert_status(&reports[1], CT_RESULT_TIMEOUT);
    assert_false(ct_scheduler_linger(scheduler, ct_clock_now_ns() + minute_ns));
    release_all(reports, 2);
    ct_scheduler_free(scheduler);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_ends_it),
        cmocka_unit_test(so_does_the_time),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up_virtual, remove_folder);
}
