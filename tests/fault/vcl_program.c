// SPDX-License-Identifier: Apache-2.0
// Programs of the virtual driver: from source, from binaries, and building them.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

static void build_free(struct vcl_build *build)
{
    free(build->options);
    free(build->stored_options);
    free(build->stored_code);
    vcl_text_free(&build->locals);
    vcl_module_free(&build->module);
    *build = (struct vcl_build){0};
}

void vcl_program_release(cl_program program)
{
    if (!vcl_object_drop(&program->object))
        return;
    program->object.kind = 0;
    for (unsigned i = 0; i < VCL_DEVICES; i++)
        build_free(&program->builds[i]);
    vcl_context_release(program->context);
    free(program->source);
    free(program);
}

cl_uint vcl_program_devices(cl_program program, cl_device_id devices[VCL_DEVICES])
{
    cl_uint count = 0;
    for (cl_uint i = 0; i < program->context->count; i++)
        if (program->builds[program->context->devices[i]->index].wanted)
            devices[count++] = program->context->devices[i];
    return count;
}

struct vcl_signature *vcl_program_signature(cl_program program, unsigned device,
                                            const char *name)
{
    struct vcl_build *build = &program->builds[device];
    if (!build->wanted || build->status != CL_BUILD_SUCCESS)
        return NULL;
    for (size_t i = 0; i < build->module.count; i++)
        if (strcmp(build->module.signatures[i].name, name) == 0)
            return &build->module.signatures[i];
    return NULL;
}

static cl_program new_program(cl_context context)
{
    cl_program program = vcl_allocate(1, sizeof *program);
    vcl_object_init(&program->object, VCL_PROGRAM);
    vcl_object_retain(&context->object);
    program->context = context;
    atomic_init(&program->kernels, 0);
    for (unsigned i = 0; i < VCL_DEVICES; i++)
        program->builds[i].status = CL_BUILD_NONE;
    return program;
}

static cl_program with_source(cl_context context, cl_uint count, const char **strings,
                              const size_t *lengths, cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateProgramWithSource);
    if (!status && !vcl_object_is(context, VCL_CONTEXT))
        status = CL_INVALID_CONTEXT;
    if (!status && (count == 0 || !strings))
        status = CL_INVALID_VALUE;
    for (cl_uint i = 0; !status && i < count; i++)
        if (!strings[i])
            status = CL_INVALID_VALUE;
    if (status)
        return vcl_refuse(error_ret, status);
    struct vcl_text source = {0};
    vcl_text_add(&source, "", 0);
    for (cl_uint i = 0; i < count; i++)
        vcl_text_add(&source, strings[i],
                     lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
    cl_program program = new_program(context);
    program->source = source.data;
    for (cl_uint i = 0; i < context->count; i++)
        program->builds[context->devices[i]->index].wanted = true;
    vcl_accept(error_ret);
    return program;
}

static cl_int check_binaries(cl_context context, cl_uint count,
                             const cl_device_id *devices, const size_t *lengths,
                             const unsigned char **binaries)
{
    if (!vcl_object_is(context, VCL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (count == 0 || !devices || !lengths || !binaries)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!vcl_object_is(devices[i], VCL_DEVICE) ||
            !vcl_context_has(context, devices[i]))
            return CL_INVALID_DEVICE;
        if (lengths[i] == 0 || !binaries[i])
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

static cl_program with_binary(cl_context context, cl_uint count,
                              const cl_device_id *devices, const size_t *lengths,
                              const unsigned char **binaries, cl_int *binary_status,
                              cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateProgramWithBinary);
    if (!status)
        status = check_binaries(context, count, devices, lengths, binaries);
    if (status)
        return vcl_refuse(error_ret, status);
    cl_program program = new_program(context);
    program->from_binary = true;
    for (cl_uint i = 0; i < count; i++) {
        struct vcl_build *build = &program->builds[devices[i]->index];
        build_free(build);
        bool good = vcl_binary_read(devices[i], binaries[i], lengths[i], build);
        build->status = CL_BUILD_NONE;
        build->wanted = good;
        if (binary_status)
            binary_status[i] = good ? CL_SUCCESS : CL_INVALID_BINARY;
        if (!good)
            status = CL_INVALID_BINARY;
    }
    if (status) {
        vcl_program_release(program);
        return vcl_refuse(error_ret, status);
    }
    vcl_accept(error_ret);
    return program;
}

static cl_int build_one(cl_program program, cl_device_id device, const char *options)
{
    struct vcl_build *build = &program->builds[device->index];
    const char *used = program->from_binary ? build->stored_options : options;
    vcl_module_free(&build->module);
    free(build->options);
    build->options = vcl_copy(used, strlen(used));
    build->source_sum = program->source
                            ? vcl_hash(VCL_HASH, program->source, strlen(program->source))
                            : 0;
    build->status = CL_BUILD_IN_PROGRESS;
    if (!program->from_binary)
        vcl_text_free(&build->locals);
    cl_int status = program->from_binary ? vcl_compiler_load(device, build)
                                         : vcl_compiler_build(device, program->source,
                                                              used, &build->module);
    build->status = status ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
    return status;
}

static cl_int build(cl_program program, cl_uint count, const cl_device_id *list,
                    const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                    void *data)
{
    cl_int status = VCL_INJECTED(clBuildProgram);
    if (status)
        return status;
    if (!vcl_object_is(program, VCL_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!list != !count || (!notify && data))
        return CL_INVALID_VALUE;
    if (atomic_load(&program->kernels) > 0)
        return CL_INVALID_OPERATION;
    cl_device_id all[VCL_DEVICES];
    if (!list) {
        count = vcl_program_devices(program, all);
        list = all;
    }
    for (cl_uint i = 0; i < count; i++)
        if (!vcl_object_is(list[i], VCL_DEVICE) ||
            !program->builds[list[i]->index].wanted)
            return CL_INVALID_DEVICE;
    for (cl_uint i = 0; i < count; i++) {
        cl_int failed = build_one(program, list[i], options ? options : "");
        if (!status)
            status = failed;
    }
    if (notify)
        notify(program, data);
    return status;
}

static cl_int retain_program(cl_program program)
{
    cl_int status = VCL_INJECTED(clRetainProgram);
    if (status)
        return status;
    if (!vcl_object_is(program, VCL_PROGRAM))
        return CL_INVALID_PROGRAM;
    vcl_object_retain(&program->object);
    return CL_SUCCESS;
}

static cl_int release_program(cl_program program)
{
    cl_int status = VCL_INJECTED(clReleaseProgram);
    if (status)
        return status;
    if (!vcl_object_is(program, VCL_PROGRAM))
        return CL_INVALID_PROGRAM;
    vcl_program_release(program);
    return CL_SUCCESS;
}

static cl_int unload(void)
{
    return VCL_INJECTED(clUnloadCompiler);
}

static cl_int unload_platform(cl_platform_id platform)
{
    cl_int status = VCL_INJECTED(clUnloadPlatformCompiler);
    if (status)
        return status;
    return vcl_object_is(platform, VCL_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

void vcl_program_install(cl_icd_dispatch *table)
{
    table->clCreateProgramWithSource = with_source;
    table->clCreateProgramWithBinary = with_binary;
    table->clBuildProgram = build;
    table->clRetainProgram = retain_program;
    table->clReleaseProgram = release_program;
    table->clUnloadCompiler = unload;
    table->clUnloadPlatformCompiler = unload_platform;
}
