// SPDX-License-Identifier: Apache-2.0
// Which stored results a recheck on this machine is about.
#include "tune/recheck.h"

#include <string.h>

/* Runners-up looked at: some may be duplicates of earlier ones. */
enum { LOOKED_AT = 32 };

enum ct_status ct_recheck_list(const char *path, const cltunedb_query *query,
                               struct ct_recheck_stock *stock, struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    struct ct_db *db = NULL;
    enum ct_status status = ct_db_open(path, &reading, &db, err);

    if (!status)
        status = ct_db_list(db, query, LOOKED_AT, &stock->arena, &stock->listed,
                            &stock->count, err);
    ct_db_close(db);
    return status;
}

void ct_recheck_stock_release(struct ct_recheck_stock *stock)
{
    ct_arena_release(&stock->arena);
}

static bool same_device(const struct ct_db_subject_best *subject,
                        const struct ct_devinfo *device)
{
    return strcmp(subject->of.device_name, ct_devinfo_text(device, CT_DEVICE_NAME)) ==
               0 &&
           strcmp(subject->of.device_vendor, ct_devinfo_text(device, CT_DEVICE_VENDOR)) ==
               0 &&
           strcmp(subject->of.device_type, device->type) == 0;
}

/* The device a subject was measured on, whatever its driver is now; NULL if not present. */
static const struct ct_devinfo *device_of(const struct ct_recheck_stock *stock,
                                          const struct ct_db_subject_best *subject)
{
    for (const struct ct_devinfo **device = stock->devices; *device; device++)
        if (same_device(subject, *device))
            return *device;
    return NULL;
}

/* The same question, with another driver or source. */
static bool rivals(const struct ct_db_subject_best *a, const struct ct_db_subject_best *b)
{
    return strcmp(a->of.kernel, b->of.kernel) == 0 &&
           strcmp(a->of.problem_json, b->of.problem_json) == 0 &&
           strcmp(a->objective, b->objective) == 0 && a->maximize == b->maximize &&
           strcmp(a->of.device_name, b->of.device_name) == 0 &&
           strcmp(a->of.device_vendor, b->of.device_vendor) == 0 &&
           strcmp(a->of.device_type, b->of.device_type) == 0;
}

/* Whether `a` is more relevant today than `b`: the current source, the present driver, the latest
 * measurement. */
static bool is_closer(const struct ct_db_subject_best *a,
                      const struct ct_db_subject_best *b, const struct ct_devinfo *device)
{
    bool a_driver = strcmp(a->of.driver_version, device->driver_version) == 0;
    bool b_driver = strcmp(b->of.driver_version, device->driver_version) == 0;

    if (a->of.outdated != b->of.outdated)
        return !a->of.outdated;
    if (a_driver != b_driver)
        return a_driver;
    if (a->top[0].measured_unix_s != b->top[0].measured_unix_s)
        return a->top[0].measured_unix_s > b->top[0].measured_unix_s;
    return a->top[0].stored.id > b->top[0].stored.id;
}

const struct ct_devinfo *ct_recheck_device(const struct ct_recheck_stock *stock,
                                           size_t index)
{
    const struct ct_db_subject_best *subject = &stock->listed[index];
    const struct ct_devinfo *device = device_of(stock, subject);

    for (size_t i = 0; device && i < stock->count; i++)
        if (i != index && rivals(&stock->listed[i], subject) &&
            is_closer(&stock->listed[i], subject, device))
            return NULL;
    return device;
}

enum ct_status ct_recheck_nothing(const struct ct_recheck_stock *stock, bool named,
                                  struct ct_err *err)
{
    struct ct_str names;
    enum ct_status status;

    ct_str_init(&names);
    for (size_t i = 0; i < stock->count; i++)
        if (!i || strcmp(stock->listed[i].of.device_name,
                         stock->listed[i - 1].of.device_name) != 0)
            ct_str_addf(&names, "%s%s", i ? ", " : "", stock->listed[i].of.device_name);
    if (named)
        status = ct_err_set(
            err, CT_E_NOT_FOUND, "nothing is stored for %s; stored results are from %s",
            ct_devinfo_text(stock->devices[0], CT_DEVICE_NAME), names.data);
    else
        status = ct_err_set(err, CT_E_NO_DEVICE,
                            "none of the devices with stored results is present: %s",
                            names.data);
    ct_str_release(&names);
    return status;
}

enum ct_status ct_recheck_settings(const char *json, struct ct_arena *arena,
                                   struct ct_setting **out, size_t *count,
                                   struct ct_err *err)
{
    struct ct_setting *items;
    struct ct_db_value *values;
    enum ct_status status = ct_db_parse(arena, json, &values, count, err);

    if (status)
        return status;
    items = ct_arena_array(arena, *count, sizeof(*items));
    if (!items)
        return ct_err_nomem(err);
    for (size_t i = 0; i < *count; i++) {
        struct ct_str text;

        ct_str_init(&text);
        if (values[i].value.kind == CT_TEXT)
            ct_str_addf(&text, "'%s'", values[i].value.u.s);
        else
            ct_value_print(&text, values[i].value);
        items[i].name = values[i].name;
        items[i].text = ct_arena_copy(arena, text.data, text.length);
        ct_str_release(&text);
        if (!items[i].text)
            return ct_err_nomem(err);
    }
    *out = items;
    return CT_OK;
}
