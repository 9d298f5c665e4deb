// SPDX-License-Identifier: Apache-2.0
// Lists wrong values, and dumps buffers.
#include "worker/reference/inspect.h"

#include "protocol/dump.h"
#include "protocol/npy.h"
#include "worker/reference/expected.h"

#include <string.h>

enum { FILES_PER_BUFFER = 3, DIFFERENCES_MOST = 64 };

struct inspection {
    struct ct_pipeline *pipeline;
    const struct ct_request *request;
    struct ct_err *err;
};

static void stay_alive(void *user)
{
    ct_session_alive(user, CT_CULPRIT_NONE);
}

/* --- wrong values --- */

static enum ct_status list_differences(const struct inspection *in, size_t index,
                                       const void *actual)
{
    struct ct_pipeline *pipeline = in->pipeline;
    struct ct_outcome *outcome = pipeline->outcome;
    struct ct_mismatch found[DIFFERENCES_MOST];
    size_t most = in->request->differences < DIFFERENCES_MOST ? in->request->differences
                                                              : DIFFERENCES_MOST;
    size_t count = ct_expected_differences(pipeline->data, pipeline->plan, index, actual,
                                           found, most);
    size_t before = outcome->differences.count;
    struct ct_mismatch *items;

    if (!count)
        return CT_OK;
    items = ct_arena_array(&outcome->arena, before + count, sizeof(*items));
    if (!items)
        return ct_err_nomem(in->err);
    if (before)
        memcpy(items, outcome->differences.items, before * sizeof(*items));
    memcpy(items + before, found, count * sizeof(*items));
    outcome->differences.items = items;
    outcome->differences.count = before + count;
    return CT_OK;
}

/* --- files --- */

static void note_dumped(const struct inspection *in, size_t index, enum ct_dump_kind kind)
{
    struct ct_outcome *outcome = in->pipeline->outcome;

    outcome->dump.items[outcome->dump.count++] =
        (struct ct_dumped){.buffer = (uint32_t)index, .kind = kind};
}

static enum ct_status write_file(const struct inspection *in, size_t index,
                                 enum ct_dump_kind kind, const void *bytes)
{
    const struct ct_plan *plan = in->pipeline->plan;
    const struct ct_plan_buffer *buffer = ct_dump_buffer(plan, (uint32_t)index, kind);
    struct ct_shape shape = ct_shape_of(buffer);
    struct ct_str path;
    enum ct_status status;

    ct_str_init(&path);
    ct_str_addf(&path, "%s/", in->request->dump);
    ct_dump_name(plan->buffers[index].name, kind, &path);
    status = path.failed ? ct_err_nomem(in->err)
                         : ct_npy_write(path.data, buffer->type, &shape, bytes,
                                        stay_alive, in->pipeline->session, in->err);
    ct_str_release(&path);
    if (!status)
        note_dumped(in, index, kind);
    return status;
}

static enum ct_status dump_buffer(const struct inspection *in, size_t index,
                                  const void *actual)
{
    const struct ct_pipeline *pipeline = in->pipeline;
    const struct ct_dataset_buffer *buffer = &pipeline->data->buffers[index];
    bool filled = pipeline->plan->buffers[index].fill.kind != CT_FILL_NONE;
    bool written = pipeline->written[index];
    enum ct_status status = write_file(in, index, CT_DUMP_AFTER, actual);

    if (!status && written && filled)
        status = write_file(in, index, CT_DUMP_BEFORE, buffer->initial);
    if (!status && buffer->expected.bytes)
        status = write_file(in, index, CT_DUMP_TRUTH, buffer->expected.bytes);
    else if (!status && written)
        note_dumped(in, index, CT_DUMP_NO_TRUTH);
    return status;
}

/* --- both --- */

static enum ct_status inspect_buffer(const struct inspection *in, size_t index)
{
    struct ct_pipeline *pipeline = in->pipeline;
    const void *actual;
    enum ct_status status =
        ct_dataset_read(pipeline->data, pipeline->plan, index, &actual, in->err);

    if (!status && pipeline->outcome->status == CT_RESULT_WRONG)
        status = list_differences(in, index, actual);
    if (!status && in->request->dump)
        status = dump_buffer(in, index, actual);
    return status;
}

enum ct_step ct_inspect_outputs(struct ct_pipeline *pipeline,
                                const struct ct_request *request, bool timed,
                                struct ct_err *err)
{
    const struct inspection in = {pipeline, request, err};
    struct ct_outcome *outcome = pipeline->outcome;
    bool wrong = outcome->status == CT_RESULT_WRONG;
    size_t count = pipeline->data->count;
    enum ct_status status = CT_OK;

    if (!request->dump && !(wrong && request->differences))
        return CT_STEP_DONE;
    ct_session_phase(pipeline->session, CT_PHASE_CHECK, CT_CULPRIT_NONE);
    memset(&outcome->differences, 0, sizeof(outcome->differences));
    memset(&outcome->dump, 0, sizeof(outcome->dump));
    outcome->dump.timed = timed;
    outcome->dump.items = ct_arena_array(&outcome->arena, count * FILES_PER_BUFFER,
                                         sizeof(*outcome->dump.items));
    if (!outcome->dump.items) {
        ct_err_nomem(err);
        return CT_STEP_ERROR;
    }
    for (size_t i = 0; !status && i < count; i++)
        status = inspect_buffer(&in, i);
    return status ? ct_session_device_failed(pipeline->session, outcome,
                                             CT_RESULT_INVALID, err)
                  : CT_STEP_DONE;
}
