// SPDX-License-Identifier: Apache-2.0
// Reads what reports show.
#include "db/history.h"

#include "db/internal.h"

#include <stdlib.h>
#include <string.h>

static struct ct_db_use begin_of(struct ct_db *db, enum ct_sql which,
                                 const struct ct_db_listed *of)
{
    struct ct_db_use use = ct_db_use_begin(db, which);

    ct_db_bind_int(&use, 1, of->kernel_id);
    ct_db_bind_int(&use, 2, of->problem_id);
    ct_db_bind_int(&use, 3, of->device_id);
    return use;
}

enum ct_status ct_db_briefs_each(struct ct_db *db, const struct ct_db_listed *of,
                                 enum ct_status (*each)(void *user,
                                                        const struct ct_db_brief *brief,
                                                        struct ct_err *err),
                                 void *user, struct ct_err *err)
{
    struct ct_db_use use = begin_of(db, CT_SQL_REPORT_RESULTS, of);
    enum ct_status stopped = CT_OK;
    enum ct_status status;

    while (stopped == CT_OK && ct_db_row(&use)) {
        const char *outcome = ct_db_peek(&use, 2);
        bool failed = strcmp(outcome, "ok") != 0;
        struct ct_db_brief brief = {
            .id = ct_db_int(&use, 0),
            .run_id = ct_db_int(&use, 1),
            .status = outcome,
            .phase = ct_db_peek(&use, 3),
            .configuration = ct_db_peek(&use, 4),
            .objective = ct_db_peek(&use, 5),
            .objective_value = ct_db_real(&use, 6),
            .time_ns = ct_db_real(&use, 7),
            .low_ns = ct_db_real(&use, 8),
            .high_ns = ct_db_real(&use, 9),
            .raw_ns = ct_db_real(&use, 10),
            .rounds = (uint64_t)ct_db_int(&use, 11),
            .spent_ns = (uint64_t)ct_db_int(&use, 12),
            .measured_unix_s = ct_db_int(&use, 13),
            .metrics = ct_db_peek(&use, 14),
            .message = failed ? ct_db_peek(&use, 15) : "",
            .log = failed ? ct_db_peek(&use, 16) : "",
        };

        stopped = each(user, &brief, err);
    }
    status = ct_db_done(&use, stopped == CT_OK ? err : NULL);
    return stopped != CT_OK ? stopped : status;
}

/* A count, or -1 where the column is NULL. */
static int64_t count_of(const struct ct_db_use *use, int column)
{
    return sqlite3_column_type(use->stmt, column) == SQLITE_NULL ? -1
                                                                 : ct_db_int(use, column);
}

static void read_run(struct ct_db_use *use, struct ct_arena *arena, struct ct_db_run *out)
{
    int i = 0;

    *out = ct_db_run_init;
    out->id = ct_db_int(use, i++);
    out->objective = ct_db_text(use, i++, arena);
    out->maximize = strcmp(ct_db_peek(use, i++), "maximize") == 0;
    out->strategy = ct_db_text(use, i++, arena);
    out->seed = (uint64_t)ct_db_int(use, i++);
    out->version = ct_db_text(use, i++, arena);
    out->status = ct_db_text(use, i++, arena);
    out->space_count = ct_db_real(use, i++);
    out->valid_count = count_of(use, i++);
    out->evaluated_count = count_of(use, i++);
    out->reused_count = count_of(use, i++);
    out->default_value = ct_db_real(use, i++);
    out->default_time_ns = ct_db_real(use, i++);
    out->baseline_time_ns = ct_db_real(use, i++);
    out->noise.resolution = ct_db_real(use, i++);
    out->noise.drift = ct_db_real(use, i++);
    out->noise.samples = count_of(use, i++);
    out->started_unix_s = ct_db_int(use, i++);
    out->ended_unix_s = ct_db_int(use, i++);
    out->observed = ct_db_text(use, i++, arena);
}

enum ct_status ct_db_runs(struct ct_db *db, const struct ct_db_listed *of,
                          struct ct_arena *arena, struct ct_db_run **out, size_t *count,
                          struct ct_err *err)
{
    struct ct_db_use use = begin_of(db, CT_SQL_REPORT_RUNS, of);
    struct ct_db_run *found = NULL;
    size_t capacity = 0;
    enum ct_status status;

    *out = NULL;
    *count = 0;
    while (ct_db_row(&use)) {
        if (!ct_mem_grow(&found, &capacity, *count + 1, sizeof(*found))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        read_run(&use, arena, &found[(*count)++]);
    }
    status = ct_db_done(&use, err);
    if (status == CT_OK) {
        *out = ct_arena_keep(arena, found, *count, sizeof(*found));
        if (!*out)
            status = ct_err_nomem(err);
    }
    free(found);
    return status;
}

enum ct_status ct_db_device_facts_read(struct ct_db *db, int64_t device_id,
                                       struct ct_arena *arena,
                                       struct ct_db_device_facts *out, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_REPORT_DEVICE);

    *out = (struct ct_db_device_facts){"", "", "", ""};
    ct_db_bind_int(&use, 1, device_id);
    if (ct_db_row(&use)) {
        out->platform_name = ct_db_text(&use, 0, arena);
        out->platform_version = ct_db_text(&use, 1, arena);
        out->opencl_version = ct_db_text(&use, 2, arena);
        out->limits = ct_db_text(&use, 3, arena);
    }
    return ct_db_done(&use, err);
}
