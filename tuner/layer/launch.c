// SPDX-License-Identifier: Apache-2.0
// Launches, and what is asked of their queues and events.
#include "layer/launch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SETTLE_NS ((uint64_t)5000000000)
#define HELD_NS   ((uint64_t)100000000)

cl_int ct_layer_enqueue(const struct ct_layer_launch *launch, cl_event *event)
{
    if (launch->task)
        return ct_real.clEnqueueTask(launch->queue, launch->kernel, launch->wait_count,
                                     launch->waits, event);
    return ct_real.clEnqueueNDRangeKernel(
        launch->queue, launch->kernel, launch->dimensions, launch->offset, launch->global,
        launch->local, launch->wait_count, launch->waits, event);
}

bool ct_layer_is_empty(const struct ct_layer_launch *launch)
{
    for (cl_uint i = 0; i < launch->dimensions; i++)
        if (!launch->global[i] || (launch->local && !launch->local[i]))
            return true;
    return false;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static cl_int status_of(cl_event event)
{
    cl_int status = CL_QUEUED;

    if (ct_real.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
                               &status, NULL))
        return -1;
    return status;
}

/* Whether the launch waits for an event that the program has yet to set. */
static bool waits_for_user(const struct ct_layer_launch *launch)
{
    for (cl_uint i = 0; i < launch->wait_count; i++) {
        cl_command_type type = 0;

        if (!ct_real.clGetEventInfo(launch->waits[i], CL_EVENT_COMMAND_TYPE, sizeof(type),
                                    &type, NULL) &&
            type == CL_COMMAND_USER && status_of(launch->waits[i]) > CL_COMPLETE)
            return true;
    }
    return false;
}

/* Events of the program's that it has not set.  Those that it never sets are counted, too: that makes the
 * layer only less patient. */
static atomic_int held;

void ct_layer_hold(int change)
{
    atomic_fetch_add(&held, change);
}

bool ct_layer_settle(const struct ct_layer_launch *launch)
{
    /* Once a program has held launches back, others may wait behind them. */
    static atomic_bool held_back;
    bool hurries = atomic_load(&held_back) || atomic_load(&held) > 0;
    uint64_t limit_ns = hurries ? HELD_NS : SETTLE_NS;
    uint64_t until = now_ns() + limit_ns;
    struct timespec pause = {0, 50000};
    cl_event marker = NULL;
    cl_int status;

    if (waits_for_user(launch)) {
        atomic_store(&held_back, true);
        return false;
    }
    if (!ct_real.clEnqueueMarkerWithWaitList)
        return launch->wait_count == 0;
    /* Without a list, it waits for all that is in the queue. */
    for (cl_uint i = 0; i <= launch->wait_count; i++) {
        cl_event event;

        if (i == launch->wait_count) {
            if (ct_real.clEnqueueMarkerWithWaitList(launch->queue, 0, NULL, &marker))
                return false;
            ct_real.clFlush(launch->queue);
            event = marker;
        } else {
            event = launch->waits[i];
        }
        while ((status = status_of(event)) > CL_COMPLETE && now_ns() < until)
            nanosleep(&pause, NULL);
        if (status != CL_COMPLETE)
            break;
    }
    if (marker)
        ct_real.clReleaseEvent(marker);
    return status == CL_COMPLETE;
}

cl_device_id ct_layer_device_of(cl_command_queue queue)
{
    cl_device_id device = NULL;

    ct_real.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device,
                                  NULL);
    return device;
}

const char *ct_layer_device_text(cl_device_id device, cl_device_info name, char *out,
                                 size_t size)
{
    char text[2048] = "";

    if (ct_real.clGetDeviceInfo(device, name, sizeof(text) - 1, text, NULL))
        text[0] = '\0';
    snprintf(out, size, "%s", text);
    return out;
}

static const char *device_type(cl_device_id device)
{
    cl_device_type type = 0;

    ct_real.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
    return type & CL_DEVICE_TYPE_GPU           ? "GPU"
           : type & CL_DEVICE_TYPE_ACCELERATOR ? "ACCELERATOR"
           : type & CL_DEVICE_TYPE_CUSTOM      ? "CUSTOM"
                                               : "CPU";
}

static void put_text(struct ct_str *out, const char *key, const char *text)
{
    ct_str_addf(out, "%s ", key);
    for (; *text; text++)
        ct_str_putc(out, *text == '\n' || *text == '\r' ? ' ' : *text);
    ct_str_putc(out, '\n');
}

void ct_layer_put_device(struct ct_str *out, cl_device_id device)
{
    static const struct {
        const char *key;
        cl_device_info name;
    } texts[] = {{"name", CL_DEVICE_NAME},
                 {"vendor", CL_DEVICE_VENDOR},
                 {"driver", CL_DRIVER_VERSION}};
    cl_uint units = 0;
    char text[1024];

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        put_text(out, texts[i].key,
                 ct_layer_device_text(device, texts[i].name, text, sizeof(text)));
    put_text(out, "type", device_type(device));
    ct_real.clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units,
                            NULL);
    ct_str_addf(out, "units %u\n", units);
}

uint64_t ct_layer_event_ns(cl_event event)
{
    cl_ulong start = 0;
    cl_ulong end = 0;

    if (ct_real.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start),
                                        &start, NULL) ||
        ct_real.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end),
                                        &end, NULL))
        return 0;
    return end > start ? end - start : 0;
}
