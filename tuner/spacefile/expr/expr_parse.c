// SPDX-License-Identifier: Apache-2.0
// The grammar of expressions: precedence climbing, with kinds as far as known.
#include "spacefile/expr/expr_impl.h"

#include <string.h>

struct parser {
    struct ct_arena *arena;
    struct ct_lexer *lexer;
    const struct ct_scope *scope;
    struct ct_token token;
    unsigned nesting;
    bool wrong; /* a diagnosis was made that does not stop parsing (an unknown name) */
    bool nomem;
};

static const struct binary_op {
    int token;
    int precedence; /* as in C: the higher binds first */
    enum ct_op op;
    const char *name;
} binary_ops[] = {
    {CT_OP2('|', '|'), 1, CT_OP_OR, "||"},
    {CT_OP2('&', '&'), 2, CT_OP_AND, "&&"},
    {'|', 3, CT_OP_BITOR, "|"},
    {'^', 4, CT_OP_BITXOR, "^"},
    {'&', 5, CT_OP_BITAND, "&"},
    {CT_OP2('=', '='), 6, CT_OP_EQ, "=="},
    {CT_OP2('!', '='), 6, CT_OP_NE, "!="},
    {'<', 7, CT_OP_LT, "<"},
    {CT_OP2('<', '='), 7, CT_OP_LE, "<="},
    {'>', 7, CT_OP_GT, ">"},
    {CT_OP2('>', '='), 7, CT_OP_GE, ">="},
    {CT_OP2('<', '<'), 8, CT_OP_SHL, "<<"},
    {CT_OP2('>', '>'), 8, CT_OP_SHR, ">>"},
    {'+', 9, CT_OP_ADD, "+"},
    {'-', 9, CT_OP_SUB, "-"},
    {'*', 10, CT_OP_MUL, "*"},
    {'/', 10, CT_OP_DIV, "/"},
    {'%', 10, CT_OP_MOD, "%"},
};

enum { PRECEDENCE_EQUAL = 6, PRECEDENCE_COMPARE = 7 };

const char *ct_expr_operator(enum ct_op op, int *precedence)
{
    for (size_t i = 0; i < sizeof(binary_ops) / sizeof(binary_ops[0]); i++)
        if (binary_ops[i].op == op) {
            *precedence = binary_ops[i].precedence;
            return binary_ops[i].name;
        }
    return NULL;
}

#define COMPLAIN(p, at, ...)                                                             \
    ct_diags_add((p)->lexer->diags, CT_ERROR, (p)->lexer->text->file, (at).line,         \
                 (at).column, __VA_ARGS__)

static struct ct_place place_of(const struct parser *p, size_t at)
{
    return ct_text_place(p->lexer->text, at);
}

static void next_token(struct parser *p)
{
    ct_expr_lex(p->lexer, &p->token);
}

static bool at_op(const struct parser *p, int op)
{
    return p->token.kind == CT_TOK_OP && p->token.op == op;
}

/* Whether the token is the first of its line, which continues the one above. */
static bool begins_line(const struct parser *p)
{
    size_t begin = p->token.begin;

    return begin > 0 && place_of(p, begin).line != place_of(p, begin - 1).line;
}

/* Reports an operand in place of an operator. */
static void unexpected_operand(struct parser *p)
{
    const char *word = p->lexer->text->text + p->token.begin;
    size_t length = p->token.end - p->token.begin;
    const char *ours = ct_expr_foreign_word(word, length);
    struct ct_place place = place_of(p, p->token.begin);

    if (ours)
        COMPLAIN(p, place, "'%.*s' is not an operator: %s", (int)length, word, ours);
    else
        COMPLAIN(p, place,
                 "an operator is missing before '%.*s'; entries of a list have commas "
                 "between them",
                 length > 40 ? 40 : (int)length, word);
}

/* Reports an unexpected token; lexical errors have been reported already. */
static struct ct_node *unexpected(struct parser *p, const char *wanted)
{
    size_t length = p->token.end - p->token.begin;
    struct ct_place place = place_of(p, p->token.begin);

