// SPDX-License-Identifier: Apache-2.0
// Devices, kernels, problems and runs; baselines and ceilings.
#include "db/internal.h"

#include "db/names.h"
#include "db/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the identity selected by a bound find statement; 0: none. */
static enum ct_status find_id(struct ct_db_use *use, int64_t *id, struct ct_err *err)
{
    *id = 0;
    if (ct_db_row(use))
        *id = ct_db_int(use, 0);
    return ct_db_done(use, err);
}

static enum ct_status find_hash(struct ct_db *db, enum ct_sql which,
                                const struct ct_hash *hash, int64_t *id,
                                struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, which);

    ct_db_bind_hash(&use, 1, hash);
    return find_id(&use, id, err);
}

/* The device's known properties, as JSON. */
static enum ct_status limits_json(const struct ct_devinfo *info, struct ct_str *out,
                                  struct ct_err *err)
{
    struct ct_db_value values[CT_DEVPROP_COUNT];
    size_t count = 0;

    for (int i = 0; i < CT_DEVPROP_COUNT; i++) {
        if (info->props[i].kind == CT_NONE)
            continue;
        values[count].name = ct_devprops[i].name;
        values[count++].value = info->props[i];
    }
    return ct_db_canonical(out, values, count, err);
}

/* The texts that identify devices, in the order of the columns of DEVICE_ADD. */
enum { DEVICE_TEXTS = 7 };

static void device_texts(const struct ct_devinfo *info, const char *texts[DEVICE_TEXTS])
{
    texts[0] = info->platform_name;
    texts[1] = info->platform_version;
    texts[2] = ct_devinfo_text(info, CT_DEVICE_NAME);
    texts[3] = ct_devinfo_text(info, CT_DEVICE_VENDOR);
    texts[4] = info->type;
    texts[5] = info->driver_version;
    texts[6] = ct_devinfo_text(info, CT_DEVICE_VERSION);
    for (int i = 0; i < DEVICE_TEXTS; i++)
        if (!texts[i])
            texts[i] = "";
}

static enum ct_status add_device(struct ct_db *db, const struct ct_devinfo *info,
                                 const struct ct_hash *hash, struct ct_err *err)
{
    const char *texts[DEVICE_TEXTS];
    struct ct_name name = ct_name_device(ct_devinfo_text(info, CT_DEVICE_NAME));
    struct ct_name vendor = ct_name_vendor(ct_devinfo_text(info, CT_DEVICE_VENDOR));
    struct ct_name architecture;
    struct ct_db_use use;
    struct ct_str limits;
    enum ct_status status;

    device_texts(info, texts);
    architecture = ct_name_architecture(texts[2], texts[3]);
    ct_str_init(&limits);
    status = limits_json(info, &limits, err);
    if (status != CT_OK)
        goto out;
    use = ct_db_use_begin(db, CT_SQL_DEVICE_ADD);
    ct_db_bind_hash(&use, 1, hash);
    for (int i = 0; i < DEVICE_TEXTS; i++)
        ct_db_bind_text(&use, 2 + i, texts[i]);
    ct_db_bind_int(&use, 9, ct_devinfo_int(info, CT_DEVICE_MAX_COMPUTE_UNITS, 0));
    ct_db_bind_text(&use, 10, name.text);
    ct_db_bind_text(&use, 11, vendor.text);
    ct_db_bind_text(&use, 12, architecture.text);
    ct_db_bind_text(&use, 13, limits.data);
    ct_db_bind_int(&use, 14, ct_db_when(0));
    status = ct_db_exec(&use, err);
out:
    ct_str_release(&limits);
    return status;
}

/* The identity of a device. */
static enum ct_status hash_device(const struct ct_devinfo *info, struct ct_hash *out,
                                  struct ct_err *err)
{
    const char *texts[DEVICE_TEXTS];
    struct ct_str key;

