// SPDX-License-Identifier: Apache-2.0
// Reading files for the sake of their hash.
#include "spec/file_hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Reads all of an open file; 0 or an errno. */
static int read_all(FILE *in, struct ct_hash *out)
{
    struct stat facts;
    size_t capacity = 0;
    size_t length = 0;
    size_t got = 1;
    char *bytes = NULL;
    int error = 0;

    if (fstat(fileno(in), &facts) != 0)
        return errno;
    if (S_ISDIR(facts.st_mode))
        return EISDIR;
    /* One byte more than it has, so that its end is seen without growing. */
    if (!ct_mem_grow(&bytes, &capacity, (size_t)facts.st_size + 1, 1))
        return ENOMEM;
    while (!error && got) {
        got = fread(bytes + length, 1, capacity - length, in);
        length += got;
        if (ferror(in))
            error = errno ? errno : EIO;
        else if (length == capacity && !ct_mem_grow(&bytes, &capacity, length + 1, 1))
            error = ENOMEM;
    }
    if (!error)
        *out = ct_hash_bytes(bytes, length);
    free(bytes);
    return error;
}

int ct_file_hashes_get(struct ct_file_hashes *hashes, const char *path,
                       struct ct_hash *out)
{
    struct ct_file_hash *item;
    FILE *in;
    int error;

    for (size_t i = 0; i < hashes->count; i++)
        if (strcmp(hashes->items[i].path, path) == 0) {
            *out = hashes->items[i].hash;
            return 0;
        }
    in = fopen(path, "rb");
    if (!in)
        return errno;
    error = read_all(in, out);
    fclose(in);
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
