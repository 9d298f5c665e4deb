// SPDX-License-Identifier: Apache-2.0
// Results of other recorded spaces, for strategies that learn from them.
#include "replay/sources.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum ct_status ct_replay_sources_add(struct ct_replay_sources *sources, const char *path,
                                     struct ct_err *err)
{
    struct ct_recorded_list *file;

    if (!ct_mem_grow(&sources->files, &sources->capacity, sources->count + 1,
                     sizeof(*sources->files)))
        return ct_err_nomem(err);
    file = &sources->files[sources->count++];
    memset(file, 0, sizeof(*file));
    return ct_recorded_list_add(file, path, err);
}

/* Results of one source. */
struct one_source {
    struct ct_replay_transfer *items;
    size_t count;
};

/* Inserts a source by the number of its results, the most first and equals in the order given,
 * and drops the last if there are too many. */
static void insert(struct one_source *best, size_t *count, struct one_source source)
{
    size_t at = *count;

    if (at == CT_REPLAY_SOURCES) {
        if (best[at - 1].count >= source.count) {
            free(source.items);
            return;
        }
        free(best[--at].items);
    } else {
        ++*count;
    }
    for (; at > 0 && best[at - 1].count < source.count; at--)
        best[at] = best[at - 1];
    best[at] = source;
}

/* Adds the spaces of one file.  A database has other kernels as well, and maybe the space itself:
 * they are passed over, but without any match a file is a mistake, and a database has nothing. */
static enum ct_status add_file(const struct ct_recorded *recorded,
                               const struct ct_recorded_list *file,
                               struct one_source *best, size_t *count, struct ct_err *err)
{
    struct ct_err why = CT_ERR_INIT;
    bool matched = false;

    for (size_t i = 0; i < file->count; i++) {
        struct one_source source = {NULL, 0};
        enum ct_status status;

        if (file->database && strcmp(file->items[i]->name, recorded->name) == 0) {
            matched = true;
            continue;
        }
        why = (struct ct_err)CT_ERR_INIT;
        status = ct_replay_transfers(recorded, file->items[i], &source.items,
                                     &source.count, &why);
        if (status && status != CT_E_USAGE && status != CT_E_NOT_FOUND) {
            *err = why;
            return status;
        }
        if (status)
            continue;
        matched = true;
        insert(best, count, source);
    }
    if (matched)
        return CT_OK;
    *err = why;
    return why.code;
}

enum ct_status ct_replay_sources_collect(const struct ct_replay_sources *sources,
                                         const struct ct_recorded *recorded,
                                         struct ct_replay_transfer **out, size_t *count,
                                         struct ct_err *err)
{
    struct one_source best[CT_REPLAY_SOURCES];
    size_t used = 0;
    size_t total = 0;
    enum ct_status status = CT_OK;

    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < sources->count && !status; i++)
        status = add_file(recorded, &sources->files[i], best, &used, err);
    for (size_t s = 0; s < used; s++)
        total += best[s].count;
    if (!status && total) {
        *out = ct_mem_array(total, sizeof(**out));
        if (!*out)
            status = ct_err_nomem(err);
    }
    for (size_t s = 0; s < used; s++) {
        for (size_t i = 0; *out && i < best[s].count; i++) {
            (*out)[*count] = best[s].items[i];
            (*out)[(*count)++].source = (unsigned)s;
        }
        free(best[s].items);
    }
    return status;
}

void ct_replay_sources_release(struct ct_replay_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        ct_recorded_list_release(&sources->files[i]);
    free(sources->files);
    memset(sources, 0, sizeof(*sources));
}
