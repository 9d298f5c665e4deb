// SPDX-License-Identifier: Apache-2.0
// Looks up configurations for programs.
#include "capture/injection.h"

#include "base/str.h"
#include "capture/experiment.h"
#include "db/cltunedb.h"
#include "db/store.h"
#include "plan/binding.h"
#include "spacefile/spec.h"
#include "tune/recheck.h"
#include "spacefile/trusted.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const axes[] = {"global_x", "global_y", "global_z"};

void ct_injection_question_init(struct ct_injection_question *question)
{
    *question = (struct ct_injection_question){.kernel = "",
                                               .device_name = "",
                                               .device_vendor = "",
                                               .device_type = "",
                                               .driver_version = "",
                                               .experiment = ""};
}

static cltunedb_query query_of(const struct ct_injection_question *question,
                               cltunedb_value values[3])
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;

    for (size_t i = 0; i < question->dimensions; i++)
        values[i] = (cltunedb_value){axes[i], CLTUNEDB_INT, (int64_t)question->sizes[i],
                                     (double)question->sizes[i], ""};
    query.kernel = question->kernel;
    query.device_name = question->device_name;
    query.device_vendor = question->device_vendor;
    query.device_type = question->device_type;
    query.driver_version = question->driver_version;
    query.compute_units = question->compute_units;
    query.problem = values;
    query.problem_count = question->dimensions;
    return query;
}

/* --- what the configuration itself says --- */

/* The axis of a parameter for the work-group, or -1. */
static int axis_of(const char *name)
{
    const char *letter =
        strncmp(name, CT_EXPERIMENT_LOCAL_OWN, strlen(CT_EXPERIMENT_LOCAL_OWN)) == 0
            ? name + strlen(CT_EXPERIMENT_LOCAL_OWN)
        : strncmp(name, CT_EXPERIMENT_LOCAL, strlen(CT_EXPERIMENT_LOCAL)) == 0
            ? name + strlen(CT_EXPERIMENT_LOCAL)
            : "";

    return letter[0] >= 'X' && letter[0] <= 'Z' && !letter[1] ? letter[0] - 'X' : -1;
}

static const char *text_of(struct ct_arena *arena, const cltunedb_value *value)
{
    return value->kind == CLTUNEDB_INT ? ct_arena_format(arena, "%" PRId64, value->i)
           : value->kind == CLTUNEDB_REAL
               ? ct_arena_format(arena, "%.17g", value->r)
               : ct_arena_copy(arena, value->s, strlen(value->s));
}

/* False if it has what only a space file can give a meaning. */
static bool read_configuration(struct ct_arena *arena, const cltunedb_answer *answer,
                               struct ct_injection *out)
{
    out->macros =
        ct_arena_array(arena, answer->configuration_count + 1, sizeof(*out->macros));
    for (size_t i = 0; out->macros && i < answer->configuration_count; i++) {
        const cltunedb_value *value = &answer->configuration[i];
        int axis = axis_of(value->name);

        if (axis >= 0 && value->kind == CLTUNEDB_INT) {
            out->has_local = true;
            out->local[axis] = (uint64_t)value->i;
            continue;
        }
        if (value->kind == CLTUNEDB_TEXT && (!*value->s || strpbrk(value->s, " -")))
            return false;
        out->macros[out->macro_count].name =
            ct_arena_copy(arena, value->name, strlen(value->name));
        out->macros[out->macro_count++].value = text_of(arena, value);
    }
    /* The driver chooses in all dimensions or in none. */
    if (out->has_local && !out->local[0])
        memset(out->local, 0, sizeof(out->local));
    return out->macros != NULL;
}

/* --- what the space file says --- */

static void split_options(struct ct_arena *arena, const char *options,
                          struct ct_injection *out)
{
    char *copy = ct_arena_copy(arena, options, strlen(options));
    size_t most = copy ? strlen(copy) / 2 + 1 : 0;

    out->options = ct_arena_array(arena, most + 1, sizeof(*out->options));
    for (char *at = copy; copy && out->options && *at;) {
        size_t length;

        at += strspn(at, " \t");
        length = strcspn(at, " \t");
        if (length)
            out->options[out->option_count++] = ct_arena_copy(arena, at, length);
        at += length;
    }
}

/* Values of the source's own macros: the plan has them in its text, the layer puts them into the
 * program's. */
