// SPDX-License-Identifier: Apache-2.0
// Copies of buffers that are used in turn.
#include "worker/timing/cold_rotation.h"

#include "worker/timing/cold_copies.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BAND_BYTES = 40960, /* guard bands of a buffer, and alignment */
};

struct ct_cold_rotation {
    size_t copies; /* including the plan's own buffers, which are the first */
    size_t buffers;
    bool *used; /* one per buffer: launches access it */
    /* slots[copy * buffers + buffer]; out of date for the copy in use */
    struct ct_buffer **slots;
    size_t at;      /* the copy in use */
    size_t turns;   /* since contents were restored */
    uint64_t bytes; /* of all copies but the first */
    bool short_of;  /* memory is short */
};

/* Half of the free device memory; of a CPU device, whose memory is shared by all, at most half of
 * what is free. */
static uint64_t room_bytes(const struct ct_session *session)
{
    const struct ct_devinfo *info = ct_device_info(session->device);
    uint64_t all = (uint64_t)ct_devinfo_int(info, CT_DEVICE_GLOBAL_MEM_SIZE, 0);
    uint64_t taken = 0;
    long pages = sysconf(_SC_AVPHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < CT_SESSION_DATASETS && session->datasets[i]; i++) {
        const struct ct_dataset *dataset = session->datasets[i];

        for (size_t k = 0; k < dataset->count; k++)
            taken += dataset->buffers[k].device_bytes;
        taken += dataset->rotation ? dataset->rotation->bytes : 0;
    }
    all = all > taken ? all - taken : 0;
    if (ct_session_on_processor(session) && pages > 0 && page_bytes > 0 &&
        (uint64_t)pages * (uint64_t)page_bytes < all)
        all = (uint64_t)pages * (uint64_t)page_bytes;
    return all / 2;
}

static void find_used(const struct ct_plan *plan, bool *used)
{
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];

        if (launch->kind != CT_LAUNCH_KERNEL)
            used[launch->to] = true;
        if (launch->kind == CT_LAUNCH_COPY)
            used[launch->from] = true;
        for (size_t k = 0; k < launch->arg_count; k++)
            if (launch->args[k].kind == CT_ARG_BUFFER)
                used[launch->args[k].buffer] = true;
    }
}

/* --- making --- */

void ct_cold_rotation_free(struct ct_cold_rotation *rotation)
{
    if (!rotation)
        return;
    for (size_t i = rotation->buffers; i < rotation->copies * rotation->buffers; i++)
        if (rotation->slots)
            ct_buffer_free(rotation->slots[i]);
    free(rotation->slots);
    free(rotation->used);
    free(rotation);
}

/* One copy, with contents: an untouched page is not allocated yet. */
static enum ct_status make_copy(struct ct_session *session, struct ct_dataset *dataset,
                                const struct ct_plan *plan,
                                struct ct_cold_rotation *rotation, size_t copy,
                                struct ct_err *err)
{
    struct ct_buffer **row = rotation->slots + copy * rotation->buffers;
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < rotation->buffers; i++) {
        struct ct_dataset_buffer one = dataset->buffers[i];

        if (!rotation->used[i])
            continue;
        one.device = NULL;
        one.keep_original = false;
        status = ct_dataset_allocate(session, &plan->buffers[i], &one, err);
        row[i] = one.device;
        if (!status)
            status = ct_dataset_renew(&one, err);
    }
    /* Drivers that allocate lazily refuse here. */
    if (!status)
        status = ct_device_finish(session->device, err);
    if (!status)
        return CT_OK;
    for (size_t i = 0; i < rotation->buffers; i++) {
        ct_buffer_free(row[i]);
        row[i] = NULL;
    }
    return status;
}

static enum ct_status make_rotation(struct ct_session *session,
                                    struct ct_dataset *dataset,
                                    const struct ct_plan *plan,
                                    struct ct_cold_rotation *rotation, struct ct_err *err)
{
    uint64_t used_bytes = 0;
    uint64_t copy_bytes = 0;
    uint64_t cache_bytes;
    struct ct_err own = CT_ERR_INIT;
    enum ct_status status = CT_OK;
    size_t wanted;

