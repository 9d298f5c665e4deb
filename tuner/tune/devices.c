// SPDX-License-Identifier: Apache-2.0
// Matches this machine's devices against a pattern.
#include "tune/devices.h"

#include "base/outside.h"
#include "base/str.h"
#include "schedule/measure.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool ct_device_matches(const struct ct_devinfo *device, const char *pattern)
{
    char index[32];

    snprintf(index, sizeof(index), "%u:%u", device->platform_index, device->device_index);
    return strcmp(pattern, "all") == 0 || strcmp(pattern, index) == 0 ||
           ct_str_contains_nocase(ct_devinfo_text(device, CT_DEVICE_NAME), pattern) ||
           ct_str_contains_nocase(ct_devinfo_text(device, CT_DEVICE_VENDOR), pattern) ||
           ct_str_contains_nocase(device->type, pattern);
}

/* "\n  0:0 name (vendor, type)" for each device, for messages. */
static void list_devices(struct ct_str *out, const struct ct_devinfo *const *devices)
{
    for (; *devices; devices++)
        ct_str_addf(out, "\n  %u:%u  %s (%s, %s)", (*devices)->platform_index,
                    (*devices)->device_index, ct_devinfo_text(*devices, CT_DEVICE_NAME),
                    ct_devinfo_text(*devices, CT_DEVICE_VENDOR), (*devices)->type);
}

/* Without a pattern: the first GPU, else the first device. */
static void keep_preferred(const struct ct_devinfo **devices)
{
    const struct ct_devinfo *chosen = devices[0];

    for (size_t i = 0; devices[i]; i++)
        if (strcmp(devices[i]->type, "GPU") == 0) {
            chosen = devices[i];
            break;
        }
    devices[0] = chosen;
    devices[1] = NULL;
}

/* A complete name means that device, not others whose names contain it.  Returns how many are
 * left. */
static size_t keep_exact(const struct ct_devinfo **devices, size_t count,
                         const char *pattern)
{
    size_t kept = 0;

    for (size_t i = 0; pattern && i < count; i++)
        if (strcasecmp(ct_devinfo_text(devices[i], CT_DEVICE_NAME), pattern) == 0)
            devices[kept++] = devices[i];
    if (!kept)
        return count;
    devices[kept] = NULL;
    return kept;
}

/* A number alone is the index of a device if there is one platform only: "0" for "0:0". */
static const struct ct_devinfo *find_number(struct ct_devinfo *all, size_t total,
                                            const char *pattern)
{
    char index[16];

    if (!total || all[0].platform_index != all[total - 1].platform_index)
        return NULL;
    for (size_t i = 0; i < total; i++) {
        snprintf(index, sizeof(index), "%u", all[i].device_index);
        if (strcmp(index, pattern) == 0)
            return &all[i];
    }
    return NULL;
}

/* Those of one pattern, as ct_devices_match. */
static enum ct_status match_one(struct ct_arena *arena, struct ct_devinfo *all,
                                size_t total, const char *pattern,
                                const struct ct_devinfo ***out, struct ct_err *err)
{
    const struct ct_devinfo **found;
    const struct ct_devinfo **everything;
    size_t count = 0;
    enum ct_status status = CT_OK;
    struct ct_str text;
    struct ct_str limits;

    found = ct_arena_array(arena, total + 2, sizeof(*found));
    everything = ct_arena_array(arena, total + 2, sizeof(*everything));
    if (!found || !everything)
        return ct_err_nomem(err);
    for (size_t i = 0; i < total; i++) {
        everything[i] = &all[i];
        if (!pattern || ct_device_matches(&all[i], pattern))
            found[count++] = &all[i];
    }
    if (pattern && !count && (found[0] = find_number(all, total, pattern)) != NULL)
        count = 1;
    count = keep_exact(found, count, pattern);
    ct_str_init(&text);
    ct_str_init(&limits);
    if (!pattern && count) {
        keep_preferred(found);
    } else if (!count) {
        list_devices(&text, everything);
        ct_outside_limits(&limits);
        if (limits.length)
            ct_str_addf(&text,
                        "\n"
                        "%s, which can prevent a driver from loading",
                        limits.data);
        status = ct_err_set(err, CT_E_NO_DEVICE,
                            "no device matches '%s'; available devices:%s",
                            pattern ? pattern : "all", text.data);
    } else if (count > 1 && strcmp(pattern, "all") != 0) {
        list_devices(&text, found);
        status =
            ct_err_set(err, CT_E_USAGE,
                       "'%s' matches %zu devices; name one by its index, several with "
                       "commas between them, or 'all':%s",
                       pattern, count, text.data);
    }
    ct_str_release(&limits);
    ct_str_release(&text);
    *out = found;
    return status;
}

/* Whether a pattern is a list: names may have commas, too. */
static bool is_list(const struct ct_devinfo *all, size_t total, const char *pattern)
{
    bool comma = pattern && strchr(pattern, ',');

    for (size_t i = 0; i < total && comma; i++)
        comma = !ct_device_matches(&all[i], pattern);
    return comma;
}

/* The devices of each pattern of a list, in the order of all devices. */
static enum ct_status match_list(struct ct_arena *arena, struct ct_devinfo *all,
                                 size_t total, const char *list,
                                 const struct ct_devinfo ***out, struct ct_err *err)
{
    const struct ct_devinfo **found = ct_arena_array(arena, total + 1, sizeof(*found));
    bool *wanted = ct_arena_array(arena, total + 1, sizeof(*wanted));
    size_t count = 0;

    if (!found || !wanted)
        return ct_err_nomem(err);
    while (*list) {
        size_t length = strcspn(list, ",");
        const char *pattern = ct_arena_copy(arena, list, length);
        const struct ct_devinfo **some = NULL;
        enum ct_status status = pattern
                                    ? match_one(arena, all, total, pattern, &some, err)
                                    : ct_err_nomem(err);

        if (status)
            return status;
        for (; some && *some; some++)
            wanted[*some - all] = true;
        list += length + (list[length] == ',');
    }
    for (size_t i = 0; i < total; i++)
        if (wanted[i])
            found[count++] = &all[i];
    *out = found;
    return CT_OK;
}

enum ct_status ct_devices_match(struct ct_arena *arena, const char *pattern,
                                const struct ct_devinfo ***out, struct ct_err *err)
{
    struct ct_devinfo *all;
    size_t total;
    enum ct_status status = ct_measure_devices(arena, &all, &total, err);

    if (status)
        return status;
    return is_list(all, total, pattern) ? match_list(arena, all, total, pattern, out, err)
                                        : match_one(arena, all, total, pattern, out, err);
}
