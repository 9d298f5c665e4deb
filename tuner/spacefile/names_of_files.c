// SPDX-License-Identifier: Apache-2.0
// A list of paths with what they lead to.
#include "spacefile/names_of_files.h"

#include "spacefile/spec.h"

#include <stdlib.h>
#include <string.h>

const char *ct_names_of_files_get(struct ct_names_of_files *names,
                                  const struct ct_spec *spec, const char *path)
{
    struct ct_name_of_file *item;

    for (size_t i = 0; i < names->count; i++) {
        item = &names->items[i];
        if (strcmp(item->path, path) == 0 && strcmp(item->dir, spec->dir) == 0)
            return item->full;
    }
    if (!ct_mem_grow(&names->items, &names->capacity, names->count + 1,
                     sizeof(*names->items)))
        return NULL;
    item = &names->items[names->count];
    item->dir = ct_arena_copy(&names->arena, spec->dir, strlen(spec->dir));
    item->path = ct_arena_copy(&names->arena, path, strlen(path));
    item->full = ct_spec_path(spec, &names->arena, path);
    if (!item->dir || !item->path || !item->full)
        return NULL;
    names->count++;
    return item->full;
}

void ct_names_of_files_release(struct ct_names_of_files *names)
{
    free(names->items);
    ct_arena_release(&names->arena);
    memset(names, 0, sizeof(*names));
}
