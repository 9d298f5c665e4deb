// SPDX-License-Identifier: Apache-2.0
// What the database has of a configuration that is to be reproduced.
#include "tune/repro.h"

#include "tune/recheck.h"
#include "tune/stored_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cltunedb_value query_value(const char *name, struct ct_value value)
{
    cltunedb_value out = {.name = name, .s = ""};

    switch (value.kind) {
    case CT_INT:
        out.kind = CLTUNEDB_INT;
        out.i = value.u.i;
        out.r = (double)value.u.i;
        break;
    case CT_REAL:
        out.kind = CLTUNEDB_REAL;
        out.r = value.u.r;
        break;
    default:
        out.kind = CLTUNEDB_TEXT;
        out.s = value.kind == CT_TEXT ? value.u.s : "";
        break;
    }
    return out;
}

/* The kernel, device and problem of the run; the caller frees query->problem. */
static bool make_query(const struct ct_repro *repro, cltunedb_query *query)
{
    const struct ct_spec *spec = repro->run.work.spec;
    cltunedb_value *problem = ct_mem_array(spec->slots.count, sizeof(*problem));
    size_t count = 0;

    *query = (cltunedb_query)CLTUNEDB_QUERY_INIT;
    if (!problem)
        return false;
    for (size_t i = 0; i < spec->slots.count; i++)
        if (spec->slots.symbols[i].class == CT_SYM_PROBLEM)
            problem[count++] = query_value(spec->slots.symbols[i].name,
                                           repro->run.work.binding->fixed[i]);
    query->kernel = spec->kernel.name;
    query->problem = problem;
    query->problem_count = count;
    return true;
}

/* Takes what is stored over; the newest of several. */
static void note_stored(struct ct_repro *repro, const struct ct_db_result *result)
{
    struct ct_repro_stored *stored = &repro->stored;

    if (stored->known && stored->measured_unix_s >= result->measured_unix_s)
        return;
    stored->known = true;
    snprintf(stored->status, sizeof(stored->status), "%s", result->status);
    stored->time_ns = result->time_ns > 0 ? result->time_ns : NAN;
    stored->measured_unix_s = result->measured_unix_s;
}

enum ct_status ct_repro_look_up(struct ct_repro *repro, struct ct_err *err)
{
    struct ct_hash experiment =
        ct_workload_experiment(&repro->run.work, &repro->run.plan);
    struct ct_stored_results results = {0};
    struct ct_err own = CT_ERR_INIT;
    cltunedb_query query;
    enum ct_status status =
        make_query(repro, &query)
            ? ct_stored_results_read(repro->run.options->db, &query, NULL,
                                     CT_STORED_BY_AGE, &results, &own)
            : ct_err_nomem(&own);

    for (size_t i = 0; !status && i < results.count; i++)
        if (strcmp(results.items[i].result.experiment.text, experiment.text) == 0)
            note_stored(repro, &results.items[i].result);
    ct_stored_results_release(&results);
    free((void *)(uintptr_t)query.problem);
    if (status == CT_E_NOT_FOUND)
        return CT_OK;
    if (status)
        *err = own;
    return status;
}

enum ct_status ct_repro_best(const struct ct_repro *repro, struct ct_arena *arena,
                             struct ct_setting **out, size_t *count, struct ct_err *err)
{
    const struct ct_devinfo *devices[] = {repro->run.work.device, NULL};
    struct ct_recheck_stock stock = {0};
    cltunedb_query query;
    const struct ct_db_subject_best *found = NULL;
    enum ct_status status = make_query(repro, &query) ? CT_OK : ct_err_nomem(err);

    if (!status) {
        query.objective = repro->run.options->objective;
        status = ct_recheck_list(repro->run.options->db, &query, &stock, err);
    }
    stock.devices = devices;
    for (size_t i = 0; !status && i < stock.count && !found; i++)
        if (ct_recheck_device(&stock, i))
            found = &stock.listed[i];
    if (found)
        status = ct_recheck_settings(found->top[0].configuration, arena, out, count, err);
    else if (!status)
        status = ct_recheck_nothing(&stock, true, err);
    ct_recheck_stock_release(&stock);
    free((void *)(uintptr_t)query.problem);
    return status;
}
