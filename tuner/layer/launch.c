// SPDX-License-Identifier: Apache-2.0
// Launches, and what is asked of their queues and events.
#include "layer/launch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Transfers of large buffers may still be on their way: 8 MiB a second, of memory that is swapped or written
 * to for the first time. */
#define SETTLE_NS          ((uint64_t)5000000000)
#define SETTLE_NS_PER_BYTE ((uint64_t)119)
#define HELD_NS            ((uint64_t)100000000)

#define BEGIN_NS      ((uint64_t)60000000000)
#define BEGIN_HELD_NS ((uint64_t)5000000000)

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

/* Waits for an event while its status is more than one, or until a time; its status then. */
static cl_int await(cl_event event, cl_int least, uint64_t until_ns)
{
    const struct timespec pause = {0, 50000};
    cl_int status;

    while ((status = status_of(event)) > least && now_ns() < until_ns)
        nanosleep(&pause, NULL);
    return status;
}

/* The commands of another queue may wait there until it is flushed, which waiting for one would do. */
static void flush_queue_of(cl_event event)
{
    cl_command_queue queue = NULL;

    if (!ct_real.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(cl_command_queue),
                                &queue, NULL) &&
        queue)
        ct_real.clFlush(queue);
}

cl_command_queue ct_layer_own_queue(const struct ct_layer_launch *launch)
{
    cl_context context = launch->record->program->context;
    cl_device_id device = ct_layer_device_of(launch->queue);

    return ct_real.clCreateCommandQueue
               ? ct_real.clCreateCommandQueue(context, device, 0, NULL)
               : ct_real.clCreateCommandQueueWithProperties(context, device, NULL, NULL);
}

const char *ct_layer_settle(const struct ct_layer_launch *launch, uint64_t bytes,
                            cl_command_queue follower)
{
    static const char waits[] = "it waits for something that the program does later";
    /* Once a program has held launches back, others may wait behind them. */
    static atomic_bool held_back;
    bool hurries = atomic_load(&held_back) || atomic_load(&held) > 0;
    const char *late = hurries ? waits : "what is in front of it takes too long";
    uint64_t until =
        now_ns() + (hurries ? HELD_NS : SETTLE_NS + bytes * SETTLE_NS_PER_BYTE);
    cl_event marker = NULL;
    cl_int status;

    if (waits_for_user(launch)) {
        atomic_store(&held_back, true);
        return waits;
    }
    if (!ct_real.clEnqueueMarkerWithWaitList)
        return launch->wait_count ? "the driver does not tell what it waits for" : NULL;
    for (cl_uint i = 0; i < launch->wait_count; i++) {
        flush_queue_of(launch->waits[i]);
        if (await(launch->waits[i], CL_COMPLETE, until) != CL_COMPLETE)
            return late;
    }
    /* Without a list, it waits for all that is in the queue. */
    if (ct_real.clEnqueueMarkerWithWaitList(launch->queue, 0, NULL, &marker))
        return "its queue refuses commands";
    ct_real.clFlush(launch->queue);
    status = await(marker, CL_COMPLETE, until);
    if (status == CL_COMPLETE) {
        ct_real.clEnqueueMarkerWithWaitList(follower, 1, &marker, NULL);
        if (launch->wait_count)
            ct_real.clEnqueueMarkerWithWaitList(follower, launch->wait_count,
                                                launch->waits, NULL);
    }
    ct_real.clReleaseEvent(marker);
    return status == CL_COMPLETE ? NULL : late;
}

cl_int ct_layer_await(cl_event event)
{
    cl_int status = await(event, CL_RUNNING,
                          now_ns() + (atomic_load(&held) > 0 ? BEGIN_HELD_NS : BEGIN_NS));

    return status == CL_RUNNING ? await(event, CL_COMPLETE, UINT64_MAX) : status;
}

cl_int ct_layer_drain(cl_command_queue queue)
{
    cl_event marker = NULL;
    cl_int status;

    if (!ct_real.clEnqueueMarkerWithWaitList)
        return ct_real.clFinish(queue);
    status = ct_real.clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker);
    if (status)
        return status;
    ct_real.clFlush(queue);
    status = ct_layer_await(marker);
    ct_real.clReleaseEvent(marker);
    return status;
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
