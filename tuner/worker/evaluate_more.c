// SPDX-License-Identifier: Apache-2.0
// Another sample of an evaluation that a worker keeps, after others have used the device.
#include "worker/evaluate_impl.h"

#include "worker/command/command.h"
#include "worker/reference/recheck_outputs.h"

/* Others have used the device's buffers since, and may have made the worker drop the data set.
 * Buffers that are no inputs stay as they left them. */
static enum ct_step come_back(struct ct_evaluation *ev, struct ct_err *err)
{
    struct ct_pipeline *pipeline = &ev->pipeline;
    enum ct_step step;
    enum ct_status status;

    ct_session_phase(ev->session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    step = ct_dataset_get(ev->session, ev->plan, ev->request->seed, &pipeline->data,
                          ev->outcome, err);
    if (step != CT_STEP_DONE)
        return step;
    pipeline->turn++;
    status = ct_dataset_restore_filled(pipeline->data, ev->plan, err);
    if (!status)
        status = ct_device_finish(ev->session->device, err);
    ct_pipeline_touch(pipeline);
    return status ? ct_evaluation_failed(ev, err) : CT_STEP_DONE;
}

/* Whether a run fills the caches in a time that does not matter: those of processors are large,
 * compared with their speed. */
static bool is_long(const struct ct_evaluation *ev)
{
    const double long_ns = CT_SAMPLE_TARGET_NS;

    return ev->sampler.best_ns > long_ns && !ct_session_on_processor(ev->session);
}

/* One that counts, after a run that warms up the caches: the first ones may be too short for the
 * clock. */
static enum ct_status one_more(struct ct_evaluation *ev, struct ct_err *err)
{
    struct ct_evaluation_sampling how = {ev, ct_evaluation_restores_each(ev)};
    struct ct_sampler *sampler = &ev->sampler;
    uint64_t patience_ns = ct_session_patience_ns(ev->request);
    size_t before = sampler->count;
    struct ct_sample taken;
    enum ct_status status =
        is_long(ev) ? CT_OK : ct_evaluation_sample(&how, 1, &taken, err);

    if (!status && ev->request->step.last)
        status = ct_recheck_outputs_clear(&ev->pipeline, err);
    while (!status && sampler->count == before) {
        uint32_t repeats = ct_sampler_repeats(sampler);

        ct_session_keep_alive(ev->session, patience_ns,
                              (uint64_t)(repeats * sampler->best_ns));
        status = ct_evaluation_sample(&how, repeats, &taken, err);
        if (!status)
            status = ct_sampler_add(sampler, &taken, err);
    }
    return status;
}

enum ct_step ct_evaluation_more(struct ct_evaluation *ev, struct ct_err *err)
{
    struct ct_outcome *outcome = ev->outcome;
    enum ct_step step;
    enum ct_status status;

    if (ev->plan->command)
        return ct_command_more(ev, err);
    step = come_back(ev, err);
    if (step != CT_STEP_DONE)
        return step;
    ct_session_phase(ev->session, CT_PHASE_MEASURE, CT_CULPRIT_CONFIGURATION);
    status = ct_evaluation_prepare(ev, err);
    if (!status)
        status = one_more(ev, err);
    if (!status)
        status = ct_sampler_finish(&ev->sampler, outcome, err);
    outcome->race.added = 0;
    outcome->race.added_ns = 0;
    step = status ? ct_evaluation_failed(ev, err) : CT_STEP_DONE;
    if (step == CT_STEP_DONE && ev->request->step.last)
        step = ct_recheck_outputs(&ev->pipeline, err);
    ct_pipeline_warm(&ev->pipeline);
    return step;
}
