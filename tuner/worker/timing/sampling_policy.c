// SPDX-License-Identifier: Apache-2.0
// Takes blocks of samples.
#include "worker/timing/sampling_policy.h"

#include "base/mem.h"
#include "worker/timing/hostload.h"
#include "worker/timing/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The samples of the least disturbed attempt at a block so far, if there was more than one. */
struct kept {
    struct ct_sample *samples;
    size_t count;
    double others; /* NAN: nothing is kept */
};

/* Totals over the blocks that count. */
struct total {
    double others_ns; /* processors used by others times wall time */
    double known_ns;
};

static uint64_t wall_since(const struct ct_sampler *sampler, size_t since)
{
    uint64_t wall_ns = 0;

    for (size_t i = since; i < sampler->count; i++)
        wall_ns += sampler->taken[i].wall_ns;
    return wall_ns;
}

/* Whether the block is long enough to be watched separately, and so is what is left. */
static bool full(const struct ct_sampler *sampler, uint64_t wall_ns)
{
    uint64_t rest_ns = ct_sampler_rest_ns(sampler);

    return wall_ns >= CT_SAMPLING_POLICY_BLOCK_NS &&
           (!rest_ns || rest_ns >= CT_SAMPLING_POLICY_BLOCK_NS);
}

/* How many pipelines next in this block; 0: it is over. */
static uint32_t next_pipelines(const struct ct_sampling_policy *policy, uint64_t wall_ns)
{
    const struct ct_sampler *sampler = policy->sampler;
    uint32_t repeats = ct_sampler_next(sampler);

    if (!policy->retake)
        return repeats;
    if (full(sampler, wall_ns))
        return 0;
    if (repeats)
        return repeats;
    /* None is stopped before it is known whether others interfered, unless it is timed once more later, or was
     * timed before. */
    if (sampler->beyond && sampler->count < sampler->wanted &&
        wall_ns < CT_SAMPLING_POLICY_BLOCK_NS && !(sampler->second_look > 0) &&
        !(sampler->beat_ns > 0) && !ct_sampler_hopeless(sampler))
        return ct_sampler_repeats(sampler);
    return 0;
}

/* Takes the samples of one block; adds to `*pipelines`. */
static enum ct_status fill_block(struct ct_sampling_policy *policy, uint64_t *pipelines,
                                 struct ct_err *err)
{
    struct ct_sampler *sampler = policy->sampler;
    uint64_t wall_ns = 0;
    uint32_t repeats;

    while ((repeats = next_pipelines(policy, wall_ns)) > 0) {
        struct ct_sample sample = {0};
        enum ct_status status;

        ct_session_keep_alive(policy->session, policy->patience_ns,
                              (uint64_t)(repeats * sampler->best_ns));
        status = policy->take(policy->user, repeats, &sample, err);
        if (!status)
            status = ct_sampler_add(sampler, &sample, err);
        if (status)
            return status;
        wall_ns += sample.wall_ns;
        *pipelines += sample.repeats;
    }
    return CT_OK;
}

static enum ct_status kept_add(struct kept *kept, const struct ct_sampler *sampler,
                               size_t since, double others, struct ct_err *err)
{
    size_t count = sampler->count - since;

    free(kept->samples);
    kept->samples = ct_mem_array(count, sizeof(*kept->samples));
    if (!kept->samples)
        return ct_err_nomem(err);
    memcpy(kept->samples, sampler->taken + since, count * sizeof(*kept->samples));
    kept->count = count;
    kept->others = others;
    return CT_OK;
}

/* Replaces the block's samples by those that were kept. */
static enum ct_status put_back(struct ct_sampling_policy *policy, const struct kept *kept,
                               size_t since, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    policy->retaken += (uint32_t)(policy->sampler->count - since);
    ct_sampler_rewind(policy->sampler, since);
    for (size_t i = 0; !status && i < kept->count; i++)
        status = ct_sampler_add(policy->sampler, &kept->samples[i], err);
    return status;
}

/* Whether others have kept more processors busy than counting in steps explains: a whole step of 10 ms is
 * a fifth of a block, and of blocks of an idle machine one in six has one too many. */
static bool is_disturbed(double others, uint64_t wall_ns)
{
    return others >
           CT_SAMPLING_POLICY_DISTURBED + (double)ct_hostload_step_ns() / (double)wall_ns;
}

/* One block, with its retakes. */
static enum ct_status take_block(struct ct_sampling_policy *policy, struct kept *kept,
                                 struct total *total, struct ct_err *err)
{
    struct ct_watch *watch = policy->session->watch;
    struct ct_sampler *sampler = policy->sampler;
    size_t since = sampler->count;
    uint64_t pipelines = 0;
    double others = NAN;
    enum ct_status status = CT_OK;

    kept->others = NAN;
    for (unsigned tries = 0;; tries++) {
        pipelines = 0;
        ct_watch_begin(watch);
        status = fill_block(policy, &pipelines, err);
        others = ct_watch_others(watch);
        if (status || !policy->retake ||
            !is_disturbed(others, wall_since(sampler, since)) ||
            tries == CT_SAMPLING_POLICY_RETAKES || ct_sampler_hopeless(sampler))
            break;
        if (!(kept->others <= others))
            status = kept_add(kept, sampler, since, others, err);
        if (status)
            break;
        policy->retaken += (uint32_t)(sampler->count - since);
        ct_sampler_rewind(sampler, since);
    }
    if (!status && kept->others < others) {
        policy->retaken -= (uint32_t)kept->count;
        status = put_back(policy, kept, since, err);
        others = kept->others;
    }
    ct_watch_end(watch, pipelines, &policy->observed);
    if (!isnan(others)) {
        double wall_ns = (double)wall_since(sampler, since);

        total->others_ns += others * wall_ns;
        total->known_ns += wall_ns;
    }
    return status;
}

enum ct_status ct_sampling_policy_run(struct ct_sampling_policy *policy,
                                      struct ct_err *err)
{
    struct kept kept = {.others = NAN};
    struct total total = {0};
    enum ct_status status = CT_OK;

    policy->retaken = 0;
    memset(&policy->observed, 0, sizeof(policy->observed));
    ct_watch_reset(policy->session->watch);
    while (!status && ct_sampler_next(policy->sampler))
        status = take_block(policy, &kept, &total, err);
    /* The watch covers all attempts; this covers the samples that count. */
    if (total.known_ns > 0)
        ct_quantities_set(&policy->observed, CT_QUANTITY_OTHERS_LOAD,
                          total.others_ns / total.known_ns);
    free(kept.samples);
    return status;
}
