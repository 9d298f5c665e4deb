// SPDX-License-Identifier: Apache-2.0
// Finds and words the reasons to doubt times.
#include "report/warnings.h"

#include "report/format.h"

#include <math.h>

static uint32_t bit(enum ct_warning warning)
{
    return (uint32_t)1 << warning;
}

/* Outliers without the first sample. */
static size_t later_outliers(const struct ct_stats_oddities *oddities)
{
    return oddities->outliers - (oddities->slow_start ? 1 : 0);
}

static uint32_t find_odd(const struct ct_stats_oddities *oddities)
{
    uint32_t found = 0;

    if (later_outliers(oddities))
        found |= bit(CT_WARNING_OUTLIERS);
    if (oddities->slow_start)
        found |= bit(CT_WARNING_SLOW_START);
    if (fabs(oddities->drift) >= CT_WARNING_TREND && oddities->drift_p < CT_WARNING_P)
        found |= bit(CT_WARNING_DRIFT);
    if (oddities->spread >= CT_WARNING_RANGE)
        found |= bit(CT_WARNING_SPREAD);
    return found;
}

uint32_t ct_warnings_find(const struct ct_timed *timed)
{
    uint32_t found = timed->oddities ? find_odd(timed->oddities) : 0;

    if (timed->wall_clock)
        found |= bit(CT_WARNING_WALL_CLOCK);
    if (timed->sample_ns > 0 && timed->sample_ns < CT_WARNING_STEPS * timed->timer_ns)
        found |= bit(CT_WARNING_COARSE_CLOCK);
    if (timed->others_load >= CT_WARNING_LOAD)
        found |= bit(CT_WARNING_OTHERS);
    if (found & bit(CT_WARNING_OTHERS))
        found &= ~(bit(CT_WARNING_OUTLIERS) | bit(CT_WARNING_SPREAD));
    if (found & (bit(CT_WARNING_DRIFT) | bit(CT_WARNING_COARSE_CLOCK)))
        found &= ~bit(CT_WARNING_SPREAD);
    return found;
}

static void put_coarse_clock(struct ct_str *out, const struct ct_timed *timed)
{
    char sample[CT_FORMAT_SIZE];
    char step[CT_FORMAT_SIZE];

    ct_str_addf(out,
                "a sample takes %s and the clock's resolution is %s, so small "
                "differences are lost; use -p NAME=VALUE to time a larger problem",
                ct_format_time(sample, timed->sample_ns),
                ct_format_time(step, timed->timer_ns));
}

static void put_outliers(struct ct_str *out, const struct ct_stats_oddities *oddities)
{
    size_t outliers = later_outliers(oddities);

    ct_str_addf(out,
                "%zu of %zu samples %s, probably because of other programs; close "
                "them, or use --samples N to take more samples",
                outliers, oddities->count,
                outliers == 1 ? "is an outlier" : "are outliers");
}

static void put_drift(struct ct_str *out, const struct ct_stats_oddities *oddities)
{
    double percent = 100 * fabs(oddities->drift);

    if (oddities->drift > 0)
        ct_str_addf(
            out,
            "times increased by %.0f%% from the first sample to the last: the "
            "device lowered its clocks as it got hot, or another program started; "
            "let it cool down or fix its clocks, then use --fresh to time it again",
            percent);
    else
        ct_str_addf(out,
                    "times decreased by %.0f%% from the first sample to the last: the "
                    "device was still warming up; use --samples N to take more samples",
                    percent);
}

void ct_warnings_put(struct ct_str *out, enum ct_warning warning,
                     const struct ct_timed *timed)
{
    ct_str_addf(out, "%s: ", timed->what);
    switch (warning) {
    case CT_WARNING_WALL_CLOCK:
        ct_str_puts(
            out, "the device's clock contradicts wall time, which was used instead and "
                 "includes launch overhead; the driver is at fault: try a newer one");
        return;
    case CT_WARNING_COARSE_CLOCK:
        put_coarse_clock(out, timed);
        return;
    case CT_WARNING_OTHERS:
        ct_str_addf(out,
                    "other programs kept %.1f processors busy, so times may be too long; "
                    "close them, or use --samples N to take more samples",
                    timed->others_load);
        return;
    case CT_WARNING_OUTLIERS:
        put_outliers(out, timed->oddities);
        return;
    case CT_WARNING_SLOW_START:
        ct_str_puts(
            out, "the first sample is an outlier: caches, clocks or the driver were not "
                 "warmed up; use --samples N to take more samples");
        return;
    case CT_WARNING_DRIFT:
        put_drift(out, timed->oddities);
        return;
    case CT_WARNING_SPREAD:
        ct_str_addf(
            out,
            "samples vary by %.0f%% around their median, so small differences are "
            "lost; close other programs, fix the device's clocks, or use --samples "
            "N to take more samples",
            100 * timed->oddities->spread);
        return;
    case CT_WARNING_COUNT:
        return;
    }
}
