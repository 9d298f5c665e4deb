// SPDX-License-Identifier: Apache-2.0
// Queries about programs: sources, binaries, kernel names, build logs.

#include "vcl.h"

#include <string.h>

static cl_int binaries(cl_program program, cl_program_info name, size_t value_bytes,
                       void *value, size_t *value_bytes_ret)
{
    cl_device_id devices[VCL_DEVICES];
    cl_uint count = vcl_program_devices(program, devices);
    size_t sizes[VCL_DEVICES] = {0};
    bool copies = name == CL_PROGRAM_BINARIES && value &&
                  value_bytes >= count * sizeof(unsigned char *);
    for (cl_uint i = 0; i < count; i++) {
        struct vcl_text binary =
            vcl_binary_write(devices[i], &program->builds[devices[i]->index]);
        unsigned char *target = copies ? ((unsigned char **)value)[i] : NULL;
        if (target && binary.length > 0)
            memcpy(target, binary.data, binary.length);
        sizes[i] = binary.length;
        vcl_text_free(&binary);
    }
    if (name == CL_PROGRAM_BINARY_SIZES)
        return vcl_answer(sizes, count * sizeof *sizes, value_bytes, value,
                          value_bytes_ret);
    if (value && !copies)
        return CL_INVALID_VALUE;
    if (value_bytes_ret)
        *value_bytes_ret = count * sizeof(unsigned char *);
    return CL_SUCCESS;
}

static cl_int kernels(cl_program program, cl_program_info name, size_t value_bytes,
                      void *value, size_t *value_bytes_ret)
{
    const struct vcl_module *module = NULL;
    for (unsigned i = 0; i < VCL_DEVICES && !module; i++)
        if (program->builds[i].wanted && program->builds[i].status == CL_BUILD_SUCCESS)
            module = &program->builds[i].module;
    if (!module)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (name == CL_PROGRAM_NUM_KERNELS)
        return vcl_answer(&module->count, sizeof module->count, value_bytes, value,
                          value_bytes_ret);
    struct vcl_text names = {0};
    for (size_t i = 0; i < module->count; i++)
        vcl_text_print(&names, "%s%s", i ? ";" : "", module->signatures[i].name);
    cl_int status =
        vcl_answer_text(vcl_text_get(&names), value_bytes, value, value_bytes_ret);
    vcl_text_free(&names);
    return status;
}

static cl_int program_info(cl_program program, cl_program_info name, size_t value_bytes,
                           void *value, size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetProgramInfo);
    if (status)
        return status;
    if (!vcl_object_is(program, VCL_PROGRAM))
        return CL_INVALID_PROGRAM;
    cl_device_id devices[VCL_DEVICES];
    cl_uint count = vcl_program_devices(program, devices);
    cl_uint references = atomic_load(&program->object.references);
    cl_bool none = CL_FALSE;
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return vcl_answer(&references, sizeof references, value_bytes, value,
                          value_bytes_ret);
    case CL_PROGRAM_CONTEXT:
        return vcl_answer(&program->context, sizeof program->context, value_bytes, value,
                          value_bytes_ret);
    case CL_PROGRAM_NUM_DEVICES:
        return vcl_answer(&count, sizeof count, value_bytes, value, value_bytes_ret);
    case CL_PROGRAM_DEVICES:
        return vcl_answer(devices, count * sizeof *devices, value_bytes, value,
                          value_bytes_ret);
    case CL_PROGRAM_SOURCE:
        return vcl_answer_text(program->source, value_bytes, value, value_bytes_ret);
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES:
        return binaries(program, name, value_bytes, value, value_bytes_ret);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
        return kernels(program, name, value_bytes, value, value_bytes_ret);
    case CL_PROGRAM_IL:
        return vcl_answer(NULL, 0, value_bytes, value, value_bytes_ret);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return vcl_answer(&none, sizeof none, value_bytes, value, value_bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int build_info(cl_program program, cl_device_id device,
                         cl_program_build_info name, size_t value_bytes, void *value,
                         size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetProgramBuildInfo);
    if (status)
        return status;
    if (!vcl_object_is(program, VCL_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!vcl_object_is(device, VCL_DEVICE) || !program->builds[device->index].wanted)
        return CL_INVALID_DEVICE;
    const struct vcl_build *build = &program->builds[device->index];
    cl_program_binary_type type = build->status == CL_BUILD_SUCCESS
                                      ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                                      : CL_PROGRAM_BINARY_TYPE_NONE;
    const char *variables = getenv("VIRTUALCL_VARIABLES");
    size_t variable_bytes = variables ? strtoul(variables, NULL, 10) : 0;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        return vcl_answer(&build->status, sizeof build->status, value_bytes, value,
                          value_bytes_ret);
    case CL_PROGRAM_BUILD_OPTIONS:
        return vcl_answer_text(build->options, value_bytes, value, value_bytes_ret);
    case CL_PROGRAM_BUILD_LOG:
        return vcl_answer_text(build->module.log.data, value_bytes, value,
                               value_bytes_ret);
    case CL_PROGRAM_BINARY_TYPE:
        return vcl_answer(&type, sizeof type, value_bytes, value, value_bytes_ret);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return vcl_answer(&variable_bytes, sizeof variable_bytes, value_bytes, value,
                          value_bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

void vcl_program_info_install(cl_icd_dispatch *table)
{
    table->clGetProgramInfo = program_info;
    table->clGetProgramBuildInfo = build_info;
}
