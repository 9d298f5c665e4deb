// SPDX-License-Identifier: Apache-2.0
// The properties of a device, as plain data: read by the device layer, sent by workers, named in
// space files as DEVICE_..., stored in the database.
#ifndef CT_BASE_DEVINFO_H
#define CT_BASE_DEVINFO_H

#include "base/mem.h"
#include "base/value.h"
#include "base/wire.h"

#include <stddef.h>

/* The properties, in the order of devprops.def: one enumerator each, CT_DEVICE_<NAME>
 * (CT_DEVICE_DRIVER_VERSION, too). */
enum ct_devprop {
#define CT_DEVPROP(name, form) CT_DEVICE_##name,
#include "base/devprops.def"
#undef CT_DEVPROP
    CT_DEVPROP_COUNT,
    /* The properties in the keys of stored binaries: none may be added in front of it. */
    CT_DEVPROP_KEY_COUNT = CT_DEVICE_PROFILING_TIMER_RESOLUTION + 1,
};

/* Name ("DEVICE_MAX_WORK_GROUP_SIZE", "DRIVER_VERSION") and kind (CT_INT or CT_TEXT) of a property. */
struct ct_devprop_info {
    const char *name;
    enum ct_kind kind;
};
extern const struct ct_devprop_info ct_devprops[CT_DEVPROP_COUNT];

struct ct_devinfo {
    unsigned platform_index; /* as in `-d 0:1` */
    unsigned device_index;
    const char *platform_name;
    const char *platform_version;
    const char *driver_version;
    const char *type; /* "GPU", "CPU", "ACCELERATOR", "CUSTOM" */
    /* A property that the device does not report is CT_NONE. */
    struct ct_value props[CT_DEVPROP_COUNT];
};

/* The text of a property, or "" if it is unknown or no text. */
const char *ct_devinfo_text(const struct ct_devinfo *info, enum ct_devprop prop);

/* The integer of a property, or `otherwise`. */
int64_t ct_devinfo_int(const struct ct_devinfo *info, enum ct_devprop prop,
                       int64_t otherwise);

/* Sets what follows from the properties: DEVICE_SUB_GROUP_SIZES, driver_version and type.  Texts
 * are borrowed from them, or owned by the arena. */
void ct_devinfo_complete(struct ct_devinfo *info, struct ct_arena *arena);

void ct_devinfo_put(struct ct_str *out, const struct ct_devinfo *info);

/* Texts are copied into the arena.  Check in->failed afterwards. */
void ct_devinfo_get(struct ct_wire_reader *in, struct ct_arena *arena,
                    struct ct_devinfo *info);

#endif
