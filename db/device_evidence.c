// SPDX-License-Identifier: Apache-2.0
// The stored devices, and their evidence for the device of a query.
#include "db/lookup.h"

#include "db/names.h"

#include <string.h>
#include <strings.h>

static bool is_given(const char *text)
{
    return text && *text;
}

/* The queried device, as far as it is known. */
struct target {
    bool all;            /* no device was given */
    const char *pattern; /* NULL: it is a description */
    bool exact;          /* the pattern is the whole name of a stored device */
    struct ct_name name;
    struct ct_name vendor;
    struct ct_name architecture;
    const char *type;
    const char *driver;
    uint32_t compute_units;
};

enum ct_status ct_look_load_devices(struct ct_look *look, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_FIND_DEVICES);
    struct ct_arena *arena = &look->arena;
    size_t capacity = 0;

    while (ct_db_row(&use)) {
        struct ct_look_device *device;

        if (!ct_mem_grow(&look->devices, &capacity, look->device_count + 1,
                         sizeof(*look->devices))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        device = &look->devices[look->device_count++];
        device->id = ct_db_int(&use, 0);
        device->name = ct_db_text(&use, 1, arena);
        device->vendor = ct_db_text(&use, 2, arena);
        device->type = ct_db_text(&use, 3, arena);
        device->driver = ct_db_text(&use, 4, arena);
        device->compute_units = (uint32_t)ct_db_int(&use, 5);
        device->name_key = ct_db_text(&use, 6, arena);
        device->vendor_key = ct_db_text(&use, 7, arena);
        device->architecture = ct_db_text(&use, 8, arena);
    }
    return ct_db_done(&use, err);
}

/* Derives from `name` what was not given. */
static void complete_target(struct target *target, const char *name, const char *vendor,
                            const char *type)
{
    target->name = ct_name_device(name);
    target->vendor =
        ct_name_vendor(is_given(vendor) ? vendor : ct_name_guess_vendor(name));
    target->architecture = ct_name_architecture(name, is_given(vendor) ? vendor : "");
    target->type = is_given(type) ? type : ct_name_guess_type(name);
}

/* A device whose complete name was given is that one, not those whose names contain it. */
static bool fits_pattern(const struct target *target, const struct ct_look_device *d)
{
    if (!target->pattern)
        return false;
    if (target->exact)
        return strcasecmp(target->pattern, d->name) == 0;
    return ct_name_matches(target->pattern, d->name, d->vendor, d->type);
}

/* What the devices that match a pattern have in common; with none, what the pattern says as a
 * name. */
static void describe_pattern(struct ct_look *look, struct target *target)
{
    const struct ct_look_device *first = NULL;

    for (size_t i = 0; i < look->device_count; i++) {
        const struct ct_look_device *d = &look->devices[i];

        if (!fits_pattern(target, d))
            continue;
        if (!first) {
            first = d;
            complete_target(target, d->name, d->vendor, d->type);
            continue;
        }
        if (strcmp(target->vendor.text, d->vendor_key) != 0)
            target->vendor.text[0] = '\0';
        if (strcmp(target->architecture.text, d->architecture) != 0)
            target->architecture.text[0] = '\0';
        if (strcasecmp(target->type, d->type) != 0)
            target->type = "";
    }
    if (!first)
        complete_target(target, target->pattern, NULL, NULL);
    /* The pattern decides whether it is the same device. */
    target->name.text[0] = '\0';
}

static bool same_device(const struct target *target, const struct ct_look_device *d)
{
    return *target->name.text && strcmp(target->name.text, d->name_key) == 0 &&
           (!*target->vendor.text || strcmp(target->vendor.text, d->vendor_key) == 0) &&
           (!*target->type || strcasecmp(target->type, d->type) == 0) &&
           (!target->compute_units || target->compute_units == d->compute_units);
}

static cltunedb_evidence evidence_of(const struct target *target,
                                     const struct ct_look_device *d)
{
    bool same_type = *target->type && strcasecmp(target->type, d->type) == 0;
    bool type_fits = same_type || !*target->type;

    if (target->all || fits_pattern(target, d) || same_device(target, d))
        return !is_given(target->driver) || strcmp(target->driver, d->driver) == 0
                   ? CLTUNEDB_SAME_DRIVER
                   : CLTUNEDB_SAME_DEVICE;
    if (*target->architecture.text && type_fits &&
        strcmp(target->architecture.text, d->architecture) == 0)
        return CLTUNEDB_SAME_ARCHITECTURE;
    if (*target->vendor.text && type_fits &&
        strcmp(target->vendor.text, d->vendor_key) == 0)
        return CLTUNEDB_SAME_VENDOR;
    return same_type ? CLTUNEDB_SAME_TYPE : CLTUNEDB_ANY_DEVICE;
}

/* Whether results of a device were imported, which tell neither driver nor compute units. */
static bool is_imported(const struct ct_look_device *d)
{
    return !*d->driver && !d->compute_units;
}

/* What others have measured on a device of this name is no second answer beside own results. */
static void demote_imported(struct ct_look *look)
{
    for (size_t i = 0; i < look->device_count; i++) {
        struct ct_look_device *d = &look->devices[i];

        for (size_t k = 0; k < look->device_count && is_imported(d); k++)
            if (d->evidence == CLTUNEDB_SAME_DRIVER && !is_imported(&look->devices[k]) &&
                strcmp(d->name_key, look->devices[k].name_key) == 0)
                d->evidence = CLTUNEDB_SAME_DEVICE;
    }
}

enum ct_status ct_look_rate_devices(struct ct_look *look, struct ct_err *err)
{
    const cltunedb_query *q = &look->query;
    struct target target = {
        .type = "", .driver = q->driver_version, .compute_units = q->compute_units};
    bool described = is_given(q->device_name) || is_given(q->device_vendor) ||
                     is_given(q->device_type);

    if (is_given(q->device_pattern) && described)
        return ct_err_set(
            err, CT_E_USAGE,
            "a query names its device by a pattern or by a description, not by both");
    if (is_given(q->device_pattern)) {
        target.pattern = q->device_pattern;
        for (size_t i = 0; i < look->device_count; i++)
            target.exact |= strcasecmp(q->device_pattern, look->devices[i].name) == 0;
        describe_pattern(look, &target);
    } else if (described) {
        complete_target(&target, is_given(q->device_name) ? q->device_name : "",
                        q->device_vendor, q->device_type);
    } else {
        target.all = true;
    }
    for (size_t i = 0; i < look->device_count; i++)
        look->devices[i].evidence = evidence_of(&target, &look->devices[i]);
    demote_imported(look);
    look->architecture = ct_arena_copy(&look->arena, target.architecture.text,
                                       strlen(target.architecture.text));
    return look->architecture ? CT_OK : ct_err_nomem(err);
}
