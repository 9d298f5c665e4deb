// SPDX-License-Identifier: Apache-2.0
// Sums and means of readings.
#include "worker/timing/watch_sum.h"

#include <math.h>

/* The energy counter advances every 20 to 100 ms: a shorter difference may be 0, or include
 * earlier use. */
static const double energy_least_ns = 100e6;

/* Steps of /proc/stat below which a share of a processor is mostly rounding error. */
enum { STEPS_LEAST = 5 };

static void mean_add(struct ct_watch_mean *mean, double value, double weight)
{
    if (isnan(value) || !(weight > 0))
        return;
    mean->sum += value * weight;
    mean->weight += weight;
}

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double mean_of(const struct ct_watch_mean *mean)
{
    return share_of(mean->sum, mean->weight);
}

/* Power times time, if one or both readings are known. */
static double energy_by_power(const struct ct_nvml_reading *begin,
                              const struct ct_nvml_reading *end, double wall_ns)
{
    double power_w = isnan(begin->power_w) ? end->power_w
                     : isnan(end->power_w) ? begin->power_w
                                           : (begin->power_w + end->power_w) / 2;

    return power_w * wall_ns / 1e9;
}

static void add_energy(struct ct_watch_sum *sum, const struct ct_nvml_reading *begin,
                       const struct ct_nvml_reading *end, double wall_ns,
                       uint64_t pipelines)
{
    double energy_j = end->energy_j - begin->energy_j; /* NAN if one is unknown */

    /* Decreases if the driver was reloaded; 0 if it has not advanced yet. */
    if (!(energy_j > 0) || wall_ns < energy_least_ns)
        energy_j = energy_by_power(begin, end, wall_ns);
    if (isnan(energy_j) || !(wall_ns > 0))
        return;
    sum->energy_j += energy_j;
    sum->energy_wall_ns += wall_ns;
    sum->energy_pipelines += (double)pipelines;
}

static void add_sensors(struct ct_watch_sum *sum, const struct ct_nvml_reading *begin,
                        const struct ct_nvml_reading *end, double wall_ns,
                        uint64_t pipelines)
{
    add_energy(sum, begin, end, wall_ns, pipelines);
    /* Before the first launch a clock may still be that of an idle device; right after the last
     * one it is what the launches had. */
    mean_add(&sum->core_clock_mhz, end->core_clock_mhz, wall_ns);
    mean_add(&sum->memory_clock_mhz, end->memory_clock_mhz, wall_ns);
    mean_add(&sum->temperature_c, end->temperature_c, wall_ns);
    sum->throttled_known |= !isnan(begin->throttled) || !isnan(end->throttled);
    sum->throttled |= begin->throttled > 0 || end->throttled > 0;
}

void ct_watch_sum_add(struct ct_watch_sum *sum, const struct ct_watch_mark *begin,
                      const struct ct_watch_mark *end, uint64_t pipelines)
{
    const struct ct_hostload *a = &begin->host;
    const struct ct_hostload *b = &end->host;
    double wall_ns = (double)b->wall_ns - (double)a->wall_ns;
    double own_ns = (double)b->own_ns - (double)a->own_ns;

    if (!(wall_ns > 0))
        return;
    sum->wall_ns += wall_ns;
    sum->own_ns += own_ns;
    /* The counters of a processor that was switched off disappear. */
    if (a->busy_known && b->busy_known && b->busy_ns >= a->busy_ns) {
        sum->busy_wall_ns += wall_ns;
        /* In steps, while our own time is exact: at times negative, which averages out. */
        sum->others_ns += (double)(b->busy_ns - a->busy_ns) - own_ns;
    }
    add_sensors(sum, &begin->sensors, &end->sensors, wall_ns, pipelines);
}

double ct_watch_sum_others(const struct ct_watch_sum *sum)
{
    if (sum->busy_wall_ns < STEPS_LEAST * (double)ct_hostload_step_ns())
        return NAN;
    return fmax(0, sum->others_ns / sum->busy_wall_ns);
}

void ct_watch_sum_tell(const struct ct_watch_sum *sum, struct ct_quantities *out)
{
    const struct {
        enum ct_quantity quantity;
        double value;
    } rows[] = {
        {CT_QUANTITY_HOST_LOAD, share_of(sum->own_ns, sum->wall_ns)},
        {CT_QUANTITY_OTHERS_LOAD, ct_watch_sum_others(sum)},
        {CT_QUANTITY_POWER_W, share_of(sum->energy_j, sum->energy_wall_ns / 1e9)},
        {CT_QUANTITY_ENERGY_J, share_of(sum->energy_j, sum->energy_pipelines)},
        {CT_QUANTITY_CORE_CLOCK_MHZ, mean_of(&sum->core_clock_mhz)},
        {CT_QUANTITY_MEMORY_CLOCK_MHZ, mean_of(&sum->memory_clock_mhz)},
        {CT_QUANTITY_TEMPERATURE_C, mean_of(&sum->temperature_c)},
        {CT_QUANTITY_THROTTLED, sum->throttled_known ? (double)sum->throttled : NAN},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        ct_quantities_set(out, rows[i].quantity, rows[i].value);
}
