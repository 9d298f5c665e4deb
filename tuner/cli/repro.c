// SPDX-License-Identifier: Apache-2.0
// cltune repro: a C program that does what cltune did with one configuration.
#include "cli/cli.h"
#include "cli/stored_query.h"
#include "report/observer.h"
#include "report/print.h"
#include "report/repro.h"
#include "tune/recheck.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_path[] = "repro.c";

/* What the operand and the options select. */
struct selection {
    struct ct_spec *spec;
    const struct ct_devinfo *device;
    struct ct_settings problem; /* of the database; of --problem if `own` is false */
    bool own;
};

/* --- which kernel, problem and device --- */

static bool is_space_file(const char *operand)
{
    size_t length = strlen(operand);

    return (length > 4 && strcmp(operand + length - 4, ".ini") == 0) ||
           strchr(operand, '/') || access(operand, F_OK) == 0;
}

static int select_file(const struct ct_options *options, struct ct_arena *arena,
                       struct selection *out)
{
    const struct ct_devinfo **devices;
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    out->spec = ct_cli_load(options->operands[0], options, &exit_status);
    if (!out->spec)
        return exit_status;
    if (ct_cli_devices_for(arena, out->spec, options->device, &devices, &err))
        return ct_cli_error(&err);
    if (devices[1])
        return ct_cli_usage("repro", "several devices match -d: name one by its index");
    out->device = devices[0];
    return CT_EXIT_OK;
}

/* The only stored subject of a device of this machine; NULL after an error. */
static const struct ct_db_subject_best *only_subject(const struct ct_recheck_stock *stock,
                                                     const char *pattern,
                                                     const struct ct_devinfo **device,
                                                     struct ct_err *err)
{
    const struct ct_db_subject_best *found = NULL;

    for (size_t i = 0; i < stock->count; i++) {
        const struct ct_devinfo *own = ct_recheck_device(stock, i);
        const struct ct_db_subject_best *one = &stock->listed[i];

        if (!own)
            continue;
        if (found && (own != *device ||
                      strcmp(found->of.problem_json, one->of.problem_json) != 0 ||
                      strcmp(found->of.kernel, one->of.kernel) != 0)) {
            ct_err_set(err, CT_E_USAGE,
                       "several results match, such as %s %s and %s %s: name one with "
                       "KERNEL, -d and -p",
                       found->of.kernel, found->of.problem_json, one->of.kernel,
                       one->of.problem_json);
            return NULL;
        }
        found = found ? found : one;
        *device = own;
    }
    if (!found)
        ct_recheck_nothing(stock, pattern && strcmp(pattern, "all") != 0, err);
    return found;
}

static int load_subject(const struct ct_options *options,
                        const struct ct_db_subject_best *subject, struct ct_arena *arena,
                        struct selection *out)
{
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;
    const char *stored =
        *subject->of.space_file && access(subject->of.space_file, F_OK) == 0
            ? subject->of.space_file
            : subject->of.space_path;

    out->spec = ct_cli_load_stored(options, subject->of.kernel, stored, &exit_status);
    if (!out->spec)
        return exit_status;
    out->own = true;
    return ct_recheck_settings(subject->of.problem_json, arena, &out->problem.items,
                               &out->problem.count, &err)
               ? ct_cli_error(&err)
               : CT_EXIT_OK;
}

static int select_stored(const struct ct_options *options, struct ct_arena *arena,
                         struct selection *out)
{
    const struct ct_db_subject_best *subject = NULL;
    struct ct_recheck_stock stock = {0};
    struct ct_err err = CT_ERR_INIT;
    cltunedb_query query;
    int exit_status = ct_cli_stored_query("repro", options, &query);

