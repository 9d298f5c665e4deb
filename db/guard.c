// SPDX-License-Identifier: Apache-2.0
// Limits what an untrusted database file can do.
#define _DEFAULT_SOURCE // realpath
#include "db/internal.h"

#include "db/migrations.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    STEPS = 200,             /* of SQLite's machine between two calls of the handler */
    BASE_CALLS = 100000,     /* 20 million steps: a second or so */
    STEPS_PER_BYTE = 4,      /* of the file: a million results need about two */
    LENGTH_BYTES = 16 << 20, /* of a text, a blob or a row */
    BASE_BYTES = 64 << 20,   /* of all texts that one query copies */
    COPIES = 8,              /* of the file's bytes, above that */
    SQL_BYTES = 64 << 10,    /* of a statement, including those in the file */
    OPENING_SECONDS = 10,    /* of the processor, until the schema is verified */
};

/* --- work --- */

static uint64_t cpu_ns(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Blocks rather than the length: a sparse file can have any length. */
static uint64_t bytes_on_disk(const char *path)
{
    struct stat info;
    uint64_t blocks;

    if (stat(path, &info) != 0 || info.st_size < 0 || info.st_blocks < 0)
        return 0;
    blocks = (uint64_t)info.st_blocks * 512;
    return blocks < (uint64_t)info.st_size ? blocks : (uint64_t)info.st_size;
}

static uint64_t file_bytes(struct ct_db *db)
{
    struct ct_str log;

    if (db->guard.file_bytes)
        return db->guard.file_bytes;
    ct_str_init(&log);
    ct_str_addf(&log, "%s-wal", db->path);
    db->guard.file_bytes = bytes_on_disk(db->path);
    if (!log.failed)
        db->guard.file_bytes += bytes_on_disk(log.data);
    ct_str_release(&log);
    return db->guard.file_bytes;
}

/* Called by SQLite every STEPS steps; a value other than 0 ends the statement. */
static int watch(void *user)
{
    struct ct_db *db = user;
    struct ct_db_guard *guard = &db->guard;

    if (guard->unlimited)
        return 0;
    guard->calls++;
    if (!guard->verified && cpu_ns() - guard->cpu_ns > OPENING_SECONDS * 1000000000ULL)
        guard->exceeded = true;
    if (guard->calls > BASE_CALLS &&
        guard->calls - BASE_CALLS > file_bytes(db) / STEPS * STEPS_PER_BYTE)
        guard->exceeded = true;
    /* What SQLite sorts is in memory (temp_store). */
    if (guard->calls % 64 == 0 && sqlite3_memory_used() > 8 * BASE_BYTES &&
        (uint64_t)sqlite3_memory_used() > 8 * BASE_BYTES + COPIES * file_bytes(db))
        guard->exceeded = true;
    return guard->exceeded;
}

void ct_guard_enter(struct ct_db *db)
{
    if (db->guard.depth++ > 0)
        return;
    db->guard.calls = 0;
    db->guard.bytes = 0;
    db->guard.file_bytes = 0;
    db->guard.exceeded = false;
}

void ct_guard_leave(struct ct_db *db)
{
    db->guard.depth--;
}

bool ct_guard_take(struct ct_db *db, size_t length)
{
    struct ct_db_guard *guard = &db->guard;

    guard->bytes += length;
    if (guard->bytes > BASE_BYTES && guard->bytes - BASE_BYTES > COPIES * file_bytes(db))
        guard->exceeded = true;
    return !guard->exceeded;
}

/* --- the connection --- */

/* The functions that the schema's own checks use.  SQLite 3.40 considers its own unsafe in an
 * untrusted schema, and all files' are untrusted. */
static json_t *parse_json(const char *text, size_t length)
{
    return text ? json_loadb(text, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL) : NULL;
}

/* The position after a name or text that needs no escapes, or NULL. */
static const char *skip_plain_text(const char *at)
{
    if (*at != '"')
        return NULL;
    for (at++; *at != '"'; at++)
        if (*at < ' ' || *at > '~' || *at == '\\')
            return NULL;
    return at + 1;
}

static const char *skip_digits(const char *at)
{
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

/* The position after a number that surely fits, or NULL. */
static const char *skip_plain_number(const char *at)
{
    const char *start = at + (*at == '-');
    const char *end = skip_digits(start);

    if (end == start || end - start > 18 || (end - start > 1 && *start == '0'))
        return NULL;
    if (*end == '.') {
        start = end + 1;
        end = skip_digits(start);
        if (end == start)
            return NULL;
    }
    if (*end == 'e') {
        start = end + 1;
        start += *start == '-' || *start == '+';
        end = skip_digits(start);
        if (end == start || end - start > 2)
            return NULL;
    }
    return end;
}

enum { PLAIN_DEPTH = 4 };

/* The position after a value of numbers, plain texts, objects and arrays without blanks, or NULL. */
static const char *skip_plain_value(const char *at, int depth)
{
    char end = *at == '{' ? '}' : ']';

    if (*at == '"')
        return skip_plain_text(at);
    if (*at != '{' && *at != '[')
        return skip_plain_number(at);
    if (at[1] == end)
        return at + 2;
    while (depth < PLAIN_DEPTH) {
        at++;
        if (end == '}') {
            at = skip_plain_text(at);
            if (!at || *at++ != ':')
                return NULL;
        }
        at = skip_plain_value(at, depth + 1);
        if (!at || *at != ',')
            return at && *at == end ? at + 1 : NULL;
    }
    return NULL;
}

/* Whether the text is such a value, as nearly all that cltune writes is: that is seen in a fraction of
 * the time that parsing takes.  False: it may be JSON all the same. */
static bool is_plain_json(const char *text, size_t length)
{
    return text && skip_plain_value(text, 0) == text + length;
}

bool ct_guard_is_json(const char *text, size_t length, bool *object)
{
    json_t *json;

    *object = text && *text == '{';
    if (is_plain_json(text, length))
        return true;
    json = parse_json(text, length);
    *object = json_is_object(json);
    json_decref(json);
    return json != NULL;
}

static bool is_json(sqlite3_value *value, bool *object)
{
    const char *text = (const char *)sqlite3_value_text(value);

    return ct_guard_is_json(text, (size_t)sqlite3_value_bytes(value), object);
}

static void check_json(sqlite3_context *context, int count, sqlite3_value **values)
{
    bool object;

    (void)count;
    sqlite3_result_int(context, is_json(values[0], &object));
}

/* The schema only needs objects. */
static void name_json_kind(sqlite3_context *context, int count, sqlite3_value **values)
{
    bool object;

    (void)count;
    is_json(values[0], &object);
    sqlite3_result_text(context, object ? "object" : "other", -1, SQLITE_STATIC);
}

static int add_functions(sqlite3 *sql)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = sqlite3_create_function(sql, "json_valid", 1, flags, NULL, check_json, NULL,
                                     NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_create_function(sql, "json_type", 1, flags, NULL, name_json_kind,
                                     NULL, NULL);
    return rc;
}

int ct_guard_connection(struct ct_db *db)
{
    static const struct {
        int what;
        int most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, LENGTH_BYTES}, {SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES},
        {SQLITE_LIMIT_COLUMN, 200},          {SQLITE_LIMIT_EXPR_DEPTH, 100},
        {SQLITE_LIMIT_COMPOUND_SELECT, 10},  {SQLITE_LIMIT_VDBE_OP, 100000},
        {SQLITE_LIMIT_FUNCTION_ARG, 16},     {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 10}, /* deleting a referenced row counts */
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    int rc;

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        sqlite3_limit(db->sql, limits[i].what, limits[i].most);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    db->guard = (struct ct_db_guard){.cpu_ns = cpu_ns()};
    sqlite3_progress_handler(db->sql, STEPS, watch, db);
    rc = add_functions(db->sql);
    if (rc != SQLITE_OK)
        return rc;
    return sqlite3_exec(db->sql,
                        "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY", NULL,
                        NULL, NULL);
}

/* --- the schema --- */

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_' || ((unsigned char)c & 0x80);
}

/* The position after the blanks and comments at `s`. */
static const char *skip_blanks(const char *s)
{
    for (;;) {
        if (*s && strchr(" \t\r\n\f", *s)) {
            s++;
        } else if (s[0] == '-' && s[1] == '-') {
            s += strcspn(s, "\n");
        } else if (s[0] == '/' && s[1] == '*') {
            const char *end = strstr(s + 2, "*/");

            s = end ? end + 2 : s + strlen(s);
        } else {
            return s;
        }
    }
}

/* The position after the quoted text at `s`. */
static const char *skip_quoted(const char *s)
{
    const char quote = *s++;

    for (; *s; s++) {
        if (*s != quote)
            continue;
        if (s[1] != quote)
            return s + 1;
        s++;
    }
    return s;
}

/* Appends SQL without blanks, comments and unnecessary quotes. */
static void put_plain(struct ct_str *out, const char *sql)
{
    bool after_word = false;

    for (const char *s = skip_blanks(sql); *s; s = skip_blanks(s)) {
        const char *end = s + 1;
        bool word = is_word(*s);

        if (word)
            while (is_word(*end))
                end++;
        else if (*s == '\'' || *s == '"')
            end = skip_quoted(s);
        if (*s == '"' && end - s > 2) {
            size_t length = 0;

            while (is_word(s[1 + length]))
                length++;
            word = s + 1 + length == end - 1;
        }
        if (word && after_word)
            ct_str_putc(out, ' ');
        if (word && *s == '"')
            ct_str_add(out, s + 1, (size_t)(end - s) - 2);
        else
            ct_str_add(out, s, (size_t)(end - s));
        after_word = word;
        s = end;
    }
}

/* One side of the comparison: objects in order. */
struct side {
    sqlite3_stmt *stmt;
    bool more;
};

static const char *column_text(const struct side *side, int column)
{
    const char *text = (const char *)sqlite3_column_text(side->stmt, column);

    return text ? text : "";
}

static int step_side(struct side *side)
{
    int rc = sqlite3_step(side->stmt);

    side->more = rc == SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* ANALYZE, which anyone may run, keeps statistics in its own tables. */
static int begin_side(struct side *side, sqlite3 *sql)
{
    int rc = sqlite3_prepare_v2(sql,
                                "SELECT type, name, tbl_name, sql FROM sqlite_schema"
                                " WHERE NOT (type = 'table' AND name IN"
                                " ('sqlite_stat1', 'sqlite_stat4')) ORDER BY type, name",
                                -1, &side->stmt, NULL);

    return rc == SQLITE_OK ? step_side(side) : rc;
}

static bool same_object(const struct side *a, const struct side *b)
{
    struct ct_str left;
    struct ct_str right;
    bool same;

    ct_str_init(&left);
    ct_str_init(&right);
    put_plain(&left, column_text(a, 3));
    put_plain(&right, column_text(b, 3));
    same = strcmp(column_text(a, 2), column_text(b, 2)) == 0 && !left.failed &&
           !right.failed && strcmp(left.data, right.data) == 0;
    ct_str_release(&left);
    ct_str_release(&right);
    return same;
}

static enum ct_status fail_schema(const struct ct_db *db, int version,
                                  const struct side *side, const char *what,
                                  struct ct_err *err)
{
    return ct_err_set(
        err, CT_E_DB,
        "%s does not have the tables of cltune's schema %d (%.10s %.80s %s): "
        "it is damaged or was changed by another program; restore a copy, or "
        "use --db to choose another file",
        db->path, version, column_text(side, 0), column_text(side, 1), what);
}

/* Compares both step by step; `*rc` is SQLite's code for the file. */
static enum ct_status compare_sides(const struct ct_db *db, int version,
                                    struct side *file, struct side *ours, int *rc,
                                    struct ct_err *err)
{
    while (*rc == SQLITE_OK && (file->more || ours->more)) {
        int order =
            file->more
                ? ours->more ? strcmp(column_text(file, 0), column_text(ours, 0)) : -1
                : 1;

        if (file->more && ours->more && !order)
            order = strcmp(column_text(file, 1), column_text(ours, 1));
        if (order < 0)
            return fail_schema(db, version, file, "is not cltune's", err);
        if (order > 0)
            return fail_schema(db, version, ours, "is missing", err);
        if (!same_object(file, ours))
            return fail_schema(db, version, file, "differs", err);
        *rc = step_side(file);
        step_side(ours);
    }
    return CT_OK;
}

/* Whether the file's objects are byte for byte those of the newest schema: building a model to
 * compare with takes longer than the usual query. */
static int is_newest(struct ct_db *db, bool *same)
{
    const char *expected = ct_schema_objects[0];
    struct side file = {0};
    struct ct_str text;
    int rc = begin_side(&file, db->sql);

    ct_str_init(&text);
    while (rc == SQLITE_OK && file.more && text.length <= strlen(expected)) {
        ct_str_addf(&text, "%s|%s|%s|%s\n", column_text(&file, 0), column_text(&file, 1),
                    column_text(&file, 2), column_text(&file, 3));
        rc = step_side(&file);
    }
    *same = rc == SQLITE_OK && !text.failed && strcmp(text.data, expected) == 0;
    ct_str_release(&text);
    sqlite3_finalize(file.stmt);
    return rc;
}

/* Compares with the result of the migrations. */
static enum ct_status compare_with_model(struct ct_db *db, int version,
                                         struct ct_err *err)
{
    struct side file = {0};
    struct side ours = {0};
    sqlite3 *model = NULL;
    enum ct_status status;
    int rc = sqlite3_open_v2(":memory:", &model,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

    for (int i = 0; i < version && rc == SQLITE_OK; i++)
        rc = sqlite3_exec(model, ct_migrations[i], NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = begin_side(&ours, model);
    if (rc == SQLITE_OK) {
        rc = begin_side(&file, db->sql);
        status = compare_sides(db, version, &file, &ours, &rc, err);
        if (rc != SQLITE_OK)
            status = ct_db_fail(db, rc, err);
    } else {
        status = ct_err_set(err, rc == SQLITE_NOMEM ? CT_E_NOMEM : CT_E_INTERNAL,
                            "cannot build the schema of %s in memory: %s", db->path,
                            sqlite3_errstr(rc));
    }
    sqlite3_finalize(file.stmt);
    sqlite3_finalize(ours.stmt);
    sqlite3_close(model);
    return status;
}

enum ct_status ct_guard_schema(struct ct_db *db, int version, struct ct_err *err)
{
    bool same = false;
    enum ct_status status = CT_OK;

    if (version == ct_migrations_count) {
        int rc = is_newest(db, &same);

        if (rc != SQLITE_OK)
            return ct_db_fail(db, rc, err);
    }
    if (!same)
        status = compare_with_model(db, version, err);
    db->guard.verified = status == CT_OK;
    return status;
}

/* --- files beside the database --- */

/* Whether a rollback journal ends with the name of a further file, like those of transactions
 * over several databases. */
static bool names_another(const char *path)
{
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9,
                                           0x20, 0xa1, 0x63, 0xd7};
    unsigned char end[8];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat info;
    bool found = false;

    if (file < 0)
        return false;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= 16 &&
        pread(file, end, sizeof(end), info.st_size - 8) == 8)
        found = memcmp(end, magic, sizeof(magic)) == 0;
    close(file);
    return found;
}

enum ct_status ct_guard_beside(const char *path, struct ct_err *err)
{
    static const char *const ends[] = {"-journal", "-wal", "-shm"};
    struct ct_str name;
    struct stat own;
    struct stat info;
    enum ct_status status = CT_OK;
    bool there = stat(path, &own) == 0;
    /* SQLite follows links, and its logs lie beside what they lead to. */
    char *whole = realpath(path, NULL);

    ct_str_init(&name);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && status == CT_OK; i++) {
        const char *why = NULL;

        ct_str_reset(&name);
        ct_str_addf(&name, "%s%s", whole ? whole : path, ends[i]);
        if (name.failed) {
            status = ct_err_nomem(err);
            break;
        }
        if (lstat(name.data, &info) != 0)
            continue;
        if (!S_ISREG(info.st_mode))
            why = "is not a regular file";
        /* A user who may write to the database itself needs no log. */
        else if (info.st_uid != geteuid() && info.st_uid != 0 &&
                 !(there && (info.st_uid == own.st_uid || own.st_mode & 022)))
            why = "belongs to another user";
        else if (i == 0 && names_another(name.data))
            why = "names another file, which SQLite would delete";
        if (why)
            status = ct_err_set(
                err, CT_E_DB,
                "%s, which SQLite would read as the database's log, %s: remove it, or "
                "use --db to choose another database",
                name.data, why);
    }
    free(whole);
    ct_str_release(&name);
    return status;
}
