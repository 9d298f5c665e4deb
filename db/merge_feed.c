// SPDX-License-Identifier: Apache-2.0
// A virtual table of SQLite whose rows come from a callback.
#include "db/merge_feed.h"

#include "db/adhoc.h"

#include <stdlib.h>

enum { COLUMNS = 64 };

struct feed_table {
    sqlite3_vtab base;
    const struct ct_merge_feed *feed;
};

struct feed_cursor {
    sqlite3_vtab_cursor base;
    const struct ct_merge_feed *feed;
    bool more;
};

static int connect_table(sqlite3 *sql, void *user, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message)
{
    struct feed_table *table = ct_mem_array(1, sizeof(*table));
    struct ct_str text;
    int rc = SQLITE_NOMEM;

    (void)argc;
    (void)argv;
    (void)message;
    ct_str_init(&text);
    ct_str_puts(&text, "CREATE TABLE x (");
    for (int i = 0; i < COLUMNS; i++)
        ct_str_addf(&text, "%sc%d", i ? "," : "", i);
    ct_str_putc(&text, ')');
    if (table && !text.failed)
        rc = sqlite3_declare_vtab(sql, text.data);
    ct_str_release(&text);
    if (rc != SQLITE_OK) {
        free(table);
        return rc;
    }
    table->feed = user;
    *out = &table->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

static int choose_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 1e6;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct feed_cursor *cursor = ct_mem_array(1, sizeof(*cursor));

    if (!cursor)
        return SQLITE_NOMEM;
    cursor->feed = ((struct feed_table *)table)->feed;
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    free(cursor);
    return SQLITE_OK;
}

static int step_cursor(sqlite3_vtab_cursor *base)
{
    struct feed_cursor *cursor = (struct feed_cursor *)base;

    cursor->more = cursor->feed->next(cursor->feed->user);
    return SQLITE_OK;
}

static int filter_rows(sqlite3_vtab_cursor *cursor, int plan, const char *name, int argc,
                       sqlite3_value **argv)
{
    (void)plan;
    (void)name;
    (void)argc;
    (void)argv;
    return step_cursor(cursor);
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
    return !((struct feed_cursor *)cursor)->more;
}

static int answer_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
    struct feed_cursor *cursor = (struct feed_cursor *)base;

    cursor->feed->value(cursor->feed->user, to, column);
    return SQLITE_OK;
}

static int answer_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    (void)cursor;
    *out = 0;
    return SQLITE_OK;
}

/* Without xCreate: a table that is there without being created. */
static const sqlite3_module feed_module = {
    .xConnect = connect_table,
    .xBestIndex = choose_plan,
    .xDisconnect = disconnect_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter_rows,
    .xNext = step_cursor,
    .xEof = at_end,
    .xColumn = answer_column,
    .xRowid = answer_rowid,
};

enum ct_status ct_merge_feed_run(struct ct_db *db, const char *sql,
                                 const struct ct_merge_feed *feed, struct ct_err *err)
{
    enum ct_status status;
    int rc = sqlite3_create_module(db->sql, "feed", &feed_module, (void *)feed);

    if (rc != SQLITE_OK)
        return ct_db_fail(db, rc, err);
    status = ct_adhoc_run(db, sql, err);
    sqlite3_create_module(db->sql, "feed", NULL, NULL);
    return status;
}

void ct_merge_feed_copy(sqlite3_context *to, sqlite3_stmt *from, int column)
{
    /* Each function of a statement's column checks the statement; those of a value do not. */
    sqlite3_value *value = sqlite3_column_value(from, column);
    const void *bytes;

    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        sqlite3_result_int64(to, sqlite3_value_int64(value));
        break;
    case SQLITE_FLOAT:
        sqlite3_result_double(to, sqlite3_value_double(value));
        break;
    case SQLITE_TEXT:
        sqlite3_result_text(to, (const char *)sqlite3_value_text(value),
                            sqlite3_value_bytes(value), SQLITE_STATIC);
        break;
    case SQLITE_BLOB:
        /* SQLite names no place for an empty one, and would answer NULL for that. */
        bytes = sqlite3_value_blob(value);
        sqlite3_result_blob(to, bytes ? bytes : "", sqlite3_value_bytes(value),
                            SQLITE_STATIC);
        break;
    default:
        break;
    }
}
