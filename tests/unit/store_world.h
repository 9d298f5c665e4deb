// SPDX-License-Identifier: Apache-2.0
// What the store's tests share: a folder of their own, and something to store in it.
#ifndef CT_TESTS_STORE_WORLD_H
#define CT_TESTS_STORE_WORLD_H

#include "base/rng.h"
#include "db/internal.h"
#include "db/migrations.h"

#include <ftw.h>
#include <grp.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

/* A path in the test's folder; two can be held at a time. */
static inline const char *in_folder(const char *name)
{
    static char paths[2][256];
    static int turn;

    turn = !turn;
    snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", folder, name);
    return paths[turn];
}

static inline int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/cltune-store-XXXXXX");
    return mkdtemp(folder) && chmod(folder, 0755) == 0 ? 0 : -1;
}

static inline int erase(const char *path, const struct stat *info, int kind,
                        struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static pid_t main_process;

static inline int teardown(void **state)
{
    (void)state;
    /* A failed assertion in a child leads here, too; that child's tests end. */
    if (getpid() != main_process)
        _exit(98);
    return nftw(folder, erase, 16, FTW_DEPTH | FTW_PHYS);
}

static inline struct ct_str read_file(const char *path)
{
    struct ct_str text;
    FILE *file = fopen(path, "rb");
    char part[4096];
    size_t n;

    ct_str_init(&text);
    assert_non_null(file);
    while ((n = fread(part, 1, sizeof(part), file)) > 0)
        ct_str_add(&text, part, n);
    fclose(file);
    return text;
}

static inline void write_file(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Runs SQL on a file behind the store's back. */
static inline void meddle(const char *path, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static inline int64_t number(struct ct_db *db, const char *sql)
{
    sqlite3_stmt *stmt;
    int64_t value;

    assert_int_equal(sqlite3_prepare_v2(db->sql, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return value;
}

/* Whether the whole file is sound (PRAGMA integrity_check and foreign_key_check): CT_OK or
 * CT_E_DB. */
static inline enum ct_status check_file(struct ct_db *db)
{
    static const char *const checks[] = {
        "SELECT count(*) = 0 FROM pragma_integrity_check(1) WHERE integrity_check <> 'ok'",
        "SELECT count(*) = 0 FROM pragma_foreign_key_check"};
    bool sound = true;

    for (size_t i = 0; i < 2 && sound; i++) {
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v2(db->sql, checks[i], -1, &stmt, NULL);

        ct_guard_enter(db);
        if (rc == SQLITE_OK)
            rc = sqlite3_step(stmt);
        sound = rc == SQLITE_ROW && sqlite3_column_int(stmt, 0) == 1;
        sqlite3_finalize(stmt);
        ct_guard_leave(db);
    }
    return sound ? CT_OK : CT_E_DB;
}

static inline struct ct_db *opened(const char *path)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db;

    if (ct_db_open(path, NULL, &db, &err) != CT_OK)
        fail_msg("%s", err.message);
    return db;
}

/* Opening fails with `code` and a message that holds `part`. */
static inline void refused(const char *path, enum ct_db_mode mode, enum ct_status code,
                           const char *part)
{
    const struct ct_db_options options = {.mode = mode, .busy_ms = -1};
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = (struct ct_db *)folder;

    assert_int_equal(ct_db_open(path, &options, &db, &err), code);
    assert_null(db);
    assert_int_equal(err.code, code);
    if (!strstr(err.message, part))
        fail_msg("\"%s\" says nothing of \"%s\"", err.message, part);
}

/* --- something to store --- */

struct world {
    struct ct_db *db;
    int64_t device;
    int64_t kernel;
    int64_t problem;
    struct ct_db_run run;
};

static inline struct ct_devinfo device_info(const char *name, const char *driver)
{
    struct ct_devinfo info = {.platform_name = "Test",
                              .platform_version = "OpenCL 3.0",
                              .driver_version = driver,
                              .type = "GPU"};

    info.props[CT_DEVICE_NAME] = ct_value_text(name);
    info.props[CT_DEVICE_VENDOR] = ct_value_text("NVIDIA Corporation");
    info.props[CT_DEVICE_VERSION] = ct_value_text("OpenCL 3.0 CUDA");
    info.props[CT_DEVICE_MAX_COMPUTE_UNITS] = ct_value_int(132);
    return info;
}

static inline void populate(struct world *w, struct ct_db *db)
{
    struct ct_devinfo info = device_info("NVIDIA H200", "550.1");
    struct ct_db_kernel kernel = {.name = "fir",
                                  .source_hash = ct_hash_bytes("source", 6),
                                  .space_path = "fir.ini",
                                  .parameters = "{\"WG\":[1,2]}",
                                  .constraints = "[]"};
    struct ct_db_value size = {"n", ct_value_int(1024)};

    memset(w, 0, sizeof(*w));
    w->run = ct_db_run_init;
    w->db = db;
    assert_int_equal(ct_db_device_put(db, &info, &w->device, NULL), CT_OK);
    assert_int_equal(ct_db_kernel_put(db, &kernel, &w->kernel, NULL), CT_OK);
    assert_int_equal(ct_db_problem_put(db, &size, 1, &w->problem, NULL), CT_OK);
    w->run.device_id = w->device;
    w->run.kernel_id = w->kernel;
    w->run.problem_id = w->problem;
    w->run.objective = "time";
    w->run.strategy = "exhaustive";
    w->run.version = "0.1.0";
    w->run.status = "done";
    assert_int_equal(ct_db_run_begin(db, &w->run, NULL), CT_OK);
}

static inline struct ct_hash experiment(unsigned n)
{
    return ct_hash_bytes(&n, sizeof(n));
}

static inline enum ct_status put_time(struct world *w, unsigned n, double time_ns,
                                      struct ct_err *err)
{
    struct ct_db_result r = ct_db_result_init;
    char configuration[48];

    snprintf(configuration, sizeof(configuration), "{\"WG\":%u}", n);
    r.run_id = w->run.id;
    r.experiment = experiment(n);
    r.status = "ok";
    r.configuration = configuration;
    r.objective_value = time_ns;
    r.time_ns = time_ns;
    return ct_db_result_put(w->db, &r, err);
}

static inline int in_child(int (*body)(void))
{
    pid_t child = fork();
    int status = 0;

    if (child == 0)
        _exit(body());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
