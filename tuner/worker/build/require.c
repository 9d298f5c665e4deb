// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions over the facts of a built kernel.
#include "worker/build/require.h"

#include "spacefile/expr/expr.h"

#include <inttypes.h>
#include <string.h>

enum { GROUP_SIZE, LOCAL_SIZE, PRIVATE_SIZE, MULTIPLE, FACT_COUNT };

static const char *const fact_names[FACT_COUNT] = {
    [GROUP_SIZE] = "KERNEL_WORK_GROUP_SIZE",
    [LOCAL_SIZE] = "KERNEL_LOCAL_MEM_SIZE",
    [PRIVATE_SIZE] = "KERNEL_PRIVATE_MEM_SIZE",
    [MULTIPLE] = "KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
};

static int find_fact(void *context, const char *name, size_t length,
                     struct ct_place place)
{
    struct ct_diags *diags = context;

    for (int i = 0; i < FACT_COUNT; i++)
        if (strlen(fact_names[i]) == length && !memcmp(fact_names[i], name, length))
            return i;
    ct_diags_add(diags, CT_ERROR, "", place.line, place.column,
                 "%.*s is not a fact of a kernel", (int)length, name);
    return -1;
}

static enum ct_kind fact_kind(void *context, int slot)
{
    (void)context;
    (void)slot;
    return CT_INT;
}

static const struct ct_expr *
compile_expression(struct ct_arena *arena, const char *expression, struct ct_err *err)
{
    struct ct_diags diags = {0};
    struct ct_scope scope = {find_fact, fact_kind, &diags, NULL};
    size_t length = strlen(expression);
    struct ct_place *places = ct_arena_array(arena, length + 1, sizeof(*places));
    const struct ct_expr *expr = NULL;

    if (!places) {
        ct_err_nomem(err);
        return NULL;
    }
    for (size_t i = 0; i <= length; i++)
        places[i] = (struct ct_place){1, (int)i + 1};
    {
        struct ct_text text = {
            .file = "", .text = expression, .length = length, .places = places};

        expr = ct_expr_compile(arena, &text, 0, length, &scope, &diags);
    }
    if (!expr && diags.failed)
        ct_err_nomem(err);
    else if (!expr)
        ct_err_set(err, CT_E_SPEC, "require = %s: %s", expression,
                   diags.count ? diags.items[0].message : "not an expression");
    ct_diags_release(&diags);
    return expr;
}

/* 0: the device did not report a size, or it has none. */
static struct ct_value known_size(uint64_t value)
{
    struct ct_value unknown = {.kind = CT_NONE};

    return value ? ct_value_int((int64_t)value) : unknown;
}

enum ct_status ct_require_met(const char *expression, const struct ct_kernel_facts *facts,
                              bool *met, struct ct_str *why, struct ct_err *err)
{
    const struct ct_value env[FACT_COUNT] = {
        [GROUP_SIZE] = known_size(facts->work_group_size),
        [LOCAL_SIZE] = ct_value_int((int64_t)facts->local_mem_bytes),
        [PRIVATE_SIZE] = ct_value_int((int64_t)facts->private_mem_bytes),
        [MULTIPLE] = known_size(facts->preferred_multiple),
    };
    struct ct_arena arena = {0};
    struct ct_value value;
    const struct ct_expr *expr = compile_expression(&arena, expression, err);
    enum ct_eval eval;

    if (!expr) {
        ct_arena_release(&arena);
        return err ? err->code : CT_E_SPEC;
    }
    eval = ct_expr_eval(expr, env, &value);
    *met = eval == CT_EVAL_UNKNOWN || (eval == CT_EVAL_OK && ct_value_true(value));
    if (!*met) {
        ct_str_addf(why, "require = %s ", expression);
        if (eval == CT_EVAL_OK)
            ct_str_puts(why, "is false");
        else
            ct_str_addf(why, "fails (%s)", ct_eval_text(eval));
        for (size_t i = 0; i < expr->slot_count; i++) {
            ct_str_addf(why, "%s%s = ", i ? ", " : ": ", fact_names[expr->slots[i]]);
            ct_value_print(why, env[expr->slots[i]]);
        }
    }
    ct_arena_release(&arena);
    return CT_OK;
}
