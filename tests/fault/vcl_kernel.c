// SPDX-License-Identifier: Apache-2.0
// Kernel objects of the virtual driver: their arguments and what is known about them.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

static void kernel_release(cl_kernel kernel)
{
    if (!vcl_object_drop(&kernel->object))
        return;
    kernel->object.kind = 0;
    atomic_fetch_sub(&kernel->program->kernels, 1);
    vcl_program_release(kernel->program);
    free(kernel->values);
    free(kernel);
}

static cl_kernel make_kernel(cl_program program, const char *name, cl_int *error_ret)
{
    struct vcl_signature *signatures[VCL_DEVICES], *any = NULL;
    bool built = false;
    for (unsigned i = 0; i < VCL_DEVICES; i++) {
        const struct vcl_build *build = &program->builds[i];
        built = built || (build->wanted && build->status == CL_BUILD_SUCCESS);
        signatures[i] = vcl_program_signature(program, i, name);
        if (!any)
            any = signatures[i];
    }
    if (!any)
        return vcl_refuse(error_ret,
                          built ? CL_INVALID_KERNEL_NAME : CL_INVALID_PROGRAM_EXECUTABLE);
    for (unsigned i = 0; i < VCL_DEVICES; i++)
        if (signatures[i] && signatures[i]->count != any->count)
            return vcl_refuse(error_ret, CL_INVALID_KERNEL_DEFINITION);
    cl_kernel kernel = vcl_allocate(1, sizeof *kernel);
    vcl_object_init(&kernel->object, VCL_KERNEL);
    vcl_object_retain(&program->object);
    atomic_fetch_add(&program->kernels, 1);
    kernel->program = program;
    memcpy(kernel->signatures, signatures, sizeof signatures);
    kernel->any = any;
    kernel->values = vcl_allocate(any->count, sizeof *kernel->values);
    vcl_accept(error_ret);
    return kernel;
}

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateKernel);
    if (!status && !vcl_object_is(program, VCL_PROGRAM))
        status = CL_INVALID_PROGRAM;
    if (!status && !name)
        status = CL_INVALID_VALUE;
    if (status)
        return vcl_refuse(error_ret, status);
    return make_kernel(program, name, error_ret);
}

static cl_int create_kernels(cl_program program, cl_uint entries, cl_kernel *out,
                             cl_uint *count_ret)
{
    cl_int status = VCL_INJECTED(clCreateKernelsInProgram);
    if (status)
        return status;
    if (!vcl_object_is(program, VCL_PROGRAM))
        return CL_INVALID_PROGRAM;
    const struct vcl_module *module = NULL;
    for (unsigned i = 0; i < VCL_DEVICES && !module; i++)
        if (program->builds[i].wanted && program->builds[i].status == CL_BUILD_SUCCESS)
            module = &program->builds[i].module;
    if (!module)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (out && entries < module->count)
        return CL_INVALID_VALUE;
    for (size_t i = 0; out && i < module->count; i++) {
        out[i] = make_kernel(program, module->signatures[i].name, &status);
        if (out[i])
            continue;
        while (i-- > 0)
            kernel_release(out[i]);
        return status;
    }
    if (count_ret)
        *count_ret = (cl_uint)module->count;
    return CL_SUCCESS;
}

static cl_int retain_kernel(cl_kernel kernel)
{
    cl_int status = VCL_INJECTED(clRetainKernel);
    if (status)
        return status;
    if (!vcl_object_is(kernel, VCL_KERNEL))
        return CL_INVALID_KERNEL;
    vcl_object_retain(&kernel->object);
    return CL_SUCCESS;
}

static cl_int release_kernel(cl_kernel kernel)
{
    cl_int status = VCL_INJECTED(clReleaseKernel);
    if (status)
        return status;
    if (!vcl_object_is(kernel, VCL_KERNEL))
        return CL_INVALID_KERNEL;
    kernel_release(kernel);
    return CL_SUCCESS;
}

// What kind of value the argument takes decides what is wrong with one.
static cl_int check_value(const struct vcl_argument *argument, size_t bytes,
                          const void *value)
{
    if (argument->pointer && argument->address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
        if (value)
            return CL_INVALID_ARG_VALUE;
        return bytes == 0 ? CL_INVALID_ARG_SIZE : CL_SUCCESS;
    }
    if (argument->object) {
        if (bytes != sizeof(cl_mem))
            return CL_INVALID_ARG_SIZE;
        if (strcmp(argument->type, "sampler_t") == 0)
            return CL_INVALID_SAMPLER;
        if (!argument->pointer)
            return CL_INVALID_MEM_OBJECT; // there are no images
        cl_mem mem = value ? *(const cl_mem *)value : NULL;
        return mem && !vcl_object_is(mem, VCL_MEM) ? CL_INVALID_MEM_OBJECT : CL_SUCCESS;
    }
    if (!value)
        return CL_INVALID_ARG_VALUE;
    if (bytes == 0 || (argument->value_bytes && bytes != argument->value_bytes))
        return CL_INVALID_ARG_SIZE;
    return CL_SUCCESS;
}

