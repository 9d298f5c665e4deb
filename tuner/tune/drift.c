// SPDX-License-Identifier: Apache-2.0
// Times the default configuration again during the run: does the device's speed change?
#include "tune/search_impl.h"

#include "judge/policy.h"

#include <math.h>
#include <stdlib.h>

static uint64_t run_ns(const struct ct_search *search)
{
    struct ct_scheduler_stats stats;

    ct_scheduler_stats_get(search->jobs.scheduler, &stats);
    return stats.run_wall_ns;
}

static bool due(const struct ct_search *search)
{
    uint64_t every = search->pace.planned / CT_POLICY_DRIFT_SHARE;

    return !search->drift.out && search->drift.series.count &&
           search->defaults.has_plan &&
           search->results.evaluated >= search->drift.evaluations + (every ? every : 1) &&
           run_ns(search) >= search->drift.run_ns + CT_POLICY_DRIFT_RUN_NS;
}

enum ct_status ct_search_submit_drift(struct ct_search *search, struct ct_err *err)
{
    struct ct_job job = {.plan = &search->defaults.plan,
                         .full = true,
                         .again = true,
                         .samples = CT_POLICY_DRIFT_SAMPLES};
    enum ct_status status;

    if (!search->drift.run_ns)
        search->drift.run_ns = run_ns(search);
    if (!due(search))
        return CT_OK;
    status = ct_jobs_new_ticket(&search->jobs, search->work.default_index,
                                &search->defaults.result.experiment, &job.ticket, err);
    if (!status)
        status = ct_scheduler_submit(search->jobs.scheduler, &job, err);
    if (status)
        return status;
    search->drift.ticket = job.ticket;
    search->drift.out = true;
    search->drift.evaluations = search->results.evaluated;
    search->drift.run_ns = run_ns(search);
    return CT_OK;
}

/* Warns once, when the change is clear. */
static void warn_of_change(struct ct_search *search)
{
    uint64_t since = 0;
    double change = ct_drift_change(&search->drift.series, &since);

    search->store.run.noise.drift = change;
    if (search->drift.series.warned || change == 0)
        return;
    search->drift.series.warned = true;
    ct_observer_warn(
        search->observer,
        "the device has become %.0f%% %s since the search began (from "
        "evaluation %llu on); results are corrected for this; likely causes "
        "are heat, power saving and other programs: let the device settle, fix "
        "its clocks, or stop other programs that use it",
        100 * fabs(change), change > 0 ? "slower" : "faster", (unsigned long long)since);
}

bool ct_search_accept_drift(struct ct_search *search, struct ct_report *report)
{
    if (!search->drift.out || report->ticket != search->drift.ticket)
        return false;
    search->drift.out = false;
    /* Without memory for it the drift is unknown. */
    if (report->outcome.status == CT_RESULT_OK &&
        !ct_drift_add(&search->drift.series, report->outcome.time_ns,
                      search->results.evaluated, NULL))
        warn_of_change(search);
    ct_outcome_release(&report->outcome);
    return true;
}

static const uint32_t quantities_of_time =
    1u << CT_QUANTITY_TIME_NS | 1u << CT_QUANTITY_END_TO_END_NS;

/* How much slower the device was in the play-off than when the entry was measured; 1 within the
 * noise, or if unknown. */
static double change_since(const struct ct_search *search,
                           const struct ct_evaluated *entry)
{
    const struct ct_drift *series = &search->drift.series;
    const struct ct_evaluated *now = &search->defaults.result;
    double noise = series->threshold > 0 ? series->threshold : CT_POLICY_RESOLUTION;
    double change;

    if (entry->played || entry->stored || !now->played || !series->count ||
        search->objective.needs & ~quantities_of_time)
        return 1;
    change = now->time_ns / series->times_ns[0] / ct_drift_speed(series, entry->epoch);
    return change > 0 && fabs(log(change)) > noise ? change : 1;
}

bool ct_search_rescale(const struct ct_search *search, const struct ct_evaluated *entry,
                       struct ct_evaluated *out)
{
    double change = change_since(search, entry);

    *out = *entry;
    if (change != 1)
        ct_search_scale(search, out, change);
    return change != 1;
}

static double rescaled_value(const void *user, const struct ct_evaluated *entry)
{
    struct ct_evaluated scaled;

    ct_search_rescale(user, entry, &scaled);
    return scaled.value;
}

const struct ct_evaluated **ct_search_ranking(const struct ct_search *search,
                                              size_t *count)
{
    return ct_results_ranking(&search->results, &search->objective, rescaled_value,
                              search, count);
}

double ct_search_corrected(const struct ct_search *search,
                           const struct ct_evaluated *entry)
{
    double cost = ct_objective_positive(&search->objective, entry->value);
    double share = entry->low_ns / entry->time_ns;

    /* Stopped early, with few samples: it may be as good as the best. */
    if (entry->stopped_early && share > 0 && share < 1)
        cost *= share;
    /* Times of earlier runs, and values that are no times, are not subject to this run's drift. */
    if ((entry->stored && !entry->played) ||
        search->objective.needs & ~quantities_of_time)
        return cost;
    return cost / ct_drift_speed(&search->drift.series, entry->epoch);
}
