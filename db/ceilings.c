// SPDX-License-Identifier: Apache-2.0
// References for results: the time of host code, and the ceilings of a device.
#include "db/internal.h"

#include <stdlib.h>
#include <string.h>

enum ct_status ct_db_baseline_put(struct ct_db *db, const struct ct_db_baseline *baseline,
                                  struct ct_err *err)
{
    enum ct_status status = ct_db_enter(db, err);
    struct ct_db_use use;

    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(db, CT_SQL_BASELINE_PUT);
    ct_db_bind_int(&use, 1, baseline->kernel_id);
    ct_db_bind_int(&use, 2, baseline->problem_id);
    ct_db_bind_text(&use, 3, baseline->host_cpu);
    ct_db_bind_text(&use, 4, baseline->function);
    ct_db_bind_real(&use, 5, baseline->time_ns);
    ct_db_bind_real(&use, 6, baseline->low_ns);
    ct_db_bind_real(&use, 7, baseline->high_ns);
    ct_db_bind_int(&use, 8, ct_db_when(baseline->measured_unix_s));
    if (baseline->processors) {
        ct_db_bind_int(&use, 9, baseline->processors);
        ct_db_bind_real(&use, 10, baseline->all_time_ns);
        ct_db_bind_real(&use, 11, baseline->all_low_ns);
        ct_db_bind_real(&use, 12, baseline->all_high_ns);
    }
    return ct_db_leave(db, ct_db_exec(&use, err), err);
}

enum ct_status ct_db_ceiling_put(struct ct_db *db, const struct ct_db_ceiling *ceiling,
                                 struct ct_err *err)
{
    enum ct_status status = ct_db_enter(db, err);
    struct ct_db_use use;

    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(db, CT_SQL_CEILING_PUT);
    ct_db_bind_int(&use, 1, ceiling->device_id);
    ct_db_bind_text(&use, 2, ceiling->name);
    ct_db_bind_text(&use, 3, ceiling->unit);
    ct_db_bind_real(&use, 4, ceiling->value);
    ct_db_bind_real(&use, 5, ceiling->low);
    ct_db_bind_real(&use, 6, ceiling->high);
    ct_db_bind_int(&use, 7, ct_db_when(ceiling->measured_unix_s));
    return ct_db_leave(db, ct_db_exec(&use, err), err);
}

enum ct_status ct_db_ceilings(struct ct_db *db, int64_t device_id, struct ct_arena *arena,
                              struct ct_db_ceiling **out, size_t *count,
                              struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_CEILINGS);
    struct ct_db_ceiling *found = NULL;
    size_t capacity = 0;
    enum ct_status status;

    *out = NULL;
    *count = 0;
    ct_db_bind_int(&use, 1, device_id);
    while (ct_db_row(&use)) {
        struct ct_db_ceiling *next;

        if (!ct_mem_grow(&found, &capacity, *count + 1, sizeof(*found))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        next = &found[(*count)++];
        next->device_id = device_id;
        next->name = ct_db_text(&use, 0, arena);
        next->unit = ct_db_text(&use, 1, arena);
        next->value = ct_db_real(&use, 2);
        next->low = ct_db_real(&use, 3);
        next->high = ct_db_real(&use, 4);
        next->measured_unix_s = ct_db_int(&use, 5);
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