    device_texts(info, texts);
    ct_str_init(&key);
    for (int i = 0; i < DEVICE_TEXTS; i++)
        ct_wire_put_text(&key, texts[i]);
    ct_wire_put_i64(&key, ct_devinfo_int(info, CT_DEVICE_MAX_COMPUTE_UNITS, 0));
    if (key.failed)
        return ct_err_nomem(err);
    *out = ct_hash_bytes(key.data, key.length);
    ct_str_release(&key);
    return CT_OK;
}

enum ct_status ct_db_device_find(struct ct_db *db, const struct ct_devinfo *info,
                                 int64_t *device_id, struct ct_err *err)
{
    struct ct_hash hash;
    enum ct_status status = hash_device(info, &hash, err);

    return status == CT_OK ? find_hash(db, CT_SQL_DEVICE_FIND, &hash, device_id, err)
                           : status;
}

enum ct_status ct_db_device_put(struct ct_db *db, const struct ct_devinfo *info,
                                int64_t *device_id, struct ct_err *err)
{
    struct ct_hash hash;
    enum ct_status status = ct_db_device_find(db, info, device_id, err);

    if (status != CT_OK || *device_id)
        return status;
    status = hash_device(info, &hash, err);
    if (status == CT_OK)
        status = ct_db_enter(db, err);
    if (status != CT_OK)
        return status;
    /* Checked again under the lock: another process may have been faster. */
    status = find_hash(db, CT_SQL_DEVICE_FIND, &hash, device_id, err);
    if (status == CT_OK && !*device_id) {
        status = add_device(db, info, &hash, err);
        *device_id = sqlite3_last_insert_rowid(db->sql);
    }
    return ct_db_leave(db, status, err);
}

/* --- kernels --- */

/* A stored kernel, compared with its new declaration. */
struct stored_kernel {
    int64_t id; /* 0: not stored */
    bool differs;
    int64_t used_unix_s;
    int64_t newest_unix_s; /* of the other sources of that name; 0: none */
};

/* The columns that are replaced where they are known, in the order of their statements. */
enum { KERNEL_TEXTS = 6 };

static void kernel_texts(const struct ct_db_kernel *kernel,
                         const char *texts[KERNEL_TEXTS])
{
    texts[0] = kernel->space_path;
    texts[1] = kernel->parameters;
    texts[2] = kernel->constraints;
    texts[3] = kernel->problem_macros;
    texts[4] = kernel->space_file;
    texts[5] = kernel->space_hash.text;
    for (int i = 0; i < KERNEL_TEXTS; i++)
        texts[i] = texts[i] ? texts[i] : "";
}

static enum ct_status find_kernel(struct ct_db *db, const struct ct_db_kernel *kernel,
                                  struct stored_kernel *out, struct ct_err *err)
{
    const char *texts[KERNEL_TEXTS];
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_KERNEL_FIND);
    enum ct_status status;

    memset(out, 0, sizeof(*out));
    kernel_texts(kernel, texts);
    ct_db_bind_text(&use, 1, kernel->name);
    ct_db_bind_hash(&use, 2, &kernel->source_hash);
    if (ct_db_row(&use)) {
        out->id = ct_db_int(&use, 0);
        out->used_unix_s = ct_db_int(&use, 1);
        for (int i = 0; i < KERNEL_TEXTS; i++)
            if (*texts[i] && strcmp(ct_db_peek(&use, 2 + i), texts[i]) != 0)
                out->differs = true;
    }
    status = ct_db_done(&use, err);
    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(db, CT_SQL_KERNEL_NEWEST);
    ct_db_bind_text(&use, 1, kernel->name);
    ct_db_bind_hash(&use, 2, &kernel->source_hash);
    if (ct_db_row(&use))
        out->newest_unix_s = ct_db_int(&use, 0);
    return ct_db_done(&use, err);
}

static enum ct_status write_kernel(struct ct_db *db, const struct ct_db_kernel *kernel,
                                   struct stored_kernel *stored, struct ct_err *err)
{
    int64_t used = stored->used_unix_s;
    const char *texts[KERNEL_TEXTS];
    struct ct_db_use use;
    enum ct_status status;

