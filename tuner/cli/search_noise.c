// SPDX-License-Identifier: Apache-2.0
// The A/A test of a search: what can be told apart on this device, here and now.
#include "cli/search.h"

#include "base/clock.h"

#include <math.h>

enum {
    WORTH_IT = 4, /* evaluations */
    PROCESSES = 5,
    SAMPLES = 10, /* of each process, where they are short */
    SAMPLES_LEAST = 3,
    BUDGET_SHARE = 20, /* it takes no more than one part in so many of the time */
};

static const double process_s = 0.15; /* to start one and check the outputs, about */
static const double sampling_s = 0.2; /* of a process, where samples are long */

enum ct_status ct_search_default_plan(struct ct_search *search, struct ct_err *err)
{
    enum ct_status status;

    if (search->has_default_plan)
        return CT_OK;
    ct_search_values(search, search->default_index);
    status = ct_search_plan(search, &search->default_arena, &search->default_plan, err);
    search->has_default_plan = !status;
    return status;
}

double ct_search_sample_ns(double time_ns)
{
    const double target_ns = 1e7; /* as worker/timing/sample.h has it */

    return fmax(time_ns, target_ns);
}

static uint32_t samples_of(double sample_ns)
{
    double count = sampling_s * 1e9 / sample_ns;

    return count < SAMPLES_LEAST ? SAMPLES_LEAST
           : count > SAMPLES     ? SAMPLES
                                 : (uint32_t)count;
}

void ct_search_noise_text(const struct ct_search *search, struct ct_str *out)
{
    const struct ct_noise *noise = &search->noise;

    ct_str_addf(out,
                "%.1f%% between processes, %.1f%% within: differences above %.1f%% can "
                "be told apart, %.1f%% and less in a play-off; %u samples each",
                100 * noise->between, 100 * noise->within, 100 * noise->resolution,
                100 * noise->playoff_resolution,
                search->samples ? search->samples : noise->samples);
}

/* What the test has found sets samples and resolution, unless the user has chosen. */
static void use(struct ct_search *search)
{
    const struct ct_noise *noise = &search->noise;
    struct ct_str text;

    search->has_noise = true;
    if (!search->samples)
        search->samples = noise->samples;
    search->drift.threshold = noise->resolution;
    search->run.resolution = noise->resolution;
    search->run.playoff_resolution = noise->playoff_resolution;
    search->run.samples = search->samples;
    search->run.noise_processes = (int64_t)noise->processes;
    search->run.noise_within = noise->within;
    search->run.noise_between = noise->between;
    ct_scheduler_sampling(search->scheduler, search->samples, noise->resolution);
    if (search->options->quiet)
        return;
    ct_str_init(&text);
    ct_search_noise_text(search, &text);
    fprintf(stderr, "  noise      %s\n", text.data);
    ct_str_release(&text);
}

/* What one more process took when the default was measured, but for building: starting,
 * large inputs and checks may cost more than samples do. */
static double known_s(const struct ct_search *search)
{
    static const enum ct_phase phases[] = {CT_PHASE_START, CT_PHASE_FIRST, CT_PHASE_CHECK,
                                           CT_PHASE_MEASURE};
    double sum_ns = 0;

    for (size_t i = 0; search->has_first && i < sizeof(phases) / sizeof(*phases); i++)
        sum_ns += (double)search->first.spent_ns[phases[i]];
    return sum_ns / 1e9;
}

enum ct_status ct_search_noise(struct ct_search *search, uint64_t left,
                               struct ct_err *err)
{
    double sample_ns = ct_search_sample_ns(ct_search_default_ns(search));
    uint32_t samples = samples_of(sample_ns);
    double cost_s =
        PROCESSES * fmax(process_s + samples * sample_ns / 1e9, known_s(search));
    enum ct_status status;

    if (search->options->rough || !(ct_search_default_ns(search) > 0) ||
        left < WORTH_IT ||
        (search->budget_s > 0 && search->budget_s < BUDGET_SHARE * cost_s))
        return CT_OK;
    status = ct_search_default_plan(search, err);
    if (!status)
        status = ct_noise_test(search->scheduler, &search->default_plan, PROCESSES,
                               samples, &search->noise, err);
    if (status)
        return status;
    if (search->noise.processes < 2 || search->noise.status != CT_RESULT_OK) {
        ct_cli_warn("the default configuration worked once, and then it was %s: how far "
                    "times can be trusted is not known",
                    ct_result_status_name(search->noise.status));
        return CT_OK;
    }
    /* The first time of many. */
    status =
        ct_drift_add(&search->drift, search->noise.median_ns, search->evaluated, err);
    if (!status)
        use(search);
    return status ? status : ct_search_store_default(search, err);
}
