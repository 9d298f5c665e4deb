// SPDX-License-Identifier: Apache-2.0
// Databases from strangers: what of a file is believed, and what it may cost.
#define _GNU_SOURCE 1 /* nftw, truncate */
#include "store_world.h"

#include "base/rng.h"
#include "db/guard.h"
#include "db/lookup.h"
#include "db/maintain.h"
#include "db/merge.h"

#include <jansson.h>

/* A sound database with a few results, all in one file. */
static struct ct_str make_good(const char *path)
{
    struct world w;

    populate(&w, opened(path));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(put_time(&w, i, 1000 + i, NULL), CT_OK);
    ct_db_close(w.db);
    return read_file(path);
}

/* --- the schema --- */

/* Row by row, as scripts/make-schema-objects has SQLite print them. */
static void test_objects_are_current(void **state)
{
    struct ct_str rows;
    sqlite3_stmt *stmt;
    sqlite3 *db;

    (void)state;
    ct_str_init(&rows);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    for (int i = 0; i < ct_migrations_count; i++)
        assert_int_equal(sqlite3_exec(db, ct_migrations[i], NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT type || '|' || name || '|' || tbl_name ||"
                                        " '|' || ifnull(sql, '') FROM sqlite_schema"
                                        " ORDER BY type, name",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        ct_str_addf(&rows, "%s\n", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    if (strcmp(rows.data, ct_schema_objects[0]) != 0)
        fail_msg("db/schema/objects.txt is old: run scripts/make-schema-objects");
    ct_str_release(&rows);
}

static void test_versions(void **state)
{
    const int versions[] = {-1, -2, -2147483647 - 1, 1000, 2147483647};
    struct ct_str good = make_good(in_folder("good.db"));

    (void)state;
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        const char *part = versions[i] < 0 ? "has the number" : "newer cltune";
        char sql[64];

        write_file(in_folder("a.db"), good.data, good.length);
        snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", versions[i]);
        meddle(in_folder("a.db"), sql);
        refused(in_folder("a.db"), CT_DB_READ, CT_E_DB, part);
        refused(in_folder("a.db"), CT_DB_WRITE, CT_E_DB, part);
    }
    /* The tables of another version than the one claimed. */
    for (int version = 0; version < ct_migrations_count; version++) {
        char sql[64];

        write_file(in_folder("a.db"), good.data, good.length);
        snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", version);
        meddle(in_folder("a.db"), sql);
        refused(in_folder("a.db"), CT_DB_READ, CT_E_DB, "does not have the tables");
        refused(in_folder("a.db"), CT_DB_WRITE, CT_E_DB, "does not have the tables");
    }
    ct_str_release(&good);
}

/* Schemas that are not cltune's, and what is said of each. */
static void test_foreign_schemas(void **state)
{
    static const struct {
        const char *sql;
        const char *part;
    } attacks[] = {
        {"DROP TABLE ceiling", "table ceiling is missing"},
        {"DROP INDEX run_by_device", "index run_by_device is missing"},
        {"CREATE TABLE more (a)", "table more is not cltune's"},
        {"ALTER TABLE device ADD COLUMN more TEXT", "table device differs"},
        {"ALTER TABLE device RENAME COLUMN vendor TO seller", "table device differs"},
        {"CREATE VIEW v AS SELECT 1", "view v is not"},
        {"CREATE TRIGGER t AFTER INSERT ON result BEGIN DELETE FROM result; END",
         "trigger t is not"},
        {"CREATE INDEX i ON result (hex(zeroblob(1000000)))", "index i is not"},
        {"CREATE INDEX i ON result (status) WHERE length(hex(log)) > 5",
         "index i is not"},
        {"ALTER TABLE problem RENAME TO p2; CREATE VIEW problem AS WITH RECURSIVE"
         " n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, '' AS hash,"
         " '{}' AS sizes FROM n",
         "is not cltune's"},
        {"ALTER TABLE run ADD COLUMN g TEXT AS (hex(zeroblob(1000000))) VIRTUAL",
         "table run differs"},
        {"DROP TABLE ceiling; CREATE TABLE ceiling (device_id INTEGER NOT NULL REFERENCES"
         " device (id), name TEXT NOT NULL, unit TEXT NOT NULL, value REAL NOT NULL, low"
         " REAL, high REAL, measured_unix_s INTEGER NOT NULL CHECK (length(hex(zeroblob("
         "100000000))) > 0), PRIMARY KEY (device_id, name)) STRICT, WITHOUT ROWID",
         "table ceiling differs"},
        {"PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql,"
         " 'CHECK (length(hash) = 32)', 'CHECK (hex(zeroblob(1)) > 0)')",
         "table device differs"},
    };
    struct ct_str good = make_good(in_folder("good.db"));

    (void)state;
    for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
        struct ct_str before;
        struct ct_str after;

        write_file(in_folder("a.db"), good.data, good.length);
        meddle(in_folder("a.db"), attacks[i].sql);
        before = read_file(in_folder("a.db"));
        refused(in_folder("a.db"), CT_DB_READ, CT_E_DB, attacks[i].part);
        refused(in_folder("a.db"), CT_DB_WRITE, CT_E_DB, attacks[i].part);
        after = read_file(in_folder("a.db"));
        assert_int_equal(before.length, after.length);
        assert_memory_equal(before.data, after.data, after.length);
        ct_str_release(&before);
        ct_str_release(&after);
    }
    ct_str_release(&good);
}

/* What makes no difference: statistics, and how the SQL is written. */
static void test_own_schemas(void **state)
{
    static const char *const harmless[] = {
        "ANALYZE",
        "VACUUM",
        "REINDEX",
        ("DROP INDEX result_by_run; CREATE  INDEX \"result_by_run\" /* so */ ON result\n"
         "  ( run_id ) -- as it was"),
        "PRAGMA journal_mode = DELETE",
        "PRAGMA page_size = 8192; VACUUM",
    };
    struct ct_str good = make_good(in_folder("good.db"));

    (void)state;
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
        const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = 0};
        struct world w;

        write_file(in_folder("a.db"), good.data, good.length);
        meddle(in_folder("a.db"), harmless[i]);
        assert_int_equal(ct_db_open(in_folder("a.db"), &read, &w.db, NULL), CT_OK);
        ct_db_close(w.db);
        populate(&w, opened(in_folder("a.db")));
        assert_int_equal(put_time(&w, 9, 9, NULL), CT_OK);
        assert_int_equal(check_file(w.db), CT_OK);
        ct_db_close(w.db);
        remove(in_folder("a.db"));
    }
    ct_str_release(&good);
}

