// SPDX-License-Identifier: Apache-2.0
// Expected outputs from C references and fills; comparisons.
#include "worker/reference/expected.h"

#include "worker/data/data.h"
#include "worker/data/fill.h"
#include "worker/reference/reduce.h"
#include "worker/host/host.h"
#include "worker/host/hostrun.h"
#include "worker/reference/checker.h"
#include "worker/reference/device_check.h"
#include "worker/reference/verify.h"
#include "worker/reference/unwritten.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ct_expected_release(struct ct_expected *expected)
{
    if (!expected->shared)
        ct_data_free(expected->bytes);
    free(expected->unwritten);
    free(expected->reduced);
    ct_host_free(expected->checker);
    ct_buffer_free(expected->device);
    memset(expected, 0, sizeof(*expected));
}

/* --- from fills --- */

enum ct_status ct_expected_expect(struct ct_session *session, struct ct_dataset *dataset,
                                  const struct ct_plan *plan, size_t index,
                                  void **contents, struct ct_err *err)
{
    struct ct_dataset_buffer *buffer = &dataset->buffers[index];
    enum ct_status status;

    buffer->expected.size_bytes = buffer->size_bytes;
    buffer->expected.bytes = ct_data_alloc(buffer->size_bytes);
    if (!buffer->expected.bytes)
        return ct_err_nomem(err);
    status = ct_fill_make(session, plan, index, &plan->buffers[index].expect, contents,
                          dataset->seed, buffer->expected.bytes, err);
    if (status)
        ct_err_prefix(err, "expect");
    return status;
}

/* --- from references in C --- */

bool ct_expected_by_reference(const struct ct_plan_buffer *buffer)
{
    return buffer->check != CT_CHECK_NONE && !buffer->has_expect;
}

static enum ct_status run_host(const struct ct_session *session,
                               struct ct_dataset *dataset, const struct ct_plan *plan,
                               const struct ct_host_code *code, struct ct_err *err)
{
    struct ct_hostrun run;
    enum ct_status status = ct_hostrun_reference(&run, session, dataset, plan, err);
    size_t damaged;

    if (status)
        goto out;
    ct_host_call_guarded(code, run.args);
    damaged = ct_hostrun_damaged(&run);
    if (damaged < run.count) {
        status = ct_err_set(err, CT_E_SPEC, "the reference %s writes outside buffer %s",
                            plan->reference.function, plan->buffers[damaged].name);
        goto out;
    }
    for (size_t i = 0; i < run.count; i++) {
        if (!ct_expected_by_reference(&plan->buffers[i]))
            continue;
        dataset->buffers[i].expected.bytes = run.arrays[i];
        dataset->buffers[i].expected.size_bytes = dataset->buffers[i].size_bytes;
        run.arrays[i] = NULL;
    }
out:
    ct_hostrun_release(&run);
    return status;
}

/* Whether the reference may have left this buffer, or a part of it, unwritten. */
static bool maybe_unwritten(const struct ct_dataset *dataset, const struct ct_plan *plan,
                            size_t index)
{
    const struct ct_dataset_buffer *buffer = &dataset->buffers[index];

    return !buffer->initial && ct_expected_by_reference(&plan->buffers[index]) &&
           ct_unwritten_unsure(&plan->buffers[index], buffer->expected.bytes);
}

/* Runs the reference once more, on zeros for buffers without a fill. */
static enum ct_status run_again(const struct ct_session *session,
                                struct ct_dataset *dataset, const struct ct_plan *plan,
                                const struct ct_host_code *code, struct ct_err *err)
{
    struct ct_hostrun run;
    enum ct_status status = ct_hostrun_reference(&run, session, dataset, plan, err);

    if (!status) {
        for (size_t i = 0; i < run.count; i++)
            if (!dataset->buffers[i].initial && run.arrays[i])
                memset(run.arrays[i], 0, run.size_bytes[i]);
        ct_host_call_guarded(code, run.args);
    }
    for (size_t i = 0; !status && i < run.count; i++) {
        struct ct_expected *expected = &dataset->buffers[i].expected;

        if (!maybe_unwritten(dataset, plan, i))
            continue;
        status = ct_unwritten_mark(&plan->buffers[i], expected->bytes, run.arrays[i],
                                   &expected->unwritten, err);
        if (expected->unwritten)
            expected->unwritten_count =
                expected->size_bytes / ct_scalar_size(plan->buffers[i].type.scalar);
    }
    ct_hostrun_release(&run);
    return status;
}

