// SPDX-License-Identifier: Apache-2.0
// Reads clocks and sensors before and after timing.
#include "worker/timing/watch.h"

#include "worker/timing/watch_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ct_watch {
    struct ct_device *device;
    struct ct_nvml *nvml;
    struct ct_hostload_set allowed;
    bool running;
    struct ct_watch_mark begin;
    struct ct_watch_sum last; /* of the last interval alone */
    struct ct_watch_sum sum;
};

static const char stat_path[] = "/proc/stat";

struct ct_watch *ct_watch_new(struct ct_device *device)
{
    struct ct_watch *watch = calloc(1, sizeof(*watch));

    if (!watch)
        return NULL;
    watch->device = device;
    /* Now: it takes 50 ms, which a process that is made ready has. */
    watch->nvml = ct_nvml_open(device);
    return watch;
}

void ct_watch_free(struct ct_watch *watch)
{
    if (!watch)
        return;
    ct_nvml_close(watch->nvml);
    free(watch);
}

void ct_watch_reset(struct ct_watch *watch)
{
    if (!watch)
        return;
    watch->running = false;
    memset(&watch->last, 0, sizeof(watch->last));
    memset(&watch->sum, 0, sizeof(watch->sum));
}

void ct_watch_begin(struct ct_watch *watch)
{
    if (!watch)
        return;
    /* A baseline may have bound the process to one processor in between. */
    ct_hostload_allowed(&watch->allowed);
    memset(&watch->last, 0, sizeof(watch->last));
    ct_nvml_read(watch->nvml, &watch->begin.sensors);
    ct_hostload_read(stat_path, &watch->allowed, true, &watch->begin.host);
    watch->running = true;
}

void ct_watch_end(struct ct_watch *watch, uint64_t pipelines, struct ct_quantities *out)
{
    struct ct_watch_mark end;

    if (!watch || !watch->running)
        return;
    /* The clocks first: the interval is that of the pipelines. */
    ct_hostload_read(stat_path, &watch->allowed, false, &end.host);
    ct_nvml_read(watch->nvml, &end.sensors);
    watch->running = false;
    ct_watch_sum_add(&watch->last, &watch->begin, &end, pipelines);
    ct_watch_sum_add(&watch->sum, &watch->begin, &end, pipelines);
    ct_watch_sum_tell(&watch->sum, out);
}

double ct_watch_others(const struct ct_watch *watch)
{
    struct ct_watch_mark now;
    struct ct_watch_sum sum = {0};

    if (!watch)
        return NAN;
    if (!watch->running)
        return ct_watch_sum_others(&watch->last);
    ct_hostload_read(stat_path, &watch->allowed, false, &now.host);
    ct_nvml_read(NULL, &now.sensors);
    ct_watch_sum_add(&sum, &watch->begin, &now, 0);
    return ct_watch_sum_others(&sum);
}

void ct_watch_event(struct ct_watch *watch, struct ct_event event,
                    struct ct_quantities *out)
{
    static const enum ct_quantity quantities[CT_COUNTERS] = {
        [CT_COUNTER_EXECUTION_CYCLES] = CT_QUANTITY_EXECUTION_CYCLES,
        [CT_COUNTER_IDLE_CYCLES] = CT_QUANTITY_IDLE_CYCLES,
        [CT_COUNTER_INSTRUCTIONS] = CT_QUANTITY_INSTRUCTIONS,
        [CT_COUNTER_INSTRUCTION_MISSES] = CT_QUANTITY_INSTRUCTION_MISSES,
        [CT_COUNTER_L2_MISSES] = CT_QUANTITY_L2_MISSES,
    };
    double values[CT_COUNTERS];

    if (!watch || !ct_event_counters(watch->device, event, values))
        return;
    for (int i = 0; i < CT_COUNTERS; i++)
        if (!isnan(values[i]))
            ct_quantities_set(out, quantities[i], values[i]);
}
