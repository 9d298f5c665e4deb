// SPDX-License-Identifier: Apache-2.0
// Reads everything a program may consist of, missing nothing.
//
// Here a false use costs time and a missed use gives wrong results: comments, strings and
// inactive branches count, and so do files that may not be included at all.
#include "plan/program_text.h"

#include "base/file.h"
#include "base/str.h"
#include "plan/program_text_impl.h"
#include "spacefile/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES_MAX = 1000 };

/* The last ones: sources in which parameters replace lines are as many as configurations. */
struct ct_program_texts {
    struct ct_text *list[CT_PROGRAM_TEXTS];
    size_t next;
    size_t recent; /* that was asked for last */
};

struct ct_program_texts *ct_program_texts_new(void)
{
    return ct_mem_array(1, sizeof(struct ct_program_texts));
}

static void text_free(struct ct_text *text)
{
    if (!text)
        return;
    free(text->files);
    free(text->words);
    ct_str_release(&text->form);
    ct_arena_release(&text->arena);
    free(text);
}

void ct_program_texts_free(struct ct_program_texts *texts)
{
    for (size_t i = 0; texts && i < CT_PROGRAM_TEXTS; i++)
        text_free(texts->list[i]);
    free(texts);
}

/* --- words --- */

bool ct_word_character(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$' || c >= 0x80;
}

static enum ct_status add_words(struct ct_text *text, const char *at, struct ct_err *err)
{
    while (*at) {
        const char *start = at;

        while (ct_word_character((unsigned char)*at))
            at++;
        if (at == start) {
            at++;
            continue;
        }
        if (!ct_mem_grow(&text->words, &text->word_room, text->word_count + 1,
                         sizeof(*text->words)))
            return ct_err_nomem(err);
        text->words[text->word_count] =
            ct_arena_copy(&text->arena, start, (size_t)(at - start));
        if (!text->words[text->word_count])
            return ct_err_nomem(err);
        text->word_count++;
    }
    return CT_OK;
}

int ct_words_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_words(struct ct_text *text)
{
    size_t kept = 0;

    if (!text->word_count)
        return;
    qsort(text->words, text->word_count, sizeof(*text->words), ct_words_compare);
    for (size_t i = 1; i < text->word_count; i++)
        if (strcmp(text->words[i], text->words[kept]) != 0)
            text->words[++kept] = text->words[i];
    text->word_count = kept + 1;
}

/* --- hidden names --- */

/* A backslash with blanks between it and the end of its line, which compilers take as a
 * continuation; a carriage return alone, which some take as a line end. */
static bool odd_line_end(const char *at)
{
    size_t blanks;

    if (*at == '\r')
        return at[1] != '\n';
    if (*at != '\\')
        return false;
    blanks = strspn(at + 1, " \t\f\v");
    return blanks && (at[1 + blanks] == '\n' || at[1 + blanks] == '\r');
}

static bool raw_hides(const char *bytes)
{
    for (const char *at = bytes; *at; at++)
        if (odd_line_end(at) || (at[0] == '?' && at[1] == '?') ||
            (at[0] == '\\' && (at[1] == 'u' || at[1] == 'U')))
            return true;
    return false;
}

/* In text without comments: a # that begins no directive, outside literals. */
static bool stripped_hides(const char *text)
{
    bool first = true; /* only blanks on this line so far */
    char quote = 0;

    for (const char *at = text; *at; at++) {
        bool mark = *at == '#' || (at[0] == '%' && at[1] == ':');

        if (*at == '\n') {
            first = true;
            quote = 0;
            continue;
        }
        if (quote) {
            if (*at == '\\' && at[1] && at[1] != '\n')
                at++;
            else if (*at == quote)
                quote = 0;
            continue;
        }
        if (mark && !first)
            return true;
        if (*at == '"' || *at == '\'')
            quote = *at;
        /* "##" at the start of a line is no directive either, but never compiles. */
        if (*at != ' ')
            first = false;
        if (mark && *at == '%')
            at++;
    }
    return false;
}

/* --- files --- */

static bool file_known(const struct ct_text *text, const char *path)
{
    for (size_t i = 0; i < text->shown.file_count; i++)
        if (!strcmp(text->files[i].path, path))
            return true;
    return false;
}

struct walk {
    struct ct_text *text;
    const struct ct_plan_program *program;
    struct ct_err *err;
};

static enum ct_status scan_text(struct walk *walk, const char *path, const char *bytes,
                                size_t length);

/* Reads a file, if it exists; `*found`: whether it does. */
static enum ct_status visit_include(struct walk *walk, const char *path, bool *found)
{
    struct ct_text *text = walk->text;
    struct ct_program_file *file;
    struct ct_str bytes;
    struct stat info;
    enum ct_status status;
    int error;

