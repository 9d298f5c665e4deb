// SPDX-License-Identifier: Apache-2.0
// The virtual platform and what its two devices say about themselves.
//
// Device 0 repeats what VC4CL 0.4.9999 reports on a Raspberry Pi 3B+ with 256 MiB for
// the GPU, as clinfo printed it in public; only its extensions are cut down to those
// that need no further host calls.

#include "vcl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form { FLAG, UINT, ULONG, SIZE, TEXT, EMPTY };

// One property: its form, the OpenCL version that brought it, and both devices' values.
struct property {
    cl_device_info name;
    enum form form;
    unsigned since;
    cl_ulong number[VCL_MODELS];
    const char *text[VCL_MODELS];
};

#define MIB (1024UL * 1024UL)
#define NUMBER(name, form, zero, one)                                                    \
    {                                                                                    \
        CL_DEVICE_##name, form, 12, {zero, one},                                         \
        {                                                                                \
            0                                                                            \
        }                                                                                \
    }
#define WORDS(name, zero, one)                                                           \
    {                                                                                    \
        name, TEXT, 12, {0},                                                             \
        {                                                                                \
            zero, one                                                                    \
        }                                                                                \
    }
#define LATER(name, form, since, one)                                                    \
    {                                                                                    \
        CL_DEVICE_##name, form, since, {0, one},                                         \
        {                                                                                \
            0                                                                            \
        }                                                                                \
    }
#define NOTHING(name, since)                                                             \
    {                                                                                    \
        CL_DEVICE_##name, EMPTY, since, {0},                                             \
        {                                                                                \
            0                                                                            \
        }                                                                                \
    }

#define FULL_FLOAT                                                                       \
    (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |       \
     CL_FP_ROUND_TO_INF | CL_FP_FMA)
#define EXTENSIONS                                                                       \
    "cl_khr_icd cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "  \
    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "               \
    "cl_khr_byte_addressable_store"

