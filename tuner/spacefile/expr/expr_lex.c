// SPDX-License-Identifier: Apache-2.0
// The words of expressions: numbers, names, quoted text, operators.
#include "spacefile/expr/expr_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

#define COMPLAIN(lexer, at, ...)                                                         \
    do {                                                                                 \
        if ((lexer)->diags)                                                              \
            ct_diags_add((lexer)->diags, CT_ERROR, (lexer)->text->file,                  \
                         ct_text_place((lexer)->text, at).line,                          \
                         ct_text_place((lexer)->text, at).column, __VA_ARGS__);          \
    } while (0)

static void bad_number(struct ct_lexer *lexer, struct ct_token *token, const char *why)
{
    int shown = token->end - token->begin > 40 ? 40 : (int)(token->end - token->begin);

    COMPLAIN(lexer, token->begin, "number '%.*s' %s", shown,
             lexer->text->text + token->begin, why);
    token->kind = CT_TOK_BAD;
}

/* Digits of an integer; false if they do not fit 63 bits. */
static bool read_int(const char *digits, size_t length, int64_t base, int64_t *out)
{
    int64_t value = 0;

    for (size_t i = 0; i < length; i++) {
        int64_t digit =
            is_digit(digits[i]) ? digits[i] - '0' : (digits[i] | 32) - 'a' + 10;

        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *out = value;
    return true;
}

static void lex_hex(struct ct_lexer *lexer, struct ct_token *token)
{
    const char *text = lexer->text->text;
    size_t digits = token->begin + 2;
    int64_t value;

    for (size_t i = digits; i < token->end; i++)
        if (!is_digit(text[i]) && ((text[i] | 32) < 'a' || (text[i] | 32) > 'f')) {
            bad_number(lexer, token,
                       "contains a character that is not a hexadecimal digit");
            return;
        }
    if (digits == token->end)
        bad_number(lexer, token, "has no digits");
    else if (!read_int(text + digits, token->end - digits, 16, &value))
        bad_number(lexer, token, "does not fit 64 bits");
    else
        token->value = ct_value_int(value);
}

static void lex_real(struct ct_lexer *lexer, struct ct_token *token)
{
    char digits[128];
    size_t length = token->end - token->begin;
    double value;

    if (length >= sizeof(digits)) {
        bad_number(lexer, token, "is too long");
        return;
    }
    memcpy(digits, lexer->text->text + token->begin, length);
    digits[length] = '\0';
    value = strtod(digits, NULL);
    if (!isfinite(value))
        bad_number(lexer, token, "is too large for a real");
    else
        token->value = ct_value_real(value);
}

/* Finds the end of a number and whether it is a real.  `1..4` is the number 1 and a
 * range, not a real 1. */
static bool scan_number(struct ct_lexer *lexer, size_t *end)
{
    const char *text = lexer->text->text;
    size_t at = lexer->at;
    bool real = false;

    while (at < lexer->end && is_digit(text[at]))
        at++;
    if (at < lexer->end && text[at] == '.' &&
        (at + 1 >= lexer->end || text[at + 1] != '.')) {
        real = true;
        at++;
        while (at < lexer->end && is_digit(text[at]))
            at++;
    }
    if (at < lexer->end && (text[at] | 32) == 'e') {
        size_t digits = at + 1;

        if (digits < lexer->end && (text[digits] == '+' || text[digits] == '-'))
            digits++;
        if (digits < lexer->end && is_digit(text[digits])) {
            real = true;
            at = digits;
            while (at < lexer->end && is_digit(text[at]))
                at++;
        }
    }
    *end = at;
    return real;
}

static void lex_number(struct ct_lexer *lexer, struct ct_token *token)
{
    const char *text = lexer->text->text;
    bool hex = text[lexer->at] == '0' && lexer->at + 1 < lexer->end &&
               (text[lexer->at + 1] | 32) == 'x';
    bool real = !hex && scan_number(lexer, &token->end);
    size_t end = hex ? lexer->at : token->end;
    int64_t value;

    while (end < lexer->end && is_word_char(text[end]))
        end++;
    token->kind = CT_TOK_NUMBER;
    if (hex || end > token->end) {
        token->end = end;
        if (hex)
            lex_hex(lexer, token);
        else
            bad_number(lexer, token, "has a suffix; write the digits alone");
    } else if (real) {
        lex_real(lexer, token);
    } else if (text[token->begin] == '0' && token->end - token->begin > 1) {
        bad_number(lexer, token,
                   "begins with a zero; leave it out, or write 0x for hexadecimal");
    } else if (!read_int(text + token->begin, token->end - token->begin, 10, &value)) {
        bad_number(lexer, token, "does not fit 64 bits");
    } else {
        token->value = ct_value_int(value);
    }
    lexer->at = token->end;
}

static void lex_text(struct ct_lexer *lexer, struct ct_token *token)
{
    const char *from = lexer->text->text + lexer->at + 1;
    const char *close = memchr(from, '\'', lexer->end - lexer->at - 1);

    if (!close) {
        COMPLAIN(lexer, lexer->at, "unterminated quote; close it with '");
        token->kind = CT_TOK_BAD;
        lexer->at = lexer->end;
    } else {
        token->kind = CT_TOK_TEXT;
        lexer->at = (size_t)(close + 1 - lexer->text->text);
    }
    token->end = lexer->at;
}

/* Bytes of the UTF-8 character at `at`, so that a message shows it complete. */
static int char_bytes(const struct ct_lexer *lexer, size_t at)
{
    size_t end = at + 1;

    while (end < lexer->end && ((unsigned char)lexer->text->text[end] & 0xC0) == 0x80)
        end++;
    return (int)(end - at);
}

static void lex_operator(struct ct_lexer *lexer, struct ct_token *token)
{
    static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    const char *text = lexer->text->text + lexer->at;

    token->kind = CT_TOK_OP;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (lexer->end - lexer->at >= 2 && memcmp(text, pairs[i], 2) == 0) {
            token->op = CT_OP2(text[0], text[1]);
            token->end = lexer->at += 2;
            return;
        }
    token->op = (unsigned char)*text;
    token->end = lexer->at + 1;
    if (!strchr("+-*/%<>!~&|^?:(),", *text)) {
        token->kind = CT_TOK_BAD;
        if (*text == '=')
            COMPLAIN(
                lexer, lexer->at,
                "'=' is not an operator: write '==' to compare; a new key must not be "
                "indented deeper than the key above it");
        else if (*text == '#')
            COMPLAIN(lexer, lexer->at,
                     "'#' begins a comment only at the start of a line; after a value "
                     "write ';'");
        else if (*text == '[' || *text == ']' || *text == '{' || *text == '}')
            COMPLAIN(lexer, lexer->at,
                     "unexpected '%c': lists are written without brackets", *text);
        else if (*text == '$')
            COMPLAIN(lexer, lexer->at,
                     "'${NAME}' belongs in texts; in an expression write NAME");
        else if (*text == '"')
            COMPLAIN(lexer, lexer->at, "text requires single quotes");
        else if (*text == '.' && lexer->end - lexer->at >= 2 && text[1] == '.')
            COMPLAIN(lexer, lexer->at,
                     "a range 'a..b' is allowed only as an entry of a list");
        else
            COMPLAIN(lexer, lexer->at, "unexpected character '%.*s'",
                     char_bytes(lexer, lexer->at), text);
    }
    lexer->at++;
}

void ct_expr_lex(struct ct_lexer *lexer, struct ct_token *token)
{
    const char *text = lexer->text->text;

    while (lexer->at < lexer->end && strchr(" \t\n", text[lexer->at]))
        lexer->at++;
    memset(token, 0, sizeof(*token));
    token->begin = token->end = lexer->at;
    if (lexer->at >= lexer->end) {
        token->kind = CT_TOK_END;
    } else if (is_digit(text[lexer->at]) ||
               (text[lexer->at] == '.' && lexer->at + 1 < lexer->end &&
                is_digit(text[lexer->at + 1]))) {
        lex_number(lexer, token);
    } else if (is_word_char(text[lexer->at])) {
        token->kind = CT_TOK_NAME;
        while (lexer->at < lexer->end && is_word_char(text[lexer->at]))
            lexer->at++;
        token->end = lexer->at;
    } else if (text[lexer->at] == '\'') {
        lex_text(lexer, token);
    } else {
        lex_operator(lexer, token);
    }
}
