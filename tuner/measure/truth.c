// SPDX-License-Identifier: Apache-2.0
// References in C and by rule; comparisons.
#include "measure/truth.h"

#include "measure/apart.h"
#include "measure/data.h"
#include "measure/fill.h"
#include "measure/fold.h"
#include "measure/host.h"
#include "measure/hostrun.h"
#include "measure/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ct_truth_release(struct ct_truth *truth)
{
    ct_data_free(truth->bytes);
    free(truth->folded);
    memset(truth, 0, sizeof(*truth));
}

/* --- by rule --- */

enum ct_status ct_truth_expect(struct ct_session *session, struct ct_dataset *dataset,
                               const struct ct_plan *plan, size_t index, void **contents,
                               struct ct_err *err)
{
    struct ct_dataset_buffer *buffer = &dataset->buffers[index];
    enum ct_status status;

    buffer->truth.size_bytes = buffer->size_bytes;
    buffer->truth.bytes = ct_data_alloc(buffer->size_bytes);
    if (!buffer->truth.bytes)
        return ct_err_nomem(err);
    status = ct_fill_make(session, plan, index, &plan->buffers[index].expect, contents,
                          dataset->seed, buffer->truth.bytes, err);
    if (status)
        ct_err_prefix(err, "expect");
    return status;
}

/* --- in C --- */

bool ct_truth_by_reference(const struct ct_plan_buffer *buffer)
{
    return buffer->check != CT_CHECK_NONE && !buffer->has_expect;
}

static enum ct_status run_host(struct ct_dataset *dataset, const struct ct_plan *plan,
                               const struct ct_host_code *code, struct ct_err *err)
{
    struct ct_hostrun run;
    enum ct_status status = ct_hostrun_init(&run, dataset, &plan->reference, err);
    size_t damaged;

    if (status)
        goto out;
    ct_host_call(code, run.args);
    damaged = ct_hostrun_damaged(&run);
    if (damaged < run.count) {
        status = ct_err_set(err, CT_E_SPEC, "the reference %s writes outside buffer %s",
                            plan->reference.function, plan->buffers[damaged].name);
        goto out;
    }
    for (size_t i = 0; i < run.count; i++) {
        if (!ct_truth_by_reference(&plan->buffers[i]))
            continue;
        dataset->buffers[i].truth.bytes = run.arrays[i];
        dataset->buffers[i].truth.size_bytes = dataset->buffers[i].size_bytes;
        run.arrays[i] = NULL;
    }
out:
    ct_hostrun_release(&run);
    return status;
}

/* Runs the reference once more, on zeros where there is no fill. */
static enum ct_status run_again(struct ct_dataset *dataset, const struct ct_plan *plan,
                                const struct ct_host_code *code, struct ct_err *err)
{
    struct ct_hostrun run;
    enum ct_status status = ct_hostrun_init(&run, dataset, &plan->reference, err);

    if (!status) {
        for (size_t i = 0; i < run.count; i++)
            if (!dataset->buffers[i].initial)
                memset(run.arrays[i], 0, run.size_bytes[i]);
        ct_host_call(code, run.args);
        status = ct_apart_set(dataset, plan, &run, NULL, err);
    }
    ct_hostrun_release(&run);
    return status;
}

enum ct_status ct_truth_from_host(struct ct_session *session, struct ct_dataset *dataset,
                                  const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_host_code *code;
    char who[600];
    bool again = false;
    enum ct_status status;

    if (!plan->reference.function)
        return CT_OK;
    status = ct_host_load(plan, CT_HOST_REFERENCE, &code, err);
    if (status)
        return status;
    snprintf(who, sizeof(who), "the reference %s in %s", plan->reference.function,
             plan->reference.c_path);
    ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
    status = run_host(dataset, plan, code, err);
    if (!status)
        status = ct_apart_set(dataset, plan, NULL, &again, err);
    if (!status && again) {
        ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
        status = run_again(dataset, plan, code, err);
    }
    ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    ct_host_free(code);
    return status;
}

/* --- comparing --- */

/* The buffer as the truth has it. */
static const struct ct_plan_buffer *truth_buffer(const struct ct_plan *plan, size_t index)
{
    return plan->reference_plan && !plan->buffers[index].has_expect
               ? &plan->reference_plan->buffers[index]
               : &plan->buffers[index];
}

