// SPDX-License-Identifier: Apache-2.0
// Extracts kernels from the strings of C++ sources: raw strings, and ordinary ones in a row.
#define _POSIX_C_SOURCE 200809L
#include "init/init_impl.h"

#include "base/create.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MOST = 64, DELIMITER_MOST = 16 };

struct scan {
    struct ct_init *init;
    const char *at;
    char name[NAME_MOST]; /* the last word before an `=` */
    char word[NAME_MOST];
    struct ct_str text; /* of the strings in a row */
    const char *chosen; /* the file that has the kernel */
    bool is_many;       /* several files have kernels, and no kernel is named */
    struct ct_str files;
    unsigned number;
};

/* --- strings --- */

static const char *skip_space(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");

            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

/* R"delimiter( ... )delimiter" at `at`, behind the R; NULL if it begins none.  Without an end, it is
 * the rest of the file. */
static const char *read_raw(const char *at, struct ct_str *out)
{
    char end[DELIMITER_MOST + 3];
    size_t length = 0;
    const char *close;

    while (length <= DELIMITER_MOST && at[1 + length] && at[1 + length] != '(')
        length++;
    if (length > DELIMITER_MOST || at[1 + length] != '(')
        return NULL;
    snprintf(end, sizeof(end), ")%.*s\"", (int)length, at + 1);
    close = strstr(at + 2 + length, end);
    if (!close)
        return at + strlen(at);
    ct_str_add(out, at + 2 + length, (size_t)(close - at - 2 - (ptrdiff_t)length));
    return close + strlen(end);
}

static const char *read_escape(const char *at, struct ct_str *out)
{
    static const char letters[] = "abfnrtv";
    static const char values[] = "\a\b\f\n\r\t\v";
    const char *known = *at ? strchr(letters, *at) : NULL;
    char *end;

    if (*at == '\n')
        return at + 1;
    if (*at == 'x') {
        ct_str_putc(out, (char)strtoul(at + 1, &end, 16));
        return end;
    }
    if (*at >= '0' && *at <= '7') {
        char digits[4] = {0};

        memcpy(digits, at, strspn(at, "01234567") < 3 ? strspn(at, "01234567") : 3);
        ct_str_putc(out, (char)strtoul(digits, NULL, 8));
        return at + strlen(digits);
    }
    ct_str_putc(out, known ? values[known - letters] : *at);
    return at + (*at != '\0');
}

/* "..." at `at`; NULL if it has no end. */
static const char *read_plain(const char *at, struct ct_str *out)
{
    for (at++; *at && *at != '"' && *at != '\n';) {
        if (*at == '\\')
            at = read_escape(at + 1, out);
        else
            ct_str_putc(out, *at++);
    }
    return *at == '"' ? at + 1 : NULL;
}

/* A string with its prefix at `at`; `at` itself if there is none. */
static const char *read_string(const char *at, struct ct_str *out)
{
    size_t prefix = strncmp(at, "u8", 2) == 0 ? 2 : *at && strchr("LuU", *at) ? 1 : 0;
    const char *quote = at + prefix;
    bool raw = *quote == 'R' && quote[1] == '"';
    const char *end;

    if (!raw && *quote != '"')
        return at;
    end = raw ? read_raw(quote + 1, out) : read_plain(quote, out);
    return end ? end : at;
}

/* --- files --- */

/* A file of that text beside the space file, unless it is there already. */
static enum ct_status write_file(struct scan *s, const char *path, struct ct_err *err)
{
    struct ct_init *init = s->init;
    struct ct_str there;
    bool same;
    int error = ct_file_create(path, s->text.data, s->text.length);

    if (error == EEXIST) {
        ct_str_init(&there);
        same = ct_file_read(path, CT_FILE_SOURCE_MAX, &there, NULL) == 0 &&
               there.length == s->text.length &&
               memcmp(there.data, s->text.data, there.length) == 0;
        ct_str_release(&there);
        return same
                   ? CT_OK
                   : ct_err_set(err, CT_E_USAGE,
                                "%s exists already and is another kernel: choose another "
                                "folder with -o, or remove it",
                                path);
    }
    if (error)
        return ct_err_set(err, CT_E_IO, "cannot write %s: %s", path, strerror(error));
    if (!ct_mem_grow(&init->created, &init->created_room, init->created_count + 1,
                     sizeof(*init->created)))
        return ct_err_nomem(err);
    init->created[init->created_count++] = path;
    return CT_OK;
}

/* The path for a string: the name of its variable, else one with a number. */
static const char *name_file(struct scan *s)
{
    struct ct_init *init = s->init;
    const char *slash = strrchr(init->output, '/');
    const char *base = strrchr(init->options.from_cpp, '/');
    int folder = slash ? (int)(slash - init->output + 1) : 0;

    s->number++;
    if (*s->name)
        return ct_arena_format(&init->arena, "%.*s%s.cl", folder, init->output, s->name);
    base = base ? base + 1 : init->options.from_cpp;
    return ct_arena_format(&init->arena, "%.*s%.*s_%u.cl", folder, init->output,
                           (int)strcspn(base, "."), base, s->number);
}

/* Whether the text has a kernel, and whether that of --kernel. */
static enum ct_status look(struct scan *s, bool *has_kernel, bool *is_wanted,
                           struct ct_err *err)
{
    struct ct_kernel_code *kernels;
    struct ct_code code;
    size_t count = 0;
    enum ct_status status = ct_code_read(s->text.data, s->text.length, &code, err);

    *is_wanted = false;
    if (!status)
        status = ct_kernels_find(&code, &kernels, &count, err);
    for (size_t i = 0; i < count; i++)
        *is_wanted = *is_wanted || !s->init->options.kernel ||
                     strcmp(kernels[i].name, s->init->options.kernel) == 0;
    *has_kernel = count > 0;
    ct_code_release(&code);
    return status;
}

static enum ct_status take_text(struct scan *s, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    bool has_kernel = false;
    bool is_wanted = false;
    const char *path;

    if (strstr(s->text.data, "kernel"))
        status = look(s, &has_kernel, &is_wanted, err);
    if (status || !has_kernel)
        return status;
    path = name_file(s);
    if (!path)
        return ct_err_nomem(err);
    ct_str_addf(&s->files, "%s%s", s->files.length ? ", " : "", path);
    status = write_file(s, path, err);
    if (is_wanted && s->chosen)
        s->is_many = true;
    else if (is_wanted)
        s->chosen = path;
    return status;
}

/* --- the whole --- */

static void note_word(struct scan *s)
{
    size_t length = 0;

    while (isalnum((unsigned char)s->at[length]) || s->at[length] == '_')
        length++;
    snprintf(s->word, sizeof(s->word), "%.*s", (int)length, s->at);
    s->at += length;
}

static void note_sign(struct scan *s)
{
    if (*s->at == '=' && s->at[1] != '=')
        memcpy(s->name, s->word, sizeof(s->name));
    else if (*s->at == ';')
        *s->name = '\0';
    /* A character is no string. */
    if (*s->at == '\'' && s->at[1]) {
        const char *end = strpbrk(s->at + 1 + (s->at[1] == '\\'), "'\n");

        s->at = end ? end : s->at;
    }
    s->at++;
}

static enum ct_status scan_all(struct scan *s, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    while (!status && *(s->at = skip_space(s->at))) {
        const char *end;

        ct_str_reset(&s->text);
        end = read_string(s->at, &s->text);
        if (end == s->at && (isalnum((unsigned char)*s->at) || *s->at == '_')) {
            note_word(s);
            continue;
        }
        if (end == s->at) {
            note_sign(s);
            continue;
        }
        while (end != s->at) {
            s->at = skip_space(end);
            end = read_string(s->at, &s->text);
        }
        status = s->text.failed ? ct_err_nomem(err) : take_text(s, err);
    }
    return status;
}

enum ct_status ct_init_extract(struct ct_init *init, struct ct_err *err)
{
    struct scan s = {.init = init};
    char why[CT_FILE_WHY_SIZE];
    struct ct_str source;
    enum ct_status status;
    int error;

    ct_str_init(&source);
    ct_str_init(&s.text);
    ct_str_init(&s.files);
    error = ct_file_read(init->options.from_cpp, CT_FILE_SOURCE_MAX, &source, NULL);
    s.at = source.data;
    status =
        error ? ct_err_set(err, CT_E_USAGE, "cannot read %s: %s", init->options.from_cpp,
                           ct_file_why(why, error, CT_FILE_SOURCE_MAX))
              : scan_all(&s, err);
    if (!status && s.is_many)
        status =
            ct_err_set(err, CT_E_USAGE,
                       "%s has kernels in several strings (%s): name one with --kernel",
                       init->options.from_cpp, s.files.data);
    else if (!status && !s.chosen)
        status =
            init->options.kernel && s.files.length
                ? ct_err_set(err, CT_E_NOT_FOUND, "no string of %s has kernel '%s'",
                             init->options.from_cpp, init->options.kernel)
                : ct_err_set(err, CT_E_NOT_FOUND,
                             "no string of %s has a kernel: kernels are looked for in "
                             "\"...\" and R\"(...)\"",
                             init->options.from_cpp);
    init->path = s.chosen;
    ct_str_release(&source);
    ct_str_release(&s.text);
    ct_str_release(&s.files);
    return status;
}
