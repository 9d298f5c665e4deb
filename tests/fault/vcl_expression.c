// SPDX-License-Identifier: Apache-2.0
// Integer expressions of #if, of array lengths and of work-group sizes.

#include "vcl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at;
    bool strict;         // names are errors
    bool skipping;       // in an operand that && || ?: do not evaluate
    unsigned depth;      // of parentheses and unary operators
    const char *problem; // the first one
};

// Binary operators with their precedence, longer spellings first.
static const struct operator
{
    char text[3];
    int rank;
}
operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
    {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

static int64_t conditional(struct reader *reader);

static void skip(struct reader *reader)
{
    while (*reader->at == '\n' || vcl_skip(reader->at) != reader->at)
        reader->at = *reader->at == '\n' ? reader->at + 1 : vcl_skip(reader->at);
}

static int64_t fail(struct reader *reader, const char *problem)
{
    if (!reader->problem)
        reader->problem = problem;
    return 0;
}

static int64_t number(struct reader *reader)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(reader->at, &end, 0);
    if (errno)
        return fail(reader, "number too large");
    while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L')
        end++;
    if (vcl_name_part(*end) || *end == '.')
        return fail(reader, "not an integer");
    reader->at = end;
    return (int64_t)value;
}

static int64_t name(struct reader *reader)
{
    if (reader->strict)
        return fail(reader, "unknown name");
    while (vcl_name_part(*reader->at))
        reader->at++;
    skip(reader);
    if (*reader->at == '(')
        return fail(reader, "a function or an undefined macro in an expression");
    return 0;
}

static int64_t unary(struct reader *reader)
{
    skip(reader);
    char letter = *reader->at;
    if (reader->depth >= 200)
        return fail(reader, "expression too deep");
    reader->depth++;
    int64_t value = 0;
    if (letter == '(') {
        reader->at++;
        value = conditional(reader);
        skip(reader);
        if (*reader->at == ')')
            reader->at++;
        else
            fail(reader, "missing )");
    } else if (letter == '!' || letter == '~' || letter == '-' || letter == '+') {
        reader->at++;
        value = unary(reader);
        if (letter == '!')
            value = !value;
        else if (letter == '~')
            value = ~value;
        else if (letter == '-')
            value = (int64_t)(0 - (uint64_t)value);
    } else if (letter >= '0' && letter <= '9') {
        value = number(reader);
    } else if (vcl_name_start(letter)) {
        value = name(reader);
    } else {
        fail(reader, letter ? "unexpected character in expression" : "expression ends");
    }
    reader->depth--;
    return value;
}

static int64_t divide(struct reader *reader, char sign, int64_t left, int64_t right)
{
    if (right == 0)
        return reader->skipping ? 0 : fail(reader, "division by zero");
    if (right == -1) // INT64_MIN / -1 overflows
        return sign == '/' ? (int64_t)(0 - (uint64_t)left) : 0;
    return sign == '/' ? left / right : left % right;
}

static int64_t apply(struct reader *reader, const struct operator* sign, int64_t left,
                     int64_t right)
{
    uint64_t a = (uint64_t)left, b = (uint64_t)right;
    switch (sign->text[0]) {
    case '|':
        return sign->text[1] ? left || right : (int64_t)(a | b);
    case '&':
        return sign->text[1] ? left && right : (int64_t)(a & b);
    case '^':
        return (int64_t)(a ^ b);
    case '=':
        return left == right;
    case '!':
        return left != right;
    case '<':
        if (sign->text[1] == '<')
            return (int64_t)(a << (b & 63));
        return sign->text[1] ? left <= right : left < right;
    case '>':
        if (sign->text[1] == '>')
            return left >> (b & 63);
        return sign->text[1] ? left >= right : left > right;
    case '+':
        return (int64_t)(a + b);
    case '-':
        return (int64_t)(a - b);
    case '*':
        return (int64_t)(a * b);
    default:
        return divide(reader, sign->text[0], left, right);
    }
}

static const struct operator* peek(struct reader *reader)
{
    skip(reader);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strncmp(reader->at, operators[i].text, strlen(operators[i].text)) == 0)
            return &operators[i];
    return NULL;
}

static int64_t binary(struct reader *reader, int rank)
{
    int64_t left = unary(reader);
    const struct operator* sign;
    while (!reader->problem && (sign = peek(reader)) && sign->rank >= rank) {
        reader->at += strlen(sign->text);
        bool skipping = reader->skipping;
        if ((sign->rank == 1 && left) || (sign->rank == 2 && !left))
            reader->skipping = true;
        int64_t right = binary(reader, sign->rank + 1);
        left = apply(reader, sign, left, right);
        reader->skipping = skipping;
    }
    return left;
}

static int64_t conditional(struct reader *reader)
{
    int64_t test = binary(reader, 1);
    skip(reader);
    if (reader->problem || *reader->at != '?')
        return test;
    bool skipping = reader->skipping;
    reader->at++;
    reader->skipping = skipping || !test;
    int64_t yes = conditional(reader);
    skip(reader);
    if (*reader->at != ':')
        return fail(reader, "missing :");
    reader->at++;
    reader->skipping = skipping || test;
    int64_t no = conditional(reader);
    reader->skipping = skipping;
    return test ? yes : no;
}

bool vcl_evaluate(const char *text, bool strict, int64_t *result, const char **problem)
{
    struct reader reader = {.at = text, .strict = strict};
    *result = conditional(&reader);
    skip(&reader);
    if (!reader.problem && *reader.at)
        fail(&reader, "unexpected text behind the expression");
    *problem = reader.problem;
    return !reader.problem;
}
