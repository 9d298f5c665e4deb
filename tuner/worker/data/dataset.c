// SPDX-License-Identifier: Apache-2.0
// Creates, restores and reads data sets.
#include "worker/data/dataset.h"

#include "base/clock.h"
#include "worker/reference/poison.h"
#include "worker/data/data.h"
#include "worker/data/fill.h"
#include "worker/data/original.h"
#include "worker/data/image.h"
#include "worker/open.h"
#include "worker/timing/cold_rotation.h"
#include "worker/reference/expected.h"
#include "worker/reference/unwritten.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ct_dataset_free(struct ct_dataset *dataset)
{
    if (!dataset)
        return;
    ct_cold_rotation_home(dataset);
    ct_cold_rotation_free(dataset->rotation);
    for (size_t i = 0; i < dataset->count; i++) {
        struct ct_dataset_buffer *buffer = &dataset->buffers[i];

        if (buffer->packed != buffer->initial)
            ct_data_free(buffer->packed);
        if (!buffer->shared)
            ct_data_free(buffer->initial);
        ct_expected_release(&buffer->expected);
        ct_buffer_free(buffer->original);
        ct_buffer_free(buffer->device);
    }
    ct_dataset_unshare(dataset);
    free(dataset->buffers);
    ct_data_free(dataset->scratch);
    ct_data_free(dataset->records);
    free(dataset);
}

/* --- contents --- */

enum ct_status ct_dataset_pack(struct ct_dataset_buffer *buffer,
                               const struct ct_plan_buffer *planned, struct ct_err *err)
{
    struct ct_layout host = ct_layout_host(planned);
    struct ct_layout device = ct_layout_device(planned);

    buffer->packed = buffer->initial;
    if (!buffer->initial || !ct_layout_has_planes(planned))
        return CT_OK;
    buffer->packed = ct_data_alloc(buffer->device_bytes);
    if (!buffer->packed)
        return ct_err_nomem(err);
    ct_data_convert(&host, buffer->initial, &device, buffer->packed);
    return CT_OK;
}

/* The contents of one buffer, in both layouts. */
static enum ct_status fill_buffer(struct ct_session *session, struct ct_dataset *dataset,
                                  const struct ct_plan *plan, size_t index,
                                  void **contents, struct ct_err *err)
{
    const struct ct_plan_buffer *planned = &plan->buffers[index];
    struct ct_dataset_buffer *buffer = &dataset->buffers[index];
    enum ct_status status = CT_OK;

    if (planned->fill.kind == CT_FILL_NONE)
        return CT_OK;
    if (!ct_dataset_take_fill(session, dataset, planned, buffer)) {
        buffer->initial = ct_data_alloc(buffer->size_bytes);
        if (!buffer->initial)
            return ct_err_nomem(err);
        status = ct_fill_make(session, plan, index, &planned->fill, contents,
                              dataset->seed, buffer->initial, err);
    }
    contents[index] = buffer->initial;
    return status ? status : ct_dataset_pack(buffer, planned, err);
}

/* All contents, and expected outputs given by a fill. */
static enum ct_status fill_all(struct ct_session *session, struct ct_dataset *dataset,
                               const struct ct_plan *plan, struct ct_err *err)
{
    void **contents = ct_mem_array(dataset->count, sizeof(*contents));
    enum ct_status status = CT_OK;

    if (!contents)
        return ct_err_nomem(err);
    /* Sources of a fill come before it in the plan. */
    for (size_t i = 0; !status && i < dataset->count; i++)
        status = fill_buffer(session, dataset, plan, i, contents, err);
    for (size_t i = 0; !status && i < dataset->count; i++)
        if (plan->buffers[i].has_expect && !session->inputs_only)
            status = ct_expected_expect(session, dataset, plan, i, contents, err);
    free(contents);
    return status;
}

static enum ct_status make_scratch(struct ct_dataset *dataset, const struct ct_plan *plan,
                                   struct ct_err *err)
{
    size_t largest = 1;
    size_t records = 0;

    for (size_t i = 0; i < dataset->count; i++) {
        const struct ct_dataset_buffer *buffer = &dataset->buffers[i];

        if (buffer->device_bytes > largest)
            largest = buffer->device_bytes;
        if (ct_layout_has_planes(&plan->buffers[i]) && buffer->size_bytes > records)
            records = buffer->size_bytes;
    }
    dataset->scratch = ct_data_alloc(largest);
    if (records)
        dataset->records = ct_data_alloc(records);
    return dataset->scratch && (dataset->records || !records) ? CT_OK : ct_err_nomem(err);
}

/* --- on the device --- */