    if (p->token.kind == CT_TOK_BAD)
        return NULL;
    if (p->token.kind == CT_TOK_END)
        COMPLAIN(p, place, "the expression ends too early: %s is missing", wanted);
    else if (at_op(p, '*') && p->token.begin &&
             p->lexer->text->text[p->token.begin - 1] == '*')
        COMPLAIN(
            p, place,
            "'**' is not an operator: write pow(a, b), or 1 << n for a power of two");
    else if (p->token.kind != CT_TOK_OP && !begins_line(p))
        unexpected_operand(p);
    else
        COMPLAIN(p, place, "unexpected '%.*s': expected %s%s",
                 length > 40 ? 40 : (int)length, p->lexer->text->text + p->token.begin,
                 wanted,
                 begins_line(p) ? "; a new key must not be indented deeper than the key "
                                  "above it"
                                : "");
    return NULL;
}

static struct ct_node *new_node(struct parser *p, enum ct_op op, enum ct_kind kind,
                                struct ct_place place, size_t arg_count)
{
    struct ct_node *node = ct_arena_alloc(p->arena, sizeof(*node));

    if (node && arg_count)
        node->args = ct_arena_array(p->arena, arg_count, sizeof(node->args[0]));
    if (!node || (arg_count && !node->args)) {
        p->nomem = true;
        return NULL;
    }
    node->op = op;
    node->kind = kind;
    node->place = place;
    node->arg_count = arg_count;
    node->height = 1;
    return node;
}

/* Adds an operand to a node; false if the tree becomes too high to walk. */
static bool adopt(struct parser *p, struct ct_node *node, size_t index,
                  const struct ct_node *arg)
{
    node->args[index] = arg;
    if (arg->height >= node->height)
        node->height = arg->height + 1;
    if (node->height > CT_EXPR_HEIGHT_MAX) {
        COMPLAIN(p, node->place,
                 "the expression is too long: split it with names in [let]");
        return false;
    }
    return true;
}

static bool enter_nesting(struct parser *p, struct ct_place place)
{
    if (p->nesting == CT_EXPR_NESTING_MAX) {
        COMPLAIN(p, place, "the expression nests more than %d deep", CT_EXPR_NESTING_MAX);
        return false;
    }
    p->nesting++;
    return true;
}

/* Reports an operand whose known kind cannot be right. */
static void want_number(struct parser *p, const struct ct_node *node, const char *of)
{
    if (node->kind == CT_TEXT) {
        COMPLAIN(p, node->place, "'%s' requires a number, not text", of);
        p->wrong = true;
    }
}

static void want_integer(struct parser *p, const struct ct_node *node, const char *of)
{
    want_number(p, node, of);
    if (node->kind == CT_REAL) {
        COMPLAIN(p, node->place,
                 "'%s' requires an integer, not a real; convert it with int()", of);
        p->wrong = true;
    }
}

/* Reports an argument whose known kind cannot be right. */
static void want_argument(struct parser *p, const struct ct_node *arg, size_t index,
                          const struct ct_expr_function *function)
{
    char takes = ct_expr_takes(function, index);

    if (takes == CT_TAKES_NUMBER)
        want_number(p, arg, function->name);
    else if (takes == CT_TAKES_INTEGER)
        want_integer(p, arg, function->name);
    else if (!(takes == CT_TAKES_NAME && p->wrong) && /* its name may be unknown */
             !ct_expr_check_text_argument(p->lexer, p->scope, function, index, arg))
        p->wrong = true;
}

static enum ct_kind arithmetic_kind(const struct ct_node *a, const struct ct_node *b)
{
    if (a->kind == CT_REAL || b->kind == CT_REAL)
        return CT_REAL;
    return a->kind == CT_INT && b->kind == CT_INT ? CT_INT : CT_NONE;
}