    kernel_texts(kernel, texts);
    if (used <= stored->newest_unix_s)
        used = ct_db_when(0);
    if (used <= stored->newest_unix_s)
        used = stored->newest_unix_s + 1;
    use = ct_db_use_begin(db, stored->id ? CT_SQL_KERNEL_CHANGE : CT_SQL_KERNEL_ADD);
    ct_db_bind_int(&use, 1, used);
    for (int i = 0; i < KERNEL_TEXTS; i++)
        ct_db_bind_text(&use, 2 + i, texts[i]);
    if (stored->id) {
        ct_db_bind_int(&use, 2 + KERNEL_TEXTS, stored->id);
    } else {
        ct_db_bind_text(&use, 2 + KERNEL_TEXTS, kernel->name);
        ct_db_bind_hash(&use, 3 + KERNEL_TEXTS, &kernel->source_hash);
    }
    status = ct_db_exec(&use, err);
    if (status == CT_OK && !stored->id)
        stored->id = sqlite3_last_insert_rowid(db->sql);
    return status;
}

static bool up_to_date(const struct stored_kernel *stored)
{
    return stored->id && !stored->differs && stored->used_unix_s > stored->newest_unix_s;
}

enum ct_status ct_db_kernel_put(struct ct_db *db, const struct ct_db_kernel *kernel,
                                int64_t *kernel_id, struct ct_err *err)
{
    struct stored_kernel stored;
    enum ct_status status = find_kernel(db, kernel, &stored, err);

    if (status == CT_OK && !up_to_date(&stored)) {
        status = ct_db_enter(db, err);
        if (status != CT_OK)
            return status;
        status = find_kernel(db, kernel, &stored, err);
        if (status == CT_OK && !up_to_date(&stored))
            status = write_kernel(db, kernel, &stored, err);
        status = ct_db_leave(db, status, err);
    }
    *kernel_id = status == CT_OK ? stored.id : 0;
    return status;
}

enum ct_status ct_db_kernel_put_oldest(struct ct_db *db,
                                       const struct ct_db_kernel *kernel,
                                       int64_t *kernel_id, struct ct_err *err)
{
    enum ct_status status = ct_db_enter(db, err);

    if (status != CT_OK)
        return status;
    status = ct_db_kernel_put(db, kernel, kernel_id, err);
    if (status == CT_OK) {
        struct ct_db_use use = ct_db_use_begin(db, CT_SQL_KERNEL_OLDEST);

        ct_db_bind_int(&use, 1, *kernel_id);
        status = ct_db_exec(&use, err);
    }
    return ct_db_leave(db, status, err);
}

enum ct_status ct_db_problem_put(struct ct_db *db, const struct ct_db_value *values,
                                 size_t count, int64_t *problem_id, struct ct_err *err)
{
    struct ct_str sizes;
    struct ct_hash hash;
    enum ct_status status;

    ct_str_init(&sizes);
    status = ct_db_canonical(&sizes, values, count, err);
    if (status != CT_OK)
        goto out;
    hash = ct_hash_bytes(sizes.data, sizes.length);
    status = find_hash(db, CT_SQL_PROBLEM_FIND, &hash, problem_id, err);
    if (status != CT_OK || *problem_id)
        goto out;
    status = ct_db_enter(db, err);
    if (status != CT_OK)
        goto out;
    status = find_hash(db, CT_SQL_PROBLEM_FIND, &hash, problem_id, err);
    if (status == CT_OK && !*problem_id) {
        struct ct_db_use use = ct_db_use_begin(db, CT_SQL_PROBLEM_ADD);

        ct_db_bind_hash(&use, 1, &hash);
        ct_db_bind_text(&use, 2, sizes.data);
        status = ct_db_exec(&use, err);
        *problem_id = sqlite3_last_insert_rowid(db->sql);
    }
    status = ct_db_leave(db, status, err);
out:
    ct_str_release(&sizes);
    return status;
}

/* --- runs --- */