enum ct_status ct_dataset_allocate(struct ct_session *session,
                                   const struct ct_plan_buffer *planned,
                                   struct ct_dataset_buffer *buffer, struct ct_err *err)
{
    static const enum ct_home homes[] = {
        [CT_TRANSFER_WRITE] = CT_HOME_DEVICE,
        [CT_TRANSFER_MAP] = CT_HOME_ALLOC_HOST,
        [CT_TRANSFER_HOST] = CT_HOME_USE_HOST,
    };
    enum ct_home home = homes[planned->transfer];
    struct ct_image_shape shape;
    enum ct_status status;

    if (planned->image.dims) {
        status = ct_image_plan_shape(planned, &shape, err);
        if (!status)
            status = ct_image_new(session->device, &shape, home, &buffer->device, err);
        if (status)
            ct_err_prefix(err, "image %s", planned->name);
        return status;
    }
    status =
        ct_buffer_new(session->device, buffer->device_bytes, home, &buffer->device, err);
    if (status)
        ct_err_prefix(err, "buffer %s of %zu bytes", planned->name, buffer->device_bytes);
    return status;
}

static enum ct_status allocate_buffers(struct ct_session *session,
                                       struct ct_dataset *dataset,
                                       const struct ct_plan *plan, struct ct_err *err)
{
    for (size_t i = 0; i < dataset->count; i++) {
        enum ct_status status;

        if (ct_dataset_share_device(session, dataset, &plan->buffers[i],
                                    &dataset->buffers[i]))
            continue;
        status =
            ct_dataset_allocate(session, &plan->buffers[i], &dataset->buffers[i], err);
        if (status)
            return status;
    }
    return CT_OK;
}

/* Drops all data sets to free device memory. */
static void drop_all(struct ct_session *session)
{
    for (size_t i = 0; i < CT_SESSION_DATASETS; i++) {
        ct_dataset_free(session->datasets[i]);
        session->datasets[i] = NULL;
    }
}

/* Allocates on the device, dropping older data sets if necessary. */
static enum ct_status make_room(struct ct_session *session, struct ct_dataset *dataset,
                                const struct ct_plan *plan, struct ct_err *err)
{
    enum ct_status status = allocate_buffers(session, dataset, plan, err);

    if (status != CT_E_DEVICE || !session->datasets[0])
        return status;
    for (size_t i = 0; i < dataset->count; i++) {
        ct_buffer_free(dataset->buffers[i].device);
        dataset->buffers[i].device = NULL;
    }
    drop_all(session);
    return allocate_buffers(session, dataset, plan, err);
}

enum ct_step ct_dataset_images(struct ct_session *session, const struct ct_plan *plan,
                               struct ct_outcome *outcome, struct ct_err *err)
{
    for (size_t i = 0; i < plan->buffer_count; i++) {
        struct ct_image_shape shape;
        enum ct_status status;

        if (!plan->buffers[i].image.dims)
            continue;
        status = ct_image_plan_shape(&plan->buffers[i], &shape, err);
        if (!status)
            status = ct_image_check(session->device, &shape, err);
        if (status) {
            ct_err_prefix(err, "image %s", plan->buffers[i].name);
            return ct_session_device_failed(session, outcome, CT_RESULT_INVALID, err);
        }
    }
    return CT_STEP_DONE;
}

/* --- creation --- */

/* Computes contents and expected outputs; offers the expensive ones to others. */
static enum ct_status make_contents(struct ct_session *session,
                                    struct ct_dataset *dataset,
                                    const struct ct_plan *plan, struct ct_err *err)
{
    const uint64_t slow_ns = 50000000;
    uint64_t start_ns = ct_clock_now_ns();
    bool expected = !session->inputs_only;
    enum ct_status status = fill_all(session, dataset, plan, err);

    if (!status && expected)
        status = ct_expected_from_host(session, dataset, plan, err);
    if (!status)
        status = ct_poison_set(dataset, plan, err);
    if (!status && expected &&
        (plan->reference.function || plan->reference_plan ||
         ct_clock_now_ns() - start_ns > slow_ns))
        ct_dataset_offer(session, dataset, plan);
    return status;
}

static enum ct_step make_dataset(struct ct_session *session, const struct ct_plan *plan,
                                 struct ct_dataset *dataset, struct ct_outcome *outcome,
                                 struct ct_err *err)
{
    bool taken = false;
    enum ct_status status;

