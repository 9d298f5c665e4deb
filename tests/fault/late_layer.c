// SPDX-License-Identifier: Apache-2.0
// A layer between cltune's and the driver that does what an out-of-order queue may do and
// seldom does: copies that wait for nothing run as late as they may, the last one first.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "below_layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

struct copy {
    cl_command_queue queue;
    cl_mem from, to;
    size_t from_offset, to_offset, length;
};

static struct copy copies[MOST];
static size_t count;

static int is_unordered(cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;

    below.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties),
                                &properties, NULL);
    return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

// Runs the copies that were kept; a code that is not 0 is the last failure.
static cl_int run_copies(void)
{
    cl_int failure = CL_SUCCESS;

    while (count) {
        const struct copy *copy = &copies[--count];
        cl_int code = below.clEnqueueCopyBuffer(copy->queue, copy->from, copy->to,
                                                copy->from_offset, copy->to_offset,
                                                copy->length, 0, NULL, NULL);

        if (!code)
            code = below.clFinish(copy->queue);
        failure = code ? code : failure;
    }
    return failure;
}

static cl_int CL_API_CALL copy_late(cl_command_queue queue, cl_mem from, cl_mem to,
                                    size_t from_offset, size_t to_offset, size_t length,
                                    cl_uint wait_count, const cl_event *waits,
                                    cl_event *event)
{
    if (wait_count || event || count == MOST || !is_unordered(queue))
        return below.clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, length,
                                         wait_count, waits, event);
    copies[count++] = (struct copy){queue, from, to, from_offset, to_offset, length};
    return CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    cl_int code;

    if (count)
        fprintf(stderr, "late layer: copies kept: %zu\n", count);
    code = run_copies();
    return code ? code : below.clFinish(queue);
}

static cl_int CL_API_CALL mark(cl_command_queue queue, cl_uint wait_count,
                               const cl_event *waits, cl_event *event)
{
    cl_int code = run_copies();

    return code ? code
                : below.clEnqueueMarkerWithWaitList(queue, wait_count, waits, event);
}

static void place_calls(void)
{
    given.clEnqueueCopyBuffer = copy_late;
    given.clFinish = finish;
    given.clEnqueueMarkerWithWaitList = mark;
}
