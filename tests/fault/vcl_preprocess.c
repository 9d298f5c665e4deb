// SPDX-License-Identifier: Apache-2.0
// The preprocessor: comments, conditionals, macros, includes and our own directives.

#include "vcl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONDITIONS = 64, INCLUDES = 16 };

static const char marker[] = "#pragma virtual";

struct condition {
    bool outer;  // the enclosing branch is active
    bool active; // this branch is
    bool taken;  // some branch of it was
    bool last;   // #else was seen
};

struct preprocessor {
    struct vcl_module *module;
    struct condition conditions[CONDITIONS];
    size_t depth;
    unsigned line, include_depth;
};

static void run(struct preprocessor *state, const char *source);

void vcl_error(struct vcl_module *module, unsigned line, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    vcl_text_print(&module->log, "virtual:%u: error: %s\n", line, text);
    module->failed = true;
}

// Whether our directive is the first text of a line, comment signs apart.
static bool is_ours(const char *line)
{
    line += strspn(line, " \t/*");
    return strncmp(line, marker, sizeof marker - 1) == 0 &&
           !vcl_name_part(line[sizeof marker - 1]);
}

// Copies our directive from `line` up to the end of the line or comment; what is left.
static const char *keep_ours(const char *line, struct vcl_text *out)
{
    while (*line && *line != '\n' && !(line[0] == '*' && line[1] == '/'))
        vcl_text_add(out, line++, 1);
    return line;
}

static const char *copy_literal(const char *at, struct vcl_text *out)
{
    char quote = *at;
    vcl_text_add(out, at++, 1);
    while (*at && *at != '\n' && *at != quote) {
        size_t length = at[0] == '\\' && at[1] && at[1] != '\n' ? 2 : 1;
        vcl_text_add(out, at, length);
        at += length;
    }
    if (*at == quote)
        vcl_text_add(out, at++, 1);
    return at;
}

// Comments become blanks and continued lines one; lines keep their numbers.
static void strip(const char *source, struct vcl_text *out)
{
    const char *at = source;
    bool block = false, start = true;
    unsigned joined = 0;
    while (*at) {
        if (start && is_ours(at)) {
            for (; *at != '#'; at++) { // a block comment may open or close before it
                if (at[0] == '/' && at[1] == '*')
                    block = true;
                else if (at[0] == '*' && at[1] == '/')
                    block = false;
            }
            at = keep_ours(at, out);
            if (!*at)
                break;
        }
        start = false;
        if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
            at += at[1] == '\n' ? 2 : 3;
            joined++;
        } else if (*at == '\n') {
            for (vcl_text_add(out, at++, 1); joined > 0; joined--)
                vcl_text_add(out, "\n", 1);
            start = true;
        } else if (block) {
            block = !(at[0] == '*' && at[1] == '/');
            at += block ? 1 : 2;
        } else if (at[0] == '/' && at[1] == '*') {
            vcl_text_add(out, " ", 1);
            block = true;
            at += 2;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (*at == '"' || *at == '\'') {
            at = copy_literal(at, out);
        } else if (*at) {
            vcl_text_add(out, at++, 1);
        }
    }
}

static bool active(const struct preprocessor *state)
{
    return state->depth == 0 || state->conditions[state->depth - 1].active;
}

// Replaces defined(X) and expands the rest, then evaluates.
static bool test(struct preprocessor *state, const char *text)
{
    struct vcl_text plain = {0}, full = {0};
    const struct vcl_macros *macros = &state->module->macros;
    for (const char *at = text; *at;) {
        size_t length = 1;
        while (vcl_name_start(*at) && vcl_name_part(at[length]))
            length++;
        if (!vcl_is(at, length, "defined")) {
            vcl_text_add(&plain, at, length);
            at += length;
            continue;
        }
        const char *name = vcl_skip(at + length);
        bool bracket = *name == '(';
        name = vcl_skip(name + bracket);
        length = 0;
        while (vcl_name_part(name[length]))
            length++;
        if (length == 0)
            vcl_error(state->module, state->line, "defined without a name");
        vcl_text_add(&plain, vcl_macro_find(macros, name, length) ? " 1 " : " 0 ", 3);
        at = vcl_skip(name + length);
        if (bracket && *at == ')')
            at++;
        else if (bracket)
            vcl_error(state->module, state->line, "missing ) behind defined");
    }
    vcl_macro_expand(macros, vcl_text_get(&plain), plain.length, &full);
    int64_t value;
    const char *problem;
    if (!vcl_evaluate(vcl_text_get(&full), false, &value, &problem)) {
        vcl_error(state->module, state->line, "#if: %s in '%s'", problem, text);
        value = 0;
    }
    vcl_text_free(&plain);
    vcl_text_free(&full);
    return value != 0;
}

