// SPDX-License-Identifier: Apache-2.0
// Reads the properties of platforms and devices.
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

/* How a property's answer is read. */
enum form { TEXT, UINT, ULONG, SIZE, BOOL, FLAGS, ITEM, LIST, NUMBER, FOLLOWS };

struct trait {
    cl_device_info name;
    enum form form;
};

/* CL_DEVICE_MAX_WORK_ITEM_SIZES is one array in OpenCL and three properties here. */
#define CL_DEVICE_MAX_WORK_ITEM_SIZES_0 CL_DEVICE_MAX_WORK_ITEM_SIZES
#define CL_DEVICE_MAX_WORK_ITEM_SIZES_1 CL_DEVICE_MAX_WORK_ITEM_SIZES
#define CL_DEVICE_MAX_WORK_ITEM_SIZES_2 CL_DEVICE_MAX_WORK_ITEM_SIZES

#define CL_DEVICE_SUB_GROUP_SIZES 0 /* not asked for: follows from others */

/* Headers before OpenCL 2.1 and 3.0 lack these. */
#ifndef CL_DEVICE_MAX_NUM_SUB_GROUPS
#define CL_DEVICE_MAX_NUM_SUB_GROUPS 0x105C
#endif
#ifndef CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
#define CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE 0x1067
#endif

/* From cl_ext.h, which differs too much between distributions to be included. */
#define CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV         0x4000
#define CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV         0x4001
#define CL_DEVICE_REGISTERS_PER_BLOCK_NV              0x4002
#define CL_DEVICE_WARP_SIZE_NV                        0x4003
#define CL_DEVICE_INTEGRATED_MEMORY_NV                0x4006
#define CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD       0x4030
#define CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD             0x4031
#define CL_DEVICE_BOARD_NAME_AMD                      0x4038
#define CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD           0x4040
#define CL_DEVICE_SIMD_WIDTH_AMD                      0x4041
#define CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD          0x4042
#define CL_DEVICE_WAVEFRONT_WIDTH_AMD                 0x4043
#define CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD             0x4044
#define CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD        0x4045
#define CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD   0x4046
#define CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD 0x4047
#define CL_DEVICE_LOCAL_MEM_BANKS_AMD                 0x4048
#define CL_DEVICE_GFXIP_MAJOR_AMD                     0x404A
#define CL_DEVICE_GFXIP_MINOR_AMD                     0x404B
#define CL_DEVICE_SUB_GROUP_SIZES_INTEL               0x4108

static const struct trait traits[CT_DEVPROP_COUNT] = {
#define CT_DEVPROP(name, form)    {CL_DEVICE_##name, form},
#define CT_DRIVERPROP(name, form) {CL_##name, form},
#include "base/devprops.def"
#undef CT_DEVPROP
};

/* No property's text is longer than this unless the driver is broken. */
enum { TEXT_MAX = 1 << 20, ITEMS_MAX = 16, LIST_MAX = 4096 };

/* Texts are padded: NVIDIA's names end in spaces, Intel's begin with them. */
static const char *trimmed(struct ct_arena *arena, const char *text, size_t length)
{
    while (length && (!text[length - 1] || text[length - 1] == ' '))
        length--;
    while (length && *text == ' ') {
        text++;
        length--;
    }
    return ct_arena_copy(arena, text, length);
}

static const char *device_text(const struct ct_opencl *cl, cl_device_id id,
                               cl_device_info name, struct ct_arena *arena)
{
    size_t size = 0;
    const char *text = NULL;
    char *buffer;

    if (cl->clGetDeviceInfo(id, name, 0, NULL, &size) != CL_SUCCESS || size > TEXT_MAX)
        return NULL;
    buffer = calloc(1, size + 1);
    if (!buffer)
        return NULL;
    if (cl->clGetDeviceInfo(id, name, size, buffer, NULL) == CL_SUCCESS)
        text = trimmed(arena, buffer, strlen(buffer));
    free(buffer);
    return text;
}

static const char *platform_text(const struct ct_opencl *cl, cl_platform_id id,
                                 cl_platform_info name, struct ct_arena *arena)
{
    char buffer[1024] = "";

    if (cl->clGetPlatformInfo(id, name, sizeof(buffer) - 1, buffer, NULL) != CL_SUCCESS)
        return "";
    return trimmed(arena, buffer, strlen(buffer));
}