    dataset->count = plan->buffer_count;
    dataset->buffers = ct_mem_array(dataset->count, sizeof(*dataset->buffers));
    if (!dataset->buffers) {
        dataset->count = 0;
        ct_err_nomem(err);
        return CT_STEP_ERROR;
    }
    for (size_t i = 0; i < dataset->count; i++)
        if (!ct_layout_size(&plan->buffers[i], &dataset->buffers[i].size_bytes) ||
            !ct_layout_device_size(&plan->buffers[i], &dataset->buffers[i].device_bytes))
            return ct_session_fail(session, outcome, CT_RESULT_INVALID,
                                   "buffer %s is too large for any memory",
                                   plan->buffers[i].name);
    for (size_t i = 0; i < dataset->count; i++)
        dataset->buffers[i].transfer = plan->buffers[i].transfer;
    status = ct_dataset_take(session, dataset, plan, !session->inputs_only, &taken, err);
    /* A reference on the device first: the device may not have memory for both. */
    if (!status && !taken && !session->inputs_only && plan->reference_plan)
        status = ct_open_needed(session, err);
    if (!status && !taken && !session->inputs_only)
        status = ct_expected_from_device(session, dataset, plan, err);
    /* Then the device: host code may take minutes, a refusal takes no time. */
    if (!status && !session->host_only) {
        status = make_room(session, dataset, plan, err);
        if (status == CT_E_DEVICE)
            return ct_session_device_failed(session, outcome, CT_RESULT_INVALID, err);
    }
    if (!status)
        status = make_scratch(dataset, plan, err);
    if (!status && !taken)
        status = make_contents(session, dataset, plan, err);
    for (size_t i = 0; !status && !session->host_only && i < dataset->count; i++)
        dataset->buffers[i].keep_original =
            ct_original_worthwhile(session, &plan->buffers[i], &dataset->buffers[i]);
    /* Sizes may depend on the configuration; others may need less. */
    if (status == CT_E_NOMEM)
        return ct_session_fail(session, outcome, CT_RESULT_INVALID,
                               "this computer has too little memory for the data");
    return status ? CT_STEP_ERROR : CT_STEP_DONE;
}

enum ct_step ct_dataset_new(struct ct_session *session, const struct ct_plan *plan,
                            uint64_t seed, struct ct_dataset **out,
                            struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_dataset *made = calloc(1, sizeof(*made));
    enum ct_step step;

    if (!made) {
        ct_err_nomem(err);
        return CT_STEP_ERROR;
    }
    made->hash = ct_plan_data_hash(plan);
    made->seed = seed;
    made->host_only = session->host_only;
    made->inputs_only = session->inputs_only;
    step = make_dataset(session, plan, made, outcome, err);
    if (step == CT_STEP_DONE)
        *out = made;
    else
        ct_dataset_free(made);
    return step;
}

/* Data hashes do not include where a buffer is kept. */
static bool same_homes(const struct ct_dataset *dataset, const struct ct_plan *plan)
{
    for (size_t i = 0; i < dataset->count; i++)
        if (dataset->buffers[i].transfer != plan->buffers[i].transfer)
            return false;
    return true;
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
            sets[at]->host_only != session->host_only ||
            sets[at]->inputs_only != session->inputs_only ||
            sets[at]->count != plan->buffer_count || !same_homes(sets[at], plan)))
        at++;
    if (at < CT_SESSION_DATASETS)
        found = sets[at];
    if (!found) {
        step = ct_dataset_new(session, plan, seed, &found, outcome, err);
        if (step != CT_STEP_DONE)
            return step;
        at = CT_SESSION_DATASETS - 1;
        ct_dataset_free(sets[at]);
    }
    memmove(sets + 1, sets, at * sizeof(*sets));
    sets[0] = found;
    *out = found;
    /* Each time: plans that share data may differ in how much they compare. */
    return ct_unwritten_check(found, plan, err) ? CT_STEP_ERROR : CT_STEP_DONE;
}

/* --- use --- */

enum ct_status ct_dataset_renew(struct ct_dataset_buffer *buffer, struct ct_err *err)
{
    enum ct_status status;

    if (ct_buffer_is_clean(buffer->device))
        return CT_OK;
    status = buffer->packed ? ct_original_restore(buffer, err)
                            : ct_buffer_poison(buffer->device, err);
    ct_buffer_set_clean(buffer->device, !status);
    return status;
}

enum ct_status ct_dataset_restore(struct ct_dataset *dataset, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < dataset->count; i++)
        status = ct_dataset_renew(&dataset->buffers[i], err);
    return status;
}

enum ct_status ct_dataset_restore_each(struct ct_dataset *dataset,
                                       const struct ct_plan *plan, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < dataset->count; i++)
        if (plan->buffers[i].restore == CT_RESTORE_EACH)
            status = ct_dataset_renew(&dataset->buffers[i], err);
    return status;
}

enum ct_status ct_dataset_restore_filled(struct ct_dataset *dataset,
                                         const struct ct_plan *plan, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < dataset->count; i++)
        if (plan->buffers[i].fill.kind != CT_FILL_NONE)
            status = ct_dataset_renew(&dataset->buffers[i], err);
    return status;
}

