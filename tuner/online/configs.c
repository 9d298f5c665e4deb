// SPDX-License-Identifier: Apache-2.0
// Copies what a program needs of a configuration out of its plan.
#include "online/configs.h"

#include "plan/identity.h"
#include "plan/stored_kernel.h"

#include <stdlib.h>
#include <string.h>

/* A text that a string has gathered; NULL if out of memory. */
static const char *keep(struct ct_arena *arena, struct ct_str *text)
{
    const char *kept =
        text->failed ? NULL : ct_arena_copy(arena, text->data, text->length);

    ct_str_reset(text);
    return kept;
}

static bool copy_values(struct ct_arena *arena, const struct ct_online_work *work,
                        struct ct_online_config *config)
{
    const struct ct_spec *spec = work->spec;
    cltunedb_value *values =
        ct_arena_array(arena, spec->param_count + 1, sizeof(*values));

    for (size_t p = 0; p < spec->param_count && values; p++) {
        const struct ct_value *value = &work->values[p];

        /* The names and texts are the space file's, which stays. */
        values[p].name = spec->slots.symbols[spec->params[p].slot].name;
        values[p].kind = value->kind == CT_INT    ? CLTUNEDB_INT
                         : value->kind == CT_REAL ? CLTUNEDB_REAL
                                                  : CLTUNEDB_TEXT;
        values[p].i = value->kind == CT_INT ? value->u.i : 0;
        values[p].r = value->kind == CT_TEXT ? 0 : ct_value_number(*value);
        values[p].s = value->kind == CT_TEXT ? value->u.s : "";
    }
    config->shown.values = values;
    config->shown.value_count = spec->param_count;
    return values;
}

/* Launches of kernels; copies and fills between them are the program's own. */
static bool copy_launches(struct ct_arena *arena, const struct ct_plan *plan,
                          struct ct_online_config *config)
{
    cltunedb_binary_launch *launches =
        ct_arena_array(arena, plan->launch_count + 1, sizeof(*launches));
    size_t count = 0;

    for (size_t i = 0; i < plan->launch_count && launches; i++) {
        const struct ct_plan_launch *from = &plan->launches[i];
        cltunedb_binary_launch *to = &launches[count];

        if (!*from->kernel)
            continue;
        to->kernel = ct_arena_copy(arena, from->kernel, strlen(from->kernel));
        if (!to->kernel)
            return false;
        to->program = from->program;
        to->dims = from->dims;
        for (int d = 0; d < 3; d++) {
            to->global[d] = (unsigned)d < from->dims ? (size_t)from->global[d] : 1;
            to->local[d] =
                (unsigned)d < from->dims || !from->local[0] ? (size_t)from->local[d] : 1;
        }
        to->times = (size_t)from->extra + 1;
        count++;
    }
    config->shown.launches = launches;
    config->shown.launch_count = count;
    return launches;
}

static bool copy_flags(struct ct_arena *arena, const struct ct_plan *plan,
                       struct ct_str *text, struct ct_online_config *config)
{
    const char **flags = ct_arena_array(arena, plan->program_count + 1, sizeof(*flags));
    bool good = flags && ct_stored_flags(plan, text);

    if (!good)
        return false;
    config->shown.flags = keep(arena, text);
    for (size_t i = 0; i < plan->program_count && good; i++) {
        struct ct_plan_program program = plan->programs[i];

        program.include_count = 0;
        good = ct_plan_options(&program, text);
        flags[i] = keep(arena, text);
        good = good && flags[i];
    }
    config->shown.program_flags = flags;
    config->shown.program_count = plan->program_count;
    return good && config->shown.flags;
}

static enum ct_status make_config(struct ct_arena *arena, struct ct_online_work *work,
                                  const struct ct_plan *plan, uint64_t index,
                                  struct ct_online_config **out, struct ct_err *err)
{
    struct ct_online_config *config = ct_arena_alloc(arena, sizeof(*config));
    struct ct_str text;
    enum ct_status status;
    bool good;

    if (!config)
        return ct_err_nomem(err);
    ct_str_init(&text);
    config->shown.number = index;
    config->experiment = ct_experiment_hash(plan, &work->device);
    good = copy_values(arena, work, config) && copy_launches(arena, plan, config) &&
           copy_flags(arena, plan, &text, config);
    status =
        good ? ct_stored_config(work->spec, work->values, &text, err) : ct_err_nomem(err);
    if (!status) {
        config->json = keep(arena, &text);
        status = config->json ? CT_OK : ct_err_nomem(err);
    }
    ct_str_release(&text);
    *out = config;
    return status;
}

enum ct_status ct_online_configs_get(struct ct_online_configs *configs,
                                     struct ct_online_work *work, uint64_t index,
                                     struct ct_online_config **out, struct ct_err *err)
{
    uint64_t place = ct_map_get(&configs->places, index, 0);
    struct ct_arena arena = {0};
    struct ct_plan plan = {0};
    struct ct_err why = CT_ERR_INIT;
    enum ct_status status;

    if (place) {
        *out = (struct ct_online_config *)(uintptr_t)place;
        return CT_OK;
    }
    *out = NULL;
    status = ct_online_work_plan(work, index, &arena, &plan, &why);
    if (!status && ct_online_work_fits(work, &plan))
        status = make_config(&configs->arena, work, &plan, index, out, err);
    else if (status == CT_E_SPEC)
        status = CT_OK;
    else if (status && err)
        *err = why;
    if (!status && *out &&
        !ct_map_put(&configs->places, index, (uint64_t)(uintptr_t)*out))
        status = ct_err_nomem(err);
    ct_arena_release(&arena);
    return status;
}

void ct_online_configs_release(struct ct_online_configs *configs)
{
    ct_map_release(&configs->places);
    ct_arena_release(&configs->arena);
}
