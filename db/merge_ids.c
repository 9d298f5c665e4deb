// SPDX-License-Identifier: Apache-2.0
// Which identities copied rows have in the target.
#include "db/merge.h"

enum ct_status ct_merge_ids_add(struct ct_merge_ids *ids, int64_t from, int64_t to,
                                struct ct_err *err)
{
    if (!ct_mem_grow(&ids->items, &ids->capacity, ids->count + 1, sizeof(*ids->items)))
        return ct_err_nomem(err);
    ids->items[ids->count].from = from;
    ids->items[ids->count++].to = to;
    return CT_OK;
}

const struct ct_merge_id *ct_merge_ids_find(const struct ct_merge_ids *ids, int64_t from)
{
    size_t low = 0;
    size_t high = ids->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ids->items[middle].from == from)
            return &ids->items[middle];
        if (ids->items[middle].from < from)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int64_t ct_merge_id_of(const struct ct_merge_ids *ids, int64_t from)
{
    const struct ct_merge_id *id = ct_merge_ids_find(ids, from);

    return id ? id->to : 0;
}