enum ct_status ct_expected_from_host(struct ct_session *session,
                                     struct ct_dataset *dataset,
                                     const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_host_code *code;
    char who[600];
    bool again = false;
    enum ct_status status;

    if (!plan->reference.function)
        return CT_OK;
    status = ct_host_load(session->host_codes, plan, CT_HOST_REFERENCE, &code, err);
    if (status)
        return status;
    snprintf(who, sizeof(who), "the reference %s in %s", plan->reference.function,
             plan->reference.c_path);
    ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
    status = run_host(session, dataset, plan, code, err);
    for (size_t i = 0; !status && i < dataset->count; i++)
        again = again || maybe_unwritten(dataset, plan, i);
    if (!status && again) {
        ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
        status = run_again(session, dataset, plan, code, err);
    }
    ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    ct_host_free(code);
    return status;
}

/* --- comparing --- */

const struct ct_plan_buffer *ct_expected_buffer(const struct ct_plan *plan, size_t index)
{
    return plan->reference_plan && !plan->buffers[index].has_expect
               ? &plan->reference_plan->buffers[index]
               : &plan->buffers[index];
}

static enum ct_status right_reduced(struct ct_expected *expected,
                                    const struct ct_plan *plan, size_t index,
                                    const void *actual, bool *right,
                                    struct ct_mismatch *mismatch, struct ct_err *err)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[index];
    struct ct_plan_buffer counterpart = *ct_expected_buffer(plan, index);
    struct ct_layout layout = ct_layout_host(buffer);
    struct ct_reduced *reduced = ct_mem_array(layout.components, sizeof(*reduced));

    if (reduced && (!expected->reduced || expected->reduce != buffer->reduce ||
                    expected->reduce_compare != counterpart.compare)) {
        struct ct_layout theirs = ct_layout_host(&counterpart);

        if (theirs.components != layout.components) {
            free(reduced);
            return ct_err_set(err, CT_E_SPEC,
                              "buffer %s has %zu components, but its reference has %zu",
                              buffer->name, layout.components, theirs.components);
        }
        if (!expected->reduced)
            expected->reduced =
                ct_mem_array(layout.components, sizeof(*expected->reduced));
        if (expected->reduced) {
            counterpart.reduce = buffer->reduce;
            ct_reduce_outputs(&counterpart, &theirs, expected->bytes, expected->reduced);
            expected->reduce = buffer->reduce;
            expected->reduce_compare = counterpart.compare;
        }
    }
    if (!reduced || !expected->reduced) {
        free(reduced);
        return ct_err_nomem(err);
    }
    ct_reduce_outputs(buffer, &layout, actual, reduced);
    *right =
        ct_reduce_right(buffer, reduced, expected->reduced, layout.components, mismatch);
    free(reduced);
    return CT_OK;
}

/* Whether a scalar still has its value from before the run. */
static bool held(const struct ct_dataset_buffer *buffer, enum ct_scalar scalar,
                 uint64_t index, const void *actual)
{
    size_t size = ct_scalar_size(scalar);
    size_t at = (size_t)index * size;
    const unsigned char *now = (const unsigned char *)actual + at;

    if (buffer->initial)
        return !memcmp(now, (const unsigned char *)buffer->initial + at, size);
    for (size_t i = 0; i < size; i++)
        if (now[i] != 0xFF)
            return false;
    return true;
}

/* The buffer as it is compared element by element; its rms is computed if that is needed. */
static struct ct_plan_buffer as_compared(struct ct_expected *expected,
                                         const struct ct_plan *plan, size_t index)
{
    struct ct_plan_buffer buffer = plan->buffers[index];
    const struct ct_plan_buffer *counterpart = ct_expected_buffer(plan, index);

    if (counterpart->compare < buffer.compare)
        buffer.compare = counterpart->compare;
    if (buffer.check == CT_CHECK_RELATIVE &&
        (!expected->has_rms || expected->rms_compare != buffer.compare)) {
        expected->rms = ct_verify_rms(&buffer, expected->bytes);
        expected->rms_compare = buffer.compare;
        expected->has_rms = true;
    }
    return buffer;
}

