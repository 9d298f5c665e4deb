// SPDX-License-Identifier: Apache-2.0
// Evaluating made-up expressions with made-up values: no operation traps, the same gives
// the same, kinds are what the compiler said, only names that are listed matter, and what
// is printed reads back the same.
//
// Input: a byte for each name's value, then the expression.
#include "fuzz.h"

#include <math.h>

static const int64_t integers[16] = {
    0,        1,         -1,        2,         3,
    7,        16,        -16,       63,        64,
    255,      INT32_MAX, INT64_MAX, INT64_MIN, INT64_MIN + 1,
    1LL << 53};
static const double reals[16] = {0.0,    -0.0,   0.5,  1.0,       -1.0,    2.5,
                                 1e-300, 5e-324, 1e18, 9.2234e18, -9.3e18, 1e300,
                                 1e308,  -1e308, 1e-5, 64};
static const char *const texts[4] = {"", "evenodd", "a b", "'"};

static struct ct_value value_of(int slot, uint8_t byte)
{
    switch (fuzz_kind(NULL, slot)) {
    case CT_INT:
        return ct_value_int(byte < 128 ? integers[byte & 15] : (int64_t)byte - 192);
    case CT_REAL:
        return ct_value_real(byte < 128 ? reals[byte & 15] : (byte - 192) / 8.0);
    case CT_TEXT:
        return ct_value_text(texts[byte & 3]);
    default: /* u never has a value; v is of any kind */
        if (FUZZ_NAMES[slot] == 'u')
            return (struct ct_value){0};
        return value_of((byte & 3) == 0   ? 0
                        : (byte & 3) == 1 ? 3
                        : (byte & 3) == 2 ? 5
                                          : 7,
                        byte >> 2);
    }
}

/* The same to the sign of zero, which ct_value_equal passes over. */
static bool same(struct ct_value a, struct ct_value b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == CT_TEXT)
        return strcmp(a.u.s, b.u.s) == 0;
    if (a.kind == CT_REAL)
        return a.u.r == b.u.r && !signbit(a.u.r) == !signbit(b.u.r);
    return a.kind == CT_NONE || a.u.i == b.u.i;
}

struct outcome {
    enum ct_eval eval;
    struct ct_value value;
};

static struct outcome evaluate(const struct ct_expr *expr, const struct ct_value *env)
{
    struct outcome o = {CT_EVAL_OK, {0}};

    o.eval = ct_expr_eval(expr, env, &o.value);
    return o;
}

static bool agree(struct outcome a, struct outcome b)
{
    return a.eval == b.eval && same(a.value, b.value);
}

static const struct ct_expr *compile(struct ct_arena *arena, const char *source,
                                     size_t length, struct ct_diags *diags)
{
    struct ct_scope scope = {fuzz_find, fuzz_kind, diags, NULL};
    struct ct_text text = fuzz_text(source, length);
    const struct ct_expr *expr = ct_expr_compile(arena, &text, 0, length, &scope, diags);

    fuzz_text_free(&text); /* an expression keeps nothing of it */
    return expr;
}

static void check_result(const struct ct_expr *expr, struct outcome o)
{
    FUZZ_CHECK(*ct_eval_text(o.eval) || o.eval == CT_EVAL_OK);
    if (o.eval) {
        FUZZ_CHECK(o.value.kind == CT_NONE); /* untouched */
        return;
    }
    FUZZ_CHECK(o.value.kind != CT_NONE);
    FUZZ_CHECK(expr->kind == CT_NONE || expr->kind == o.value.kind);
    FUZZ_CHECK(o.value.kind != CT_REAL || isfinite(o.value.u.r));
    FUZZ_CHECK(o.value.kind != CT_TEXT || o.value.u.s);
    FUZZ_CHECK(ct_value_equal(o.value, o.value));
}

/* Only the names that the expression lists can change what it gives. */
static void check_slots(const struct ct_expr *expr, const struct ct_value *env,
                        struct outcome expected)
{
    struct ct_value bare[FUZZ_NAME_COUNT] = {0};

