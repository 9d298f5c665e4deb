// SPDX-License-Identifier: Apache-2.0
// Follows the conditionals of a source as far as they are certain.
#include "plan/redefinition.h"

#include "base/mem.h"
#include "base/str.h"
#include "spacefile/source.h"
#include "spacefile/source_word.h"

#include <stdlib.h>
#include <string.h>

enum truth { NO, YES, MAYBE };

/* A conditional that is open. */
struct level {
    enum truth now;   /* whether its current part is compiled */
    enum truth taken; /* whether a part before it was */
};

enum { DEPTH = 64, FILES_DEPTH = 50 };

/* A word of a text that is kept. */
struct name {
    const char *text;
    size_t length;
};

struct reading {
    const struct ct_plan_macro *macros;
    size_t macro_count;
    const struct ct_redefinition_files *files; /* NULL: includes are not followed */
    enum truth *defined; /* one per macro: whether the options' definition is there */
    struct level levels[DEPTH];
    size_t depth;         /* may exceed DEPTH: the levels beyond are not certain */
    struct ct_arena kept; /* texts of files */
    struct name *names;   /* other macros that were certainly defined */
    size_t name_count;
    size_t name_room;
    size_t file_depth; /* of the current file; 0: the source itself */
    const char *next;  /* the lines after the current one */
    struct ct_redefinition *out;
};

static const struct ct_plan_macro *find_macro(const struct reading *r, const char *name,
                                              size_t length)
{
    for (size_t i = 0; i < r->macro_count; i++)
        if (ct_word_equal(name, length, r->macros[i].name))
            return &r->macros[i];
    return NULL;
}

/* Whether the current line is compiled. */
static enum truth compiled(const struct reading *r)
{
    enum truth all = r->depth > DEPTH ? MAYBE : YES;

    for (size_t i = 0; i < r->depth && i < DEPTH; i++) {
        if (r->levels[i].now == NO)
            return NO;
        if (r->levels[i].now == MAYBE)
            all = MAYBE;
    }
    return all;
}

/* --- conditions --- */

static enum truth is_defined(const struct reading *r, const char *name)
{
    size_t length = (size_t)(ct_word_skip(name) - name);
    const struct ct_plan_macro *macro = length ? find_macro(r, name, length) : NULL;

    if (macro)
        return r->defined[macro - r->macros];
    for (size_t i = 0; i < r->name_count; i++)
        if (r->names[i].length == length && !memcmp(r->names[i].text, name, length))
            return YES;
    return MAYBE;
}

/* Whether `#ifndef NAME` begins an include guard: the next line of an included file defines it, and
 * no option does. */
static bool begins_guard(const struct reading *r, const char *name)
{
    size_t length = (size_t)(ct_word_skip(name) - name);
    const char *at = r->next;

    if (!r->file_depth || !length || !at || is_defined(r, name) != MAYBE)
        return false;
    while (*at == '\n')
        at++;
    if (*at != '#')
        return false;
    at = ct_word_skip_blank(at + 1);
    if (strncmp(at, "define ", 7) != 0 || strncmp(at + 7, name, length) != 0 ||
        ct_word_skip(at + 7) != at + 7 + length)
        return false;
    for (size_t i = 0; i < r->files->program->macro_count; i++)
        if (ct_word_equal(name, length, r->files->program->macros[i].name))
            return false;
    for (at = r->files->program->options; at && (at = strstr(at, "-D")); at += 2)
        if (!strncmp(at + 2 + (at[2] == ' '), name, length))
            return false;
    return true;
}

static enum truth negate(enum truth truth)
{
    return truth == MAYBE ? MAYBE : truth == YES ? NO : YES;
}

/* `defined NAME`, `defined(NAME)`, either behind `!`, or a number; anything else may be both. */
static enum truth evaluate(const struct reading *r, const char *at)
{
    bool negated = *at == '!';
    const char *name;
    enum truth truth;

    if (negated)
        at = ct_word_skip_blank(at + 1);
    if ((*at == '0' || *at == '1') && !at[1])
        return negated == (*at == '0') ? YES : NO;
    if (strncmp(at, "defined", 7) != 0)
        return MAYBE;
    at = ct_word_skip_blank(at + 7);
    name = ct_word_skip_blank(at + (*at == '('));
    truth = is_defined(r, name);
    name = ct_word_skip_blank(ct_word_skip(name));
    if (*at == '(' ? *name != ')' || *ct_word_skip_blank(name + 1) : *name != '\0')
        return MAYBE;
    return negated ? negate(truth) : truth;
}

static void begin_part(struct level *level, enum truth condition)
{
    level->now = level->taken == YES                         ? NO
                 : level->taken == MAYBE && condition == YES ? MAYBE
                                                             : condition;
    if (condition == YES)
        level->taken = YES;
    else if (condition == MAYBE && level->taken == NO)
        level->taken = MAYBE;
}

