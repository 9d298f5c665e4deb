// SPDX-License-Identifier: Apache-2.0
// The best configuration of each device of a split: stored, or found now.
#include "tune/split_impl.h"

#include "base/str.h"
#include "space/space.h"
#include "tune/recheck.h"
#include "tune/search.h"

#include <string.h>

/* The problem as a query asks for it. */
static enum ct_status query_problem(struct ct_split *split, struct ct_binding *binding,
                                    cltunedb_query *query, struct ct_err *err)
{
    const struct ct_spec *spec = split->task.spec;
    cltunedb_value *values =
        ct_arena_array(&split->arena, spec->slots.count, sizeof(*values));

    if (!values)
        return ct_err_nomem(err);
    for (size_t i = 0; i < spec->slots.count; i++) {
        const struct ct_value *value = &binding->fixed[i];
        cltunedb_value *one = &values[query->problem_count];

        if (spec->slots.symbols[i].class != CT_SYM_PROBLEM)
            continue;
        *one = (cltunedb_value){.name = spec->slots.symbols[i].name, .s = ""};
        if (value->kind == CT_TEXT) {
            one->kind = CLTUNEDB_TEXT;
            /* The binding does not live as long. */
            one->s = ct_arena_copy(&split->arena, value->u.s, strlen(value->u.s));
            if (!one->s)
                return ct_err_nomem(err);
        } else if (value->kind == CT_INT) {
            one->kind = CLTUNEDB_INT;
            one->i = value->u.i;
            one->r = (double)value->u.i;
        } else {
            one->kind = CLTUNEDB_REAL;
            one->r = value->u.r;
        }
        query->problem_count++;
    }
    query->problem = values;
    return CT_OK;
}

/* A stored configuration becomes a device's. */
static enum ct_status adopt(struct ct_split *split, struct ct_split_device *one,
                            const char *json, bool searched, struct ct_err *err)
{
    struct ct_str words;
    enum ct_status status =
        ct_recheck_settings(json, &split->arena, &one->config, &one->config_count, err);

    one->searched = searched;
    ct_str_init(&words);
    for (size_t i = 0; !status && i < one->config_count; i++)
        ct_str_addf(&words, "%s%s=%s", i ? " " : "", one->config[i].name,
                    one->config[i].text);
    one->words = ct_arena_copy(&split->arena, words.data, words.length);
    if (!status && (words.failed || !one->words))
        status = ct_err_nomem(err);
    ct_str_release(&words);
    return status;
}

/* What the database has for the devices without a configuration: the best by time, else by what else was
 * optimized.  `searched`: it was found now. */
static enum ct_status look_up(struct ct_split *split, bool searched, struct ct_err *err)
{
    const struct ct_split_task *task = &split->task;
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct ct_recheck_stock stock;
    struct ct_binding *binding = NULL;
    struct ct_err none = CT_ERR_INIT;
    enum ct_status status =
        ct_split_bind(task, split->devices[0].device, 0, &binding, err);

    memset(&stock, 0, sizeof(stock));
    if (!status)
        status = query_problem(split, binding, &query, err);
    ct_binding_free(binding);
    if (status)
        return status;
    query.kernel = task->spec->kernel.name;
    query.objective = split->options->objective;
    status = ct_recheck_list(split->options->db, &query, &stock, &none);
    for (size_t d = 0; !status && d < split->count; d++) {
        struct ct_split_device *one = &split->devices[d];
        const struct ct_devinfo *only[] = {one->device, NULL};
        const struct ct_db_subject_best *best = NULL;

        stock.devices = only;
        for (size_t i = 0; !one->words && i < stock.count; i++)
            if (ct_recheck_device(&stock, i) &&
                (!best || strcmp(stock.listed[i].objective, "time") == 0))
                best = &stock.listed[i];
        if (best)
            status = adopt(split, one, best->top[0].configuration, searched, &none);
    }
    ct_recheck_stock_release(&stock);
    if (status && status != CT_E_NOT_FOUND)
        *err = none;
    return status == CT_E_NOT_FOUND ? CT_OK : status;
}

/* Searches on a device; the results are stored. */
static enum ct_status search_device(struct ct_split *split, struct ct_split_device *one,
                                    struct ct_err *err)
{
    const struct ct_space_options unlimited = {0};
    struct ct_search *search = NULL;
    struct ct_binding *binding = NULL;
    struct ct_space *space = NULL;
    enum ct_status status = ct_split_bind(&split->task, one->device, 0, &binding, err);

    if (!status) {
        status = ct_space_new(binding, &unlimited, &space, err);
        if (!status && !ct_space_count(space))
            status = ct_err_at(err, CT_E_NOT_FOUND, split->task.spec->path, 0, 0,
                               "no valid configuration remains on device %u:%u",
                               one->device->platform_index, one->device->device_index);
        if (status) {
            ct_space_free(space);
            ct_binding_free(binding);
            return status;
        }
        status = ct_search_new(split->options, split->observer, one->device,
                               split->task.spec, binding, space, &search, err);
    }
    if (status)
        return status;
    status = ct_search_run(search, err);
    if (!status)
        status = ct_search_found(search, err);
    ct_search_free(search);
    return status;
}

static bool has_budget(const struct ct_tune_options *options)
{
    return options->budget.evaluations || options->budget.seconds > 0;
}

enum ct_status ct_split_find_bests(struct ct_split *split, struct ct_err *err)
{
    enum ct_status status = look_up(split, false, err);

    for (size_t i = 0; !status && i < split->count; i++) {
        struct ct_split_device *one = &split->devices[i];

        if (one->words)
            continue;
        if (!has_budget(split->options))
            return ct_err_set(err, CT_E_NOT_FOUND,
                              "no best of %s is stored for device %u:%u (%s) and this "
                              "problem: use -n or -t to search briefly now, or 'cltune "
                              "search' first",
                              split->task.spec->kernel.name, one->device->platform_index,
                              one->device->device_index,
                              ct_devinfo_text(one->device, CT_DEVICE_NAME));
        status = search_device(split, one, err);
        /* Devices of the same kind have it now, too. */
        if (!status)
            status = look_up(split, true, err);
        if (!status && !one->words)
            status = ct_err_set(err, CT_E_NOT_FOUND,
                                "the search on device %u:%u stored no best",
                                one->device->platform_index, one->device->device_index);
    }
    return status;
}
