// SPDX-License-Identifier: Apache-2.0
// The public look-up interface: cltunedb.h over the store.
#include "db/cltunedb.h"

#include "db/lookup.h"

#include <stdio.h>
#include <stdlib.h>

struct cltunedb {
    struct ct_db *db;
};

int cltunedb_version(void)
{
    return CLTUNEDB_VERSION_MAJOR * 10000 + CLTUNEDB_VERSION_MINOR * 100 +
           CLTUNEDB_VERSION_RELEASE;
}

static cltunedb_status report_status(enum ct_status status, const struct ct_err *err,
                                     char *message, size_t message_bytes)
{
    if (status == CT_OK)
        return CLTUNEDB_OK;
    if (message && message_bytes)
        snprintf(message, message_bytes, "%s", err->message);
    switch (status) {
    case CT_E_NOT_FOUND:
        return CLTUNEDB_E_NOT_FOUND;
    case CT_E_USAGE:
        return CLTUNEDB_E_ARGUMENT;
    case CT_E_NOMEM:
        return CLTUNEDB_E_MEMORY;
    default:
        return CLTUNEDB_E_DATABASE;
    }
}

cltunedb_status cltunedb_open(const char *path, cltunedb **out, char *message,
                              size_t message_bytes)
{
    const struct ct_db_options options = {.mode = CT_DB_READ};
    struct ct_err err = CT_ERR_INIT;
    cltunedb *handle;
    enum ct_status status;

    if (!out)
        return CLTUNEDB_E_ARGUMENT;
    *out = NULL;
    handle = ct_mem_array(1, sizeof(*handle));
    status = handle ? ct_db_open(path, &options, &handle->db, &err) : ct_err_nomem(&err);
    if (status == CT_OK)
        *out = handle;
    else
        free(handle);
    return report_status(status, &err, message, message_bytes);
}

void cltunedb_close(cltunedb *db)
{
    if (!db)
        return;
    ct_db_close(db->db);
    free(db);
}

cltunedb_status cltunedb_find(cltunedb *db, const cltunedb_query *query,
                              cltunedb_answers **answers, char *message,
                              size_t message_bytes)
{
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;

    if (!db || !query || !answers)
        status = ct_err_set(&err, CT_E_USAGE,
                            "the database, the query or the answers argument is NULL");
    else
        status = ct_lookup_find(db->db, query, answers, &err);
    return report_status(status, &err, message, message_bytes);
}

size_t cltunedb_answer_count(const cltunedb_answers *answers)
{
    return answers ? answers->count : 0;
}

const cltunedb_answer *cltunedb_answer_at(const cltunedb_answers *answers, size_t index)
{
    return index < cltunedb_answer_count(answers) ? &answers->items[index] : NULL;
}

void cltunedb_free(cltunedb_answers *answers)
{
    ct_lookup_free(answers);
}

const char *cltunedb_evidence_text(cltunedb_evidence evidence)
{
    switch (evidence) {
    case CLTUNEDB_SAME_DRIVER:
        return "same device and driver";
    case CLTUNEDB_SAME_DEVICE:
        return "same device, other driver";
    case CLTUNEDB_SAME_ARCHITECTURE:
        return "same architecture";
    case CLTUNEDB_SAME_VENDOR:
        return "same vendor and type";
    case CLTUNEDB_SAME_TYPE:
        return "same type";
    case CLTUNEDB_ANY_DEVICE:
        break;
    }
    return "any device";
}