static void add_replaced(const struct ct_spec *spec, const struct ct_value *values,
                         struct ct_arena *arena, struct ct_injection *out)
{
    for (size_t i = 0; i < spec->param_count; i++) {
        const char *name = spec->slots.symbols[spec->params[i].slot].name;
        struct ct_str text;

        if (!spec->params[i].replaces)
            continue;
        ct_str_init(&text);
        ct_value_print(&text, values[i]);
        out->macros[out->macro_count].name = ct_arena_copy(arena, name, strlen(name));
        out->macros[out->macro_count++].value =
            ct_arena_copy(arena, text.data, text.length);
        ct_str_release(&text);
    }
}

/* The launch of the function itself: of several, the first.  `more` macros have room behind those
 * of its program. */
static bool take_plan(const struct ct_plan *plan, const char *function, size_t length,
                      size_t more, struct ct_arena *arena, struct ct_injection *out)
{
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];
        const struct ct_plan_program *program = &plan->programs[launch->program];

        if (strlen(launch->kernel) != length ||
            strncmp(launch->kernel, function, length) != 0)
            continue;
        out->has_local = out->has_global = true;
        for (uint32_t axis = 0; axis < launch->dims; axis++) {
            out->local[axis] = launch->local[axis];
            out->global[axis] = launch->global[axis];
        }
        out->macro_count = program->macro_count;
        out->macros =
            ct_arena_array(arena, program->macro_count + more + 1, sizeof(*out->macros));
        for (size_t m = 0; out->macros && m < program->macro_count; m++) {
            const struct ct_plan_macro *macro = &program->macros[m];

            out->macros[m].name = ct_arena_copy(arena, macro->name, strlen(macro->name));
            out->macros[m].value =
                ct_arena_copy(arena, macro->value, strlen(macro->value));
        }
        split_options(arena, program->options, out);
        return out->macros != NULL;
    }
    return false;
}

static bool plan_with(const struct ct_spec *spec, const struct ct_binding *binding,
                      const struct ct_injection_question *question,
                      const cltunedb_answer *answer, struct ct_arena *arena,
                      struct ct_injection *out)
{
    struct ct_value *values =
        ct_arena_array(arena, spec->param_count + 1, sizeof(*values));
    struct ct_source_cache *cache = ct_source_cache_new();
    struct ct_setting *settings;
    size_t count;
    struct ct_plan plan;
    struct ct_err why = CT_ERR_INIT;
    bool good = values && cache &&
                !ct_recheck_settings(answer->configuration_json, arena, &settings, &count,
                                     &why) &&
                !ct_binding_start(binding, values, &why) &&
                !ct_binding_parse(binding, settings, count, values, &why) &&
                !ct_binding_plan_launches(binding, values, cache, arena, &plan, &why) &&
                take_plan(&plan, question->kernel, strcspn(question->kernel, "@"),
                          spec->param_count, arena, out);
    if (good)
        add_replaced(spec, values, arena, out);

    if (cache)
        ct_source_cache_free(cache);
    return good;
}

/* Evaluates the space file for the question's sizes.  False if it is not there, is not the user's own,
 * or does not fit any more. */
static bool read_space(struct ct_injection_question *question,
                       const cltunedb_answer *answer, struct ct_injection *out)
{
    struct ct_setting problem[3];
    struct ct_devinfo device = {.type = question->device_type,
                                .platform_name = "",
                                .platform_version = "",
                                .driver_version = question->driver_version};
    struct ct_binding_options options = {
        .device = &device, .problem_count = question->dimensions, .problem = problem};
    struct ct_diags diags = {0};
    struct ct_err why = CT_ERR_INIT;
    struct ct_spec *spec = NULL;
    struct ct_binding *binding = NULL;
    bool good = false;

    if (!answer->space_file || !*answer->space_file ||
        !ct_trusted_space(answer->space_file))
        return false;
    device.props[CT_DEVICE_NAME] = ct_value_text(question->device_name);
    device.props[CT_DEVICE_VENDOR] = ct_value_text(question->device_vendor);
    for (size_t i = 0; i < question->dimensions; i++)
        problem[i] = (struct ct_setting){
            axes[i], ct_arena_format(&question->arena, "%" PRIu64, question->sizes[i])};
    if (ct_spec_load(answer->space_file, &spec, &diags, &why) == CT_OK &&
        ct_binding_new(spec, &options, &binding, &diags, &why) == CT_OK)
        good = plan_with(spec, binding, question, answer, &question->arena, out);
    ct_binding_free(binding);
    ct_spec_free(spec);
    ct_diags_release(&diags);
    return good;
}

