// SPDX-License-Identifier: Apache-2.0
// What the tests of expressions share: names with values, and compiling with them.
#ifndef CT_TESTS_EXPR_NAMES_H
#define CT_TESTS_EXPR_NAMES_H

#include "spacefile/expr/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Names: a = 7, b = -3, z = 0, r = 2.5, s = 'fast', u without a value, k of unknown
 * kind, gone: the device does not report it. */
static const struct {
    const char *name;
    enum ct_kind kind;
} names[] = {{"a", CT_INT},  {"b", CT_INT},  {"z", CT_INT},  {"r", CT_REAL},
             {"s", CT_TEXT}, {"u", CT_NONE}, {"k", CT_NONE}, {"gone", CT_INT}};
enum { NAME_COUNT = sizeof(names) / sizeof(names[0]) };

static struct ct_diags diags;
static struct ct_arena arena;

static inline int find(void *context, const char *name, size_t length,
                       struct ct_place place)
{
    (void)context;
    for (int i = 0; i < NAME_COUNT; i++)
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0)
            return i;
    ct_diags_add(&diags, CT_ERROR, "f", place.line, place.column, "unknown '%.*s'",
                 (int)length, name);
    return -1;
}

static inline enum ct_kind kind(void *context, int slot)
{
    (void)context;
    return names[slot].kind;
}

/* known() may ask for all but `b`. */
static inline bool askable(void *context, int slot, struct ct_place place)
{
    (void)context;
    if (slot != 1)
        return true;
    ct_diags_add(&diags, CT_ERROR, "f", place.line, place.column, "b is always known");
    return false;
}

static inline const struct ct_expr *compile(const char *source)
{
    struct ct_scope scope = {find, kind, NULL, askable};
    size_t length = strlen(source);
    struct ct_place *places = ct_arena_array(&arena, length + 1, sizeof(*places));
    struct ct_text text = {"f", source, length, places};

    assert_non_null(places);
    for (size_t i = 0; i <= length; i++)
        places[i] = (struct ct_place){1, (int)i + 1};
    return ct_expr_compile(&arena, &text, 0, length, &scope, &diags);
}

static inline int release(void **state)
{
    (void)state;
    ct_diags_release(&diags);
    ct_arena_release(&arena);
    return 0;
}

static inline void fill_env(struct ct_value env[NAME_COUNT])
{
    struct ct_value values[NAME_COUNT] = {ct_value_int(7),       ct_value_int(-3),
                                          ct_value_int(0),       ct_value_real(2.5),
                                          ct_value_text("fast"), {0},
                                          ct_value_text("dyn"),  ct_value_absent()};

    memcpy(env, values, sizeof(values));
}

static inline enum ct_eval eval(const char *source, struct ct_value *out)
{
    struct ct_value env[NAME_COUNT];
    const struct ct_expr *expr = compile(source);

    if (!expr)
        print_error("%s: %s\n", source, diags.count ? diags.items[0].message : "?");
    assert_non_null(expr);
    fill_env(env);
    return ct_expr_eval(expr, env, out);
}

#endif