enum ct_status ct_expected_right(struct ct_session *session, struct ct_dataset *dataset,
                                 const struct ct_plan *plan, size_t index,
                                 const void *actual, bool *right,
                                 struct ct_mismatch *mismatch, struct ct_err *err)
{
    struct ct_expected *expected = &dataset->buffers[index].expected;
    struct ct_plan_buffer buffer;

    *right = true;
    mismatch->buffer = (uint32_t)index;
    if (!expected->bytes)
        return CT_OK;
    if (plan->buffers[index].reduce != CT_REDUCE_NONE)
        return right_reduced(expected, plan, index, actual, right, mismatch, err);
    buffer = as_compared(expected, plan, index);
    if (buffer.check == CT_CHECK_C)
        return ct_checker_right(session, expected, &buffer, actual, right, mismatch, err);
    if (!expected->has_vacuous) {
        expected->vacuous = ct_verify_vacuous(&buffer, expected->bytes, expected->rms);
        expected->has_vacuous = true;
    }
    *right = ct_verify_buffer(&buffer, actual, expected->bytes, expected->rms, mismatch);
    mismatch->unwritten =
        !*right && buffer.fill.kind == CT_FILL_NONE &&
        held(&dataset->buffers[index], buffer.type.scalar, mismatch->element, actual);
    return CT_OK;
}

void ct_expected_prepare(struct ct_session *session, struct ct_dataset *dataset,
                         const struct ct_plan *plan)
{
    /* Errors are the host's to find. */
    for (size_t i = 0; i < dataset->count && !plan->error; i++) {
        struct ct_dataset_buffer *buffer = &dataset->buffers[i];
        struct ct_plan_buffer compared;

        if (!buffer->expected.bytes)
            continue;
        compared = as_compared(&buffer->expected, plan, i);
        ct_device_check_prepare(session, buffer, &compared, buffer->expected.rms);
    }
}

bool ct_expected_surely_right(struct ct_session *session, struct ct_dataset *dataset,
                              const struct ct_plan *plan, size_t index, bool again)
{
    struct ct_dataset_buffer *buffer = &dataset->buffers[index];
    struct ct_plan_buffer compared;

    /* The host finds out whether comparing proves anything. */
    if (!buffer->expected.bytes || plan->error ||
        !(again || buffer->expected.has_vacuous))
        return false;
    compared = as_compared(&buffer->expected, plan, index);
    return ct_device_check_right(session, buffer, &compared, buffer->expected.rms);
}

/* The reduced values are doubles, one for each component. */
static enum ct_status error_reduced(const struct ct_expected *expected,
                                    const struct ct_plan_buffer *buffer,
                                    const void *actual, struct ct_verify_error *out,
                                    struct ct_err *err)
{
    struct ct_layout layout = ct_layout_host(buffer);
    struct ct_plan_buffer values = {.type = {CT_T_DOUBLE, 1},
                                    .compare = layout.components};
    struct ct_reduced *reduced = ct_mem_array(layout.components, sizeof(*reduced));
    double *pairs = ct_mem_array(2 * layout.components, sizeof(*pairs));
    bool allocated = reduced && pairs;

    if (allocated) {
        double *truth = pairs + layout.components;

        ct_reduce_outputs(buffer, &layout, actual, reduced);
        for (size_t i = 0; i < layout.components; i++) {
            pairs[i] = reduced[i].value;
            truth[i] = expected->reduced[i].value;
        }
        *out = ct_verify_error_of(&values, pairs, truth, ct_verify_rms(&values, truth));
    }
    free(pairs);
    free(reduced);
    return allocated ? CT_OK : ct_err_nomem(err);
}

enum ct_status ct_expected_error(struct ct_dataset *dataset, const struct ct_plan *plan,
                                 size_t index, const void *actual,
                                 struct ct_verify_error *out, struct ct_err *err)
{
    struct ct_expected *expected = &dataset->buffers[index].expected;
    struct ct_plan_buffer buffer = plan->buffers[index];
    const struct ct_plan_buffer *counterpart = ct_expected_buffer(plan, index);

