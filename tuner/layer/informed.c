// SPDX-License-Identifier: Apache-2.0
// Adds -cl-kernel-arg-info to builds, and takes it out of answers.
#include "layer/informed.h"

#include "layer/capture.h"
#include "layer/objects.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

static const char option[] = "-cl-kernel-arg-info";

/* --- builds --- */

/* The program's options behind ours, as the last one of the program's may be incomplete; NULL if the
 * build is to be as it is.  The caller frees it. */
static char *add_option(cl_program program, const char *options)
{
    struct ct_str all;

    if (ct_layer_mode() != CT_LAYER_CAPTURE || !ct_capture_writes())
        return NULL;
    if (options && strstr(options, option)) {
        ct_objects_inform(program, false);
        return NULL;
    }
    if (!ct_objects_is_usable(program))
        return NULL;
    ct_str_init(&all);
    ct_str_addf(&all, "%s%s%s", option, options && *options ? " " : "",
                options ? options : "");
    if (!all.failed)
        return ct_str_detach(&all);
    ct_str_release(&all);
    return NULL;
}

cl_int ct_informed_build(cl_program program, cl_uint count, const cl_device_id *devices,
                         const char *options,
                         void(CL_CALLBACK *notify)(cl_program program, void *user_data),
                         void *user)
{
    char *all = notify || user ? NULL : add_option(program, options);
    cl_int code =
        all ? ct_real.clBuildProgram(program, count, devices, all, NULL, NULL) : -1;

    free(all);
    if (!code)
        ct_objects_inform(program, true);
    else
        code = ct_real.clBuildProgram(program, count, devices, options, notify, user);
    return code;
}

cl_int ct_informed_compile(cl_program program, cl_uint count, const cl_device_id *devices,
                           const char *options,
                           void(CL_CALLBACK *notify)(cl_program program, void *user_data),
                           void *user)
{
    char *all = notify || user ? NULL : add_option(program, options);
    cl_int code = all ? ct_real.clCompileProgram(program, count, devices, all, 0, NULL,
                                                 NULL, NULL, NULL)
                      : -1;

    free(all);
    if (!code)
        ct_objects_inform(program, true);
    else
        code = ct_real.clCompileProgram(program, count, devices, options, 0, NULL, NULL,
                                        notify, user);
    return code;
}

void ct_informed_link(cl_program program, cl_uint count, const cl_program *parts)
{
    for (cl_uint i = 0; i < count; i++)
        ct_objects_inform_as(program, parts[i]);
}

/* --- answers --- */

/* What the driver says of the options, without ours; NULL if it says nothing.  The caller frees it. */
static char *own_options(cl_program program, cl_device_id device)
{
    size_t length = 0;
    size_t cut = sizeof(option) - 1;
    char *text = NULL;

    if (!ct_real.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, 0, NULL,
                                       &length))
        text = ct_mem_array(length + 1, 1);
    if (!text || ct_real.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS,
                                               length, text, NULL)) {
        free(text);
        return NULL;
    }
    if (strncmp(text, option, cut) != 0 || (text[cut] && text[cut] != ' '))
        return text;
    cut += text[cut] == ' ';
    memmove(text, text + cut, strlen(text + cut) + 1);
    return text;
}

cl_int ct_informed_build_info(cl_program program, cl_device_id device,
                              cl_program_build_info name, size_t size, void *value,
                              size_t *size_ret)
{
    bool hides = name == CL_PROGRAM_BUILD_OPTIONS && ct_objects_is_informed(program);
    char *text = hides ? own_options(program, device) : NULL;
    size_t needed = text ? strlen(text) + 1 : 0;
    cl_int code = CL_SUCCESS;

    if (!text)
        return ct_real.clGetProgramBuildInfo(program, device, name, size, value,
                                             size_ret);
    if (value && size < needed)
        code = CL_INVALID_VALUE;
    else if (value)
        memcpy(value, text, needed);
    if (!code && size_ret)
        *size_ret = needed;
    free(text);
    return code;
}

/* A kernel with one argument, built with the program's own options. */
static cl_kernel build_uninformed(const struct ct_layer_program *own)
{
    const char *text = "__kernel void cltune_uninformed(__global int *out)\n{\n"
                       "    out[0] = 1;\n}\n";
    const char *options = own->without_options ? NULL : own->options;
    cl_program program =
        ct_real.clCreateProgramWithSource(own->context, 1, &text, NULL, NULL);
    cl_kernel kernel = NULL;

    if (program && (!ct_real.clBuildProgram(program, 0, NULL, options, NULL, NULL) ||
                    !ct_real.clBuildProgram(program, 0, NULL, "", NULL, NULL)))
        kernel = ct_real.clCreateKernel(program, "cltune_uninformed", NULL);
    if (program)
        ct_real.clReleaseProgram(program);
    return kernel;
}

/* Such a kernel, built at the first call and kept with the program; NULL if it does not build. */
static cl_kernel uninformed_of(struct ct_layer_program *program)
{
    cl_kernel kernel;
    cl_kernel more = NULL;

    pthread_mutex_lock(&ct_layer_lock);
    kernel = program->uninformed;
    pthread_mutex_unlock(&ct_layer_lock);
    if (kernel)
        return kernel;
    /* Without the lock, as builds call programs back; another thread may do the same. */
    kernel = build_uninformed(program);
    pthread_mutex_lock(&ct_layer_lock);
    if (program->uninformed) {
        more = kernel;
        kernel = program->uninformed;
    } else {
        program->uninformed = kernel;
    }
    pthread_mutex_unlock(&ct_layer_lock);
    if (more)
        ct_real.clReleaseKernel(more);
    return kernel;
}

/* What the driver answers of a kernel that was built without the option: some tell everything, some
 * nothing, some all but names. */
static cl_int ask_uninformed(struct ct_layer_kernel *kernel, cl_uint index,
                             cl_kernel_arg_info name)
{
    cl_uint asked = index < kernel->argument_count ? 0 : 1;
    cl_kernel uninformed = uninformed_of(kernel->program);

    return uninformed ? ct_real.clGetKernelArgInfo(uninformed, asked, name, 0, NULL, NULL)
                      : CL_SUCCESS;
}

cl_int ct_informed_argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
                                 size_t size, void *value, size_t *size_ret)
{
    bool idle = ct_layer_mode() != CT_LAYER_CAPTURE;
    struct ct_layer_kernel *record = idle ? NULL : ct_objects_kernel(kernel);

    if (record && atomic_load(&record->program->informed)) {
        cl_int code = ask_uninformed(record, index, name);

        if (code)
            return code;
    }
    return ct_real.clGetKernelArgInfo(kernel, index, name, size, value, size_ret);
}