/* An unsigned answer of any width, as given by the size that the driver reports. */
static struct ct_value device_number(const struct ct_opencl *cl, cl_device_id id,
                                     const struct trait *trait)
{
    struct ct_value none = {.kind = CT_NONE};
    size_t size = 0;
    cl_ulong wide = 0;
    cl_uint narrow = 0;
    void *value = &wide;
    size_t room = sizeof(wide);

    if (trait->form == UINT || trait->form == BOOL ||
        (trait->form == SIZE && sizeof(size_t) == sizeof(narrow))) {
        value = &narrow;
        room = sizeof(narrow);
    }
    if (cl->clGetDeviceInfo(id, trait->name, room, value, &size) != CL_SUCCESS ||
        size != room)
        return none;
    if (room == sizeof(narrow))
        return ct_value_int((int64_t)narrow);
    /* No relevant limit is beyond 2^63. */
    return ct_value_int(wide > INT64_MAX ? INT64_MAX : (int64_t)wide);
}

static struct ct_value device_items(const struct ct_opencl *cl, cl_device_id id,
                                    unsigned dimension)
{
    struct ct_value none = {.kind = CT_NONE};
    size_t sizes[ITEMS_MAX] = {0};
    size_t size = 0;
    uint64_t most;

    if (cl->clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes), sizes,
                            &size) != CL_SUCCESS ||
        size / sizeof(*sizes) <= dimension)
        return none;
    most = sizes[dimension];
    return ct_value_int((int64_t)(most > INT64_MAX ? INT64_MAX : most));
}

/* A vendor's number: 32 or 64 bits, which differs between their versions. */
static struct ct_value device_vendor_number(const struct ct_opencl *cl, cl_device_id id,
                                            cl_device_info name)
{
    struct ct_value none = {.kind = CT_NONE};
    size_t size = 0;
    cl_ulong wide = 0;
    cl_uint narrow = 0;

    if (cl->clGetDeviceInfo(id, name, sizeof(wide), &wide, &size) != CL_SUCCESS ||
        (size != sizeof(narrow) && size != sizeof(wide)))
        return none;
    memcpy(&narrow, &wide, sizeof(narrow));
    wide = size == sizeof(narrow) ? narrow : wide;
    return ct_value_int(wide > INT64_MAX ? INT64_MAX : (int64_t)wide);
}

/* "8 16 32", in the driver's order. */
static struct ct_value device_list(const struct ct_opencl *cl, cl_device_id id,
                                   cl_device_info name, struct ct_arena *arena)
{
    struct ct_value value = {.kind = CT_NONE};
    size_t sizes[64];
    size_t size = 0;
    struct ct_str text;

    if (cl->clGetDeviceInfo(id, name, sizeof(sizes), sizes, &size) != CL_SUCCESS ||
        size < sizeof(*sizes) || size > sizeof(sizes))
        return value;
    ct_str_init(&text);
    for (size_t i = 0; i < size / sizeof(*sizes); i++)
        ct_str_addf(&text, "%s%zu", i ? " " : "", sizes[i]);
    if (!text.failed)
        value = ct_value_text(ct_arena_copy(arena, text.data, text.length));
    ct_str_release(&text);
    if (!value.u.s)
        value.kind = CT_NONE;
    return value;
}

/* --- vendors --- */

bool ct_info_has(const struct ct_devinfo *info, const char *extension)
{
    const char *text = ct_devinfo_text(info, CT_DEVICE_EXTENSIONS);
    size_t length = strlen(extension);

    while (*text) {
        size_t word = strcspn(text, " ");

        if (word == length && !memcmp(text, extension, length))
            return true;
        text += word + (text[word] == ' ');
    }
    return false;
}

