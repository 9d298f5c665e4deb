// SPDX-License-Identifier: Apache-2.0
// The table of device properties and their form on the wire.
#include "base/devinfo.h"

#include <string.h>

#define KIND_TEXT    CT_TEXT
#define KIND_UINT    CT_INT
#define KIND_ULONG   CT_INT
#define KIND_SIZE    CT_INT
#define KIND_BOOL    CT_INT
#define KIND_FLAGS   CT_INT
#define KIND_ITEM    CT_INT
#define KIND_NUMBER  CT_INT
#define KIND_LIST    CT_TEXT
#define KIND_FOLLOWS CT_TEXT

const struct ct_devprop_info ct_devprops[CT_DEVPROP_COUNT] = {
#define CT_DEVPROP(name, form)    {"DEVICE_" #name, KIND_##form},
#define CT_DRIVERPROP(name, form) {#name, KIND_##form},
#include "base/devprops.def"
#undef CT_DEVPROP
};

const char *ct_devinfo_text(const struct ct_devinfo *info, enum ct_devprop prop)
{
    const struct ct_value *value = &info->props[prop];

    return value->kind == CT_TEXT ? value->u.s : "";
}

int64_t ct_devinfo_int(const struct ct_devinfo *info, enum ct_devprop prop,
                       int64_t otherwise)
{
    const struct ct_value *value = &info->props[prop];

    return value->kind == CT_INT ? value->u.i : otherwise;
}

/* The sizes that sub-groups can have: those that Intel's extension lists, the size of NVIDIA's
 * warps, or of AMD's wavefronts. */
static struct ct_value sub_group_sizes(const struct ct_devinfo *info,
                                       struct ct_arena *arena)
{
    static const enum ct_devprop widths[] = {CT_DEVICE_WARP_SIZE_NV,
                                             CT_DEVICE_WAVEFRONT_WIDTH_AMD};
    struct ct_value none = {.kind = CT_NONE};

    if (info->props[CT_DEVICE_SUB_GROUP_SIZES_INTEL].kind == CT_TEXT)
        return info->props[CT_DEVICE_SUB_GROUP_SIZES_INTEL];
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        int64_t width = ct_devinfo_int(info, widths[i], 0);
        const char *text =
            width > 0 ? ct_arena_format(arena, "%lld", (long long)width) : NULL;

        if (text)
            return ct_value_text(text);
    }
    return none;
}

/* The bits of OpenCL's CL_DEVICE_TYPE. */
enum { TYPE_CPU = 1 << 1, TYPE_GPU = 1 << 2, TYPE_ACCELERATOR = 1 << 3 };

static const char *type_name(int64_t flags)
{
    if (flags & TYPE_GPU)
        return "GPU";
    if (flags & TYPE_ACCELERATOR)
        return "ACCELERATOR";
    if (flags & TYPE_CPU)
        return "CPU";
    return "CUSTOM";
}

void ct_devinfo_complete(struct ct_devinfo *info, struct ct_arena *arena)
{
    info->props[CT_DEVICE_SUB_GROUP_SIZES] = sub_group_sizes(info, arena);
    info->driver_version = ct_devinfo_text(info, CT_DEVICE_DRIVER_VERSION);
    info->type = type_name(ct_devinfo_int(info, CT_DEVICE_TYPE, 0));
}

void ct_devinfo_put(struct ct_str *out, const struct ct_devinfo *info)
{
    ct_wire_put_u32(out, info->platform_index);
    ct_wire_put_u32(out, info->device_index);
    ct_wire_put_text(out, info->platform_name);
    ct_wire_put_text(out, info->platform_version);
    ct_wire_put_text(out, info->driver_version);
    ct_wire_put_text(out, info->type);
    for (int i = 0; i < CT_DEVPROP_COUNT; i++) {
        const struct ct_value *value = &info->props[i];

        ct_wire_put_u32(out, value->kind);
        if (value->kind == CT_TEXT)
            ct_wire_put_text(out, value->u.s);
        else
            ct_wire_put_i64(out, value->u.i);
    }
}

static const char *text_or_empty(struct ct_wire_reader *in, struct ct_arena *arena)
{
    const char *text = ct_wire_get_text(in, arena);

    return text ? text : "";
}

void ct_devinfo_get(struct ct_wire_reader *in, struct ct_arena *arena,
                    struct ct_devinfo *info)
{
    memset(info, 0, sizeof(*info));
    info->platform_index = ct_wire_get_u32(in);
    info->device_index = ct_wire_get_u32(in);
    info->platform_name = text_or_empty(in, arena);
    info->platform_version = text_or_empty(in, arena);
    info->driver_version = text_or_empty(in, arena);
    info->type = text_or_empty(in, arena);
    for (int i = 0; i < CT_DEVPROP_COUNT; i++) {
        uint32_t kind = ct_wire_get_u32(in);

        if (kind == CT_TEXT) {
            info->props[i] = ct_value_text(text_or_empty(in, arena));
        } else {
            info->props[i] = ct_value_int(ct_wire_get_i64(in));
            if (kind != CT_INT)
                info->props[i].kind = CT_NONE;
        }
    }
}
