// SPDX-License-Identifier: Apache-2.0
// Stores results of other tuners.
#include "tune/import.h"

#include "base/mem.h"
#include "base/show.h"
#include "db/maintain.h"
#include "db/names.h"
#include "plan/json.h"
#include "plan/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One file being stored. */
struct storing {
    struct ct_db *db;
    const char *path;
    const struct ct_import_options *options;
    struct ct_imported imported;
    const char *kernel;
    const char *device;
    struct ct_db_result result; /* what all results have in common */
    struct ct_db_run run;
    int64_t measured_unix_s; /* when the file was written */
    struct ct_str problem;   /* canonical */
    bool stored;             /* a result of the file */
};

/* --- what results belong to --- */

static enum ct_status put_device(struct storing *s, struct ct_err *err)
{
    const char *type =
        s->imported.type ? s->imported.type : ct_name_guess_type(s->device);
    struct ct_devinfo info = {
        .platform_name = "import",
        .platform_version = "",
        .driver_version = "",
        .type = type,
    };

    info.props[CT_DEVICE_NAME] = ct_value_text(s->device);
    info.props[CT_DEVICE_VENDOR] = ct_value_text(
        s->imported.vendor ? s->imported.vendor : ct_name_guess_vendor(s->device));
    return ct_db_device_put(s->db, &info, &s->run.device_id, err);
}

/* The values that parameters have in the file. */
static json_t *parameters_json(const struct storing *s)
{
    const struct ct_spec *spec = s->imported.recorded->spec;
    json_t *object = json_object();

    for (size_t p = 0; p < spec->param_count; p++) {
        json_t *list = json_array();

        for (size_t i = 0; i < spec->params[p].value_count; i++)
            json_array_append_new(list, ct_json_value(&spec->params[p].values[i]));
        json_object_set_new(object, spec->slots.symbols[spec->params[p].slot].name, list);
    }
    return object;
}

static enum ct_status put_kernel(struct storing *s, struct ct_err *err)
{
    json_t *object = parameters_json(s);
    char *parameters = json_dumps(object, JSON_COMPACT);
    struct ct_str identity;
    struct ct_db_kernel kernel = {
        .name = s->kernel,
        .space_path = "",
        .parameters = parameters,
        .constraints = "[]",
        .problem_macros = "{}",
        .space_file = "",
    };
    enum ct_status status;

    ct_str_init(&identity);
    ct_str_addf(&identity, "import %s", s->kernel);
    kernel.source_hash = ct_hash_bytes(identity.data, identity.length);
    status = parameters && !identity.failed
                 ? ct_db_kernel_put_oldest(s->db, &kernel, &s->run.kernel_id, err)
                 : ct_err_nomem(err);
    ct_str_release(&identity);
    free(parameters);
    json_decref(object);
    return status;
}

/* A size of the command line. */
static enum ct_status read_given(const struct ct_import_options *options, size_t number,
                                 struct ct_db_value *out, struct ct_err *err)
{
    const struct ct_setting *given = &options->problem[number];
    char *end;
    long long integer;

    for (size_t i = 0; i < number; i++)
        if (strcmp(options->problem[i].name, given->name) == 0)
            return ct_err_set(err, CT_E_USAGE, "--problem: '%s' is given twice",
                              given->name);
    errno = 0;
    integer = strtoll(given->text, &end, 10);
    if (errno == ERANGE)
        return ct_err_set(err, CT_E_USAGE, "--problem %s=%s: the number is out of range",
                          given->name, given->text);
    out->name = given->name;
    out->value =
        *given->text && !*end ? ct_value_int(integer) : ct_value_text(given->text);
    return CT_OK;
}

/* The sizes that were given, else those of the file. */
static enum ct_status put_problem(struct storing *s, struct ct_err *err)
{
    size_t most = s->options->problem_count + json_object_size(s->imported.sizes);
    struct ct_db_value *values = ct_mem_array(most, sizeof(*values));
    size_t count = 0;
    json_t *sizes;
    const char *name;
    json_t *value;
    enum ct_status status = CT_OK;

    if (!values)
        return ct_err_nomem(err);
    for (; count < s->options->problem_count && status == CT_OK; count++)
        status = read_given(s->options, count, &values[count], err);
    sizes = count ? NULL : s->imported.sizes;
    json_object_foreach(sizes, name, value)
    {
        values[count].name = name;
        if (json_is_integer(value))
            values[count++].value = ct_value_int(json_integer_value(value));
        else if (json_is_real(value))
            values[count++].value = ct_value_real(json_real_value(value));
        else if (json_is_string(value))
            values[count++].value = ct_value_text(json_string_value(value));
    }
    if (status == CT_OK)
        status = ct_db_problem_put(s->db, values, count, &s->run.problem_id, err);
    if (status == CT_OK)
        status = ct_db_canonical(&s->problem, values, count, err);
    free(values);
    return status;
}

