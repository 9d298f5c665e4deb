// SPDX-License-Identifier: Apache-2.0
// Programs: from source or a stored binary, with the compiler's log.
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

static void read_log(struct ct_program *program, struct ct_str *log)
{
    const struct ct_opencl *cl = program->device->cl;
    cl_device_id id = program->device->id;
    size_t size = 0;
    size_t length;
    char *text;

    if (!log ||
        cl->clGetProgramBuildInfo(program->id, id, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                  &size) != CL_SUCCESS ||
        size <= 1)
        return;
    text = calloc(1, size + 1);
    if (!text)
        return;
    if (cl->clGetProgramBuildInfo(program->id, id, CL_PROGRAM_BUILD_LOG, size, text,
                                  NULL) == CL_SUCCESS) {
        length = strlen(text);
        ct_str_add(log, text, length < CT_DEVICE_LOG_MAX ? length : CT_DEVICE_LOG_MAX);
    }
    free(text);
}

/* Builds what has been created; takes the program over, also on failure. */
static enum ct_status build_created(struct ct_program *program, const char *options,
                                    struct ct_program **out, struct ct_str *log,
                                    struct ct_err *err)
{
    struct ct_device *device = program->device;
    cl_build_status state = CL_BUILD_NONE;
    cl_int code =
        device->cl->clBuildProgram(program->id, 1, &device->id, options, NULL, NULL);

    read_log(program, log);
    if (code == CL_SUCCESS) {
        /* Some drivers report failures only here. */
        if (device->cl->clGetProgramBuildInfo(program->id, device->id,
                                              CL_PROGRAM_BUILD_STATUS, sizeof(state),
                                              &state, NULL) == CL_SUCCESS &&
            state == CL_BUILD_ERROR)
            code = CL_BUILD_PROGRAM_FAILURE;
    }
    if (code != CL_SUCCESS) {
        ct_device_fail(device, err, "clBuildProgram", code);
        ct_program_free(program);
        return CT_E_DEVICE;
    }
    *out = program;
    return CT_OK;
}

enum ct_status ct_program_build(struct ct_device *device, const char *source,
                                const char *options, struct ct_program **out,
                                struct ct_str *log, struct ct_err *err)
{
    struct ct_program *program = calloc(1, sizeof(*program));
    cl_int code;

    if (!program)
        return ct_err_nomem(err);
    program->device = device;
    program->id =
        device->cl->clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
    if (!program->id) {
        free(program);
        return ct_device_fail(device, err, "clCreateProgramWithSource", code);
    }
    return build_created(program, options, out, log, err);
}

enum ct_status ct_program_load(struct ct_device *device, const void *binary,
                               size_t length, const char *options,
                               struct ct_program **out, struct ct_str *log,
                               struct ct_err *err)
{
    struct ct_program *program = calloc(1, sizeof(*program));
    const unsigned char *bytes = binary;
    cl_int state = CL_SUCCESS;
    cl_int code;

    if (!program)
        return ct_err_nomem(err);
    program->device = device;
    program->id = device->cl->clCreateProgramWithBinary(device->context, 1, &device->id,
                                                        &length, &bytes, &state, &code);
    if (!program->id || state != CL_SUCCESS) {
        ct_program_free(program);
        return ct_device_fail(device, err, "clCreateProgramWithBinary",
                              state != CL_SUCCESS ? state : code);
    }
    return build_created(program, options, out, log, err);
}

enum ct_status ct_program_binary(struct ct_program *program, struct ct_str *out,
                                 struct ct_err *err)
{
    struct ct_device *device = program->device;
    size_t size = 0;
    unsigned char *bytes;
    cl_int code = device->cl->clGetProgramInfo(program->id, CL_PROGRAM_BINARY_SIZES,
                                               sizeof(size), &size, NULL);

    if (code != CL_SUCCESS)
        return ct_device_fail(device, err, "clGetProgramInfo", code);
    if (!size)
        return ct_err_set(err, CT_E_DEVICE, "the driver provides no program binaries");
    bytes = ct_mem_array(size, 1);
    if (!bytes)
        return ct_err_nomem(err);
    code = device->cl->clGetProgramInfo(program->id, CL_PROGRAM_BINARIES, sizeof(bytes),
                                        &bytes, NULL);
    if (code == CL_SUCCESS)
        ct_str_add(out, bytes, size);
    free(bytes);
    return code == CL_SUCCESS ? CT_OK
                              : ct_device_fail(device, err, "clGetProgramInfo", code);
}

/* Through kernel objects: CL_PROGRAM_KERNEL_NAMES came with OpenCL 1.2. */
enum ct_status ct_program_kernels(struct ct_program *program, struct ct_str *out,
                                  struct ct_err *err)
{
    struct ct_device *device = program->device;
    cl_uint count = 0;
    cl_kernel *kernels;
    cl_int code = device->cl->clCreateKernelsInProgram(program->id, 0, NULL, &count);

    if (code != CL_SUCCESS)
        return ct_device_fail(device, err, "clCreateKernelsInProgram", code);
    kernels = ct_mem_array(count, sizeof(*kernels));
    if (!kernels)
        return ct_err_nomem(err);
    code = device->cl->clCreateKernelsInProgram(program->id, count, kernels, NULL);
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
        char name[256] = "";

        if (device->cl->clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(name),
                                        name, NULL) == CL_SUCCESS)
            ct_str_addf(out, "%s%s", i ? ", " : "", name);
        device->cl->clReleaseKernel(kernels[i]);
    }
    free(kernels);
    return code == CL_SUCCESS
               ? CT_OK
               : ct_device_fail(device, err, "clCreateKernelsInProgram", code);
}

struct ct_program *ct_program_share(struct ct_program *program)
{
    program->more_owners++;
    return program;
}

void ct_program_free(struct ct_program *program)
{
    if (!program)
        return;
    if (program->more_owners) {
        program->more_owners--;
        return;
    }
    if (program->id)
        program->device->cl->clReleaseProgram(program->id);
    free(program);
}
