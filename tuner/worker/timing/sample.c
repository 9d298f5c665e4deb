// SPDX-License-Identifier: Apache-2.0
// Decisions about samples.
#include "worker/timing/sample.h"

#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Clearly slower, if the resolution is unknown: no later sample makes up for this. */
static const double slower = 1.25;

enum sample_clock {
    CLOCK_FINE,
    /* far below wall time: a clock in other units, or the host was delayed; only all samples
     * together can decide */
    CLOCK_SHORT,
    CLOCK_WRONG, /* no time, or longer than wall time: impossible */
};

/* Enqueueing, and waking up after clFinish, take this long even with a correct clock. */
static const uint64_t overhead_ns = 1000000;

/* Assesses the device's clock, which has steps of `timer_ns` (0: unknown), in one sample. */
static enum sample_clock assess_clock(const struct ct_sample *sample, double timer_ns)
{
    /* Clocks of host and device drift by parts in a million; 1% and 20 us are generous and still
     * far from any driver that counts in other units.  A time between two readings of a clock is
     * accurate to one step. */
    uint64_t allowance_ns = sample->wall_ns / 100 + 20000 + (uint64_t)timer_ns;

    if (!sample->event_ns || sample->event_ns > sample->wall_ns + allowance_ns)
        return CLOCK_WRONG;
    if (sample->wall_ns > overhead_ns &&
        sample->event_ns < (sample->wall_ns - overhead_ns) / 2)
        return CLOCK_SHORT;
    return CLOCK_FINE;
}

/* Whether a sample that does not contradict the device's clock shows that it is right.  A short one that
 * may be mostly overhead does not: clocks in any units look like that. */
static bool can_confirm(const struct ct_sample *sample)
{
    return sample->wall_ns > 2 * overhead_ns || sample->event_ns >= sample->wall_ns / 2;
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
    sampler->cold_share = -1;
}

void ct_sampler_release(struct ct_sampler *sampler)
{
    free(sampler->taken);
    memset(sampler, 0, sizeof(*sampler));
}

void ct_sampler_race(struct ct_sampler *sampler, double resolution, bool off)
{
    sampler->resolution = resolution > 0 ? resolution : 0;
    sampler->off = off;
}

void ct_sampler_agree(struct ct_sampler *sampler, double share)
{
    sampler->agreeing = share > 0 ? share : 0;
}

void ct_sampler_look_twice(struct ct_sampler *sampler, double times)
{
    sampler->second_look = times > 0 ? times : 0;
}

void ct_sampler_beat(struct ct_sampler *sampler, double beat_ns)
{
    sampler->beat_ns = beat_ns > 0 ? beat_ns : 0;
}

void ct_sampler_allow_cold(struct ct_sampler *sampler, const struct ct_sampler_cold *cold)
{
    sampler->cold_share = cold->count < CT_SAMPLE_COLD_KNOWN ? -1 : cold->most;
}

void ct_sampler_timer(struct ct_sampler *sampler, double timer_ns)
{
    sampler->timer_ns = timer_ns > 0 ? timer_ns : 0;
}

/* Whether a sample would show a clock that is short even if it had taken no more than the least wall time seen. */
static bool is_evidence(const struct ct_sampler *sampler, const struct ct_sample *sample)
{
    struct ct_sample least = *sample;

    least.wall_ns = (uint64_t)(sample->repeats * sampler->best_ns);
    return assess_clock(&least, sampler->timer_ns) == CLOCK_SHORT;
}

/* A clock that counts in other units is short in every sample that can show it; a busy host may delay
 * all of a few short samples, but not many longer ones. */
static bool all_short(const struct ct_sampler *sampler)
{
    if (!sampler->shorts || sampler->confirmed)
        return false;
    for (size_t i = 0; i < sampler->count; i++)
        if (is_evidence(sampler, &sampler->taken[i]))
            return true;
    return false;
}

/* Whether more samples are needed to decide between the two. */
static bool doubtful(const struct ct_sampler *sampler)
{
    return all_short(sampler) && !sampler->clock_wrong && sampler->delayed &&
           sampler->count < (size_t)sampler->wanted + CT_SAMPLE_DOUBT;
}

/* Whether, given the samples, wall time is to be trusted instead. */
static bool use_wall(const struct ct_sampler *sampler)
{
    return sampler->clock_wrong || (all_short(sampler) && !doubtful(sampler));
}

