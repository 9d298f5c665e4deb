// SPDX-License-Identifier: Apache-2.0
// cltune split: which part of the work each device should get.
#include "tune/split.h"

#include "cli/cli.h"
#include "cli/display.h"
#include "report/json.h"
#include "report/observer.h"
#include "report/screen.h"
#include "report/split.h"
#include "report/width.h"
#include "spacefile/trusted.h"

#include <string.h>
#include <unistd.h>

enum form { FORM_TEXT, FORM_JSON, FORM_HEADER };

static int choose_form(const struct ct_options *options, enum form *form)
{
    static const char *const names[] = {"text", "json", "header"};
    const char *wanted = options->output.format;

    *form = options->output.json ? FORM_JSON : FORM_TEXT;
    if (!wanted)
        return CT_EXIT_OK;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(wanted, names[i]) == 0) {
            if (options->output.json && i != FORM_JSON)
                return ct_cli_usage(
                    "split", "--json and --format %s contradict each other", wanted);
            *form = (enum form)i;
            return CT_EXIT_OK;
        }
    return ct_cli_usage("split", "unknown format '%s': use text, json or header", wanted);
}

static void show(const struct ct_split *split, const struct ct_options *options,
                 enum form form)
{
    if (form == FORM_HEADER) {
        ct_report_split_header(split);
    } else if (form == FORM_JSON) {
        json_t *all = ct_report_split_json(split);

        ct_report_json(all);
        json_decref(all);
    } else {
        ct_report_split(split, ct_width_output(STDOUT_FILENO, options->output.wide));
    }
}

static int divide(const struct ct_options *options, const struct ct_spec *spec,
                  const struct ct_devinfo *const *devices, enum form form)
{
    struct ct_console console = ct_cli_console(options);
    struct ct_observer observer = ct_report_observer(&console);
    const struct ct_split_task task = {.spec = spec,
                                       .problem = options->problem.items,
                                       .problem_count = options->problem.count,
                                       .by = options->output.by};
    struct ct_split split = {.without_transfers = !options->transfers.only,
                             .with_transfers = !options->transfers.none};
    struct ct_tune_options tune;
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    if (ct_cli_tune_options(options, &tune, &err))
        return ct_cli_error(&err);
    tune.per_value = NULL; /* --by is of the split */
    tune.no_baseline = true;
    tune.rough = true;
    ct_cli_catch_signals();
    if (ct_split_init(&split, &tune, &observer, &task, devices, &err)) {
        exit_status = ct_cli_error(&err);
    } else {
        if (split.task.guessed && !options->output.quiet)
            fprintf(ct_screen_err(),
                    "cltune: dividing the work by %s; use --by to name another size\n",
                    split.task.by);
        if (ct_split_find_bests(&split, &err) || ct_split_measure(&split, &err))
            exit_status = ct_cli_error(&err);
        else
            show(&split, options, form);
    }
    ct_split_release(&split);
    return exit_status;
}

/* Errors of the problem, with their places, before anything is measured. */
static int check_binding(const struct ct_options *options, const struct ct_spec *spec,
                         const struct ct_devinfo *device)
{
    int exit_status = CT_EXIT_OK;

    ct_binding_free(ct_cli_bind(spec, options, device, NULL, &exit_status));
    return exit_status;
}

static int split_file(const struct ct_options *options, const char *path,
                      const struct ct_spec *spec, enum form form)
{
    const char *pattern = options->device ? options->device : "all";
    const struct ct_devinfo **devices;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    if (!spec->launch_count)
        ct_err_at(&err, CT_E_SPEC, path, 0, 0,
                  "nothing to divide: the file has no [launch] section");
    if (err.code || ct_cli_devices_match(&arena, pattern, &devices, &err)) {
        exit_status = ct_cli_error(&err);
    } else if (!devices[1]) {
        exit_status = ct_cli_usage(
            "split", "only one device matches '%s': a split requires at least two",
            pattern);
    } else {
        ct_trust_space(path);
        exit_status = check_binding(options, spec, devices[0]);
        if (!exit_status)
            exit_status = divide(options, spec, devices, form);
    }
    ct_arena_release(&arena);
    return exit_status;
}

static int run_command(const struct ct_options *options)
{
    const char *path = ct_cli_space_file("split", options, 1);
    enum form form = FORM_TEXT;
    struct ct_spec *spec;
    int exit_status = CT_EXIT_USAGE;

    if (!path)
        return exit_status;
    if (options->transfers.only && options->transfers.none)
        return ct_cli_usage("split",
                            "--transfers and --no-transfers contradict each other");
    exit_status = choose_form(options, &form);
    if (exit_status)
        return exit_status;
    for (size_t i = 0; i < options->problem.count; i++)
        if (strchr(options->problem.items[i].text, ','))
            return ct_cli_usage(
                "split", "-p takes a single value here: '-p %s=%s' has several",
                options->problem.items[i].name, options->problem.items[i].text);
    spec = ct_cli_load(path, options, &exit_status);
    if (!spec)
        return exit_status;
    exit_status = split_file(options, path, spec, form);
    ct_spec_free(spec);
    return exit_status;
}

const struct ct_command ct_cli_command_split = {
    .name = "split",
    .operands = "SPACE.ini",
    .summary = "how to divide the work between several devices",
    .details =
        "Measures each device (-d; all by default) with its own best configuration at\n"
        "several sizes, one device after the other, and prints the shares with which all\n"
        "end at the same time, and the speed-up over the fastest device alone.\n"
        "\n"
        "The bests come from the database; devices without one are searched briefly if\n"
        "-n or -t gives a budget.  The shares are shown for the kernel alone and with the\n"
        "transfers of its buffers.  Devices that share memory or processors can be slower\n"
        "together than predicted.\n"
        "\n"
        "--format header defines macros CLTUNE_KERNEL_SPLIT_...: of the kernel alone, or\n"
        "with --transfers with transfers.\n",
    .options = "build-timeout by cache db device evaluations format jobs no-transfers "
               "objective problem samples time timeout transfers wide",
    .common = "by db device evaluations format no-transfers problem time transfers",
    .examples = {{"cltune split my.ini -d 0:0,0:1", "shares of two devices"},
                 {"cltune split my.ini -t 20s -f header",
                  "for a build, searching first"}},
    .run = run_command,
};
