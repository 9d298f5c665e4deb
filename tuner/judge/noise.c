// SPDX-License-Identifier: Apache-2.0
// The A/A test: how much repeated timings of the same thing differ.
#include "base/clock.h"
#include "base/stats.h"
#include "judge/playoff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROCESSES = 5,
    SAMPLES_LEAST = 5,
    SAMPLES_MOST = 30,
    PLAYOFF_ROUNDS = 10, /* of a typical play-off */
};

/* No timer and no device is steadier than this, whatever a few values suggest. */
static const double floor_share = 0.002;

/* Variance of a median relative to that of a mean (for normal values). */
static const double median_cost = 1.5707963;

/* Relative to the median. */
static double spread(double *values, size_t count)
{
    double median = ct_stats_median(values, count);

    return median > 0 ? ct_stats_robust_deviation(values, count) / median : 0;
}

/* How many samples are worthwhile: until the uncertainty within one process is small compared to
 * the differences between processes. */
static uint32_t samples_worth(double within, double between)
{
    double left = fmax(between / 2, floor_share);
    double count = ceil(median_cost * (within / left) * (within / left));

    return (uint32_t)fmin(fmax(count, SAMPLES_LEAST), SAMPLES_MOST);
}

static void resolve(struct ct_noise *out, double measured_between, double samples_each)
{
    double explained = median_cost * out->within * out->within / samples_each;
    double beyond = measured_between * measured_between - explained;
    double one;

    out->between = beyond > 0 ? sqrt(beyond) : 0;
    out->samples = samples_worth(out->within, out->between);
    /* For one process's median, at its number of samples. */
    one = sqrt(out->between * out->between +
               median_cost * out->within * out->within / out->samples);
    out->resolution = fmax(1.96 * sqrt(2) * one, floor_share);
    /* 2.26: 97.5% of Student's t with 9 degrees of freedom. */
    out->playoff_resolution =
        fmax(2.26 * sqrt(2) * one / sqrt(PLAYOFF_ROUNDS), floor_share);
}

enum ct_status ct_noise_judge(const double *samples_ns, const size_t *counts,
                              size_t processes, struct ct_noise *out, struct ct_err *err)
{
    size_t most = processes;
    size_t total = 0;
    double *scratch;
    double *medians;
    double *spreads;

    for (size_t p = 0; p < processes; p++) {
        most = counts[p] > most ? counts[p] : most;
        total += counts[p];
    }
    scratch = ct_mem_array(most + 2 * processes + 1, sizeof(*scratch));
    if (!scratch)
        return ct_err_nomem(err);
    medians = scratch + most;
    spreads = medians + processes;
    for (size_t p = 0; p < processes; p++) {
        memcpy(scratch, samples_ns, counts[p] * sizeof(*scratch));
        medians[p] = ct_stats_median(scratch, counts[p]);
        spreads[p] = spread(scratch, counts[p]);
        samples_ns += counts[p];
    }
    out->processes = processes;
    out->within = ct_stats_median(spreads, processes);
    out->median_ns = ct_stats_median(medians, processes);
    if (total)
        resolve(out, spread(medians, processes), (double)total / (double)processes);
    free(scratch);
    return CT_OK;
}

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
};

static enum ct_status time_all(struct ct_scheduler *scheduler, const struct ct_job *job,
                               struct processes *all, enum ct_result_status *result,
                               struct ct_err *err)
{
    enum ct_status status = CT_OK;

    all->counts = ct_arena_array(&all->arena, all->wanted, sizeof(*all->counts));
    all->loads = ct_arena_array(&all->arena, all->wanted, sizeof(*all->loads));
    if (!all->counts || !all->loads)
        return ct_err_nomem(err);
    while (!status && all->done < all->wanted && *result == CT_RESULT_OK) {
        double others = NAN;

        status = time_once(scheduler, job, &all->arena, &all->samples_ns, &all->total,
                           &all->counts[all->done], &others, result, err);
        all->done += !status && all->counts[all->done];
        if (!isnan(others) && all->loaded < all->wanted)
            all->loads[all->loaded++] = others;
    }
    return status;
}

enum ct_status ct_noise_test(struct ct_scheduler *scheduler, const struct ct_plan *plan,
                             size_t processes, uint32_t samples, struct ct_noise *out,
                             struct ct_err *err)
{
    struct ct_job job = {.plan = plan, .full = true, .again = true, .samples = samples};
    struct processes all = {.wanted = processes ? processes : PROCESSES};
    uint64_t start_ns = ct_clock_now_ns();
    enum ct_status status;

    memset(out, 0, sizeof(*out));
    status = time_all(scheduler, &job, &all, &out->status, err);
    if (!status && all.done)
        status = ct_noise_judge(all.samples_ns, all.counts, all.done, out, err);
    out->others_load = all.loaded ? ct_stats_median(all.loads, all.loaded) : NAN;
    out->spent_ns = ct_clock_now_ns() - start_ns;
    ct_arena_release(&all.arena);
    return status;
}