    for (size_t i = 0; i < rotation->buffers; i++) {
        uint64_t bytes = rotation->used[i] ? dataset->buffers[i].device_bytes : 0;

        used_bytes += bytes;
        copy_bytes += bytes ? bytes + BAND_BYTES : 0;
    }
    cache_bytes = ct_cold_copies_cache_bytes(ct_device_info(session->device),
                                             ct_session_on_processor(session));
    wanted = ct_cold_copies_count(used_bytes, copy_bytes, cache_bytes,
                                  room_bytes(session), &rotation->short_of);
    rotation->copies = 1;
    rotation->slots = ct_mem_array(wanted * rotation->buffers, sizeof(*rotation->slots));
    if (!rotation->slots)
        return ct_err_nomem(err);
    while (!status && rotation->copies < wanted) {
        status = make_copy(session, dataset, plan, rotation, rotation->copies, &own);
        if (!status) {
            rotation->copies++;
            rotation->bytes += copy_bytes;
        }
    }
    if (status == CT_E_NOMEM ||
        (status == CT_E_DEVICE &&
         ct_device_failure_of(session->device) != CT_DEVICE_BROKEN)) {
        rotation->short_of = true;
        return CT_OK;
    }
    if (status && err)
        *err = own;
    return status;
}

enum ct_status ct_cold_rotation_get(struct ct_session *session,
                                    struct ct_dataset *dataset,
                                    const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_cold_rotation *rotation = calloc(1, sizeof(*rotation));
    enum ct_status status = CT_OK;

    if (!rotation)
        return ct_err_nomem(err);
    rotation->copies = 1;
    rotation->buffers = dataset->count;
    rotation->used = ct_mem_array(dataset->count, sizeof(*rotation->used));
    if (!rotation->used) {
        ct_cold_rotation_free(rotation);
        return ct_err_nomem(err);
    }
    find_used(plan, rotation->used);
    if (dataset->rotation && !memcmp(dataset->rotation->used, rotation->used,
                                     dataset->count * sizeof(*rotation->used))) {
        ct_cold_rotation_free(rotation);
        return CT_OK;
    }
    ct_cold_rotation_free(dataset->rotation);
    dataset->rotation = NULL;
    status = make_rotation(session, dataset, plan, rotation, err);
    if (status)
        ct_cold_rotation_free(rotation);
    else
        dataset->rotation = rotation;
    return status;
}

/* --- rotation --- */

size_t ct_cold_rotation_copies(const struct ct_cold_rotation *rotation)
{
    return rotation->copies;
}

bool ct_cold_rotation_short(const struct ct_cold_rotation *rotation)
{
    return rotation->short_of;
}

static void go_to(struct ct_dataset *dataset, size_t copy)
{
    struct ct_cold_rotation *rotation = dataset->rotation;
    struct ct_buffer **from = rotation->slots + rotation->at * rotation->buffers;
    struct ct_buffer **to = rotation->slots + copy * rotation->buffers;

    for (size_t i = 0; copy != rotation->at && i < rotation->buffers; i++) {
        struct ct_dataset_buffer *buffer = &dataset->buffers[i];

        if (!rotation->used[i])
            continue;
        from[i] = buffer->device;
        buffer->device = to[i];
    }
    rotation->at = copy;
}

void ct_cold_rotation_turn(struct ct_dataset *dataset)
{
    struct ct_cold_rotation *rotation = dataset->rotation;

    go_to(dataset, (rotation->at + 1) % rotation->copies);
    rotation->turns++;
}

bool ct_cold_rotation_stale(const struct ct_dataset *dataset)
{
    return dataset->rotation->turns >= dataset->rotation->copies;
}

enum ct_status ct_cold_rotation_restore(struct ct_dataset *dataset,
                                        const struct ct_plan *plan, bool each,
                                        struct ct_err *err)
{
    struct ct_cold_rotation *rotation = dataset->rotation;
    enum ct_status status = CT_OK;

    for (size_t copy = 0; !status && copy < rotation->copies; copy++) {
        go_to(dataset, copy);
        for (size_t i = 0; !status && i < rotation->buffers; i++)
            if (rotation->used[i] && plan->buffers[i].fill.kind != CT_FILL_NONE &&
                (!each || plan->buffers[i].restore == CT_RESTORE_EACH))
                status = ct_dataset_renew(&dataset->buffers[i], err);
    }
    rotation->turns = 0;
    return status;
}

enum ct_status ct_cold_rotation_clear(struct ct_dataset *dataset,
                                      const struct ct_plan *plan, struct ct_err *err)
{
    size_t at = dataset->rotation->at;
    enum ct_status status = CT_OK;

    for (size_t copy = 0; !status && copy < dataset->rotation->copies; copy++) {
        go_to(dataset, copy);
        status = ct_dataset_clear_outputs(dataset, plan, err);
    }
    go_to(dataset, at);
    return status;
}

void ct_cold_rotation_home(struct ct_dataset *dataset)
{
    if (dataset && dataset->rotation)
        go_to(dataset, 0);
}
