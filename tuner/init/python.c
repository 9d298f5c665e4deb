// SPDX-License-Identifier: Apache-2.0
// Reads Python by recursive descent and writes C's operators.
#include "init/python.h"

#include "spacefile/source_word.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* How tightly operators of space files bind (doc/space-file.md). */
enum level {
    LEVEL_CHOICE,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_EQUAL,
    LEVEL_LESS,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_UNARY,
    LEVEL_ATOM
};

enum { DEEPEST = 64, WORD = 64 };

struct part {
    const char *text; /* NULL: it has no counterpart */
    enum level level;
};

struct reader {
    struct ct_arena *arena;
    const char *at;
    bool whole;
    int depth;
};

static const struct part nothing = {NULL, LEVEL_ATOM};

static struct part read_choice(struct reader *r);
static struct part read_bits(struct reader *r);

static void skip(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take_sign(struct reader *r, const char *sign)
{
    skip(r);
    if (strncmp(r->at, sign, strlen(sign)) != 0)
        return false;
    r->at += strlen(sign);
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);

    skip(r);
    if (strncmp(r->at, word, length) != 0 || ct_word_skip(r->at) != r->at + length)
        return false;
    r->at += length;
    return true;
}

/* The text, in parentheses if it binds less tightly. */
static const char *at_level(struct reader *r, struct part part, enum level level)
{
    return !part.text || part.level >= level
               ? part.text
               : ct_arena_format(r->arena, "(%s)", part.text);
}

static struct part join(struct reader *r, struct part left, const char *sign,
                        struct part right, enum level level)
{
    const char *a = at_level(r, left, level);
    const char *b = at_level(r, right, (enum level)(level + 1));

    return a && b
               ? (struct part){ct_arena_format(r->arena, "%s %s %s", a, sign, b), level}
               : nothing;
}

/* --- atoms --- */

static struct part read_text(struct reader *r)
{
    char quote = *r->at++;
    const char *begin = r->at;
    size_t length = strcspn(begin, quote == '"' ? "\"\\'\n" : "'\\\n");

    if (begin[length] != quote)
        return nothing;
    r->at += length + 1;
    return (struct part){ct_arena_format(r->arena, "'%.*s'", (int)length, begin),
                         LEVEL_ATOM};
}

static struct part read_number(struct reader *r)
{
    const char *begin = r->at;
    char *end;

    strtod(begin, &end);
    r->at = end;
    return (struct part){ct_arena_copy(r->arena, begin, (size_t)(end - begin)),
                         LEVEL_ATOM};
}

/* math.ceil(a / b) of whole numbers is ceildiv(a, b). */
static struct part read_ceil(struct reader *r)
{
    bool whole = r->whole;
    const char *text;
    const char *slash;

    r->whole = true;
    text = read_choice(r).text;
    r->whole = whole;
    slash = text ? strrchr(text, '/') : NULL;
    if (!take_sign(r, ")") || !slash || strchr(slash, ')') || strpbrk(slash, "+-*%"))
        return nothing;
    return (struct part){ct_arena_format(r->arena, "ceildiv(%.*s, %s)",
                                         (int)(slash - text - 1), text, slash + 2),
                         LEVEL_ATOM};
}

static struct part read_call(struct reader *r, const char *name)
{
    static const char *const known[] = {"min", "max",   "abs", "sqrt",
                                        "int", "float", "gcd"};
    const char *list = "";
    bool is_known = false;

    if (strcmp(name, "ceil") == 0)
        return read_ceil(r);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        is_known = is_known || strcmp(name, known[i]) == 0;
    while (is_known) {
        struct part part = read_choice(r);

        if (!part.text || !list)
            return nothing;
        list = ct_arena_format(r->arena, "%s%s%s", list, *list ? ", " : "", part.text);
        if (take_sign(r, ")"))
            return (struct part){
                ct_arena_format(r->arena, "%s(%s)", name, list ? list : ""), LEVEL_ATOM};
        if (!take_sign(r, ","))
            return nothing;
    }
    return nothing;
}

static struct part read_name(struct reader *r)
{
    char name[WORD];
    size_t length = (size_t)(ct_word_skip(r->at) - r->at);

