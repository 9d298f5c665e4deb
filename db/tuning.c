// SPDX-License-Identifier: Apache-2.0
// Questions of online tuning that the other parts of the store do not answer.
#include "db/tuning.h"

#include "db/internal.h"

#include <string.h>

static enum ct_status read_id(struct ct_db_use *use, int64_t *id, struct ct_err *err)
{
    *id = 0;
    if (ct_db_row(use))
        *id = ct_db_int(use, 0);
    return ct_db_done(use, err);
}

enum ct_status ct_db_tuned_find(struct ct_db *db, const struct ct_devinfo *device,
                                const char *kernel, const struct ct_hash *source_hash,
                                const char *problem, struct ct_db_tuned *out,
                                struct ct_err *err)
{
    struct ct_hash hash = ct_hash_bytes(problem, strlen(problem));
    enum ct_status status = ct_db_device_find(db, device, &out->device_id, err);
    struct ct_db_use use;
    int64_t runs = 0;

    out->kernel_id = out->problem_id = 0;
    out->done = false;
    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(db, CT_SQL_KERNEL_FIND);
    ct_db_bind_text(&use, 1, kernel);
    ct_db_bind_hash(&use, 2, source_hash);
    status = read_id(&use, &out->kernel_id, err);
    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(db, CT_SQL_PROBLEM_FIND);
    ct_db_bind_hash(&use, 1, &hash);
    status = read_id(&use, &out->problem_id, err);
    if (status != CT_OK || !out->device_id || !out->kernel_id || !out->problem_id)
        return status;
    use = ct_db_use_begin(db, CT_SQL_RUN_DONE);
    ct_db_bind_int(&use, 1, out->kernel_id);
    ct_db_bind_int(&use, 2, out->problem_id);
    ct_db_bind_int(&use, 3, out->device_id);
    status = read_id(&use, &runs, err);
    out->done = runs > 0;
    return status;
}

enum ct_status ct_db_run_strategy(struct ct_db *db, int64_t run_id,
                                  struct ct_arena *arena, const char **out,
                                  struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_RUN_STRATEGY);

    *out = "";
    ct_db_bind_int(&use, 1, run_id);
    if (ct_db_row(&use))
        *out = ct_db_text(&use, 0, arena);
    return ct_db_done(&use, err);
}

enum ct_status ct_db_kernel_place(struct ct_db *db, const char *kernel,
                                  struct ct_arena *arena, const char **out,
                                  struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_FIND_KERNEL);
    int64_t newest;
    enum ct_status status;

    *out = "";
    ct_db_bind_text(&use, 1, kernel);
    status = read_id(&use, &newest, err);
    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(db, CT_SQL_FIND_SOURCE);
    ct_db_bind_int(&use, 1, newest);
    if (ct_db_row(&use))
        *out = ct_db_text(&use, 4, arena);
    return ct_db_done(&use, err);
}