static double time_of(const struct ct_sample *sample, bool wall)
{
    double all_ns =
        wall ? (double)sample->wall_ns : (double)sample->event_ns - sample->accidents_ns;

    return all_ns / sample->repeats;
}

double ct_sample_accidents(const struct ct_sample_parts *parts)
{
    double each[CT_SAMPLE_PARTS];
    double sorted[CT_SAMPLE_PARTS];
    uint64_t begin_ns = parts->start_ns;
    double median;
    double limit;
    double sum_ns = 0;
    size_t disturbed = 0;

    if (parts->count < CT_SAMPLE_PARTS_LEAST || parts->count > CT_SAMPLE_PARTS)
        return 0;
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->ends_ns[i] < begin_ns || !parts->runs[i])
            return 0;
        each[i] = (double)(parts->ends_ns[i] - begin_ns) / parts->runs[i];
        begin_ns = parts->ends_ns[i];
    }
    memcpy(sorted, each, sizeof(sorted));
    median = ct_stats_median(sorted, parts->count);
    limit = median + fmax(6 * 1.4826 * ct_stats_mad(sorted, parts->count), median / 10);
    for (size_t i = 0; i < parts->count; i++)
        if (each[i] > limit) {
            sum_ns += (each[i] - median) * parts->runs[i];
            disturbed++;
        }
    return 4 * disturbed < parts->count ? sum_ns : 0;
}

void ct_sampler_note_cold(const struct ct_sampler *sampler, const struct ct_sample *first,
                          struct ct_sampler_cold *cold)
{
    /* What opens a context or compiles beside it disturbs launches, and ends after a while. */
    const double fading = 0.8;
    double least_ns = INFINITY;
    double first_ns = time_of(first, false);

    if (!sampler->count || use_wall(sampler) || !(first_ns >= CT_SAMPLE_TARGET_NS) ||
        assess_clock(first, sampler->timer_ns) != CLOCK_FINE)
        return;
    for (size_t i = 0; i < sampler->count; i++)
        least_ns = fmin(least_ns, time_of(&sampler->taken[i], false));
    if (!(least_ns > 0))
        return;
    cold->count++;
    cold->most = fmax(fading * cold->most, first_ns / least_ns - 1);
}

/* --- racing --- */

/* Whether every sample is more than `times` as slow as the leader. */
static bool all_slower(const struct ct_sampler *sampler, double times)
{
    bool wall = use_wall(sampler);

    if (!(sampler->leader_ns > 0))
        return false;
    for (size_t i = 0; i < sampler->count; i++)
        if (time_of(&sampler->taken[i], wall) <= times * sampler->leader_ns)
            return false;
    return sampler->count > 0;
}

bool ct_sampler_hopeless(const struct ct_sampler *sampler)
{
    return all_slower(sampler, 2);
}

/* Confidence interval of the samples' median; false if out of memory: then there is no racing. */
static bool sample_interval(const struct ct_sampler *sampler, double *low_ns,
                            double *high_ns)
{
    double *times = ct_mem_array(sampler->count, sizeof(*times));
    bool wall = use_wall(sampler);

    if (!times)
        return false;
    for (size_t i = 0; i < sampler->count; i++)
        times[i] = time_of(&sampler->taken[i], wall);
    ct_stats_median_interval(times, sampler->count, 0.95, low_ns, high_ns);
    free(times);
    return true;
}

/* Looks become rarer: every look is another chance of a mistake, and has to sort all samples. */
static bool is_look(const struct ct_sampler *sampler)
{
    size_t every = sampler->count / 8;

    return sampler->count == sampler->wanted || every < 2 || sampler->count % every == 0;
}

/* Whether one sample may decide: on a noisy device a spike may make it slow. */
static bool is_steady(const struct ct_sampler *sampler)
{
    const double steady = 0.02;

    return sampler->resolution > 0 && sampler->resolution <= steady;
}

/* How much more uncertain the median of so few samples is than that of all. */
static double few(const struct ct_sampler *sampler, size_t count)
{
    return sqrt(fmax((double)sampler->wanted / (double)count, 1));
}

/* How many times as slow as the leader the first `count` samples must be to show that it is out of
 * reach. */
static double far(const struct ct_sampler *sampler, size_t count)
{
    const double tails = 4; /* first samples differ more than the A/A test explains */
    const double least = sampler->resolution <= 0.005 ? 0.03 : 0.1;

    return 1 + fmax(tails * few(sampler, count) * sampler->resolution, least);
}

