// SPDX-License-Identifier: Apache-2.0
// Making, restoring and comparing data sets.
#include "measure/dataset.h"

#include "measure/data.h"
#include "measure/host.h"
#include "measure/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ct_dataset_free(struct ct_dataset *dataset)
{
    if (!dataset)
        return;
    for (size_t i = 0; i < dataset->count; i++) {
        ct_data_free(dataset->buffers[i].initial);
        ct_data_free(dataset->buffers[i].expected);
        ct_buffer_free(dataset->buffers[i].device);
    }
    free(dataset->buffers);
    ct_data_free(dataset->scratch);
    free(dataset);
}

static enum ct_status fill(struct ct_dataset *dataset, const struct ct_plan *plan,
                           struct ct_err *err)
{
    size_t largest = 1;

    for (size_t i = 0; i < plan->buffer_count; i++) {
        struct ct_dataset_buffer *buffer = &dataset->buffers[i];

        if (buffer->size_bytes > largest)
            largest = buffer->size_bytes;
        if (plan->buffers[i].fill.kind == CT_FILL_NONE)
            continue;
        buffer->initial = ct_data_alloc(buffer->size_bytes);
        if (!buffer->initial)
            return ct_err_nomem(err);
        ct_data_fill(&plan->buffers[i], dataset->seed, buffer->initial);
    }
    dataset->scratch = ct_data_alloc(largest);
    return dataset->scratch ? CT_OK : ct_err_nomem(err);
}

/* Every byte of this scalar set: perhaps never written. */
static bool all_set(const void *array, size_t unit, size_t index)
{
    const unsigned char *bytes = (const unsigned char *)array + index * unit;

    for (size_t i = 0; i < unit; i++)
        if (bytes[i] != 0xFF)
            return false;
    return true;
}

/* Scalars of a buffer that are compared, in memory; lanes of padding among them. */
static size_t compared(const struct ct_plan_buffer *buffer)
{
    return (size_t)buffer->compare *
           (ct_type_size(buffer->type) / ct_scalar_size(buffer->type.scalar));
}

static bool padding(const struct ct_plan_buffer *buffer, size_t index)
{
    return buffer->type.width == 3 && index % 4 == 3;
}

static bool real(const struct ct_plan_buffer *buffer)
{
    return buffer->type.scalar == CT_T_HALF || buffer->type.scalar == CT_T_FLOAT ||
           buffer->type.scalar == CT_T_DOUBLE;
}

/* Whether all bits set could pass for the right value of this scalar. */
static bool could_pass(const struct ct_plan_buffer *buffer, const void *expected,
                       size_t index)
{
    return !padding(buffer, index) &&
           (!real(buffer) || isnan(ct_scalar_load(buffer->type.scalar, expected, index)));
}

/* Gives a buffer without fill contents that no right result can be mistaken for, where
 * all bits set is not that already: for reals, a number where NaN is expected; for
 * integers, the expected value with every byte changed and half the type's range away,
 * which is beyond any tolerance.  Scalars that the reference does not write stay as they
 * are: kernels need not write them either.  `again` is what the reference made of a
 * buffer of zeros; NULL when it was not asked. */
static enum ct_status set_apart(struct ct_dataset_buffer *data,
                                const struct ct_plan_buffer *buffer,
                                const unsigned char *again, struct ct_err *err)
{
    size_t unit = ct_scalar_size(buffer->type.scalar);
    size_t count = compared(buffer);
    /* The byte with the sign. */
    const uint16_t one = 1;
    size_t top = *(const unsigned char *)&one ? unit - 1 : 0;
    unsigned char *bytes = ct_data_alloc(data->size_bytes);

    if (!bytes)
        return ct_err_nomem(err);
    memset(bytes, 0xFF, data->size_bytes);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *right = (const unsigned char *)data->expected + i * unit;

        if (!could_pass(buffer, data->expected, i) ||
            (all_set(data->expected, unit, i) && again && !again[i * unit] &&
             !memcmp(again + i * unit, again + i * unit + 1, unit - 1)))
            continue;
        for (size_t k = 0; k < unit; k++)
            bytes[i * unit + k] = real(buffer) ? 0
                                  : k == top   ? right[k] ^ 0x80
                                               : (unsigned char)~right[k];
    }
    data->initial = bytes;
    return CT_OK;
}

