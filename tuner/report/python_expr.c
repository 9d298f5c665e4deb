// SPDX-License-Identifier: Apache-2.0
// Stored constraints as Python expressions.
#include "report/python_expr.h"

#include "plan/json.h"
#include "spacefile/expr/expr.h"

#include <string.h>

/* Slots are parameters, then sizes. */
struct scope {
    const struct ct_export_answer *answer;
    struct ct_str *out;
    json_t *params;
    size_t before; /* length of the text before this expression */
    bool failed;
};

/* Functions repeat their arguments, so that nesting them multiplies the text. */
enum { TEXT_BYTES = 64 << 10 };

static const struct ct_export_value *value_at(const struct scope *scope, int slot)
{
    size_t index = (size_t)slot;
    size_t params = scope->answer->config_count;

    return index < params ? &scope->answer->config[index]
                          : &scope->answer->problem[index - params];
}

static int find_name(void *context, const char *name, size_t length,
                     struct ct_place place)
{
    struct scope *scope = context;
    size_t count = scope->answer->config_count + scope->answer->problem_count;

    (void)place;
    for (size_t i = 0; i < count; i++) {
        const char *own = value_at(scope, (int)i)->name;

        if (strlen(own) == length && memcmp(own, name, length) == 0)
            return (int)i;
    }
    return -1;
}

static enum ct_kind kind_of_name(void *context, int slot)
{
    return value_at(context, slot)->value.kind;
}

static const char *operator_of(const struct ct_node *node)
{
    static const char *const operators[] = {
        [CT_OP_MUL] = " * ",   [CT_OP_DIV] = " / ",    [CT_OP_MOD] = " % ",
        [CT_OP_ADD] = " + ",   [CT_OP_SUB] = " - ",    [CT_OP_SHL] = " << ",
        [CT_OP_SHR] = " >> ",  [CT_OP_LT] = " < ",     [CT_OP_LE] = " <= ",
        [CT_OP_GT] = " > ",    [CT_OP_GE] = " >= ",    [CT_OP_EQ] = " == ",
        [CT_OP_NE] = " != ",   [CT_OP_BITAND] = " & ", [CT_OP_BITXOR] = " ^ ",
        [CT_OP_BITOR] = " | ", [CT_OP_AND] = " and ",  [CT_OP_OR] = " or ",
    };

    if (node->op == CT_OP_DIV && node->kind == CT_INT)
        return " // ";
    return node->op < sizeof(operators) / sizeof(operators[0]) ? operators[node->op]
                                                               : NULL;
}

static bool is_truth(const struct ct_node *node)
{
    return (node->op >= CT_OP_LT && node->op <= CT_OP_NE) || node->op == CT_OP_AND ||
           node->op == CT_OP_OR || node->op == CT_OP_NOT;
}

static void put_node(struct scope *scope, const struct ct_node *node);

/* A condition: Python's `and` and `or` give one of their operands, not 1 or 0. */
static void put_truth(struct scope *scope, const struct ct_node *node)
{
    if (!is_truth(node))
        ct_str_putc(scope->out, '(');
    put_node(scope, node);
    if (!is_truth(node))
        ct_str_puts(scope->out, " != 0)");
}

