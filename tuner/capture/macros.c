// SPDX-License-Identifier: Apache-2.0
// Finds macros, and guesses values for them.
#include "capture/macros.h"

#include "base/build_options.h"
#include "base/mem.h"
#include "plan/redefinition.h"
#include "spacefile/expr/expr.h"
#include "spacefile/spec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger values are sizes of problems and bit masks rather than sizes of tiles. */
enum { GUESS_MOST = 1024 };

void ct_macros_release(struct ct_macros *macros)
{
    for (size_t i = 0; i < macros->count; i++)
        free(macros->items[i].name);
    free(macros->items);
    *macros = (struct ct_macros){NULL, 0, 0};
}

static bool add(struct ct_macros *macros, const char *name, size_t length, int64_t value,
                int line, bool guarded)
{
    struct ct_macro *macro;
    char *copy;

    for (size_t i = 0; i < macros->count; i++) {
        macro = &macros->items[i];
        if (strncmp(macro->name, name, length) != 0 || macro->name[length])
            continue;
        macro->guarded = macro->guarded && guarded;
        macro->several = macro->several || macro->value != value;
        return true;
    }
    if (!ct_mem_grow(&macros->items, &macros->capacity, macros->count + 1,
                     sizeof(*macros->items)))
        return false;
    copy = ct_mem_copy(name, length);
    if (!copy)
        return false;
    macros->items[macros->count++] =
        (struct ct_macro){.name = copy, .value = value, .line = line, .guarded = guarded};
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Occurrences of a word. */
static size_t count_word(const char *text, const char *name, size_t length)
{
    size_t count = 0;

    for (const char *at = text; *at; at++) {
        if (strncmp(at, name, length) != 0 || (at > text && is_word(at[-1])) ||
            is_word(at[length]))
            continue;
        count++;
    }
    return count;
}

bool ct_macros_uses(const char *text, const char *name)
{
    return count_word(text, name, strlen(name)) > 0;
}

/* An integer, perhaps in parentheses, up to the end of the text or a comment. */
static bool read_integer(const char *text, size_t length, int64_t *value)
{
    char copy[64];
    char *end;

    while (length && (isspace((unsigned char)*text) || *text == '('))
        text++, length--;
    if (!length || length >= sizeof(copy) || !isdigit((unsigned char)*text))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    errno = 0;
    *value = strtoll(copy, &end, 0);
    end += strspn(end, "uUlL");
    end += strspn(end, " \t\r)");
    return !errno && (!*end || strncmp(end, "//", 2) == 0 || strncmp(end, "/*", 2) == 0);
}

/* An integer whose text is that of its value.  Another (8u, 0xFFFFFFFF, 010) has a type or a spelling
 * that the value alone would not give again. */
static bool read_plain(const char *text, size_t length, int64_t *value)
{
    char copy[32];

    if (!read_integer(text, length, value))
        return false;
    snprintf(copy, sizeof(copy), "%" PRId64, *value);
    return strlen(copy) == length && memcmp(copy, text, length) == 0;
}

/* --- options --- */

static void put_folder(struct ct_str *folders, const char *word, size_t length,
                       const char *working_folder)
{
    if (*word != '/')
        ct_str_addf(folders, "%s/", working_folder);
    ct_str_add(folders, word, length);
    ct_str_putc(folders, '\0');
}

static void keep_word(struct ct_str *rest, const char *word, size_t length)
{
    ct_str_puts(rest, rest->length ? " " : "");
    ct_str_add(rest, word, length);
}

/* Bytes of the macro's name in front of its value. */
static size_t name_length(const struct ct_build_option *option)
{
    size_t length = 0;

    while (length < option->text_length && is_word(option->text[length]))
        length++;
    return length;
}

/* Whether a later option defines the macro anew, or makes it undefined: that one counts. */
static bool is_overridden(const char *at, const char *name, size_t length)
{
    struct ct_build_option option;

    while (ct_build_options_next(&at, &option))
        if (ct_build_options_is_about(&option, name, length))
            return true;
    return false;
}

/* Whether the source defines the macro whatever the options say. */
static bool redefines(const char *source, const char *name, size_t length)
{
    char *copy = ct_mem_copy(name, length);
    const struct ct_plan_macro macro = {copy, ""};
    struct ct_redefinition found;
    bool again =
        copy && ct_redefinition_find("", source, strlen(source), &macro, 1, NULL, &found);

    free(copy);
    return again;
}

/* Whether a space file can have a parameter of that name: the sizes of the problem have theirs. */
static bool can_be_parameter(const char *name, size_t length)
{
    static const char *const sizes[] = {"global_x", "global_y", "global_z"};
    char copy[64]; /* all reserved names, and what they begin with, are shorter */
    bool good = ct_expr_is_word(name, length);

    snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        good = good && strcmp(copy, sizes[i]) != 0;
    return good && !ct_spec_is_reserved(copy);
}

bool ct_macros_split_options(const char *options, const char *source,
                             const char *working_folder, struct ct_macros *macros,
                             struct ct_str *folders, struct ct_str *rest)
{
    struct ct_build_option option;

    while (ct_build_options_next(&options, &option)) {
        const char *name = option.text;
        size_t length = name_length(&option);
        const char *value = name + length + 1;
        int64_t integer;

        if (option.letter == 'I' && option.text_length)
            put_folder(folders, option.text, option.text_length, working_folder);
        else if (option.letter == 'D' && length && is_overridden(options, name, length))
            continue;
        else if (option.letter == 'D' && length < option.text_length &&
                 name[length] == '=' &&
                 read_plain(value, option.text_length - length - 1, &integer) &&
                 can_be_parameter(name, length) && count_word(source, name, length) &&
                 !redefines(source, name, length)) {
            if (!add(macros, name, length, integer, 0, true))
                return false;
        } else
            keep_word(rest, option.word, option.length);
    }
    return !rest->failed && !folders->failed;
}

/* --- definitions --- */

/* Whether the line defines a macro as a positive integer, which is not a flag that another line
 * asks about. */
static bool defines(const char *line, size_t length, const char **name,
                    size_t *name_length, int64_t *value)
{
    const char *end = line + length;
    const char *at = line;

    while (at < end && isblank((unsigned char)*at))
        at++;
    if (at >= end || *at++ != '#')
        return false;
    while (at < end && isblank((unsigned char)*at))
        at++;
    if (end - at < 7 || strncmp(at, "define", 6) != 0 || !isblank((unsigned char)at[6]))
        return false;
    for (at += 6; at < end && isblank((unsigned char)*at);)
        at++;
    *name = at;
    while (at < end && is_word(*at))
        at++;
    *name_length = (size_t)(at - *name);
    return *name_length && at < end && isblank((unsigned char)*at) &&
           read_integer(at, (size_t)(end - at), value) && *value > 0;
}

/* Whether the line is `#ifndef NAME`. */
static bool guards(const char *line, size_t length, const char *name, size_t name_length)
{
    const char *at = memchr(line, '#', length);

    if (!at)
        return false;
    for (at++; isblank((unsigned char)*at);)
        at++;
    if (strncmp(at, "ifndef", 6) != 0)
        return false;
    for (at += 6; isblank((unsigned char)*at);)
        at++;
    return strncmp(at, name, name_length) == 0 && !is_word(at[name_length]);
}

bool ct_macros_find(const char *source, struct ct_macros *macros)
{
    const char *before = "";
    size_t before_length = 0;
    int number = 1;

    for (const char *line = source; *line; number++) {
        size_t length = strcspn(line, "\n");
        const char *name = NULL;
        size_t name_length = 0;
        int64_t value = 0;

        /* Used once more than it is defined, and asked about by a guard at most. */
        if (defines(line, length, &name, &name_length, &value) &&
            can_be_parameter(name, name_length) &&
            count_word(source, name, name_length) > 1 &&
            !add(macros, name, name_length, value, number,
                 guards(before, before_length, name, name_length)))
            return false;
        before = line;
        before_length = length;
        line += length;
        line += *line == '\n';
    }
    return true;
}

void ct_macros_put_values(const struct ct_macro *macro, struct ct_str *out)
{
    int64_t value = macro->value;

    ct_str_addf(out, "%" PRId64, value);
    if (value == 0 || value == 1)
        ct_str_addf(out, ", %d%s", value ? 2 : 1, value ? ", 4" : "");
    else if (value > 1 && value <= GUESS_MOST && (value & (value - 1)) == 0)
        ct_str_addf(out, ", %" PRId64 ", %" PRId64, value / 2, value * 2);
}
