// SPDX-License-Identifier: Apache-2.0
// Keeps given files, and finds them by their paths.
#include "spacefile/given.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Takes the last name away, if that is what `..` means here. */
static bool drop_last(struct ct_str *out, size_t root)
{
    size_t at = out->length;

    while (at > root && out->data[at - 1] != '/')
        at--;
    if (out->failed || at == out->length || strcmp(out->data + at, "..") == 0)
        return false;
    out->length = at > root ? at - 1 : at;
    out->data[out->length] = '\0';
    return true;
}

/* "a/./b/../c" is "a/c". */
static void put_plain(struct ct_str *out, const char *path)
{
    size_t root = *path == '/';

    if (root)
        ct_str_putc(out, '/');
    while (*path) {
        size_t length = strcspn(path, "/");
        bool up = length == 2 && memcmp(path, "..", 2) == 0;

        if (length && !(length == 1 && *path == '.') && !(up && drop_last(out, root))) {
            if (out->length > root)
                ct_str_putc(out, '/');
            ct_str_add(out, path, length);
        }
        path += length;
        path += *path == '/';
    }
}

static const struct ct_given_file *find_plain(const struct ct_given_files *files,
                                              const char *plain)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, plain) == 0)
            return &files->items[i];
    return NULL;
}

bool ct_given_put(struct ct_given_files *files, const char *path, const char *text,
                  size_t length)
{
    struct ct_given_file file = {.length = length, .number = files->count + 1};
    struct ct_str plain;

    ct_str_init(&plain);
    put_plain(&plain, path);
    if (!plain.failed) {
        file.path = ct_arena_copy(&files->arena, plain.data, plain.length);
        file.text = ct_arena_copy(&files->arena, text, length);
    }
    ct_str_release(&plain);
    if (!file.path || !file.text)
        return false;
    if (find_plain(files, file.path))
        return true;
    if (!ct_mem_grow(&files->items, &files->capacity, files->count + 1, sizeof(file)))
        return false;
    files->items[files->count++] = file;
    return true;
}

const struct ct_given_file *ct_given_find(const struct ct_given_files *files,
                                          const char *path)
{
    const struct ct_given_file *found = NULL;
    struct ct_str plain;

    if (!files->count)
        return NULL;
    ct_str_init(&plain);
    put_plain(&plain, path);
    if (!plain.failed)
        found = find_plain(files, plain.data);
    ct_str_release(&plain);
    return found;
}

void ct_given_release(struct ct_given_files *files)
{
    free(files->items);
    ct_arena_release(&files->arena);
    memset(files, 0, sizeof(*files));
}