/* The same on a noisy device, where it is timed once more later. */
static double far_for_now(const struct ct_sampler *sampler, size_t count)
{
    return fmax(1 + few(sampler, count) * sampler->resolution, 2);
}

/* Whether the first sample shows already that the leader is out of reach.  Only if the warm-up was as
 * slow, and on a steady device, or if there is a second look. */
static bool far_beyond(const struct ct_sampler *sampler)
{
    bool steady = is_steady(sampler);
    double times =
        steady ? far(sampler, sampler->count) : far_for_now(sampler, sampler->count);

    return (steady || sampler->second_look > 0) && sampler->count < sampler->wanted &&
           sampler->best_ns > times * sampler->leader_ns && all_slower(sampler, times);
}

/* A probe may not be as long as it should. */
static const double least_probe = 1.15;

/* How many times as slow as the leader a first launch must be that is as long as a sample. */
static double first_times(const struct ct_sampler *sampler, double times)
{
    const double least = 1.1;
    const double safety = 2;

    return sampler->cold_share < 0 ? fmax(times, least)
                                   : times + safety * sampler->cold_share;
}

/* How many times as slow as the leader launches of `ns` in all must be. */
static double glance_times(const struct ct_sampler *sampler, double ns,
                           enum ct_sampler_launch launch)
{
    const double least = 2;
    /* Sharing a processor halves the speed, and samples are retaken that were disturbed. */
    const double least_shared = sampler->second_look > 0 ? sampler->second_look : 4;
    bool as_sample = sampler->resolution > 0 && ns >= CT_SAMPLE_TARGET_NS;
    /* The resolution is that of samples, which are means of several. */
    double times = 1 + (far(sampler, 1) - 1) * sqrt(fmax(CT_SAMPLE_TARGET_NS / ns, 1));

    if (launch == CT_SAMPLER_SHARED)
        return least_shared;
    if (launch == CT_SAMPLER_PROBE)
        return fmax(times, least_probe);
    if (!as_sample)
        return fmax(times, least);
    return launch == CT_SAMPLER_FIRST ? first_times(sampler, times) : times;
}

/* Whether what a few launches take can decide. */
static bool may_decide(const struct ct_sampler *sampler)
{
    return !sampler->off && sampler->leader_ns > 0 && !sampler->count &&
           sampler->wanted > 1;
}

bool ct_sampler_glance(const struct ct_sampler *sampler, const struct ct_sample *sample,
                       enum ct_sampler_launch launch)
{
    const double noisy = 0.1;
    double ns = time_of(sample, false);
    bool may = launch == CT_SAMPLER_SHARED || sampler->resolution <= noisy;
    double all_ns = ns * sample->repeats;

    if (launch == CT_SAMPLER_FIRST || launch == CT_SAMPLER_PROBE)
        may = is_steady(sampler);
    if (launch == CT_SAMPLER_FIRST &&
        (sampler->cold_share < 0 || ns < CT_SAMPLE_TARGET_NS))
        all_ns = ns -= CT_SAMPLE_COLD_NS;
    return may && may_decide(sampler) && ns > 0 &&
           assess_clock(sample, sampler->timer_ns) == CLOCK_FINE &&
           (double)sample->event_ns >= CT_SAMPLE_TICKS * sampler->timer_ns &&
           ns > glance_times(sampler, all_ns, launch) * sampler->leader_ns;
}

uint32_t ct_sampler_probe(const struct ct_sampler *sampler, const struct ct_sample *warm)
{
    double ns = time_of(warm, false);

    if (!may_decide(sampler) || !is_steady(sampler) ||
        !(ns > least_probe * sampler->leader_ns) || 2 * ns > CT_SAMPLE_PROBE_NS)
        return 0;
    return (uint32_t)fmin(ceil(CT_SAMPLE_PROBE_NS / ns), CT_SAMPLE_REPEATS_MAX);
}

bool ct_sampler_same(const struct ct_sampler *sampler, const struct ct_sample *first,
                     const struct ct_sample *second)
{
    double share = sampler->resolution > 0 ? sampler->resolution : CT_SAMPLE_SAME;
    double first_ns = time_of(first, false);
    double second_ns = time_of(second, false);

    return assess_clock(first, sampler->timer_ns) == CLOCK_FINE &&
           assess_clock(second, sampler->timer_ns) == CLOCK_FINE &&
           fabs(first_ns - second_ns) <= share * fmin(first_ns, second_ns);
}

