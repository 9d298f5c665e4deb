/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that use OpenCL with libcltunedb: reads what tuning asks of a device, times a launch,
 * and saves what a kernel overwrites.  All functions are inline; the library has no OpenCL. */
#ifndef CLTUNEDB_CL_H
#define CLTUNEDB_CL_H

/* Include OpenCL's header before, with the version that the program uses. */
#ifndef CL_VERSION_1_0
#error "include <CL/cl.h> before cltunedb-cl.h"
#endif

#include "cltunedb-tune.h"

#include <string.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum { CLTUNEDB_CL_FACTS_MAX = 80, CLTUNEDB_CL_TEXT_BYTES = 32768 };

/* What is known of a device; values point into it, so that it may not be moved. */
typedef struct {
    cltunedb_value values[CLTUNEDB_CL_FACTS_MAX];
    size_t count;
    char text[CLTUNEDB_CL_TEXT_BYTES];
    size_t text_bytes;
} cltunedb_cl_device;

typedef enum {
    CLTUNEDB_CL_TEXT,
    CLTUNEDB_CL_NUMBER, /* of 32 or 64 bits, as the driver says */
    CLTUNEDB_CL_ITEMS,  /* CL_DEVICE_MAX_WORK_ITEM_SIZES: three facts */
    CLTUNEDB_CL_SIZES   /* a list, as text */
} cltunedb_cl_form;

static inline cltunedb_value *cltunedb_cl_add(cltunedb_cl_device *out, const char *name)
{
    cltunedb_value *value =
        out->count < CLTUNEDB_CL_FACTS_MAX ? &out->values[out->count] : NULL;

    if (value) {
        value->name = name;
        value->kind = CLTUNEDB_INT;
        value->i = 0;
        value->r = 0;
        value->s = "";
        out->count++;
    }
    return value;
}

static inline void cltunedb_cl_add_number(cltunedb_cl_device *out, const char *name,
                                          cl_ulong number)
{
    cltunedb_value *value = cltunedb_cl_add(out, name);

    if (value) {
        value->i = number > (cl_ulong)INT64_MAX ? INT64_MAX : (int64_t)number;
        value->r = (double)value->i;
    }
}

/* Adds the text at out->text + out->text_bytes, without blanks around it. */
static inline void cltunedb_cl_add_text(cltunedb_cl_device *out, const char *name)
{
    char *text = out->text + out->text_bytes;
    size_t length = strlen(text);
    cltunedb_value *value = cltunedb_cl_add(out, name);

    while (length && text[length - 1] == ' ')
        text[--length] = '\0';
    out->text_bytes += length + 1;
    while (*text == ' ')
        text++;
    if (value) {
        value->kind = CLTUNEDB_TEXT;
        value->s = text;
    }
}

/* "8 16 32" */
static inline void cltunedb_cl_add_sizes(cltunedb_cl_device *out, const char *name,
                                         const size_t *sizes, size_t count)
{
    char digits[24];
    char *text = out->text + out->text_bytes;
    size_t room = sizeof(out->text) - out->text_bytes;
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        size_t n = 0;
        size_t rest = sizes[i];

        do
            digits[n++] = (char)('0' + rest % 10);
        while (rest /= 10);
        if (used + n + 2 > room)
            return;
        if (i)
            text[used++] = ' ';
        while (n)
            text[used++] = digits[--n];
    }
    if (used < room) {
        text[used] = '\0';
        cltunedb_cl_add_text(out, name);
    }
}

