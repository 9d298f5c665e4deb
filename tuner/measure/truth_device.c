// SPDX-License-Identifier: Apache-2.0
// References that run on the device.
#include "measure/data.h"
#include "measure/pipeline.h"
#include "measure/truth.h"

#include <stdlib.h>
#include <string.h>

static const char who[] = "the reference on the device";

/* What a reference left in its buffers. */
struct ct_device_truth {
    struct ct_hash hash; /* of the reference's plan */
    uint64_t seed;
    size_t count;
    struct kept {
        void *bytes; /* as host code sees it; NULL: was not asked for */
        size_t size_bytes;
    } * buffers;
};

void ct_truth_forget(struct ct_session *session)
{
    struct ct_device_truth *truth = session->device_truth;

    if (!truth)
        return;
    for (size_t i = 0; truth->buffers && i < truth->count; i++)
        ct_data_free(truth->buffers[i].bytes);
    free(truth->buffers);
    free(truth);
    session->device_truth = NULL;
}

/* Whether what the session has kept is what this plan needs. */
static bool is_known(const struct ct_session *session, const struct ct_plan *plan,
                     const struct ct_hash *hash, uint64_t seed)
{
    const struct ct_device_truth *truth = session->device_truth;

    if (!truth || !*hash->text || strcmp(truth->hash.text, hash->text) != 0 ||
        truth->seed != seed || truth->count < plan->buffer_count)
        return false;
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (ct_truth_by_reference(&plan->buffers[i]) && !truth->buffers[i].bytes)
            return false;
    return true;
}

/* A copy of an array for host code. */
static enum ct_status copy_array(const void *from, size_t size_bytes, void **to,
                                 struct ct_err *err)
{
    *to = ct_data_alloc(size_bytes);
    if (!*to)
        return ct_err_nomem(err);
    memcpy(*to, from, size_bytes);
    return CT_OK;
}

static enum ct_status keep(struct ct_session *session, struct ct_dataset *own,
                           const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_device_truth *truth = calloc(1, sizeof(*truth));
    enum ct_status status = CT_OK;

    ct_truth_forget(session);
    session->device_truth = truth;
    if (!truth)
        return ct_err_nomem(err);
    truth->buffers = ct_mem_array(own->count, sizeof(*truth->buffers));
    if (!truth->buffers)
        return ct_err_nomem(err);
    truth->count = own->count;
    truth->seed = own->seed;
    for (size_t i = 0; !status && i < plan->buffer_count; i++) {
        const void *seen;

        if (!ct_truth_by_reference(&plan->buffers[i]))
            continue;
        status = ct_dataset_read(own, plan->reference_plan, i, &seen, err);
        truth->buffers[i].size_bytes = own->buffers[i].size_bytes;
        if (!status)
            status = copy_array(seen, own->buffers[i].size_bytes,
                                &truth->buffers[i].bytes, err);
    }
    /* Only what is whole has a name. */
    if (!status)
        truth->hash = ct_plan_hash(plan->reference_plan);
    return status;
}

/* Runs a built reference on its own data, once. */
static enum ct_step run(struct ct_pipeline *pipeline, const struct ct_plan *plan,
                        uint64_t seed, struct ct_err *err)
{
    struct ct_session *session = pipeline->session;
    struct ct_dataset *own = NULL;
    struct ct_sample ignored;
    enum ct_step step =
        ct_dataset_new(session, plan->reference_plan, seed, &own, pipeline->outcome, err);
    enum ct_status status;

    if (step != CT_STEP_DONE)
        return step;
    pipeline->data = own;
    ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
    status = ct_dataset_restore(own, err);
    if (!status)
        status = ct_pipeline_take(pipeline, 1, &ignored, err);
    if (!status)
        step =
            ct_dataset_guards(session, plan->reference_plan, own, pipeline->outcome, err);
    if (!status && step == CT_STEP_DONE)
        status = keep(session, own, plan, err);
    if (status)
        step =
            ct_session_device_failed(session, pipeline->outcome, CT_RESULT_INVALID, err);
    pipeline->data = NULL;
    ct_dataset_free(own);
    return step;
}

/* Builds and runs the reference. */
static enum ct_status make(struct ct_session *session, const struct ct_plan *plan,
                           uint64_t seed, struct ct_err *err)
{
    struct ct_pipeline pipeline;
    struct ct_outcome outcome = {.message = "", .build_log = ""};
    enum ct_status status = CT_OK;
    enum ct_step step;

    ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
    step =
        ct_pipeline_build(&pipeline, session, plan->reference_plan, NULL, &outcome, err);
    if (step == CT_STEP_DONE)
        step = run(&pipeline, plan, seed, err);
    ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    /* There is nothing to judge configurations by: not their failure, but the file's. */
    if (step == CT_STEP_FAILED) {
        bool build = outcome.status == CT_RESULT_BUILD_FAILED;

        status = ct_err_set(err, CT_E_SPEC, "%s fails (%s): %s%s%.1000s", who,
                            ct_result_status_name(outcome.status), outcome.message,
                            build ? "\n" : "", build ? outcome.build_log : "");
    } else if (step == CT_STEP_ERROR) {
        ct_err_prefix(err, "%s", who);
        status = err->code;
    }
    ct_pipeline_release(&pipeline);
    ct_outcome_release(&outcome);
    return status;
}

enum ct_status ct_truth_from_device(struct ct_session *session,
                                    struct ct_dataset *dataset,
                                    const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_hash hash;
    enum ct_status status = CT_OK;

    if (!plan->reference_plan)
        return CT_OK;
    if (plan->reference_plan->buffer_count < plan->buffer_count)
        return ct_err_set(err, CT_E_SPEC, "%s has too few buffers", who);
    hash = ct_plan_hash(plan->reference_plan);
    if (!is_known(session, plan, &hash, dataset->seed))
        status = make(session, plan, dataset->seed, err);
    for (size_t i = 0; !status && i < plan->buffer_count; i++) {
        struct kept *kept = &session->device_truth->buffers[i];

        dataset->buffers[i].truth.size_bytes = kept->size_bytes;
        if (ct_truth_by_reference(&plan->buffers[i]))
            status = copy_array(kept->bytes, kept->size_bytes,
                                &dataset->buffers[i].truth.bytes, err);
    }
    return status;
}
