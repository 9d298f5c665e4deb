// SPDX-License-Identifier: Apache-2.0
// References that run on the device.
#include "worker/data/data.h"
#include "worker/build/pipeline.h"
#include "worker/parallel.h"
#include "worker/reference/expected.h"
#include "worker/reference/unwritten.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "the reference on the device";

/* The outputs of a reference. */
struct ct_device_expected {
    struct ct_hash hash; /* of the reference's plan */
    uint64_t seed;
    size_t count;
    struct kept {
        void *bytes; /* in the host layout; NULL: was not needed */
        size_t size_bytes;
        unsigned char *unwritten; /* as in struct ct_expected */
        size_t scalars;           /* of `unwritten` */
    } * buffers;
};

void ct_expected_forget(struct ct_session *session)
{
    struct ct_device_expected *expected = session->device_expected;

    if (!expected)
        return;
    for (size_t i = 0; expected->buffers && i < expected->count; i++) {
        ct_data_free(expected->buffers[i].bytes);
        free(expected->buffers[i].unwritten);
    }
    free(expected->buffers);
    free(expected);
    session->device_expected = NULL;
}

/* Whether the session has kept what this plan needs. */
static bool is_known(const struct ct_session *session, const struct ct_plan *plan,
                     const struct ct_hash *hash, uint64_t seed)
{
    const struct ct_device_expected *expected = session->device_expected;

    if (!expected || !*hash->text || strcmp(expected->hash.text, hash->text) != 0 ||
        expected->seed != seed || expected->count < plan->buffer_count)
        return false;
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (ct_expected_by_reference(&plan->buffers[i]) && !expected->buffers[i].bytes)
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
    ct_parallel_copy(*to, from, size_bytes);
    return CT_OK;
}

static enum ct_status keep_expected(struct ct_session *session, struct ct_dataset *own,
                                    const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_device_expected *expected = calloc(1, sizeof(*expected));
    enum ct_status status = CT_OK;

    ct_expected_forget(session);
    session->device_expected = expected;
    if (!expected)
        return ct_err_nomem(err);
    expected->buffers = ct_mem_array(own->count, sizeof(*expected->buffers));
    if (!expected->buffers)
        return ct_err_nomem(err);
    expected->count = own->count;
    expected->seed = own->seed;
    for (size_t i = 0; !status && i < plan->buffer_count; i++) {
        const void *actual;

        if (!ct_expected_by_reference(&plan->buffers[i]))
            continue;
        status = ct_dataset_read(own, plan->reference_plan, i, &actual, err);
        expected->buffers[i].size_bytes = own->buffers[i].size_bytes;
        if (!status)
            status = copy_array(actual, own->buffers[i].size_bytes,
                                &expected->buffers[i].bytes, err);
    }
    return status;
}

/* Whether the reference may have left this buffer, or a part of it, unwritten. */
static bool may_lack_writes(const struct ct_pipeline *pipeline,
                            const struct ct_plan *plan, size_t index)
{
    const struct kept *kept = &pipeline->session->device_expected->buffers[index];

    return kept->bytes && !pipeline->data->buffers[index].initial &&
           ct_unwritten_unsure(&plan->reference_plan->buffers[index], kept->bytes);
}

/* Restores all buffers, but fills those without a fill with zeros. */
static enum ct_status restore_zeros(struct ct_dataset *own, struct ct_err *err)
{
    enum ct_status status;

    for (size_t i = 0; i < own->count; i++)
        ct_buffer_set_clean(own->buffers[i].device, false);
    status = ct_dataset_restore(own, err);
    for (size_t i = 0; !status && i < own->count; i++) {
        if (own->buffers[i].initial)
            continue;
        memset(own->scratch, 0, own->buffers[i].device_bytes);
        ct_buffer_set_clean(own->buffers[i].device, false);
        status = ct_buffer_write(own->buffers[i].device, own->scratch, err);
    }
    return status;
}

/* Marks what the reference leaves unwritten, by a second run on zeros if the first one is not
 * conclusive. */
static enum ct_status mark(struct ct_pipeline *pipeline, const struct ct_plan *plan,
                           struct ct_err *err)
{
    struct ct_device_expected *expected = pipeline->session->device_expected;
    enum ct_status status;
    bool again = false;

    for (size_t i = 0; i < plan->buffer_count; i++)
        again = again || may_lack_writes(pipeline, plan, i);
    if (!again)
        return CT_OK;
    status = restore_zeros(pipeline->data, err);
    if (!status)
        status = ct_pipeline_first(pipeline, NULL, err);
    for (size_t i = 0; !status && i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *buffer = &plan->reference_plan->buffers[i];
        struct kept *kept = &expected->buffers[i];
        const void *actual;

        if (!may_lack_writes(pipeline, plan, i))
            continue;
        status = ct_dataset_read(pipeline->data, plan->reference_plan, i, &actual, err);
        if (!status)
            status =
                ct_unwritten_mark(buffer, kept->bytes, actual, &kept->unwritten, err);
        kept->scalars = kept->size_bytes / ct_scalar_size(buffer->type.scalar);
    }
    return status;
}