/* --- look-up --- */

static void put_text(const cltunedb_answer *answer, struct ct_arena *arena,
                     struct ct_injection *out)
{
    struct ct_str text;

    ct_str_init(&text);
    for (size_t i = 0; i < answer->configuration_count; i++) {
        const char *value = text_of(arena, &answer->configuration[i]);

        ct_str_addf(&text, "%s%s=%s", i ? " " : "", answer->configuration[i].name,
                    value ? value : "");
    }
    out->text = ct_arena_copy(arena, text.data, text.length);
    ct_str_release(&text);
}

enum ct_status ct_injection_find(struct ct_injection_question *question,
                                 struct ct_injection *out, struct ct_err *err)
{
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_value values[3];
    cltunedb_query query = query_of(question, values);
    cltunedb_answers *answers = NULL;
    const cltunedb_answer *answer;
    cltunedb *db = NULL;
    cltunedb_status code = cltunedb_open(NULL, &db, message, sizeof(message));
    struct ct_injection plain;

    if (code != CLTUNEDB_OK)
        return ct_err_set(err, CT_E_DB, "%s", message);
    code = cltunedb_find(db, &query, &answers, message, sizeof(message));
    cltunedb_close(db);
    if (code != CLTUNEDB_OK)
        return ct_err_set(err, code == CLTUNEDB_E_NOT_FOUND ? CT_E_NOT_FOUND : CT_E_DB,
                          "%s", message);
    answer = cltunedb_answer_at(answers, 0);
    *out = (struct ct_injection){
        .experiment = ct_arena_copy(&question->arena, answer->experiment,
                                    strlen(answer->experiment)),
        .time_ns = isnan(answer->time_ns) ? 0 : answer->time_ns,
        .default_time_ns = isnan(answer->default_time_ns) ? 0 : answer->default_time_ns,
        .evidence = (int)answer->evidence,
        .distance = answer->problem_distance};
    put_text(answer, &question->arena, out);
    plain = *out;
    if (!read_space(question, answer, out)) {
        *out = plain;
        if (!read_configuration(&question->arena, answer, out))
            code = CLTUNEDB_E_NOT_FOUND;
    }
    cltunedb_free(answers);
    if (!out->experiment || !out->text)
        return ct_err_nomem(err);
    /* A configuration that only its space file explains is none without it. */
    return code == CLTUNEDB_OK ? CT_OK : CT_E_NOT_FOUND;
}

/* --- wrong results --- */

static void store_wrong(struct ct_db *db, const struct ct_db_listed *of,
                        const char *experiment)
{
    struct ct_arena arena = {0};
    struct ct_hash hash;
    struct ct_db_result result;
    struct ct_err why = CT_ERR_INIT;

    snprintf(hash.text, sizeof(hash.text), "%s", experiment);
    if (!ct_db_result_get_of(db, of->device_id, of->kernel_id, of->problem_id, &hash,
                             &arena, &result, &why) &&
        strcmp(result.experiment.text, experiment) == 0) {
        result.status = "wrong";
        result.objective_value = (double)NAN;
        result.failure.phase = "check";
        result.failure.message =
            "its outputs differ from those of the program's own launch ('cltune exec "
            "--verify')";
        result.verified = false;
        result.attempts = 0;
        result.measured_unix_s = 0;
        ct_db_result_put(db, &result, &why);
    }
    ct_arena_release(&arena);
}

void ct_injection_store_wrong(struct ct_injection_question *question)
{
    struct ct_arena arena = {0};
    struct ct_err why = CT_ERR_INIT;
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct ct_db_subject_best *list;
    struct ct_db *db = NULL;
    size_t count;

    query.kernel = question->kernel;
    query.device_name = question->device_name;
    if (ct_db_open(NULL, NULL, &db, &why) == CT_OK &&
        ct_db_list(db, &query, 1, &arena, &list, &count, &why) == CT_OK)
        for (size_t i = 0; i < count; i++)
            store_wrong(db, &list[i].of, question->experiment);
    ct_db_close(db);
    ct_arena_release(&arena);
}