enum ct_status ct_sampler_accept(struct ct_sampler *sampler,
                                 const struct ct_sample *sample, struct ct_err *err)
{
    enum ct_status status = ct_sampler_add(sampler, sample, err);

    sampler->beyond = sampler->enough = true;
    return status;
}

/* Whether there are enough samples because they agree. */
static bool agree(const struct ct_sampler *sampler)
{
    bool wall = use_wall(sampler);
    double least = INFINITY;
    double most = 0;

    if (!(sampler->agreeing > 0) || sampler->count < CT_SAMPLE_AGREEING)
        return false;
    for (size_t i = 0; i < sampler->count; i++) {
        least = fmin(least, time_of(&sampler->taken[i], wall));
        most = fmax(most, time_of(&sampler->taken[i], wall));
    }
    return most <= least * (1 + sampler->agreeing);
}

/* Whether the first sample shows that the time to beat was right. */
static bool fails_to_beat(const struct ct_sampler *sampler)
{
    return sampler->beat_ns > 0 && sampler->count == 1 &&
           time_of(&sampler->taken[0], use_wall(sampler)) >= sampler->beat_ns;
}

/* After a sample: is that enough, if the device's clock is right? */
static void race(struct ct_sampler *sampler)
{
    double leader_ns = sampler->leader_ns;
    double low_ns = 0;
    double high_ns = 0;

    sampler->enough = sampler->count >= sampler->wanted || agree(sampler);
    sampler->beyond = false;
    if (sampler->off)
        return;
    if (fails_to_beat(sampler)) {
        sampler->beyond = sampler->enough = true;
        return;
    }
    if (!(leader_ns > 0))
        return;
    if (sampler->count < CT_SAMPLE_LEAST) {
        sampler->beyond = far_beyond(sampler);
        sampler->enough |= sampler->beyond;
        return;
    }
    if (!(sampler->resolution > 0)) {
        sampler->beyond = !sampler->enough && all_slower(sampler, slower);
        sampler->enough |= sampler->beyond;
        return;
    }
    if (sampler->count >= (size_t)CT_SAMPLE_CONTENDER * sampler->wanted)
        return;
    /* Between looks nothing changes: before `wanted` none is stopped, afterwards those that got
     * there continue. */
    if (!is_look(sampler)) {
        sampler->enough = false;
        return;
    }
    if (!sample_interval(sampler, &low_ns, &high_ns))
        return;
    sampler->beyond =
        low_ns > leader_ns * (1 + sampler->resolution * few(sampler, sampler->count));
    if (sampler->beyond)
        sampler->enough = true;
    else if (sampler->enough)
        sampler->enough = high_ns - low_ns <= leader_ns * sampler->resolution;
}

static void decide_enough(struct ct_sampler *sampler)
{
    race(sampler);
    if (sampler->enough && doubtful(sampler) && !ct_sampler_hopeless(sampler))
        sampler->enough = sampler->beyond = false;
}

/* --- sample length --- */

uint32_t ct_sampler_repeats(const struct ct_sampler *sampler)
{
    double shortest_ns = sampler->best_ns;
    double repeats;
    double ticks;

    if (!(sampler->best_ns > 0))
        return 1;
    if (sampler->event_ns > 0 && sampler->event_ns < shortest_ns)
        shortest_ns = sampler->event_ns;
    /* Rounded up: at least the target. */
    repeats = ceil(CT_SAMPLE_TARGET_NS / sampler->best_ns);
    ticks = ceil(CT_SAMPLE_TICKS * sampler->timer_ns / shortest_ns);
    if (repeats > CT_SAMPLE_REPEATS_MAX)
        repeats = CT_SAMPLE_REPEATS_MAX;
    /* So that delays of the host weigh less. */
    if (doubtful(sampler) && sampler->count >= sampler->wanted)
        repeats *= CT_SAMPLE_DOUBT_LONGER;
    if (ticks > CT_SAMPLE_TICKS_MAX)
        ticks = CT_SAMPLE_TICKS_MAX;
    return (uint32_t)(repeats > ticks ? repeats : ticks);
}

uint32_t ct_sampler_next(const struct ct_sampler *sampler)
{
    return sampler->enough ? 0 : ct_sampler_repeats(sampler);
}

/* The approximate length of the next sample. */
static uint64_t next_sample_ns(const struct ct_sampler *sampler)
{
    return (uint64_t)(ct_sampler_next(sampler) * sampler->best_ns);
}

uint64_t ct_sampler_rest_ns(const struct ct_sampler *sampler)
{
    if (sampler->enough || sampler->count >= sampler->wanted)
        return 0;
    return (sampler->wanted - sampler->count) * next_sample_ns(sampler);
}