/* What of an open database is in force, whatever it is opened for. */
static void test_connection(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct ct_db_options options = {.mode = i ? CT_DB_READ : CT_DB_WRITE,
                                              .busy_ms = 0};
        const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                           SQLITE_DBCONFIG_ENABLE_VIEW};
        struct ct_db *db;
        int on = 0;

        assert_int_equal(ct_db_open(in_folder("a.db"), &options, &db, NULL), CT_OK);
        for (int j = 0; j < 3; j++) {
            assert_int_equal(sqlite3_db_config(db->sql, off[j], -1, &on), SQLITE_OK);
            assert_int_equal(on, 0);
        }
        sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, -1, &on);
        assert_int_equal(on, 1);
        assert_int_equal(sqlite3_exec(db->sql, "ATTACH ':memory:' AS m", 0, 0, 0),
                         SQLITE_ERROR);
        ct_db_close(db);
    }
}

/* The schema's checks are checked although its SQL is not trusted. */
static void test_checks(void **state)
{
    struct ct_db *db = opened(in_folder("a.db"));

    (void)state;
    assert_int_equal(
        sqlite3_exec(db->sql, "INSERT INTO problem VALUES (1, printf('%032d', 1), '{')",
                     NULL, NULL, NULL),
        SQLITE_CONSTRAINT_CHECK);
    assert_int_equal(
        sqlite3_exec(db->sql, "INSERT INTO problem VALUES (1, printf('%032d', 1), '{}')",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(number(db, "SELECT json_valid('[1, \"a\"]') + 2 * json_valid('1')"
                                " + 4 * json_valid('') + 8 * json_valid(NULL)"),
                     3);
    assert_int_equal(number(db, "SELECT (json_type('{}') = 'object')"
                                " + 2 * (json_type('[]') = 'object')"),
                     1);
    ct_db_close(db);
}

/* What is JSON is what jansson reads, whether or not it is written plainly. */
static void expect_as_jansson(const char *text, size_t length)
{
    json_t *json = json_loadb(text, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    bool object;

    if (ct_guard_is_json(text, length, &object) != (json != NULL))
        fail_msg("'%s' is JSON, or not", text);
    if (json && object != json_is_object(json))
        fail_msg("'%s' is an object, or not", text);
    json_decref(json);
}

static void test_json(void **state)
{
    static const char *const texts[] = {
        "{\"a\":1,\"b\":\"x y\",\"c\":-0.25e-07}",
        "[{\"work_group_size\":4096,\"local_size\":[16,1,1]},{}]",
        "[[[[[[1]]]]]]",
        "[]",
        "12345678901234567890",
        "-9.5E+3",
        "1e99",
        "",
    };
    static const char letters[] = "{}[],:\"\\0123.e-+a \t";
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 3);
    for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
        for (int i = 0; i < 3000; i++) {
            char text[100];
            size_t length = strlen(texts[t]);

            memcpy(text, texts[t], length + 1);
            for (size_t k = (size_t)i % 4; length && k > 0; k--) {
                size_t at = (size_t)ct_rng_below(&rng, length);
                bool cut = ct_rng_below(&rng, 2);

                if (cut)
                    memmove(text + at, text + at + 1, length-- - at);
                else
                    text[at] = letters[ct_rng_below(&rng, sizeof(letters))];
            }
            expect_as_jansson(text, length);
        }
    }
}

/* --- flipped bits --- */

/* Opens, reads and, where that worked, writes: never more than an error. */
static bool use_file(const char *path, bool change)
{
    const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = -1};
    const struct ct_db_options write = {.mode = CT_DB_WRITE, .busy_ms = -1};
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct cltunedb_answers *answers = NULL;
    struct ct_db *db;
    bool found = false;

    if (ct_db_open(path, &read, &db, NULL) == CT_OK) {
        found = ct_lookup_find(db, &query, &answers, NULL) == CT_OK;
        ct_lookup_free(answers);
        ct_db_close(db);
    }
    if (change && ct_db_open(path, &write, &db, NULL) == CT_OK) {
        const struct ct_db_ceiling ceiling = {
            .device_id = 1, .name = "copy", .unit = "GB/s", .value = 1};

        ct_db_ceiling_put(db, &ceiling, NULL);
        ct_db_close(db);
    }
    return found;
}