static const struct property properties[] = {
    WORDS(CL_DEVICE_NAME, "VideoCore IV GPU", "Virtual GPU"),
    WORDS(CL_DEVICE_VENDOR, "Broadcom", "cltune tests"),
    WORDS(CL_DRIVER_VERSION, "0.4.9999", "1.0"),
    WORDS(CL_DEVICE_PROFILE, "EMBEDDED_PROFILE", "FULL_PROFILE"),
    WORDS(CL_DEVICE_VERSION, "OpenCL 1.2 VC4CL 0.4.9999",
          "OpenCL 3.0 cltune virtual 1.0"),
    WORDS(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 ", "OpenCL C 1.2 cltune virtual"),
    WORDS(CL_DEVICE_BUILT_IN_KERNELS, "", ""),
    NUMBER(TYPE, ULONG, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_GPU),
    NUMBER(VENDOR_ID, UINT, 0x14E4, 0xC17E),
    NUMBER(MAX_COMPUTE_UNITS, UINT, 1, 64),
    NUMBER(MAX_WORK_ITEM_DIMENSIONS, UINT, 3, 3),
    NUMBER(MAX_WORK_GROUP_SIZE, SIZE, 12, 1024),
    NUMBER(PREFERRED_VECTOR_WIDTH_CHAR, UINT, 16, 1),
    NUMBER(PREFERRED_VECTOR_WIDTH_SHORT, UINT, 16, 1),
    NUMBER(PREFERRED_VECTOR_WIDTH_INT, UINT, 16, 1),
    NUMBER(PREFERRED_VECTOR_WIDTH_LONG, UINT, 0, 1),
    NUMBER(PREFERRED_VECTOR_WIDTH_FLOAT, UINT, 16, 1),
    NUMBER(PREFERRED_VECTOR_WIDTH_DOUBLE, UINT, 0, 1),
    NUMBER(PREFERRED_VECTOR_WIDTH_HALF, UINT, 0, 0),
    NUMBER(NATIVE_VECTOR_WIDTH_CHAR, UINT, 16, 1),
    NUMBER(NATIVE_VECTOR_WIDTH_SHORT, UINT, 16, 1),
    NUMBER(NATIVE_VECTOR_WIDTH_INT, UINT, 16, 1),
    NUMBER(NATIVE_VECTOR_WIDTH_LONG, UINT, 0, 1),
    NUMBER(NATIVE_VECTOR_WIDTH_FLOAT, UINT, 16, 1),
    NUMBER(NATIVE_VECTOR_WIDTH_DOUBLE, UINT, 0, 1),
    NUMBER(NATIVE_VECTOR_WIDTH_HALF, UINT, 0, 0),
    NUMBER(MAX_CLOCK_FREQUENCY, UINT, 300, 1500),
    NUMBER(ADDRESS_BITS, UINT, 32, 64),
    NUMBER(MAX_MEM_ALLOC_SIZE, ULONG, 256 * MIB, 4096 * MIB),
    NUMBER(GLOBAL_MEM_SIZE, ULONG, 256 * MIB, 16384 * MIB),
    NUMBER(GLOBAL_MEM_CACHE_TYPE, UINT, CL_READ_WRITE_CACHE, CL_READ_WRITE_CACHE),
    NUMBER(GLOBAL_MEM_CACHELINE_SIZE, UINT, 64, 128),
    NUMBER(GLOBAL_MEM_CACHE_SIZE, ULONG, 32 * 1024, 4 * MIB),
    NUMBER(MAX_CONSTANT_BUFFER_SIZE, ULONG, 256 * MIB, 64 * 1024),
    NUMBER(MAX_CONSTANT_ARGS, UINT, 64, 8),
    NUMBER(LOCAL_MEM_TYPE, UINT, CL_GLOBAL, CL_LOCAL),
    NUMBER(LOCAL_MEM_SIZE, ULONG, 256 * MIB, 48 * 1024),
    NUMBER(MAX_PARAMETER_SIZE, SIZE, 256, 4096),
    NUMBER(MEM_BASE_ADDR_ALIGN, UINT, 512, 4096),
    NUMBER(MIN_DATA_TYPE_ALIGN_SIZE, UINT, 64, 128),
    NUMBER(SINGLE_FP_CONFIG, ULONG, CL_FP_ROUND_TO_ZERO, FULL_FLOAT),
    NUMBER(DOUBLE_FP_CONFIG, ULONG, 0, FULL_FLOAT),
    NUMBER(HALF_FP_CONFIG, ULONG, 0, 0),
    NUMBER(IMAGE_SUPPORT, FLAG, CL_FALSE, CL_FALSE),
    NUMBER(MAX_READ_IMAGE_ARGS, UINT, 0, 0),
    NUMBER(MAX_WRITE_IMAGE_ARGS, UINT, 0, 0),
    NUMBER(IMAGE2D_MAX_WIDTH, SIZE, 0, 0),
    NUMBER(IMAGE2D_MAX_HEIGHT, SIZE, 0, 0),
    NUMBER(IMAGE3D_MAX_WIDTH, SIZE, 0, 0),
    NUMBER(IMAGE3D_MAX_HEIGHT, SIZE, 0, 0),
    NUMBER(IMAGE3D_MAX_DEPTH, SIZE, 0, 0),
    NUMBER(IMAGE_MAX_BUFFER_SIZE, SIZE, 0, 0),
    NUMBER(IMAGE_MAX_ARRAY_SIZE, SIZE, 0, 0),
    NUMBER(MAX_SAMPLERS, UINT, 0, 0),
    NUMBER(ERROR_CORRECTION_SUPPORT, FLAG, CL_FALSE, CL_FALSE),
    NUMBER(HOST_UNIFIED_MEMORY, FLAG, CL_TRUE, CL_FALSE),
    NUMBER(PROFILING_TIMER_RESOLUTION, SIZE, 1, 1),
    NUMBER(ENDIAN_LITTLE, FLAG, CL_TRUE, CL_TRUE),
    NUMBER(AVAILABLE, FLAG, CL_TRUE, CL_TRUE),
    NUMBER(COMPILER_AVAILABLE, FLAG, CL_TRUE, CL_TRUE),
    NUMBER(LINKER_AVAILABLE, FLAG, CL_FALSE, CL_FALSE),
    NUMBER(EXECUTION_CAPABILITIES, ULONG, CL_EXEC_KERNEL, CL_EXEC_KERNEL),
    NUMBER(QUEUE_PROPERTIES, ULONG, CL_QUEUE_PROFILING_ENABLE,
           CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
    NUMBER(PARTITION_MAX_SUB_DEVICES, UINT, 0, 0),
    NUMBER(PARTITION_PROPERTIES, SIZE, 0, 0), // the list's terminating zero
    NUMBER(PARTITION_AFFINITY_DOMAIN, ULONG, 0, 0),
    NOTHING(PARTITION_TYPE, 12),
    NUMBER(PARENT_DEVICE, SIZE, 0, 0), // NULL
    NUMBER(REFERENCE_COUNT, UINT, 1, 1),
    NUMBER(PREFERRED_INTEROP_USER_SYNC, FLAG, CL_TRUE, CL_TRUE),
    NUMBER(PRINTF_BUFFER_SIZE, SIZE, 0, MIB),
    LATER(IMAGE_PITCH_ALIGNMENT, UINT, 20, 0),
    LATER(IMAGE_BASE_ADDRESS_ALIGNMENT, UINT, 20, 0),
    LATER(MAX_READ_WRITE_IMAGE_ARGS, UINT, 20, 0),
    LATER(MAX_GLOBAL_VARIABLE_SIZE, SIZE, 20, 0),
    LATER(GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, SIZE, 20, 0),
    LATER(QUEUE_ON_DEVICE_PROPERTIES, ULONG, 20, 0),
    LATER(QUEUE_ON_DEVICE_PREFERRED_SIZE, UINT, 20, 0),
    LATER(QUEUE_ON_DEVICE_MAX_SIZE, UINT, 20, 0),
    LATER(MAX_ON_DEVICE_QUEUES, UINT, 20, 0),
    LATER(MAX_ON_DEVICE_EVENTS, UINT, 20, 0),
    LATER(SVM_CAPABILITIES, ULONG, 20, 0),
    LATER(MAX_PIPE_ARGS, UINT, 20, 0),
    LATER(PIPE_MAX_ACTIVE_RESERVATIONS, UINT, 20, 0),
    LATER(PIPE_MAX_PACKET_SIZE, UINT, 20, 0),
    LATER(PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, UINT, 20, 0),
    LATER(PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, UINT, 20, 0),
    LATER(PREFERRED_LOCAL_ATOMIC_ALIGNMENT, UINT, 20, 0),
    {CL_DEVICE_IL_VERSION, TEXT, 21, {0}, {"", ""}},
    LATER(MAX_NUM_SUB_GROUPS, UINT, 21, 0),
    LATER(SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, FLAG, 21, CL_FALSE),
    LATER(NUMERIC_VERSION, UINT, 30, CL_MAKE_VERSION(3, 0, 0)),
    NOTHING(ILS_WITH_VERSION, 30),
    NOTHING(BUILT_IN_KERNELS_WITH_VERSION, 30),
    NOTHING(OPENCL_C_FEATURES, 30),
    LATER(ATOMIC_MEMORY_CAPABILITIES, ULONG, 30,
          CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP),
    LATER(ATOMIC_FENCE_CAPABILITIES, ULONG, 30,
          CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
              CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP),
    LATER(NON_UNIFORM_WORK_GROUP_SUPPORT, FLAG, 30, CL_FALSE),
    LATER(PREFERRED_WORK_GROUP_SIZE_MULTIPLE, SIZE, 30, 32),
    LATER(WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, FLAG, 30, CL_FALSE),
    LATER(GENERIC_ADDRESS_SPACE_SUPPORT, FLAG, 30, CL_FALSE),
    LATER(DEVICE_ENQUEUE_CAPABILITIES, ULONG, 30, 0),
    LATER(PIPE_SUPPORT, FLAG, 30, CL_FALSE),
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, TEXT, 30, {0}, {"", ""}},
};

static const unsigned versions[VCL_MODELS] = {12, 30};
static const size_t items[VCL_MODELS][3] = {{12, 12, 12}, {1024, 1024, 64}};

static const struct property *find(cl_device_info name)
{
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (properties[i].name == name)
            return &properties[i];
    return NULL;
}

cl_ulong vcl_device_number(cl_device_id device, cl_device_info name)
{
    const struct property *row = find(name);
    return row ? row->number[device->model] : 0;
}

const char *vcl_device_driver(cl_device_id device)
{
    const char *wish = getenv("VIRTUALCL_DRIVER");
    const struct property *row = find(CL_DRIVER_VERSION);
    return wish && *wish ? wish : row->text[device->model];
}

// VIRTUALCL_TYPE=cpu: all devices say that they are processors.
static cl_ulong reported_type(cl_device_id device, cl_ulong known)
{
    const char *text = getenv("VIRTUALCL_TYPE");
    if (device->cpu)
        return CL_DEVICE_TYPE_CPU;
    if (!text || !*text || strcmp(text, "gpu") == 0)
        return known;
    if (strcmp(text, "cpu") != 0) {
        fprintf(stderr, "virtual OpenCL: VIRTUALCL_TYPE: what is '%s'?\n", text);
        abort();
    }
    return CL_DEVICE_TYPE_CPU;
}

// VIRTUALCL_LIMITS=group:N,local:BYTES: what is reported, not what is accepted.
cl_ulong vcl_device_reported(cl_device_id device, cl_device_info name)
{
    static const struct {
        const char *word;
        cl_device_info name;
    } limits[] = {{"group", CL_DEVICE_MAX_WORK_GROUP_SIZE},
                  {"local", CL_DEVICE_LOCAL_MEM_SIZE}};
    const char *text = getenv("VIRTUALCL_LIMITS");
    cl_ulong reported = vcl_device_number(device, name);
    if (name == CL_DEVICE_TYPE)
        return reported_type(device, reported);
    if (name == CL_DEVICE_VENDOR_ID)
        return vcl_vendor(device, reported);
    while (text && *text) {
        size_t length = strcspn(text, ","), word = strcspn(text, ":"), i = 0;
        int64_t number;
        while (i < 2 && !vcl_is(text, word, limits[i].word))
            i++;
        if (i == 2 || word >= length ||
            !vcl_read_whole(text + word + 1, length - word - 1, false, &number)) {
            fprintf(stderr, "virtual OpenCL: VIRTUALCL_LIMITS: what is '%s'?\n", text);
            abort();
        }
        if (limits[i].name == name)
            reported = (cl_ulong)number;
        text += length + (text[length] == ',');
    }
    return reported;
}

size_t vcl_device_items(cl_device_id device, unsigned dimension)
{
    return items[device->model][dimension];
}

// The properties of OpenCL 3.0 that are lists of names with versions.
static cl_int answer_named(cl_device_id device, cl_device_info name, size_t value_bytes,
                           void *value, size_t *value_bytes_ret)
{
    char extensions[1024];
    cl_name_version list[16];
    snprintf(extensions, sizeof extensions, EXTENSIONS "%s%s", vcl_extensions(device),
             vcl_maker_extensions(device));
    size_t count = 0;
    memset(list, 0, sizeof list);
    if (name == CL_DEVICE_OPENCL_C_ALL_VERSIONS) {
        static const cl_version languages[] = {
            CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0),
            CL_MAKE_VERSION(3, 0, 0)};
        for (; count < sizeof languages / sizeof *languages; count++) {
            list[count].version = languages[count];
            strcpy(list[count].name, "OpenCL C");
        }
    } else {
        for (const char *word = extensions; *word; count++) {
            size_t length = strcspn(word, " ");
            list[count].version = CL_MAKE_VERSION(1, 0, 0);
            memcpy(list[count].name, word, length);
            word += length + (word[length] == ' ');
        }
    }
    return vcl_answer(list, count * sizeof *list, value_bytes, value, value_bytes_ret);
}

