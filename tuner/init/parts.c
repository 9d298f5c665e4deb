// SPDX-License-Identifier: Apache-2.0
// The files of a source that programs put together from several, one behind the other.
#include "init/parts.h"

#include "base/file.h"

#include <string.h>

/* The text is the inside of a string literal. */
static void put_line_directive(const char *path, struct ct_str *out)
{
    ct_str_puts(out, "#line 1 \"");
    for (; *path; path++) {
        if (*path == '"' || *path == '\\')
            ct_str_putc(out, '\\');
        ct_str_putc(out, *path);
    }
    ct_str_puts(out, "\"\n");
}

static int count_lines(const char *text)
{
    int count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

enum ct_status ct_parts_read(struct ct_parts *parts, struct ct_str *source,
                             struct ct_err *err)
{
    int line = 1;

    for (size_t i = 0; i < parts->count; i++) {
        struct ct_part *part = &parts->items[i];
        char why[CT_FILE_WHY_SIZE];
        size_t start;
        int error;

        if (parts->count > 1)
            put_line_directive(part->path, source);
        part->first = line + (parts->count > 1);
        start = source->length;
        error = ct_file_read(part->path, CT_FILE_SOURCE_MAX, source, NULL);
        if (error)
            return ct_err_set(err, ct_file_status(error), "cannot read %s: %s",
                              part->path, ct_file_why(why, error, CT_FILE_SOURCE_MAX));
        if (memchr(source->data + start, '\0', source->length - start))
            return ct_err_set(err, CT_E_USAGE, "%s is not a text", part->path);
        if (i + 1 < parts->count)
            ct_str_putc(source, '\n');
        if (source->failed)
            return ct_err_nomem(err);
        line = part->first + count_lines(source->data + start);
    }
    return CT_OK;
}

const struct ct_part *ct_parts_find(const struct ct_parts *parts, int *line)
{
    size_t i = 0;

    while (i + 1 < parts->count && parts->items[i + 1].first <= *line)
        i++;
    *line -= parts->items[i].first - 1;
    return &parts->items[i];
}

const char *ct_parts_join(const struct ct_parts *parts, bool labels, const char *between,
                          struct ct_arena *arena)
{
    struct ct_str text;
    const char *copy;

    ct_str_init(&text);
    for (size_t i = 0; i < parts->count; i++)
        ct_str_addf(&text, "%s%s", i ? between : "",
                    labels ? parts->items[i].label : parts->items[i].path);
    copy = text.failed ? NULL : ct_arena_copy(arena, text.data, text.length);
    ct_str_release(&text);
    return copy;
}