    if (buffer.reduce != CT_REDUCE_NONE)
        return error_reduced(expected, &plan->buffers[index], actual, out, err);
    if (counterpart->compare < buffer.compare)
        buffer.compare = counterpart->compare;
    *out = ct_verify_error_of(&buffer, actual, expected->bytes,
                              ct_verify_rms(&buffer, expected->bytes));
    return CT_OK;
}

size_t ct_expected_differences(struct ct_dataset *dataset, const struct ct_plan *plan,
                               size_t index, const void *actual, struct ct_mismatch *out,
                               size_t most)
{
    struct ct_expected *expected = &dataset->buffers[index].expected;
    struct ct_plan_buffer buffer;
    size_t count;

    if (!expected->bytes || plan->buffers[index].reduce != CT_REDUCE_NONE ||
        plan->buffers[index].check == CT_CHECK_C)
        return 0;
    buffer = as_compared(expected, plan, index);
    memset(out, 0, most * sizeof(*out));
    count =
        ct_verify_differences(&buffer, actual, expected->bytes, expected->rms, out, most);
    for (size_t i = 0; i < count; i++) {
        out[i].buffer = (uint32_t)index;
        /* A single byte may match by chance. */
        out[i].unwritten =
            buffer.fill.kind == CT_FILL_NONE && ct_scalar_size(buffer.type.scalar) > 1 &&
            held(&dataset->buffers[index], buffer.type.scalar, out[i].element, actual);
    }
    return count;
}

const char *ct_expected_doubt(const struct ct_dataset *dataset,
                              const struct ct_plan *plan, size_t index,
                              struct ct_outcome *outcome)
{
    const struct ct_expected *expected = &dataset->buffers[index].expected;
    const char *name = plan->buffers[index].name;

    if (!expected->has_vacuous || expected->vacuous == CT_VACUOUS_NOT)
        return NULL;
    if (expected->vacuous == CT_VACUOUS_NAN)
        return ct_arena_format(
            &outcome->arena,
            "the check of buffer %s is meaningless: the reference is NaN "
            "everywhere; examine its inputs and arguments",
            name);
    return ct_arena_format(
        &outcome->arena,
        "the check of buffer %s is meaningless: its tolerance is so wide that "
        "an output of all zeros passes; make it smaller (a relative tolerance "
        "is usually 1e-3 or less)",
        name);
}

enum ct_step ct_expected_wrong(const struct ct_session *session,
                               const struct ct_plan *plan,
                               const struct ct_mismatch *mismatch,
                               struct ct_outcome *outcome)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[mismatch->buffer];
    unsigned width = buffer->type.width == 3 ? 4 : buffer->type.width;
    char lane[32] = "";
    char was[2 * CT_MISMATCH_TEXT + 64];

    outcome->mismatch = *mismatch;
    if (buffer->reduce != CT_REDUCE_NONE) {
        if (width > 1)
            snprintf(lane, sizeof(lane), ".s%x", (unsigned)mismatch->element);
        else if (buffer->planes > 1)
            snprintf(lane, sizeof(lane), ", component %u,", (unsigned)mismatch->element);
        return ct_session_fail(session, outcome, CT_RESULT_WRONG,
                               "the %s of %s%s is %s instead of %s",
                               ct_reduce_name(buffer->reduce), buffer->name, lane,
                               mismatch->seen_text, mismatch->expected_text);
    }
    if (width > 1)
        snprintf(lane, sizeof(lane), ".s%x", (unsigned)(mismatch->element % width));
    snprintf(was, sizeof(was), "is %s instead of %s", mismatch->seen_text,
             mismatch->expected_text);
    /* A single byte may match by chance. */
    if (mismatch->unwritten && ct_scalar_size(buffer->type.scalar) == 1)
        snprintf(was, sizeof(was), "is %s instead of %s, and perhaps was never written",
                 mismatch->seen_text, mismatch->expected_text);
    else if (mismatch->unwritten)
        snprintf(was, sizeof(was), "was never written and should be %s",
                 mismatch->expected_text);
    return ct_session_fail(session, outcome, CT_RESULT_WRONG,
                           "%s[%" PRIu64 "]%s %s (%" PRIu64 " of %" PRIu64
                           " values are wrong)",
                           buffer->name, mismatch->element / width, lane, was,
                           mismatch->wrong_count, buffer->compare * buffer->type.width);
}
