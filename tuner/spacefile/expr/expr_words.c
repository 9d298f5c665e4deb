// SPDX-License-Identifier: Apache-2.0
// Functions of texts: lists of words, versions.
#include "spacefile/expr/expr_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COMPLAIN(lexer, at, ...)                                                         \
    ct_diags_add((lexer)->diags, CT_ERROR, (lexer)->text->file, (at).line, (at).column,  \
                 __VA_ARGS__)

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* --- lists of words --- */

static bool has_words(const char *list, const char *words, size_t length)
{
    for (const char *at = list; (at = strstr(at, words)); at++)
        if ((at == list || is_blank(at[-1])) && (!at[length] || is_blank(at[length])))
            return true;
    return false;
}

enum ct_eval ct_expr_contains(const struct ct_value *args, size_t count,
                              struct ct_value *out)
{
    char digits[24];
    const char *words = args[1].u.s;

    (void)count;
    if (args[1].kind == CT_INT) {
        snprintf(digits, sizeof(digits), "%" PRId64, args[1].u.i);
        words = digits;
    }
    /* No words at all are in every list: a parameter can have '' for "nothing is needed". */
    *out = ct_value_int(!*words || has_words(args[0].u.s, words, strlen(words)));
    return CT_EVAL_OK;
}

/* --- versions --- */

/* Whether a version can begin at `at`: in front of it, a word ends or is only a `v`. */
static bool begins_version(const char *text, const char *at)
{
    if (!is_digit(*at))
        return false;
    if (at > text && (at[-1] == 'v' || at[-1] == 'V'))
        at--;
    return at == text || (!is_letter(at[-1]) && !is_digit(at[-1]) && at[-1] != '.');
}

/* The first version in a text: numbers with points between them, at the beginning of a word, such as
 * `3.0` of "OpenCL 3.0 CUDA" and `1.10` of "v1.10-rc2".  NULL if there is none, else the first of its
 * `*length` bytes. */
static const char *find_version(const char *text, size_t *length)
{
    const char *at = text;
    const char *end;

    while (*at && !begins_version(text, at))
        at++;
    if (!*at)
        return NULL;
    for (end = at; is_digit(*end) || (*end == '.' && is_digit(end[1])); end++)
        ;
    *length = (size_t)(end - at);
    return at;
}

/* The digits of the next number of a version, without leading zeros; none: 0. */
static size_t next_number(const char **at, const char *end, const char **digits)
{
    while (*at < end && **at == '0')
        ++*at;
    *digits = *at;
    while (*at < end && is_digit(**at))
        ++*at;
    return (size_t)(*at - *digits);
}

/* Below, at or above 0 as `a` is earlier than, the same as or later than `b`.  Numbers that one of
 * them lacks are 0; they may have any number of digits. */
static int compare_versions(const char *a, const char *a_end, const char *b,
                            const char *b_end)
{
    while (a < a_end || b < b_end) {
        const char *x;
        const char *y;
        size_t x_length = next_number(&a, a_end, &x);
        size_t y_length = next_number(&b, b_end, &y);
        int order = x_length != y_length ? (x_length > y_length ? 1 : -1)
                                         : memcmp(x, y, x_length);

        if (order)
            return order;
        a += a < a_end; /* the point */
        b += b < b_end;
    }
    return 0;
}

enum ct_eval ct_expr_version_at_least(const struct ct_value *args, size_t count,
                                      struct ct_value *out)
{
    size_t a_length;
    size_t b_length;
    const char *a = find_version(args[0].u.s, &a_length);
    const char *b = find_version(args[1].u.s, &b_length);

    (void)count;
    if (!a || !b)
        return CT_EVAL_DOMAIN;
    *out = ct_value_int(compare_versions(a, a + a_length, b, b + b_length) >= 0);
    return CT_EVAL_OK;
}

/* --- arguments --- */

bool ct_expr_check_text_argument(const struct ct_lexer *lexer,
                                 const struct ct_scope *scope,
                                 const struct ct_expr_function *function, size_t index,
                                 const struct ct_node *arg)
{
    char takes = ct_expr_takes(function, index);
    bool constant = arg->op == CT_OP_CONST && arg->kind == CT_TEXT;
    size_t length;

    if (takes == CT_TAKES_NAME) {
        if (arg->op == CT_OP_NAME && scope->askable)
            return scope->askable(scope->context, arg->slot, arg->place);
        COMPLAIN(lexer, arg->place,
                 "'%s' requires the name of a device limit, such as DEVICE_WARP_SIZE_NV",
                 function->name);
        return false;
    }
    if (arg->kind != CT_NONE && !ct_expr_accepts(function, index, arg->kind)) {
        COMPLAIN(lexer, arg->place,
                 takes == CT_TAKES_WORD
                     ? "'%s' requires text or an integer here, not a real"
                     : "'%s' requires text, not a number",
                 function->name);
        return false;
    }
    /* In what was printed with values, a text is what a device says: that fails when evaluated. */
    if (constant && scope->askable && function->call == ct_expr_version_at_least &&
        !find_version(arg->value.u.s, &length)) {
        COMPLAIN(lexer, arg->place, "'%s' is not a version, such as 3.0 or 535.104.05",
                 arg->value.u.s);
        return false;
    }
    return true;
}
