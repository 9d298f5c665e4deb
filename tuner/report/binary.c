// SPDX-License-Identifier: Apache-2.0
// Writes a program binary, and JSON about it that libcltunedb's loader reads.
#include "report/binary.h"

#include "base/create.h"
#include "db/binary.h"
#include "plan/json.h"
#include "report/export.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- contents --- */

static void put_bytes(const struct ct_binary *binary, struct ct_str *out)
{
    for (size_t i = 0; i < binary->built.program_count; i++)
        ct_str_add(out, binary->built.programs[i].binary,
                   binary->built.programs[i].size_bytes);
}

/* The kernels of a program that are launched, each once. */
static json_t *kernels_json(const struct ct_plan *plan, size_t program)
{
    json_t *array = json_array();

    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];
        bool known = launch->kind != CT_LAUNCH_KERNEL || launch->program != program;
        json_t *name;
        size_t at;

        json_array_foreach(array, at, name)
        {
            known = known || strcmp(json_string_value(name), launch->kernel) == 0;
        }
        if (!known)
            json_array_append_new(array, ct_json_text(launch->kernel));
    }
    return array;
}

/* The options are for loading: macros are compiled in, and include folders are this machine's. */
static json_t *programs_json(const struct ct_binary *binary)
{
    json_t *array = json_array();
    size_t offset = 0;

    for (size_t i = 0; i < binary->built.program_count; i++) {
        size_t size_bytes = binary->built.programs[i].size_bytes;
        const char *options = binary->plan.programs[i].options;
        json_t *object = json_object();

        json_object_set_new(object, "offset", json_integer((json_int_t)offset));
        json_object_set_new(object, "bytes", json_integer((json_int_t)size_bytes));
        json_object_set_new(object, "options", ct_json_text(options ? options : ""));
        json_object_set_new(object, "kernels", kernels_json(&binary->plan, i));
        json_array_append_new(array, object);
        offset += size_bytes;
    }
    return array;
}

static json_t *sizes_json(const uint64_t *sizes, uint32_t dims)
{
    json_t *array = json_array();

    for (uint32_t d = 0; d < dims; d++)
        json_array_append_new(array, json_integer((json_int_t)sizes[d]));
    return array;
}

static bool same_launch(const struct ct_plan_launch *a, const struct ct_plan_launch *b)
{
    return a->kind == b->kind && a->program == b->program && a->dims == b->dims &&
           strcmp(a->kernel, b->kernel) == 0 &&
           memcmp(a->global, b->global, a->dims * sizeof(*a->global)) == 0 &&
           memcmp(a->local, b->local, a->dims * sizeof(*a->local)) == 0;
}

/* Passes of a loop mostly differ in nothing but arguments. */
static json_t *launches_json(const struct ct_plan *plan)
{
    json_t *array = json_array();
    size_t next;

    for (size_t i = 0; i < plan->launch_count; i = next) {
        const struct ct_plan_launch *launch = &plan->launches[i];
        json_t *object;

        next = i + 1;
        if (launch->kind != CT_LAUNCH_KERNEL)
            continue;
        while (next < plan->launch_count && same_launch(launch, &plan->launches[next]))
            next++;
        object = json_object();
        json_object_set_new(object, "kernel", ct_json_text(launch->kernel));
        json_object_set_new(object, "program", json_integer(launch->program));
        json_object_set_new(object, "global", sizes_json(launch->global, launch->dims));
        json_object_set_new(object, "local",
                            launch->local[0] ? sizes_json(launch->local, launch->dims)
                                             : json_null());
        json_object_set_new(object, "times", json_integer((json_int_t)(next - i)));
        json_array_append_new(array, object);
    }
    return array;
}

static void set_texts(json_t *object, const struct ct_binary *binary)
{
    const cltunedb_answer *a = binary->answer;
    const struct ct_devinfo *device = binary->work.device;
    const struct {
        const char *name;
        const char *text;
    } texts[] = {
        {"kernel", a->kernel},
        {"device", ct_devinfo_text(device, CT_DEVICE_NAME)},
        {"vendor", ct_devinfo_text(device, CT_DEVICE_VENDOR)},
        {"type", device->type},
        {"driver", device->driver_version},
        {"platform", device->platform_name},
        {"platform_version", device->platform_version},
        {"flags", a->flags},
        {"experiment", a->experiment},
        {"objective", a->objective},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        json_object_set_new(object, texts[i].name, ct_json_text(texts[i].text));
}

static void put_json(const struct ct_binary *binary, const struct ct_str *bytes,
                     struct ct_str *out)
{
    const cltunedb_answer *a = binary->answer;
    json_t *object = json_object();

    json_object_set_new(object, "schema_version", json_integer(CT_BINARY_SCHEMA_VERSION));
    set_texts(object, binary);
    json_object_set_new(object, "objective_value",
                        isfinite(a->objective_value) ? json_real(a->objective_value)
                                                     : json_null());
    json_object_set_new(object, "time_ns", ct_json_time(a->time_ns));
    json_object_set_new(object, "problem", ct_json_stored(a->problem_json));
    json_object_set_new(object, "configuration", ct_json_stored(a->configuration_json));
    json_object_set_new(object, "bytes", json_integer((json_int_t)bytes->length));
    json_object_set_new(object, "hash",
                        json_string(ct_hash_bytes(bytes->data, bytes->length).text));
    json_object_set_new(object, "programs", programs_json(binary));
    json_object_set_new(object, "launches", launches_json(&binary->plan));
    ct_export_put_json(out, object, 17);
    ct_binary_seal(out);
}

/* --- files --- */

bool ct_report_binary_exists(const char *path, struct ct_err *err)
{
    struct stat info;

    if (lstat(path, &info))
        return false;
    ct_err_set(err, CT_E_USAGE, "%s exists already: choose another name, or remove it",
               path);
    return true;
}

static enum ct_status create(const char *path, const struct ct_str *text,
                             struct ct_err *err)
{
    int error = ct_file_create(path, text->data, text->length);

    if (!error || (error == EEXIST && ct_report_binary_exists(path, err)))
        return error ? CT_E_USAGE : CT_OK;
    return ct_err_set(err, CT_E_IO, "cannot write %s: %s", path, strerror(error));
}

enum ct_status ct_report_binary(const struct ct_binary *binary, const char *path,
                                struct ct_err *err)
{
    struct ct_str bytes;
    struct ct_str json;
    struct ct_str json_path;
    enum ct_status status = CT_OK;

    ct_str_init(&bytes);
    ct_str_init(&json);
    ct_str_init(&json_path);
    put_bytes(binary, &bytes);
    put_json(binary, &bytes, &json);
    ct_str_addf(&json_path, "%s.json", path);
    if (bytes.failed || json.failed || json_path.failed)
        status = ct_err_nomem(err);
    else if (ct_report_binary_exists(json_path.data, err))
        status = CT_E_USAGE;
    if (!status)
        status = create(path, &bytes, err);
    if (!status) {
        status = create(json_path.data, &json, err);
        if (status)
            unlink(path);
    }
    ct_str_release(&json_path);
    ct_str_release(&json);
    ct_str_release(&bytes);
    return status;
}
