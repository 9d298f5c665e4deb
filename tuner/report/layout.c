// SPDX-License-Identifier: Apache-2.0
// Reads templates: tokens, and which end belongs to which beginning.
#include "report/layout.h"

#include <stdlib.h>
#include <string.h>

enum { NESTED_MOST = 32 };

struct parser {
    struct ct_arena *arena;
    const char *path;
    struct ct_layout_token *tokens;
    size_t count;
    size_t capacity;
    int line;
    const char *line_start;
};

static struct ct_layout_token *add_token(struct parser *p, enum ct_layout_kind kind,
                                         const char *at)
{
    struct ct_layout_token *token;

    if (!ct_mem_grow(&p->tokens, &p->capacity, p->count + 1, sizeof(*p->tokens)))
        return NULL;
    token = &p->tokens[p->count++];
    *token = (struct ct_layout_token){.kind = kind,
                                      .text = "",
                                      .more = "",
                                      .line = p->line,
                                      .column = (int)(at - p->line_start) + 1};
    return token;
}

static enum ct_status fail_at(const struct parser *p, int line, int column,
                              const char *what, struct ct_err *err)
{
    return ct_err_at(err, CT_E_USAGE, p->path, line, column, "%s", what);
}

/* --- directives --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A copy without blanks around it. */
static char *copy_trimmed(struct ct_arena *arena, const char *text, size_t length)
{
    while (length && is_blank(*text)) {
        text++;
        length--;
    }
    while (length && is_blank(text[length - 1]))
        length--;
    return ct_arena_copy(arena, text, length);
}

/* The rest of a directive after its first word, or NULL. */
static const char *after_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(text, word, length) != 0 || (text[length] && !is_blank(text[length])))
        return NULL;
    return text + length;
}

static bool parse_condition(struct parser *p, struct ct_layout_token *token,
                            const char *text)
{
    const char *operation = strstr(text, "==");
    const char *unequal = strstr(text, "!=");
    const char *negated;

    text += strspn(text, " \t");
    negated = after_word(text, "not");
    token->test = CT_LAYOUT_SET;
    if (unequal && (!operation || unequal < operation)) {
        operation = unequal;
        token->test = CT_LAYOUT_UNEQUAL;
    } else if (operation) {
        token->test = CT_LAYOUT_EQUAL;
    } else if (negated) {
        token->test = CT_LAYOUT_NOT_SET;
        text = negated;
    }
    token->text = copy_trimmed(p->arena, text,
                               operation ? (size_t)(operation - text) : strlen(text));
    if (operation)
        token->more = copy_trimmed(p->arena, operation + 2, strlen(operation + 2));
    return token->text && token->more;
}

static bool parse_value(struct parser *p, struct ct_layout_token *token, const char *text)
{
    size_t name = strcspn(text, "|");

    token->text = copy_trimmed(p->arena, text, name);
    if (text[name])
        token->more = copy_trimmed(p->arena, text + name + 1, strlen(text + name + 1));
    return token->text && token->more;
}

/* What stands between the braces. */
static enum ct_status parse_directive(struct parser *p, const char *at, const char *text,
                                      struct ct_err *err)
{
    static const struct {
        const char *word;
        enum ct_layout_kind kind;
    } words[] = {{"for", CT_LAYOUT_FOR},
                 {"if", CT_LAYOUT_IF},
                 {"else", CT_LAYOUT_ELSE},
                 {"end", CT_LAYOUT_END},
                 {"sep", CT_LAYOUT_SEP}};
    struct ct_layout_token *token = add_token(p, CT_LAYOUT_VALUE, at);
    const char *rest = NULL;
    bool parsed;

    if (!token)
        return ct_err_nomem(err);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !rest; i++) {
        rest = after_word(text, words[i].word);
        if (rest)
            token->kind = words[i].kind;
    }
    if (token->kind == CT_LAYOUT_VALUE)
        parsed = parse_value(p, token, text);
    else if (token->kind == CT_LAYOUT_IF)
        parsed = parse_condition(p, token, rest);
    else if (token->kind == CT_LAYOUT_SEP)
        /* One blank separates; the others belong to the text. */
        parsed = (token->text = rest && *rest ? rest + 1 : "") != NULL;
    else
        parsed = (token->text = copy_trimmed(p->arena, rest, strlen(rest))) != NULL;
    if (!parsed)
        return ct_err_nomem(err);
    if (!*token->text && token->kind != CT_LAYOUT_ELSE && token->kind != CT_LAYOUT_END &&
        token->kind != CT_LAYOUT_SEP)
        return fail_at(p, token->line, token->column,
                       "a name is missing between ${ and }", err);
    return CT_OK;
}

/* --- text --- */

