// SPDX-License-Identifier: Apache-2.0
// Compiles expressions, and splits lists of them.
#include "spacefile/expr/expr.h"

#include "spacefile/expr/expr_impl.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word_char(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9');
}

struct ct_place ct_text_place(const struct ct_text *text, size_t at)
{
    const struct ct_place *run = text->places + 1;
    int count = text->places[0].column;
    struct ct_place place;

    if (text->places[0].line != CT_RANK_RUNS)
        return text->places[at];
    while (count > 1) { /* the last run that begins at or before `at` */
        int half = count / 2;

        if ((size_t)run[2 * half].line <= at) {
            run += 2 * half;
            count -= half;
        } else {
            count = half;
        }
    }
    place = run[1];
    at -= (size_t)run[0].line;
    if (at > (size_t)(run[0].column - place.column))
        place.column = run[0].column;
    else
        place.column += (int)at;
    return place;
}

bool ct_expr_is_word(const char *text, size_t length)
{
    if (!length || !is_letter(text[0]))
        return false;
    for (size_t i = 1; i < length; i++)
        if (!is_word_char(text[i]))
            return false;
    return true;
}

void ct_expr_trim(const struct ct_text *text, size_t *begin, size_t *end)
{
    while (*begin < *end && is_blank(text->text[*begin]))
        ++*begin;
    while (*end > *begin && is_blank(text->text[*end - 1]))
        --*end;
}

size_t ct_expr_find_outside(const struct ct_text *text, size_t at, size_t end)
{
    size_t depth = 0;

    for (; at < end; at++) {
        char c = text->text[at];

        if (c == '\'') {
            do
                at++;
            while (at < end && text->text[at] != '\'');
        } else if (c == '(') {
            depth++;
        } else if (c == ')' && depth) {
            depth--;
        } else if (!depth) {
            return at;
        }
    }
    return end;
}

size_t ct_expr_find_char(const struct ct_text *text, size_t begin, size_t end, char c)
{
    size_t at = ct_expr_find_outside(text, begin, end);

    while (at < end && text->text[at] != c)
        at = ct_expr_find_outside(text, at + 1, end);
    return at;
}

size_t ct_expr_find_word(const struct ct_text *text, size_t begin, size_t end,
                         const char *word)
{
    size_t length = strlen(word);
    size_t at = end;

    /* Most lists consist of numbers and commas. */
    if (begin < end && memchr(text->text + begin, word[0], end - begin))
        at = ct_expr_find_outside(text, begin, end);
    for (; at < end; at = ct_expr_find_outside(text, at + 1, end)) {
        if (text->text[at] != word[0] || end - at < length ||
            memcmp(text->text + at, word, length) != 0)
            continue;
        if ((at == begin || !is_word_char(text->text[at - 1])) &&
            (at + length == end || !is_word_char(text->text[at + length])))
            return at;
    }
    return end;
}

size_t ct_expr_find_range(const struct ct_text *text, size_t begin, size_t end)
{
    size_t at = ct_expr_find_char(text, begin, end, '.');

    while (at < end && (at + 1 >= end || text->text[at + 1] != '.'))
        at = ct_expr_find_char(text, at + 1, end, '.');
    return at;
}

void ct_expr_each_name(const struct ct_text *text, size_t begin, size_t end,
                       void (*found)(void *context, const char *name, size_t length),
                       void *context)
{
    struct ct_lexer lexer = {text, begin, end, NULL};
    struct ct_token token;
    struct ct_token next;
    size_t letter = begin;

    while (letter < end && !is_letter(text->text[letter]))
        letter++;
    if (letter == end)
        return;
    ct_expr_lex(&lexer, &token);
    while (token.kind != CT_TOK_END) {
        ct_expr_lex(&lexer, &next);
        if (token.kind == CT_TOK_NAME && !(next.kind == CT_TOK_OP && next.op == '('))
            found(context, text->text + token.begin, token.end - token.begin);
        token = next;
    }
}

static void count_names(const struct ct_node *node, int *slots, size_t *count)
{
    if (node->op == CT_OP_NAME) {
        if (slots)
            slots[*count] = node->slot;
        ++*count;
    }
    for (size_t i = 0; i < node->arg_count; i++)
        count_names(node->args[i], slots, count);
}

static int by_slot(const void *a, const void *b)
{
    int left = *(const int *)a;
    int right = *(const int *)b;

    return left < right ? -1 : left > right;
}

/* The distinct slots of the tree, in increasing order. */
static bool collect_slots(struct ct_arena *arena, struct ct_expr *expr)
{
    size_t count = 0;
    size_t kept = 0;
    int *slots;

    count_names(expr->root, NULL, &count);
    if (!count)
        return true;
    slots = ct_arena_array(arena, count, sizeof(*slots));
    if (!slots)
        return false;
    count = 0;
    count_names(expr->root, slots, &count);
    qsort(slots, count, sizeof(*slots), by_slot);
    for (size_t i = 0; i < count; i++)
        if (!kept || slots[kept - 1] != slots[i])
            slots[kept++] = slots[i];
    expr->slots = slots;
    expr->slot_count = kept;
    return true;
}

const struct ct_expr *ct_expr_compile(struct ct_arena *arena, const struct ct_text *text,
                                      size_t begin, size_t end,
                                      const struct ct_scope *scope,
                                      struct ct_diags *diags)
{
    struct ct_lexer lexer = {text, 0, 0, diags};
    struct ct_expr *expr;
    bool nomem = false;

    ct_expr_trim(text, &begin, &end);
    lexer.at = begin;
    lexer.end = end;
    expr = ct_arena_alloc(arena, sizeof(*expr));
    if (!expr)
        goto nomem;
    expr->root = ct_expr_parse(arena, &lexer, scope, &nomem);
    if (nomem)
        goto nomem;
    if (!expr->root)
        return NULL;
    expr->text = ct_arena_copy(arena, text->text + begin, end - begin);
    expr->place = ct_text_place(text, begin);
    expr->kind = expr->root->kind;
    if (!expr->text || !collect_slots(arena, expr))
        goto nomem;
    return expr;

nomem:
    diags->failed = true;
    return NULL;
}

bool ct_value_true(struct ct_value value)
{
    switch (value.kind) {
    case CT_INT:
        return value.u.i != 0;
    case CT_REAL:
        return value.u.r != 0;
    case CT_TEXT:
    case CT_NONE:
        break;
    }
    return false;
}

const char *ct_eval_text(enum ct_eval eval)
{
    switch (eval) {
    case CT_EVAL_OK:
        return "no mistake";
    case CT_EVAL_DIVISION:
        return "division by zero";
    case CT_EVAL_OVERFLOW:
        return "a result beyond 64 bits";
    case CT_EVAL_DOMAIN:
        return "a function or shift outside its domain";
    case CT_EVAL_TYPE:
        return "text instead of a number, or the reverse";
    case CT_EVAL_UNKNOWN:
        return "a name whose value is unknown";
    }
    return "an unknown mistake";
}