static cl_int set_argument(cl_kernel kernel, cl_uint place, size_t bytes,
                           const void *value)
{
    cl_int status = VCL_INJECTED(clSetKernelArg);
    if (status)
        return status;
    if (!vcl_object_is(kernel, VCL_KERNEL))
        return CL_INVALID_KERNEL;
    if (place >= kernel->any->count)
        return CL_INVALID_ARG_INDEX;
    const struct vcl_argument *argument = &kernel->any->arguments[place];
    status = check_value(argument, bytes, value);
    if (status)
        return status;
    kernel->values[place] = (struct vcl_value){.set = true, .bytes = bytes};
    if (argument->object && value)
        kernel->values[place].mem = *(const cl_mem *)value;
    return CL_SUCCESS;
}

static cl_int kernel_info(cl_kernel kernel, cl_kernel_info name, size_t value_bytes,
                          void *value, size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetKernelInfo);
    if (status)
        return status;
    if (!vcl_object_is(kernel, VCL_KERNEL))
        return CL_INVALID_KERNEL;
    cl_uint number;
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME:
        return vcl_answer_text(kernel->any->name, value_bytes, value, value_bytes_ret);
    case CL_KERNEL_ATTRIBUTES:
        return vcl_answer_text("", value_bytes, value, value_bytes_ret);
    case CL_KERNEL_CONTEXT:
        return vcl_answer(&kernel->program->context, sizeof(cl_context), value_bytes,
                          value, value_bytes_ret);
    case CL_KERNEL_PROGRAM:
        return vcl_answer(&kernel->program, sizeof kernel->program, value_bytes, value,
                          value_bytes_ret);
    case CL_KERNEL_NUM_ARGS:
        number = (cl_uint)kernel->any->count;
        break;
    case CL_KERNEL_REFERENCE_COUNT:
        number = atomic_load(&kernel->object.references);
        break;
    default:
        return CL_INVALID_VALUE;
    }
    return vcl_answer(&number, sizeof number, value_bytes, value, value_bytes_ret);
}

static bool has_argument_info(cl_kernel kernel)
{
    for (unsigned i = 0; i < VCL_DEVICES; i++)
        if (kernel->signatures[i] && kernel->program->builds[i].module.argument_info)
            return true;
    return false;
}

static cl_int argument_info(cl_kernel kernel, cl_uint place, cl_kernel_arg_info name,
                            size_t value_bytes, void *value, size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetKernelArgInfo);
    if (status)
        return status;
    if (!vcl_object_is(kernel, VCL_KERNEL))
        return CL_INVALID_KERNEL;
    if (place >= kernel->any->count)
        return CL_INVALID_ARG_INDEX;
    if (!has_argument_info(kernel))
        return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    const struct vcl_argument *argument = &kernel->any->arguments[place];
    bool image = strncmp(argument->type, "image", 5) == 0;
    cl_kernel_arg_access_qualifier access =
        image ? CL_KERNEL_ARG_ACCESS_READ_ONLY : CL_KERNEL_ARG_ACCESS_NONE;
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return vcl_answer(&argument->address, sizeof argument->address, value_bytes,
                          value, value_bytes_ret);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return vcl_answer(&access, sizeof access, value_bytes, value, value_bytes_ret);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return vcl_answer(&argument->qualifiers, sizeof argument->qualifiers, value_bytes,
                          value, value_bytes_ret);
    case CL_KERNEL_ARG_TYPE_NAME:
        return vcl_answer_text(argument->type, value_bytes, value, value_bytes_ret);
    case CL_KERNEL_ARG_NAME:
        return vcl_answer_text(argument->name, value_bytes, value, value_bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int group_info(cl_kernel kernel, cl_device_id device,
                         cl_kernel_work_group_info name, size_t value_bytes, void *value,
                         size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetKernelWorkGroupInfo);
    if (status)
        return status;
    if (!vcl_object_is(kernel, VCL_KERNEL))
        return CL_INVALID_KERNEL;
    cl_device_id devices[VCL_DEVICES];
    if (!device && vcl_program_devices(kernel->program, devices) == 1)
        device = devices[0];
    if (!device || !vcl_object_is(device, VCL_DEVICE) ||
        !kernel->signatures[device->index])
        return CL_INVALID_DEVICE;
    const struct vcl_signature *signature = kernel->signatures[device->index];
    size_t size;
    cl_ulong bytes = 0;
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        size = (size_t)vcl_device_reported(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
        if (signature->group_limit && signature->group_limit < size)
            size = signature->group_limit;
        return vcl_answer(&size, sizeof size, value_bytes, value, value_bytes_ret);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        size = device->model == 0 ? 1 : 32;
        return vcl_answer(&size, sizeof size, value_bytes, value, value_bytes_ret);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return vcl_answer(signature->required, sizeof signature->required, value_bytes,
                          value, value_bytes_ret);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        bytes = vcl_kernel_local_bytes(kernel, signature);
        return vcl_answer(&bytes, sizeof bytes, value_bytes, value, value_bytes_ret);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return vcl_answer(&bytes, sizeof bytes, value_bytes, value, value_bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

void vcl_kernel_install(cl_icd_dispatch *table)
{
    table->clCreateKernel = create_kernel;
    table->clCreateKernelsInProgram = create_kernels;
    table->clRetainKernel = retain_kernel;
    table->clReleaseKernel = release_kernel;
    table->clSetKernelArg = set_argument;
    table->clGetKernelInfo = kernel_info;
    table->clGetKernelArgInfo = argument_info;
    table->clGetKernelWorkGroupInfo = group_info;
}