enum ct_status ct_dataset_clear_outputs(struct ct_dataset *dataset,
                                        const struct ct_plan *plan, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < dataset->count; i++)
        if (plan->buffers[i].fill.kind == CT_FILL_NONE &&
            dataset->buffers[i].expected.bytes)
            status = ct_dataset_renew(&dataset->buffers[i], err);
    return status;
}

enum ct_status ct_dataset_read(struct ct_dataset *dataset, const struct ct_plan *plan,
                               size_t buffer, const void **actual, struct ct_err *err)
{
    const struct ct_plan_buffer *planned = &plan->buffers[buffer];
    struct ct_layout host = ct_layout_host(planned);
    struct ct_layout device = ct_layout_device(planned);
    enum ct_status status =
        ct_buffer_read(dataset->buffers[buffer].device, dataset->scratch, err);

    *actual = dataset->scratch;
    if (status || !ct_layout_has_planes(planned))
        return status;
    ct_data_convert(&device, dataset->scratch, &host, dataset->records);
    *actual = dataset->records;
    return CT_OK;
}

/* The index, in scalars, of damage behind the buffer; 0 before it. */
static uint64_t hit_element(const struct ct_plan_buffer *buffer, size_t size_bytes,
                            const struct ct_guard_hit *hit)
{
    if (hit->before)
        return 0;
    return (size_bytes + hit->offset_bytes) / ct_scalar_size(buffer->type.scalar);
}

/* Whether a write past buffer `a` explains the damage better than one past buffer `b`: a write
 * far beyond one buffer damages its neighbours' bands as well, and buffers that launches only
 * read are seldom where a write began. */
static bool likelier(const struct ct_dataset *dataset, size_t a,
                     const struct ct_guard_hit *hit_a, size_t b,
                     const struct ct_guard_hit *hit_b)
{
    bool written_a = !ct_buffer_is_clean(dataset->buffers[a].device);
    bool written_b = !ct_buffer_is_clean(dataset->buffers[b].device);

    if (written_a != written_b)
        return written_a;
    if (hit_a->offset_bytes != hit_b->offset_bytes)
        return hit_a->offset_bytes < hit_b->offset_bytes;
    return !hit_a->before && hit_b->before;
}

static enum ct_step outside(struct ct_session *session, const struct ct_plan *plan,
                            const struct ct_dataset *dataset, size_t index,
                            const struct ct_guard_hit *hit, struct ct_outcome *outcome)
{
    const struct ct_plan_buffer *planned = &plan->buffers[index];

    outcome->mismatch = (struct ct_mismatch){
        .buffer = (uint32_t)index,
        .element = hit_element(planned, dataset->buffers[index].device_bytes, hit),
        .wrong_count = 1,
        .guard = true,
    };
    return ct_session_fail(
        session, outcome, CT_RESULT_WRONG,
        "a launch wrote outside buffer %s, %" PRIu64 " bytes %s it%s", planned->name,
        hit->offset_bytes, hit->before ? "before" : "after the end of",
        ct_buffer_is_clean(dataset->buffers[index].device)
            ? ", which no launch writes to: it may have overrun another buffer"
            : "");
}

enum ct_step ct_dataset_guards(struct ct_session *session, const struct ct_plan *plan,
                               struct ct_dataset *dataset, struct ct_outcome *outcome,
                               struct ct_err *err)
{
    size_t blamed = dataset->count;
    struct ct_guard_hit worst = {0};

    /* All of them, so that all are repaired. */
    for (size_t i = 0; i < dataset->count; i++) {
        struct ct_guard_hit hit = {0};
        bool intact;

        if (ct_buffer_guard_check(dataset->buffers[i].device, &intact, &hit, err))
            return ct_session_device_failed(session, outcome, CT_RESULT_INVALID, err);
        if (!intact &&
            (blamed == dataset->count || likelier(dataset, i, &hit, blamed, &worst))) {
            blamed = i;
            worst = hit;
        }
    }
    return blamed < dataset->count
               ? outside(session, plan, dataset, blamed, &worst, outcome)
               : CT_STEP_DONE;
}

enum ct_status ct_dataset_intact(struct ct_dataset *dataset, bool *intact,
                                 struct ct_err *err)
{
    *intact = true;
    for (size_t i = 0; i < dataset->count; i++) {
        struct ct_dataset_buffer *buffer = &dataset->buffers[i];
        bool compared = ct_buffer_is_clean(buffer->device) && buffer->packed;
        bool original = true;
        enum ct_status status =
            ct_original_intact(buffer, dataset->scratch, &original, err);

        if (!status && compared)
            status = ct_buffer_read(buffer->device, dataset->scratch, err);
        if (status)
            return status;
        *intact = *intact && original;
        if (compared &&
            memcmp(dataset->scratch, buffer->packed, buffer->device_bytes) != 0) {
            ct_buffer_set_clean(buffer->device, false);
            *intact = false;
        }
    }
    return CT_OK;
}
