// SPDX-License-Identifier: Apache-2.0
// The public look-up interface: cltunedb.h over the store.
#include "db/cltunedb.h"

#include "base/file.h"
#include "db/layers.h"
#include "db/lookup.h"
#include "db/plain_locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct cltunedb {
    struct ct_layers layers;
};

int cltunedb_version(void)
{
    return CLTUNEDB_VERSION_MAJOR * 10000 + CLTUNEDB_VERSION_MINOR * 100 +
           CLTUNEDB_VERSION_RELEASE;
}

cltunedb_status ct_lookup_outcome(enum ct_status status, const struct ct_err *err,
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
    struct ct_err err = CT_ERR_INIT;
    struct ct_plain_locale plain;
    cltunedb *handle;
    enum ct_status status;

    if (!out)
        return CLTUNEDB_E_ARGUMENT;
    *out = NULL;
    plain = ct_plain_locale_begin();
    handle = ct_mem_array(1, sizeof(*handle));
    status = handle ? ct_layers_open(&handle->layers, path, &err) : ct_err_nomem(&err);
    ct_plain_locale_end(&plain);
    if (status == CT_OK)
        *out = handle;
    else
        cltunedb_close(handle);
    return ct_lookup_outcome(status, &err, message, message_bytes);
}

void cltunedb_close(cltunedb *db)
{
    if (!db)
        return;
    ct_layers_close(&db->layers);
    free(db);
}

size_t cltunedb_layer_count(const cltunedb *db)
{
    return db ? db->layers.count : 0;
}

const char *cltunedb_layer_path(const cltunedb *db, size_t index)
{
    return index < cltunedb_layer_count(db) ? db->layers.items[index].path : NULL;
}

const char *cltunedb_layer_fault(const cltunedb *db, size_t index)
{
    const struct ct_layer *layer;

    if (index >= cltunedb_layer_count(db))
        return NULL;
    layer = &db->layers.items[index];
    return layer->db || (!index && layer->why.code == CT_E_NOT_FOUND)
               ? ""
               : layer->why.message;
}

cltunedb_status cltunedb_find(cltunedb *db, const cltunedb_query *query,
                              cltunedb_answers **answers, char *message,
                              size_t message_bytes)
{
    struct ct_plain_locale plain = ct_plain_locale_begin();
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;

    if (answers)
        *answers = NULL;
    if (!db || !query || !answers)
        status = ct_err_set(&err, CT_E_USAGE,
                            "the database, the query or the answers argument is NULL");
    else
        status = ct_layers_find(&db->layers, query, answers, &err);
    ct_plain_locale_end(&plain);
    return ct_lookup_outcome(status, &err, message, message_bytes);
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

int cltunedb_stale(const cltunedb_answer *answer)
{
    struct ct_hash now;
    struct stat info;
    int reasons = 0;

    if (!answer)
        return 0;
    if (answer->outdated)
        reasons |= CLTUNEDB_STALE_SOURCE;
    if (answer->evidence == CLTUNEDB_SAME_DEVICE)
        reasons |= CLTUNEDB_STALE_DRIVER;
    if (!answer->layer_number && *answer->space_file && *answer->space_hash &&
        /* The name may be a merged file's: opening a pipe or a device is noticed. */
        stat(answer->space_file, &info) == 0 && S_ISREG(info.st_mode) &&
        ct_file_hash_of(answer->space_file, CT_FILE_SPACE_MAX, &now) == 0 &&
        strcmp(now.text, answer->space_hash) != 0)
        reasons |= CLTUNEDB_STALE_SPACE;
    return reasons;
}
