// SPDX-License-Identifier: Apache-2.0
// Which size divides the work of a launch, and in steps of how much.
#include "tune/split_impl.h"

#include "base/str.h"
#include "spacefile/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZES_MOST = 64,   /* in [problem] */
    STEPS = 256,       /* a finer grain gains nothing */
    STEPS_LEAST = 8,   /* a coarser one divides nothing */
    GRAINS_TRIED = 64, /* at most */
};

enum ct_status ct_split_bind(const struct ct_split_task *task,
                             const struct ct_devinfo *device, int64_t size,
                             struct ct_binding **out, struct ct_err *err)
{
    struct ct_setting *settings =
        ct_mem_array(task->problem_count + 1, sizeof(*settings));
    struct ct_binding_options wanted = {.device = device, .problem = settings};
    struct ct_diags diags = {0};
    enum ct_status status;
    char text[24];

    if (!settings)
        return ct_err_nomem(err);
    for (size_t i = 0; i < task->problem_count; i++)
        if (!size || strcmp(task->problem[i].name, task->by) != 0)
            settings[wanted.problem_count++] = task->problem[i];
    if (size) {
        snprintf(text, sizeof(text), "%" PRId64, size);
        settings[wanted.problem_count++] = (struct ct_setting){task->by, text};
    }
    status = ct_binding_new(task->spec, &wanted, out, &diags, err);
    if (status && diags.count && !err->code)
        ct_err_set(err, status, "%s", diags.items[0].message);
    ct_diags_release(&diags);
    free(settings);
    return status;
}

/* --- which size --- */

/* How much launches depend on a size. */
enum dependence {
    DEPENDS_NOT,
    DEPENDS_SOMEHOW, /* by an argument */
    DEPENDS_INNER,   /* by a global size */
    DEPENDS_OUTER,   /* by that of the last dimension */
};

static bool same_arg(const struct ct_plan_arg *a, const struct ct_plan_arg *b)
{
    return a->kind == b->kind && a->local_bytes == b->local_bytes &&
           memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0 &&
           a->data_bytes == b->data_bytes &&
           (!a->data_bytes || memcmp(a->data, b->data, (size_t)a->data_bytes) == 0);
}

static enum dependence compare_launches(const struct ct_plan_launch *a,
                                        const struct ct_plan_launch *b)
{
    if (a->dims && a->dims == b->dims) {
        if (a->global[a->dims - 1] != b->global[b->dims - 1])
            return DEPENDS_OUTER;
        for (uint32_t i = 0; i + 1 < a->dims; i++)
            if (a->global[i] != b->global[i])
                return DEPENDS_INNER;
    }
    for (size_t i = 0; i < a->arg_count && i < b->arg_count; i++)
        if (!same_arg(&a->args[i], &b->args[i]))
            return DEPENDS_SOMEHOW;
    return DEPENDS_NOT;
}

/* The launches of the default configuration at a size. */
static enum ct_status plan_at(const struct ct_split_task *task,
                              const struct ct_devinfo *device, int64_t size,
                              struct ct_arena *arena, struct ct_plan *plan,
                              struct ct_err *err)
{
    struct ct_source_cache *sources = ct_source_cache_new();
    struct ct_binding *binding = NULL;
    struct ct_value *values =
        ct_arena_array(arena, task->spec->param_count, sizeof(*values));
    enum ct_status status = values && sources
                                ? ct_split_bind(task, device, size, &binding, err)
                                : ct_err_nomem(err);

    if (!status)
        status = ct_binding_start(binding, values, err);
    if (!status)
        status = ct_binding_plan_launches(binding, values, sources, arena, plan, err);
    ct_binding_free(binding);
    ct_source_cache_free(sources);
    return status;
}

/* What changes with half of the size; a size that cannot be planned changes nothing. */
static enum dependence depend_on(const struct ct_split_task *task,
                                 const struct ct_devinfo *device)
{
    enum dependence most = DEPENDS_NOT;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_plan whole;
    struct ct_plan half;

    if (!plan_at(task, device, task->total, &arena, &whole, &err) &&
        !plan_at(task, device, task->total / 2, &arena, &half, &err))
        for (size_t i = 0; i < whole.launch_count && i < half.launch_count; i++) {
            enum dependence one = compare_launches(&whole.launches[i], &half.launches[i]);

            most = one > most ? one : most;
        }
    ct_arena_release(&arena);
    return most;
}

/* The whole numbers above 1 among the sizes; returns how many. */
static size_t list_sizes(const struct ct_spec *spec, const struct ct_binding *binding,
                         const char **names, int64_t *values)
{
    size_t count = 0;

    for (size_t i = 0; i < spec->slots.count && count < SIZES_MOST; i++) {
        struct ct_value value = binding->fixed[i];

        if (spec->slots.symbols[i].class != CT_SYM_PROBLEM || value.kind != CT_INT ||
            value.u.i < 2)
            continue;
        names[count] = spec->slots.symbols[i].name;
        values[count++] = value.u.i;
    }
    return count;
}

static enum ct_status no_such_size(const char *by, const char **names, size_t count,
                                   struct ct_err *err)
{
    const char *near = ct_str_suggest(by, names, count);
    struct ct_str all;
    enum ct_status status;

