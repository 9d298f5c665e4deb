// SPDX-License-Identifier: Apache-2.0
// Writes replays as T4 results.
#include "replay/traces.h"

#include "base/mem.h"
#include "base/str.h"
#include "plan/json.h"
#include "spacefile/spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* T4's word for an outcome, and what stands for the time of one that failed. */
struct outcome {
    const char *invalidity;
    const char *error;
};

static const struct outcome outcomes[CT_FAILURE_COUNT] = {
    [CT_FAILURE_NONE] = {"correct", NULL},
    [CT_FAILURE_BUILD] = {"compile", "CompilationFailedConfig"},
    /* "constraints" would mean that it was never tried, and costs nothing there. */
    [CT_FAILURE_INVALID] = {"runtime", "RuntimeFailedConfig"},
    [CT_FAILURE_WRONG] = {"correctness", "RuntimeFailedConfig"},
    [CT_FAILURE_CRASHED] = {"runtime", "RuntimeFailedConfig"},
    [CT_FAILURE_TIMEOUT] = {"timeout", "RuntimeFailedConfig"},
};

/* Writes one space's files. */
struct writer {
    const struct ct_recorded *recorded;
    struct ct_str path; /* of the folder */
    uint32_t *config;   /* scratch */
    struct ct_value *values;
};

static json_t *configuration_json(struct writer *writer, uint64_t index)
{
    const struct ct_recorded *recorded = writer->recorded;

    ct_space_config(recorded->space, index, writer->config);
    ct_binding_values(recorded->binding, writer->config, writer->values);
    return ct_json_values(recorded->spec, writer->values);
}

/* One evaluation; `own_ns` is the time that the strategy took to choose it. */
static json_t *evaluation_json(struct writer *writer, uint64_t index, double own_ns)
{
    const struct ct_record *record = &writer->recorded->records[index];
    const struct outcome *outcome = &outcomes[record->failure];
    json_t *time =
        outcome->error ? json_string(outcome->error) : json_real(record->time_ns / 1e6);

    return json_pack(
        "{s:o, s:[s], s:{s:f, s:[f], s:f, s:f, s:f}, s:s, s:i, s:[{s:s, s:o, s:s}]}",
        "configuration", configuration_json(writer, index), "objectives", "time", "times",
        "compilation_time", record->compile_ns / 1e6, "runtimes", record->bench_ns / 1e6,
        "framework", 0.0, "search_algorithm", own_ns / 1e6, "validation", 0.0,
        "invalidity", outcome->invalidity, "correctness",
        record->failure == CT_FAILURE_WRONG ? 0 : 1, "measurements", "name", "time",
        "value", time, "unit", "milliseconds");
}

/* Appends "/name" with anything unusual replaced, and makes the folder of that name. */
static enum ct_status enter(struct ct_str *path, const char *name, struct ct_err *err)
{
    if (name) {
        ct_str_putc(path, '/');
        for (const char *c = name; *c; c++) {
            bool usual = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                         (*c >= '0' && *c <= '9') || *c == '_' || *c == '-' ||
                         (*c == '.' && c != name);

            ct_str_putc(path, usual ? *c : '_');
        }
    }
    if (path->failed)
        return ct_err_nomem(err);
    if (mkdir(path->data, 0777) && errno != EEXIST)
        return ct_err_set(err, CT_E_IO, "cannot create the folder %s: %s", path->data,
                          strerror(errno));
    return CT_OK;
}

/* Makes the space's folder in `folder`.  Always end. */
static enum ct_status begin(struct writer *writer, const char *folder,
                            const struct ct_recorded *recorded, struct ct_err *err)
{
    size_t n = recorded->spec->param_count;
    enum ct_status status;

    writer->recorded = recorded;
    writer->config = ct_mem_array(n, sizeof(*writer->config));
    writer->values = ct_mem_array(n, sizeof(*writer->values));
    ct_str_init(&writer->path);
    ct_str_puts(&writer->path, folder);
    if (!writer->config || !writer->values) {
        ct_err_nomem(err);
        return CT_E_NOMEM;
    }
    status = enter(&writer->path, NULL, err);
    return status ? status : enter(&writer->path, recorded->name, err);
}

static void end(struct writer *writer)
{
    free(writer->config);
    free(writer->values);
    ct_str_release(&writer->path);
}

/* Writes `results` (which it takes) to PATH/name. */
static enum ct_status write_file(struct ct_str *path, const char *name, json_t *results,
                                 struct ct_err *err)
{
    json_t *root =
        json_pack("{s:s, s:{s:s, s:s}, s:o}", "schema_version", "1.0.0", "metadata",
                  "autotuner", "cltune", "timeunit", "milliseconds", "results", results);
    size_t length = path->length;
    enum ct_status status = CT_OK;

    if (!root)
        return ct_err_nomem(err);
    ct_str_addf(path, "/%s", name);
    if (path->failed)
        status = ct_err_nomem(err);
    else if (json_dump_file(root, path->data, JSON_INDENT(1) | JSON_REAL_PRECISION(12)))
        status =
            ct_err_set(err, CT_E_IO, "cannot write %s: %s", path->data, strerror(errno));
    if (!path->failed) {
        path->length = length;
        path->data[length] = '\0';
    }
    json_decref(root);
    return status;
}

enum ct_status ct_replay_traces_space(const char *folder,
                                      const struct ct_recorded *recorded,
                                      struct ct_err *err)
{
    struct writer writer;
    enum ct_status status = begin(&writer, folder, recorded, err);
    json_t *results = json_array();

    for (uint64_t i = 0; i < ct_space_count(recorded->space) && !status; i++)
        json_array_append_new(results, evaluation_json(&writer, i, 0));
    if (!status)
        status = write_file(&writer.path, "space.json", results, err);
    else
        json_decref(results);
    end(&writer);
    return status;
}

enum ct_status ct_replay_traces_runs(const char *folder, const char *strategy,
                                     const struct ct_recorded *recorded,
                                     const struct ct_replay *replay, struct ct_err *err)
{
    double own_ns = replay->asked ? replay->own_ns / (double)replay->asked : 0;
    struct writer writer;
    enum ct_status status = begin(&writer, folder, recorded, err);

    if (!status)
        status = enter(&writer.path, strategy, err);
    for (size_t r = 0; r < replay->repeats && !status; r++) {
        json_t *results = json_array();
        char name[32];

        for (size_t k = 0; k < replay->counts[r]; k++)
            json_array_append_new(
                results,
                evaluation_json(&writer, replay->indices[r * replay->evaluations + k],
                                own_ns));
        snprintf(name, sizeof(name), "%04zu.json", r + 1);
        status = write_file(&writer.path, name, results, err);
    }
    end(&writer);
    return status;
}
