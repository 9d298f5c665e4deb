// SPDX-License-Identifier: Apache-2.0
// Times passes of transfers, pipeline, transfers.
#include "worker/timing/endtoend.h"

#include "base/clock.h"
#include "worker/data/data.h"
#include "worker/reference/reduce.h"
#include "worker/timing/sampling_policy.h"

#include <stdlib.h>
#include <string.h>

struct pass {
    struct ct_pipeline *pipeline;
    struct ct_reduced *reduced; /* space for the components of any buffer */
    uint64_t not_timed_ns;      /* time an application would not need */
};

static enum ct_status map_in(struct pass *pass, size_t index, struct ct_err *err)
{
    struct ct_dataset_buffer *buffer = &pass->pipeline->data->buffers[index];
    struct ct_mapping mapping;
    uint64_t since_ns;
    enum ct_status status = ct_buffer_map(buffer->device, true, &mapping, err);

    if (status)
        return status;
    since_ns = ct_clock_now_ns();
    ct_mapping_store(buffer->device, &mapping, buffer->packed);
    if (buffer->transfer == CT_TRANSFER_HOST)
        pass->not_timed_ns += ct_clock_now_ns() - since_ns;
    return ct_buffer_unmap(buffer->device, &mapping, err);
}

/* Inputs; not the poison of outputs. */
static bool sent(const struct ct_dataset_buffer *buffer)
{
    return buffer->packed && !buffer->poisoned;
}

static enum ct_status send_all(struct pass *pass, struct ct_err *err)
{
    struct ct_dataset *data = pass->pipeline->data;
    enum ct_status status = CT_OK;

    /* Mappings first: while nothing else runs, untimed work can be separated from timed work. */
    for (size_t i = 0; !status && i < data->count; i++)
        if (sent(&data->buffers[i]) && data->buffers[i].transfer != CT_TRANSFER_WRITE)
            status = map_in(pass, i, err);
    for (size_t i = 0; !status && i < data->count; i++)
        if (sent(&data->buffers[i]) && data->buffers[i].transfer == CT_TRANSFER_WRITE)
            status = ct_buffer_write_later(data->buffers[i].device,
                                           data->buffers[i].packed, err);
    return status;
}

static enum ct_status receive_buffer(struct pass *pass, size_t index, struct ct_err *err)
{
    struct ct_dataset *data = pass->pipeline->data;
    const struct ct_plan_buffer *planned = &pass->pipeline->plan->buffers[index];
    struct ct_buffer *device = data->buffers[index].device;
    struct ct_layout layout = ct_layout_device(planned);
    bool mapped = data->buffers[index].transfer != CT_TRANSFER_WRITE;
    struct ct_mapping mapping = {0};
    const void *actual = data->scratch;
    enum ct_status status;

    if (mapped) {
        status = ct_buffer_map(device, false, &mapping, err);
        actual = mapping.bytes;
    } else {
        status = ct_buffer_read(device, data->scratch, err);
    }
    if (status)
        return status;
    if (planned->reduce != CT_REDUCE_NONE) {
        /* The rows of a mapped image may be padded. */
        if (mapped && planned->image.dims) {
            ct_mapping_load(device, &mapping, data->scratch);
            actual = data->scratch;
        }
        ct_reduce_outputs(planned, &layout, actual, pass->reduced);
    }
    return mapped ? ct_buffer_unmap(device, &mapping, err) : CT_OK;
}

/* One pass; adds its time to `*wall_ns`. */
static enum ct_status run_pass(struct pass *pass, uint64_t *wall_ns, struct ct_err *err)
{
    struct ct_pipeline *pipeline = pass->pipeline;
    struct ct_pipeline_marks marks = {0};
    uint64_t begin_ns;
    enum ct_status status;
    enum ct_status finished;