/* What there is to do about a buffer's contents before a launch. */
enum apart {
    APART_NOTHING,
    APART_SET,   /* set_apart */
    APART_AGAIN, /* the same, when what the reference writes is known */
};

static enum apart apart(const struct ct_dataset_buffer *data,
                        const struct ct_plan_buffer *buffer)
{
    size_t unit = ct_scalar_size(buffer->type.scalar);
    size_t count = compared(buffer);
    enum apart found = APART_NOTHING;

    if (data->initial || !data->expected)
        return APART_NOTHING;
    for (size_t i = 0; i < count && found != APART_AGAIN; i++)
        if (could_pass(buffer, data->expected, i))
            found = all_set(data->expected, unit, i) ? APART_AGAIN : APART_SET;
    return found;
}

/* Sets apart what has to be; `*again` when another run of the reference is needed for it:
 * only then can a value with all bits set be told from one never written. */
static enum ct_status set_all_apart(struct ct_dataset *dataset,
                                    const struct ct_plan *plan,
                                    const struct ct_hostrun *second, bool *again,
                                    struct ct_err *err)
{
    enum ct_status status = CT_OK;

    *again = false;
    for (size_t i = 0; !status && i < dataset->count; i++) {
        struct ct_dataset_buffer *data = &dataset->buffers[i];
        enum apart what = apart(data, &plan->buffers[i]);

        if (what == APART_AGAIN && !second)
            *again = true;
        else if (what != APART_NOTHING)
            status = set_apart(data, &plan->buffers[i], second ? second->arrays[i] : NULL,
                               err);
    }
    return status;
}

/* Runs the reference once more, on zeros where there is no fill. */
static enum ct_status run_again(struct ct_dataset *dataset, const struct ct_plan *plan,
                                const struct ct_host_code *code, struct ct_err *err)
{
    struct ct_hostrun run;
    bool again;
    enum ct_status status = ct_hostrun_init(&run, dataset, &plan->reference, err);

    if (!status) {
        for (size_t i = 0; i < run.count; i++)
            if (!dataset->buffers[i].initial)
                memset(run.arrays[i], 0, run.size_bytes[i]);
        ct_host_call(code, run.args);
        status = set_all_apart(dataset, plan, &run, &again, err);
    }
    ct_hostrun_release(&run);
    return status;
}

/* Runs the reference and keeps what it put into the buffers that are compared. */
static enum ct_status run_reference(struct ct_dataset *dataset,
                                    const struct ct_plan *plan,
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
        if (plan->buffers[i].check == CT_CHECK_NONE)
            continue;
        dataset->buffers[i].expected = run.arrays[i];
        run.arrays[i] = NULL;
        dataset->buffers[i].rms =
            ct_verify_rms(&plan->buffers[i], dataset->buffers[i].expected);
    }
    dataset->referenced = true;
out:
    ct_hostrun_release(&run);
    return status;
}

static enum ct_status reference(struct ct_session *session, struct ct_dataset *dataset,
                                const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_host_code *code;
    enum ct_status status;
    bool again = false;

    if (!plan->reference.function)
        return CT_OK;
    status = ct_host_load(plan, CT_HOST_REFERENCE, &code, err);
    if (status)
        return status;
    ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_REFERENCE);
    status = run_reference(dataset, plan, code, err);
    if (!status)
        status = set_all_apart(dataset, plan, NULL, &again, err);
    if (!status && again) {
        ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_REFERENCE);
        status = run_again(dataset, plan, code, err);
    }
    ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    ct_host_free(code);
    return status;
}

static enum ct_status allocate(struct ct_session *session, struct ct_dataset *dataset,
                               const struct ct_plan *plan, struct ct_err *err)
{
    for (size_t i = 0; i < dataset->count; i++) {
        enum ct_status status =
            ct_buffer_new(session->device, dataset->buffers[i].size_bytes,
                          &dataset->buffers[i].device, err);

        if (status) {
            ct_err_prefix(err, "buffer %s of %zu bytes", plan->buffers[i].name,
                          dataset->buffers[i].size_bytes);
            return status;
        }
    }
    return CT_OK;
}

/* Drops all data sets, so that the device has room again. */
static void drop_all(struct ct_session *session)
{
    for (size_t i = 0; i < CT_SESSION_DATASETS; i++) {
        ct_dataset_free(session->datasets[i]);
        session->datasets[i] = NULL;
    }
}

