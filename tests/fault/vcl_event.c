// SPDX-License-Identifier: Apache-2.0
// The virtual clock, events, and how synchronising keeps virtual time below real time.

#include "vcl.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;

static void wait_until(cl_ulong done_ns)
{
    while (vcl_paced()) {
        cl_ulong now_ns = vcl_wall_ns();
        if (now_ns >= done_ns)
            return;
        cl_ulong rest_ns = done_ns - now_ns;
        struct timespec rest = {.tv_sec = (time_t)(rest_ns / 1000000000u),
                                .tv_nsec = (long)(rest_ns % 1000000000u)};
        nanosleep(&rest, NULL);
    }
}

static bool complete(cl_event event)
{
    return !vcl_paced() || vcl_wall_ns() >= event->wall_done_ns;
}

static void event_release(cl_event event)
{
    if (!vcl_object_drop(&event->object))
        return;
    event->object.kind = 0;
    vcl_queue_release(event->queue);
    vcl_context_release(event->context);
    free(event);
}

bool vcl_launch_begins(cl_command_queue queue)
{
    pthread_mutex_lock(&clock_lock);
    bool first = queue->launches++ == 0;
    pthread_mutex_unlock(&clock_lock);
    return first;
}

static void add_faults(struct vcl_faults *sum, const struct vcl_faults *faults)
{
    for (size_t i = 0; faults && i < VCL_KINDS; i++)
        if (faults->bits >> i & 1)
            sum->number[i] = faults->number[i];
    sum->bits |= faults ? faults->bits : 0;
}

void vcl_command_launch(cl_command_queue queue, cl_command_type type, cl_ulong time_ns,
                        cl_ulong items, const struct vcl_faults *faults,
                        cl_event *event_ret)
{
    cl_device_id device = queue->device;
    cl_ulong event_ns = time_ns;
    struct vcl_victim clock = {.clock_ns = &event_ns};
    vcl_fault_run(faults, VCL_AT_CLOCK, &clock);
    pthread_mutex_lock(&clock_lock);
    cl_ulong start_ns = device->clock_ns;
    device->clock_ns += event_ns;
    add_faults(&queue->faults, faults);
    cl_ulong now_ns = vcl_wall_ns();
    if (device->wall_busy_ns < now_ns)
        device->wall_busy_ns = now_ns;
    if (vcl_paced())
        device->wall_busy_ns += time_ns;
    queue->wall_done_ns = device->wall_busy_ns;
    cl_ulong done_ns = device->wall_busy_ns;
    pthread_mutex_unlock(&clock_lock);
    if (!event_ret)
        return;
    cl_event event = vcl_allocate(1, sizeof *event);
    vcl_object_init(&event->object, VCL_EVENT);
    vcl_object_retain(&queue->object);
    vcl_object_retain(&queue->context->object);
    event->context = queue->context;
    event->queue = queue;
    event->command = type;
    event->queued_ns = event->submit_ns = event->start_ns = start_ns;
    event->end_ns = start_ns + event_ns;
    event->wall_done_ns = done_ns;
    event->items = items;
    event->failure = vcl_fault_run(faults, VCL_AT_STATUS, NULL);
    struct vcl_victim victim = {.event = event};
    vcl_fault_run(faults, VCL_AT_EVENT, &victim);
    *event_ret = event;
}

void vcl_command(cl_command_queue queue, cl_command_type type, cl_ulong time_ns,
                 cl_event *event)
{
    vcl_command_launch(queue, type, vcl_device_time(queue->device, time_ns), 0, NULL,
                       event);
}