const struct ct_db_run ct_db_run_init = {
    .objective = "",
    .strategy = "",
    .version = "",
    .status = "",
    .observed = "",
    .space_count = NAN,
    .valid_count = -1,
    .evaluated_count = -1,
    .reused_count = -1,
    .default_value = NAN,
    .default_time_ns = NAN,
    .baseline_time_ns = NAN,
    .noise.resolution = NAN,
    .noise.playoff_resolution = NAN,
    .noise.samples = -1,
    .noise.processes = -1,
    .noise.within = NAN,
    .noise.between = NAN,
    .noise.drift = NAN,
    .race_saved_ns = -1,
    .baseline_all_time_ns = NAN,
    .baseline_all_processors = -1,
};

enum ct_status ct_db_run_begin(struct ct_db *db, struct ct_db_run *run,
                               struct ct_err *err)
{
    enum ct_status status = ct_db_enter(db, err);
    struct ct_db_use use;

    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(db, CT_SQL_RUN_ADD);
    ct_db_bind_int(&use, 1, run->kernel_id);
    ct_db_bind_int(&use, 2, run->problem_id);
    ct_db_bind_int(&use, 3, run->device_id);
    ct_db_bind_text(&use, 4, run->objective);
    ct_db_bind_text(&use, 5, ct_db_direction(run->maximize));
    ct_db_bind_text(&use, 6, run->strategy);
    ct_db_bind_int(&use, 7, (int64_t)run->seed);
    ct_db_bind_text(&use, 8, run->version);
    ct_db_bind_real(&use, 9, run->space_count);
    ct_db_bind_count(&use, 10, run->valid_count);
    ct_db_bind_int(&use, 11, ct_db_when(run->started_unix_s));
    status = ct_db_exec(&use, err);
    if (status == CT_OK)
        run->id = sqlite3_last_insert_rowid(db->sql);
    return ct_db_leave(db, status, err);
}

static enum ct_status forget_batch(struct ct_db *db, int64_t run_id, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_INFLIGHT_DROP_RUN);

    ct_db_bind_int(&use, 1, run_id);
    return ct_db_exec(&use, err);
}

static void bind_confidence(struct ct_db_use *use, const struct ct_db_run *run)
{
    ct_db_bind_real(use, 9, run->noise.resolution);
    ct_db_bind_real(use, 10, run->noise.playoff_resolution);
    ct_db_bind_count(use, 11, run->noise.samples);
    ct_db_bind_count(use, 12, run->noise.processes);
    ct_db_bind_real(use, 13, run->noise.within);
    ct_db_bind_real(use, 14, run->noise.between);
    ct_db_bind_real(use, 15, run->noise.drift);
    ct_db_bind_count(use, 16, run->race_saved_ns);
    ct_db_bind_real(use, 17, run->baseline_all_time_ns);
    ct_db_bind_count(use, 18, run->baseline_all_processors);
    ct_db_bind_text(use, 19, run->observed);
}

enum ct_status ct_db_run_end(struct ct_db *db, const struct ct_db_run *run,
                             struct ct_err *err)
{
    bool running = run->status && strcmp(run->status, "running") == 0;
    enum ct_status status = ct_db_enter(db, err);
    struct ct_db_use use;

    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(db, CT_SQL_RUN_END);
    ct_db_bind_int(&use, 1, run->id);
    ct_db_bind_text(&use, 2, run->status);
    ct_db_bind_count(&use, 3, run->evaluated_count);
    ct_db_bind_count(&use, 4, run->reused_count);
    ct_db_bind_real(&use, 5, run->default_value);
    ct_db_bind_real(&use, 6, run->default_time_ns);
    ct_db_bind_real(&use, 7, run->baseline_time_ns);
    if (!running)
        ct_db_bind_int(&use, 8, ct_db_when(run->ended_unix_s));
    bind_confidence(&use, run);
    status = ct_db_exec(&use, err);
    if (status == CT_OK && sqlite3_changes(db->sql) == 0)
        status = ct_err_set(err, CT_E_INTERNAL, "%s has no run %lld", db->path,
                            (long long)run->id);
    if (status == CT_OK && !running)
        status = forget_batch(db, run->id, err);
    return ct_db_leave(db, status, err);
}

