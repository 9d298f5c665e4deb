// SPDX-License-Identifier: Apache-2.0
// The wrapped entry points.  Idle, each is one call more; no result code is changed.
#include "layer/real.h"

#include "layer/capture.h"
#include "layer/exec.h"
#include "layer/informed.h"
#include "layer/launch.h"
#include "layer/objects.h"
#include "layer/queues.h"
#include "layer/times.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* --- queues --- */

static bool wants_times(void)
{
    enum ct_layer_task mode = ct_layer_mode();

    return mode == CT_LAYER_CAPTURE || (mode == CT_LAYER_EXEC && ct_exec_reports());
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueue(cl_context context, cl_device_id device,
                     cl_command_queue_properties properties, cl_int *code)
{
    if (wants_times())
        return ct_queues_create(context, device, properties, code);
    return ct_real.clCreateCommandQueue(context, device, properties, code);
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                   const cl_queue_properties *properties, cl_int *code)
{
    if (wants_times())
        return ct_queues_create_with(context, device, properties, code);
    return ct_real.clCreateCommandQueueWithProperties(context, device, properties, code);
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue,
                                                      cl_command_queue_info name,
                                                      size_t size, void *value,
                                                      size_t *size_ret)
{
    if (wants_times())
        return ct_queues_info(queue, name, size, value, size_ret);
    return ct_real.clGetCommandQueueInfo(queue, name, size, value, size_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event,
                                                        cl_profiling_info name,
                                                        size_t size, void *value,
                                                        size_t *size_ret)
{
    if (wants_times())
        return ct_queues_event_times(event, name, size, value, size_ret);
    return ct_real.clGetEventProfilingInfo(event, name, size, value, size_ret);
}

static void harvest_times(void)
{
    if (wants_times())
        ct_times_harvest();
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
    harvest_times();
    atomic_fetch_add(&ct_layer_generation, 1);
    if (wants_times())
        ct_queues_release(queue);
    return ct_real.clReleaseCommandQueue(queue);
}

/* --- programs --- */

static char *join(cl_uint count, const char **texts, const size_t *lengths,
                  size_t *length)
{
    char *all;
    size_t at = 0;

    *length = 0;
    for (cl_uint i = 0; i < count; i++)
        *length += lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
    all = ct_mem_array(*length + 1, 1);
    for (cl_uint i = 0; all && i < count; i++) {
        size_t part = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);

        memcpy(all + at, texts[i], part);
        at += part;
    }
    return all;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context,
                                                              cl_uint count,
                                                              const char **texts,
                                                              const size_t *lengths,
                                                              cl_int *code)
{
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_program program =
        ct_real.clCreateProgramWithSource(context, count, texts, lengths, code);
    size_t length;
    char *source;

    if (idle || !program)
        return program;
    source = join(count, texts, lengths, &length);
    if (source)
        ct_objects_add_program(program, context, source, length, NULL);
    return program;
}

static cl_program without_source(cl_program program, cl_context context, const char *why)
{
    if (program && ct_layer_mode() != CT_LAYER_IDLE)
        ct_objects_add_program(program, context, NULL, 0, why);
    return program;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(
    cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths,
    const unsigned char **binaries, cl_int *status, cl_int *code)
{
    ct_layer_prepare();
    return without_source(ct_real.clCreateProgramWithBinary(
                              context, count, devices, lengths, binaries, status, code),
                          context, "its program was loaded as a binary");
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context,
                                                          const void *il, size_t length,
                                                          cl_int *code)
{
    ct_layer_prepare();
    return without_source(ct_real.clCreateProgramWithIL(context, il, length, code),
                          context,
                          "its program was loaded as an intermediate language (SPIR-V)");
}

/* Whether a build was refused, so that the program is what it was: it has kernels, for one. */
static bool is_refused(cl_int code)
{
    return code == CL_INVALID_OPERATION || code == CL_INVALID_VALUE ||
           code == CL_INVALID_DEVICE || code == CL_INVALID_PROGRAM;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(
    cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
    void(CL_CALLBACK *notify)(cl_program program, void *user_data), void *user)
{
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_int code;

    /* First: with `notify` the build may go on after this call. */
    if (!idle && notify)
        ct_objects_built(program, options, NULL);
    code = ct_informed_build(program, count, devices, options, notify, user);
    if (!idle && !notify && !is_refused(code))
        ct_objects_built(program, options, NULL);
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(
    cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
    cl_uint header_count, const cl_program *headers, const char **names,
    void(CL_CALLBACK *notify)(cl_program program, void *user_data), void *user)
{
    const char *why =
        header_count ? "its program was compiled with headers that are programs" : NULL;
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_int code;

    if (!idle && notify)
        ct_objects_built(program, options, why);
    code = !header_count && !headers && !names
               ? ct_informed_compile(program, count, devices, options, notify, user)
               : ct_real.clCompileProgram(program, count, devices, options, header_count,
                                          headers, names, notify, user);
    if (!idle && !notify && !is_refused(code))
        ct_objects_built(program, options, why);
    return code;
}

CL_API_ENTRY cl_program CL_API_CALL
clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
              const char *options, cl_uint part_count, const cl_program *parts,
              void(CL_CALLBACK *notify)(cl_program program, void *user_data), void *user,
              cl_int *code)
{
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_program program = ct_real.clLinkProgram(context, count, devices, options,
                                               part_count, parts, notify, user, code);

    if (!program || idle)
        return program;
    if (part_count != 1 || !ct_objects_linked(program, context, parts[0], options))
        without_source(program, context,
                       "its program was linked from several, or from a library");
    ct_informed_link(program, part_count, parts);
    return program;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program,
                                                      cl_device_id device,
                                                      cl_program_build_info name,
                                                      size_t size, void *value,
                                                      size_t *size_ret)
{
    ct_layer_prepare();
    return ct_informed_build_info(program, device, name, size, value, size_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    if (ct_layer_mode() != CT_LAYER_IDLE)
        ct_objects_release_program(program);
    return ct_real.clReleaseProgram(program);
}

/* --- kernels --- */

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name,
                                                  cl_int *code)
{
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_kernel kernel = ct_real.clCreateKernel(program, name, code);

    if (kernel && !idle)
        ct_objects_add_kernel(kernel, program, NULL);
    return kernel;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program,
                                                         cl_uint count,
                                                         cl_kernel *kernels,
                                                         cl_uint *count_ret)
{
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_uint found = 0;
    cl_int code = ct_real.clCreateKernelsInProgram(program, count, kernels, &found);

    if (!code && count_ret)
        *count_ret = found;
    for (cl_uint i = 0; !code && !idle && kernels && i < found && i < count; i++)
        ct_objects_add_kernel(kernels[i], program, NULL);
    return code;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel kernel, cl_int *code)
{
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_kernel clone = ct_real.clCloneKernel(kernel, code);

    if (clone && !idle)
        ct_objects_add_kernel(clone, NULL, kernel);
    return clone;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    if (ct_layer_mode() != CT_LAYER_IDLE)
        ct_objects_release_kernel(kernel);
    return ct_real.clReleaseKernel(kernel);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index,
                                                   cl_kernel_arg_info name, size_t size,
                                                   void *value, size_t *size_ret)
{
    return ct_informed_argument_info(kernel, index, name, size, value, size_ret);
}

static cl_int note_argument(cl_int code, cl_kernel kernel, cl_uint index, size_t size,
                            const void *value, bool pointer)
{
    enum ct_layer_task mode = ct_layer_mode();
    struct ct_layer_kernel *record;

    if (code || mode == CT_LAYER_IDLE)
        return code;
    record = ct_objects_kernel(kernel);
    if (!record)
        return code;
    ct_objects_set(record, index, size, value, pointer);
    if (mode == CT_LAYER_EXEC)
        ct_exec_set(record, index);
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index,
                                               size_t size, const void *value)
{
    (void)ct_layer_mode();
    return note_argument(ct_real.clSetKernelArg(kernel, index, size, value), kernel,
                         index, size, value, false);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index,
                                                         const void *value)
{
    ct_layer_prepare();
    return note_argument(ct_real.clSetKernelArgSVMPointer(kernel, index, value), kernel,
                         index, sizeof(void *), &value, true);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel,
                                                    cl_kernel_exec_info name, size_t size,
                                                    const void *value)
{
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_int code = ct_real.clSetKernelExecInfo(kernel, name, size, value);
    struct ct_layer_kernel *record = idle || code ? NULL : ct_objects_kernel(kernel);

    if (record)
        record->special = true;
    return code;
}

/* --- launches --- */

static cl_int launch(struct ct_layer_launch *launched)
{
    enum ct_layer_task mode = ct_layer_mode();

    launched->record = mode == CT_LAYER_IDLE ? NULL : ct_objects_kernel(launched->kernel);
    /* Events that are missing: OpenCL says so. */
    if (!launched->record || (launched->wait_count && !launched->waits))
        return ct_layer_enqueue(launched, launched->event);
    return mode == CT_LAYER_EXEC ? ct_exec_launch(launched) : ct_capture_launch(launched);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                       const size_t *offset, const size_t *global, const size_t *local,
                       cl_uint wait_count, const cl_event *waits, cl_event *event)
{
    struct ct_layer_launch launched = {.queue = queue,
                                       .kernel = kernel,
                                       .dimensions = dimensions,
                                       .offset = offset,
                                       .global = global,
                                       .local = local,
                                       .wait_count = wait_count,
                                       .waits = waits,
                                       .event = event};

    if (ct_layer_mode() == CT_LAYER_IDLE || dimensions < 1 || dimensions > 3 || !global)
        return ct_layer_enqueue(&launched, event);
    return launch(&launched);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel,
                                              cl_uint wait_count, const cl_event *waits,
                                              cl_event *event)
{
    static const size_t one[1] = {1};
    struct ct_layer_launch launched = {.queue = queue,
                                       .kernel = kernel,
                                       .task = true,
                                       .dimensions = 1,
                                       .global = one,
                                       .local = one,
                                       .wait_count = wait_count,
                                       .waits = waits,
                                       .event = event};

    ct_layer_prepare();
    return launch(&launched);
}

/* --- events that the program sets --- */

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *code)
{
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_event event = ct_real.clCreateUserEvent(context, code);

    if (event && !idle)
        ct_layer_hold(1);
    return event;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status)
{
    bool idle = ct_layer_mode() == CT_LAYER_IDLE;
    cl_int code = ct_real.clSetUserEventStatus(event, status);

    if (!code && !idle)
        ct_layer_hold(-1);
    return code;
}

/* --- where programs wait --- */

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
    void *data, cl_uint wait_count, const cl_event *waits, cl_event *event)
{
    cl_int code;

    ct_layer_prepare();
    code = ct_real.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, data,
                                       wait_count, waits, event);
    if (blocking)
        harvest_times();
    return code;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                  cl_bool blocking, cl_map_flags flags,
                                                  size_t offset, size_t size,
                                                  cl_uint wait_count,
                                                  const cl_event *waits, cl_event *event,
                                                  cl_int *code)
{
    void *mapped;

    ct_layer_prepare();
    mapped = ct_real.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size,
                                        wait_count, waits, event, code);
    if (blocking)
        harvest_times();
    return mapped;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events)
{
    cl_int code;

    ct_layer_prepare();
    code = ct_real.clWaitForEvents(count, events);
    harvest_times();
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    cl_int code;

    ct_layer_prepare();
    code = ct_real.clFinish(queue);
    harvest_times();
    return code;
}
