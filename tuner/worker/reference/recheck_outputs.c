// SPDX-License-Identifier: Apache-2.0
// Compares outputs again after many runs.
#include "worker/reference/recheck_outputs.h"

#include "worker/reference/expected.h"
#include "worker/timing/cold_rotation.h"

#include <string.h>

/* Whether the last run started like the first one, as far as a correct pipeline can depend on
 * it. */
static bool repeats(const struct ct_pipeline *pipeline)
{
    const struct ct_plan *plan = pipeline->plan;

    /* A launch that counts several times runs as often, which may write something else. */
    if (ct_plan_weighted(plan))
        return false;
    /* Timed end to end, every run gets all of its inputs again. */
    for (size_t i = 0; i < plan->buffer_count && !plan->end_to_end; i++)
        if (pipeline->written[i] && plan->buffers[i].fill.kind != CT_FILL_NONE &&
            plan->buffers[i].restore != CT_RESTORE_EACH)
            return false;
    return true;
}

/* A failure has no times. */
static void forget_times(struct ct_outcome *outcome)
{
    outcome->samples.count = 0;
    outcome->samples.launches = 0;
    outcome->time_ns = outcome->low_ns = outcome->high_ns = 0;
    outcome->end_to_end.time_ns = 0;
    outcome->end_to_end.low_ns = outcome->end_to_end.high_ns = 0;
    outcome->stopped_early = outcome->wall_clock = false;
    outcome->race.saved = outcome->race.added = 0;
    outcome->race.saved_ns = outcome->race.added_ns = 0;
    outcome->samples.timer_ns = 0;
    memset(&outcome->observed, 0, sizeof(outcome->observed));
}

static enum ct_step wrong(struct ct_pipeline *pipeline,
                          const struct ct_mismatch *mismatch, struct ct_err *err)
{
    struct ct_outcome *outcome = pipeline->outcome;
    bool intact;

    forget_times(outcome);
    if (ct_dataset_intact(pipeline->data, &intact, err))
        return ct_session_device_failed(pipeline->session, outcome, CT_RESULT_INVALID,
                                        err);
    ct_expected_wrong(pipeline->session, pipeline->plan, mismatch, outcome);
    return ct_session_fail(pipeline->session, outcome, CT_RESULT_WRONG,
                           "correct at first, but wrong after the timed runs%s: %s",
                           intact ? "" : ", because a launch changes what it only reads",
                           outcome->message);
}

enum ct_status ct_recheck_outputs_clear(struct ct_pipeline *pipeline, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    if (!pipeline->outcome->verified || !repeats(pipeline))
        return CT_OK;
    if (pipeline->turning)
        status = ct_cold_rotation_clear(pipeline->data, pipeline->plan, err);
    else
        status = ct_dataset_clear_outputs(pipeline->data, pipeline->plan, err);
    if (!status)
        status = ct_device_finish(pipeline->session->device, err);
    ct_pipeline_touch(pipeline);
    return status;
}

enum ct_step ct_recheck_outputs(struct ct_pipeline *pipeline, struct ct_err *err)
{
    struct ct_dataset *data = pipeline->data;

    if (!pipeline->outcome->verified || !repeats(pipeline))
        return CT_STEP_DONE;
    ct_session_phase(pipeline->session, CT_PHASE_CHECK, CT_CULPRIT_CONFIGURATION);
    for (size_t i = 0; i < data->count; i++) {
        struct ct_mismatch mismatch = {0};
        const void *actual;
        bool right;

        if (!data->buffers[i].expected.bytes || !pipeline->written[i])
            continue;
        if (ct_expected_surely_right(pipeline->session, data, pipeline->plan, i, true))
            continue;
        if (ct_dataset_read(data, pipeline->plan, i, &actual, err))
            return ct_session_device_failed(pipeline->session, pipeline->outcome,
                                            CT_RESULT_INVALID, err);
        if (ct_expected_right(pipeline->session, data, pipeline->plan, i, actual, &right,
                              &mismatch, err))
            return CT_STEP_ERROR;
        if (!right)
            return wrong(pipeline, &mismatch, err);
    }
    return CT_STEP_DONE;
}
