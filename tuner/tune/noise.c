// SPDX-License-Identifier: Apache-2.0
// The A/A test of a search: which differences can be resolved on this device, here and now.
#include "tune/search_impl.h"

#include "base/mem.h"
#include "base/stats.h"
#include "judge/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ct_status ct_search_plan_default(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status;

    if (search->defaults.has_plan)
        return CT_OK;
    ct_workload_values(&search->work, search->work.default_index);
    status = ct_workload_plan(&search->work, search->objective.needs,
                              &search->defaults.arena, &search->defaults.plan, err);
    search->defaults.has_plan = !status;
    return status;
}

/* The approximate time of one sample of something that takes `time_ns`. */
static double sample_ns_of(double time_ns)
{
    const double target_ns = 1e7; /* as in worker/timing/sample.h */

    return time_ns > 0 ? ceil(target_ns / time_ns) * time_ns : target_ns;
}

double ct_search_sample_cost_ns(const struct ct_evaluated *entry)
{
    double sample_ns = sample_ns_of(entry->time_ns);

    return entry->timing.cost_ns > CT_POLICY_COSTLY * sample_ns ? entry->timing.cost_ns
                                                                : sample_ns;
}

static uint32_t samples_of(double sample_ns)
{
    double count = CT_POLICY_NOISE_SAMPLING_S * 1e9 / sample_ns;

    return count < CT_POLICY_NOISE_SAMPLES_LEAST ? CT_POLICY_NOISE_SAMPLES_LEAST
           : count > CT_POLICY_NOISE_SAMPLES     ? CT_POLICY_NOISE_SAMPLES
                                                 : (uint32_t)count;
}

/* Not more than take a while: a play-off follows, and what disturbs a machine for long outlasts that, too. */
static uint32_t affordable(const struct ct_search *search, uint32_t samples)
{
    double cost_ns = ct_search_sample_cost_ns(&search->defaults.result);
    double most = fmax(CT_POLICY_LOOK_S * 1e9 / cost_ns, CT_POLICY_SAMPLES_LEAST);

    return samples > most ? (uint32_t)most : samples;
}

/* The test's findings set samples and resolution, unless the user has chosen. */
static void use_noise(struct ct_search *search)
{
    const struct ct_noise *noise = &search->noise.result;

    search->noise.known = true;
    search->budget.steady = noise->resolution <= CT_POLICY_NOISY;
    if (!search->noise.samples)
        search->noise.samples = affordable(search, noise->samples);
    search->drift.series.threshold = noise->resolution;
    search->store.run.noise.resolution = noise->resolution;
    search->store.run.noise.playoff_resolution = noise->playoff_resolution;
    search->store.run.noise.samples = search->noise.samples;
    search->store.run.noise.processes = (int64_t)noise->processes;
    search->store.run.noise.within = noise->within;
    search->store.run.noise.between = noise->between;
    ct_scheduler_sampling(search->jobs.scheduler, search->noise.samples,
                          noise->resolution);
    ct_search_announce_second(search);
    ct_observer_event(search->observer,
                      &(struct ct_event){.kind = CT_EVENT_NOISE, .search = search});
}

/* Time of one process when the default was measured, without the build: starting, large inputs
 * and checks may cost more than samples do. */
static double known_s(const struct ct_search *search)
{
    static const enum ct_phase phases[] = {CT_PHASE_START, CT_PHASE_FIRST, CT_PHASE_CHECK,
                                           CT_PHASE_MEASURE};
    double sum_ns = 0;

    for (size_t i = 0; search->defaults.has_first && i < sizeof(phases) / sizeof(*phases);
         i++)
        sum_ns += (double)search->defaults.first.spent_ns[phases[i]];
    return sum_ns / 1e9;
}

/* Without an A/A test, the spread of samples within processes says how many are worthwhile, and how few decide
 * that something is far behind: what is 3.5% slower on a device whose samples agree, or a tenth where they do less.
 * Where they do not, as without any knowledge. */
