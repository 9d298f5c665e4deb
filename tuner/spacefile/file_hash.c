// SPDX-License-Identifier: Apache-2.0
// Reads files to hash them.
#include "spacefile/file_hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int ct_file_hashes_get(struct ct_file_hashes *hashes, const char *path,
                       uint64_t limit_bytes, struct ct_hash *out)
{
    struct ct_file_hash *item;
    int error;

    for (size_t i = 0; i < hashes->count; i++)
        if (strcmp(hashes->items[i].path, path) == 0) {
            *out = hashes->items[i].hash;
            return 0;
        }
    error = ct_file_hash_of(path, limit_bytes, out);
    if (error)
        return error;
    if (!ct_mem_grow(&hashes->items, &hashes->capacity, hashes->count + 1,
                     sizeof(*hashes->items)))
        return ENOMEM;
    item = &hashes->items[hashes->count];
    item->path = ct_arena_copy(&hashes->arena, path, strlen(path));
    if (!item->path)
        return ENOMEM;
    item->hash = *out;
    hashes->count++;
    return 0;
}

void ct_file_hashes_release(struct ct_file_hashes *hashes)
{
    free(hashes->items);
    ct_arena_release(&hashes->arena);
    memset(hashes, 0, sizeof(*hashes));
}
