// SPDX-License-Identifier: Apache-2.0
// Deciding on samples.
#include "measure/sample.h"

#include "base/mem.h"
#include "base/stats.h"

#include <stdlib.h>
#include <string.h>

/* Clearly slower: no later sample makes up for this. */
static const double slower = 1.25;

/* Shares of wall time that agree this well have the same cause. */
static const double steady = 1.25;

enum ct_sample_clock ct_sample_judge(const struct ct_sample *sample)
{
    /* Clocks of host and device run apart by parts in a million; 1% and 20 us are
     * generous and still far from any driver that counts in other units. */
    uint64_t allowance_ns = sample->wall_ns / 100 + 20000;
    /* Enqueueing, and waking up after clFinish, take this much without any lie. */
    uint64_t overhead_ns = 1000000;

    if (!sample->event_ns || sample->event_ns > sample->wall_ns + allowance_ns)
        return CT_SAMPLE_CLOCK_WRONG;
    if (sample->wall_ns > overhead_ns &&
        sample->event_ns < (sample->wall_ns - overhead_ns) / 2)
        return CT_SAMPLE_CLOCK_SHORT;
    return CT_SAMPLE_CLOCK_FINE;
}

void ct_sampler_init(struct ct_sampler *sampler, uint32_t wanted, double leader_ns,
                     uint64_t estimate_ns)
{
    memset(sampler, 0, sizeof(*sampler));
    sampler->wanted = wanted ? wanted : CT_SAMPLE_DEFAULT;
    if (sampler->wanted > CT_SAMPLE_MOST)
        sampler->wanted = CT_SAMPLE_MOST;
    sampler->leader_ns = leader_ns;
    sampler->best_ns = (double)estimate_ns;
}

void ct_sampler_release(struct ct_sampler *sampler)
{
    free(sampler->taken);
    memset(sampler, 0, sizeof(*sampler));
}

/* Whether wall time is to be believed instead after what has been seen.  A clock that
 * counts in other units is short in every sample and by the same factor; a host with
 * something else to do holds some samples up more than others. */
static bool use_wall(const struct ct_sampler *sampler)
{
    return sampler->clock_wrong || (sampler->count && sampler->shorts == sampler->count &&
                                    sampler->most_share <= steady * sampler->least_share);
}

static double time_of(const struct ct_sample *sample, bool wall)
{
    return (double)(wall ? sample->wall_ns : sample->event_ns) / sample->repeats;
}

static bool clearly_slower(const struct ct_sampler *sampler)
{
    bool wall = use_wall(sampler);

    if (!(sampler->leader_ns > 0) || sampler->count < CT_SAMPLE_LEAST)
        return false;
    for (size_t i = 0; i < sampler->count; i++)
        if (time_of(&sampler->taken[i], wall) <= slower * sampler->leader_ns)
            return false;
    return true;
}

uint32_t ct_sampler_next(const struct ct_sampler *sampler)
{
    double repeats;

    if (sampler->count >= sampler->wanted || clearly_slower(sampler))
        return 0;
    if (!(sampler->best_ns > 0))
        return 1;
    repeats = CT_SAMPLE_TARGET_NS / sampler->best_ns;
    if (repeats >= CT_SAMPLE_REPEATS_MAX)
        return CT_SAMPLE_REPEATS_MAX;
    /* Rounded up: at least the target. */
    return (uint32_t)repeats + (repeats > (double)(uint32_t)repeats ? 1 : 0);
}

uint64_t ct_sampler_next_ns(const struct ct_sampler *sampler)
{
    return (uint64_t)(ct_sampler_next(sampler) * sampler->best_ns);
}

enum ct_status ct_sampler_add(struct ct_sampler *sampler, const struct ct_sample *sample,
                              struct ct_err *err)
{
    enum ct_sample_clock clock = ct_sample_judge(sample);
    double wall_ns = time_of(sample, true);
    double share =
        sample->wall_ns ? (double)sample->event_ns / (double)sample->wall_ns : 1;

    if (!ct_mem_grow(&sampler->taken, &sampler->capacity, sampler->count + 1,
                     sizeof(*sampler->taken)))
        return ct_err_nomem(err);
    sampler->taken[sampler->count++] = *sample;
    sampler->clock_wrong |= clock == CT_SAMPLE_CLOCK_WRONG;
    sampler->shorts += clock == CT_SAMPLE_CLOCK_SHORT;
    if (sampler->count == 1 || share < sampler->least_share)
        sampler->least_share = share;
    if (sampler->count == 1 || share > sampler->most_share)
        sampler->most_share = share;
    /* A first estimate may have been taken cold: later samples correct it downwards. */
    if (!(sampler->best_ns > 0) || wall_ns < sampler->best_ns)
        sampler->best_ns = wall_ns;
    return CT_OK;
}

enum ct_status ct_sampler_finish(const struct ct_sampler *sampler,
                                 struct ct_outcome *outcome, struct ct_err *err)
{
    size_t count = sampler->count;
    double *samples = ct_arena_array(&outcome->arena, count, sizeof(*samples));
    double *sorted = ct_mem_array(count, sizeof(*sorted));
    bool wall = use_wall(sampler);

    if (!samples || !sorted || !count) {
        free(sorted);
        return count ? ct_err_nomem(err)
                     : ct_err_set(err, CT_E_INTERNAL, "no sample was taken");
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = samples[i] = time_of(&sampler->taken[i], wall);
    outcome->samples_ns = samples;
    outcome->sample_count = count;
    outcome->launches_per_sample = sampler->taken[count - 1].repeats;
    outcome->time_ns = ct_stats_median(sorted, count);
    ct_stats_median_interval(sorted, count, 0.95, &outcome->low_ns, &outcome->high_ns);
    outcome->wall_clock = wall;
    outcome->stopped_early = count < sampler->wanted;
    free(sorted);
    return CT_OK;
}