    for (size_t i = 0; i < expr->slot_count; i++)
        bare[expr->slots[i]] = env[expr->slots[i]];
    FUZZ_CHECK(agree(evaluate(expr, bare), expected));
}

/* In parentheses it is the same. */
static void check_parentheses(struct ct_arena *arena, const char *source, size_t length,
                              const struct ct_value *env, struct outcome expected)
{
    struct ct_diags diags = {0};
    char *text = malloc(length + 2);
    const struct ct_expr *expr;

    FUZZ_CHECK(text);
    text[0] = '(';
    memcpy(text + 1, source, length);
    text[length + 1] = ')';
    expr = compile(arena, text, length + 2, &diags);
    free(text);
    if (expr) /* else it nests too deep by this one */
        FUZZ_CHECK(agree(evaluate(expr, env), expected));
    ct_diags_release(&diags);
}

static void put_name(void *context, int slot, struct ct_str *out)
{
    (void)context;
    ct_str_putc(out, FUZZ_NAMES[slot]);
}

static void put_value(void *context, int slot, struct ct_str *out)
{
    const struct ct_value *env = context;

    if (env[slot].kind == CT_NONE ||
        (env[slot].kind == CT_TEXT && env[slot].u.s[0] == '\''))
        put_name(NULL, slot, out); /* no literal says it */
    else
        ct_expr_print_value(out, env[slot]);
}

/* Printed, with its names or with their values, it is still the same. */
static void check_expr_printed(struct ct_arena *arena, const struct ct_expr *expr,
                               struct ct_value *env, struct outcome expected)
{
    bool values = true;

    /* Kinds that are seen only with the values may be refused when compiling. */
    for (size_t i = 0; i < expr->slot_count; i++)
        values = values && FUZZ_NAMES[expr->slots[i]] != 'v';
    for (int i = 0; i < 1 + values; i++) {
        struct ct_diags diags = {0};
        const struct ct_expr *again;
        struct ct_str text;

        ct_str_init(&text);
        ct_expr_print(expr, i ? put_value : put_name, env, &text);
        again = compile(arena, text.data, text.length, &diags);
        /* A value in parentheses can be one level too deep, where a name was not. */
        FUZZ_CHECK(again || (i && strstr(diags.items[0].message, "nests more than")));
        FUZZ_CHECK(!again || agree(evaluate(again, env), expected));
        ct_str_release(&text);
        ct_diags_release(&diags);
    }
}

/* A number reads back from its printed form as the same. */
static void check_printed(struct ct_arena *arena, struct ct_value value)
{
    struct ct_diags diags = {0};
    struct ct_str text;
    const struct ct_expr *expr;
    struct outcome again;

    if (value.kind == CT_TEXT || (value.kind == CT_INT && value.u.i == INT64_MIN))
        return; /* INT64_MIN is no literal: the sign is an operator */
    ct_str_init(&text);
    ct_value_print(&text, value);
    expr = compile(arena, text.data, text.length, &diags);
    FUZZ_CHECK(expr);
    again = evaluate(expr, NULL);
    FUZZ_CHECK(!again.eval && same(again.value, value));
    ct_str_release(&text);
    ct_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ct_arena arena = {0};
    struct ct_diags diags = {0};
    struct ct_value env[FUZZ_NAME_COUNT];
    const char *source = (const char *)data + FUZZ_NAME_COUNT;
    size_t length = size - FUZZ_NAME_COUNT;
    const struct ct_expr *expr;

    if (size <= FUZZ_NAME_COUNT)
        return 0;
    for (int i = 0; i < FUZZ_NAME_COUNT; i++)
        env[i] = value_of(i, data[i]);
    expr = compile(&arena, source, length, &diags);
    if (expr) {
        struct outcome o = evaluate(expr, env);

        check_result(expr, o);
        FUZZ_CHECK(agree(evaluate(expr, env), o));
        check_slots(expr, env, o);
        check_parentheses(&arena, source, length, env, o);
        check_expr_printed(&arena, expr, env, o);
        if (!o.eval)
            check_printed(&arena, o.value);
    }
    ct_diags_release(&diags);
    ct_arena_release(&arena);
    return 0;
}
