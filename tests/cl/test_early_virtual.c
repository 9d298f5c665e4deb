// SPDX-License-Identifier: Apache-2.0
// Programs compiled before their jobs are submitted, on the virtual driver's device 0.
#define _GNU_SOURCE // folder.h
#include "copy_reference.h"
#include "worker/worker_main.h"

enum { COUNT = 5 };

static const char source[] =
    "#pragma virtual base 50000\n"
    "#pragma virtual build_time 200000000\n"
    "#pragma virtual fault MODE bad build_error\n"
    "#pragma virtual fault MODE dead build_segfault\n"
    "#pragma virtual fault MODE stuck build_hang\n"
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n"
    "    /* KIND */\n"
    "}\n";

static char kinds[COUNT][8];
static struct ct_plan_macro macros[COUNT][2];

static void plan_of(struct plan *p, int index, const char *mode)
{
    snprintf(kinds[index], sizeof(kinds[index]), "%d", index);
    macros[index][0] = (struct ct_plan_macro){"KIND", kinds[index]};
    macros[index][1] = (struct ct_plan_macro){"MODE", mode};
    copy_plan_init(p, source, macros[index], 2);
}

struct match {
    struct ct_scheduler *scheduler;
    struct plan p[COUNT];
    struct ct_plan early[COUNT];
    struct ct_report reports[COUNT];
    struct ct_scheduler_stats stats;
    bool ahead[COUNT - 1];
};

/* The programs that builders were seen to build ahead. */
static void note_ahead(void *user, const struct ct_scheduler_activity *activity)
{
    struct match *m = user;

    for (size_t i = 0; i < activity->worker_count; i++)
        if (activity->workers[i].task == CT_TASK_EARLY) {
            assert_in_range(activity->workers[i].ticket, 0, COUNT - 2);
            m->ahead[activity->workers[i].ticket] = true;
        }
}

/* Job 0 runs alone while the others may be built, and is reported. */
static void begin(struct match *m, unsigned jobs, const char *const *modes)
{
    struct ct_scheduler_options options = scheduler_options(jobs, 60);
    struct ct_job job = {.ticket = 0, .alone = true, .full = true};
    struct ct_err err = CT_ERR_INIT;

    options.no_cache = true;
    options.spares = 2;
    options.activity = note_ahead;
    options.activity_user = m;
    memset(m->ahead, 0, sizeof(m->ahead));
    m->scheduler = new_scheduler(&options);
    for (int i = 0; i < COUNT; i++) {
        plan_of(&m->p[i], i, modes[i]);
        m->early[i] = m->p[i].plan;
    }
    assert_int_equal(ct_scheduler_builds_early(m->scheduler), jobs > 1);
    assert_int_equal(
        ct_scheduler_build_early(m->scheduler, &m->early[1], COUNT - 1, &err), CT_OK);
    job.plan = &m->p[0].plan;
    submit_job(m->scheduler, &job);
    assert_int_equal(ct_scheduler_wait(m->scheduler, &m->reports[0], &err), CT_OK);
    assert_status(&m->reports[0], CT_RESULT_OK);
}

static void end(struct match *m)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_report report;

    for (int i = 1; i < COUNT; i++)
        submit(m->scheduler, (uint64_t)i, &m->p[i]);
    for (int i = 1; i < COUNT; i++) {
        assert_int_equal(ct_scheduler_wait(m->scheduler, &report, &err), CT_OK);
        assert_in_range(report.ticket, 1, COUNT - 1);
        m->reports[report.ticket] = report;
    }
    assert_int_equal(ct_scheduler_wait(m->scheduler, &report, &err), CT_E_NOT_FOUND);
    ct_scheduler_stats_get(m->scheduler, &m->stats);
    ct_scheduler_free(m->scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

static const char *const all_good[COUNT] = {"good", "good", "good", "good", "good"};

/* Each is built once: the builders of the first job's company took the next two at least. */
static void jobs_take_over(void **state)
{
    struct match m;

    (void)state;
    begin(&m, 3, all_good);
    assert_true(m.ahead[0] && m.ahead[1]);
    end(&m);
    assert_int_equal(m.stats.built, COUNT);
    assert_in_range(m.stats.early, 2, COUNT - 1);
    for (int i = 0; i < COUNT; i++)
        assert_status(&m.reports[i], CT_RESULT_OK);
    release_all(m.reports, COUNT);
}

/* A refused program is what it would have been; one that kills its builder is tried for its own
 * job, and blamed then. */
static void failures_are_the_jobs_own(void **state)
{
    static const char *const modes[COUNT] = {"good", "bad", "dead", "good", "dead"};
    struct match m;

    (void)state;
    begin(&m, 5, modes);
    end(&m);
    assert_status(&m.reports[1], CT_RESULT_BUILD_FAILED);
    assert_true(*m.reports[1].outcome.build_log);
    assert_status(&m.reports[2], CT_RESULT_CRASHED);
    assert_status(&m.reports[3], CT_RESULT_OK);
    assert_status(&m.reports[4], CT_RESULT_CRASHED);
    assert_in_range(m.stats.early, 1, COUNT - 1);
    release_all(m.reports, COUNT);
}

/* What nobody asks for ends with the scheduler, in the middle of a build. */
static void unwanted_ones_are_forgotten(void **state)
{
    struct match m;

    (void)state;
    begin(&m, 3, all_good);
    ct_scheduler_stats_get(m.scheduler, &m.stats);
    assert_int_equal(m.stats.built, 1);
    ct_scheduler_free(m.scheduler);
    assert_int_equal(children(NULL, 0), 0);
    release_all(m.reports, 1);
}

/* A single builder has no time for it. */
static void one_builder_waits(void **state)
{
    struct match m;

    (void)state;
    begin(&m, 1, all_good);
    end(&m);
    assert_int_equal(m.stats.built, COUNT);
    assert_int_equal(m.stats.early, 0);
    release_all(m.reports, COUNT);
}

/* Processes are prepared beside a builder that has a long build: its own would be borrowed, if it
 * were free soon. */
static void a_long_build_is_not_waited_for(void **state)
{
    static const char *const modes[COUNT] = {"good", "stuck", "stuck", "stuck", "stuck"};
    const struct ct_plan *early;
    struct ct_err err = CT_ERR_INIT;
    struct match m;
    pid_t before[COUNT];
    pid_t after[2 * COUNT];
    size_t count;

    (void)state;
    begin(&m, 2, modes);
    count = children(before, COUNT);
    assert_in_range(count, 2, 3);
    early = &m.early[0];
    assert_int_equal(ct_scheduler_prepare(m.scheduler, &early, 1, 2, &err), CT_OK);
    assert_int_equal(ct_scheduler_prepared(m.scheduler), 2);
    /* Had they been waited for, they would have been ended and replaced. */
    for (size_t i = 0, now = children(after, 2 * COUNT); i < count; i++) {
        size_t k = 0;

        while (k < now && after[k] != before[i])
            k++;
        assert_true(k < now);
    }
    ct_outcome_release(&m.reports[0].outcome);
    ct_scheduler_free(m.scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_take_over),
        cmocka_unit_test(failures_are_the_jobs_own),
        cmocka_unit_test(unwanted_ones_are_forgotten),
        cmocka_unit_test(one_builder_waits),
        cmocka_unit_test(a_long_build_is_not_waited_for),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up_virtual, remove_folder);
}
