// SPDX-License-Identifier: Apache-2.0
// Where the database is, and opening it: new, damaged, read-only, locked.
#define _GNU_SOURCE 1 /* setgroups, unshare */
#include "store_world.h"

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
    const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = 0};

    (void)state;
    assert_int_equal(number(db, "PRAGMA user_version"), ct_migrations_count);
    assert_int_equal(number(db, "PRAGMA application_id"), 0x636c7475);
    assert_int_equal(number(db, "PRAGMA foreign_keys"), 1);
    assert_int_equal(number(db, "PRAGMA synchronous"), 1);
    assert_int_equal(number(db, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"),
                     1);
    assert_int_equal(
        number(db, "SELECT count(*) FROM pragma_table_list WHERE type = 'table'"
                   " AND schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite%'"),
        0);
    assert_int_equal(check_file(db), CT_OK);
    ct_db_close(db);
    ct_db_close(opened(in_folder("a.db")));
    assert_int_equal(ct_db_open(in_folder("a.db"), &read, &db, NULL), CT_OK);
    assert_int_equal(ct_db_begin(db, NULL), CT_E_INTERNAL);
    ct_db_close(db);
    ct_db_close(NULL);
}

/* A file of an older schema, with three results that compete. */
static void make_old(const char *path, int version)
{
    const char *duplicate = version > 1 ? ", ''" : "";
    struct ct_str sql;

    ct_str_init(&sql);
    ct_str_puts(&sql, "BEGIN;");
    for (int i = 0; i < version && i < 2; i++)
        ct_str_addf(&sql, "%s;", ct_migrations[i]);
    ct_str_addf(&sql,
                "PRAGMA user_version = %d;"
                "INSERT INTO device VALUES (1, printf('%%032d', 1), 'Test', '', 'old', "
                "'', 'GPU', '', '', 1, '', '', '', '{}', 1);"
                "INSERT INTO kernel VALUES (1, 'k', printf('%%032d', 2), '', '{}', '[]',"
                " 1);"
                "INSERT INTO problem VALUES (1, printf('%%032d', 3), '{}');"
                "INSERT INTO baseline VALUES (1, 1, 'xeon', 'f', 9, 8, 10, 1);"
                "INSERT INTO run VALUES (1, 1, 1, 1, 'time', 'minimize', 'random', 1,"
                " '0', 'done', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 2);",
                version);
    for (unsigned i = 0; i < 3; i++)
        ct_str_addf(&sql,
                    "INSERT INTO result VALUES (%u, 1, '%s', 1, 1, 1, %u, 'ok', '',"
                    " %u.5, %u.5, 4.0, 5.0, 10, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 3, '', 0,"
                    " NULL, NULL, 0, 0, '{}', '', '', '', '', x'', 'a log'%s);"
                    "INSERT INTO score VALUES (1, 1, 1, 'time', 'minimize', %u.5, %u,"
                    " %u);",
                    7 + i, experiment(1 + i).text, 5 + i, 4 + i, 4 + i, duplicate, 4 + i,
                    7 + i, 5 + i);
    ct_str_puts(&sql, "INSERT INTO best VALUES (1, 1, 1, 'time', 'minimize', 4.5, 7);");
    for (int i = 2; i < version; i++)
        ct_str_addf(&sql, "%s;", ct_migrations[i]);
    if (version == 3)
        ct_str_puts(&sql, "UPDATE result SET rounds = 1, rounds_ns = zeroblob(8),"
                          " raw_ns = 3.5, end_to_end_ns = 9.5, timer_ns = 2,"
                          " observed = '{\"energy_j\":1.0}', twin_of = experiment"
                          " WHERE id = 9;");
    ct_str_puts(&sql, "COMMIT");
    assert_false(sql.failed);
    meddle(path, sql.data);
    ct_str_release(&sql);
}

/* What files of version 3 hold beyond what older ones do. */
static void check_third(struct ct_db *db)
{
    const struct ct_hash third = experiment(3);
    struct ct_arena arena = {0};
    struct ct_db_result r;

    assert_int_equal(ct_db_result_get(db, 1, &third, &arena, &r, NULL), CT_OK);
    assert_true(r.stored.id == 9 && r.playoff.rounds == 1 && r.playoff.rounds_ns &&
                r.playoff.rounds_ns[0] == 0);
    assert_true(r.playoff.raw_ns == 3.5 && r.end_to_end.time_ns == 9.5 &&
                r.samples.timer_ns == 2);
    assert_string_equal(r.observed, "{\"energy_j\":1.0}");
    assert_string_equal(r.twin_of, third.text);
    ct_arena_release(&arena);
}

