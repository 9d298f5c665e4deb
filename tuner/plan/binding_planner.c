// SPDX-License-Identifier: Apache-2.0
// Common functions of planning: memory, values, texts, paths.
#include "plan/binding_plan.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what all parts use --- */

void *ct_planner_alloc(struct ct_planner *p, size_t count, size_t size_bytes)
{
    void *memory = ct_arena_array(p->arena, count, size_bytes);

    if (!memory && !p->status)
        p->status = ct_err_nomem(p->err);
    return memory;
}

const char *ct_planner_keep(struct ct_planner *p, struct ct_str *text)
{
    const char *kept =
        text->failed ? NULL : ct_arena_copy(p->arena, text->data, text->length);

    if (!kept && !p->status)
        p->status = ct_err_nomem(p->err);
    ct_str_release(text);
    return kept;
}

enum ct_eval ct_planner_eval(struct ct_planner *p, const struct ct_expr *expr,
                             const char *what, struct ct_value *out)
{
    enum ct_eval failed = ct_expr_eval(expr, p->env, out);
    struct ct_str why;

    p->last = expr;
    p->last_text = NULL;
    if (!failed)
        return CT_EVAL_OK;
    ct_str_init(&why);
    ct_binding_explain(p->binding, expr, failed, p->env, &why);
    CT_PLANNER_FAIL(p, expr->place, "%s '%s' cannot be computed: %s", what, expr->text,
                    why.data);
    ct_str_release(&why);
    return failed;
}

bool ct_planner_int(struct ct_planner *p, const struct ct_expr *expr, const char *what,
                    int64_t least, uint64_t *out)
{
    struct ct_value value;

    if (ct_planner_eval(p, expr, what, &value))
        return false;
    if (value.kind != CT_INT) {
        CT_PLANNER_FAIL(p, expr->place, "%s '%s' is not an integer", what, expr->text);
        return false;
    }
    if (value.u.i < least) {
        CT_PLANNER_FAIL(p, expr->place, "%s '%s' is %lld; it must be at least %lld", what,
                        expr->text, (long long)value.u.i, (long long)least);
        return false;
    }
    *out = (uint64_t)value.u.i;
    return true;
}

bool ct_planner_holds(struct ct_planner *p, const struct ct_expr *condition)
{
    struct ct_value value;

    return !condition || (!ct_planner_eval(p, condition, "the condition", &value) &&
                          ct_value_true(value));
}

const char *ct_planner_fill(struct ct_planner *p, const struct ct_template *text)
{
    struct ct_str out;

    p->last = NULL;
    p->last_text = text;
    ct_str_init(&out);
    for (size_t i = 0; i < text->piece_count; i++) {
        int slot = text->pieces[i].slot;

        ct_str_puts(&out, text->pieces[i].literal);
        if (slot < 0)
            continue;
        if (p->env[slot].kind == CT_NONE) {
            CT_PLANNER_FAIL(p, text->place, "'%s' in '%s' has no value",
                            p->binding->spec->slots.symbols[slot].name, text->text);
            ct_str_release(&out);
            return NULL;
        }
        ct_value_print(&out, p->env[slot]);
    }
    return ct_planner_keep(p, &out);
}

const char *ct_planner_path(struct ct_planner *p, const struct ct_template *text)
{
    const char *path = ct_planner_fill(p, text);

    if (!path)
        return NULL;
    path = ct_source_cache_path(p->cache, p->binding->spec, path);
    if (path)
        path = ct_arena_copy(p->arena, path, strlen(path));
    if (!path && !p->status)
        p->status = ct_err_nomem(p->err);
    return path;
}

bool ct_planner_lacks_images(const struct ct_planner *p)
{
    const struct ct_value *images = &p->binding->fixed[CT_DEVICE_IMAGE_SUPPORT];

    return images->kind == CT_INT && !images->u.i;
}

bool ct_planner_lacks_extension(const struct ct_planner *p, const char *name)
{
    const struct ct_value *extensions = &p->binding->fixed[CT_DEVICE_EXTENSIONS];

    return extensions->kind == CT_TEXT && !strstr(extensions->u.s, name);
}
