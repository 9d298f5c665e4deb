// SPDX-License-Identifier: Apache-2.0
// cltune compare: compares configurations over fresh processes.
#include "cli/cli.h"
#include "report/compare.h"
#include "report/observer.h"
#include "report/screen.h"
#include "report/width.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Configuration number `index` from its text; with a single one the default is the first. */
static enum ct_status choose_configuration(struct ct_compare *compare,
                                           const struct ct_options *options, size_t index,
                                           const char *text, struct ct_err *err)
{
    struct ct_settings settings = {0};
    char *copy = ct_arena_copy(&compare->arena, text, strlen(text));
    enum ct_status status = copy
                                ? ct_settings_split(copy, &settings, "configuration", err)
                                : ct_err_nomem(err);

    if (!status)
        status = ct_compare_choose(compare, index, settings.items, settings.count, err);
    ct_settings_release(&settings);
    if (!status && !options->output.quiet)
        ct_cli_warn_violated(compare->work.binding, compare->rivals[index].values);
    return status;
}

static enum ct_status choose_all(struct ct_compare *compare,
                                 const struct ct_options *options, struct ct_err *err)
{
    char **texts = options->operands + 1;
    size_t beside = compare->count - ((size_t)options->operand_count - 1);
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < compare->count && !status; i++)
        status = choose_configuration(compare, options, i,
                                      i < beside ? "" : texts[i - beside], err);
    return status;
}

/* Reports failures with their reasons; returns the exit status. */
static int print_failures(const struct ct_compare *compare)
{
    int exit_status = CT_EXIT_OK;

    for (size_t i = 0; i < compare->count; i++)
        if (compare->rivals[i].status != CT_RESULT_OK) {
            fprintf(ct_screen_err(), "cltune: configuration %zu: %s: %s\n", i + 1,
                    ct_result_status_name(compare->rivals[i].status),
                    compare->rivals[i].message);
            exit_status = CT_EXIT_FAILED;
        }
    return exit_status;
}

/* Takes the binding over. */
static int compare_all(const struct ct_options *options, const struct ct_devinfo *device,
                       const struct ct_spec *spec, struct ct_binding *binding)
{
    struct ct_console console = {.quiet = options->output.quiet};
    struct ct_observer observer = ct_report_observer(&console);
    size_t named = (size_t)options->operand_count - 1;
    struct ct_tune_options tune;
    struct ct_compare compare;
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    if (ct_cli_tune_options(options, &tune, &err)) {
        ct_binding_free(binding);
        return ct_cli_error(&err);
    }
    if (ct_compare_init(&compare, &tune, &observer, device, spec, binding,
                        named < 2 ? 2 : named, (size_t)options->contest.rounds, &err) ||
        choose_all(&compare, options, &err) || ct_compare_run(&compare, &err) ||
        (options->output.json
             ? ct_report_compare_json(&compare, &err)
             : ct_report_compare(
                   &compare, ct_width_output(STDOUT_FILENO, options->output.wide), &err)))
        exit_status = ct_cli_error(&err);
    else
        exit_status = print_failures(&compare);
    ct_compare_release(&compare);
    return exit_status;
}

static int run_command(const struct ct_options *options)
{
    const struct ct_devinfo **devices;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_binding *binding = NULL;
    struct ct_spec *spec;
    int exit_status = CT_EXIT_OK;

    if (options->operand_count < 2)
        return ct_cli_usage("compare",
                            "no configuration given: use 'cltune compare SPACE.ini "
                            "\"NAME=VALUE...\"...'");
    ct_cli_catch_signals();
    spec = ct_cli_load(options->operands[0], options, &exit_status);
    if (!spec)
        return exit_status;
    if (ct_cli_devices_for(&arena, spec, options->device, &devices, &err))
        exit_status = ct_cli_error(&err);
    else if (devices[1])
        exit_status =
            ct_cli_usage("compare", "several devices match -d: name one by its index");
    else
        binding = ct_cli_bind(spec, options, devices[0], NULL, &exit_status);
    if (binding)
        exit_status = compare_all(options, devices[0], spec, binding);
    ct_spec_free(spec);
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_compare = {
    .name = "compare",
    .operands = "SPACE.ini [CONFIG...]",
    .summary = "compare the times of configurations",
    .details =
        "Each CONFIG is one argument, \"NAME=VALUE...\"; parameters that are not named have\n"
        "their defaults.  A single CONFIG is compared with the default configuration.\n"
        "\n"
        "All of them run in fresh processes, where their samples are interleaved, so that\n"
        "a disturbance affects all of them alike.  Ratios are relative to the first one.\n"
        "Nothing is stored.\n",
    .options = "build-timeout device jobs problem rounds timeout wide",
    .examples = {{"cltune compare my.ini \"WG=16\" \"WG=64\"", "two configurations"},
                 {"cltune compare my.ini \"WG=64\"", "with the default"}},
    .run = run_command,
};
