// SPDX-License-Identifier: Apache-2.0
#include "schedule/doctor.h"

#include "base/outside.h"
#include "protocol/cache.h"
#include "schedule/icd_files.h"
#include "schedule/measure.h"
#include "schedule/runner_impl.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

/* Has a worker of its own examine one thing; its death and its errors are findings on
 * `subject`. */
static enum ct_status examine(enum ct_examination what, const struct ct_str *name,
                              const char *subject, const char *purpose,
                              struct ct_findings *out, struct ct_err *err)
{
    struct ct_worker worker = {.socket = -1, .output = -1};
    struct ct_err why = CT_ERR_INIT;
    struct ct_str payload;
    struct ct_wire_reader in;
    enum ct_status status;
    bool started = false;

    ct_str_init(&payload);
    ct_wire_put_u32(&payload, (uint32_t)what);
    ct_str_add(&payload, name->data, name->length);
    status = payload.failed
                 ? ct_err_nomem(err)
                 : ct_ask_worker(&worker, &started, CT_MSG_EXAMINE, &payload,
                                 CT_PHASE_DATA, CT_MSG_FINDINGS, purpose, &why);
    if (status == CT_E_INTERRUPTED || status == CT_E_NOMEM) {
        *err = why;
    } else if (status) {
        ct_findings_add(out, CT_FINDING_BAD, subject,
                        "update or reinstall the driver; its log or dmesg may say more",
                        "%s", why.message);
        status = CT_OK;
    } else {
        ct_wire_reader_init(&in, worker.frame.payload.data, worker.frame.payload.length);
        ct_findings_get(&in, out);
        if (in.failed)
            ct_findings_add(out, CT_FINDING_BAD, subject, "",
                            "the worker sent damaged findings");
    }
    if (started)
        ct_worker_end(&worker, true);
    ct_str_release(&payload);
    return status;
}

/* --- the loader and the drivers --- */

static enum ct_status examine_drivers(struct ct_checkup *c, struct ct_err *err)
{
    struct ct_icd_file *files;
    const char *where;
    size_t count;
    enum ct_status status = ct_icd_files(&c->arena, &files, &count, &where, err);

    if (!status && !count)
        ct_findings_add(&c->machine, CT_FINDING_BAD, "driver",
                        "install pocl-opencl-icd for the CPU, or your vendor's driver",
                        "there is no .icd file in %s", where);
    for (size_t i = 0; i < count && !status; i++) {
        const struct ct_icd_file *file = &files[i];
        size_t before = c->machine.count;
        struct ct_str name;

        if (!*file->library) {
            ct_findings_add(&c->machine, CT_FINDING_BAD, "driver",
                            "reinstall this driver, or remove the file", "%s: %s",
                            file->path, file->why);
            continue;
        }
        ct_str_init(&name);
        ct_wire_put_text(&name, file->library);
        status = examine(CT_EXAMINE_DRIVER, &name, "driver", "loading a driver",
                         &c->machine, err);
        ct_str_release(&name);
        if (!status && c->machine.count > before &&
            strcmp(file->path, file->library) != 0)
            c->machine.items[before].text = ct_arena_format(
                &c->arena, "%s: %s", file->path, c->machine.items[before].text);
    }
    return status;
}

/* --- what drivers need of the machine --- */

static void examine_cache(struct ct_findings *out)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_str path;
    bool chosen;

    ct_str_init(&path);
    if (ct_cache_driver(&path, &chosen, &err))
        ct_findings_add(out, CT_FINDING_BAD, "cache",
                        "without a place for its cache PoCL finds no device", "%s",
                        err.message);
    else if (!access(path.data, F_OK) && access(path.data, W_OK | X_OK))
        ct_findings_add(out, CT_FINDING_BAD, "cache",
                        "without a place for its cache PoCL finds no device", "%s: %s",
                        path.data, strerror(errno));
    else
        ct_findings_add(out, CT_FINDING_GOOD, "cache", "", "%s", path.data);
    ct_str_release(&path);
}

