// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of planning.
#ifndef CT_PLAN_BINDING_PLAN_H
#define CT_PLAN_BINDING_PLAN_H

#include "plan/binding_impl.h"
#include "spacefile/source.h"
#include "spacefile/spec_impl.h"

struct ct_planner {
    const struct ct_binding *binding;
    const struct ct_value *values;
    struct ct_value *env;
    struct ct_source_cache *cache;
    struct ct_arena *arena;
    struct ct_err *err;
    enum ct_status status; /* of the first error; then nothing more is done */
    uint32_t *buffer_now;  /* by buffer: the one that launches use under its name */
    bool *in_launch;       /* by buffer: it is an argument of a launch */
    /* The last expression evaluated, or template filled in: most likely the subject of an error.
     * With neither it depends on no parameter. */
    const struct ct_expr *last;
    const struct ct_template *last_text;
    bool about_all; /* it is about the whole configuration */
    bool *replaced; /* by parameter: a source has had a #define for it to replace */
};

/* Notes an error with its place in the file; the first one stays. */
#define CT_PLANNER_FAIL(p, at, ...)                                                      \
    do {                                                                                 \
        if (!(p)->status)                                                                \
            (p)->status = ct_err_at((p)->err, CT_E_SPEC, (p)->binding->spec->path,       \
                                    (at).line, (at).column, __VA_ARGS__);                \
    } while (0)

/* --- binding_plan.c --- */

/* Zeroed memory in the plan's arena; NULL notes CT_E_NOMEM. */
void *ct_planner_alloc(struct ct_planner *p, size_t count, size_t size_bytes);

/* Moves a string into the plan's arena; NULL notes CT_E_NOMEM. */
const char *ct_planner_keep(struct ct_planner *p, struct ct_str *text);

/* Evaluates for the configuration; a failure is noted, with its cause. */
enum ct_eval ct_planner_eval(struct ct_planner *p, const struct ct_expr *expr,
                             const char *what, struct ct_value *out);

/* Evaluates to an integer of at least `least`; false after noting the error. */
bool ct_planner_int(struct ct_planner *p, const struct ct_expr *expr, const char *what,
                    int64_t least, uint64_t *out);

/* Whether a condition holds; NULL: always. */
bool ct_planner_holds(struct ct_planner *p, const struct ct_expr *condition);

/* A template with its names filled in, or NULL. */
const char *ct_planner_fill(struct ct_planner *p, const struct ct_template *text);

/* The same for a path, as an absolute one. */
const char *ct_planner_path(struct ct_planner *p, const struct ct_template *text);

/* Whether a property of the device is known and says "no": it lacks images, doubles. */
bool ct_planner_lacks_images(const struct ct_planner *p);
bool ct_planner_lacks_extension(const struct ct_planner *p, const char *name);

/* --- binding_data.c --- */

void ct_planner_buffers(struct ct_planner *p, struct ct_plan *plan);

/* --- binding_program.c --- */

/* Options, macros, include folders and source.  `own`: of a launch, on top of that of
 * [kernel]; NULL: that of [kernel] alone. */
void ct_planner_program(struct ct_planner *p, const struct ct_spec_program *own,
                        struct ct_plan_program *program);

/* The same for a kernel used as reference: only its own macros. */
void ct_planner_reference_program(struct ct_planner *p, const struct ct_spec_program *own,
                                  struct ct_plan_program *program);

/* --- binding_replace.c --- */

struct ct_replaced {
    struct ct_planner *p;
    const struct ct_plan_program *program;
    size_t count; /* of its sources */
    const char *const *paths;
};

/* Exchanges a source for one with the values of the parameters that replace its own macros. */
void ct_planner_replace(const struct ct_replaced *from, size_t index,
                        const struct ct_source **source);

/* Notes an error for a parameter that has replaced nothing in any source. */
void ct_planner_check_replaced(struct ct_planner *p);

/* --- binding_command.c --- */

/* The program of [program]. */
void ct_planner_command(struct ct_planner *p, struct ct_plan *plan);

/* --- binding_launch.c --- */

void ct_planner_args(struct ct_planner *p, const struct ct_spec_arg *from,
                     size_t from_count, bool device, struct ct_plan_arg **args,
                     size_t *count);

/* One launch of a kernel, without its program. */
void ct_planner_kernel(struct ct_planner *p, const struct ct_spec_launch *from,
                       struct ct_plan_launch *launch);

/* All launches with their programs. */
void ct_planner_launches(struct ct_planner *p, struct ct_plan *plan);

#endif