void ct_search_note_spread(struct ct_search *search, const struct ct_outcome *outcome)
{
    const double deviations = 4; /* samples of other processes may lie that far away */
    const double least = 0.005;  /* no process is known but the one that is timed */
    const double most = 0.02;
    struct ct_search_noise *noise = &search->noise;
    double sorted[CT_SEARCH_SPREADS];
    double *samples;
    uint32_t wanted = noise->samples;
    double median;
    double within;
    double guess;

    if (noise->known || outcome->status != CT_RESULT_OK ||
        outcome->samples.count < CT_POLICY_NOISE_SAMPLES_LEAST)
        return;
    samples = ct_mem_array(outcome->samples.count, sizeof(*samples));
    if (!samples)
        return;
    memcpy(samples, outcome->samples.ns, outcome->samples.count * sizeof(*samples));
    median = ct_stats_median(samples, outcome->samples.count);
    noise->spreads[noise->spread_count++ % CT_SEARCH_SPREADS] =
        median > 0 ? ct_stats_robust_deviation(samples, outcome->samples.count) / median
                   : 1;
    free(samples);
    if (noise->spread_count < CT_POLICY_NOISE_SAMPLES_LEAST)
        return;
    memcpy(sorted, noise->spreads, sizeof(sorted));
    within = ct_stats_median(sorted, noise->spread_count < CT_SEARCH_SPREADS
                                         ? noise->spread_count
                                         : CT_SEARCH_SPREADS);
    guess = deviations * within;
    /* With fewer than these nothing would be learnt of later ones. */
    if (!wanted && !search->options->no_race)
        wanted = affordable(search, (uint32_t)fmax(ct_noise_samples(within, 0),
                                                   CT_POLICY_NOISE_SAMPLES_LEAST));
    ct_scheduler_sampling(search->jobs.scheduler, wanted,
                          guess > most ? 0 : fmax(guess, least));
}

enum ct_status ct_search_measure_noise(struct ct_search *search, uint64_t left,
                                       struct ct_err *err)
{
    double sample_ns = ct_search_sample_cost_ns(&search->defaults.result);
    uint32_t samples = samples_of(sample_ns);
    double cost_s =
        CT_POLICY_NOISE_PROCESSES *
        fmax(CT_POLICY_NOISE_PROCESS_S + samples * sample_ns / 1e9, known_s(search));
    double seconds = search->budget.seconds;
    uint64_t limit_ns =
        seconds > 0
            ? (uint64_t)(seconds * 1e9 * CT_POLICY_NOISE_OVER / CT_POLICY_NOISE_SHARE)
            : 0;
    enum ct_status status;

    if (search->options->rough || !(ct_search_default_ns(search) > 0) ||
        left < CT_POLICY_NOISE_WORTH ||
        (seconds > 0 && seconds < CT_POLICY_NOISE_SHARE * cost_s))
        return CT_OK;
    status = ct_search_plan_default(search, err);
    ct_observer_event(search->observer,
                      &(struct ct_event){.kind = CT_EVENT_NOISE_BEGIN, .search = search});
    if (!status)
        status = ct_noise_test(search->jobs.scheduler, &search->defaults.plan,
                               CT_POLICY_NOISE_PROCESSES, samples, limit_ns,
                               &search->noise.result, err);
    if (status)
        return status;
    search->budget.noise_s = (double)search->noise.result.spent_ns / 1e9;
    ct_budget_reserve(&search->budget);
    if (search->noise.result.processes < 2 && search->noise.result.status == CT_RESULT_OK)
        return CT_OK; /* the time was up */
    if (search->noise.result.processes < 2 ||
        search->noise.result.status != CT_RESULT_OK) {
        ct_observer_warn(
            search->observer,
            "the default configuration worked once and then failed (%s), so the "
            "noise of this device is unknown",
            ct_result_status_name(search->noise.result.status));
        return CT_OK;
    }
    /* The first of many times. */
    status = ct_drift_add(&search->drift.series, search->noise.result.median_ns,
                          search->results.evaluated, err);
    if (!status)
        use_noise(search);
    return status ? status : ct_search_store_default(search, err);
}