static bool ends(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Whether a property may be asked for: another vendor's driver may use the number for something
 * else. */
static bool is_offered(const struct ct_devinfo *info, enum ct_devprop prop)
{
    static const struct {
        const char *suffix;
        const char *extension;
    } vendors[] = {{"_NV", "cl_nv_device_attribute_query"},
                   {"_AMD", "cl_amd_device_attribute_query"},
                   {"_INTEL", "cl_intel_required_subgroup_size"}};
    const char *name = ct_devprops[prop].name;

    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
        if (ends(name, vendors[i].suffix))
            return ct_info_has(info, vendors[i].extension);
    return true;
}

static struct ct_value device_value(const struct ct_opencl *cl, cl_device_id id,
                                    enum ct_devprop prop, struct ct_arena *arena)
{
    const struct trait *trait = &traits[prop];
    struct ct_value value = {.kind = CT_NONE};
    const char *text;

    switch (trait->form) {
    case TEXT:
        text = device_text(cl, id, trait->name, arena);
        return text ? ct_value_text(text) : value;
    case ITEM:
        return device_items(cl, id, prop - CT_DEVICE_MAX_WORK_ITEM_SIZES_0);
    case LIST:
        return device_list(cl, id, trait->name, arena);
    case NUMBER:
        return device_vendor_number(cl, id, trait->name);
    case FOLLOWS:
        return value;
    default:
        return device_number(cl, id, trait);
    }
}

void ct_discover_info(const struct ct_opencl *cl, cl_platform_id platform,
                      cl_device_id id, struct ct_arena *arena, struct ct_devinfo *info)
{
    info->platform_name = platform_text(cl, platform, CL_PLATFORM_NAME, arena);
    info->platform_version = platform_text(cl, platform, CL_PLATFORM_VERSION, arena);
    for (unsigned i = 0; i < CT_DEVPROP_COUNT; i++)
        if (is_offered(info, (enum ct_devprop)i))
            info->props[i] = device_value(cl, id, (enum ct_devprop)i, arena);
    ct_devinfo_complete(info, arena);
}

enum ct_status ct_discover_platforms(const struct ct_opencl *cl, struct ct_arena *arena,
                                     cl_platform_id **out, cl_uint *count,
                                     struct ct_err *err)
{
    /* The loader's error if no driver is installed. */
    const cl_int none = -1001;
    cl_int code;

    *out = NULL;
    *count = 0;
    code = cl->clGetPlatformIDs(0, NULL, count);
    if (code == none || (code == CL_SUCCESS && !*count)) {
        *count = 0;
        return CT_OK;
    }
    if (code != CL_SUCCESS)
        return ct_opencl_fail(err, "clGetPlatformIDs", code);
    if (*count > LIST_MAX)
        *count = LIST_MAX;
    *out = ct_arena_array(arena, *count, sizeof(**out));
    if (!*out)
        return ct_err_nomem(err);
    code = cl->clGetPlatformIDs(*count, *out, NULL);
    return code == CL_SUCCESS ? CT_OK : ct_opencl_fail(err, "clGetPlatformIDs", code);
}

enum ct_status ct_discover_devices(const struct ct_opencl *cl, cl_platform_id platform,
                                   struct ct_arena *arena, cl_device_id **out,
                                   cl_uint *count, struct ct_err *err)
{
    cl_int code;

    *out = NULL;
    *count = 0;
    code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, count);
    /* One broken driver must not hide the devices of the others. */
    if (code != CL_SUCCESS || !*count) {
        *count = 0;
        return CT_OK;
    }
    if (*count > LIST_MAX)
        *count = LIST_MAX;
    *out = ct_arena_array(arena, *count, sizeof(**out));
    if (!*out)
        return ct_err_nomem(err);
    code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, *count, *out, NULL);
    if (code != CL_SUCCESS)
        *count = 0;
    return CT_OK;
}

enum ct_status ct_device_list(const struct ct_opencl *cl, struct ct_arena *arena,
                              struct ct_devinfo **out, size_t *count, struct ct_err *err)
{
    cl_platform_id *platforms;
    cl_uint platform_count;
    struct ct_devinfo *list = NULL;
    size_t capacity = 0;
    size_t used = 0;
    enum ct_status status =
        ct_discover_platforms(cl, arena, &platforms, &platform_count, err);

    for (cl_uint p = 0; !status && platforms && p < platform_count; p++) {
        cl_device_id *devices;
        cl_uint device_count;

        status =
            ct_discover_devices(cl, platforms[p], arena, &devices, &device_count, err);
        for (cl_uint d = 0; !status && d < device_count; d++) {
            if (!ct_mem_grow(&list, &capacity, used + 1, sizeof(*list))) {
                status = ct_err_nomem(err);
                break;
            }
            list[used].platform_index = p;
            list[used].device_index = d;
            ct_discover_info(cl, platforms[p], devices[d], arena, &list[used]);
            used++;
        }
    }
    if (!status) {
        *out = ct_arena_array(arena, used ? used : 1, sizeof(**out));
        *count = used;
        if (!*out)
            status = ct_err_nomem(err);
        else if (used)
            memcpy(*out, list, used * sizeof(*list));
    }
    free(list);
    return status;
}