/* This process, as ct_db_owner_self tells it: found out once, since records are written many times a
 * second.  A process that has been forked since then is another one. */
static struct ct_db_owner self(struct ct_db *db)
{
    long pid = (long)getpid();

    if (db->owner_pid != pid)
        db->owner = ct_db_owner_self();
    db->owner_pid = pid;
    return db->owner;
}

static enum ct_status add_batch(struct ct_db *db, int64_t run_id,
                                const struct ct_hash *experiments, size_t count,
                                struct ct_err *err)
{
    struct ct_db_owner owner = self(db);
    struct ct_subject of;
    enum ct_status status = ct_subject_of_run(db, run_id, &of, err);
    struct ct_db_use use;

    if (status == CT_OK)
        status = forget_batch(db, run_id, err);
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        use = ct_db_use_begin(db, CT_SQL_INFLIGHT_ADD);
        ct_db_bind_int(&use, 1, of.device_id);
        ct_db_bind_hash(&use, 2, &experiments[i]);
        ct_db_bind_int(&use, 3, run_id);
        ct_db_bind_text(&use, 4, owner.text);
        ct_db_bind_int(&use, 5, ct_db_when(0));
        status = ct_db_exec(&use, err);
    }
    return status;
}

enum ct_status ct_db_batch_begin(struct ct_db *db, int64_t run_id,
                                 const struct ct_hash *experiments, size_t count,
                                 struct ct_err *err)
{
    enum ct_status status;
    int rc;

    if (db->grouped)
        return ct_err_set(err, CT_E_INTERNAL,
                          "%s: a batch cannot begin inside a transaction", db->path);
    rc = sqlite3_exec(db->sql, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return ct_db_fail(db, rc, err);
    status = ct_db_enter(db, err);
    if (status == CT_OK)
        status = ct_db_leave(db, add_batch(db, run_id, experiments, count, err), err);
    rc = sqlite3_exec(db->sql, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    if (status == CT_OK && rc != SQLITE_OK)
        status = ct_db_fail(db, rc, err);
    return status;
}

static void note_alone(struct ct_db_orphan *orphans, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        orphans[i].alone = true;
        for (size_t k = 0; k < count && orphans[i].alone; k++)
            orphans[i].alone = k == i || orphans[k].run_id != orphans[i].run_id;
    }
}

enum ct_status ct_db_orphans(struct ct_db *db, int64_t device_id, struct ct_arena *arena,
                             struct ct_db_orphan **out, size_t *count, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_INFLIGHT_OF_DEVICE);
    struct ct_db_orphan *found = NULL;
    size_t capacity = 0;
    enum ct_status status;

    *out = NULL;
    *count = 0;
    ct_db_bind_int(&use, 1, device_id);
    while (ct_db_row(&use)) {
        if (ct_db_owner_alive(ct_db_peek(&use, 2)))
            continue;
        if (!ct_mem_grow(&found, &capacity, *count + 1, sizeof(*found))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        found[*count].experiment = ct_db_hash(&use, 0);
        found[*count].run_id = ct_db_int(&use, 1);
        found[*count].machine_died = ct_db_owner_restarted(ct_db_peek(&use, 2));
        found[(*count)++].since_unix_s = ct_db_int(&use, 3);
    }
    note_alone(found, *count);
    status = ct_db_done(&use, err);
    if (status == CT_OK) {
        *out = ct_arena_keep(arena, found, *count, sizeof(*found));
        if (!*out)
            status = ct_err_nomem(err);
    }
    free(found);
    return status;
}

enum ct_status ct_db_orphan_end(struct ct_db *db, int64_t device_id,
                                const struct ct_hash *experiment, struct ct_err *err)
{
    enum ct_status status = ct_db_enter(db, err);
    struct ct_db_use use;

    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(db, CT_SQL_INFLIGHT_DROP);
    ct_db_bind_int(&use, 1, device_id);
    ct_db_bind_hash(&use, 2, experiment);
    return ct_db_leave(db, ct_db_exec(&use, err), err);
}
