// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the scheduler: a scheduler on device 0, jobs, reports by ticket.
#ifndef CT_TESTS_CREW_PLAN_H
#define CT_TESTS_CREW_PLAN_H

#include "virtual_driver.h"
#include "children.h"
#include "measure_plan.h"

#include "schedule/scheduler.h"

#include <time.h>

static inline size_t children(pid_t *out, size_t most)
{
    return children_of(getpid(), out, most);
}

static inline struct ct_scheduler_options scheduler_options(unsigned jobs,
                                                            double launch_s)
{
    return (struct ct_scheduler_options){
        .jobs = jobs, .deadlines = ct_deadlines_default(launch_s), .samples = 3};
}

static inline struct ct_scheduler *
new_scheduler(const struct ct_scheduler_options *options)
{
    struct ct_arena arena = {0};
    struct ct_devinfo *devices = NULL;
    struct ct_scheduler *scheduler = NULL;
    size_t count = 0;
    struct ct_err err = CT_ERR_INIT;

    if (ct_measure_devices(&arena, &devices, &count, &err))
        fail_msg("%s", err.message);
    if (ct_scheduler_new(&devices[0], options, &scheduler, &err))
        fail_msg("%s", err.message);
    ct_arena_release(&arena);
    return scheduler;
}

static inline void submit_job(struct ct_scheduler *scheduler, const struct ct_job *job)
{
    struct ct_err err = CT_ERR_INIT;

    if (ct_scheduler_submit(scheduler, job, &err))
        fail_msg("%s", err.message);
}

static inline void submit(struct ct_scheduler *scheduler, uint64_t ticket,
                          const struct plan *p)
{
    submit_job(scheduler, &(struct ct_job){.ticket = ticket, .plan = &p->plan});
}

/* Waits for all of `count` reports with tickets 0, 1, ...; the caller releases them. */
static inline void wait_all(struct ct_scheduler *scheduler, struct ct_report *reports,
                            size_t count)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_report report;

    for (size_t i = 0; i < count; i++) {
        if (ct_scheduler_wait(scheduler, &report, &err))
            fail_msg("report %zu: %s", i, err.message);
        assert_true(report.ticket < count);
        reports[report.ticket] = report;
    }
    assert_int_equal(ct_scheduler_wait(scheduler, &report, &err), CT_E_NOT_FOUND);
}

static inline void release_all(struct ct_report *reports, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ct_outcome_release(&reports[i].outcome);
}

static inline void assert_status(const struct ct_report *report,
                                 enum ct_result_status status)
{
    const struct ct_outcome *outcome = &report->outcome;

    if (outcome->status != status)
        fail_msg("ticket %d: %s, not %s: %s\n%s", (int)report->ticket,
                 ct_result_status_name(outcome->status), ct_result_status_name(status),
                 outcome->message, outcome->build_log);
}

#endif