static inline void cltunedb_cl_read(cl_device_id device, cl_device_info info,
                                    cltunedb_cl_form form, const char *name,
                                    cltunedb_cl_device *out)
{
    static const char *const items[] = {"DEVICE_MAX_WORK_ITEM_SIZES_0",
                                        "DEVICE_MAX_WORK_ITEM_SIZES_1",
                                        "DEVICE_MAX_WORK_ITEM_SIZES_2"};
    size_t room = sizeof(out->text) - out->text_bytes;
    size_t sizes[64];
    size_t bytes = 0;
    cl_ulong wide = 0;
    cl_uint narrow = 0;

    switch (form) {
    case CLTUNEDB_CL_TEXT:
        if (room > 1 &&
            clGetDeviceInfo(device, info, room - 1, out->text + out->text_bytes,
                            &bytes) == CL_SUCCESS) {
            out->text[out->text_bytes + bytes] = '\0';
            cltunedb_cl_add_text(out, name);
        }
        break;
    case CLTUNEDB_CL_NUMBER:
        if (clGetDeviceInfo(device, info, sizeof(wide), &wide, &bytes) != CL_SUCCESS)
            break;
        memcpy(&narrow, &wide, sizeof(narrow));
        if (bytes == sizeof(wide) || bytes == sizeof(narrow))
            cltunedb_cl_add_number(out, name, bytes == sizeof(wide) ? wide : narrow);
        break;
    default:
        if (clGetDeviceInfo(device, info, sizeof(sizes), sizes, &bytes) != CL_SUCCESS)
            break;
        if (form == CLTUNEDB_CL_SIZES)
            cltunedb_cl_add_sizes(out, name, sizes, bytes / sizeof(sizes[0]));
        for (size_t i = 0; form == CLTUNEDB_CL_ITEMS && i < 3; i++)
            if (i < bytes / sizeof(sizes[0]))
                cltunedb_cl_add_number(out, items[i], sizes[i]);
    }
}

/* One property of a device by its name in space files. */
typedef struct {
    cl_device_info info;
    cltunedb_cl_form form;
    const char *name;
    const char *extension; /* that defines it; NULL: every device may be asked */
} cltunedb_cl_property;

