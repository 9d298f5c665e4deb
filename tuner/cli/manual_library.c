// SPDX-License-Identifier: Apache-2.0
// Reads the headers that the program carries.  A function has a comment that begins with "/*!", and
// its declaration, or its definition, follows.
#include "cli/manual_library.h"

#include "cli/manual_files.h"

#include <string.h>

/* A new paragraph begins at what a list of parameters and results has at the start of a line. */
static bool begins_paragraph(const char *line)
{
    return *line == '`' || *line == '@' || *line == '\n' ||
           ct_str_starts(line, "cltunedb_") || ct_str_starts(line, "Guarantee");
}

/* Characters that would be marks; backquotes are. */
static void put_text(const char *text, size_t length, struct ct_str *out)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("*[]|", text[i]) && text[i])
            ct_str_putc(out, '\\');
        ct_str_putc(out, text[i]);
    }
}

/* The comment's lines without what makes them a comment. */
static void put_comment(const char *from, const char *end, struct ct_str *out)
{
    ct_str_putc(out, '\n');
    while (from < end) {
        size_t length;

        from += strspn(from, " ");
        from += *from == '*' && from[1] != '/';
        from += strspn(from, " ");
        length = strcspn(from, "\n");
        if (length > (size_t)(end - from))
            length = (size_t)(end - from);
        if (begins_paragraph(from))
            ct_str_putc(out, '\n');
        put_text(from, length, out);
        ct_str_putc(out, '\n');
        from += length + 1;
    }
}

/* Declarations up to an empty line, or the head of a definition. */
static void put_prototypes(const char *from, struct ct_str *out)
{
    const char *body = strstr(from, "\n{");
    const char *blank = strstr(from, "\n\n");
    const char *end = body && (!blank || body < blank) ? body : blank;

    if (!end)
        end = from + strlen(from);
    ct_str_addf(out, "\n```\n%.*s%s\n```\n", (int)(end - from), from,
                end == body ? ";" : "");
}

static void put_header(const char *text, struct ct_str *out)
{
    static const char opens[] = "/*!";

    for (const char *at = text; (at = strstr(at, opens));) {
        const char *end = strstr(at, "*/");
        const char *next;

        if (!end)
            return;
        next = end + strlen("*/\n");
        /* Some comments are about a function that another one declares. */
        if (*next != '\n' && !ct_str_starts(next, "#"))
            put_prototypes(next, out);
        put_comment(at + strlen(opens), end, out);
        at = end;
    }
}

void ct_manual_put_library(struct ct_str *out)
{
    for (int i = 0; i < ct_manual_files_count; i++) {
        const char *path = ct_manual_files_paths[i];
        const char *slash = strrchr(path, '/');

        if (strcmp(path + strlen(path) - 2, ".h") != 0)
            continue;
        ct_str_addf(out, "\n## %s\n", slash ? slash + 1 : path);
        put_header(ct_manual_files[i], out);
    }
}