static enum ct_status add_text(struct parser *p, const char *begin, const char *end,
                               struct ct_err *err)
{
    struct ct_layout_token *token;

    if (begin == end)
        return CT_OK;
    token = add_token(p, CT_LAYOUT_TEXT, begin);
    if (token)
        token->text = ct_arena_copy(p->arena, begin, (size_t)(end - begin));
    return token && token->text ? CT_OK : ct_err_nomem(err);
}

/* Splits into tokens; a text ends with its line. */
static enum ct_status split(struct parser *p, const char *text, struct ct_err *err)
{
    const char *begin = text;
    const char *at = text;
    enum ct_status status = CT_OK;

    p->line = 1;
    p->line_start = text;
    while (*at && status == CT_OK) {
        if (*at == '\n') {
            status = add_text(p, begin, ++at, err);
            p->line++;
            p->line_start = begin = at;
        } else if (at[0] == '$' && at[1] == '$') {
            status = add_text(p, begin, at + 1, err);
            begin = at += 2;
        } else if (at[0] == '$' && at[1] == '{') {
            size_t length = strcspn(at, "}\n");
            const char *inner;

            if (at[length] != '}')
                return fail_at(p, p->line, (int)(at - p->line_start) + 1,
                               "${ without } on the same line", err);
            status = add_text(p, begin, at, err);
            inner = ct_arena_copy(p->arena, at + 2, length - 2);
            if (status == CT_OK)
                status = inner ? parse_directive(p, at, inner, err) : ct_err_nomem(err);
            begin = at += length + 1;
        } else {
            at++;
        }
    }
    return status == CT_OK ? add_text(p, begin, at, err) : status;
}

/* Lines of nothing but loops, conditions and blanks leave no text. */
static void drop_blank_lines(struct parser *p)
{
    for (size_t first = 0, end; first < p->count; first = end) {
        bool blocks = false;
        bool blank = true;

        for (end = first; end < p->count && p->tokens[end].line == p->tokens[first].line;
             end++) {
            const struct ct_layout_token *t = &p->tokens[end];

            blocks |= t->kind >= CT_LAYOUT_FOR;
            blank &=
                t->kind >= CT_LAYOUT_FOR || (t->kind == CT_LAYOUT_TEXT &&
                                             t->text[strspn(t->text, " \t\r\n")] == '\0');
        }
        for (size_t i = first; blocks && blank && i < end; i++)
            if (p->tokens[i].kind == CT_LAYOUT_TEXT)
                p->tokens[i].text = "";
    }
}

/* Finds the end of each loop and condition. */
static enum ct_status match_ends(struct parser *p, struct ct_err *err)
{
    size_t open[NESTED_MOST];
    size_t depth = 0;

    for (size_t i = 0; i < p->count; i++) {
        struct ct_layout_token *t = &p->tokens[i];
        struct ct_layout_token *inner = depth ? &p->tokens[open[depth - 1]] : NULL;

        if (t->kind == CT_LAYOUT_FOR || t->kind == CT_LAYOUT_IF) {
            if (depth == NESTED_MOST)
                return fail_at(p, t->line, t->column,
                               "more than 32 nested loops and "
                               "conditions",
                               err);
            open[depth++] = i;
        } else if (t->kind == CT_LAYOUT_ELSE) {
            if (!inner || inner->kind != CT_LAYOUT_IF || inner->otherwise)
                return fail_at(p, t->line, t->column, "${else} without ${if ...}", err);
            inner->otherwise = i;
        } else if (t->kind == CT_LAYOUT_END) {
            if (!inner)
                return fail_at(p, t->line, t->column,
                               "${end} without ${for ...} or ${if ...}", err);
            inner->end = i;
            if (inner->otherwise)
                p->tokens[inner->otherwise].end = i;
            else
                inner->otherwise = i;
            depth--;
        }
    }
    if (depth)
        return fail_at(p, p->tokens[open[depth - 1]].line,
                       p->tokens[open[depth - 1]].column,
                       "this ${for ...} or ${if ...} has no ${end}", err);
    return CT_OK;
}

enum ct_status ct_layout_parse(struct ct_arena *arena, const char *path, const char *text,
                               struct ct_layout *out, struct ct_err *err)
{
    struct parser p = {.arena = arena, .path = path};
    enum ct_status status = split(&p, text, err);
    struct ct_layout_token *moved;

    if (status == CT_OK) {
        drop_blank_lines(&p);
        status = match_ends(&p, err);
    }
    moved = ct_arena_array(arena, p.count, sizeof(*moved));
    if (status == CT_OK && !moved)
        status = ct_err_nomem(err);
    if (moved && p.count)
        memcpy(moved, p.tokens, p.count * sizeof(*moved));
    *out = (struct ct_layout){path, moved, p.count};
    free(p.tokens);
    return status;
}
