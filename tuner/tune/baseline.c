// SPDX-License-Identifier: Apache-2.0
// Measures the host baseline on one processor and on all, within a share of the search, and the winner's time with transfers.
#include "tune/search_impl.h"

#include "base/clock.h"
#include "base/cpuinfo.h"
#include "judge/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_SAMPLES = 3 }; /* of the winner with transfers, if little time is left */

/* Records why the baseline on all processors is missing. */
static enum ct_status note_missing(struct ct_search *search, const char *status,
                                   const char *message, struct ct_err *err)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_str_addf(&text, "%s%s%s", status, *status ? ": " : "", message);
    if (text.failed) {
        ct_str_release(&text);
        return ct_err_nomem(err);
    }
    search->host.all_missing = ct_mem_copy(text.data, text.length);
    ct_str_release(&text);
    return search->host.all_missing ? CT_OK : ct_err_nomem(err);
}

/* What preparing the data has taken; where a baseline comes before the search, that was for both. */
static double data_s(const struct ct_search *search, const struct ct_outcome *outcome)
{
    return search->budget.seconds > 0 ? 0
                                      : (double)outcome->spent_ns[CT_PHASE_DATA] / 1e9;
}

/* What calling the code and comparing its outputs has taken. */
static double calls_s(const struct ct_outcome *outcome)
{
    return (double)(outcome->spent_ns[CT_PHASE_FIRST] +
                    outcome->spent_ns[CT_PHASE_CHECK] +
                    outcome->spent_ns[CT_PHASE_MEASURE]) /
           1e9;
}

/* As the scheduler takes it: 0 is no limit. */
static uint64_t limit_ns_of(double limit_s)
{
    return isfinite(limit_s) ? (uint64_t)(fmax(limit_s, 0) * 1e9) + 1 : 0;
}

/* The same code on all processors, if there are several and the limit, for both of them, allows it.  Its
 * process maps or makes the data as the other has. */
static enum ct_status measure_all(struct ct_search *search, const struct ct_plan *plan,
                                  double limit_s, struct ct_err *err)
{
    struct ct_err own = CT_ERR_INIT;
    struct ct_outcome *all = &search->host.all;
    double least_s = CT_POLICY_BASELINE_CALLS * search->host.one.time_ns / 1e9;
    double called_s = calls_s(&search->host.one);
    double made_s = 2 * data_s(search, &search->host.one);
    enum ct_status status;

    if (search->host.processors < 2)
        return CT_OK;
    limit_s -= called_s + made_s;
    if (least_s > limit_s)
        return note_missing(search, "",
                            made_s > called_s + least_s
                                ? "preparing its data takes " CT_BASELINE_TOO_LONG
                                : "its calls take " CT_BASELINE_TOO_LONG,
                            err);
    status = ct_scheduler_baseline(search->jobs.scheduler, plan, true,
                                   limit_ns_of(limit_s), all, &own);
    if (status == CT_E_INTERRUPTED)
        return ct_err_set(err, status, "interrupted");
    if (status)
        return note_missing(search, "", own.message, err);
    search->host.has_all = all->status == CT_RESULT_OK;
    if (!search->host.has_all) {
        status =
            note_missing(search, ct_result_status_name(all->status), all->message, err);
        ct_outcome_release(all);
    }
    return status;
}

enum ct_status ct_search_measure_baseline(struct ct_search *search, struct ct_err *err)
{
    struct ct_err own = CT_ERR_INIT;
    double limit_s = ct_budget_baseline_s(
        &search->budget, (double)(ct_clock_now_ns() - search->pace.start_ns) / 1e9);
    struct ct_plan plan;
    enum ct_status status;

    if (!search->work.spec->baseline.present || search->options->no_baseline)
        return CT_OK;
    ct_observer_event(search->observer,
                      &(struct ct_event){.kind = CT_EVENT_BASELINE, .search = search});
    status = ct_workload_plan_of(&search->work, search->objective.needs,
                                 search->work.default_index, &plan, err);
    if (status)
        return status;
    /* A part of it, so that the rest suffices for all processors. */
    status = ct_scheduler_baseline(search->jobs.scheduler, &plan, false,
                                   limit_ns_of(limit_s / 4), &search->host.one, &own);
    if (status == CT_E_INTERRUPTED)
        return ct_err_set(err, status, "interrupted");
    if (status) {
        ct_observer_warn(search->observer, "no baseline: %s", own.message);
        return CT_OK;
    }
    search->host.has_one = search->host.one.status == CT_RESULT_OK;
    if (!search->host.has_one) {
        ct_observer_warn(search->observer, "no baseline: %s: %s",
                         ct_result_status_name(search->host.one.status),
                         search->host.one.message);
        ct_outcome_release(&search->host.one);
        return CT_OK;
    }
    search->host.processors = ct_cpuinfo_usable();
    status = measure_all(search, &plan, limit_s, err);
    search->host.is_short =
        calls_s(&search->host.one) + calls_s(&search->host.all) > limit_s / 2;
    return status ? status : ct_search_store_baseline(search, &plan, err);
}

enum ct_status ct_search_measure_transfers(struct ct_search *search, struct ct_err *err)
{
    const struct ct_evaluated *best =
        ct_results_best(&search->results, &search->objective);
    struct ct_plan plan;
    struct ct_job job = {.plan = &plan,
                         .full = true,
                         .alone = true,
                         .again = true,
                         .samples = search->host.is_short ? FEW_SAMPLES : 0};
    struct ct_report report = {0};
    enum ct_status status;

    if (!search->host.has_one || !best)
        return CT_OK;
    status = ct_workload_plan_of(&search->work, search->objective.needs, best->index,
                                 &plan, err);
    plan.end_to_end = true;
    if (!status)
        status = ct_scheduler_submit(search->jobs.scheduler, &job, err);
    if (!status)
        status = ct_scheduler_wait(search->jobs.scheduler, &report, err);
    if (status)
        return status == CT_E_NOT_FOUND ? CT_OK : status;
    if (report.outcome.status == CT_RESULT_OK)
        search->host.transfers = (struct ct_range){report.outcome.end_to_end.time_ns,
                                                   report.outcome.end_to_end.low_ns,
                                                   report.outcome.end_to_end.high_ns};
    ct_outcome_release(&report.outcome);
    return CT_OK;
}

void ct_baseline_release(struct ct_baseline *baseline)
{
    if (baseline->has_one)
        ct_outcome_release(&baseline->one);
    if (baseline->has_all)
        ct_outcome_release(&baseline->all);
    free(baseline->all_missing);
    memset(baseline, 0, sizeof(*baseline));
}