    if (stat(path, &info) || S_ISDIR(info.st_mode))
        return CT_OK;
    *found = true;
    if (file_known(text, path))
        return CT_OK;
    ct_str_init(&bytes);
    error = text->shown.file_count < FILES_MAX
                ? ct_file_read(path, CT_FILE_SOURCE_MAX, &bytes, &info)
                : CT_FILE_TOO_LARGE;
    if (error && error != ENOMEM) {
        ct_str_release(&bytes);
        text->whole = false;
        return CT_OK;
    }
    if (error || !ct_mem_grow(&text->files, &text->file_room, text->shown.file_count + 1,
                              sizeof(*text->files))) {
        ct_str_release(&bytes);
        return ct_err_nomem(walk->err);
    }
    file = &text->files[text->shown.file_count];
    *file = (struct ct_program_file){
        .path = ct_arena_copy(&text->arena, path, strlen(path)),
        .changed_s = info.st_mtim.tv_sec,
        .changed_ns = info.st_mtim.tv_nsec,
        .size_bytes = (uint64_t)info.st_size,
        .inode = (uint64_t)info.st_ino,
    };
    text->shown.file_count++;
    status = file->path ? scan_text(walk, path, bytes.data, bytes.length)
                        : ct_err_nomem(walk->err);
    ct_str_release(&bytes);
    return status;
}

static enum ct_status visit_in(struct walk *walk, const char *folder, size_t length,
                               const char *name, bool *found)
{
    char path[4096];
    int written = snprintf(path, sizeof(path), "%.*s%s%s", (int)length, folder,
                           length && folder[length - 1] != '/' ? "/" : "", name);

    if (written < 0 || (size_t)written >= sizeof(path)) {
        walk->text->whole = false;
        return CT_OK;
    }
    return visit_include(walk, path, found);
}