/* The files through which drivers reach GPUs. */
static void examine_device_files(struct ct_findings *out)
{
    static const char *const patterns[] = {"/dev/dri/renderD*", "/dev/kfd",
                                           "/dev/nvidia[0-9]*", "/dev/nvidiactl",
                                           "/dev/mali[0-9]*"};
    glob_t found = {0};

    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        if (glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found) == GLOB_NOSPACE)
            out->failed = true;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (access(found.gl_pathv[i], R_OK | W_OK))
            ct_findings_add(out, CT_FINDING_NOTE, "access",
                            "add your user to the file's group (render or video), then "
                            "log in again",
                            "%s: %s", found.gl_pathv[i], strerror(errno));
    globfree(&found);
}

static void examine_limits(struct ct_findings *out)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_outside_limits(&text);
    if (text.length)
        ct_findings_add(out, CT_FINDING_NOTE, "limits",
                        "raise them if drivers or compilers fail", "%s", text.data);
    ct_str_release(&text);
}

/* --- devices --- */

static enum ct_status examine_device(struct ct_examined_device *device,
                                     struct ct_err *err)
{
    static const struct {
        enum ct_examination what;
        const char *subject;
        const char *purpose;
    } steps[] = {
        {CT_EXAMINE_BUILD, "compiles", "compiling a kernel"},
        {CT_EXAMINE_RUN, "runs", "running a kernel"},
        {CT_EXAMINE_CLOCK, "profiles", "timing a kernel"},
        {CT_EXAMINE_SENSORS, "sensors", "reading sensors"},
    };
    struct ct_str payload;
    enum ct_status status;

    ct_str_init(&payload);
    ct_devinfo_put(&payload, device->info);
    status = payload.failed ? ct_err_nomem(err) : CT_OK;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !status; i++) {
        status = examine(steps[i].what, &payload, steps[i].subject, steps[i].purpose,
                         &device->findings, err);
        /* What follows needs what failed. */
        if (ct_findings_bad(&device->findings))
            break;
    }
    device->usable = !status && !ct_findings_bad(&device->findings);
    ct_str_release(&payload);
    return status;
}

static enum ct_status examine_devices(struct ct_checkup *c, struct ct_err *err)
{
    struct ct_err why = CT_ERR_INIT;
    struct ct_devinfo *all = NULL;
    size_t count = 0;
    enum ct_status status = ct_measure_devices(&c->arena, &all, &count, &why);

    if (status == CT_E_INTERRUPTED || status == CT_E_NOMEM) {
        *err = why;
        return status;
    }
    if (status) {
        ct_findings_add(&c->machine, CT_FINDING_BAD, "devices", "", "%s", why.message);
        return CT_OK;
    }
    c->devices = ct_arena_array(&c->arena, count, sizeof(*c->devices));
    if (!c->devices)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count && !status; i++) {
        c->devices[i].info = &all[i];
        c->device_count++;
        status = examine_device(&c->devices[i], err);
        c->usable += c->devices[i].usable;
    }
    return status;
}

enum ct_status ct_doctor_loader(struct ct_findings *out, struct ct_err *err)
{
    struct ct_str nothing;
    enum ct_status status;

    ct_str_init(&nothing);
    status = examine(CT_EXAMINE_LOADER, &nothing, "loader", "loading the OpenCL loader",
                     out, err);
    ct_str_release(&nothing);
    return status;
}

enum ct_status ct_doctor_examine(struct ct_checkup *out, struct ct_err *err)
{
    enum ct_status status;

    *out = (struct ct_checkup){0};
    status = ct_doctor_loader(&out->machine, err);
    if (!status)
        status = examine_drivers(out, err);
    examine_cache(&out->machine);
    examine_device_files(&out->machine);
    examine_limits(&out->machine);
    if (!status)
        status = examine_devices(out, err);
    if (!status && out->machine.failed)
        status = ct_err_nomem(err);
    for (size_t i = 0; i < out->device_count && !status; i++)
        if (out->devices[i].findings.failed)
            status = ct_err_nomem(err);
    return status;
}

void ct_checkup_release(struct ct_checkup *checkup)
{
    for (size_t i = 0; i < checkup->device_count; i++)
        ct_findings_release(&checkup->devices[i].findings);
    ct_findings_release(&checkup->machine);
    ct_arena_release(&checkup->arena);
    *checkup = (struct ct_checkup){0};
}
