// SPDX-License-Identifier: Apache-2.0
// The baseline inside a worker: native code, one thread, wall clock.
#include "base/clock.h"
#include "measure/host.h"
#include "measure/hostrun.h"
#include "measure/sample.h"
#include "measure/session.h"
#include "measure/truth.h"

#include <string.h>

static uint64_t timed(const struct ct_host_code *code, struct ct_hostrun *run,
                      uint32_t repeats)
{
    uint64_t begin_ns = ct_clock_now_ns();

    for (uint32_t i = 0; i < repeats; i++)
        ct_host_call(code, run->args);
    return ct_clock_now_ns() - begin_ns;
}

static enum ct_step check(struct ct_session *session, const struct ct_plan *plan,
                          struct ct_dataset *data, const struct ct_hostrun *run,
                          struct ct_outcome *outcome, struct ct_err *err)
{
    size_t damaged = ct_hostrun_damaged(run);

    ct_session_phase(session, CT_PHASE_CHECK, CT_CULPRIT_BASELINE);
    if (damaged < run->count) {
        outcome->mismatch = (struct ct_mismatch){
            .buffer = (uint32_t)damaged, .wrong_count = 1, .guard = true};
        return ct_session_fail(session, outcome, CT_RESULT_WRONG,
                               "the baseline writes outside buffer %s",
                               plan->buffers[damaged].name);
    }
    for (size_t i = 0; i < run->count; i++) {
        struct ct_mismatch mismatch = {0};
        bool right;

        outcome->verified |= data->buffers[i].truth.bytes != NULL;
        if (ct_truth_right(data, plan, i, run->arrays[i], &right, &mismatch, err))
            return CT_STEP_ERROR;
        if (!right)
            return ct_truth_wrong(session, plan, &mismatch, outcome);
    }
    return CT_STEP_DONE;
}

static enum ct_step measure(struct ct_session *session, const struct ct_request *request,
                            const struct ct_host_code *code, struct ct_hostrun *run,
                            struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_sampler sampler;
    enum ct_status status = CT_OK;
    uint32_t repeats;

    ct_session_phase(session, CT_PHASE_MEASURE, CT_CULPRIT_BASELINE);
    ct_sampler_init(&sampler, request->race.samples, 0, timed(code, run, 1));
    while (!status && (repeats = ct_sampler_next(&sampler)) > 0) {
        struct ct_sample sample = {.repeats = repeats};

        ct_session_alive(session, CT_CULPRIT_BASELINE);
        sample.wall_ns = timed(code, run, repeats);
        sample.event_ns = sample.wall_ns;
        status = ct_sampler_add(&sampler, &sample, err);
    }
    if (!status)
        status = ct_sampler_finish(&sampler, outcome, err);
    ct_sampler_release(&sampler);
    outcome->wall_clock = true;
    return status ? CT_STEP_ERROR : CT_STEP_DONE;
}

static enum ct_step run_baseline(struct ct_session *session, const struct ct_plan *plan,
                                 const struct ct_request *request,
                                 struct ct_dataset *data, struct ct_outcome *outcome,
                                 struct ct_err *err)
{
    struct ct_host_code *code = NULL;
    struct ct_hostrun run = {0};
    enum ct_step step = CT_STEP_ERROR;

    ct_session_phase(session, CT_PHASE_BUILD, CT_CULPRIT_BASELINE);
    if (ct_host_load(plan, CT_HOST_BASELINE, &code, err) ||
        ct_hostrun_init(&run, data, &plan->baseline, err))
        goto out;
    ct_session_phase(session, CT_PHASE_FIRST, CT_CULPRIT_BASELINE);
    timed(code, &run, 1);
    step = check(session, plan, data, &run, outcome, err);
    if (step == CT_STEP_DONE)
        step = measure(session, request, code, &run, outcome, err);
out:
    ct_hostrun_release(&run);
    ct_host_free(code);
    return step;
}

enum ct_status ct_session_baseline(struct ct_session *session, const struct ct_plan *plan,
                                   const struct ct_request *request,
                                   struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_dataset *data;
    enum ct_step step;

    outcome->message = "";
    outcome->build_log = "";
    if (!plan->baseline.function)
        return ct_err_set(err, CT_E_NOT_FOUND, "there is no baseline");
    ct_session_start(session, CT_PHASE_DATA);
    ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    step = ct_dataset_get(session, plan, request->seed, &data, outcome, err);
    if (step == CT_STEP_DONE)
        step = run_baseline(session, plan, request, data, outcome, err);
    ct_session_book(session);
    memcpy(outcome->spent_ns, session->spent_ns, sizeof(outcome->spent_ns));
    return step == CT_STEP_ERROR ? err->code : CT_OK;
}