    if (length >= sizeof(name))
        return nothing;
    memcpy(name, r->at, length);
    name[length] = '\0';
    r->at += length;
    if (strcmp(name, "math") == 0 && take_sign(r, "."))
        return read_name(r);
    if (take_sign(r, "("))
        return read_call(r, name);
    if (*r->at == '[' || *r->at == '.')
        return nothing;
    if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0)
        return (struct part){*name == 'T' ? "on" : "off", LEVEL_ATOM};
    return (struct part){ct_arena_copy(r->arena, name, length), LEVEL_ATOM};
}

static struct part read_atom(struct reader *r)
{
    struct part inner;

    skip(r);
    if (++r->depth > DEEPEST)
        return nothing;
    if (take_sign(r, "(")) {
        inner = read_choice(r);
        inner = take_sign(r, ")") ? inner : nothing;
    } else if (*r->at == '\'' || *r->at == '"') {
        inner = read_text(r);
    } else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        inner = read_number(r);
    } else {
        inner = ct_word_starts((unsigned char)*r->at) ? read_name(r) : nothing;
    }
    r->depth--;
    return inner;
}

/* --- operators --- */

static struct part read_unary(struct reader *r)
{
    static const char *const signs[] = {"-", "~", "+"};
    struct part part;

    for (size_t i = 0; i < 3; i++)
        if (take_sign(r, signs[i])) {
            const char *text;

            if (++r->depth > DEEPEST)
                return nothing;
            part = read_unary(r);
            r->depth--;
            text = at_level(r, part, LEVEL_UNARY);
            return text ? (struct part){ct_arena_format(r->arena, "%s%s", signs[i], text),
                                        LEVEL_UNARY}
                        : nothing;
        }
    part = read_atom(r);
    if (part.text && take_sign(r, "**")) {
        struct part power = read_unary(r);

        /* Whole powers of two are shifts; pow() is real. */
        if (!power.text || strcmp(part.text, "2") != 0)
            return nothing;
        return join(r, (struct part){"1", LEVEL_ATOM}, "<<", power, LEVEL_SHIFT);
    }
    return part;
}

static struct part read_product(struct reader *r)
{
    struct part left = read_unary(r);

    for (;;) {
        if (!left.text)
            return nothing;
        if (take_sign(r, "//")) {
            left = join(r, left, "/", read_unary(r), LEVEL_PRODUCT);
        } else if (take_sign(r, "/")) {
            if (!r->whole)
                left = (struct part){ct_arena_format(r->arena, "float(%s)", left.text),
                                     LEVEL_ATOM};
            left = join(r, left, "/", read_unary(r), LEVEL_PRODUCT);
        } else if (take_sign(r, "%")) {
            left = join(r, left, "%", read_unary(r), LEVEL_PRODUCT);
        } else if (take_sign(r, "*")) {
            left = join(r, left, "*", read_unary(r), LEVEL_PRODUCT);
        } else {
            return left;
        }
    }
}

static struct part read_sum(struct reader *r)
{
    struct part left = read_product(r);

    while (left.text) {
        if (take_sign(r, "+"))
            left = join(r, left, "+", read_product(r), LEVEL_SUM);
        else if (take_sign(r, "-"))
            left = join(r, left, "-", read_product(r), LEVEL_SUM);
        else
            break;
    }
    return left;
}

static struct part read_bits(struct reader *r)
{
    static const struct {
        const char *sign;
        enum level level;
    } signs[] = {{"<<", LEVEL_SHIFT},
                 {">>", LEVEL_SHIFT},
                 {"&", LEVEL_BIT_AND},
                 {"^", LEVEL_BIT_XOR},
                 {"|", LEVEL_BIT_OR}};
    struct part left = read_sum(r);
    bool found = true;

    /* Python's order of these is C's; parentheses keep what stands in a row. */
    while (left.text && found) {
        found = false;
        for (size_t i = 0; i < sizeof(signs) / sizeof(*signs) && !found; i++)
            if (take_sign(r, signs[i].sign)) {
                left = join(r, left, signs[i].sign, read_sum(r), signs[i].level);
                found = true;
            }
    }
    return left;
}

/* `x in (1, 2)`: x is one of them. */
static struct part read_members(struct reader *r, struct part left, bool negated)
{
    const char *close = take_sign(r, "[") ? "]" : take_sign(r, "(") ? ")" : NULL;
    struct part all = nothing;

    while (close && !take_sign(r, close)) {
        struct part one =
            join(r, left, negated ? "!=" : "==", read_choice(r), LEVEL_EQUAL);

        all = all.text ? join(r, all, negated ? "&&" : "||", one,
                              negated ? LEVEL_AND : LEVEL_OR)
                       : one;
        if (!all.text || (!take_sign(r, ",") && *r->at != *close))
            return nothing;
    }
    return all;
}

