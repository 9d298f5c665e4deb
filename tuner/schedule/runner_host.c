// SPDX-License-Identifier: Apache-2.0
// Lets a new worker compile host code while it opens the device (worker/host_ahead.h).
#include "schedule/runner_impl.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static bool buffers_have_code(const struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *buffer = &plan->buffers[i];

        if (buffer->fill.kind == CT_FILL_C || buffer->check == CT_CHECK_C ||
            (buffer->has_expect && buffer->expect.kind == CT_FILL_C))
            return true;
    }
    return false;
}

static bool has_code(const struct ct_plan *plan)
{
    return plan->reference.function || buffers_have_code(plan) ||
           (plan->reference_plan && buffers_have_code(plan->reference_plan));
}

/* Whether another worker has made the plan's data, so that no code is needed for them. */
static bool data_are_known(const struct ct_runner *runner)
{
    const struct ct_shared_cache *shared_cache = runner->shared_cache;
    struct ct_hash data = ct_plan_data_hash(runner->plan);
    char name[CT_SHARED_CACHE_NAME_SIZE];
    int length = snprintf(name, sizeof(name), "data %s ", data.text);

    for (size_t i = 0; i < shared_cache->count; i++)
        if (!strncmp(shared_cache->items[i].name, name, (size_t)length))
            return true;
    return false;
}

void ct_runner_send_host_code(struct ct_runner *runner)
{
    uint64_t until_ns = ct_clock_now_ns() + runner->deadlines.ns[CT_PHASE_START];
    struct ct_str payload;

    if ((runner->type != CT_MSG_EVALUATE && runner->type != CT_MSG_PREPARE) ||
        !has_code(runner->plan) || data_are_known(runner))
        return;
    ct_str_init(&payload);
    ct_plan_put(&payload, runner->plan);
    /* If the worker is dead, the request that follows will fail. */
    if (!payload.failed)
        ct_worker_send(&runner->worker, CT_MSG_COMPILE, &payload, -1, until_ns);
    ct_str_release(&payload);
}