/* Each bit of the header, and some of the pages behind it, which hold the schema. */
static void test_flipped_bits(void **state)
{
    struct ct_str good = make_good(in_folder("good.db"));
    const size_t bits = 1600;
    size_t answered = 0;
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 1);
    for (size_t i = 0; i < bits; i++) {
        size_t bit = i < 800 ? i : 800 + (size_t)ct_rng_below(&rng, 5 * 4096 * 8 - 800);

        good.data[bit / 8] ^= (char)(1 << bit % 8);
        write_file(in_folder("a.db"), good.data, good.length);
        /* Writing takes the disk's time: the version, and every fifth. */
        answered += use_file(in_folder("a.db"), bit / 32 == 15 || i % 5 == 0);
        good.data[bit / 8] ^= (char)(1 << bit % 8);
        remove(in_folder("a.db-wal"));
        remove(in_folder("a.db-shm"));
    }
    /* Some say little (a counter, free space), others make it another file. */
    assert_in_range(answered, bits / 10, bits * 9 / 10);
    ct_str_release(&good);
}

/* --- work without end --- */

static void put_be(char *at, size_t bytes, uint64_t value)
{
    for (size_t i = bytes; i-- > 0; value >>= 8)
        at[i] = (char)(value & 0xff);
}

enum { PAGE = 4096, CHILDREN = 120 };

/* An interior page of a table whose children are all the page `child`. */
static void put_interior(char *page, uint32_t child)
{
    memset(page, 0, PAGE);
    page[0] = 5;
    put_be(page + 3, 2, CHILDREN);
    put_be(page + 5, 2, PAGE - 5 * CHILDREN);
    put_be(page + 8, 4, child);
    for (size_t i = 0; i < CHILDREN; i++) {
        char *cell = page + PAGE - 5 * (i + 1);

        put_be(page + 12 + 2 * i, 2, (uint64_t)(cell - page));
        put_be(cell, 4, child);
        cell[4] = (char)i;
    }
}