#define CLTUNEDB_CL_NV    "cl_nv_device_attribute_query"
#define CLTUNEDB_CL_AMD   "cl_amd_device_attribute_query"
#define CLTUNEDB_CL_INTEL "cl_intel_required_subgroup_size"
static const cltunedb_cl_property cltunedb_cl_properties[] = {
    {CL_DEVICE_NAME, CLTUNEDB_CL_TEXT, "DEVICE_NAME", NULL},
    {CL_DEVICE_VENDOR, CLTUNEDB_CL_TEXT, "DEVICE_VENDOR", NULL},
    {CL_DEVICE_VENDOR_ID, CLTUNEDB_CL_NUMBER, "DEVICE_VENDOR_ID", NULL},
    {CL_DEVICE_VERSION, CLTUNEDB_CL_TEXT, "DEVICE_VERSION", NULL},
    {CL_DEVICE_PROFILE, CLTUNEDB_CL_TEXT, "DEVICE_PROFILE", NULL},
    {0x103D, CLTUNEDB_CL_TEXT, "DEVICE_OPENCL_C_VERSION", NULL},
    {CL_DEVICE_EXTENSIONS, CLTUNEDB_CL_TEXT, "DEVICE_EXTENSIONS", NULL},
    {CL_DEVICE_TYPE, CLTUNEDB_CL_NUMBER, "DEVICE_TYPE", NULL},
    {CL_DEVICE_MAX_COMPUTE_UNITS, CLTUNEDB_CL_NUMBER, "DEVICE_MAX_COMPUTE_UNITS", NULL},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, CLTUNEDB_CL_NUMBER, "DEVICE_MAX_CLOCK_FREQUENCY",
     NULL},
    {CL_DEVICE_ADDRESS_BITS, CLTUNEDB_CL_NUMBER, "DEVICE_ADDRESS_BITS", NULL},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, CLTUNEDB_CL_NUMBER, "DEVICE_MAX_WORK_GROUP_SIZE",
     NULL},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, CLTUNEDB_CL_NUMBER,
     "DEVICE_MAX_WORK_ITEM_DIMENSIONS", NULL},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, CLTUNEDB_CL_ITEMS, "", NULL},
    {CL_DEVICE_LOCAL_MEM_SIZE, CLTUNEDB_CL_NUMBER, "DEVICE_LOCAL_MEM_SIZE", NULL},
    {CL_DEVICE_LOCAL_MEM_TYPE, CLTUNEDB_CL_NUMBER, "DEVICE_LOCAL_MEM_TYPE", NULL},
    {CL_DEVICE_GLOBAL_MEM_SIZE, CLTUNEDB_CL_NUMBER, "DEVICE_GLOBAL_MEM_SIZE", NULL},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, CLTUNEDB_CL_NUMBER, "DEVICE_GLOBAL_MEM_CACHE_SIZE",
     NULL},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, CLTUNEDB_CL_NUMBER,
     "DEVICE_GLOBAL_MEM_CACHELINE_SIZE", NULL},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, CLTUNEDB_CL_NUMBER, "DEVICE_MAX_MEM_ALLOC_SIZE", NULL},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, CLTUNEDB_CL_NUMBER,
     "DEVICE_MAX_CONSTANT_BUFFER_SIZE", NULL},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, CLTUNEDB_CL_NUMBER, "DEVICE_MEM_BASE_ADDR_ALIGN",
     NULL},
    {0x1035, CLTUNEDB_CL_NUMBER, "DEVICE_HOST_UNIFIED_MEMORY", NULL},
    {CL_DEVICE_IMAGE_SUPPORT, CLTUNEDB_CL_NUMBER, "DEVICE_IMAGE_SUPPORT", NULL},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, CLTUNEDB_CL_NUMBER, "DEVICE_IMAGE2D_MAX_WIDTH", NULL},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, CLTUNEDB_CL_NUMBER, "DEVICE_IMAGE2D_MAX_HEIGHT", NULL},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, CLTUNEDB_CL_NUMBER, "DEVICE_IMAGE3D_MAX_WIDTH", NULL},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, CLTUNEDB_CL_NUMBER, "DEVICE_IMAGE3D_MAX_HEIGHT", NULL},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, CLTUNEDB_CL_NUMBER, "DEVICE_IMAGE3D_MAX_DEPTH", NULL},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, CLTUNEDB_CL_NUMBER,
     "DEVICE_PREFERRED_VECTOR_WIDTH_CHAR", NULL},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, CLTUNEDB_CL_NUMBER,
     "DEVICE_PREFERRED_VECTOR_WIDTH_SHORT", NULL},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, CLTUNEDB_CL_NUMBER,
     "DEVICE_PREFERRED_VECTOR_WIDTH_INT", NULL},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, CLTUNEDB_CL_NUMBER,
     "DEVICE_PREFERRED_VECTOR_WIDTH_LONG", NULL},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CLTUNEDB_CL_NUMBER,
     "DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT", NULL},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, CLTUNEDB_CL_NUMBER,
     "DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE", NULL},
    {0x1034, CLTUNEDB_CL_NUMBER, "DEVICE_PREFERRED_VECTOR_WIDTH_HALF", NULL},
    {0x103A, CLTUNEDB_CL_NUMBER, "DEVICE_NATIVE_VECTOR_WIDTH_FLOAT", NULL},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, CLTUNEDB_CL_NUMBER,
     "DEVICE_PROFILING_TIMER_RESOLUTION", NULL},
    {CL_DRIVER_VERSION, CLTUNEDB_CL_TEXT, "DRIVER_VERSION", NULL},
    {0x1067, CLTUNEDB_CL_NUMBER, "DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", NULL},
    {0x105C, CLTUNEDB_CL_NUMBER, "DEVICE_MAX_NUM_SUB_GROUPS", NULL},
    {0x4108, CLTUNEDB_CL_SIZES, "DEVICE_SUB_GROUP_SIZES_INTEL", CLTUNEDB_CL_INTEL},
    {0x4000, CLTUNEDB_CL_NUMBER, "DEVICE_COMPUTE_CAPABILITY_MAJOR_NV", CLTUNEDB_CL_NV},
    {0x4001, CLTUNEDB_CL_NUMBER, "DEVICE_COMPUTE_CAPABILITY_MINOR_NV", CLTUNEDB_CL_NV},
    {0x4003, CLTUNEDB_CL_NUMBER, "DEVICE_WARP_SIZE_NV", CLTUNEDB_CL_NV},
    {0x4002, CLTUNEDB_CL_NUMBER, "DEVICE_REGISTERS_PER_BLOCK_NV", CLTUNEDB_CL_NV},
    {0x4006, CLTUNEDB_CL_NUMBER, "DEVICE_INTEGRATED_MEMORY_NV", CLTUNEDB_CL_NV},
    {0x4038, CLTUNEDB_CL_TEXT, "DEVICE_BOARD_NAME_AMD", CLTUNEDB_CL_AMD},
    {0x404A, CLTUNEDB_CL_NUMBER, "DEVICE_GFXIP_MAJOR_AMD", CLTUNEDB_CL_AMD},
    {0x404B, CLTUNEDB_CL_NUMBER, "DEVICE_GFXIP_MINOR_AMD", CLTUNEDB_CL_AMD},
    {0x4043, CLTUNEDB_CL_NUMBER, "DEVICE_WAVEFRONT_WIDTH_AMD", CLTUNEDB_CL_AMD},
    {0x4040, CLTUNEDB_CL_NUMBER, "DEVICE_SIMD_PER_COMPUTE_UNIT_AMD", CLTUNEDB_CL_AMD},
    {0x4041, CLTUNEDB_CL_NUMBER, "DEVICE_SIMD_WIDTH_AMD", CLTUNEDB_CL_AMD},
    {0x4042, CLTUNEDB_CL_NUMBER, "DEVICE_SIMD_INSTRUCTION_WIDTH_AMD", CLTUNEDB_CL_AMD},
    {0x4047, CLTUNEDB_CL_NUMBER, "DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD",
     CLTUNEDB_CL_AMD},
    {0x4048, CLTUNEDB_CL_NUMBER, "DEVICE_LOCAL_MEM_BANKS_AMD", CLTUNEDB_CL_AMD},
    {0x4044, CLTUNEDB_CL_NUMBER, "DEVICE_GLOBAL_MEM_CHANNELS_AMD", CLTUNEDB_CL_AMD},
    {0x4045, CLTUNEDB_CL_NUMBER, "DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD", CLTUNEDB_CL_AMD},
    {0x4046, CLTUNEDB_CL_NUMBER, "DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD",
     CLTUNEDB_CL_AMD},
    {0x4030, CLTUNEDB_CL_NUMBER, "DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD", CLTUNEDB_CL_AMD},
    {0x4031, CLTUNEDB_CL_NUMBER, "DEVICE_MAX_WORK_GROUP_SIZE_AMD", CLTUNEDB_CL_AMD},
};