static cl_int answer_extensions(cl_device_id device, size_t value_bytes, void *value,
                                size_t *value_bytes_ret)
{
    char extensions[1024];
    snprintf(extensions, sizeof extensions, EXTENSIONS "%s%s", vcl_extensions(device),
             vcl_maker_extensions(device));
    return vcl_answer_text(extensions, value_bytes, value, value_bytes_ret);
}

// Grows with a group that claims to be larger.
static cl_int answer_items(cl_device_id device, size_t value_bytes, void *value,
                           size_t *value_bytes_ret)
{
    size_t list[3];
    size_t group = (size_t)vcl_device_reported(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    memcpy(list, items[device->model], sizeof list);
    if (group > vcl_device_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE))
        list[0] = group;
    return vcl_answer(list, sizeof list, value_bytes, value, value_bytes_ret);
}

static cl_int device_info(cl_device_id device, cl_device_info name, size_t value_bytes,
                          void *value, size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetDeviceInfo);
    if (status)
        return status;
    if (!vcl_object_is(device, VCL_DEVICE))
        return CL_INVALID_DEVICE;
    unsigned version = versions[device->model];
    if (name == CL_DEVICE_MAX_WORK_ITEM_SIZES)
        return answer_items(device, value_bytes, value, value_bytes_ret);
    if (name == CL_DRIVER_VERSION)
        return vcl_answer_text(vcl_device_driver(device), value_bytes, value,
                               value_bytes_ret);
    if (name == CL_DEVICE_PLATFORM) {
        cl_platform_id platform = vcl_platform();
        return vcl_answer(&platform, sizeof platform, value_bytes, value,
                          value_bytes_ret);
    }
    if (version >= 30 && (name == CL_DEVICE_EXTENSIONS_WITH_VERSION ||
                          name == CL_DEVICE_OPENCL_C_ALL_VERSIONS))
        return answer_named(device, name, value_bytes, value, value_bytes_ret);
    if (name == CL_DEVICE_EXTENSIONS)
        return answer_extensions(device, value_bytes, value, value_bytes_ret);
    const struct property *row = find(name);
    cl_int made = vcl_maker_info(device, name, value_bytes, value, value_bytes_ret);
    if (made != CL_INVALID_VALUE)
        return made;
    if (!row)
        return vcl_pci_info(device, name, value_bytes, value, value_bytes_ret);
    if (row->since > version)
        return CL_INVALID_VALUE;
    cl_ulong number = vcl_device_reported(device, name);
    cl_uint narrow = (cl_uint)number;
    size_t size = (size_t)number;
    switch (row->form) {
    case FLAG:
    case UINT:
        return vcl_answer(&narrow, sizeof narrow, value_bytes, value, value_bytes_ret);
    case ULONG:
        return vcl_answer(&number, sizeof number, value_bytes, value, value_bytes_ret);
    case SIZE:
        return vcl_answer(&size, sizeof size, value_bytes, value, value_bytes_ret);
    case TEXT:
        return vcl_answer_text(row->text[device->model], value_bytes, value,
                               value_bytes_ret);
    case EMPTY:
        break;
    }
    return vcl_answer(NULL, 0, value_bytes, value, value_bytes_ret);
}