/* Allocates on the device, in place of older data sets when it has to be. */
static enum ct_status make_room(struct ct_session *session, struct ct_dataset *dataset,
                                const struct ct_plan *plan, struct ct_err *err)
{
    enum ct_status status = allocate(session, dataset, plan, err);

    if (status != CT_E_DEVICE || !session->datasets[0])
        return status;
    for (size_t i = 0; i < dataset->count; i++) {
        ct_buffer_free(dataset->buffers[i].device);
        dataset->buffers[i].device = NULL;
    }
    drop_all(session);
    return allocate(session, dataset, plan, err);
}

static enum ct_step make(struct ct_session *session, const struct ct_plan *plan,
                         struct ct_dataset *dataset, struct ct_outcome *outcome,
                         struct ct_err *err)
{
    enum ct_status status;

    dataset->count = plan->buffer_count;
    dataset->buffers = ct_mem_array(dataset->count, sizeof(*dataset->buffers));
    if (!dataset->buffers) {
        dataset->count = 0;
        ct_err_nomem(err);
        return CT_STEP_ERROR;
    }
    for (size_t i = 0; i < dataset->count; i++)
        if (!ct_data_size(&plan->buffers[i], &dataset->buffers[i].size_bytes))
            return ct_session_fail(session, outcome, CT_RESULT_INVALID,
                                   "buffer %s is too large for any memory",
                                   plan->buffers[i].name);
    /* The device first: a reference may take minutes, a refusal takes none. */
    status = make_room(session, dataset, plan, err);
    if (status == CT_E_DEVICE)
        return ct_session_device_failed(session, outcome, CT_RESULT_INVALID, err);
    if (!status)
        status = fill(dataset, plan, err);
    if (!status)
        status = reference(session, dataset, plan, err);
    /* Sizes may depend on the configuration; others may do with less. */
    if (status == CT_E_NOMEM)
        return ct_session_fail(session, outcome, CT_RESULT_INVALID,
                               "not enough memory in this computer for the data");
    return status ? CT_STEP_ERROR : CT_STEP_DONE;
}

enum ct_step ct_dataset_get(struct ct_session *session, const struct ct_plan *plan,
                            uint64_t seed, struct ct_dataset **out,
                            struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_hash hash = ct_plan_data_hash(plan);
    struct ct_dataset **sets = session->datasets;
    struct ct_dataset *found = NULL;
    size_t at = 0;
    enum ct_step step;

    while (at < CT_SESSION_DATASETS && sets[at] &&
           (strcmp(sets[at]->hash.text, hash.text) != 0 || sets[at]->seed != seed ||
            sets[at]->count != plan->buffer_count))
        at++;
    if (at < CT_SESSION_DATASETS)
        found = sets[at];
    if (!found) {
        found = calloc(1, sizeof(*found));
        if (!found) {
            ct_err_nomem(err);
            return CT_STEP_ERROR;
        }
        found->hash = hash;
        found->seed = seed;
        step = make(session, plan, found, outcome, err);
        if (step != CT_STEP_DONE) {
            ct_dataset_free(found);
            return step;
        }
        at = CT_SESSION_DATASETS - 1;
        ct_dataset_free(sets[at]);
    }
    memmove(sets + 1, sets, at * sizeof(*sets));
    sets[0] = found;
    *out = found;
    return CT_STEP_DONE;
}

enum ct_status ct_dataset_restore(struct ct_dataset *dataset, struct ct_err *err)
{
    for (size_t i = 0; i < dataset->count; i++) {
        struct ct_dataset_buffer *buffer = &dataset->buffers[i];
        enum ct_status status;

        if (buffer->clean)
            continue;
        status = buffer->initial ? ct_buffer_write(buffer->device, buffer->initial, err)
                                 : ct_buffer_poison(buffer->device, err);
        if (status)
            return status;
        buffer->clean = true;
    }
    return CT_OK;
}

