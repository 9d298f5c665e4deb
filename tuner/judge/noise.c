// SPDX-License-Identifier: Apache-2.0
// The A/A test, given its times: how much repeated timings of the same thing differ.
#include "base/stats.h"
#include "judge/playoff_impl.h"
#include "judge/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES_LEAST = 5,
    SAMPLES_STEADY = 2, /* where a single one would be enough */
    /* More would only tell what the play-off tells better: with at most 5, 7, 10, 16 and 30 searches choose
     * equally well if noise is that of each launch (doc/measurements.md), but other programs last longer. */
    SAMPLES_MOST = 10,
    PLAYOFF_ROUNDS = 10, /* of a typical play-off */
};

/* No timer and no device is steadier than this, whatever a few values suggest. */
static const double floor_share = 0.002;

/* Less than what a play-off ignores. */
static const double small_share = 0.8 * CT_PLAY_INDIFFERENCE;

/* Variance of a median relative to that of a mean (for normal values). */
static const double median_cost = 1.5707963;

/* Relative to the median. */
static double relative_spread(double *values, size_t count)
{
    double median = ct_stats_median(values, count);

    return median > 0 ? ct_stats_robust_deviation(values, count) / median : 0;
}

/* Not robust: if one process was slow, others may be, and then few of them tell little. */
static double plain_deviation(const double *values, size_t count)
{
    double mean = 0;

    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    return mean > 0 ? ct_stats_deviation(values, count) / mean : 0;
}

static double samples_for(double within, double left)
{
    return ceil(median_cost * (within / left) * (within / left));
}

uint32_t ct_noise_samples(double within, double between)
{
    double least = samples_for(within, floor_share) > 1 ? SAMPLES_LEAST : SAMPLES_STEADY;
    double count = samples_for(within, fmax(between / 2, small_share));

    return (uint32_t)fmin(fmax(count, least), SAMPLES_MOST);
}

static void find_resolution(struct ct_noise *out, double measured_between,
                            double samples_each)
{
    double explained = median_cost * out->within * out->within / samples_each;
    double beyond = measured_between * measured_between - explained;
    double one;

    out->between = beyond > 0 ? sqrt(beyond) : 0;
    out->samples = ct_noise_samples(out->within, out->between);
    /* For one process's median, at its number of samples. */
    one = sqrt(out->between * out->between +
               median_cost * out->within * out->within / out->samples);
    out->resolution = fmax(CT_POLICY_TWO_PROCESSES * one, floor_share);
    out->steady.deviation =
        fmax(fmax(out->steady.deviation, one), floor_share / CT_POLICY_TWO_PROCESSES);
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
        spreads[p] = relative_spread(scratch, counts[p]);
        samples_ns += counts[p];
    }
    out->processes = processes;
    out->within = ct_stats_median(spreads, processes);
    out->median_ns = ct_stats_median(medians, processes);
    out->steady = (struct ct_steadiness){.deviation = plain_deviation(medians, processes),
                                         .freedom = processes > 1 ? processes - 1 : 0};
    if (total)
        find_resolution(out, relative_spread(medians, processes),
                        (double)total / (double)processes);
    free(scratch);
    return CT_OK;
}

bool ct_noise_is_steady(const struct ct_noise *noise)
{
    return noise->processes >= CT_POLICY_NOISE_PROCESSES &&
           CT_POLICY_TWO_PROCESSES * noise->steady.deviation <= CT_POLICY_STEADY;
}