/* Follows a conditional; false if the directive is none. */
static bool follow_conditional(struct reading *r, const char *word, size_t length,
                               const char *rest)
{
    bool opens = length >= 2 && !strncmp(word, "if", 2);
    struct level *level;

    if (!opens && !ct_word_equal(word, length, "elif") &&
        !ct_word_equal(word, length, "else") && !ct_word_equal(word, length, "endif"))
        return false;
    if (opens)
        r->depth++;
    if (!r->depth || r->depth > DEPTH) {
        r->depth -= r->depth && ct_word_equal(word, length, "endif");
        return true;
    }
    level = &r->levels[r->depth - 1];
    if (opens)
        *level = (struct level){NO, NO};
    if (ct_word_equal(word, length, "endif"))
        r->depth--;
    else if (ct_word_equal(word, length, "else"))
        begin_part(level, YES);
    else if (ct_word_equal(word, length, "ifdef"))
        begin_part(level, is_defined(r, rest));
    else if (ct_word_equal(word, length, "ifndef"))
        begin_part(level, begins_guard(r, rest) ? YES : negate(is_defined(r, rest)));
    else
        begin_part(level, evaluate(r, rest));
    return true;
}

/* --- lines --- */

static bool read_text(struct reading *r, const char *path, const char *text);

/* Reads the file that an include directive names; true if it defines a macro again. */
static bool follow_include(struct reading *r, const char *from, const char *rest)
{
    char closing = *rest == '"' ? '"' : '>';
    const char *end = *rest == '"' || *rest == '<' ? strchr(rest + 1, closing) : NULL;
    const char *next = r->next;
    const char *path = NULL;
    const char *text = NULL;
    const char *name;
    bool found = false;

    if (!end || !r->files || r->file_depth == FILES_DEPTH)
        return false;
    name = ct_arena_copy(&r->kept, rest + 1, (size_t)(end - rest - 1));
    if (name)
        text = ct_source_included(r->files->cache, from, name, *rest == '"',
                                  r->files->program->include_count,
                                  r->files->program->include_dirs, &path);
    if (text) {
        r->file_depth++;
        found = read_text(r, path, text);
        r->file_depth--;
        r->next = next;
    }
    return found;
}

static void note_name(struct reading *r, const char *name, size_t length)
{
    if (length &&
        ct_mem_grow(&r->names, &r->name_room, r->name_count + 1, sizeof(*r->names)))
        r->names[r->name_count++] = (struct name){name, length};
}

/* Reads one line without comments; true if it, or a file that it includes, defines a macro again.
 */
static bool read_line(struct reading *r, const char *path, const char *line,
                      const struct ct_plan_macro **macro)
{
    const char *word;
    const char *rest;
    const char *end;
    size_t length;

    line = ct_word_skip_blank(line);
    if (*line != '#')
        return false;
    word = ct_word_skip_blank(line + 1);
    end = ct_word_skip(word);
    length = (size_t)(end - word);
    rest = ct_word_skip_blank(end);
    if (follow_conditional(r, word, length, rest))
        return false;
    end = ct_word_skip(rest);
    *macro = find_macro(r, rest, (size_t)(end - rest));
    if (*macro && ct_word_equal(word, length, "undef") && compiled(r) != NO)
        r->defined[*macro - r->macros] = compiled(r) == YES ? NO : MAYBE;
    if (ct_word_equal(word, length, "include") && compiled(r) == YES)
        return follow_include(r, path, rest);
    if (!ct_word_equal(word, length, "define") || compiled(r) != YES)
        return false;
    if (!*macro)
        note_name(r, rest, (size_t)(end - rest));
    else
        r->out->path = path;
    return *macro != NULL;
}

/* Reads a text without comments. */
static bool read_text(struct reading *r, const char *path, const char *text)
{
    char *line = ct_arena_copy(&r->kept, text, strlen(text));
    int number = 0;
    bool found = false;

    for (char *end; line && !found; line = end) {
        const struct ct_plan_macro *macro = NULL;

        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        number++;
        r->next = end;
        found = read_line(r, path, line, &macro);
        if (macro && found && r->out->path == path) {
            r->out->macro = macro;
            r->out->line = number;
        }
    }
    return found;
}

/* Whether it is worth stripping comments: most sources define none of the names. */
static bool may_define(const char *text, const struct reading *r)
{
    for (const char *at = text; (at = strstr(at, "define")); at += strlen("define")) {
        const char *name = at + strlen("define");

        while (*name == ' ' || *name == '\t' || *name == '\\' || *name == '\n' ||
               *name == '\r')
            name++;
        /* A comment may stand between them. */
        if (*name == '/' || find_macro(r, name, (size_t)(ct_word_skip(name) - name)))
            return true;
    }
    return false;
}

bool ct_redefinition_find(const char *path, const char *text, size_t length,
                          const struct ct_plan_macro *macros, size_t macro_count,
                          const struct ct_redefinition_files *files,
                          struct ct_redefinition *out)
{
    struct reading r = {
        .macros = macros, .macro_count = macro_count, .files = files, .out = out};
    struct ct_str stripped;
    bool found = false;

    if (!may_define(text, &r) && !(files && strstr(text, "include")))
        return false;
    r.defined = ct_mem_array(macro_count, sizeof(*r.defined));
    if (!r.defined)
        return false;
    for (size_t i = 0; i < macro_count; i++)
        r.defined[i] = YES;
    ct_str_init(&stripped);
    ct_source_strip(text, length, &stripped);
    if (!stripped.failed)
        found = read_text(&r, path, stripped.data);
    ct_str_release(&stripped);
    ct_arena_release(&r.kept);
    free(r.names);
    free(r.defined);
    return found;
}