static size_t folder_length(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Everything that an include directive in the file `from` may refer to. */
static enum ct_status follow_include(struct walk *walk, const char *from,
                                     const char *name)
{
    const struct ct_plan_program *program = walk->program;
    const char *source_path = program->source_path ? program->source_path : "";
    bool found = false;
    enum ct_status status;

    if (*name == '/') {
        status = visit_include(walk, name, &found);
    } else {
        status = visit_in(walk, from, folder_length(from), name, &found);
        if (!status)
            status =
                visit_in(walk, source_path, folder_length(source_path), name, &found);
        if (!status)
            status = visit_in(walk, "", 0, name, &found);
        for (size_t i = 0; !status && i < program->include_count; i++)
            status = visit_in(walk, program->include_dirs[i],
                              strlen(program->include_dirs[i]), name, &found);
    }
    /* The compiler's own, or one that only it can find. */
    if (!found)
        walk->text->whole = false;
    return status;
}

/* One line of text without comments. */
static enum ct_status scan_directive(struct walk *walk, const char *from,
                                     const char *line)
{
    const char *at = line + (*line == '#' ? 1 : 2);
    char name[1024];
    char closing;
    size_t length;

    at += strspn(at, " ");
    /* include, include_next; import and embed read files too. */
    if (strncmp(at, "include", 7) != 0 && strncmp(at, "import", 6) != 0 &&
        strncmp(at, "embed", 5) != 0)
        return CT_OK;
    at += strcspn(at, " \"<\n");
    at += strspn(at, " ");
    closing = *at == '"' ? '"' : '>';
    if (*at != '"' && *at != '<') {
        walk->text->whole = false;
        return CT_OK;
    }
    at++;
    length = 0;
    while (at[length] && at[length] != closing && at[length] != '\n')
        length++;
    if (at[length] != closing || length >= sizeof(name) || !length) {
        walk->text->whole = false;
        return CT_OK;
    }
    memcpy(name, at, length);
    name[length] = '\0';
    return follow_include(walk, from, name);
}

/* Words, hidden names and includes of one text. */
static enum ct_status scan_text(struct walk *walk, const char *path, const char *bytes,
                                size_t length)
{
    struct ct_text *text = walk->text;
    struct ct_str stripped;
    enum ct_status status;

    /* A zero byte ends the text here but not for the compiler. */
    if (strlen(bytes) != length)
        text->whole = false;
    ct_wire_put_bytes(&text->form, bytes, length);
    if (raw_hides(bytes))
        text->shown.hides_names = true;
    status = add_words(text, bytes, walk->err);
    ct_str_init(&stripped);
    /* Continuations may join words that are separate in the raw text. */
    ct_source_strip(bytes, length, &stripped);
    if (!status && stripped.failed)
        status = ct_err_nomem(walk->err);
    if (!status)
        status = add_words(text, stripped.data, walk->err);
    if (!status && stripped_hides(stripped.data))
        text->shown.hides_names = true;
    for (const char *line = stripped.data; !status && *line;) {
        if (*line == '#' || (line[0] == '%' && line[1] == ':'))
            status = scan_directive(walk, path, line);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    ct_str_release(&stripped);
    return status;
}

/* Options that make the compiler read files, or search for them elsewhere. */
static bool options_read_files(const char *options)
{
    static const char *const parts[] = {"-i", "-I", "@", "-F", "-x", "-c", "-W", "-X"};

    for (const char *at = options; *at; at++) {
        if (at != options && at[-1] != ' ' && at[-1] != '"' && at[-1] != '\t')
            continue;
        /* Some standard options begin like those that read files. */
        if (!strncmp(at, "-cl-", 4) || !strcmp(at, "-w") || !strncmp(at, "-w ", 3) ||
            !strncmp(at, "-Werror", 7))
            continue;
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
            if (!strncmp(at, parts[i], strlen(parts[i])))
                return true;
    }
    return false;
}

/* --- queries --- */

/* Whether this is the text of a program: comparing is less work than hashing, and programs that are asked
 * for in a row have the same text. */
static bool is_of(const struct ct_text *text, const struct ct_plan_program *program)
{
    if (!ct_str_same(text->source_path, program->source_path) ||
        !ct_str_same(text->options, program->options) ||
        text->include_count != program->include_count ||
        !ct_str_equal(text->source, program->source))
        return false;
    for (size_t i = 0; i < text->include_count; i++)
        if (!ct_str_equal(text->include_dirs[i], program->include_dirs[i]))
            return false;
    return true;
}

/* `*out` is NULL for NULL. */
static bool keep(struct ct_text *text, const char *given, const char **out)
{
    *out = given ? ct_arena_copy(&text->arena, given, strlen(given)) : NULL;
    return !given || *out;
}

static enum ct_status keep_question(struct ct_text *text,
                                    const struct ct_plan_program *program,
                                    struct ct_err *err)
{
    bool good = keep(text, program->source, &text->source) &&
                keep(text, program->source_path, &text->source_path) &&
                keep(text, program->options, &text->options);

    text->include_dirs =
        ct_arena_array(&text->arena, program->include_count, sizeof(*text->include_dirs));
    good = good && (text->include_dirs || !program->include_count);
    for (size_t i = 0; i < program->include_count && good; i++)
        good = keep(text, program->include_dirs[i], &text->include_dirs[i]);
    text->include_count = program->include_count;
    return good ? CT_OK : ct_err_nomem(err);
}

static enum ct_status identify(struct ct_text *text, struct ct_err *err)
{
    struct ct_str form;
    bool good;

    ct_str_init(&form);
    ct_wire_put_text(&form, text->shown.hash.text);
    ct_wire_put_text(&form, text->source);
    ct_wire_put_text(&form, text->options);
    for (size_t i = 0; i < text->include_count; i++)
        ct_wire_put_text(&form, text->include_dirs[i]);
    good = !form.failed;
    if (good)
        text->identity = ct_hash_bytes(form.data, form.length);
    ct_str_release(&form);
    return good ? CT_OK : ct_err_nomem(err);
}

static enum ct_status read_text(struct ct_text *text,
                                const struct ct_plan_program *program, struct ct_err *err)
{
    struct walk walk = {text, program, err};
    const char *options = program->options ? program->options : "";
    const char *path = program->source_path ? program->source_path : "";
    enum ct_status status;

    text->whole = !options_read_files(options);
    status = keep_question(text, program, err);
    if (!status)
        status = scan_text(&walk, path, program->source, strlen(program->source));
    if (!status)
        status = add_words(text, options, err);
    if (!status && text->form.failed)
        status = ct_err_nomem(err);
    if (status)
        return status;
    sort_words(text);
    text->shown.files = text->files;
    if (text->whole)
        text->shown.hash = ct_hash_bytes(text->form.data, text->form.length);
    ct_str_release(&text->form);
    return identify(text, err);
}

enum ct_status ct_program_text_get(struct ct_program_texts *texts,
                                   const struct ct_plan_program *program,
                                   const struct ct_program_text **out, struct ct_err *err)
{
    struct ct_text *text;
    enum ct_status status;

    for (size_t i = 0; i < CT_PROGRAM_TEXTS; i++) {
        size_t at = (texts->recent + i) % CT_PROGRAM_TEXTS;

        if (!texts->list[at] || !is_of(texts->list[at], program))
            continue;
        texts->recent = at;
        *out = &texts->list[at]->shown;
        return CT_OK;
    }
    text = ct_mem_array(1, sizeof(*text));
    if (!text)
        return ct_err_nomem(err);
    ct_str_init(&text->form);
    status = read_text(text, program, err);
    if (status) {
        text_free(text);
        return status;
    }
    text_free(texts->list[texts->next]);
    texts->list[texts->next] = text;
    texts->recent = texts->next;
    texts->next = (texts->next + 1) % CT_PROGRAM_TEXTS;
    *out = &text->shown;
    return CT_OK;
}

bool ct_program_files_unchanged(const struct ct_program_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct ct_program_file *file = &files[i];
        struct stat info;

        if (stat(file->path, &info) || info.st_mtim.tv_sec != file->changed_s ||
            info.st_mtim.tv_nsec != file->changed_ns ||
            (uint64_t)info.st_size != file->size_bytes ||
            (uint64_t)info.st_ino != file->inode)
            return false;
    }
    return true;
}
