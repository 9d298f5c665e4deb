// SPDX-License-Identifier: Apache-2.0
// What the two halves of planning share.
#ifndef CT_SPEC_BINDING_PLAN_H
#define CT_SPEC_BINDING_PLAN_H

#include "spec/binding_impl.h"
#include "spec/source.h"

struct ct_planner {
    const struct ct_binding *binding;
    const struct ct_value *values;
    struct ct_value *env;
    struct ct_arena *arena;
    struct ct_err *err;
    enum ct_status status; /* of the first mistake; then nothing more is done */
};

/* Notes a mistake with its place in the file; the first one stays. */
#define CT_PLANNER_FAIL(p, at, ...)                                                      \
    do {                                                                                 \
        if (!(p)->status)                                                                \
            (p)->status = ct_err_at((p)->err, CT_E_SPEC, (p)->binding->spec->path,       \
                                    (at).line, (at).column, __VA_ARGS__);                \
    } while (0)

/* Zeroed memory in the plan's arena; NULL notes CT_E_NOMEM. */
void *ct_planner_alloc(struct ct_planner *p, size_t count, size_t size_bytes);

/* Evaluates for the configuration; a failure is noted, with its cause. */
enum ct_eval ct_planner_eval(struct ct_planner *p, const struct ct_expr *expr,
                             const char *what, struct ct_value *out);

/* Whether a condition holds; NULL always does. */
bool ct_planner_holds(struct ct_planner *p, const struct ct_expr *condition);

/* A template with its names filled in, or NULL. */
const char *ct_planner_fill(struct ct_planner *p, const struct ct_template *text);

/* Options, macros, include folders and source of the plan's one program. */
void ct_planner_program(struct ct_planner *p, struct ct_source_cache *cache,
                        struct ct_plan *plan);

#endif
