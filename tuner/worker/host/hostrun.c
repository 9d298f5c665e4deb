// SPDX-License-Identifier: Apache-2.0
// Arrays and pointers for host code.
#include "worker/host/hostrun.h"

#include "worker/data/data.h"
#include "worker/parallel.h"
#include "worker/reference/expected.h"

#include <string.h>

/* One pointer per argument. */
static enum ct_status make_args(struct ct_hostrun *run, const struct ct_plan_host *host,
                                struct ct_err *err)
{
    run->args = ct_arena_array(&run->arena, host->arg_count, sizeof(*run->args));
    if (!run->args)
        return ct_err_nomem(err);
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
        } else if (arg->kind == CT_ARG_BYTES) {
            /* As aligned as any type. */
            run->args[i] = ct_arena_alloc(&run->arena, (size_t)arg->data_bytes);
            if (!run->args[i])
                return ct_err_nomem(err);
            memcpy(run->args[i], arg->data, (size_t)arg->data_bytes);
        } else if (arg->kind != CT_ARG_NULL) {
            return ct_err_set(err, CT_E_SPEC,
                              "host code accepts buffers and scalars only");
        }
    }
    return CT_OK;
}

static enum ct_status start_run(struct ct_hostrun *run, const struct ct_dataset *dataset,
                                struct ct_err *err)
{
    memset(run, 0, sizeof(*run));
    run->arrays = ct_arena_array(&run->arena, dataset->count, sizeof(*run->arrays));
    run->borrowed = ct_arena_array(&run->arena, dataset->count, sizeof(*run->borrowed));
    run->mapped = ct_arena_array(&run->arena, dataset->count, sizeof(*run->mapped));
    run->size_bytes =
        ct_arena_array(&run->arena, dataset->count, sizeof(*run->size_bytes));
    if (!run->arrays || !run->borrowed || !run->mapped || !run->size_bytes)
        return ct_err_nomem(err);
    run->count = dataset->count;
    for (size_t i = 0; i < run->count; i++)
        run->size_bytes[i] = dataset->buffers[i].size_bytes;
    return CT_OK;
}

static bool gets_buffer(const struct ct_plan_host *host, size_t buffer)
{
    for (size_t i = 0; i < host->arg_count; i++)
        if (host->args[i].kind == CT_ARG_BUFFER && host->args[i].buffer == buffer)
            return true;
    return false;
}

enum ct_status ct_hostrun_reference(struct ct_hostrun *run,
                                    const struct ct_session *session,
                                    const struct ct_dataset *dataset,
                                    const struct ct_plan *plan, struct ct_err *err)
{
    enum ct_status status = start_run(run, dataset, err);

    for (size_t i = 0; !status && i < run->count; i++) {
        /* What it defines is handed on, and freed as any array. */
        bool defined = ct_expected_by_reference(&plan->buffers[i]);

        if (!defined && !gets_buffer(&plan->reference, i))
            continue;
        if (!defined)
            run->arrays[i] = ct_dataset_map_fill(session, dataset, &plan->buffers[i],
                                                 run->size_bytes[i]);
        run->mapped[i] = run->arrays[i] != NULL;
        if (!run->mapped[i])
            run->arrays[i] = ct_data_alloc(run->size_bytes[i]);
        if (!run->arrays[i])
            status = ct_err_nomem(err);
    }
    if (status)
        return status;
    ct_hostrun_restore(run, dataset);
    return make_args(run, &plan->reference, err);
}

enum ct_status ct_hostrun_copy(struct ct_hostrun *run, const struct ct_hostrun *first,
                               const bool *shared, const struct ct_dataset *dataset,
                               const struct ct_plan_host *host, struct ct_err *err)
{
    enum ct_status status = start_run(run, dataset, err);

    if (status)
        return status;
    for (size_t i = 0; i < run->count; i++) {
        run->borrowed[i] = first && shared[i];
        run->arrays[i] =
            run->borrowed[i] ? first->arrays[i] : ct_data_alloc(run->size_bytes[i]);
        if (!run->arrays[i])
            return ct_err_nomem(err);
    }
    ct_hostrun_restore(run, dataset);
    return make_args(run, host, err);
}

enum ct_status ct_hostrun_init(struct ct_hostrun *run, const struct ct_dataset *dataset,
                               const struct ct_plan_host *host, struct ct_err *err)
{
    return ct_hostrun_copy(run, NULL, NULL, dataset, host, err);
}

void ct_hostrun_restore(struct ct_hostrun *run, const struct ct_dataset *dataset)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->borrowed[i] || run->mapped[i] || !run->arrays[i])
            continue;
        if (dataset->buffers[i].initial)
            ct_parallel_copy(run->arrays[i], dataset->buffers[i].initial,
                             run->size_bytes[i]);
        else
            ct_parallel_set(run->arrays[i], 0xFF, run->size_bytes[i]);
    }
}

size_t ct_hostrun_damaged(const struct ct_hostrun *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (run->arrays[i] && !ct_data_intact(run->arrays[i], run->size_bytes[i]))
            return i;
    return run->count;
}

void ct_hostrun_release(struct ct_hostrun *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (run->mapped[i])
            ct_data_unmap(run->arrays[i], run->size_bytes[i]);
        else if (!run->borrowed[i])
            ct_data_free(run->arrays[i]);
    ct_arena_release(&run->arena);
    memset(run, 0, sizeof(*run));
}
