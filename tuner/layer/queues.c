// SPDX-License-Identifier: Apache-2.0
// Profiling added to queues, and hidden again.
#include "layer/queues.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A queue to which profiling was added. */
struct queue {
    cl_command_queue handle;
    cl_queue_properties *list; /* as the program gave it, its end included; NULL: none */
    size_t list_count;
    struct queue *next;
};

static struct queue *queues;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void forget(cl_command_queue handle)
{
    pthread_mutex_lock(&lock);
    for (struct queue **at = &queues; *at; at = &(*at)->next)
        if ((*at)->handle == handle) {
            struct queue *queue = *at;

            *at = queue->next;
            free(queue->list);
            free(queue);
            break;
        }
    pthread_mutex_unlock(&lock);
}

/* A new queue may have the handle of an earlier one, which commands or events have kept beyond its
 * last release by the program. */
static cl_command_queue without_times(cl_command_queue handle)
{
    if (handle)
        forget(handle);
    return handle;
}

static void remember(cl_command_queue handle, const cl_queue_properties *list,
                     size_t list_count)
{
    struct queue *queue = ct_mem_array(1, sizeof(*queue));

    forget(handle);
    if (!queue)
        return;
    queue->handle = handle;
    queue->list = list ? ct_mem_array(list_count, sizeof(*list)) : NULL;
    if (queue->list) {
        memcpy(queue->list, list, list_count * sizeof(*list));
        queue->list_count = list_count;
    }
    pthread_mutex_lock(&lock);
    queue->next = queues;
    queues = queue;
    pthread_mutex_unlock(&lock);
}

cl_command_queue ct_queues_create(cl_context context, cl_device_id device,
                                  cl_command_queue_properties properties, cl_int *code)
{
    cl_command_queue queue = NULL;
    cl_int own = CL_SUCCESS;

    if (!(properties & CL_QUEUE_PROFILING_ENABLE))
        queue = ct_real.clCreateCommandQueue(
            context, device, properties | CL_QUEUE_PROFILING_ENABLE, &own);
    if (!queue)
        return without_times(
            ct_real.clCreateCommandQueue(context, device, properties, code));
    remember(queue, NULL, 0);
    if (code)
        *code = own;
    return queue;
}

cl_command_queue ct_queues_create_with(cl_context context, cl_device_id device,
                                       const cl_queue_properties *properties,
                                       cl_int *code)
{
    cl_queue_properties *list;
    cl_command_queue queue = NULL;
    size_t count = 0;
    size_t at = 0;
    cl_int own = CL_SUCCESS;

    while (properties && properties[count])
        count += 2;
    while (at < count && properties[at] != CL_QUEUE_PROPERTIES)
        at += 2;
    list = ct_mem_array(count + 3, sizeof(*list));
    if (list) {
        if (count)
            memcpy(list, properties, count * sizeof(*list));
        list[at] = CL_QUEUE_PROPERTIES;
        if (!(list[at + 1] & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE))) {
            list[at + 1] |= CL_QUEUE_PROFILING_ENABLE;
            queue =
                ct_real.clCreateCommandQueueWithProperties(context, device, list, &own);
        }
    }
    free(list);
    if (!queue)
        return without_times(ct_real.clCreateCommandQueueWithProperties(
            context, device, properties, code));
    remember(queue, properties, properties ? count + 1 : 0);
    if (code)
        *code = own;
    return queue;
}

/* The list of properties as the program gave it. */
static cl_int list_info(const struct queue *queue, size_t size, void *value,
                        size_t *size_ret)
{
    size_t needed = queue->list_count * sizeof(*queue->list);

    if (value && size < needed)
        return CL_INVALID_VALUE;
    if (value && needed)
        memcpy(value, queue->list, needed);
    if (size_ret)
        *size_ret = needed;
    return CL_SUCCESS;
}

/* The queue of that handle if profiling was added; the caller holds the lock. */
static const struct queue *find(cl_command_queue handle)
{
    const struct queue *queue = queues;

    while (queue && queue->handle != handle)
        queue = queue->next;
    return queue;
}

static bool is_known(cl_command_queue handle)
{
    bool known;

    pthread_mutex_lock(&lock);
    known = handle && find(handle);
    pthread_mutex_unlock(&lock);
    return known;
}

cl_int ct_queues_info(cl_command_queue handle, cl_command_queue_info name, size_t size,
                      void *value, size_t *size_ret)
{
    const struct queue *queue;
    cl_int code;

    if ((name != CL_QUEUE_PROPERTIES && name != CL_QUEUE_PROPERTIES_ARRAY) ||
        !is_known(handle))
        return ct_real.clGetCommandQueueInfo(handle, name, size, value, size_ret);
    if (name == CL_QUEUE_PROPERTIES) {
        code = ct_real.clGetCommandQueueInfo(handle, name, size, value, size_ret);
        if (code == CL_SUCCESS && value)
            *(cl_command_queue_properties *)value &=
                ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
        return code;
    }
    /* The queue's own list may be longer than the program's, which has room for that. */
    code = ct_real.clGetCommandQueueInfo(handle, name, 0, NULL, NULL);
    if (code)
        return code;
    pthread_mutex_lock(&lock);
    queue = find(handle);
    code = queue ? list_info(queue, size, value, size_ret) : CL_INVALID_COMMAND_QUEUE;
    pthread_mutex_unlock(&lock);
    return code;
}

cl_int ct_queues_event_times(cl_event event, cl_profiling_info name, size_t size,
                             void *value, size_t *size_ret)
{
    cl_command_queue handle = NULL;
    cl_int code;

    if (ct_real.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(cl_command_queue),
                               &handle, NULL))
        handle = NULL;
    if (!is_known(handle))
        return ct_real.clGetEventProfilingInfo(event, name, size, value, size_ret);
    /* Without profiling there are no times; what else is wrong with the call counts more. */
    code = ct_real.clGetEventProfilingInfo(event, name, 0, NULL, NULL);
    return code == CL_SUCCESS ? CL_PROFILING_INFO_NOT_AVAILABLE : code;
}

void ct_queues_release(cl_command_queue handle)
{
    cl_uint count = 0;

    if (!ct_real.clGetCommandQueueInfo(handle, CL_QUEUE_REFERENCE_COUNT, sizeof(count),
                                       &count, NULL) &&
        count == 1)
        forget(handle);
}
