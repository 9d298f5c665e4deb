// SPDX-License-Identifier: Apache-2.0
// cltune recheck: whether what is stored as the best still is.
#include "cli/recheck.h"

#include "db/cltunedb.h"

#include <stdlib.h>
#include <string.h>

/* Runners-up may be the same program as one before them: so many are looked at. */
enum { LOOKED_AT = 32 };

/* What is stored, and which devices there are. */
struct stock {
    struct ct_arena arena;
    struct ct_db_subject_best *listed;
    size_t count;
    const struct ct_devinfo **devices; /* NULL at the end */
};

/* --- choosing --- */

static enum ct_status list_stored(const struct ct_options *options, struct stock *stock,
                                  struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    cltunedb_value *problem = ct_mem_array(options->problem.count, sizeof(*problem));
    struct ct_db *db = NULL;
    enum ct_status status;

    if (!problem)
        return ct_err_nomem(err);
    for (size_t i = 0; i < options->problem.count; i++)
        problem[i] = ct_cli_query_value(&options->problem.items[i]);
    query.kernel = options->operand_count ? options->operands[0] : NULL;
    query.problem = problem;
    query.problem_count = options->problem.count;
    query.objective = options->objective;
    status = ct_db_open(options->db, &reading, &db, err);
    if (!status)
        status = ct_db_list(db, &query, LOOKED_AT, &stock->arena, &stock->listed,
                            &stock->count, err);
    ct_db_close(db);
    free(problem);
    return status;
}

static bool same_device(const struct ct_db_subject_best *subject,
                        const struct ct_devinfo *device)
{
    return strcmp(subject->device_name, ct_devinfo_text(device, CT_DEVICE_NAME)) == 0 &&
           strcmp(subject->device_vendor, ct_devinfo_text(device, CT_DEVICE_VENDOR)) ==
               0 &&
           strcmp(subject->device_type, device->type) == 0;
}

/* The device that a subject was measured on, whatever its driver is now; NULL: it is not
 * here. */
static const struct ct_devinfo *device_of(const struct stock *stock,
                                          const struct ct_db_subject_best *subject)
{
    for (const struct ct_devinfo **device = stock->devices; *device; device++)
        if (same_device(subject, *device))
            return *device;
    return NULL;
}

/* The same question, answered with another driver or source. */
static bool rivals(const struct ct_db_subject_best *a, const struct ct_db_subject_best *b)
{
    return strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->problem_json, b->problem_json) == 0 &&
           strcmp(a->objective, b->objective) == 0 && a->maximize == b->maximize &&
           strcmp(a->device_name, b->device_name) == 0 &&
           strcmp(a->device_vendor, b->device_vendor) == 0 &&
           strcmp(a->device_type, b->device_type) == 0;
}

/* Whether `a` says more about today than `b`: the current source, the present driver, the
 * later measurement. */
static bool is_closer(const struct ct_db_subject_best *a,
                      const struct ct_db_subject_best *b, const struct ct_devinfo *device)
{
    bool a_driver = strcmp(a->driver_version, device->driver_version) == 0;
    bool b_driver = strcmp(b->driver_version, device->driver_version) == 0;

    if (a->outdated != b->outdated)
        return !a->outdated;
    if (a_driver != b_driver)
        return a_driver;
    if (a->top[0].measured_unix_s != b->top[0].measured_unix_s)
        return a->top[0].measured_unix_s > b->top[0].measured_unix_s;
    return a->top[0].id > b->top[0].id;
}

static bool is_chosen(const struct stock *stock, size_t index)
{
    const struct ct_db_subject_best *subject = &stock->listed[index];
    const struct ct_devinfo *device = device_of(stock, subject);

    for (size_t i = 0; device && i < stock->count; i++)
        if (i != index && rivals(&stock->listed[i], subject) &&
            is_closer(&stock->listed[i], subject, device))
            return false;
    return device != NULL;
}

/* Nothing stored is of a device that is here, or of the one that was asked for. */
static int nothing_here(const struct stock *stock, const char *pattern)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_str names;

    ct_str_init(&names);
    for (size_t i = 0; i < stock->count; i++)
        if (!i ||
            strcmp(stock->listed[i].device_name, stock->listed[i - 1].device_name) != 0)
            ct_str_addf(&names, "%s%s", i ? ", " : "", stock->listed[i].device_name);
    if (pattern && strcmp(pattern, "all") != 0)
        ct_err_set(&err, CT_E_NOT_FOUND,
                   "nothing is stored for %s; what there is was measured on %s",
                   ct_devinfo_text(stock->devices[0], CT_DEVICE_NAME), names.data);
    else
        ct_err_set(&err, CT_E_NO_DEVICE,
                   "what is stored was measured on devices that are not here: %s",
                   names.data);
    ct_str_release(&names);
    return ct_cli_error(&err);
}

/* --- all that are chosen --- */

/* One subject; *array (NULL: print for people) gets what is to be told. */
static int recheck_one(const struct ct_options *options,
                       const struct ct_db_subject_best *subject,
                       const struct ct_devinfo *device, json_t *array, size_t *printed)
{
    struct ct_recheck recheck;
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;
    int exit_status;

    memset(&recheck, 0, sizeof(recheck));
    status = ct_recheck_run(&recheck, options, subject, device, &err);
    if (status) {
        /* What is wrong with the space file has been told. */
        exit_status = err.code ? ct_cli_error(&err) : CT_EXIT_USAGE;
    } else {
        exit_status = recheck.verdict == CT_RECHECK_HOLDS ? CT_EXIT_OK : CT_EXIT_FAILED;
        if (array) {
            json_array_append_new(array, ct_recheck_json(&recheck));
        } else {
            if ((*printed)++)
                putchar('\n');
            ct_recheck_print(&recheck);
        }
    }
    ct_recheck_release(&recheck);
    return exit_status;
}

static int recheck_all(const struct ct_options *options, const struct stock *stock)
{
    json_t *array = options->json ? json_array() : NULL;
    size_t chosen = 0;
    size_t printed = 0;
    int worst = CT_EXIT_OK;

    ct_cli_catch_signals();
    for (size_t i = 0; i < stock->count && worst != CT_EXIT_INTERRUPTED; i++) {
        int one;

        if (!is_chosen(stock, i))
            continue;
        chosen++;
        one = recheck_one(options, &stock->listed[i], device_of(stock, &stock->listed[i]),
                          array, &printed);
        worst = one > worst ? one : worst;
    }
    if (!chosen) {
        worst = nothing_here(stock, options->device);
    } else if (array) {
        json_dumpf(array, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(array);
    return worst;
}

int ct_cli_recheck(const struct ct_options *options)
{
    struct stock stock;
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;
    int exit_status;

    memset(&stock, 0, sizeof(stock));
    if (options->operand_count > 1)
        return ct_cli_usage("recheck", "one kernel at a time: '%s' is too much",
                            options->operands[1]);
    for (size_t i = 0; i < options->problem.count; i++)
        if (strchr(options->problem.items[i].text, ','))
            return ct_cli_usage("recheck", "one value a name: '-p %s=%s' has several",
                                options->problem.items[i].name,
                                options->problem.items[i].text);
    status = list_stored(options, &stock, &err);
    if (!status)
        status =
            ct_cli_devices_match(&stock.arena, options->device ? options->device : "all",
                                 &stock.devices, &err);
    exit_status = status ? ct_cli_error(&err) : recheck_all(options, &stock);
    ct_arena_release(&stock.arena);
    return exit_status;
}
