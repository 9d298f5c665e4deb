// SPDX-License-Identifier: Apache-2.0
// Which of several answers can be built here.
#include "tune/binary.h"

#include <string.h>

static bool is_of(const cltunedb_answer *a, const struct ct_devinfo *device)
{
    return strcmp(a->device_name, ct_devinfo_text(device, CT_DEVICE_NAME)) == 0 &&
           strcmp(a->device_vendor, ct_devinfo_text(device, CT_DEVICE_VENDOR)) == 0 &&
           strcmp(a->device_type, device->type) == 0;
}

/* The device that an answer was measured on, if possible with that driver; NULL if it is not here. */
static const struct ct_devinfo *device_of(const cltunedb_answer *a,
                                          const struct ct_devinfo **devices)
{
    const struct ct_devinfo *found = NULL;

    for (; *devices; devices++)
        if (is_of(a, *devices) &&
            (!found || strcmp(a->driver_version, (*devices)->driver_version) == 0))
            found = *devices;
    return found;
}

/* The only answer that was measured on a device of this machine. */
static enum ct_status choose_present(const cltunedb_answers *answers,
                                     const struct ct_devinfo **devices,
                                     struct ct_binary_choice *out, struct ct_err *err)
{
    size_t here = 0;

    for (size_t i = 0; i < cltunedb_answer_count(answers); i++) {
        const cltunedb_answer *a = cltunedb_answer_at(answers, i);
        const struct ct_devinfo *device =
            a->evidence <= CLTUNEDB_SAME_DEVICE ? device_of(a, devices) : NULL;

        if (!device)
            continue;
        out->answer = a;
        out->device = device;
        here++;
    }
    if (here > 1)
        return ct_err_set(
            err, CT_E_USAGE,
            "%zu answers match that were measured on devices of this machine, "
            "but a program binary is of one: add the kernel's name, --device, "
            "--problem or --objective",
            here);
    if (here)
        return CT_OK;
    if (cltunedb_answer_at(answers, 0)->evidence > CLTUNEDB_SAME_DEVICE)
        return ct_err_set(err, CT_E_NOT_FOUND,
                          "nothing was measured on this device, and a program binary of "
                          "another one does not fit it: search on it first");
    return ct_err_set(
        err, CT_E_NO_DEVICE,
        "a program binary is built on the device that was measured, but %s is "
        "not present: export it on that machine",
        cltunedb_answer_at(answers, 0)->device_name);
}

/* The answer for the driver that is here now. */
static enum ct_status ask_again(const char *db_path, struct ct_binary_choice *out,
                                struct ct_err *err)
{
    const cltunedb_answer *a = out->answer;
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES];
    cltunedb *db = NULL;
    cltunedb_status found;

    query.kernel = a->kernel;
    query.device_name = a->device_name;
    query.device_vendor = a->device_vendor;
    query.device_type = a->device_type;
    query.driver_version = out->device->driver_version;
    query.problem = a->problem;
    query.problem_count = a->problem_count;
    query.objective = a->objective;
    found = cltunedb_open(db_path, &db, message, sizeof(message));
    if (!found)
        found = cltunedb_find(db, &query, &out->own, message, sizeof(message));
    cltunedb_close(db);
    if (found)
        return ct_err_set(err, CT_E_DB, "%s", message);
    for (size_t i = 0; i < cltunedb_answer_count(out->own); i++) {
        const cltunedb_answer *other = cltunedb_answer_at(out->own, i);

        if (other->evidence == CLTUNEDB_SAME_DRIVER && other->maximize == a->maximize &&
            strcmp(other->problem_json, a->problem_json) == 0) {
            out->answer = other;
            return CT_OK;
        }
    }
    return ct_err_set(
        err, CT_E_NOT_FOUND,
        "the best of %s was measured with driver %s, but the device now has "
        "driver %s: 'cltune recheck %s' measures it with that one",
        a->kernel, a->driver_version, out->device->driver_version, a->kernel);
}

enum ct_status ct_binary_choose(const char *db_path, const cltunedb_answers *answers,
                                const struct ct_devinfo **devices,
                                struct ct_binary_choice *out, struct ct_err *err)
{
    enum ct_status status;

    memset(out, 0, sizeof(*out));
    status = choose_present(answers, devices, out, err);
    if (status)
        return status;
    if (out->answer->problem_distance > 0)
        return ct_err_set(
            err, CT_E_NOT_FOUND,
            "%s was not measured for the problem of -p, and a program binary "
            "is of a measured one: the nearest is %s; search with that -p, or "
            "ask for the nearest",
            out->answer->kernel, out->answer->problem_json);
    return strcmp(out->answer->driver_version, out->device->driver_version) == 0
               ? CT_OK
               : ask_again(db_path, out, err);
}

void ct_binary_choice_release(struct ct_binary_choice *choice)
{
    cltunedb_free(choice->own);
}