static bool test_defined(struct preprocessor *state, const char *text)
{
    size_t length = 0;
    while (vcl_name_part(text[length]))
        length++;
    if (length == 0)
        vcl_error(state->module, state->line, "#ifdef without a name");
    return vcl_macro_find(&state->module->macros, text, length) != NULL;
}

static void open_condition(struct preprocessor *state, const char *word, const char *text)
{
    if (state->depth == CONDITIONS) {
        vcl_error(state->module, state->line, "conditionals nested too deep");
        return;
    }
    bool outer = active(state), yes = false;
    if (outer && strcmp(word, "if") == 0)
        yes = test(state, text);
    else if (outer)
        yes = test_defined(state, text) == (strcmp(word, "ifdef") == 0);
    state->conditions[state->depth++] =
        (struct condition){.outer = outer, .active = yes, .taken = yes};
}

// #elif, #else and #endif.
static void turn_condition(struct preprocessor *state, const char *word, const char *text)
{
    if (state->depth == 0) {
        vcl_error(state->module, state->line, "#%s without #if", word);
        return;
    }
    struct condition *top = &state->conditions[state->depth - 1];
    if (strcmp(word, "endif") == 0) {
        state->depth--;
        return;
    }
    if (top->last)
        vcl_error(state->module, state->line, "#%s behind #else", word);
    top->last = strcmp(word, "else") == 0;
    top->active = top->outer && !top->taken && (top->last || test(state, text));
    top->taken = top->taken || top->active;
}

static void define(struct preprocessor *state, const char *text)
{
    size_t length = 0;
    while (vcl_name_part(text[length]))
        length++;
    if (length == 0 || !vcl_name_start(*text)) {
        vcl_error(state->module, state->line, "#define without a name");
        return;
    }
    const char *body = text + length;
    struct vcl_text parameters = {0};
    bool function = *body == '(';
    if (function) {
        const char *end = strchr(body, ')');
        if (!end) {
            vcl_error(state->module, state->line, "#define: missing )");
            return;
        }
        for (body++; body < end; body++)
            if (*body != ' ' && *body != '\t')
                vcl_text_add(&parameters, body, 1);
        body = end + 1;
    }
    vcl_macro_define(&state->module->macros, text, length,
                     function ? vcl_text_get(&parameters) : NULL, body, false);
    vcl_text_free(&parameters);
}

static char *read_file(const char *directory, const char *name, size_t length)
{
    struct vcl_text path = {0}, text = {0};
    vcl_text_print(&path, "%s%s%.*s", directory, *directory ? "/" : "", (int)length,
                   name);
    FILE *file = fopen(vcl_text_get(&path), "r");
    vcl_text_free(&path);
    if (!file)
        return NULL;
    char block[4096];
    size_t got;
    vcl_text_add(&text, "", 0);
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        vcl_text_add(&text, block, got);
    fclose(file);
    return text.data;
}

static void include(struct preprocessor *state, const char *text)
{
    struct vcl_text full = {0};
    vcl_macro_expand(&state->module->macros, text, strlen(text), &full);
    const char *name = vcl_skip(vcl_text_get(&full));
    const char *end =
        *name == '"' || *name == '<' ? strchr(name + 1, *name == '<' ? '>' : '"') : NULL;
    const struct vcl_text *places = &state->module->includes;
    char *source = NULL;
    if (end && state->include_depth < INCLUDES) {
        size_t length = (size_t)(end - name - 1), at = 0;
        for (; !source && at < places->length; at += strlen(places->data + at) + 1)
            source = read_file(places->data + at, name + 1, length);
        if (!source)
            source = read_file("", name + 1, length);
    }
    if (!source) {
        vcl_error(state->module, state->line, "cannot include %s", vcl_text_get(&full));
    } else {
        unsigned line = state->line;
        state->include_depth++;
        run(state, source);
        state->include_depth--;
        state->line = line;
    }
    free(source);
    vcl_text_free(&full);
}