static inline void cltunedb_cl_read_platform(cl_device_id device, cltunedb_cl_device *out)
{
    static const struct {
        cl_platform_info info;
        const char *name;
    } both[] = {{CL_PLATFORM_NAME, "PLATFORM_NAME"},
                {CL_PLATFORM_VERSION, "PLATFORM_VERSION"}};
    cl_platform_id platform;
    size_t bytes = 0;

    if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL) !=
        CL_SUCCESS)
        return;
    for (size_t i = 0; i < 2; i++) {
        size_t room = sizeof(out->text) - out->text_bytes;

        if (room > 1 &&
            clGetPlatformInfo(platform, both[i].info, room - 1,
                              out->text + out->text_bytes, &bytes) == CL_SUCCESS) {
            out->text[out->text_bytes + bytes] = '\0';
            cltunedb_cl_add_text(out, both[i].name);
        }
    }
}

/*! cltunedb_cl_facts() : reads what a request asks of a device, as `cltune` reads it; what the
 *  driver does not report is left out.  `out->values` and `out->count` are for
 *  cltunedb_tune_request. */
static inline void cltunedb_cl_facts(cl_device_id device, cltunedb_cl_device *out)
{
    const cltunedb_cl_property *all = cltunedb_cl_properties;
    const size_t count = sizeof(cltunedb_cl_properties) / sizeof(*all);
    const char *extensions = "";

    out->count = 0;
    out->text_bytes = 0;
    cltunedb_cl_read_platform(device, out);
    for (size_t i = 0; i < count; i++) {
        /* Another vendor's driver may use the number for something else. */
        if (all[i].extension && !strstr(extensions, all[i].extension))
            continue;
        cltunedb_cl_read(device, all[i].info, all[i].form, all[i].name, out);
        if (all[i].info == CL_DEVICE_EXTENSIONS && out->count &&
            out->values[out->count - 1].kind == CLTUNEDB_TEXT)
            extensions = out->values[out->count - 1].s;
    }
}