static cl_int platform_ids(cl_uint entries, cl_platform_id *platforms, cl_uint *count)
{
    cl_int status = VCL_INJECTED(clGetPlatformIDs);
    if (status)
        return status;
    if ((platforms && entries == 0) || (!platforms && !count))
        return CL_INVALID_VALUE;
    if (platforms)
        platforms[0] = vcl_platform();
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static cl_int platform_info(cl_platform_id platform, cl_platform_info name,
                            size_t value_bytes, void *value, size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetPlatformInfo);
    if (status)
        return status;
    if (platform && !vcl_object_is(platform, VCL_PLATFORM))
        return CL_INVALID_PLATFORM;
    cl_version version = CL_MAKE_VERSION(3, 0, 0);
    cl_ulong resolution_ns = 0;
    cl_name_version icd = {.version = CL_MAKE_VERSION(1, 0, 0), .name = "cl_khr_icd"};
    const char *text = NULL;
    switch (name) {
    case CL_PLATFORM_PROFILE:
        text = "FULL_PROFILE";
        break;
    case CL_PLATFORM_VERSION:
        text = "OpenCL 3.0 cltune virtual 1.0";
        break;
    case CL_PLATFORM_NAME:
        text = "cltune virtual platform";
        break;
    case CL_PLATFORM_VENDOR:
        text = "cltune tests";
        break;
    case CL_PLATFORM_EXTENSIONS:
        text = "cl_khr_icd";
        break;
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        text = "VIRTUALCL";
        break;
    case CL_PLATFORM_NUMERIC_VERSION:
        return vcl_answer(&version, sizeof version, value_bytes, value, value_bytes_ret);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return vcl_answer(&resolution_ns, sizeof resolution_ns, value_bytes, value,
                          value_bytes_ret);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return vcl_answer(&icd, sizeof icd, value_bytes, value, value_bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
    return vcl_answer_text(text, value_bytes, value, value_bytes_ret);
}

static cl_int device_ids(cl_platform_id platform, cl_device_type type, cl_uint entries,
                         cl_device_id *out, cl_uint *count)
{
    cl_int status = VCL_INJECTED(clGetDeviceIDs);
    if (status)
        return status;
    if (platform && !vcl_object_is(platform, VCL_PLATFORM))
        return CL_INVALID_PLATFORM;
    cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
                           CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                           CL_DEVICE_TYPE_CUSTOM;
    if (type == 0 || (type != CL_DEVICE_TYPE_ALL && (type & ~known)))
        return CL_INVALID_DEVICE_TYPE;
    if ((out && entries == 0) || (!out && !count))
        return CL_INVALID_VALUE;
    cl_uint found = 0;
    if (type & CL_DEVICE_TYPE_GPU)
        found = vcl_device_count();
    else if (type & CL_DEVICE_TYPE_DEFAULT)
        found = 1;
    if (found == 0)
        return CL_DEVICE_NOT_FOUND;
    for (cl_uint i = 0; out && i < found && i < entries; i++)
        out[i] = vcl_device(i);
    if (count)
        *count = found;
    return CL_SUCCESS;
}

// Root devices are not counted; both calls only check the handle.
static cl_int retain_device(cl_device_id device)
{
    cl_int status = VCL_INJECTED(clRetainDevice);
    if (status)
        return status;
    return vcl_object_is(device, VCL_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static cl_int release_device(cl_device_id device)
{
    cl_int status = VCL_INJECTED(clReleaseDevice);
    if (status)
        return status;
    return vcl_object_is(device, VCL_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

void vcl_device_install(cl_icd_dispatch *table)
{
    table->clGetPlatformIDs = platform_ids;
    table->clGetPlatformInfo = platform_info;
    table->clGetDeviceIDs = device_ids;
    table->clGetDeviceInfo = device_info;
    table->clRetainDevice = retain_device;
    table->clReleaseDevice = release_device;
}