static enum ct_status right_folded(struct ct_truth *truth, const struct ct_plan *plan,
                                   size_t index, const void *seen, bool *right,
                                   struct ct_mismatch *mismatch, struct ct_err *err)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[index];
    struct ct_plan_buffer expected = *truth_buffer(plan, index);
    struct ct_layout layout = ct_data_host_layout(buffer);
    double *folded = ct_mem_array(layout.components, sizeof(*folded));

    if (folded && (!truth->folded || truth->fold != buffer->fold ||
                   truth->fold_compare != expected.compare)) {
        struct ct_layout theirs = ct_data_host_layout(&expected);

        if (theirs.components != layout.components) {
            free(folded);
            return ct_err_set(err, CT_E_SPEC,
                              "buffer %s has %zu components, its reference %zu",
                              buffer->name, layout.components, theirs.components);
        }
        if (!truth->folded)
            truth->folded = ct_mem_array(layout.components, sizeof(*truth->folded));
        if (truth->folded) {
            expected.fold = buffer->fold;
            ct_fold(&expected, &theirs, truth->bytes, truth->folded);
            truth->fold = buffer->fold;
            truth->fold_compare = expected.compare;
        }
    }
    if (!folded || !truth->folded) {
        free(folded);
        return ct_err_nomem(err);
    }
    ct_fold(buffer, &layout, seen, folded);
    *right = ct_fold_right(buffer, folded, truth->folded, layout.components, mismatch);
    free(folded);
    return CT_OK;
}

enum ct_status ct_truth_right(struct ct_dataset *dataset, const struct ct_plan *plan,
                              size_t index, const void *seen, bool *right,
                              struct ct_mismatch *mismatch, struct ct_err *err)
{
    struct ct_truth *truth = &dataset->buffers[index].truth;
    struct ct_plan_buffer buffer = plan->buffers[index];
    const struct ct_plan_buffer *expected = truth_buffer(plan, index);

    *right = true;
    mismatch->buffer = (uint32_t)index;
    if (!truth->bytes)
        return CT_OK;
    if (buffer.fold != CT_FOLD_NONE)
        return right_folded(truth, plan, index, seen, right, mismatch, err);
    if (expected->compare < buffer.compare)
        buffer.compare = expected->compare;
    if (!truth->has_rms || truth->rms_compare != buffer.compare) {
        truth->rms = ct_verify_rms(&buffer, truth->bytes);
        truth->rms_compare = buffer.compare;
        truth->has_rms = true;
    }
    *right = ct_verify_buffer(&buffer, seen, truth->bytes, truth->rms, mismatch);
    return CT_OK;
}

enum ct_step ct_truth_wrong(const struct ct_session *session, const struct ct_plan *plan,
                            const struct ct_mismatch *mismatch,
                            struct ct_outcome *outcome)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[mismatch->buffer];
    unsigned width = buffer->type.width == 3 ? 4 : buffer->type.width;
    char lane[32] = "";

    outcome->mismatch = *mismatch;
    if (buffer->fold != CT_FOLD_NONE) {
        if (width > 1)
            snprintf(lane, sizeof(lane), ".s%x", (unsigned)mismatch->element);
        else if (buffer->planes > 1)
            snprintf(lane, sizeof(lane), ", component %u,", (unsigned)mismatch->element);
        return ct_session_fail(session, outcome, CT_RESULT_WRONG,
                               "the %s of %s%s is %.9g instead of %.9g",
                               ct_fold_name(buffer->fold), buffer->name, lane,
                               mismatch->seen, mismatch->expected);
    }
    if (width > 1)
        snprintf(lane, sizeof(lane), ".s%x", (unsigned)(mismatch->element % width));
    return ct_session_fail(session, outcome, CT_RESULT_WRONG,
                           "%s[%" PRIu64 "]%s is %.9g instead of %.9g (%" PRIu64
                           " of %" PRIu64 " values are wrong)",
                           buffer->name, mismatch->element / width, lane, mismatch->seen,
                           mismatch->expected, mismatch->wrong_count,
                           buffer->compare * buffer->type.width);
}