/*! cltunedb_cl_event_ns() : waits for a launch in a queue with CL_QUEUE_PROFILING_ENABLE, and returns
 *  its time; 0 if there is none: then the launch has failed, and *outcome says how. */
static inline double cltunedb_cl_event_ns(cl_event event, cltunedb_tune_outcome *outcome)
{
    cl_ulong start = 0;
    cl_ulong end = 0;

    *outcome = CLTUNEDB_TUNE_CRASHED;
    if (clWaitForEvents(1, &event) != CL_SUCCESS ||
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
                                NULL) != CL_SUCCESS ||
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end,
                                NULL) != CL_SUCCESS)
        return 0;
    *outcome = CLTUNEDB_TUNE_RAN;
    return end > start ? (double)(end - start) : 1;
}

/*! cltunedb_cl_outcome() : what an error of clBuildProgram, clCreateKernel or
 *  clEnqueueNDRangeKernel means for the configuration. */
static inline cltunedb_tune_outcome cltunedb_cl_outcome(cl_int error)
{
    switch (error) {
    case CL_SUCCESS:
        return CLTUNEDB_TUNE_RAN;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_INVALID_BUILD_OPTIONS:
    case CL_INVALID_KERNEL_NAME:
        return CLTUNEDB_TUNE_BUILD_FAILED;
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_WORK_DIMENSION:
    case CL_INVALID_GLOBAL_OFFSET:
    case CL_INVALID_KERNEL_ARGS:
    case CL_OUT_OF_RESOURCES:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return CLTUNEDB_TUNE_INVALID;
    default:
        return CLTUNEDB_TUNE_CRASHED;
    }
}

/*! cltunedb_cl_save() : copies a buffer of `bytes` that a kernel overwrites, for a program that
 *  repeats a launch to tune; release the copy with clReleaseMemObject().
 *  cltunedb_cl_restore() : copies it back.  Both wait.
 * @return : an OpenCL error. */
static inline cl_int cltunedb_cl_copy(cl_command_queue queue, cl_mem from, cl_mem to,
                                      size_t bytes)
{
    cl_int error = clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, NULL);

    return error == CL_SUCCESS ? clFinish(queue) : error;
}

static inline cl_int cltunedb_cl_save(cl_context context, cl_command_queue queue,
                                      cl_mem buffer, size_t bytes, cl_mem *copy)
{
    cl_int error = CL_SUCCESS;

    *copy = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return error == CL_SUCCESS ? cltunedb_cl_copy(queue, buffer, *copy, bytes) : error;
}

static inline cl_int cltunedb_cl_restore(cl_command_queue queue, cl_mem copy,
                                         cl_mem buffer, size_t bytes)
{
    return cltunedb_cl_copy(queue, copy, buffer, bytes);
}

#if defined(__cplusplus)
}
#endif

#endif