enum ct_status ct_dataset_intact(struct ct_dataset *dataset, bool *intact,
                                 struct ct_err *err)
{
    *intact = true;
    for (size_t i = 0; i < dataset->count; i++) {
        struct ct_dataset_buffer *buffer = &dataset->buffers[i];
        enum ct_status status;

        if (!buffer->clean || !buffer->initial)
            continue;
        status = ct_buffer_read(buffer->device, dataset->scratch, err);
        if (status)
            return status;
        if (memcmp(dataset->scratch, buffer->initial, buffer->size_bytes) != 0) {
            buffer->clean = false;
            *intact = false;
        }
    }
    return CT_OK;
}

bool ct_dataset_right(const struct ct_dataset *dataset, const struct ct_plan *plan,
                      size_t buffer, const void *seen, struct ct_mismatch *mismatch)
{
    const struct ct_dataset_buffer *data = &dataset->buffers[buffer];

    if (!data->expected || ct_verify_buffer(&plan->buffers[buffer], seen, data->expected,
                                            data->rms, mismatch))
        return true;
    mismatch->buffer = (uint32_t)buffer;
    return false;
}

enum ct_step ct_dataset_wrong(const struct ct_session *session,
                              const struct ct_plan *plan,
                              const struct ct_mismatch *mismatch,
                              struct ct_outcome *outcome)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[mismatch->buffer];
    unsigned width = buffer->type.width == 3 ? 4 : buffer->type.width;
    char lane[16] = "";

    outcome->mismatch = *mismatch;
    if (width > 1)
        snprintf(lane, sizeof(lane), ".s%x", (unsigned)(mismatch->element % width));
    return ct_session_fail(session, outcome, CT_RESULT_WRONG,
                           "%s[%" PRIu64 "]%s is %.9g instead of %.9g (%" PRIu64
                           " of %" PRIu64 " values are wrong)",
                           buffer->name, mismatch->element / width, lane, mismatch->seen,
                           mismatch->expected, mismatch->wrong_count,
                           buffer->compare * buffer->type.width);
}

enum ct_status ct_hostrun_init(struct ct_hostrun *run, const struct ct_dataset *dataset,
                               const struct ct_plan_host *host, struct ct_err *err)
{
    memset(run, 0, sizeof(*run));
    run->arrays = ct_arena_array(&run->arena, dataset->count, sizeof(*run->arrays));
    run->size_bytes =
        ct_arena_array(&run->arena, dataset->count, sizeof(*run->size_bytes));
    run->args = ct_arena_array(&run->arena, host->arg_count, sizeof(*run->args));
    if (!run->arrays || !run->size_bytes || !run->args)
        return ct_err_nomem(err);
    run->count = dataset->count;
    for (size_t i = 0; i < run->count; i++) {
        run->size_bytes[i] = dataset->buffers[i].size_bytes;
        run->arrays[i] = ct_data_alloc(run->size_bytes[i]);
        if (!run->arrays[i])
            return ct_err_nomem(err);
    }
    ct_hostrun_restore(run, dataset);
    for (size_t i = 0; i < host->arg_count; i++) {
        const struct ct_plan_arg *arg = &host->args[i];

        if (arg->kind == CT_ARG_BUFFER && arg->buffer < run->count) {
            run->args[i] = run->arrays[arg->buffer];
        } else if (arg->kind == CT_ARG_SCALAR) {
            /* The plan's bytes are not aligned for their type. */
            run->args[i] = ct_arena_alloc(&run->arena, ct_type_size(arg->type));
            if (!run->args[i])
                return ct_err_nomem(err);
            memcpy(run->args[i], arg->bytes, ct_type_size(arg->type));
        } else {
            return ct_err_set(err, CT_E_SPEC, "host code takes buffers and scalars only");
        }
    }
    return CT_OK;
}

void ct_hostrun_restore(struct ct_hostrun *run, const struct ct_dataset *dataset)
{
    for (size_t i = 0; i < run->count; i++) {
        if (dataset->buffers[i].initial)
            memcpy(run->arrays[i], dataset->buffers[i].initial, run->size_bytes[i]);
        else
            memset(run->arrays[i], 0xFF, run->size_bytes[i]);
    }
}

size_t ct_hostrun_damaged(const struct ct_hostrun *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (!ct_data_intact(run->arrays[i], run->size_bytes[i]))
            return i;
    return run->count;
}

void ct_hostrun_release(struct ct_hostrun *run)
{
    for (size_t i = 0; i < run->count; i++)
        ct_data_free(run->arrays[i]);
    ct_arena_release(&run->arena);
    memset(run, 0, sizeof(*run));
}
