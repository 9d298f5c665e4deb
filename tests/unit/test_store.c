// SPDX-License-Identifier: Apache-2.0
// The store's file: opening, refusing, surviving; and what goes in comes out.
#define _GNU_SOURCE 1 /* setgroups, unshare */
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
static const char *in_folder(const char *name)
{
    static char paths[2][256];
    static int turn;

    turn = !turn;
    snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", folder, name);
    return paths[turn];
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/cltune-store-XXXXXX");
    return mkdtemp(folder) && chmod(folder, 0755) == 0 ? 0 : -1;
}

static int erase(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static pid_t main_process;

static int teardown(void **state)
{
    (void)state;
    /* A failed assertion in a child leads here, too; that child's tests end. */
    if (getpid() != main_process)
        _exit(98);
    return nftw(folder, erase, 16, FTW_DEPTH | FTW_PHYS);
}

static struct ct_str read_file(const char *path)
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

static void write_file(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Runs SQL on a file behind the store's back. */
static void meddle(const char *path, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static int64_t number(struct ct_db *db, const char *sql)
{
    sqlite3_stmt *stmt;
    int64_t value;

    assert_int_equal(sqlite3_prepare_v2(db->sql, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return value;
}

static struct ct_db *opened(const char *path)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db;

    if (ct_db_open(path, NULL, &db, &err) != CT_OK)
        fail_msg("%s", err.message);
    return db;
}

/* Opening fails with `code` and a message that holds `part`. */
static void refused(const char *path, enum ct_db_mode mode, enum ct_status code,
                    const char *part)
{
    const struct ct_db_options options = {mode, -1};
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

static struct ct_devinfo device_info(const char *name, const char *driver)
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

static void populate(struct world *w, struct ct_db *db)
{
    struct ct_devinfo info = device_info("NVIDIA H200", "550.1");
    struct ct_db_kernel kernel = {"fir", ct_hash_bytes("source", 6), "fir.ini",
                                  "{\"WG\":[1,2]}", "[]"};
    struct ct_db_value size = {"n", ct_value_int(1024)};

    memset(w, 0, sizeof(*w));
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

static struct ct_hash experiment(unsigned n)
{
    return ct_hash_bytes(&n, sizeof(n));
}

static enum ct_status put_time(struct world *w, unsigned n, double time_ns,
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

/* --- where it is --- */

static void expect_path(const char *own, const char *data, const char *home,
                        const char *expected)
{
    struct ct_err err = CT_ERR_INIT;
    char *path = NULL;

    own ? setenv("CLTUNE_DB", own, 1) : unsetenv("CLTUNE_DB");
    data ? setenv("XDG_DATA_HOME", data, 1) : unsetenv("XDG_DATA_HOME");
    home ? setenv("HOME", home, 1) : unsetenv("HOME");
    if (expected) {
        assert_int_equal(ct_db_default_path(&path, &err), CT_OK);
        assert_string_equal(path, expected);
        free(path);
    } else {
        assert_int_equal(ct_db_default_path(&path, &err), CT_E_DB);
        assert_non_null(strstr(err.message, "HOME"));
    }
}

static void test_default_path(void **state)
{
    (void)state;
    expect_path("my.db", "/data", "/home/u", "my.db");
    expect_path(NULL, "/data", "/home/u", "/data/cltune/cltune.db");
    expect_path("", "", "/home/u", "/home/u/.local/share/cltune/cltune.db");
    expect_path(NULL, "relative", "/home/u", "/home/u/.local/share/cltune/cltune.db");
    expect_path(NULL, NULL, NULL, NULL);
    expect_path(NULL, NULL, "", NULL);
}

static void test_makes_folders(void **state)
{
    struct ct_db *db;
    struct stat info;

    (void)state;
    unsetenv("CLTUNE_DB");
    unsetenv("XDG_DATA_HOME");
    setenv("HOME", in_folder("home"), 1);
    refused(NULL, CT_DB_READ, CT_E_NOT_FOUND, "cltune search");
    assert_int_equal(stat(in_folder("home"), &info), -1);
    db = opened(NULL);
    assert_string_equal(ct_db_path(db), in_folder("home/.local/share/cltune/cltune.db"));
    ct_db_close(db);
    assert_int_equal(stat(in_folder("home/.local/share/cltune"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    /* A path that a user names is a slip when its folder is missing. */
    refused(in_folder("nowhere/a.db"), CT_DB_WRITE, CT_E_DB, "nowhere");
    setenv("CLTUNE_DB", in_folder("elsewhere/a.db"), 1);
    refused(NULL, CT_DB_WRITE, CT_E_DB, "elsewhere");
    assert_int_equal(stat(in_folder("elsewhere"), &info), -1);
    unsetenv("CLTUNE_DB");
}

/* --- opening --- */

static void test_new_file(void **state)
{
    struct ct_db *db = opened(in_folder("a.db"));
    const struct ct_db_options read = {CT_DB_READ, 0};

    (void)state;
    assert_int_equal(number(db, "PRAGMA user_version"), ct_migration_count);
    assert_int_equal(number(db, "PRAGMA application_id"), 0x636c7475);
    assert_int_equal(number(db, "PRAGMA foreign_keys"), 1);
    assert_int_equal(number(db, "PRAGMA synchronous"), 1);
    assert_int_equal(number(db, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"),
                     1);
    assert_int_equal(
        number(db, "SELECT count(*) FROM pragma_table_list WHERE type = 'table'"
                   " AND schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite%'"),
        0);
    assert_int_equal(ct_db_check(db, NULL), CT_OK);
    ct_db_close(db);
    ct_db_close(opened(in_folder("a.db")));
    assert_int_equal(ct_db_open(in_folder("a.db"), &read, &db, NULL), CT_OK);
    assert_int_equal(ct_db_begin(db, NULL), CT_E_INTERNAL);
    ct_db_close(db);
    ct_db_close(NULL);
}

static void test_refuses(void **state)
{
    static const char text[] =
        "This is a text and no database, long enough for a header "
        "of a hundred bytes, which is what SQLite reads first ....";
    struct ct_str before;
    struct ct_str after;
    int rounds = 0;
    const char *names[] = {"newer.db", "foreign.db", "tables.db", "text.db"};
    const char *parts[] = {"newer cltune", "another program", "another program",
                           "no cltune database"};

    (void)state;
    ct_db_close(opened(in_folder("newer.db")));
    meddle(in_folder("newer.db"), "PRAGMA user_version = 1000");
    meddle(in_folder("foreign.db"), "PRAGMA application_id = 7");
    meddle(in_folder("tables.db"), "CREATE TABLE a (b)");
    write_file(in_folder("text.db"), text, sizeof(text));
    for (int i = 0; i < 4; i++) {
        before = read_file(in_folder(names[i]));
        refused(in_folder(names[i]), CT_DB_READ, CT_E_DB, parts[i]);
        refused(in_folder(names[i]), CT_DB_WRITE, CT_E_DB, parts[i]);
        after = read_file(in_folder(names[i]));
        assert_int_equal(before.length, after.length);
        assert_memory_equal(before.data, after.data, after.length);
        ct_str_release(&before);
        ct_str_release(&after);
        rounds++;
    }
    assert_int_equal(rounds, 4);
    refused(folder, CT_DB_WRITE, CT_E_DB, "is a folder");
    refused(folder, CT_DB_READ, CT_E_DB, "is a folder");
    refused("", CT_DB_WRITE, CT_E_DB, "empty");
    refused(in_folder("missing.db"), CT_DB_READ, CT_E_NOT_FOUND, "cltune search");
    refused(in_folder("text.db/x"), CT_DB_READ, CT_E_NOT_FOUND, "cltune search");
    refused(in_folder("text.db/x"), CT_DB_WRITE, CT_E_DB, "no folder");
    write_file(in_folder("empty.db"), "", 0);
    refused(in_folder("empty.db"), CT_DB_READ, CT_E_NOT_FOUND, "cltune search");
    assert_int_equal(access(in_folder("missing.db"), F_OK), -1);
    ct_db_close(opened(in_folder("empty.db")));
}

static int open_body(void)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db;

    if (ct_db_open(in_folder("a.db"), NULL, &db, &err) != CT_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    ct_db_close(db);
    return 0;
}

/* Several processes make the same new file at once; each finds it whole. */
static void test_race(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        pid_t children[6];

        for (int i = 0; i < 6; i++) {
            children[i] = fork();
            if (children[i] == 0)
                _exit(open_body());
        }
        for (int i = 0; i < 6; i++) {
            int status = -1;

            assert_int_equal(waitpid(children[i], &status, 0), children[i]);
            assert_int_equal(status, 0);
        }
        assert_int_equal(remove(in_folder("a.db")), 0);
    }
}

/* Whether everything that a look-up and a search read can be read. */
static enum ct_status read_all(struct ct_db *db, struct ct_arena *arena)
{
    struct ct_db_result *top = ct_arena_array(arena, 64, sizeof(*top));
    size_t count;
    enum ct_status status =
        ct_db_best_top(db, 1, 1, 1, "time", false, 64, arena, top, &count, NULL);

    for (unsigned i = 0; i < 300 && status == CT_OK; i++) {
        struct ct_hash hash = experiment(i);

        status = ct_db_result_get(db, 1, &hash, arena, &top[0], NULL);
    }
    return status == CT_OK ? ct_db_check(db, NULL) : status;
}

/* A damaged file gives an error or, where nothing read it, none; never more. */
static void test_corrupt(void **state)
{
    const struct ct_db_options read = {CT_DB_READ, 0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_str whole;
    struct ct_rng rng;
    struct world w;
    int found = 0;

    (void)state;
    populate(&w, opened(in_folder("good.db")));
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(put_time(&w, i, 1000 + i, NULL), CT_OK);
    assert_int_equal(ct_db_commit(w.db, NULL), CT_OK);
    ct_db_close(w.db);
    whole = read_file(in_folder("good.db"));
    ct_rng_seed(&rng, 1);
    for (int round = 0; round < 200; round++) {
        size_t length = whole.length;
        struct ct_arena arena = {0};
        struct ct_db *db;
        struct ct_str copy;
        enum ct_status status;

        ct_str_init(&copy);
        ct_str_add(&copy, whole.data, whole.length);
        if (round % 4 == 0)
            length = (size_t)ct_rng_below(&rng, whole.length);
        else
            for (int i = 0; i < 16; i++)
                copy.data[ct_rng_below(&rng, whole.length)] ^=
                    (char)(1 + ct_rng_below(&rng, 255));
        write_file(in_folder("bad.db"), copy.data, length);
        ct_str_release(&copy);
        status = ct_db_open(in_folder("bad.db"), &read, &db, &err);
        if (status == CT_OK) {
            status = read_all(db, &arena);
            ct_db_close(db);
        }
        found += status != CT_OK;
        ct_arena_release(&arena);
    }
    ct_str_release(&whole);
    /* Some flips only change a number. */
    assert_in_range(found, 150, 200);
}

/* Runs `body` in a child that is not root, whom permissions bind; its exit status. */
static int as_nobody(int (*body)(void))
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        if (geteuid() == 0 && (setgroups(0, NULL) || setgid(65534) || setuid(65534)))
            _exit(77);
        _exit(body());
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Exit statuses say which step was not as it should be. */
static int read_only_body(void)
{
    const struct ct_db_options read = {CT_DB_READ, 0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_arena arena = {0};
    struct ct_db_result result;
    struct ct_hash hash = experiment(1);
    struct ct_db *db;

    if (ct_db_open(in_folder("ro/a.db"), NULL, &db, &err) != CT_E_DB ||
        !strstr(err.message, "--db"))
        return 1;
    if (ct_db_open(in_folder("ro/new.db"), NULL, &db, &err) != CT_E_DB)
        return 2;
    if (ct_db_open(in_folder("rw/a.db"), NULL, &db, &err) != CT_E_DB ||
        !strstr(err.message, "read-only"))
        return 3;
    if (ct_db_open(in_folder("rw/secret.db"), &read, &db, &err) != CT_E_DB ||
        !strstr(err.message, "ermission"))
        return 4;
    for (int i = 0; i < 2; i++) {
        if (ct_db_open(in_folder(i ? "rw/a.db" : "ro/a.db"), &read, &db, &err) != CT_OK)
            return 5 + i;
        if (ct_db_result_get(db, 1, &hash, &arena, &result, &err) != CT_OK)
            return 7 + i;
        ct_db_close(db);
    }
    ct_arena_release(&arena);
    return 0;
}

static int hot_body(void)
{
    const struct ct_db_options read = {CT_DB_READ, 0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db;

    return ct_db_open(in_folder("ro/hot.db"), &read, &db, &err) == CT_E_DB &&
                   strstr(err.message, "closed properly")
               ? 0
               : 1;
}

static void test_read_only(void **state)
{
    struct ct_str copy;
    struct world w;
    int code;

    (void)state;
    assert_int_equal(mkdir(in_folder("ro"), 0755), 0);
    assert_int_equal(mkdir(in_folder("rw"), 0777), 0);
    assert_int_equal(chmod(in_folder("rw"), 0777), 0);
    populate(&w, opened(in_folder("ro/a.db")));
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    /* As a killed writer leaves it: the file without what is in its log. */
    copy = read_file(in_folder("ro/a.db"));
    write_file(in_folder("ro/hot.db"), copy.data, copy.length);
    ct_str_release(&copy);
    copy = read_file(in_folder("ro/a.db-wal"));
    write_file(in_folder("ro/hot.db-wal"), copy.data, copy.length);
    ct_str_release(&copy);
    ct_db_close(w.db);
    copy = read_file(in_folder("ro/a.db"));
    write_file(in_folder("rw/a.db"), copy.data, copy.length);
    write_file(in_folder("rw/secret.db"), copy.data, copy.length);
    ct_str_release(&copy);
    assert_int_equal(chmod(in_folder("ro/a.db"), 0444), 0);
    assert_int_equal(chmod(in_folder("rw/a.db"), 0444), 0);
    assert_int_equal(chmod(in_folder("rw/secret.db"), 0), 0);
    assert_int_equal(chmod(in_folder("ro"), 0555), 0);
    code = as_nobody(read_only_body);
    if (code == 77)
        skip(); /* root that cannot become another user */
    assert_int_equal(code, 0);
    assert_int_equal(as_nobody(hot_body), 0);
    assert_int_equal(chmod(in_folder("ro"), 0755), 0);
}

static void test_locked(void **state)
{
    const struct ct_db_options brief = {CT_DB_WRITE, 20};
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *other;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(ct_db_open(in_folder("a.db"), &brief, &other, NULL), CT_OK);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    w.db = (ct_db_rollback(w.db), w.db);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    {
        struct world second = w;

        second.db = other;
        assert_int_equal(put_time(&second, 2, 5, &err), CT_E_DB);
        assert_non_null(strstr(err.message, "locked by another process"));
        assert_int_equal(ct_db_commit(w.db, NULL), CT_OK);
        assert_int_equal(put_time(&second, 2, 5, NULL), CT_OK);
    }
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 1);
    ct_db_close(other);
    /* A file that is locked as a whole cannot be opened either. */
    meddle(in_folder("a.db"), "PRAGMA user_version"); /* it can while it is not */
    ct_db_close(w.db);
    {
        sqlite3 *whole;

        assert_int_equal(sqlite3_open(in_folder("a.db"), &whole), SQLITE_OK);
        assert_int_equal(sqlite3_exec(whole,
                                      "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;"
                                      "UPDATE run SET seed = 1; COMMIT",
                                      NULL, NULL, NULL),
                         SQLITE_OK);
        refused(in_folder("a.db"), CT_DB_WRITE, CT_E_DB, "locked by another process");
        refused(in_folder("a.db"), CT_DB_READ, CT_E_DB, "locked by another process");
        sqlite3_close(whole);
    }
}

/* --- disasters --- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* Stores until there is no room, one by one, then in a group; exit statuses say which
 * step was not as it should be. */
static int fill_up(const char *path, void (*make_room)(void))
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = opened(path);
    struct world w;
    unsigned stored = 0;
    unsigned more;

    populate(&w, db);
    while (stored < 100000 && put_time(&w, stored, 5, &err) == CT_OK)
        stored++;
    if (stored < 5 || stored == 100000 || !strstr(err.message, "make room"))
        return 1;
    if (number(db, "SELECT count(*) FROM result") != stored)
        return 2;
    /* The same in a group: what was put into it is either all there or all undone. */
    if (ct_db_begin(db, NULL) != CT_OK)
        return 3;
    for (more = stored; more < 100000 && put_time(&w, more, 5, NULL) == CT_OK;)
        more++;
    make_room();
    if (sqlite3_get_autocommit(db->sql)) {
        more = stored;
        if (put_time(&w, 100000, 5, NULL) == CT_OK || ct_db_commit(db, NULL) == CT_OK)
            return 4;
    } else if (ct_db_commit(db, NULL) != CT_OK) {
        return 5;
    }
    if (ct_db_check(db, NULL) != CT_OK || put_time(&w, 200000, 5, NULL) != CT_OK)
        return 6;
    if (number(db, "SELECT count(*) FROM result") != more + 1)
        return 7;
    ct_db_close(db);
    return 0;
}

static void unlimit(void)
{
    limit_files(RLIM_INFINITY);
}

static int limited_body(void)
{
    signal(SIGXFSZ, SIG_IGN);
    limit_files(600000);
    return fill_up(in_folder("a.db"), unlimit);
}

static void enlarge(void)
{
    if (mount("none", in_folder("small"), "tmpfs", MS_REMOUNT, "size=16m") != 0)
        _exit(97);
}

static int small_disk_body(void)
{
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mkdir(in_folder("small"), 0700) != 0 ||
        mount("none", in_folder("small"), "tmpfs", 0, "size=1m") != 0)
        return 77;
    return fill_up(in_folder("small/a.db"), enlarge);
}

/* No room for a new file, found out at several points of making it. */
static int full_new_body(void)
{
    static const rlim_t limits[] = {3000, 6000, 40000, 90000};
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db;

    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 4; i++) {
        limit_files(limits[i]);
        if (ct_db_open(in_folder("b.db"), NULL, &db, &err) != CT_E_DB ||
            !strstr(err.message, "make room"))
            return 1 + i;
    }
    unlimit();
    if (ct_db_open(in_folder("b.db"), NULL, &db, &err) != CT_OK)
        return 5;
    ct_db_close(db);
    return 0;
}

static int in_child(int (*body)(void))
{
    pid_t child = fork();
    int status = 0;

    if (child == 0)
        _exit(body());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static void test_disk_full(void **state)
{
    int code;

    (void)state;
    assert_int_equal(in_child(limited_body), 0);
    assert_int_equal(in_child(full_new_body), 0);
    code = in_child(small_disk_body);
    if (code == 77)
        skip(); /* who is not root cannot mount a small disk */
    assert_int_equal(code, 0);
}

/* Stores results, saying after each that it is stored, until it is killed. */
static void write_until_killed(int out, unsigned first)
{
    struct world w;

    populate(&w, opened(in_folder("a.db")));
    for (unsigned n = first;; n++) {
        /* Some one by one, some in groups. */
        if (n % 7 == 0 && ct_db_begin(w.db, NULL) != CT_OK)
            _exit(1);
        if (put_time(&w, n, 1000.0 + (double)((n * 7919U) % 1000U) - n * 1e-3, NULL) !=
            CT_OK)
            _exit(2);
        if (w.db->grouped && n % 7 < 3)
            continue;
        if (w.db->grouped && ct_db_commit(w.db, NULL) != CT_OK)
            _exit(3);
        if (write(out, &n, sizeof(n)) != sizeof(n))
            _exit(4);
    }
}

static void check_after_kill(struct ct_db *db, unsigned last)
{
    struct ct_arena arena = {0};
    struct ct_db_result best;
    size_t count;
    sqlite3_stmt *stmt;

    assert_int_equal(ct_db_check(db, NULL), CT_OK);
    assert_true(number(db, "SELECT count(*) FROM result") >= last + 1);
    for (unsigned n = 0; n <= last; n++) {
        struct ct_hash hash = experiment(n);

        assert_int_equal(ct_db_result_get(db, 1, &hash, &arena, &best, NULL), CT_OK);
    }
    assert_int_equal(
        ct_db_best_top(db, 1, 1, 1, "time", false, 1, &arena, &best, &count, NULL),
        CT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(sqlite3_prepare_v2(db->sql,
                                        "SELECT min(objective_value) FROM result", -1,
                                        &stmt, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_true(best.objective_value == sqlite3_column_double(stmt, 0));
    sqlite3_finalize(stmt);
    ct_arena_release(&arena);
}

static void test_killed(void **state)
{
    struct ct_rng rng;
    unsigned last = 0;
    unsigned next = 0;

    (void)state;
    ct_rng_seed(&rng, 2);
    for (int round = 0; round < 30; round++) {
        struct timespec pause = {0, (long)(1000 * 1000 + ct_rng_below(&rng, 20000000))};
        struct ct_db *db;
        unsigned heard;
        int pipes[2];
        pid_t child;

        assert_int_equal(pipe(pipes), 0);
        child = fork();
        if (child == 0)
            write_until_killed(pipes[1], next);
        assert_true(child > 0);
        close(pipes[1]);
        /* Not before it has stored something; the moment after that is chance. */
        assert_int_equal(read(pipes[0], &last, sizeof(last)), sizeof(last));
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        while (read(pipes[0], &heard, sizeof(heard)) == sizeof(heard))
            last = heard;
        close(pipes[0]);
        assert_int_equal(waitpid(child, NULL, 0), child);
        db = opened(in_folder("a.db"));
        check_after_kill(db, last);
        ct_db_close(db);
        next = last + 1;
    }
}

/* --- what goes in comes out --- */

static void test_values(void **state)
{
    const struct ct_db_value values[] = {
        {"b", ct_value_real(0.1 + 0.2)},
        {"Z", ct_value_int(-5)},
        {"a\"\\", ct_value_text("x\n\"y\"\xc3\xa9")},
        {"c", ct_value_real(1e20)},
        {"d", ct_value_real(3)},
        {"e", ct_value_int(INT64_MIN)},
    };
    const struct ct_db_value twice[] = {{"a", ct_value_int(1)}, {"a", ct_value_int(1)}};
    const struct ct_db_value nan = {"a", ct_value_real(NAN)};
    struct ct_arena arena = {0};
    struct ct_db_value *back;
    struct ct_str text;
    size_t count;

    (void)state;
    ct_str_init(&text);
    assert_int_equal(ct_db_canonical(&text, values, 6, NULL), CT_OK);
    assert_string_equal(text.data,
                        "{\"Z\":-5,\"a\\\"\\\\\":\"x\\u000a\\\"y\\\"\xc3\xa9\","
                        "\"b\":0.30000000000000004,\"c\":1e+20,\"d\":3.0,"
                        "\"e\":-9223372036854775808}");
    assert_int_equal(ct_db_parse(&arena, text.data, &back, &count, NULL), CT_OK);
    assert_int_equal(count, 6);
    assert_string_equal(back[1].name, "a\"\\");
    assert_string_equal(back[1].value.u.s, "x\n\"y\"\xc3\xa9");
    assert_true(back[2].value.kind == CT_REAL && back[2].value.u.r == 0.1 + 0.2);
    assert_true(back[4].value.kind == CT_REAL && back[4].value.u.r == 3);
    assert_true(back[5].value.kind == CT_INT && back[5].value.u.i == INT64_MIN);
    ct_str_reset(&text);
    assert_int_equal(ct_db_canonical(&text, NULL, 0, NULL), CT_OK);
    assert_string_equal(text.data, "{}");
    assert_int_equal(ct_db_canonical(&text, twice, 2, NULL), CT_E_INTERNAL);
    assert_int_equal(ct_db_canonical(&text, &nan, 1, NULL), CT_E_INTERNAL);
    assert_int_equal(ct_db_parse(&arena, "[1]", &back, &count, NULL), CT_E_DB);
    assert_int_equal(ct_db_parse(&arena, "{\"a\":[1]}", &back, &count, NULL), CT_E_DB);
    assert_int_equal(ct_db_parse(&arena, "{\"a\":1", &back, &count, NULL), CT_E_DB);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

static void test_subjects(void **state)
{
    struct ct_devinfo other = device_info("NVIDIA H200", "560.2");
    struct ct_devinfo same = device_info("NVIDIA H200", "550.1");
    struct ct_db_kernel kernel = {"fir", ct_hash_bytes("source", 6), "fir.ini",
                                  "{\"WG\":[1,2,4]}", "[]"};
    struct ct_db_value sizes[] = {{"m", ct_value_int(2)}, {"n", ct_value_int(1024)}};
    struct ct_db_value swapped[] = {{"n", ct_value_int(1024)}, {"m", ct_value_int(2)}};
    struct world w;
    int64_t id;
    int64_t id2;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(ct_db_device_put(w.db, &same, &id, NULL), CT_OK);
    assert_int_equal(id, w.device);
    assert_int_equal(ct_db_device_put(w.db, &other, &id, NULL), CT_OK);
    assert_int_not_equal(id, w.device);
    same.props[CT_DEVICE_MAX_COMPUTE_UNITS] = ct_value_int(16);
    assert_int_equal(ct_db_device_put(w.db, &same, &id2, NULL), CT_OK);
    assert_true(id2 != id && id2 != w.device);
    assert_int_equal(number(w.db, "SELECT name_key = 'h200' AND vendor_key = 'nvidia' AND"
                                  " architecture_key = 'hopper' AND limits ->>"
                                  " 'DEVICE_MAX_COMPUTE_UNITS' = 132 FROM device"),
                     1);
    /* A grown space is the same kernel; another source is not, and coming back to the old
     * source makes that the newest again. */
    assert_int_equal(ct_db_kernel_put(w.db, &kernel, &id, NULL), CT_OK);
    assert_int_equal(id, w.kernel);
    assert_int_equal(number(w.db, "SELECT parameters = '{\"WG\":[1,2,4]}' FROM kernel"),
                     1);
    kernel.source_hash = ct_hash_bytes("changed", 7);
    assert_int_equal(ct_db_kernel_put(w.db, &kernel, &id2, NULL), CT_OK);
    assert_int_not_equal(id2, id);
    assert_int_equal(number(w.db, "SELECT id FROM kernel ORDER BY used_unix_s DESC"),
                     id2);
    kernel.source_hash = ct_hash_bytes("source", 6);
    assert_int_equal(ct_db_kernel_put(w.db, &kernel, &id2, NULL), CT_OK);
    assert_int_equal(id2, id);
    assert_int_equal(number(w.db, "SELECT id FROM kernel ORDER BY used_unix_s DESC"), id);
    assert_int_equal(number(w.db, "SELECT count(DISTINCT used_unix_s) FROM kernel"), 2);
    assert_int_equal(ct_db_problem_put(w.db, sizes, 2, &id, NULL), CT_OK);
    assert_int_equal(ct_db_problem_put(w.db, swapped, 2, &id2, NULL), CT_OK);
    assert_int_equal(id, id2);
    assert_int_not_equal(id, w.problem);
    ct_db_close(w.db);
}

/* Overwrites the start of a longer text. */
static void poke(char *text, const char *with)
{
    while (*with)
        *text++ = *with++;
}

static void test_round_trip(void **state)
{
    const double samples[] = {1.5, -0.0, 1e300, 5e-324};
    struct ct_arena arena = {0};
    struct ct_db_result in = ct_db_result_init;
    struct ct_db_result out;
    struct world w;
    char *log = ct_mem_array(100001, 1);

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_non_null(log);
    memset(log, 'x', 100000);
    poke(log, "bad \xff\xc3( byte");
    poke(log + CT_DB_LOG_BYTES - 1, "\xc3\xa9");
    in.run_id = w.run.id;
    in.experiment = experiment(1);
    in.status = "wrong";
    in.phase = "check";
    in.configuration = "{\"WG\":1}";
    in.flags = "-D WG=1";
    in.time_ns = 1.25;
    in.samples_ns = samples;
    in.sample_count = 4;
    in.launches_per_sample = 4000000000U;
    in.metrics = "{\"gflops\":3.5}";
    in.build_ns = UINT64_MAX;
    in.check_ns = 7;
    in.message = "outputs differ";
    in.log = log;
    in.mismatch_buffer = "output";
    in.mismatch_element = 12;
    in.mismatch_expected = 1;
    in.mismatch_seen = INFINITY;
    in.mismatch_count = 3;
    in.mismatch_guard = true;
    in.wall_clock = true;
    in.measured_unix_s = 1700000000;
    assert_int_equal(ct_db_result_put(w.db, &in, NULL), CT_OK);
    assert_int_equal(ct_db_result_get(w.db, w.device, &in.experiment, &arena, &out, NULL),
                     CT_OK);
    assert_string_equal(out.status, "wrong");
    assert_string_equal(out.phase, "check");
    assert_string_equal(out.flags, "-D WG=1");
    assert_string_equal(out.experiment.text, in.experiment.text);
    assert_true(out.time_ns == 1.25 && isnan(out.low_ns) && isnan(out.objective_value));
    assert_int_equal(out.sample_count, 4);
    assert_memory_equal(out.samples_ns, samples, sizeof(samples));
    assert_true(out.launches_per_sample == 4000000000U && out.build_ns == INT64_MAX);
    assert_true(out.mismatch_guard && out.wall_clock && !out.verified);
    assert_true(out.mismatch_expected == 1 && isnan(out.mismatch_seen));
    assert_string_equal(out.objective, "time");
    assert_int_equal(out.kernel_id, w.kernel);
    assert_int_equal(out.attempts, 1);
    assert_int_equal(out.measured_unix_s, 1700000000);
    assert_memory_equal(out.log, "bad ?\?( byte", 12);
    assert_non_null(strstr(out.log + CT_DB_LOG_BYTES - 1, "\n[83617 bytes more]\n"));
    assert_true(strlen(out.log) < CT_DB_LOG_BYTES + 30);
    ct_arena_release(&arena);
    free(log);
    ct_db_close(w.db);
}

/* A later result of the same experiment takes the row over; empty texts and no samples
 * are fine. */
static void test_replaced(void **state)
{
    struct ct_arena arena = {0};
    struct ct_db_result in = ct_db_result_init;
    struct ct_db_result out;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    in.run_id = w.run.id;
    in.experiment = experiment(1);
    in.status = NULL;
    assert_int_equal(ct_db_result_put(w.db, &in, NULL), CT_E_INTERNAL);
    in.status = "timeout";
    in.configuration = "{}";
    in.deadline_ns = 5;
    in.flags = NULL;
    assert_int_equal(ct_db_result_put(w.db, &in, NULL), CT_OK);
    assert_int_equal(ct_db_result_get(w.db, w.device, &in.experiment, &arena, &out, NULL),
                     CT_OK);
    assert_true(out.attempts == 2 && out.deadline_ns == 5 && out.sample_count == 0);
    assert_string_equal(out.flags, "");
    assert_string_equal(out.log, "");
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 1);
    in.experiment = experiment(99);
    assert_int_equal(ct_db_result_get(w.db, w.device, &in.experiment, &arena, &out, NULL),
                     CT_E_NOT_FOUND);
    ct_arena_release(&arena);
    ct_db_close(w.db);
}

static void test_mistakes(void **state)
{
    struct ct_db_result r = ct_db_result_init;
    struct ct_db_run run = {.id = 99, .status = "done"};
    struct ct_err err = CT_ERR_INIT;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    r.run_id = w.run.id;
    r.experiment = experiment(1);
    r.status = "fine";
    r.configuration = "{}";
    assert_int_equal(ct_db_result_put(w.db, &r, &err), CT_E_INTERNAL);
    r.status = "ok";
    r.configuration = "{";
    assert_int_equal(ct_db_result_put(w.db, &r, &err), CT_E_INTERNAL);
    r.configuration = "[]";
    assert_int_equal(ct_db_result_put(w.db, &r, &err), CT_E_INTERNAL);
    r.configuration = "{}";
    r.run_id = 99;
    assert_int_equal(ct_db_result_put(w.db, &r, &err), CT_E_INTERNAL);
    assert_int_equal(ct_db_run_end(w.db, &run, &err), CT_E_INTERNAL);
    w.run.status = "odd";
    assert_int_equal(ct_db_run_end(w.db, &w.run, &err), CT_E_INTERNAL);
    w.run.device_id = 99;
    assert_int_equal(ct_db_run_begin(w.db, &w.run, &err), CT_E_INTERNAL);
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 0);
    ct_db_close(w.db);
}

static void test_groups(void **state)
{
    struct ct_db_result bad = ct_db_result_init;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    bad.run_id = w.run.id;
    bad.experiment = experiment(7);
    bad.status = "no such status";
    bad.configuration = "{}";
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_E_INTERNAL);
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    assert_int_equal(ct_db_result_put(w.db, &bad, NULL), CT_E_INTERNAL);
    /* It had taken the stored one out of the competition before it failed. */
    bad.experiment = experiment(1);
    assert_int_equal(ct_db_result_put(w.db, &bad, NULL), CT_E_INTERNAL);
    assert_int_equal(number(w.db, "SELECT count(*) FROM score"), 1);
    assert_int_equal(put_time(&w, 2, 4, NULL), CT_OK);
    assert_int_equal(ct_db_commit(w.db, NULL), CT_OK);
    assert_int_equal(ct_db_commit(w.db, NULL), CT_E_INTERNAL);
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 2);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(put_time(&w, 3, 3, NULL), CT_OK);
    ct_db_rollback(w.db);
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 2);
    assert_int_equal(number(w.db, "SELECT value FROM best"), 4);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(put_time(&w, 3, 3, NULL), CT_OK);
    ct_db_close(w.db);
    w.db = opened(in_folder("a.db"));
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 2);
    ct_db_close(w.db);
}

static void test_runs(void **state)
{
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(number(w.db, "SELECT status = 'running' AND ended_unix_s IS NULL"
                                  " AND started_unix_s > 0 FROM run"),
                     1);
    w.run.status = "running";
    w.run.default_time_ns = 12.5;
    w.run.default_value = NAN;
    w.run.evaluated_count = -1;
    assert_int_equal(ct_db_run_end(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT status = 'running' AND default_time_ns = 12.5"
                                  " AND default_value IS NULL AND ended_unix_s IS NULL"
                                  " AND evaluated_count IS NULL FROM run"),
                     1);
    w.run.status = "interrupted";
    w.run.evaluated_count = 3;
    assert_int_equal(ct_db_run_end(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT status = 'interrupted' AND evaluated_count = 3"
                                  " AND ended_unix_s >= started_unix_s FROM run"),
                     1);
    ct_db_close(w.db);
}

static int batch_body(void)
{
    struct ct_hash hashes[3] = {experiment(1), experiment(2), experiment(3)};
    struct world w;

    populate(&w, opened(in_folder("a.db")));
    if (ct_db_batch_begin(w.db, w.run.id, hashes, 3, NULL) != CT_OK)
        return 1;
    if (put_time(&w, 2, 5, NULL) != CT_OK)
        return 2;
    raise(SIGKILL);
    return 3;
}

static size_t orphans(struct world *w, struct ct_arena *arena, struct ct_db_orphan **list)
{
    size_t count = 99;

    assert_int_equal(ct_db_orphans(w->db, w->device, arena, list, &count, NULL), CT_OK);
    return count;
}

static void test_in_flight(void **state)
{
    struct ct_hash mine[2] = {experiment(10), experiment(11)};
    struct ct_db_owner other;
    char late[160];
    struct ct_arena arena = {0};
    struct ct_db_orphan *list;
    struct world w;

    (void)state;
    assert_int_equal(in_child(batch_body), 99);
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(orphans(&w, &arena, &list), 2);
    assert_true(list[0].run_id == 1 && list[0].since_unix_s > 0);
    /* Mine are no orphans while I live. */
    assert_int_equal(ct_db_batch_begin(w.db, w.run.id, mine, 2, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT count(*) FROM inflight"), 4);
    assert_int_equal(number(w.db, "PRAGMA synchronous"), 1);
    assert_int_equal(orphans(&w, &arena, &list), 2);
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    assert_int_equal(orphans(&w, &arena, &list), 1);
    assert_string_equal(list[0].experiment.text, experiment(3).text);
    assert_int_equal(ct_db_batch_begin(w.db, w.run.id, mine, 1, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT count(*) FROM inflight"), 2);
    assert_int_equal(ct_db_batch_end(w.db, 1, NULL), CT_OK);
    assert_int_equal(orphans(&w, &arena, &list), 0);
    assert_int_equal(ct_db_run_end(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT count(*) FROM inflight"), 0);
    assert_int_equal(ct_db_batch_begin(w.db, 99, mine, 1, NULL), CT_E_INTERNAL);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(ct_db_batch_begin(w.db, w.run.id, mine, 1, NULL), CT_E_INTERNAL);
    ct_db_close(w.db);
    ct_arena_release(&arena);
    assert_true(ct_db_owner_alive(ct_db_owner_self().text));
    /* The number of a process that is gone may be another's by now. */
    other = ct_db_owner_self();
    *strchr(other.text, ' ') = '\0';
    snprintf(late, sizeof(late), "%s 7%s", other.text,
             strchr(other.text + strlen(other.text) + 1, ' '));
    assert_false(ct_db_owner_alive(late));
    assert_false(ct_db_owner_alive(""));
    assert_false(ct_db_owner_alive("1 1 another-boot"));
}

static void test_baselines_and_ceilings(void **state)
{
    struct ct_db_baseline b = {.host_cpu = "xeon",
                               .function = "volk",
                               .time_ns = 9,
                               .low_ns = 8,
                               .high_ns = NAN};
    struct ct_db_baseline back;
    struct ct_db_ceiling c = {
        .name = "launch", .unit = "ns", .value = 5, .low = 4, .high = NAN};
    struct ct_db_ceiling *list;
    struct ct_arena arena = {0};
    struct world w;
    size_t count;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    b.kernel_id = w.kernel;
    b.problem_id = w.problem;
    back = b;
    assert_int_equal(ct_db_baseline_get(w.db, &arena, &back, NULL), CT_E_NOT_FOUND);
    assert_int_equal(ct_db_baseline_put(w.db, &b, NULL), CT_OK);
    b.time_ns = 7;
    assert_int_equal(ct_db_baseline_put(w.db, &b, NULL), CT_OK);
    assert_int_equal(ct_db_baseline_get(w.db, &arena, &back, NULL), CT_OK);
    assert_true(back.time_ns == 7 && isnan(back.high_ns) && back.measured_unix_s > 0);
    assert_string_equal(back.function, "volk");
    c.device_id = w.device;
    assert_int_equal(ct_db_ceiling_put(w.db, &c, NULL), CT_OK);
    c.value = 6;
    assert_int_equal(ct_db_ceiling_put(w.db, &c, NULL), CT_OK);
    c.name = "copy";
    assert_int_equal(ct_db_ceiling_put(w.db, &c, NULL), CT_OK);
    assert_int_equal(ct_db_ceilings(w.db, w.device, &arena, &list, &count, NULL), CT_OK);
    assert_int_equal(count, 2);
    assert_string_equal(list[0].name, "copy");
    assert_true(list[1].value == 6 && list[1].low == 4 && isnan(list[1].high));
    assert_int_equal(ct_db_ceilings(w.db, 99, &arena, &list, &count, NULL), CT_OK);
    assert_int_equal(count, 0);
    ct_arena_release(&arena);
    ct_db_close(w.db);
}

static enum ct_status note(void *user, const struct ct_db_known *known,
                           struct ct_err *err)
{
    unsigned *seen = user;

    assert_string_equal(known->experiment.text, experiment(*seen).text);
    assert_string_equal(known->status, "ok");
    assert_string_equal(known->objective, "time");
    assert_non_null(strstr(known->configuration, "WG"));
    assert_true(known->objective_value == 100 - *seen);
    ++*seen;
    return *seen == 20 ? ct_err_set(err, CT_E_INTERRUPTED, "enough") : CT_OK;
}

static void test_known(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    unsigned seen = 0;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    for (unsigned i = 0; i < 15; i++)
        assert_int_equal(put_time(&w, i, 100 - i, NULL), CT_OK);
    assert_int_equal(
        ct_db_results_each(w.db, w.device, w.kernel, w.problem, note, &seen, NULL),
        CT_OK);
    assert_int_equal(seen, 15);
    for (unsigned i = 15; i < 30; i++)
        assert_int_equal(put_time(&w, i, 100 - i, NULL), CT_OK);
    seen = 0;
    assert_int_equal(
        ct_db_results_each(w.db, w.device, w.kernel, w.problem, note, &seen, &err),
        CT_E_INTERRUPTED);
    assert_string_equal(err.message, "enough");
    assert_int_equal(seen, 20);
    ct_db_close(w.db);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_default_path), STORE_TEST(test_makes_folders),
        STORE_TEST(test_new_file),     STORE_TEST(test_refuses),
        STORE_TEST(test_race),         STORE_TEST(test_corrupt),
        STORE_TEST(test_read_only),    STORE_TEST(test_locked),
        STORE_TEST(test_disk_full),    STORE_TEST(test_killed),
        STORE_TEST(test_values),       STORE_TEST(test_subjects),
        STORE_TEST(test_round_trip),   STORE_TEST(test_replaced),
        STORE_TEST(test_mistakes),     STORE_TEST(test_groups),
        STORE_TEST(test_runs),         STORE_TEST(test_in_flight),
        STORE_TEST(test_known),        STORE_TEST(test_baselines_and_ceilings),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