/* --- results --- */

static const char *status_of(enum ct_failure failure)
{
    static const char *const words[CT_FAILURE_COUNT] = {
        [CT_FAILURE_NONE] = "ok",         [CT_FAILURE_BUILD] = "build_failed",
        [CT_FAILURE_INVALID] = "invalid", [CT_FAILURE_WRONG] = "wrong",
        [CT_FAILURE_CRASHED] = "crashed", [CT_FAILURE_TIMEOUT] = "timeout",
    };

    return words[failure];
}

/* No driver has an escape for these: in options they would end a value and begin another option. */
static bool options_carry(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ' || *c == 127)
            return false;
    return true;
}

/* "-D NAME=VALUE" of each, as a search would write them. */
static enum ct_status put_flags(const struct storing *s, struct ct_str *out,
                                const struct ct_db_value *values, size_t count,
                                struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_plan_program program = {
        .macros = ct_mem_array(count, sizeof(*program.macros)),
        .macro_count = count,
    };
    enum ct_status status = program.macros ? CT_OK : ct_err_nomem(err);

    for (size_t i = 0; i < count && status == CT_OK; i++) {
        struct ct_str text;

        ct_str_init(&text);
        ct_value_print(&text, values[i].value);
        program.macros[i].name = values[i].name;
        program.macros[i].value = ct_arena_copy(&arena, text.data, text.length);
        if (text.failed || !program.macros[i].value)
            status = ct_err_nomem(err);
        else if (!options_carry(text.data))
            status =
                ct_err_set(err, CT_E_USAGE,
                           "%s: %s has the value '%s', which compiler options cannot "
                           "carry: it has a quote, a backslash or a control character",
                           s->path, values[i].name, ct_show_line(&arena, text.data));
        ct_str_release(&text);
    }
    if (status == CT_OK && !ct_plan_options(&program, out))
        status = ct_err_nomem(err);
    free(program.macros);
    ct_arena_release(&arena);
    return status;
}

/* Orders a result after the stored one as merging does: by time of measurement, then so that the
 * order of files does not matter. */
static int compare_stored(const struct ct_db_result *result,
                          const struct ct_db_result *stored)
{
    int order = (result->measured_unix_s > stored->measured_unix_s) -
                (result->measured_unix_s < stored->measured_unix_s);

    if (!order)
        order = strcmp(result->status, stored->status);
    if (!order && (isnan(result->time_ns) || isnan(stored->time_ns)))
        order = isnan(stored->time_ns) - isnan(result->time_ns);
    else if (!order)
        order = (result->time_ns < stored->time_ns) - (result->time_ns > stored->time_ns);
    return order;
}

/* Stores a result unless the stored one of its configuration counts more. */
static enum ct_status put_newer(struct storing *s, const struct ct_db_result *result,
                                struct ct_db_merged *out, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_result stored = ct_db_result_init;
    enum ct_status status =
        ct_db_result_get_of(s->db, s->run.device_id, s->run.kernel_id, s->run.problem_id,
                            &result->experiment, &arena, &stored, err);
    bool found =
        status == CT_OK && strcmp(stored.experiment.text, result->experiment.text) == 0;

    out->results++;
    if (status == CT_E_NOT_FOUND)
        status = CT_OK;
    if (status == CT_OK && (!found || compare_stored(result, &stored) > 0)) {
        status = ct_db_result_put(s->db, result, err);
        out->added += !found;
        out->replaced += found;
        s->stored = true;
    }
    ct_arena_release(&arena);
    return status;
}

static enum ct_status put_result(struct storing *s, const struct ct_db_value *config,
                                 size_t count, const struct ct_record *record,
                                 struct ct_db_merged *out, struct ct_err *err)
{
    struct ct_db_result result = s->result;
    struct ct_str configuration;
    struct ct_str flags;
    struct ct_str identity;
    enum ct_status status;

    if (ct_import_odd(record) > 0)
        return ct_err_set(err, CT_E_USAGE,
                          "%s: %g ns is longer than anything that is measured", s->path,
                          ct_import_odd(record));
    ct_str_init(&configuration);
    ct_str_init(&flags);
    ct_str_init(&identity);
    status = ct_db_canonical(&configuration, config, count, err);
    if (status == CT_OK)
        status = put_flags(s, &flags, config, count, err);
    /* Nothing that cltune measures has such an identity. */
    ct_str_addf(&identity, "import %s %s %s %s", s->kernel, s->device, s->problem.data,
                configuration.data);
    result.experiment = ct_hash_bytes(identity.data, identity.length);
    result.configuration = configuration.data;
    result.flags = flags.data;
    result.status = status_of(record->failure);
    result.objective_value = result.time_ns = record->time_ns;
    result.spent.build_ns = record->compile_ns > 0 ? (uint64_t)record->compile_ns : 0;
    result.spent.measure_ns = record->bench_ns > 0 ? (uint64_t)record->bench_ns : 0;
    if (status == CT_OK && (flags.failed || identity.failed))
        status = ct_err_nomem(err);
    if (status == CT_OK)
        status = put_newer(s, &result, out, err);
    ct_str_release(&identity);
    ct_str_release(&flags);
    ct_str_release(&configuration);
    return status;
}