/* --- samples --- */

/* Notes what a sample implies about the length of a pipeline. */
static void note_length(struct ct_sampler *sampler, const struct ct_sample *sample)
{
    double wall_ns = time_of(sample, true);
    double event_ns = time_of(sample, false);

    /* The first estimate may have been taken cold: later samples correct it downwards. */
    if (!(sampler->best_ns > 0) || wall_ns < sampler->best_ns)
        sampler->best_ns = wall_ns;
    if (assess_clock(sample, sampler->timer_ns) == CLOCK_FINE &&
        (!(sampler->event_ns > 0) || event_ns < sampler->event_ns))
        sampler->event_ns = event_ns;
}

/* Notes what it implies about the device's clock. */
static void note_clock(struct ct_sampler *sampler, const struct ct_sample *sample,
                       bool first)
{
    enum sample_clock clock = assess_clock(sample, sampler->timer_ns);
    const uint64_t held_up_ns = 100000000; /* no host is delayed for that long */

    sampler->clock_wrong |= clock == CLOCK_WRONG;
    sampler->shorts += clock == CLOCK_SHORT;
    sampler->confirmed += clock == CLOCK_FINE && can_confirm(sample);
    sampler->delayed = (sampler->delayed && !first) || sample->wall_ns < held_up_ns;
}

/* Whether the estimate for a sample was so wrong that the sample was too short for the device's
 * clock.  `requested`: how many pipelines were requested.  A wrong clock may look like that too, so
 * this is not repeated for long. */
static bool too_short(const struct ct_sampler *sampler, const struct ct_sample *sample,
                      uint32_t requested)
{
    return sampler->timer_ns > 0 && sampler->passed_over < CT_SAMPLE_LEAST &&
           (double)sample->event_ns < 0.5 * CT_SAMPLE_TICKS * sampler->timer_ns &&
           sample->repeats >= requested &&
           ct_sampler_repeats(sampler) / 2 >= sample->repeats;
}

enum ct_status ct_sampler_add(struct ct_sampler *sampler, const struct ct_sample *sample,
                              struct ct_err *err)
{
    uint32_t requested = ct_sampler_repeats(sampler);

    if (!ct_mem_grow(&sampler->taken, &sampler->capacity, sampler->count + 1,
                     sizeof(*sampler->taken)))
        return ct_err_nomem(err);
    note_length(sampler, sample);
    if (too_short(sampler, sample, requested)) {
        sampler->passed_over++;
        return CT_OK;
    }
    note_clock(sampler, sample, sampler->count == 0);
    sampler->taken[sampler->count++] = *sample;
    decide_enough(sampler);
    return CT_OK;
}

void ct_sampler_rewind(struct ct_sampler *sampler, size_t count)
{
    if (count >= sampler->count)
        return;
    sampler->count = count;
    sampler->shorts = sampler->confirmed = 0;
    sampler->clock_wrong = false;
    for (size_t i = 0; i < count; i++)
        note_clock(sampler, &sampler->taken[i], i == 0);
    decide_enough(sampler);
}

/* The samples that racing saved or added. */
static void tell_saved(const struct ct_sampler *sampler, struct ct_outcome *outcome)
{
    double sum_ns = 0;
    double mean_ns;

    for (size_t i = 0; i < sampler->count; i++)
        sum_ns += (double)sampler->taken[i].wall_ns;
    mean_ns = sum_ns / (double)sampler->count;
    outcome->race.saved = outcome->race.added = 0;
    if (sampler->count < sampler->wanted)
        outcome->race.saved = sampler->wanted - (uint32_t)sampler->count;
    else
        outcome->race.added = (uint32_t)sampler->count - sampler->wanted;
    outcome->race.saved_ns = (uint64_t)(mean_ns * outcome->race.saved);
    outcome->race.added_ns = (uint64_t)(mean_ns * outcome->race.added);
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
    outcome->samples.ns = samples;
    outcome->samples.count = count;
    outcome->samples.launches = sampler->taken[count - 1].repeats;
    outcome->time_ns = ct_stats_median(sorted, count);
    ct_stats_median_interval(sorted, count, 0.95, &outcome->low_ns, &outcome->high_ns);
    outcome->wall_clock = wall;
    outcome->stopped_early = count < sampler->wanted;
    tell_saved(sampler, outcome);
    free(sorted);
    return CT_OK;
}