    if (exit_status)
        return exit_status;
    query.device_pattern = NULL; /* of devices, not of what is stored */
    query.objective = options->objective;
    if (!ct_recheck_list(options->db, &query, &stock, &err) &&
        !ct_cli_devices_match(arena, options->device, &stock.devices, &err))
        subject = only_subject(&stock, options->device, &out->device, &err);
    exit_status =
        subject ? load_subject(options, subject, arena, out) : ct_cli_error(&err);
    ct_recheck_stock_release(&stock);
    ct_cli_stored_query_release(&query);
    return exit_status;
}

/* --- which configuration --- */

static bool is_index(const char *text)
{
    return *text && !text[strspn(text, "0123456789")];
}

static int choose_index(const struct ct_options *options, struct ct_repro *repro)
{
    const struct ct_workload *work = &repro->run.work;
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;
    struct ct_space *space = ct_cli_space_new(work->binding, options, &exit_status);
    uint64_t index;

    if (!space)
        return exit_status;
    errno = 0;
    index = strtoull(options->config, NULL, 10);
    if (errno || index >= ct_space_count(space)) {
        ct_err_set(&err, CT_E_USAGE,
                   "--config %s: the space has %" PRIu64 " configurations",
                   options->config, ct_space_count(space));
        exit_status = ct_cli_error(&err);
    } else {
        ct_space_config(space, index, work->config);
        ct_binding_values(work->binding, work->config, work->values);
    }
    ct_space_free(space);
    return exit_status;
}

static enum ct_status choose_named(const struct ct_options *options,
                                   struct ct_repro *repro, struct ct_err *err)
{
    char *copy = ct_mem_copy(options->config, strlen(options->config));
    struct ct_settings settings = {0};
    enum ct_status status =
        copy ? ct_settings_split(copy, &settings, "--config", err) : ct_err_nomem(err);

    if (!status)
        status = ct_run_choose(&repro->run, settings.items, settings.count, err);
    ct_settings_release(&settings);
    free(copy);
    return status;
}

static int choose(const struct ct_options *options, struct ct_repro *repro)
{
    struct ct_arena arena = {0};
    struct ct_setting *settings;
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;
    size_t count;

    if (options->config && is_index(options->config))
        return choose_index(options, repro);
    if (options->config) {
        status = choose_named(options, repro, &err);
    } else {
        status = ct_repro_best(repro, &arena, &settings, &count, &err);
        if (status == CT_E_NOT_FOUND)
            ct_err_prefix(&err, "no best to reproduce (search first, or use --config)");
        if (!status)
            status = ct_run_choose(&repro->run, settings, count, &err);
    }
    ct_arena_release(&arena);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

/* --- files --- */

/* The path without ".c". */
static char *stem_of(const char *path)
{
    size_t length = strlen(path);

    if (length > 2 && strcmp(path + length - 2, ".c") == 0)
        length -= 2;
    return ct_mem_copy(path, length);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static enum ct_status create_scalars(const struct ct_str *path,
                                     const struct ct_plan_buffer *model,
                                     const unsigned char *bytes, struct ct_err *err)
{
    struct ct_str scalars;
    enum ct_status status;

    ct_str_init(&scalars);
    ct_report_repro_scalars(model, bytes, &scalars);
    status = path->failed || scalars.failed ? ct_err_nomem(err)
                                            : ct_cli_create(path->data, &scalars, err);
    ct_str_release(&scalars);
    return status;
}

/* The files of buffers that are too large for the program. */
static enum ct_status create_beside(const struct ct_repro *repro, const char *stem,
                                    struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < repro->run.plan.buffer_count && !status; i++) {
        const struct ct_plan_buffer *buffer = &repro->run.plan.buffers[i];
        const struct ct_repro_buffer *own = &repro->buffers[i];
        struct ct_str path;

        ct_str_init(&path);
        if (own->source == CT_REPRO_BESIDE) {
            ct_report_repro_file(stem, buffer, &path);
            status = create_scalars(&path, buffer, own->input, err);
        }
        ct_str_reset(&path);
        if (!status && ct_report_repro_expected(repro, stem, i, &path))
            status = create_scalars(&path, own->model, own->truth, err);
        ct_str_release(&path);
    }
    return status;
}

static enum ct_status write_program(const struct ct_repro *repro, const char *path,
                                    struct ct_err *err)
{
    char *stem = stem_of(path);
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&text);
    status =
        stem ? ct_report_repro(repro, base_name(stem), &text, err) : ct_err_nomem(err);
    if (!status)
        status = create_beside(repro, stem, err);
    if (!status)
        status = ct_cli_create(path, &text, err);
    ct_str_release(&text);
    free(stem);
    return status;
}

