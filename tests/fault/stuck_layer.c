// SPDX-License-Identifier: Apache-2.0
// A layer below cltune's whose device is slow to fill, and does not read while a command that a program's
// event holds back is in front, in whatever queue: as where all queues share one channel.
#define _DEFAULT_SOURCE // usleep
#include "below_layer.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static cl_event held; // what a command waits for that was enqueued last

static void *set_late(void *of)
{
    cl_event event = of;

    usleep((useconds_t)atoi(getenv("STUCK_FILL_MS")) * 1000);
    below.clSetUserEventStatus(event, CL_COMPLETE);
    below.clReleaseEvent(event);
    return NULL;
}

static cl_event set_by_thread(cl_command_queue queue)
{
    cl_context context = NULL;
    cl_event event;
    pthread_t thread;

    below.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context,
                                NULL);
    event = below.clCreateUserEvent(context, NULL);
    below.clRetainEvent(event);
    if (!event || pthread_create(&thread, NULL, set_late, event))
        abort();
    pthread_detach(thread);
    return event;
}

static cl_int CL_API_CALL fill(cl_command_queue queue, cl_mem mem, const void *pattern,
                               size_t pattern_bytes, size_t offset, size_t length,
                               cl_uint wait_count, const cl_event *waits, cl_event *event)
{
    cl_event late = NULL;
    cl_int code;

    if (wait_count) {
        held = waits[0];
        below.clRetainEvent(held);
    } else if (getenv("STUCK_FILL_MS")) {
        late = set_by_thread(queue);
        wait_count = 1;
        waits = &late;
    }
    code = below.clEnqueueFillBuffer(queue, mem, pattern, pattern_bytes, offset, length,
                                     wait_count, waits, event);
    if (late)
        below.clReleaseEvent(late);
    return code;
}

static cl_int CL_API_CALL read_later(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                     size_t offset, size_t length, void *bytes,
                                     cl_uint wait_count, const cl_event *waits,
                                     cl_event *event)
{
    if (held && !blocking && !wait_count)
        return below.clEnqueueReadBuffer(queue, mem, blocking, offset, length, bytes, 1,
                                         &held, event);
    return below.clEnqueueReadBuffer(queue, mem, blocking, offset, length, bytes,
                                     wait_count, waits, event);
}

static void place_calls(void)
{
    given.clEnqueueFillBuffer = fill;
    given.clEnqueueReadBuffer = read_later;
}