static enum ct_kind check_binary(struct parser *p, const struct binary_op *row,
                                 const struct ct_node *a, const struct ct_node *b,
                                 struct ct_place place)
{
    switch (row->op) {
    case CT_OP_EQ:
    case CT_OP_NE:
        if (a->kind != CT_NONE && b->kind != CT_NONE &&
            (a->kind == CT_TEXT) != (b->kind == CT_TEXT)) {
            COMPLAIN(p, place, "'%s' compares text with a number", row->name);
            p->wrong = true;
        }
        return CT_INT;
    case CT_OP_ADD:
    case CT_OP_SUB:
    case CT_OP_MUL:
    case CT_OP_DIV:
        want_number(p, a, row->name);
        want_number(p, b, row->name);
        return arithmetic_kind(a, b);
    case CT_OP_MOD:
    case CT_OP_SHL:
    case CT_OP_SHR:
    case CT_OP_BITAND:
    case CT_OP_BITXOR:
    case CT_OP_BITOR:
        want_integer(p, a, row->name);
        want_integer(p, b, row->name);
        return CT_INT;
    default:
        want_number(p, a, row->name);
        want_number(p, b, row->name);
        return CT_INT;
    }
}

static struct ct_node *parse_cond(struct parser *p);

static struct ct_node *parse_number(struct parser *p)
{
    struct ct_node *node =
        new_node(p, CT_OP_CONST, p->token.value.kind, place_of(p, p->token.begin), 0);

    if (node)
        node->value = p->token.value;
    next_token(p);
    return node;
}

static struct ct_node *parse_text(struct parser *p)
{
    struct ct_node *node =
        new_node(p, CT_OP_CONST, CT_TEXT, place_of(p, p->token.begin), 0);
    const char *copy = ct_arena_copy(p->arena, p->lexer->text->text + p->token.begin + 1,
                                     p->token.end - p->token.begin - 2);

    if (!node || !copy) {
        p->nomem = true;
        return NULL;
    }
    node->value = ct_value_text(copy);
    next_token(p);
    return node;
}

/* on, off, true and false; -1 for any other word. */
static int boolean_word(const char *name, size_t length)
{
    static const struct {
        const char *word;
        int value;
    } words[] = {{"on", 1}, {"off", 0}, {"true", 1}, {"false", 0}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i].word) == length && memcmp(words[i].word, name, length) == 0)
            return words[i].value;
    return -1;
}

static bool unknown_function(struct parser *p, const char *name, size_t length,
                             struct ct_place place)
{
    const char *names[64];
    char word[64];
    const char *ours;
    const char *hint;

    if ((length == 4 && memcmp(name, "pow2", 4) == 0) ||
        (length == 8 && memcmp(name, "divisors", 8) == 0)) {
        COMPLAIN(p, place, "'%.*s' is allowed only as an entry of a parameter's list",
                 (int)length, name);
        return false;
    }
    ours = ct_expr_foreign_function(name, length);
    if (ours) {
        COMPLAIN(p, place, "unknown function '%.*s': %s", (int)length, name, ours);
        return false;
    }
    for (size_t i = 0; i < ct_expr_function_count; i++)
        names[i] = ct_expr_functions[i].name;
    length = length < sizeof(word) - 1 ? length : sizeof(word) - 1;
    memcpy(word, name, length);
    word[length] = '\0';
    hint = ct_str_suggest(word, names, ct_expr_function_count);
    COMPLAIN(p, place, "unknown function '%s'%s%s%s", word,
             hint ? "; did you mean '" : "", hint ? hint : "", hint ? "'?" : "");
    return false;
}

/* Reads arguments up to the closing parenthesis into args[]; false after a diagnosis. */
static bool parse_args(struct parser *p, struct ct_node **args, size_t room,
                       size_t *count)
{
    *count = 0;
    next_token(p);
    if (!at_op(p, ')'))
        for (;;) {
            struct ct_node *arg = parse_cond(p);

            if (!arg)
                return false;
            if (*count < room)
                args[*count] = arg;
            ++*count;
            if (!at_op(p, ','))
                break;
            next_token(p);
        }
    if (!at_op(p, ')')) {
        unexpected(p, "')'");
        return false;
    }
    next_token(p);
    return true;
}

