// SPDX-License-Identifier: Apache-2.0
// Memory, copies and hints for building a specification.
#define _XOPEN_SOURCE 700 // realpath
#include "spacefile/spec_impl.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

void *ct_spec_alloc(struct ct_spec_builder *b, size_t count, size_t size_bytes)
{
    void *memory = ct_arena_array(&b->spec->arena, count, size_bytes);

    b->nomem = b->nomem || !memory;
    return memory;
}

char *ct_spec_copy(struct ct_spec_builder *b, const char *text, size_t length)
{
    char *copy = ct_arena_copy(&b->spec->arena, text, length);

    b->nomem = b->nomem || !copy;
    return copy;
}

const char *ct_spec_hint(struct ct_spec_builder *b, const char *word,
                         const char *const *names, size_t count)
{
    const char *likely = ct_str_suggest(word, names, count);
    const char *hint =
        likely ? ct_arena_format(&b->spec->arena, "; did you mean '%s'?", likely) : "";

    return hint ? hint : "";
}

char *ct_spec_path(const struct ct_spec *spec, struct ct_arena *arena, const char *path)
{
    char *full = path[0] == '/' ? ct_arena_copy(arena, path, strlen(path))
                                : ct_arena_format(arena, "%s/%s", spec->dir, path);
    char *real = full ? realpath(full, NULL) : NULL;

    /* One name per file, so that `../` and links do not show in messages and hashes. */
    if (real)
        full = ct_arena_copy(arena, real, strlen(real));
    free(real);
    return full;
}