static void put_value(struct scope *scope, struct ct_value value)
{
    char *text;
    json_t *json = ct_json_value(&value);

    /* JSON's texts are Python's, too. */
    text = json_dumps(json, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    scope->failed |= !text;
    if (text)
        ct_str_puts(scope->out, text);
    free(text);
    json_decref(json);
}

static void put_name(struct scope *scope, int slot)
{
    const struct ct_export_value *value = value_at(scope, slot);
    bool known = false;

    if ((size_t)slot >= scope->answer->config_count) {
        put_value(scope, value->value);
        return;
    }
    ct_str_puts(scope->out, value->name);
    for (size_t i = 0; i < json_array_size(scope->params); i++)
        known |=
            strcmp(json_string_value(json_array_get(scope->params, i)), value->name) == 0;
    if (!known)
        json_array_append_new(scope->params, ct_json_text(value->name));
}

/* Functions that Python writes with operators: `1` and `2` stand for the arguments. */
static const struct {
    const char *name;
    const char *form;
} forms[] = {
    {"min", NULL},
    {"max", NULL},
    {"abs", NULL},
    {"pow", NULL},
    {"int", NULL},
    {"float", NULL},
    {"ceildiv", "(1 + 2 - one) // 2"},
    {"roundup", "(1 + 2 - one) // 2 * 2"},
    {"divides", "2 % 1 == 0"},
    {"ispow2", "1 > 0 and 1 & (1 - one) == 0"},
};

static void put_form(struct scope *scope, const struct ct_node *node, const char *form)
{
    ct_str_putc(scope->out, '(');
    for (const char *at = form; *at; at++) {
        if (*at == '1' || *at == '2') {
            put_node(scope, node->args[*at - '1']);
        } else if (strncmp(at, "one", 3) == 0) {
            ct_str_putc(scope->out, '1');
            at += 2;
        } else {
            ct_str_putc(scope->out, *at);
        }
    }
    ct_str_putc(scope->out, ')');
}

static void put_call(struct scope *scope, const struct ct_node *node)
{
    const char *name = ct_expr_functions[node->function].name;

    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        if (strcmp(forms[f].name, name) != 0)
            continue;
        if (forms[f].form) {
            put_form(scope, node, forms[f].form);
            return;
        }
        ct_str_addf(scope->out, "%s(", name);
        for (size_t i = 0; i < node->arg_count; i++) {
            ct_str_puts(scope->out, i ? ", " : "");
            put_node(scope, node->args[i]);
        }
        ct_str_putc(scope->out, ')');
        return;
    }
    scope->failed = true;
}

static void put_unary(struct scope *scope, const struct ct_node *node)
{
    ct_str_puts(scope->out, node->op == CT_OP_NEG   ? "(-"
                            : node->op == CT_OP_NOT ? "(not "
                                                    : "(~");
    put_node(scope, node->args[0]);
    ct_str_putc(scope->out, ')');
}

static void put_node(struct scope *scope, const struct ct_node *node)
{
    bool logical = node->op == CT_OP_AND || node->op == CT_OP_OR;

    scope->failed |= scope->out->length - scope->before > TEXT_BYTES;
    if (scope->failed)
        return;
    switch (node->op) {
    case CT_OP_CONST:
        put_value(scope, node->value);
        return;
    case CT_OP_NAME:
        put_name(scope, node->slot);
        return;
    case CT_OP_NEG:
    case CT_OP_NOT:
    case CT_OP_BITNOT:
        put_unary(scope, node);
        return;
    case CT_OP_CALL:
        put_call(scope, node);
        return;
    case CT_OP_COND:
        ct_str_putc(scope->out, '(');
        put_node(scope, node->args[1]);
        ct_str_puts(scope->out, " if ");
        put_truth(scope, node->args[0]);
        ct_str_puts(scope->out, " else ");
        put_node(scope, node->args[2]);
        ct_str_putc(scope->out, ')');
        return;
    default:
        break;
    }
    ct_str_putc(scope->out, '(');
    for (size_t i = 0; i < node->arg_count; i++) {
        ct_str_puts(scope->out, i ? operator_of(node) : "");
        if (logical)
            put_truth(scope, node->args[i]);
        else
            put_node(scope, node->args[i]);
    }
    ct_str_putc(scope->out, ')');
}

/* Texts are a stranger's if the database is. */
enum { EXPRESSION_BYTES = 4000 };

bool ct_python_expr_put(struct ct_str *out, const struct ct_export_answer *answer,
                        const char *text, json_t *params)
{
    size_t length = strlen(text);
    size_t before = out->length;
    struct ct_arena arena = {0};
    struct ct_diags diags = {0};
    struct scope scope = {answer, out, params, before, false};
    struct ct_place *places = ct_arena_array(&arena, length + 1, sizeof(*places));
    const struct ct_text whole = {"", text, length, places};
    const struct ct_scope names = {find_name, kind_of_name, &scope, NULL};
    const struct ct_expr *expr = NULL;

    if (places && length <= EXPRESSION_BYTES)
        expr = ct_expr_compile(&arena, &whole, 0, length, &names, &diags);
    if (expr)
        put_node(&scope, expr->root);
    ct_diags_release(&diags);
    ct_arena_release(&arena);
    if (expr && !scope.failed)
        return true;
    out->length = before;
    out->data[before] = '\0';
    return false;
}
