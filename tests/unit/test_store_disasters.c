// SPDX-License-Identifier: Apache-2.0
// Full disks and killed processes: nothing stored is lost or spoiled.
#define _GNU_SOURCE 1 /* setgroups, unshare */
#include "store_world.h"

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
    if (check_file(db) != CT_OK || put_time(&w, 200000, 5, NULL) != CT_OK)
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

    assert_int_equal(check_file(db), CT_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_disk_full),
        STORE_TEST(test_killed),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