/* Comparisons chain: a < b < c. */
static struct part read_compare(struct reader *r)
{
    static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">"};
    struct part left = read_bits(r);
    struct part all = nothing;
    bool found = true;

    if (left.text && take_word(r, "in"))
        return read_members(r, left, false);
    if (left.text && take_word(r, "not"))
        return take_word(r, "in") ? read_members(r, left, true) : nothing;
    while (left.text && found) {
        found = false;
        for (size_t i = 0; i < 6 && !found; i++) {
            struct part right;
            struct part one;

            if (!take_sign(r, signs[i]))
                continue;
            found = true;
            right = read_bits(r);
            one = join(r, left, signs[i], right,
                       i == 2 || i == 3 ? LEVEL_EQUAL : LEVEL_LESS);
            all = all.text ? join(r, all, "&&", one, LEVEL_AND) : one;
            left = all.text ? right : nothing;
        }
    }
    return all.text ? all : left;
}

static struct part read_not(struct reader *r)
{
    const char *text;

    if (!take_word(r, "not"))
        return read_compare(r);
    if (++r->depth > DEEPEST)
        return nothing;
    text = at_level(r, read_not(r), LEVEL_UNARY);
    r->depth--;
    return text ? (struct part){ct_arena_format(r->arena, "!%s", text), LEVEL_UNARY}
                : nothing;
}

static struct part read_and(struct reader *r)
{
    struct part left = read_not(r);

    while (left.text && take_word(r, "and"))
        left = join(r, left, "&&", read_not(r), LEVEL_AND);
    return left;
}

static struct part read_or(struct reader *r)
{
    struct part left = read_and(r);

    while (left.text && take_word(r, "or"))
        left = join(r, left, "||", read_and(r), LEVEL_OR);
    return left;
}

static struct part read_choice(struct reader *r)
{
    struct part yes = read_or(r);
    struct part condition;
    struct part no;

    if (!yes.text || !take_word(r, "if"))
        return yes;
    condition = read_or(r);
    no = condition.text && take_word(r, "else") ? read_choice(r) : nothing;
    if (!no.text)
        return nothing;
    return (struct part){
        ct_arena_format(r->arena, "%s ? %s : %s", at_level(r, condition, LEVEL_OR),
                        at_level(r, yes, LEVEL_OR), at_level(r, no, LEVEL_OR)),
        LEVEL_CHOICE};
}

const char *ct_python_translate(struct ct_arena *arena, const char *text, bool whole)
{
    struct reader r = {.arena = arena, .at = text, .whole = whole};
    struct part part = read_choice(&r);

    skip(&r);
    return *r.at ? NULL : part.text;
}

/* --- lists --- */

static const char *read_range(struct reader *r, const char **first)
{
    const char *numbers[3] = {"0", NULL, "1"};
    size_t count = 0;
    const char *parts[3];

    while (count < 3) {
        parts[count] = read_choice(r).text;
        if (!parts[count++])
            return NULL;
        if (take_sign(r, ")"))
            break;
        if (!take_sign(r, ","))
            return NULL;
    }
    numbers[1] = parts[count > 1];
    if (count > 1)
        numbers[0] = parts[0];
    if (count > 2)
        numbers[2] = parts[2];
    *first = numbers[0];
    return ct_arena_format(r->arena, "%s..%s - 1 step %s", numbers[0], numbers[1],
                           numbers[2]);
}

const char *ct_python_values(struct ct_arena *arena, const char *text, const char **first)
{
    struct reader r = {.arena = arena, .at = text, .whole = true};
    const char *all = NULL;

    if (take_sign(&r, "range(") || take_sign(&r, "list(range(")) {
        all = read_range(&r, first);
        take_sign(&r, ")");
    } else {
        const char *close = take_sign(&r, "[") ? "]" : take_sign(&r, "(") ? ")" : NULL;

        while (close && !take_sign(&r, close)) {
            const char *one = read_choice(&r).text;

            if (one && !all)
                *first = one;
            all = !one ? NULL : all ? ct_arena_format(arena, "%s, %s", all, one) : one;
            if (!all || (!take_sign(&r, ",") && *r.at != *close))
                return NULL;
        }
    }
    skip(&r);
    return *r.at ? NULL : all;
}