/* Runs a built reference on its own data, once. */
static enum ct_step run_reference(struct ct_pipeline *pipeline,
                                  const struct ct_plan *plan, uint64_t seed,
                                  struct ct_err *err)
{
    struct ct_session *session = pipeline->session;
    struct ct_dataset *own = NULL;
    bool host_only = session->host_only;
    enum ct_status status;
    enum ct_step step;

    /* Even if what it computes is for host code. */
    session->host_only = false;
    step =
        ct_dataset_new(session, plan->reference_plan, seed, &own, pipeline->outcome, err);
    session->host_only = host_only;
    if (step != CT_STEP_DONE)
        return step;
    pipeline->data = own;
    ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
    status = ct_dataset_restore(own, err);
    if (!status) {
        ct_pipeline_touch(pipeline);
        status = ct_pipeline_first(pipeline, NULL, err);
    }
    if (!status)
        step =
            ct_dataset_guards(session, plan->reference_plan, own, pipeline->outcome, err);
    if (!status && step == CT_STEP_DONE)
        status = keep_expected(session, own, plan, err);
    if (!status && step == CT_STEP_DONE)
        status = mark(pipeline, plan, err);
    /* Only complete results are identified. */
    if (!status && step == CT_STEP_DONE)
        session->device_expected->hash = ct_plan_hash(plan->reference_plan);
    if (status)
        step =
            ct_session_device_failed(session, pipeline->outcome, CT_RESULT_INVALID, err);
    pipeline->data = NULL;
    ct_dataset_free(own);
    return step;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the text contains the name as a whole word. */
static bool mentions(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; length && (at = strstr(at, name)); at++)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

/* Advice if the compiler misses a macro that configurations have. */
static const char *hint(const struct ct_plan *plan, const char *log)
{
    for (size_t p = 0; p < plan->program_count; p++)
        for (size_t m = 0; m < plan->programs[p].macro_count; m++)
            if (mentions(log, plan->programs[p].macros[m].name))
                return " (a reference kernel does not see the parameters: define what it "
                       "needs in 'define')";
    return "";
}

/* Builds and runs the reference. */
static enum ct_status make_expected(struct ct_session *session,
                                    const struct ct_plan *plan, uint64_t seed,
                                    struct ct_err *err)
{
    struct ct_pipeline pipeline;
    struct ct_outcome outcome = {.message = "", .build_log = ""};
    enum ct_status status = CT_OK;
    enum ct_step step;

    ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
    step =
        ct_pipeline_build(&pipeline, session, plan->reference_plan, NULL, &outcome, err);
    if (step == CT_STEP_DONE)
        step = run_reference(&pipeline, plan, seed, err);
    ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    /* Configurations cannot be judged: an error of the space file, not their failure. */
    if (step == CT_STEP_FAILED) {
        bool build = outcome.status == CT_RESULT_BUILD_FAILED;

        status = ct_err_set(err, CT_E_SPEC, "%s fails (%s): %s%s%s%.1000s", who,
                            ct_result_status_name(outcome.status), outcome.message,
                            build ? hint(plan, outcome.build_log) : "", build ? "\n" : "",
                            build ? outcome.build_log : "");
    } else if (step == CT_STEP_ERROR) {
        ct_err_prefix(err, "%s", who);
        status = err->code;
    }
    ct_pipeline_release(&pipeline);
    ct_outcome_release(&outcome);
    return status;
}

enum ct_status ct_expected_from_device(struct ct_session *session,
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
        status = make_expected(session, plan, dataset->seed, err);
    for (size_t i = 0; !status && i < plan->buffer_count; i++) {
        struct kept *kept = &session->device_expected->buffers[i];

        struct ct_expected *expected = &dataset->buffers[i].expected;

        expected->size_bytes = kept->size_bytes;
        if (!ct_expected_by_reference(&plan->buffers[i]))
            continue;
        status = copy_array(kept->bytes, kept->size_bytes, &expected->bytes, err);
        if (status || !kept->unwritten)
            continue;
        expected->unwritten = ct_mem_array(kept->scalars, 1);
        if (!expected->unwritten)
            return ct_err_nomem(err);
        memcpy(expected->unwritten, kept->unwritten, kept->scalars);
        expected->unwritten_count = kept->scalars;
    }
    return status;
}