cl_int vcl_waits_check(cl_context context, cl_uint count, const cl_event *events)
{
    if (!events != !count)
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++) {
        if (!vcl_object_is(events[i], VCL_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
        if (events[i]->context != context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

// Waits for a time and runs the faults that wait for it.
static cl_int synchronise(cl_command_queue queue, cl_ulong done_ns)
{
    pthread_mutex_lock(&clock_lock);
    struct vcl_faults faults = queue->faults;
    cl_ulong launches = queue->launches;
    queue->faults.bits = 0;
    queue->launches = 0;
    pthread_mutex_unlock(&clock_lock);
    if (launches > 0)
        vcl_log("finish_begin launches=%llu", (unsigned long long)launches);
    cl_int status = vcl_fault_run(&faults, VCL_AT_FINISH, NULL);
    wait_until(done_ns);
    if (launches > 0)
        vcl_log("finish_end launches=%llu status=%d", (unsigned long long)launches,
                status);
    return status;
}

cl_int vcl_queue_finish(cl_command_queue queue)
{
    pthread_mutex_lock(&clock_lock);
    cl_ulong done_ns = queue->wall_done_ns;
    pthread_mutex_unlock(&clock_lock);
    return synchronise(queue, done_ns);
}

static cl_int finish(cl_command_queue queue)
{
    cl_int status = VCL_INJECTED(clFinish);
    if (status)
        return status;
    if (!vcl_object_is(queue, VCL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    return vcl_queue_finish(queue);
}

static cl_int flush(cl_command_queue queue)
{
    cl_int status = VCL_INJECTED(clFlush);
    if (status)
        return status;
    return vcl_object_is(queue, VCL_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

static cl_int wait_for_events(cl_uint count, const cl_event *events)
{
    cl_int status = VCL_INJECTED(clWaitForEvents);
    if (status)
        return status;
    if (count == 0 || !events)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!vcl_object_is(events[i], VCL_EVENT))
            return CL_INVALID_EVENT;
        if (events[i]->context != events[0]->context)
            return CL_INVALID_CONTEXT;
    }
    for (cl_uint i = 0; i < count; i++) {
        if (synchronise(events[i]->queue, events[i]->wall_done_ns))
            status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return status;
}

static cl_int event_info(cl_event event, cl_event_info name, size_t value_bytes,
                         void *value, size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetEventInfo);
    if (status)
        return status;
    if (!vcl_object_is(event, VCL_EVENT))
        return CL_INVALID_EVENT;
    cl_int execution = !complete(event) ? CL_RUNNING
                       : event->failure ? event->failure
                                        : CL_COMPLETE;
    cl_uint references = atomic_load(&event->object.references);
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
        return vcl_answer(&event->queue, sizeof event->queue, value_bytes, value,
                          value_bytes_ret);
    case CL_EVENT_CONTEXT:
        return vcl_answer(&event->context, sizeof event->context, value_bytes, value,
                          value_bytes_ret);
    case CL_EVENT_COMMAND_TYPE:
        return vcl_answer(&event->command, sizeof event->command, value_bytes, value,
                          value_bytes_ret);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return vcl_answer(&execution, sizeof execution, value_bytes, value,
                          value_bytes_ret);
    case CL_EVENT_REFERENCE_COUNT:
        return vcl_answer(&references, sizeof references, value_bytes, value,
                          value_bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

// VIRTUALCL_TIMER=NS: the clock that events tell goes in steps of that.
static cl_ulong timer_step(void)
{
    const char *text = getenv("VIRTUALCL_TIMER");
    int64_t step_ns = 1;
    if (text && *text &&
        (!vcl_read_whole(text, strlen(text), false, &step_ns) || step_ns < 1)) {
        fprintf(stderr, "virtual OpenCL: VIRTUALCL_TIMER: what is '%s'?\n", text);
        abort();
    }
    return (cl_ulong)step_ns;
}

static cl_int profiling_info(cl_event event, cl_profiling_info name, size_t value_bytes,
                             void *value, size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetEventProfilingInfo);
    if (status)
        return status;
    if (!vcl_object_is(event, VCL_EVENT))
        return CL_INVALID_EVENT;
    if (!(event->queue->properties & CL_QUEUE_PROFILING_ENABLE) || !complete(event))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    cl_ulong time_ns;
    switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
        time_ns = event->queued_ns;
        break;
    case CL_PROFILING_COMMAND_SUBMIT:
        time_ns = event->submit_ns;
        break;
    case CL_PROFILING_COMMAND_START:
        time_ns = event->start_ns;
        break;
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:
        time_ns = event->end_ns;
        break;
    default:
        if (!vcl_counter(event, name, &time_ns))
            return CL_INVALID_VALUE;
        return vcl_answer(&time_ns, sizeof time_ns, value_bytes, value, value_bytes_ret);
    }
    time_ns -= time_ns % timer_step();
    return vcl_answer(&time_ns, sizeof time_ns, value_bytes, value, value_bytes_ret);
}

static cl_int retain_event(cl_event event)
{
    cl_int status = VCL_INJECTED(clRetainEvent);
    if (status)
        return status;
    if (!vcl_object_is(event, VCL_EVENT))
        return CL_INVALID_EVENT;
    vcl_object_retain(&event->object);
    return CL_SUCCESS;
}

static cl_int release_event(cl_event event)
{
    cl_int status = VCL_INJECTED(clReleaseEvent);
    if (status)
        return status;
    if (!vcl_object_is(event, VCL_EVENT))
        return CL_INVALID_EVENT;
    event_release(event);
    return CL_SUCCESS;
}

// Markers and barriers: commands without duration, as all commands run in order.
static cl_int enqueue_nothing(cl_command_queue queue, cl_command_type type, cl_uint waits,
                              const cl_event *list, cl_event *event)
{
    if (!vcl_object_is(queue, VCL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    cl_int status = vcl_waits_check(queue->context, waits, list);
    if (status)
        return status;
    vcl_command(queue, type, 0, event);
    return CL_SUCCESS;
}

static cl_int marker_with_list(cl_command_queue queue, cl_uint waits,
                               const cl_event *list, cl_event *event)
{
    cl_int status = VCL_INJECTED(clEnqueueMarkerWithWaitList);
    return status ? status
                  : enqueue_nothing(queue, CL_COMMAND_MARKER, waits, list, event);
}

static cl_int barrier_with_list(cl_command_queue queue, cl_uint waits,
                                const cl_event *list, cl_event *event)
{
    cl_int status = VCL_INJECTED(clEnqueueBarrierWithWaitList);
    return status ? status
                  : enqueue_nothing(queue, CL_COMMAND_BARRIER, waits, list, event);
}

static cl_int marker(cl_command_queue queue, cl_event *event)
{
    cl_int status = VCL_INJECTED(clEnqueueMarker);
    if (!status && !event)
        status = CL_INVALID_VALUE;
    return status ? status : enqueue_nothing(queue, CL_COMMAND_MARKER, 0, NULL, event);
}

static cl_int barrier(cl_command_queue queue)
{
    cl_int status = VCL_INJECTED(clEnqueueBarrier);
    return status ? status : enqueue_nothing(queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

static cl_int queue_waits(cl_command_queue queue, cl_uint count, const cl_event *list)
{
    cl_int status = VCL_INJECTED(clEnqueueWaitForEvents);
    return status ? status
                  : enqueue_nothing(queue, CL_COMMAND_BARRIER, count, list, NULL);
}

void vcl_event_install(cl_icd_dispatch *table)
{
    table->clFinish = finish;
    table->clFlush = flush;
    table->clWaitForEvents = wait_for_events;
    table->clGetEventInfo = event_info;
    table->clGetEventProfilingInfo = profiling_info;
    table->clRetainEvent = retain_event;
    table->clReleaseEvent = release_event;
    table->clEnqueueMarkerWithWaitList = marker_with_list;
    table->clEnqueueBarrierWithWaitList = barrier_with_list;
    table->clEnqueueMarker = marker;
    table->clEnqueueBarrier = barrier;
    table->clEnqueueWaitForEvents = queue_waits;
}
