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
