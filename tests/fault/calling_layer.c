// SPDX-License-Identifier: Apache-2.0
// A layer below cltune's that calls OpenCL from within its functions, as the callbacks of programs
// do: another thread makes calls of the program's, and the function returns when they have.
// A function from which they do not come back was called by a layer that holds a lock.
#define _GNU_SOURCE
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "below_layer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATIENCE_S = 5 };

// The program's first of each; of its kernel all arguments are set once it was launched.
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static char name[64];
static int launched;
static _Thread_local int calls;

static void *call(void *unused)
{
    const size_t none = 0;
    cl_command_queue_properties properties;

    calls = 1;
    if (launched && kernel)
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &none, NULL, 0, NULL, NULL);
    clFinish(queue);
    clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
                          NULL);
    if (program && *name) {
        cl_kernel other = clCreateKernel(program, name, NULL);

        if (other)
            clReleaseKernel(other);
    }
    return unused;
}

// Lets the other thread call; says once of a function that it did not come back.
static void call_back(const char *function, int *blocked)
{
    struct timespec until;
    pthread_t thread;

    if (calls || *blocked || !launched || !queue)
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    if (pthread_create(&thread, NULL, call, NULL))
        return;
    if (!pthread_timedjoin_np(thread, NULL, &until))
        return;
    *blocked = 1;
    pthread_detach(thread);
    fprintf(stderr, "calling layer: %s waits for ever\n", function);
}

#define CALL_BACK(function)                                                              \
    do {                                                                                 \
        static int blocked;                                                              \
        call_back(#function, &blocked);                                                  \
    } while (0)

// --- what it remembers ---

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties,
                                                 cl_int *code)
{
    cl_command_queue made = below.clCreateCommandQueue(context, device, properties, code);

    queue = queue ? queue : made;
    return made;
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count,
                                             const char **texts, const size_t *lengths,
                                             cl_int *code)
{
    cl_program made;

    CALL_BACK(clCreateProgramWithSource);
    made = below.clCreateProgramWithSource(context, count, texts, lengths, code);
    program = program ? program : made;
    return made;
}

static cl_kernel CL_API_CALL create_kernel(cl_program of, const char *function,
                                           cl_int *code)
{
    cl_kernel made;

    CALL_BACK(clCreateKernel);
    made = below.clCreateKernel(of, function, code);
    if (!*name && made) {
        snprintf(name, sizeof(name), "%s", function);
        kernel = made;
    }
    return made;
}

static cl_int CL_API_CALL enqueue(cl_command_queue to, cl_kernel of, cl_uint dimensions,
                                  const size_t *offset, const size_t *global,
                                  const size_t *local, cl_uint wait_count,
                                  const cl_event *waits, cl_event *event)
{
    launched = 1;
    CALL_BACK(clEnqueueNDRangeKernel);
    return below.clEnqueueNDRangeKernel(to, of, dimensions, offset, global, local,
                                        wait_count, waits, event);
}

static cl_int CL_API_CALL release_memory(cl_mem memory)
{
    /* Perhaps an argument. */
    kernel = NULL;
    return below.clReleaseMemObject(memory);
}

static cl_int CL_API_CALL release_kernel(cl_kernel of)
{
    CALL_BACK(clReleaseKernel);
    kernel = kernel == of ? NULL : kernel;
    return below.clReleaseKernel(of);
}

static cl_int CL_API_CALL release_program(cl_program of)
{
    CALL_BACK(clReleaseProgram);
    program = program == of ? NULL : program;
    return below.clReleaseProgram(of);
}

static cl_int CL_API_CALL release_queue(cl_command_queue of)
{
    queue = queue == of ? NULL : queue;
    return below.clReleaseCommandQueue(of);
}

// --- the others ---

static cl_int CL_API_CALL build(cl_program of, cl_uint count, const cl_device_id *devices,
                                const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    CALL_BACK(clBuildProgram);
    return below.clBuildProgram(of, count, devices, options, notify, user);
}

static cl_int CL_API_CALL release_event(cl_event event)
{
    CALL_BACK(clReleaseEvent);
    return below.clReleaseEvent(event);
}

#define QUESTION(function, object, what)                                                 \
    static cl_int CL_API_CALL ask_##function(object of, what question, size_t size,      \
                                             void *value, size_t *size_ret)              \
    {                                                                                    \
        CALL_BACK(function);                                                             \
        return below.function(of, question, size, value, size_ret);                      \
    }
QUESTION(clGetCommandQueueInfo, cl_command_queue, cl_command_queue_info)
QUESTION(clGetDeviceInfo, cl_device_id, cl_device_info)
QUESTION(clGetEventInfo, cl_event, cl_event_info)
QUESTION(clGetEventProfilingInfo, cl_event, cl_profiling_info)
QUESTION(clGetKernelInfo, cl_kernel, cl_kernel_info)
QUESTION(clGetMemObjectInfo, cl_mem, cl_mem_info)
QUESTION(clGetProgramInfo, cl_program, cl_program_info)

static cl_int CL_API_CALL ask_argument(cl_kernel of, cl_uint index,
                                       cl_kernel_arg_info question, size_t size,
                                       void *value, size_t *size_ret)
{
    CALL_BACK(clGetKernelArgInfo);
    return below.clGetKernelArgInfo(of, index, question, size, value, size_ret);
}

static cl_int CL_API_CALL ask_group(cl_kernel of, cl_device_id device,
                                    cl_kernel_work_group_info question, size_t size,
                                    void *value, size_t *size_ret)
{
    CALL_BACK(clGetKernelWorkGroupInfo);
    return below.clGetKernelWorkGroupInfo(of, device, question, size, value, size_ret);
}

// --- the layer ---

static void place_calls(void)
{
    given.clCreateCommandQueue = create_queue;
    given.clCreateProgramWithSource = create_program;
    given.clCreateKernel = create_kernel;
    given.clEnqueueNDRangeKernel = enqueue;
    given.clReleaseMemObject = release_memory;
    given.clReleaseKernel = release_kernel;
    given.clReleaseProgram = release_program;
    given.clReleaseCommandQueue = release_queue;
    given.clBuildProgram = build;
    given.clReleaseEvent = release_event;
    given.clGetCommandQueueInfo = ask_clGetCommandQueueInfo;
    given.clGetDeviceInfo = ask_clGetDeviceInfo;
    given.clGetEventInfo = ask_clGetEventInfo;
    given.clGetEventProfilingInfo = ask_clGetEventProfilingInfo;
    given.clGetKernelInfo = ask_clGetKernelInfo;
    given.clGetMemObjectInfo = ask_clGetMemObjectInfo;
    given.clGetProgramInfo = ask_clGetProgramInfo;
    given.clGetKernelArgInfo = ask_argument;
    given.clGetKernelWorkGroupInfo = ask_group;
}