static struct ct_node *parse_call(struct parser *p, const char *name, size_t length,
                                  struct ct_place place)
{
    int index = ct_expr_find_function(name, length);
    const struct ct_expr_function *function =
        index < 0 ? NULL : &ct_expr_functions[index];
    struct ct_node *args[CT_EXPR_ARGS_MAX];
    struct ct_node *node;
    size_t count;

    if (!function && !unknown_function(p, name, length, place))
        p->wrong = true;
    if (!enter_nesting(p, place) || !parse_args(p, args, CT_EXPR_ARGS_MAX, &count))
        return NULL;
    p->nesting--;
    if (!function)
        return new_node(p, CT_OP_CONST, CT_NONE, place, 0);
    if (count < function->least || count > function->most) {
        size_t limit = count < function->least ? function->least : function->most;

        COMPLAIN(p, place, "'%s' takes %s%zu argument%s, not %zu", function->name,
                 function->least == function->most ? ""
                 : count < function->least         ? "at least "
                                                   : "at most ",
                 limit, limit == 1 ? "" : "s", count);
        p->wrong = true;
        count = count < CT_EXPR_ARGS_MAX ? count : CT_EXPR_ARGS_MAX;
    }
    node = new_node(p, CT_OP_CALL, function->result, place, count);
    if (!node)
        return NULL;
    node->function = index;
    for (size_t i = 0; i < count; i++) {
        want_argument(p, args[i], i, function);
        if (!adopt(p, node, i, args[i]))
            return NULL;
        if (function->result == CT_NONE)
            node->kind = i ? arithmetic_kind(node, args[i]) : args[i]->kind;
    }
    return node;
}

static struct ct_node *parse_name(struct parser *p)
{
    const char *name = p->lexer->text->text + p->token.begin;
    size_t length = p->token.end - p->token.begin;
    struct ct_place place = place_of(p, p->token.begin);
    int boolean = boolean_word(name, length);
    struct ct_node *node;
    int slot;

    next_token(p);
    if (at_op(p, '('))
        return parse_call(p, name, length, place);
    if (boolean >= 0) {
        node = new_node(p, CT_OP_CONST, CT_INT, place, 0);
        if (node)
            node->value = ct_value_int(boolean);
        return node;
    }
    if (length == 3 && memcmp(name, "not", 3) == 0) {
        COMPLAIN(p, place, "'not' is not an operator: write '!'");
        return NULL;
    }
    slot = p->scope->find(p->scope->context, name, length, place);
    node = new_node(p, CT_OP_NAME, CT_NONE, place, 0);
    if (!node)
        return NULL;
    if (slot < 0)
        p->wrong = true;
    else
        node->kind = p->scope->kind(p->scope->context, slot);
    node->slot = slot;
    return node;
}

static struct ct_node *parse_primary(struct parser *p)
{
    struct ct_node *node;

    switch (p->token.kind) {
    case CT_TOK_NUMBER:
        return parse_number(p);
    case CT_TOK_TEXT:
        return parse_text(p);
    case CT_TOK_NAME:
        return parse_name(p);
    case CT_TOK_OP:
        if (p->token.op != '(')
            break;
        if (!enter_nesting(p, place_of(p, p->token.begin)))
            return NULL;
        next_token(p);
        node = parse_cond(p);
        if (!node)
            return NULL;
        if (!at_op(p, ')'))
            return unexpected(p, "')'");
        p->nesting--;
        next_token(p);
        return node;
    case CT_TOK_END:
    case CT_TOK_BAD:
        break;
    }
    return unexpected(p, "a value");
}

static struct ct_node *parse_unary(struct parser *p)
{
    struct ct_place place = place_of(p, p->token.begin);
    struct ct_node *operand;
    struct ct_node *node;
    int op = p->token.op;
    char name[2] = {(char)op, '\0'};