static enum ct_status put_results(struct storing *s, struct ct_db_merged *out,
                                  struct ct_err *err)
{
    const struct ct_recorded *recorded = s->imported.recorded;
    size_t n = recorded->spec->param_count;
    uint32_t *config = ct_mem_array(n, sizeof(*config));
    struct ct_value *values = ct_mem_array(n, sizeof(*values));
    struct ct_db_value *named = ct_mem_array(n, sizeof(*named));
    enum ct_status status = config && values && named ? CT_OK : ct_err_nomem(err);

    for (uint64_t i = 0; i < ct_space_count(recorded->space) && status == CT_OK; i++) {
        ct_space_config(recorded->space, i, config);
        ct_binding_values(recorded->binding, config, values);
        for (size_t p = 0; p < n; p++) {
            named[p].name =
                recorded->spec->slots.symbols[recorded->spec->params[p].slot].name;
            named[p].value = values[p];
        }
        status = put_result(s, named, n, &recorded->records[i], out, err);
    }
    free(named);
    free(values);
    free(config);
    return status;
}

/* --- a file --- */

static enum ct_status choose_names(struct storing *s, struct ct_err *err)
{
    s->kernel = s->options->kernel ? s->options->kernel : s->imported.kernel;
    s->device = s->options->device ? s->options->device : s->imported.device;
    if (!s->kernel)
        return ct_err_set(err, CT_E_USAGE,
                          "%s does not name its kernel: use --kernel NAME", s->path);
    if (!s->device)
        return ct_err_set(err, CT_E_USAGE,
                          "%s does not name its device: use --device NAME", s->path);
    return CT_OK;
}

static enum ct_status store_file(struct storing *s, struct ct_db_merged *out,
                                 struct ct_err *err)
{
    struct stat info;
    enum ct_status status = ct_imported_read(s->path, &s->imported, err);

    if (status == CT_OK)
        status = choose_names(s, err);
    if (status == CT_OK)
        status = put_device(s, err);
    if (status == CT_OK)
        status = put_kernel(s, err);
    if (status == CT_OK)
        status = put_problem(s, err);
    if (status != CT_OK)
        return status;
    s->measured_unix_s =
        stat(s->path, &info) == 0 && info.st_mtime > 0 ? info.st_mtime : 1;
    s->run.objective = "time";
    s->run.strategy = "import";
    s->run.version = s->imported.origin;
    s->run.started_unix_s = s->measured_unix_s;
    status = ct_db_run_begin(s->db, &s->run, err);
    s->result = ct_db_result_init;
    s->result.run_id = s->run.id;
    s->result.attempts = 1;
    s->result.measured_unix_s = s->measured_unix_s;
    if (status == CT_OK)
        status = put_results(s, out, err);
    s->run.status = "done";
    s->run.evaluated_count = (int64_t)ct_space_count(s->imported.recorded->space);
    s->run.ended_unix_s = s->measured_unix_s;
    return status == CT_OK ? ct_db_run_end(s->db, &s->run, err) : status;
}

enum ct_status ct_import(struct ct_db *db, const char *const *paths, size_t count,
                         const struct ct_import_options *options,
                         struct ct_db_merged *out, struct ct_err *err)
{
    struct ct_db_contents before;
    struct ct_db_contents after;
    enum ct_status status = ct_db_begin(db, err);

    *out = (struct ct_db_merged){0};
    if (status != CT_OK)
        return status;
    status = ct_db_contents_count(db, &before, err);
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        struct storing s = {.db = db, .path = paths[i], .options = options};

        s.run = ct_db_run_init;
        ct_str_init(&s.problem);
        status = store_file(&s, out, err);
        out->runs += s.stored;
        ct_str_release(&s.problem);
        ct_imported_release(&s.imported);
    }
    if (status == CT_OK)
        status = ct_db_drop_empty_imports(db, err);
    if (status == CT_OK)
        status = ct_db_contents_count(db, &after, err);
    if (status == CT_OK) {
        out->devices = after.devices - before.devices;
        out->kernels = after.kernels - before.kernels;
    }
    if (status == CT_OK)
        return ct_db_commit(db, err);
    ct_db_rollback(db);
    return status;
}
