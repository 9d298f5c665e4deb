// SPDX-License-Identifier: Apache-2.0
// Loads libOpenCL, and gives texts for its errors.
#include "device/opencl.h"
#include "device/device.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ISO C has no conversion from dlsym's result to a function pointer; POSIX guarantees that the
 * bytes are the same. */
bool ct_library_find(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, size);
    return symbol;
}

enum ct_status ct_opencl_load(struct ct_opencl **out, struct ct_err *err)
{
    struct ct_opencl *cl = calloc(1, sizeof(*cl));
    const char *missing = NULL;

    if (!cl)
        return ct_err_nomem(err);
    /* Drivers have threads and exit handlers, which do not survive unloading. */
    cl->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!cl->library) {
        const char *why = dlerror();

        free(cl);
        /* It exists, but does not fit into memory, or is damaged. */
        if (why && !strstr(why, "No such file"))
            return ct_err_set(err, CT_E_NO_DEVICE, "cannot load the OpenCL loader: %s",
                              why);
        return ct_err_set(err, CT_E_NO_DEVICE,
                          "the OpenCL loader (libOpenCL.so.1) is missing: install "
                          "ocl-icd-libopencl1 or your vendor's driver (%s)",
                          why ? why : "no reason given");
    }
#define CT_CL(name, needed)                                                              \
    if (!ct_library_find(cl->library, #name, &cl->name, sizeof(cl->name)) && (needed))   \
        missing = #name;
#include "device/opencl.def"
#undef CT_CL
    if (missing) {
        ct_opencl_free(cl);
        return ct_err_set(err, CT_E_NO_DEVICE,
                          "the OpenCL loader (libOpenCL.so.1) lacks %s: install "
                          "ocl-icd-libopencl1 instead",
                          missing);
    }
    *out = cl;
    return CT_OK;
}

void ct_opencl_free(struct ct_opencl *cl)
{
    if (!cl)
        return;
    dlclose(cl->library);
    free(cl);
}

struct name {
    cl_int code;
    const char *text;
};

#define NAME(code)                                                                       \
    {                                                                                    \
        code, #code                                                                      \
    }

static const struct name names[] = {
    NAME(CL_DEVICE_NOT_FOUND),
    NAME(CL_DEVICE_NOT_AVAILABLE),
    NAME(CL_COMPILER_NOT_AVAILABLE),
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAME(CL_OUT_OF_RESOURCES),
    NAME(CL_OUT_OF_HOST_MEMORY),
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAME(CL_MEM_COPY_OVERLAP),
    NAME(CL_IMAGE_FORMAT_MISMATCH),
    NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    NAME(CL_BUILD_PROGRAM_FAILURE),
    NAME(CL_MAP_FAILURE),
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAME(CL_COMPILE_PROGRAM_FAILURE),
    NAME(CL_LINKER_NOT_AVAILABLE),
    NAME(CL_LINK_PROGRAM_FAILURE),
    NAME(CL_DEVICE_PARTITION_FAILED),
    NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    NAME(CL_INVALID_VALUE),
    NAME(CL_INVALID_DEVICE_TYPE),
    NAME(CL_INVALID_PLATFORM),
    NAME(CL_INVALID_DEVICE),
    NAME(CL_INVALID_CONTEXT),
    NAME(CL_INVALID_QUEUE_PROPERTIES),
    NAME(CL_INVALID_COMMAND_QUEUE),
    NAME(CL_INVALID_HOST_PTR),
    NAME(CL_INVALID_MEM_OBJECT),
    NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    NAME(CL_INVALID_IMAGE_SIZE),
    NAME(CL_INVALID_SAMPLER),
    NAME(CL_INVALID_BINARY),
    NAME(CL_INVALID_BUILD_OPTIONS),
    NAME(CL_INVALID_PROGRAM),
    NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    NAME(CL_INVALID_KERNEL_NAME),
    NAME(CL_INVALID_KERNEL_DEFINITION),
    NAME(CL_INVALID_KERNEL),
    NAME(CL_INVALID_ARG_INDEX),
    NAME(CL_INVALID_ARG_VALUE),
    NAME(CL_INVALID_ARG_SIZE),
    NAME(CL_INVALID_KERNEL_ARGS),
    NAME(CL_INVALID_WORK_DIMENSION),
    NAME(CL_INVALID_WORK_GROUP_SIZE),
    NAME(CL_INVALID_WORK_ITEM_SIZE),
    NAME(CL_INVALID_GLOBAL_OFFSET),
    NAME(CL_INVALID_EVENT_WAIT_LIST),
    NAME(CL_INVALID_EVENT),
    NAME(CL_INVALID_OPERATION),
    NAME(CL_INVALID_GL_OBJECT),
    NAME(CL_INVALID_BUFFER_SIZE),
    NAME(CL_INVALID_MIP_LEVEL),
    NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    NAME(CL_INVALID_PROPERTY),
    NAME(CL_INVALID_IMAGE_DESCRIPTOR),
    NAME(CL_INVALID_COMPILER_OPTIONS),
    NAME(CL_INVALID_LINKER_OPTIONS),
    NAME(CL_INVALID_DEVICE_PARTITION_COUNT),
    NAME(CL_INVALID_PIPE_SIZE),
    NAME(CL_INVALID_DEVICE_QUEUE),
    NAME(CL_INVALID_SPEC_ID),
    NAME(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
    /* From cl_ext.h, which differs too much between distributions to be included. */
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-1121, "CL_CONTEXT_TERMINATED_KHR"},
    /* NVIDIA's driver reports this for illegal accesses, among others. */
    {-9999, "unknown error of the driver"},
};

/* The name of an error code ("CL_INVALID_VALUE"), or NULL for one not in the headers. */
static const char *error_name(cl_int code)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].code == code)
            return names[i].text;
    return NULL;
}

enum ct_status ct_opencl_fail(struct ct_err *err, const char *call, cl_int code)
{
    const char *name = error_name(code);

    return ct_err_set(err, CT_E_DEVICE, "%s: %s (%d)", call,
                      name ? name : "unknown error", (int)code);
}
