// SPDX-License-Identifier: Apache-2.0
// Times the default configuration again during the run: does the device's speed change?
//
// A default may change alone, by its place in memory or by what other programs leave of a cache: so a change
// is the device's only if another configuration, the witness, shows it as well.
#include "tune/search_impl.h"

#include "judge/policy.h"

#include <math.h>
#include <stdlib.h>

enum { WITNESSES = 8 };

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

static void warn_of_default(struct ct_search *search, double change)
{
    if (search->drift.told_alone)
        return;
    search->drift.told_alone = true;
    ct_observer_warn(search->observer,
                     "the default configuration has become %.0f%% %s since the search "
                     "began, and another one has not: results are not corrected for "
                     "this, but the speed-up over the default varies as much",
                     100 * fabs(change - 1), change > 1 ? "slower" : "faster");
}

/* Adds a time of the default, taken after so many evaluations.  Without memory for it the drift is unknown. */
static void add_time(struct ct_search *search, double time_ns, uint64_t evaluations)
{
    if (!ct_drift_add(&search->drift.series, time_ns, evaluations, NULL))
        warn_of_change(search);
}

/* The default has changed; `witness_ns`: what the witness takes now, NAN: unknown. */
static void note_speed(struct ct_search *search, double witness_ns)
{
    const struct ct_drift *series = &search->drift.series;
    double before_ns = series->times_ns[0];
    double change = ct_drift_ratio(series, search->drift.witness.default_ns);
    double witness = witness_ns / search->drift.witness.before_ns;
    double confirmed = ct_drift_confirmed(
        change, witness_ns > 0 ? ct_drift_ratio(series, before_ns * witness) : NAN);

    add_time(search, before_ns * confirmed, search->drift.witness.evaluations);
    if (confirmed == 1)
        warn_of_default(search, change);
}

static enum ct_status submit(struct ct_search *search, int64_t index,
                             const struct ct_hash *experiment, const struct ct_plan *plan,
                             struct ct_err *err)
{
    struct ct_job job = {
        .plan = plan, .full = true, .again = true, .samples = CT_POLICY_DRIFT_SAMPLES};
    enum ct_status status =
        ct_jobs_new_ticket(&search->jobs, index, experiment, &job.ticket, err);

    if (!status)
        status = ct_scheduler_submit(search->jobs.scheduler, &job, err);
    search->drift.ticket = job.ticket;
    search->drift.out = !status;
    return status;
}

/* The fastest of the first few of this run, the default excepted, which was measured when the default was
 * first timed or soon after; NULL if there is none. */
static const struct ct_evaluated *find_witness(const struct ct_search *search)
{
    const struct ct_evaluated *witness = NULL;
    size_t seen = 0;

    for (size_t i = 0; i < search->results.done_count && seen < WITNESSES; i++) {
        const struct ct_evaluated *entry = &search->results.done[i];

        if (entry->status != CT_RESULT_OK || entry->stored || entry->stopped_early ||
            *entry->duplicate_of.text || entry->index == search->work.default_index)
            continue;
        seen++;
        if (!witness || entry->raw_ns < witness->raw_ns)
            witness = entry;
    }
    return witness;
}

static enum ct_status submit_witness(struct ct_search *search, struct ct_err *err)
{
    const struct ct_evaluated *entry = find_witness(search);
    enum ct_status status;

    search->drift.witness.wanted = false;
    if (!entry) {
        note_speed(search, NAN);
        return CT_OK;
    }
    search->drift.witness.before_ns = entry->raw_ns;
    ct_workload_values(&search->work, entry->index);
    status =
        ct_workload_plan(&search->work, search->objective.needs,
                         &search->drift.witness.arena, &search->drift.witness.plan, err);
    if (!status)
        status = submit(search, entry->index, &entry->experiment,
                        &search->drift.witness.plan, err);
    search->drift.witness.out = !status;
    return status;
}

enum ct_status ct_search_submit_drift(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status;

    if (search->drift.witness.wanted)
        return submit_witness(search, err);
    if (!search->drift.run_ns)
        search->drift.run_ns = run_ns(search);
    if (!due(search))
        return CT_OK;
    status = submit(search, search->work.default_index,
                    &search->defaults.result.experiment, &search->defaults.plan, err);
    search->drift.evaluations = search->results.evaluated;
    search->drift.run_ns = run_ns(search);
    return status;
}

bool ct_search_accept_drift(struct ct_search *search, struct ct_report *report)
{
    double time_ns =
        report->outcome.status == CT_RESULT_OK ? report->outcome.time_ns : NAN;

    if (!search->drift.out || report->ticket != search->drift.ticket)
        return false;
    search->drift.out = false;
    if (search->drift.witness.out) {
        note_speed(search, time_ns);
        ct_search_drop_drift(search);
    } else if (ct_drift_ratio(&search->drift.series, time_ns) == 1) {
        add_time(search, time_ns, search->results.evaluated);
    } else if (time_ns > 0) {
        search->drift.witness.default_ns = time_ns;
        search->drift.witness.evaluations = search->results.evaluated;
        search->drift.witness.wanted = true;
    }
    ct_outcome_release(&report->outcome);
    return true;
}

/* An entry's time as it was at the device's first speed. */
static double first_ns(const struct ct_search *search, const struct ct_evaluated *entry)
{
    double speed = entry->played ? search->drift.playoff
                                 : ct_drift_speed(&search->drift.series, entry->epoch);

    return speed > 0 ? entry->time_ns / speed : NAN;
}

void ct_search_note_playoff_speed(struct ct_search *search, double default_ns,
                                  const struct ct_evaluated *pick, double pick_ns)
{
    const struct ct_drift *series = &search->drift.series;
    bool known = pick && !pick->stored && pick->index != search->work.default_index;

    search->drift.playoff =
        series->count && default_ns > 0
            ? ct_drift_confirmed(default_ns / series->times_ns[0],
                                 known ? pick_ns / first_ns(search, pick) : NAN)
            : 0;
    search->drift.pick_then =
        known ? (struct ct_drift_anchor){pick->played ? pick->raw_ns
                                                      : first_ns(search, pick),
                                         pick_ns}
              : (struct ct_drift_anchor){0};
    search->drift.default_then =
        search->drift.playoff > 0
            ? (struct ct_drift_anchor){series->times_ns[0], default_ns}
            : (struct ct_drift_anchor){0};
}

static const uint32_t quantities_of_time =
    1u << CT_QUANTITY_TIME_NS | 1u << CT_QUANTITY_END_TO_END_NS;

/* How much slower the device was in the play-off than when the entry was measured; 1 within the
 * noise, or if unknown. */
static double change_since(const struct ct_search *search,
                           const struct ct_evaluated *entry)
{
    const struct ct_drift *series = &search->drift.series;
    double noise = series->threshold > 0 ? series->threshold : CT_POLICY_RESOLUTION;
    double speed = ct_drift_speed(series, entry->epoch);
    double mapped = ct_drift_mapped(&search->drift.pick_then, &search->drift.default_then,
                                    entry->time_ns / speed);
    double change;

    if (entry->played || entry->stored || !(search->drift.playoff > 0) ||
        search->objective.needs & ~quantities_of_time)
        return 1;
    change = (isnan(mapped) ? search->drift.playoff : mapped) / speed;
    return fabs(log(change)) > noise ? change : 1;
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