/* Makes a table a tree in which the same few rows are found 120^6 times over. */
static void plant_bomb(const char *path, const char *table)
{
    enum { LEVELS = 6 };
    struct ct_str file;
    char sql[96];
    struct ct_db *db = opened(path);
    uint32_t root;
    uint32_t pages;
    char *page;

    snprintf(sql, sizeof(sql), "SELECT rootpage FROM sqlite_schema WHERE name = '%s'",
             table);
    root = (uint32_t)number(db, sql);
    ct_db_close(db);
    file = read_file(path);
    pages = (uint32_t)(file.length / PAGE);
    page = calloc(LEVELS + 1, PAGE);
    assert_non_null(page);
    /* The leaf, then the levels above it. */
    memcpy(page, file.data + (size_t)(root - 1) * PAGE, PAGE);
    for (uint32_t i = 1; i <= LEVELS; i++)
        put_interior(page + i * PAGE, pages + i);
    memcpy(file.data + (size_t)(root - 1) * PAGE, page + LEVELS * PAGE, PAGE);
    ct_str_add(&file, page, (LEVELS + 1) * PAGE);
    put_be(file.data + 28, 4, pages + LEVELS + 1);
    write_file(path, file.data, file.length);
    free(page);
    ct_str_release(&file);
}

static void test_bomb(void **state)
{
    const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = 0};
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct cltunedb_answers *answers = NULL;
    struct ct_err err = CT_ERR_INIT;
    struct ct_str good = make_good(in_folder("a.db"));
    struct ct_db *db;

    (void)state;
    ct_str_release(&good);
    plant_bomb(in_folder("a.db"), "device");
    assert_int_equal(ct_db_open(in_folder("a.db"), &read, &db, &err), CT_OK);
    /* By the bytes that are copied, and by the steps. */
    assert_int_equal(ct_lookup_find(db, &query, &answers, &err), CT_E_DB);
    assert_non_null(strstr(err.message, "takes more work"));
    assert_in_range(db->guard.bytes, 64 << 20, 80 << 20);
    ct_guard_enter(db);
    assert_int_equal(sqlite3_exec(db->sql,
                                  "SELECT count(*) FROM device WHERE vendor <> name",
                                  NULL, NULL, NULL),
                     SQLITE_INTERRUPT);
    ct_guard_leave(db);
    /* What asks for little is answered all the same. */
    assert_int_equal(number(db, "SELECT count(*) FROM result"), 4);
    ct_db_close(db);
}

/* A file with a hole is as long as one likes; its length does not buy more work. */
static void test_bomb_with_hole(void **state)
{
    const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = 0};
    struct ct_str good = make_good(in_folder("a.db"));
    struct ct_db *db;

    (void)state;
    ct_str_release(&good);
    plant_bomb(in_folder("a.db"), "device");
    assert_int_equal(truncate(in_folder("a.db"), (off_t)1 << 40), 0);
    assert_int_equal(ct_db_open(in_folder("a.db"), &read, &db, NULL), CT_OK);
    ct_guard_enter(db);
    assert_int_equal(sqlite3_exec(db->sql,
                                  "SELECT count(*) FROM device WHERE vendor <> name",
                                  NULL, NULL, NULL),
                     SQLITE_INTERRUPT);
    ct_guard_leave(db);
    ct_db_close(db);
}

/* Sums over long sound work are allowed: each statement starts anew. */
static void test_long_life(void **state)
{
    struct world w;
    uint64_t calls = 0;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    w.db->guard.calls = UINT64_MAX / 2;
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(put_time(&w, i, 5 + i, NULL), CT_OK);
        calls = w.db->guard.calls > calls ? w.db->guard.calls : calls;
    }
    assert_in_range(calls, 0, 100);
    ct_db_close(w.db);
}

static void test_long_texts(void **state)
{
    const struct ct_db_options read = {.mode = CT_DB_READ, .busy_ms = 0};
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct cltunedb_answers *answers = NULL;
    struct ct_err err = CT_ERR_INIT;
    struct ct_str good = make_good(in_folder("a.db"));
    struct ct_db *db;

    (void)state;
    ct_str_release(&good);
    meddle(in_folder("a.db"),
           "UPDATE device SET vendor = replace(hex(zeroblob(20000000)), '00', 'x')");
    assert_int_equal(ct_db_open(in_folder("a.db"), &read, &db, &err), CT_OK);
    assert_int_equal(ct_lookup_find(db, &query, &answers, &err), CT_E_DB);
    assert_non_null(strstr(err.message, "too long for cltune"));
    ct_db_close(db);
}

/* --- what lies beside the file --- */

