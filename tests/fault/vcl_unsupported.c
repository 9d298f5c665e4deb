// SPDX-License-Identifier: Apache-2.0
// What the virtual driver does not offer: every such call says CL_INVALID_OPERATION.

#include "vcl.h"

#include <string.h>

static cl_int refuse_any(void)
{
    return CL_INVALID_OPERATION;
}

// The same where VIRTUALCL_FAIL may ask for another error; the arguments do not matter.
#define REFUSE(call)                                                                     \
    static cl_int refuse_##call(void)                                                    \
    {                                                                                    \
        cl_int status = VCL_INJECTED(call);                                              \
        return status ? status : CL_INVALID_OPERATION;                                   \
    }
REFUSE(clEnqueueCopyBufferToImage)
REFUSE(clEnqueueCopyImage)
REFUSE(clEnqueueCopyImageToBuffer)
REFUSE(clEnqueueFillImage)
REFUSE(clEnqueueReadImage)
REFUSE(clEnqueueWriteImage)
REFUSE(clReleaseSampler)

static const struct {
    size_t place;
    cl_int (*refuse)(void);
} refusals[] = {
#define ROW(call)                                                                        \
    {                                                                                    \
        offsetof(cl_icd_dispatch, call), refuse_##call                                   \
    }
    ROW(clEnqueueCopyBufferToImage), ROW(clEnqueueCopyImage),
    ROW(clEnqueueCopyImageToBuffer), ROW(clEnqueueFillImage),
    ROW(clEnqueueReadImage),         ROW(clEnqueueWriteImage),
    ROW(clReleaseSampler),
};

static cl_mem image_2d(cl_context context, cl_mem_flags flags,
                       const cl_image_format *format, size_t width, size_t height,
                       size_t pitch, void *host, cl_int *error)
{
    (void)context, (void)flags, (void)format, (void)width, (void)height;
    (void)pitch, (void)host;
    return vcl_refuse(error, CL_INVALID_OPERATION);
}

static cl_mem image_3d(cl_context context, cl_mem_flags flags,
                       const cl_image_format *format, size_t width, size_t height,
                       size_t depth, size_t row, size_t slice, void *host, cl_int *error)
{
    (void)context, (void)flags, (void)format, (void)width, (void)height, (void)depth;
    (void)row, (void)slice, (void)host;
    return vcl_refuse(error, CL_INVALID_OPERATION);
}

static cl_mem image(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                    const cl_image_desc *shape, void *host, cl_int *error)
{
    (void)context, (void)flags, (void)format, (void)shape, (void)host;
    cl_int status = VCL_INJECTED(clCreateImage);
    return vcl_refuse(error, status ? status : CL_INVALID_OPERATION);
}

static cl_mem image_with_properties(cl_context context, const cl_mem_properties *list,
                                    cl_mem_flags flags, const cl_image_format *format,
                                    const cl_image_desc *shape, void *host, cl_int *error)
{
    (void)list;
    return image(context, flags, format, shape, host, error);
}

static cl_sampler sampler(cl_context context, cl_bool normalized,
                          cl_addressing_mode addressing, cl_filter_mode filter,
                          cl_int *error)
{
    (void)context, (void)normalized, (void)addressing, (void)filter;
    cl_int status = VCL_INJECTED(clCreateSampler);
    return vcl_refuse(error, status ? status : CL_INVALID_OPERATION);
}

static cl_sampler sampler_with_properties(cl_context context,
                                          const cl_sampler_properties *list,
                                          cl_int *error)
{
    (void)context, (void)list;
    return vcl_refuse(error, CL_INVALID_OPERATION);
}

static cl_event user_event(cl_context context, cl_int *error)
{
    (void)context;
    return vcl_refuse(error, CL_INVALID_OPERATION);
}

static cl_program built_in(cl_context context, cl_uint count, const cl_device_id *devices,
                           const char *names, cl_int *error)
{
    (void)context, (void)count, (void)devices, (void)names;
    return vcl_refuse(error, CL_INVALID_OPERATION);
}

static cl_program link_program(cl_context context, cl_uint count,
                               const cl_device_id *devices, const char *options,
                               cl_uint inputs, const cl_program *programs,
                               void(CL_CALLBACK *notify)(cl_program, void *), void *data,
                               cl_int *error)
{
    (void)context, (void)count, (void)devices, (void)options, (void)inputs;
    (void)programs, (void)notify, (void)data;
    return vcl_refuse(error, CL_INVALID_OPERATION);
}

static cl_program program_with_il(cl_context context, const void *text, size_t bytes,
                                  cl_int *error)
{
    (void)context, (void)text, (void)bytes;
    return vcl_refuse(error, CL_INVALID_OPERATION);
}

static cl_kernel clone_kernel(cl_kernel kernel, cl_int *error)
{
    (void)kernel;
    return vcl_refuse(error, CL_INVALID_OPERATION);
}

static cl_mem pipe_object(cl_context context, cl_mem_flags flags, cl_uint packet,
                          cl_uint packets, const cl_pipe_properties *list, cl_int *error)
{
    (void)context, (void)flags, (void)packet, (void)packets, (void)list;
    return vcl_refuse(error, CL_INVALID_OPERATION);
}

static void *map_image(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                       cl_map_flags flags, const size_t *origin, const size_t *region,
                       size_t *row, size_t *slice, cl_uint waits, const cl_event *list,
                       cl_event *event, cl_int *error)
{
    (void)queue, (void)mem, (void)blocking, (void)flags, (void)origin, (void)region;
    (void)row, (void)slice, (void)waits, (void)list, (void)event;
    cl_int status = VCL_INJECTED(clEnqueueMapImage);
    return vcl_refuse(error, status ? status : CL_INVALID_OPERATION);
}

static void *svm_allocate(cl_context context, cl_svm_mem_flags flags, size_t bytes,
                          cl_uint alignment)
{
    (void)context, (void)flags, (void)bytes, (void)alignment;
    return NULL;
}

void vcl_unsupported_install(cl_icd_dispatch *table)
{
    // All entries are function pointers, also those that the headers type as void *.
    cl_int (*any)(void) = refuse_any;
    for (size_t place = 0; place < sizeof *table; place += sizeof any)
        memcpy((char *)table + place, &any, sizeof any);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        memcpy((char *)table + refusals[i].place, &refusals[i].refuse, sizeof any);
    table->clCreateImage2D = image_2d;
    table->clCreateImage3D = image_3d;
    table->clCreateImage = image;
    table->clCreateImageWithProperties = image_with_properties;
    table->clCreateSampler = sampler;
    table->clCreateSamplerWithProperties = sampler_with_properties;
    table->clCreateUserEvent = user_event;
    table->clCreateProgramWithBuiltInKernels = built_in;
    table->clLinkProgram = link_program;
    table->clCreateProgramWithIL = program_with_il;
    table->clCloneKernel = clone_kernel;
    table->clCreatePipe = pipe_object;
    table->clEnqueueMapImage = map_image;
    table->clSVMAlloc = svm_allocate;
}
