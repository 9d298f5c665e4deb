// SPDX-License-Identifier: Apache-2.0
// Finds and copies headers.
#include "capture/includes.h"

#include "base/create.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH = 32, NAME = 256 };

struct copier {
    const char *folder;           /* of the experiment */
    const struct ct_str *folders; /* of the program */
    struct ct_includes *out;
    struct ct_err *err;
};

static enum ct_status copy_all(struct copier *copier, const char *source,
                               const char *place, int depth);

/* The name in an include directive; false if the line is none. */
static bool read_directive(const char *line, char *name)
{
    char close;
    size_t length;

    while (isblank((unsigned char)*line))
        line++;
    if (*line++ != '#')
        return false;
    while (isblank((unsigned char)*line))
        line++;
    if (strncmp(line, "include", 7) != 0)
        return false;
    for (line += 7; isblank((unsigned char)*line);)
        line++;
    close = *line == '<' ? '>' : '"';
    if (*line != '<' && *line != '"')
        return false;
    line++;
    length = strcspn(line, "\n");
    length = memchr(line, close, length)
                 ? (size_t)((const char *)memchr(line, close, length) - line)
                 : 0;
    if (!length || length >= NAME)
        return false;
    memcpy(name, line, length);
    name[length] = '\0';
    return true;
}

/* Reads the header from the first folder that has it; NULL if there is none. */
static const char *find(const struct copier *copier, const char *name, struct ct_str *out)
{
    const char *end = copier->folders->data + copier->folders->length;

    for (const char *folder = copier->folders->data; folder < end;
         folder += strlen(folder) + 1) {
        struct ct_str path;
        bool found;

        ct_str_init(&path);
        ct_str_addf(&path, "%s/%s", folder, name);
        ct_str_reset(out);
        found =
            !path.failed && ct_file_read(path.data, CT_FILE_SOURCE_MAX, out, NULL) == 0;
        ct_str_release(&path);
        if (found)
            return folder;
    }
    return NULL;
}

/* Creates a file with the folders on its way. */
static enum ct_status write_header(struct copier *copier, const char *name,
                                   const struct ct_str *text)
{
    struct ct_str path;
    int error = 0;

    ct_str_init(&path);
    ct_str_addf(&path, "%s/" CT_INCLUDES_FOLDER "/%s", copier->folder, name);
    for (char *at = path.data + strlen(copier->folder) + 1;
         !path.failed && (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(path.data, 0755) && errno != EEXIST)
            error = errno;
        *at = '/';
    }
    if (!error)
        error =
            path.failed ? ENOMEM : ct_file_create(path.data, text->data, text->length);
    /* It was copied before. */
    if (error && error != EEXIST)
        ct_err_set(copier->err, CT_E_IO, "cannot write %s: %s", path.data,
                   strerror(error));
    else if (!error)
        copier->out->copied++;
    ct_str_release(&path);
    return error && error != EEXIST ? CT_E_IO : CT_OK;
}

/* `place`: the folder of the including header, with a slash, or "". */
static enum ct_status copy_one(struct copier *copier, const char *name, const char *place,
                               int depth)
{
    enum ct_status status = CT_OK;
    char full[2 * NAME];
    struct ct_str text;
    size_t before = copier->out->copied;
    const char *where;
    const char *slash;

    ct_str_init(&text);
    snprintf(full, sizeof(full), "%s%s", place, name);
    where = find(copier, full, &text);
    if (!where) {
        snprintf(full, sizeof(full), "%s", name);
        where = find(copier, full, &text);
    }
    if (!where)
        goto out;
    if (*full == '/' || strstr(full, "..") || depth >= DEPTH) {
        copier->out->complete = false;
        if (strpbrk(where, CT_INCLUDES_UNNAMED))
            snprintf(copier->out->unnamed, sizeof(copier->out->unnamed), "%s", full);
        goto out;
    }
    status = write_header(copier, full, &text);
    slash = strrchr(full, '/');
    full[slash ? slash + 1 - full : 0] = '\0';
    if (status == CT_OK && copier->out->copied > before)
        status = copy_all(copier, text.data, full, depth + 1);
out:
    ct_str_release(&text);
    return status;
}

static enum ct_status copy_all(struct copier *copier, const char *source,
                               const char *place, int depth)
{
    enum ct_status status = CT_OK;
    char name[NAME];

    for (const char *line = source; status == CT_OK && *line;) {
        if (read_directive(line, name))
            status = copy_one(copier, name, place, depth);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return status;
}

enum ct_status ct_includes_copy(const char *folder, const char *source,
                                const struct ct_str *folders, struct ct_includes *out,
                                struct ct_err *err)
{
    struct copier copier = {folder, folders, out, err};

    *out = (struct ct_includes){.complete = true};
    return copy_all(&copier, source, "", 0);
}