/* A merge that cannot begin leaves the limits as they were. */
static void test_limits_after_merge(void **state)
{
    struct ct_db_merged merged;
    const char *path = "missing.db";
    struct ct_db *db;

    (void)state;
    db = opened(in_folder("a.db"));
    assert_int_equal(ct_db_begin(db, NULL), CT_OK);
    assert_int_equal(ct_db_merge(db, &path, 1, NULL, &merged, NULL), CT_E_INTERNAL);
    assert_false(db->guard.unlimited);
    ct_db_rollback(db);
    ct_db_close(db);
}

/* Giving room back to the disk needs no memory for all that stays. */
static void test_memory_of_pruning(void **state)
{
    const struct ct_db_pruning old = {.before_unix_s = 2};
    const sqlite3_int64 megabyte = 1 << 20;
    struct ct_db_pruned pruned;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    for (unsigned i = 0; i < 3000; i++)
        assert_int_equal(put_time(&w, i, 5 + i, NULL), CT_OK);
    ct_db_close(w.db);
    meddle(in_folder("a.db"), "UPDATE result SET log = hex(zeroblob(5000));"
                              "UPDATE result SET measured_unix_s = 1 WHERE id = 7");
    w.db = opened(in_folder("a.db"));
    sqlite3_memory_highwater(1);
    assert_int_equal(ct_db_prune(w.db, &old, &pruned, NULL), CT_OK);
    assert_int_equal(pruned.results, 1);
    assert_in_range(sqlite3_memory_highwater(0), 1, 15 * megabyte);
    assert_int_equal(number(w.db, "PRAGMA freelist_count"), 0);
    assert_int_equal(number(w.db, "PRAGMA temp_store"), 2);
    ct_db_close(w.db);
}

static void test_journals(void **state)
{
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9,
                                           0x20, 0xa1, 0x63, 0xd7};
    struct ct_str good = make_good(in_folder("a.db"));
    struct ct_str journal;

    (void)state;
    /* Such a one makes SQLite delete the file that it names. */
    ct_str_init(&journal);
    ct_str_add(&journal, (const char *)magic, sizeof(magic));
    ct_str_add(&journal, good.data, 2000);
    ct_str_add(&journal, "a name", 6);
    ct_str_add(&journal, (const char *)magic, sizeof(magic));
    write_file(in_folder("a.db-journal"), journal.data, journal.length);
    refused(in_folder("a.db"), CT_DB_WRITE, CT_E_DB, "names another file");
    refused(in_folder("a.db"), CT_DB_READ, CT_E_DB, "names another file");
    /* SQLite looks beside what a link leads to. */
    assert_int_equal(symlink("a.db", in_folder("link.db")), 0);
    refused(in_folder("link.db"), CT_DB_WRITE, CT_E_DB, "names another file");
    refused(in_folder("link.db"), CT_DB_READ, CT_E_DB, "names another file");
    assert_int_equal(remove(in_folder("link.db")), 0);
    assert_int_equal(remove(in_folder("a.db-journal")), 0);
    assert_int_equal(symlink("elsewhere", in_folder("a.db-wal")), 0);
    refused(in_folder("a.db"), CT_DB_WRITE, CT_E_DB, "is not a regular file");
    assert_int_equal(remove(in_folder("a.db-wal")), 0);
    if (geteuid() == 0) {
        write_file(in_folder("a.db-wal"), "", 0);
        assert_int_equal(chown(in_folder("a.db-wal"), 65534, 65534), 0);
        refused(in_folder("a.db"), CT_DB_WRITE, CT_E_DB, "belongs to another user");
        /* One who may write to the database itself may keep its log. */
        assert_int_equal(chmod(in_folder("a.db"), 0666), 0);
        ct_db_close(opened(in_folder("a.db")));
    }
    ct_db_close(opened(in_folder("a.db")));
    ct_str_release(&journal);
    ct_str_release(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_objects_are_current),
        STORE_TEST(test_versions),
        STORE_TEST(test_foreign_schemas),
        STORE_TEST(test_own_schemas),
        STORE_TEST(test_connection),
        STORE_TEST(test_checks),
        cmocka_unit_test(test_json),
        STORE_TEST(test_flipped_bits),
        STORE_TEST(test_bomb),
        STORE_TEST(test_bomb_with_hole),
        STORE_TEST(test_long_life),
        STORE_TEST(test_long_texts),
        STORE_TEST(test_journals),
        STORE_TEST(test_limits_after_merge),
        STORE_TEST(test_memory_of_pruning),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
