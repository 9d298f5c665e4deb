// SPDX-License-Identifier: Apache-2.0
// Names in the database.
#include "cli/complete_stored.h"

#include "db/store.h"

#include <string.h>

/* Names with line feeds are nothing to complete. */
static void add_once(struct ct_str *names, const char *name)
{
    struct ct_str line;

    if (!*name || strchr(name, '\n'))
        return;
    ct_str_init(&line);
    ct_str_addf(&line, "\n%s\n", name);
    if (!strstr(names->data, line.data))
        ct_str_puts(names, line.data + 1);
    ct_str_release(&line);
}

void ct_complete_stored(const char *path, bool devices, struct ct_str *out)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct ct_db_record *records = NULL;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = NULL;
    struct ct_str names;
    size_t count = 0;

    ct_str_init(&names);
    /* So that the first name is found between line feeds like all others. */
    ct_str_putc(&names, '\n');
    if (!ct_db_open(path, &reading, &db, &err) &&
        !ct_db_records(db, &query, &arena, &records, &count, &err))
        for (size_t i = 0; i < count; i++)
            add_once(&names, devices ? records[i].of.device_name : records[i].of.kernel);
    ct_str_puts(out, names.data + 1);
    ct_str_release(&names);
    ct_db_close(db);
    ct_arena_release(&arena);
}