    pass->not_timed_ns = 0;
    ct_pipeline_turn(pipeline);
    ct_pipeline_touch(pipeline);
    begin_ns = ct_clock_now_ns();
    status = send_all(pass, err);
    if (!status)
        status = ct_pipeline_enqueue(pipeline, 1, &marks, err);
    for (size_t i = 0; !status && i < pipeline->data->count; i++)
        if (pipeline->plan->buffers[i].check != CT_CHECK_NONE)
            status = receive_buffer(pass, i, err);
    /* Also after a refusal: accepted commands must not run into later ones. */
    finished = ct_device_finish(pipeline->session->device, status ? NULL : err);
    *wall_ns += ct_clock_now_ns() - begin_ns - pass->not_timed_ns;
    if (!status)
        status = finished;
    if (!status)
        status = ct_pipeline_executed(pipeline, &marks, err);
    ct_pipeline_marks_free(pipeline, &marks);
    return status;
}

static enum ct_status take_end_to_end_sample(void *user, uint32_t repeats,
                                             struct ct_sample *sample, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    *sample = (struct ct_sample){.repeats = repeats};
    for (uint32_t i = 0; !status && i < repeats; i++)
        status = run_pass(user, &sample->wall_ns, err);
    /* There is only one clock, so it is trusted. */
    sample->event_ns = sample->wall_ns;
    return status;
}

/* Writes the result to the pipeline's outcome. */
static void tell_outcome(struct ct_outcome *outcome, const struct ct_outcome *own,
                         const struct ct_sampling_policy *policy)
{
    outcome->end_to_end.time_ns = own->time_ns;
    outcome->end_to_end.low_ns = own->low_ns;
    outcome->end_to_end.high_ns = own->high_ns;
    outcome->stopped_early |= own->stopped_early;
    outcome->race.saved += own->race.saved;
    outcome->race.saved_ns += own->race.saved_ns;
    outcome->race.added += own->race.added;
    outcome->race.added_ns += own->race.added_ns;
    outcome->samples.retaken += policy->retaken;
    /* The launches' cost is observed without the transfers; the others' load belongs to the
     * objective. */
    ct_quantities_set(&outcome->observed, CT_QUANTITY_OTHERS_LOAD,
                      ct_quantities_get(&policy->observed, CT_QUANTITY_OTHERS_LOAD));
}

static size_t most_components(const struct ct_plan *plan)
{
    size_t most = 1;

    for (size_t i = 0; i < plan->buffer_count; i++) {
        size_t count = ct_layout_host(&plan->buffers[i]).components;

        most = count > most ? count : most;
    }
    return most;
}

enum ct_status ct_endtoend_measure(struct ct_pipeline *pipeline,
                                   const struct ct_request *request, struct ct_err *err)
{
    struct ct_session *session = pipeline->session;
    struct pass pass = {.pipeline = pipeline};
    struct ct_outcome own = {0};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy = {
        .session = session,
        .sampler = &sampler,
        .patience_ns = ct_session_patience_ns(request),
        .retake = ct_session_on_processor(session),
        .take = take_end_to_end_sample,
        .user = &pass,
    };
    uint64_t warm_ns = 0;
    enum ct_status status;

    pass.reduced = ct_mem_array(most_components(pipeline->plan), sizeof(*pass.reduced));
    if (!pass.reduced)
        return ct_err_nomem(err);
    ct_session_alive(session, CT_CULPRIT_CONFIGURATION);
    status = run_pass(&pass, &warm_ns, err);
    ct_sampler_init(&sampler, request->race.samples, request->race.leader_ns, warm_ns);
    ct_sampler_race(&sampler, request->race.resolution, request->race.off);
    ct_sampler_timer(&sampler, session->timer.wall_ns);
    if (!status)
        status = ct_sampling_policy_run(&policy, err);
    if (!status)
        status = ct_sampler_finish(&sampler, &own, err);
    if (!status)
        tell_outcome(pipeline->outcome, &own, &policy);
    ct_sampler_release(&sampler);
    ct_outcome_release(&own);
    free(pass.reduced);
    return status;
}