/* It is not read before it is brought up to date, which keeps what it holds. */
static void check_old(int version)
{
    const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = 0};
    const struct ct_db_ranked ranked = {.experiment = experiment(2),
                                        .value = 5.75,
                                        .time_ns = 5.75,
                                        .end_to_end_ns = NAN,
                                        .rounds = 5};
    struct ct_hash first = experiment(1);
    struct ct_arena arena = {0};
    struct ct_db_result results[4];
    struct ct_db *db;
    struct world w;
    size_t count;

    make_old(in_folder("old.db"), version);
    refused(in_folder("old.db"), CT_DB_READ, CT_E_DB, "older cltune");
    db = opened(in_folder("old.db"));
    assert_int_equal(number(db, "PRAGMA user_version"), ct_migrations_count);
    assert_int_equal(check_file(db), CT_OK);
    assert_int_equal(ct_db_result_get(db, 1, &first, &arena, results, NULL), CT_OK);
    assert_int_equal(results[0].stored.id, 7);
    assert_true(results[0].time_ns == 4.5 && results[0].attempts == 1);
    assert_string_equal(results[0].failure.log, "a log");
    assert_string_equal(results[0].twin_of, "");
    assert_string_equal(results[0].observed, "");
    assert_true(!results[0].playoff.rounds && isnan(results[0].end_to_end.time_ns));
    assert_true(isnan(results[0].playoff.raw_ns) && isnan(results[0].samples.timer_ns));
    if (version == 3)
        check_third(db);
    assert_int_equal(number(db, "SELECT time_ns = 9 AND coalesce(processors, 0) = 0"
                                " FROM baseline WHERE kernel_id = 1 AND problem_id = 1"
                                " AND host_cpu = 'xeon'"),
                     1);
    assert_int_equal(
        ct_db_best_top(db, 1, 1, 1, "time", false, 4, &arena, results, &count, NULL),
        CT_OK);
    assert_true(count == 3 && results[0].stored.id == 7 && results[2].stored.id == 9);
    assert_true(results[0].rank.number == -1 && !results[0].rank.tied);
    /* It takes play-offs and new results like a new one. */
    assert_int_equal(ct_db_rankings_put(db, 1, &ranked, 1, NULL), CT_OK);
    assert_int_equal(
        ct_db_best_top(db, 1, 1, 1, "time", false, 4, &arena, results, &count, NULL),
        CT_OK);
    assert_true(count == 3 && results[0].stored.id == 8 && results[0].rank.number == 0);
    assert_true(results[0].playoff.raw_ns == 5.5 && results[0].playoff.rounds == 5);
    ct_arena_release(&arena);
    populate(&w, db);
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    ct_db_close(db);
    assert_int_equal(ct_db_open(in_folder("old.db"), &read, &db, NULL), CT_OK);
    ct_db_close(db);
    assert_int_equal(remove(in_folder("old.db")), 0);
}

static void test_old_file(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++)
        check_old(version);
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
                           "not a cltune database"};

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
    refused(in_folder("text.db/x"), CT_DB_WRITE, CT_E_DB, "does not exist");
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
    return status == CT_OK ? check_file(db) : status;
}

/* A damaged file gives an error or, where nothing read it, none; never more. */
static void test_corrupt(void **state)
{
    const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = 0};
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
    const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = 0};
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
    const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = 0};
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
    const struct ct_db_options brief = {.mode = CT_DB_WRITE, .busy_ms = 20};
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

/* Slashes at the start are not the name of a host. */
static void test_many_slashes(void **state)
{
    const struct ct_db_options options = {.mode = CT_DB_READ, .immutable = true};
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db;
    struct world w;
    char path[300];

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    ct_db_close(w.db);
    for (int slashes = 1; slashes <= 3; slashes++) {
        snprintf(path, sizeof(path), "%.*s%s", slashes - 1, "//", in_folder("a.db"));
        if (ct_db_open(path, &options, &db, &err) != CT_OK)
            fail_msg("%s", err.message);
        assert_int_equal(number(db, "SELECT count(*) FROM result"), 1);
        ct_db_close(db);
    }
}

/* --- an open that coincides with another process's close --- */

static sqlite3_vfs failing_vfs;
static sqlite3_vfs *real_vfs;
static sqlite3_io_methods failing_methods;
static const sqlite3_io_methods *real_methods;
static int failures; /* that are left */

static int write_failing(sqlite3_file *file, const void *bytes, int count,
                         sqlite3_int64 at)
{
    if (failures && failures--)
        return SQLITE_IOERR_LOCK;
    return real_methods->xWrite(file, bytes, count, at);
}

static int open_failing(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                        int *got)
{
    int rc = real_vfs->xOpen(real_vfs, name, file, flags, got);

    (void)vfs;
    if (rc == SQLITE_OK && flags & SQLITE_OPEN_WAL) {
        real_methods = file->pMethods;
        failing_methods = *real_methods;
        failing_methods.xWrite = write_failing;
        file->pMethods = &failing_methods;
    }
    return rc;
}

/* A connection that is given up takes its statements with it. */
static void test_opens_again(void **state)
{
    struct world w;

    (void)state;
    real_vfs = sqlite3_vfs_find(NULL);
    failing_vfs = *real_vfs;
    failing_vfs.zName = "failing";
    failing_vfs.xOpen = open_failing;
    failures = 1;
    assert_int_equal(sqlite3_vfs_register(&failing_vfs, 1), SQLITE_OK);
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(failures, 0);
    ct_db_close(w.db);
    assert_int_equal(sqlite3_vfs_unregister(&failing_vfs), SQLITE_OK);
    assert_int_equal(sqlite3_memory_used(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_default_path), STORE_TEST(test_makes_folders),
        STORE_TEST(test_new_file),     STORE_TEST(test_refuses),
        STORE_TEST(test_race),         STORE_TEST(test_corrupt),
        STORE_TEST(test_read_only),    STORE_TEST(test_locked),
        STORE_TEST(test_old_file),     STORE_TEST(test_many_slashes),
        STORE_TEST(test_opens_again),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
