// SPDX-License-Identifier: Apache-2.0
// Runs the A/A test: times one plan in several processes.
#include "base/clock.h"
#include "base/stats.h"
#include "judge/playoff.h"
#include "judge/policy.h"

#include <math.h>
#include <string.h>

enum { PROCESSES = 5 };

/* One process; appends its samples. */
static enum ct_status time_once(struct ct_scheduler *scheduler, const struct ct_job *job,
                                struct ct_arena *arena, double **all, size_t *total,
                                size_t *count, double *others,
                                enum ct_result_status *result, struct ct_err *err)
{
    struct ct_report report;
    double *grown = NULL;
    enum ct_status status;

    ct_scheduler_renew(scheduler);
    status = ct_scheduler_submit(scheduler, job, err);
    if (!status)
        status = ct_scheduler_wait(scheduler, &report, err);
    if (status)
        return status == CT_E_NOT_FOUND
                   ? ct_err_set(err, CT_E_INTERNAL, "a configuration was lost")
                   : status;
    *result = report.outcome.status;
    *count = *result == CT_RESULT_OK ? report.outcome.samples.count : 0;
    *others = ct_quantities_get(&report.outcome.observed, CT_QUANTITY_OTHERS_LOAD);
    if (*count)
        grown = ct_arena_array(arena, *total + *count, sizeof(*grown));
    if (grown) {
        if (*total)
            memcpy(grown, *all, *total * sizeof(*grown));
        memcpy(grown + *total, report.outcome.samples.ns, *count * sizeof(*grown));
        *all = grown;
        *total += *count;
    } else if (*count) {
        status = ct_err_nomem(err);
    }
    ct_outcome_release(&report.outcome);
    return status;
}

/* The results of the processes. */
struct processes {
    struct ct_arena arena;
    size_t wanted;
    size_t done;
    size_t *counts;
    double *loads;
    size_t loaded;
    double *samples_ns;
    size_t total;
    uint64_t start_ns;
    uint64_t limit_ns;
};

/* Whether one more process fits, if it takes as long as the longest so far. */
static bool next_fits(const struct processes *all, uint64_t longest_ns)
{
    return !all->limit_ns ||
           ct_clock_now_ns() - all->start_ns + longest_ns <= all->limit_ns;
}

static enum ct_status time_all(struct ct_scheduler *scheduler, const struct ct_job *job,
                               struct processes *all, enum ct_result_status *result,
                               struct ct_err *err)
{
    enum ct_status status = CT_OK;
    uint64_t longest_ns = 0;

    all->counts = ct_arena_array(&all->arena, all->wanted, sizeof(*all->counts));
    all->loads = ct_arena_array(&all->arena, all->wanted, sizeof(*all->loads));
    if (!all->counts || !all->loads)
        return ct_err_nomem(err);
    while (!status && all->done < all->wanted && *result == CT_RESULT_OK &&
           next_fits(all, longest_ns)) {
        uint64_t begun_ns = ct_clock_now_ns();
        double others = NAN;

        status =
            ct_scheduler_prepare(scheduler, &job->plan, 1, all->wanted - all->done, err);
        if (status)
            break;
        status = time_once(scheduler, job, &all->arena, &all->samples_ns, &all->total,
                           &all->counts[all->done], &others, result, err);
        all->done += !status && all->counts[all->done];
        if (!isnan(others) && all->loaded < all->wanted)
            all->loads[all->loaded++] = others;
        if (ct_clock_now_ns() - begun_ns > longest_ns)
            longest_ns = ct_clock_now_ns() - begun_ns;
    }
    ct_scheduler_dismiss(scheduler);
    return status;
}

enum ct_status ct_noise_test(struct ct_scheduler *scheduler, const struct ct_plan *plan,
                             size_t processes, uint32_t samples, uint64_t limit_ns,
                             struct ct_noise *out, struct ct_err *err)
{
    struct ct_job job = {.plan = plan,
                         .full = true,
                         .again = true,
                         .samples = samples,
                         .agreeing = CT_POLICY_NOISE_AGREEING};
    struct processes all = {.wanted = processes ? processes : PROCESSES,
                            .start_ns = ct_clock_now_ns(),
                            .limit_ns = limit_ns};
    enum ct_status status;

    memset(out, 0, sizeof(*out));
    status = time_all(scheduler, &job, &all, &out->status, err);
    if (!status && all.done)
        status = ct_noise_judge(all.samples_ns, all.counts, all.done, out, err);
    out->others_load = all.loaded ? ct_stats_median(all.loads, all.loaded) : NAN;
    out->spent_ns = ct_clock_now_ns() - all.start_ns;
    ct_arena_release(&all.arena);
    return status;
}
