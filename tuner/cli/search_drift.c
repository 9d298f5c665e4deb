// SPDX-License-Identifier: Apache-2.0
// The default configuration, timed again through the run: does the device change?
#include "cli/search.h"

#include <math.h>
#include <stdlib.h>

enum {
    SHARE = 20, /* of the evaluations: one in so many */
    SAMPLES = 5,
};

static const uint64_t least_run_ns = 10000000000; /* between two times */

static uint64_t run_ns(const struct ct_search *search)
{
    struct ct_scheduler_stats stats;

    ct_scheduler_stats_get(search->scheduler, &stats);
    return stats.run_wall_ns;
}

static bool due(const struct ct_search *search)
{
    uint64_t every = search->progress.total / SHARE;

    return !search->drift_out && search->drift.count && search->has_default_plan &&
           search->evaluated >= search->drift_evaluations + (every ? every : 1) &&
           run_ns(search) >= search->drift_run_ns + least_run_ns;
}

enum ct_status ct_search_drift_submit(struct ct_search *search, struct ct_err *err)
{
    struct ct_job job = {
        .plan = &search->default_plan, .full = true, .again = true, .samples = SAMPLES};
    enum ct_status status;

    if (!search->drift_run_ns)
        search->drift_run_ns = run_ns(search);
    if (!due(search))
        return CT_OK;
    status = ct_search_take_ticket(search, search->default_index,
                                   &search->default_result.experiment, &job.ticket, err);
    if (!status)
        status = ct_scheduler_submit(search->scheduler, &job, err);
    if (status)
        return status;
    search->drift_ticket = job.ticket;
    search->drift_out = true;
    search->drift_evaluations = search->evaluated;
    search->drift_run_ns = run_ns(search);
    return CT_OK;
}

/* Says it once, when it is clear. */
static void tell(struct ct_search *search)
{
    uint64_t since = 0;
    double change = ct_drift_change(&search->drift, &since);

    search->run.drift = change;
    if (search->drift.told || change == 0)
        return;
    search->drift.told = true;
    ct_progress_clear(&search->progress);
    ct_cli_warn("the device has become %.0f%% %s since the search began (at evaluation "
                "%llu): results are compared with that in mind; likely causes are heat, "
                "power saving and other programs; try to give it time to settle, to fix "
                "its clocks or to stop what else uses it",
                100 * fabs(change), change > 0 ? "slower" : "faster",
                (unsigned long long)since);
}

bool ct_search_drift_take(struct ct_search *search, struct ct_report *report)
{
    if (!search->drift_out || report->ticket != search->drift_ticket)
        return false;
    search->drift_out = false;
    /* Without memory for it nothing is known of it. */
    if (report->outcome.status == CT_RESULT_OK &&
        !ct_drift_add(&search->drift, report->outcome.time_ns, search->evaluated, NULL))
        tell(search);
    ct_outcome_release(&report->outcome);
    return true;
}

double ct_search_corrected(const struct ct_search *search,
                           const struct ct_evaluated *entry)
{
    const uint32_t times = 1u << CT_QUANTITY_TIME_NS | 1u << CT_QUANTITY_END_TO_END_NS;
    double cost = ct_search_positive(search, entry->value);
    double share = entry->low_ns / entry->time_ns;

    /* Few samples: it may be as good as the best of them. */
    if (entry->stopped_early && share > 0 && share < 1)
        cost *= share;
    /* What earlier calls have timed has no part in this one's drift, nor has what is no
     * time. */
    if ((entry->stored && !entry->played) || search->needs & ~times)
        return cost;
    return cost / ct_drift_speed(&search->drift, entry->epoch);
}