    ct_str_init(&all);
    for (size_t i = 0; i < count; i++)
        ct_str_addf(&all, "%s%s", i ? ", " : "", names[i]);
    if (near)
        status = ct_err_set(err, CT_E_USAGE,
                            "--by %s: no size of [problem] that can be divided; did you "
                            "mean '%s'?",
                            by, near);
    else
        status =
            ct_err_set(err, CT_E_USAGE,
                       "--by %s: no size of [problem] that can be divided; use one of "
                       "%s",
                       by, all.data);
    ct_str_release(&all);
    return status;
}

/* The size on which the outermost dimension depends, else whatever launches depend on most. */
static void guess_size(struct ct_split_task *task, const struct ct_devinfo *device,
                       const char **names, const int64_t *values, size_t count)
{
    enum dependence most = DEPENDS_NOT;
    struct ct_split_task trial = *task;

    for (size_t i = 0; i < count; i++) {
        enum dependence one;

        trial.by = names[i];
        trial.total = values[i];
        one = depend_on(&trial, device);
        if (one <= most)
            continue;
        most = one;
        task->by = names[i];
        task->total = values[i];
        task->guessed = true;
    }
}

enum ct_status ct_split_choose_size(struct ct_split_task *task,
                                    const struct ct_devinfo *device, struct ct_err *err)
{
    const char *names[SIZES_MOST] = {NULL};
    int64_t values[SIZES_MOST];
    struct ct_binding *binding = NULL;
    size_t count;
    enum ct_status status = ct_split_bind(task, device, 0, &binding, err);

    if (status)
        return status;
    count = list_sizes(task->spec, binding, names, values);
    ct_binding_free(binding);
    if (!count)
        return ct_err_at(err, CT_E_SPEC, task->spec->path, 0, 0,
                         "nothing to divide: [problem] has no whole number above 1");
    if (!task->by) {
        guess_size(task, device, names, values, count);
        if (!task->by)
            return ct_err_at(
                err, CT_E_SPEC, task->spec->path, 0, 0,
                "nothing to divide: no launch depends on a size of [problem]");
        return CT_OK;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], task->by) == 0)
            task->total = values[i];
    if (!task->total)
        return no_such_size(task->by, names, count, err);
    if (depend_on(task, device) == DEPENDS_NOT)
        return ct_err_at(err, CT_E_SPEC, task->spec->path, 0, 0,
                         "no launch depends on %s: a device that gets half of it has as "
                         "much work as before; use --by with another size",
                         task->by);
    return CT_OK;
}

/* --- in steps of how much --- */

/* Whether a configuration satisfies the constraints at a size. */
static bool holds(const struct ct_split_task *task, const struct ct_split_device *one,
                  int64_t size, struct ct_err *why)
{
    const struct ct_spec *spec = task->spec;
    struct ct_value *values = ct_mem_array(spec->param_count, sizeof(*values));
    struct ct_value *env = ct_mem_array(spec->slots.count, sizeof(*env));
    struct ct_binding *binding = NULL;
    bool good = values && env && !ct_split_bind(task, one->device, size, &binding, why) &&
                !ct_binding_start(binding, values, why) &&
                !ct_binding_parse(binding, one->config, one->config_count, values, why);

    if (good)
        ct_binding_evaluate_values(binding, values, env);
    for (size_t i = 0; good && i < spec->constraint_count; i++) {
        enum ct_verdict verdict = ct_binding_decide(binding, i, env);

        good = verdict == CT_HOLDS || verdict == CT_UNDECIDED;
        if (!good)
            ct_err_set(why, CT_E_SPEC, "the constraint in line %d does not hold",
                       spec->constraints[i].place.line);
    }
    ct_binding_free(binding);
    free(env);
    free(values);
    return good;
}

/* Whether multiples of a grain suit every device: two neighbours, a quarter and an eighth. */
static bool suits(const struct ct_split *split, int64_t grain, struct ct_err *why)
{
    int64_t steps = split->task.total / grain;
    const int64_t tried[] = {steps / 2, steps / 2 - 1, steps / 4, steps / 8};

    for (size_t d = 0; d < split->count; d++)
        for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++)
            if (tried[i] &&
                !holds(&split->task, &split->devices[d], tried[i] * grain, why))
                return false;
    return true;
}

enum ct_status ct_split_choose_grain(struct ct_split *split, struct ct_err *err)
{
    int64_t total = split->task.total;
    int64_t first = total > STEPS ? total / STEPS : 1;
    int64_t tried = 0;
    struct ct_err why = CT_ERR_INIT;

    /* The step count runs down, so that only so many divisions are needed. */
    for (int64_t steps = total / first; steps >= STEPS_LEAST || steps == total; steps--) {
        if (steps < 2 || total % steps)
            continue;
        if (tried++ == GRAINS_TRIED)
            break;
        why.code = CT_OK;
        if (suits(split, total / steps, &why)) {
            split->task.grain = total / steps;
            return CT_OK;
        }
    }
    /* A size with few divisors, such as a prime number. */
    if (!tried && suits(split, 1, &why)) {
        split->task.grain = 1;
        return CT_OK;
    }
    return ct_err_set(err, CT_E_SPEC,
                      "%s=%" PRId64 " cannot be divided: the best configurations do not "
                      "suit any smaller size%s%s",
                      split->task.by, total, why.code ? ": " : "",
                      why.code ? why.message : "");
}