static void pragma(struct preprocessor *state, const char *text)
{
    static const char ours[] = "virtual";
    struct vcl_module *module = state->module;
    if (strncmp(text, ours, sizeof ours - 1) != 0 || vcl_name_part(text[sizeof ours - 1]))
        return;
    text = vcl_skip(text + sizeof ours - 1);
    module->directives =
        vcl_grow(module->directives, module->directive_count, sizeof *module->directives);
    struct vcl_directive *made = &module->directives[module->directive_count++];
    made->line = state->line;
    made->text = vcl_copy(text, strlen(text));
}

static void directive(struct preprocessor *state, const char *text)
{
    char word[16] = "";
    size_t length = 0;
    text = vcl_skip(text);
    while (vcl_name_part(text[length]))
        length++;
    if (length < sizeof word)
        memcpy(word, text, length);
    text = vcl_skip(text + length);
    if (strcmp(word, "if") == 0 || strcmp(word, "ifdef") == 0 ||
        strcmp(word, "ifndef") == 0)
        open_condition(state, word, text);
    else if (strcmp(word, "elif") == 0 || strcmp(word, "else") == 0 ||
             strcmp(word, "endif") == 0)
        turn_condition(state, word, text);
    else if (!active(state) || (length == 0 && !*text))
        return;
    else if (strcmp(word, "line") == 0)
        state->line = (unsigned)strtoul(text, NULL, 10) - 1; // of what follows
    else if (strcmp(word, "define") == 0)
        define(state, text);
    else if (strcmp(word, "undef") == 0)
        vcl_macro_undefine(&state->module->macros, text, strcspn(text, " \t"));
    else if (strcmp(word, "include") == 0)
        include(state, text);
    else if (strcmp(word, "pragma") == 0)
        pragma(state, text);
    else if (strcmp(word, "error") == 0)
        vcl_error(state->module, state->line, "#error %s", text);
    else if (strcmp(word, "warning") == 0)
        vcl_text_print(&state->module->log, "virtual:%u: warning: %s\n", state->line,
                       text);
    else
        vcl_error(state->module, state->line, "unknown directive #%s", word);
}

// Expands everything since the last directive at once: uses of macros may span lines.
static void flush(struct preprocessor *state, struct vcl_text *pending)
{
    if (!vcl_macro_expand(&state->module->macros, vcl_text_get(pending), pending->length,
                          &state->module->text))
        vcl_error(state->module, state->line, "macro expansion has no end");
    vcl_text_free(pending);
}

static void run(struct preprocessor *state, const char *source)
{
    struct vcl_text plain = {0}, line = {0}, pending = {0};
    size_t depth = state->depth;
    strip(source, &plain);
    state->line = 0;
    for (const char *at = vcl_text_get(&plain); *at;) {
        size_t length = strcspn(at, "\n");
        state->line++;
        line.length = 0;
        vcl_text_add(&line, at, length);
        const char *text = vcl_skip(vcl_text_get(&line));
        if (*text == '#') {
            flush(state, &pending);
            vcl_text_trim(&line);
            directive(state, text + 1);
        } else if (active(state)) {
            vcl_text_add(&pending, at, length);
        }
        vcl_text_add(&pending, "\n", 1);
        at += length + (at[length] == '\n');
    }
    flush(state, &pending);
    if (state->depth != depth)
        vcl_error(state->module, state->line, "#if without #endif");
    vcl_text_free(&plain);
    vcl_text_free(&line);
}

void vcl_preprocess(struct vcl_module *module, const char *source)
{
    struct preprocessor state = {.module = module};
    run(&state, source);
}