    if (p->token.kind != CT_TOK_OP || (op != '-' && op != '+' && op != '!' && op != '~'))
        return parse_primary(p);
    if (!enter_nesting(p, place))
        return NULL;
    next_token(p);
    operand = parse_unary(p);
    if (!operand)
        return NULL;
    p->nesting--;
    if (op == '~')
        want_integer(p, operand, name);
    else
        want_number(p, operand, name);
    if (op == '+')
        return operand;
    node = new_node(p,
                    op == '-'   ? CT_OP_NEG
                    : op == '!' ? CT_OP_NOT
                                : CT_OP_BITNOT,
                    op == '-' ? operand->kind : CT_INT, place, 1);
    return node && adopt(p, node, 0, operand) ? node : NULL;
}

static const struct binary_op *binary_at(const struct parser *p)
{
    if (p->token.kind == CT_TOK_OP)
        for (size_t i = 0; i < sizeof(binary_ops) / sizeof(binary_ops[0]); i++)
            if (binary_ops[i].token == p->token.op)
                return &binary_ops[i];
    return NULL;
}

static bool compares(const struct binary_op *row)
{
    return row->precedence == PRECEDENCE_EQUAL || row->precedence == PRECEDENCE_COMPARE;
}

static struct ct_node *parse_binary(struct parser *p, int least)
{
    struct ct_node *left = parse_unary(p);
    const struct binary_op *row;
    int compared = 0; /* precedence of the previous comparison */

    while (left && (row = binary_at(p)) && row->precedence >= least) {
        struct ct_place place = place_of(p, p->token.begin);
        struct ct_node *right;
        struct ct_node *node;

        if (compares(row) && compared == row->precedence) {
            COMPLAIN(p, place,
                     "'%s' would compare the result of a comparison, 0 or 1: write two "
                     "comparisons, such as a < b && b < c",
                     row->name);
            p->wrong = true;
        }
        compared = row->precedence;
        next_token(p);
        right = parse_binary(p, row->precedence + 1);
        if (!right)
            return NULL;
        node = new_node(p, row->op, check_binary(p, row, left, right, place), place, 2);
        if (!node || !adopt(p, node, 0, left) || !adopt(p, node, 1, right))
            return NULL;
        left = node;
    }
    return left;
}

static enum ct_kind branch_kind(struct parser *p, const struct ct_node *a,
                                const struct ct_node *b, struct ct_place place)
{
    if (a->kind == CT_NONE || b->kind == CT_NONE)
        return CT_NONE;
    if ((a->kind == CT_TEXT) != (b->kind == CT_TEXT)) {
        COMPLAIN(p, place, "one branch of '?:' is text and the other a number");
        p->wrong = true;
    }
    return a->kind == b->kind ? a->kind : CT_REAL;
}

static struct ct_node *parse_cond(struct parser *p)
{
    struct ct_node *test = parse_binary(p, 1);
    struct ct_place place = place_of(p, p->token.begin);
    struct ct_node *yes;
    struct ct_node *no;
    struct ct_node *node;

    if (!test || !at_op(p, '?'))
        return test;
    want_number(p, test, "?:");
    if (!enter_nesting(p, place))
        return NULL;
    next_token(p);
    yes = parse_cond(p);
    if (!yes)
        return NULL;
    if (!at_op(p, ':'))
        return unexpected(p, "':'");
    next_token(p);
    no = parse_cond(p);
    if (!no)
        return NULL;
    p->nesting--;
    node = new_node(p, CT_OP_COND, branch_kind(p, yes, no, place), place, 3);
    if (!node || !adopt(p, node, 0, test) || !adopt(p, node, 1, yes) ||
        !adopt(p, node, 2, no))
        return NULL;
    return node;
}

const struct ct_node *ct_expr_parse(struct ct_arena *arena, struct ct_lexer *lexer,
                                    const struct ct_scope *scope, bool *nomem)
{
    struct parser p = {.arena = arena, .lexer = lexer, .scope = scope};
    struct ct_node *node;

    next_token(&p);
    node = parse_cond(&p);
    if (node && p.token.kind != CT_TOK_END)
        node = unexpected(&p, "an operator or the end");
    *nomem = p.nomem;
    return p.wrong || p.nomem ? NULL : node;
}