/* --- all of it --- */

static enum ct_status evaluate(const struct ct_options *options, struct ct_repro *repro,
                               struct ct_err *err)
{
    const char *path = options->output.path ? options->output.path : default_path;
    enum ct_status status;

    if (!options->output.quiet)
        ct_cli_warn_violated(repro->run.work.binding, repro->run.work.values);
    status = ct_repro_measure(repro, err);
    if (!status)
        status = ct_repro_look_up(repro, err);
    if (!status)
        status = write_program(repro, path, err);
    if (!status && !options->output.quiet)
        ct_print("%s: %s\n", path, ct_result_status_name(repro->run.outcome.status));
    return status;
}

/* Takes the binding over. */
static int reproduce(const struct ct_options *options, const struct selection *selected,
                     struct ct_binding *binding)
{
    struct ct_console console = {.quiet = options->output.quiet};
    struct ct_observer observer = ct_report_observer(&console);
    struct ct_tune_options tune;
    struct ct_repro repro;
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    if (ct_cli_tune_options(options, &tune, &err)) {
        ct_binding_free(binding);
        return ct_cli_error(&err);
    }
    if (ct_repro_init(&repro, &tune, &observer, selected->device, selected->spec, binding,
                      &err))
        exit_status = ct_cli_error(&err);
    if (!exit_status)
        exit_status = choose(options, &repro);
    if (!exit_status && evaluate(options, &repro, &err))
        exit_status = ct_cli_error(&err);
    ct_repro_release(&repro);
    return exit_status;
}

static int run_command(const struct ct_options *options)
{
    const char *path = options->output.path ? options->output.path : default_path;
    struct selection selected = {0};
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_binding *binding = NULL;
    int exit_status;

    if (options->output.json)
        return ct_cli_usage("repro", "--json is not supported here");
    if (options->operand_count > 1)
        return ct_cli_usage("repro",
                            "unexpected argument '%s': use --config for a "
                            "configuration",
                            options->operands[1]);
    if (access(path, F_OK) == 0) {
        ct_cli_create(path, &(struct ct_str){.data = ""}, &err);
        return ct_cli_error(&err);
    }
    exit_status = options->operand_count && is_space_file(options->operands[0])
                      ? select_file(options, &arena, &selected)
                      : select_stored(options, &arena, &selected);
    if (!exit_status)
        binding = ct_cli_bind(selected.spec, options, selected.device,
                              selected.own ? &selected.problem : NULL, &exit_status);
    if (binding)
        exit_status = reproduce(options, &selected, binding);
    if (selected.spec)
        ct_spec_free(selected.spec);
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_repro = {
    .name = "repro",
    .operands = "[KERNEL | SPACE.ini]",
    .summary = "write a C program of one configuration, for bug reports",
    .details =
        "Evaluates the stored best configuration, or that of --config, which may fail, "
        "and writes\n"
        "one C file with the kernel, its data, launches and expected output:\n"
        "cc repro.c -lOpenCL && ./a.out\n"
        "For a [program], 'cltune space FILE --explain' prints the commands.\n",
    .options = "build-timeout cache config db device memory objective output problem "
               "samples space timeout",
    .common = "config db device output problem space",
    .examples = {{"cltune repro fir -o fir.c", "the stored best of a kernel"},
                 {"cltune repro my.ini --config 'WG=16 VEC=4'", "another configuration"}},
    .run = run_command,
};
