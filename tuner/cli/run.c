// SPDX-License-Identifier: Apache-2.0
// cltune run: one configuration, with everything the driver reports about it.
#include "report/run.h"

#include "cli/cli.h"
#include "report/observer.h"
#include "report/warn.h"

static enum ct_status choose_from_operands(struct ct_run *run,
                                           const struct ct_options *options,
                                           struct ct_err *err)
{
    struct ct_settings settings = {0};
    enum ct_status status = CT_OK;

    for (int i = 1; !status && i < options->operand_count; i++)
        status = ct_settings_add(&settings, options->operands[i], "operand", err);
    if (!status)
        status = ct_run_choose(run, settings.items, settings.count, err);
    ct_settings_release(&settings);
    return status;
}

static int show_run(const struct ct_run *run, const struct ct_options *options)
{
    bool good = run->outcome.status == CT_RESULT_OK;

    if (!options->output.quiet)
        ct_cli_warn_violated(run->work.binding, run->work.values);
    if (options->output.json)
        ct_report_run_json(run);
    else
        ct_report_run(run);
    if (good && !options->output.quiet)
        ct_report_run_doubts(run);
    if (run->outcome.doubt)
        ct_report_warn("%s", run->outcome.doubt);
    return good ? CT_EXIT_OK : CT_EXIT_FAILED;
}

/* Takes the binding over. */
static int run_one(const struct ct_options *options, const struct ct_devinfo *device,
                   const struct ct_spec *spec, struct ct_binding *binding)
{
    struct ct_console console = {.quiet = options->output.quiet};
    struct ct_observer observer = ct_report_observer(&console);
    struct ct_tune_options tune;
    struct ct_run run;
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    if (ct_cli_tune_options(options, &tune, &err)) {
        ct_binding_free(binding);
        return ct_cli_error(&err);
    }
    if (ct_run_init(&run, &tune, &observer, device, spec, binding, &err) ||
        choose_from_operands(&run, options, &err) ||
        (options->output.dump && ct_run_dump(&run, options->output.dump, &err)) ||
        ct_run_measure(&run, &err))
        exit_status = ct_cli_error(&err);
    else
        exit_status = show_run(&run, options);
    ct_run_release(&run);
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

    if (options->operand_count < 1)
        return ct_cli_usage(
            "run", "no space file given: use 'cltune run SPACE.ini NAME=VALUE...'");
    spec = ct_cli_load(options->operands[0], options, &exit_status);
    if (!spec)
        return exit_status;
    if (ct_cli_devices_for(&arena, spec, options->device, &devices, &err))
        exit_status = ct_cli_error(&err);
    else if (devices[1])
        exit_status =
            ct_cli_usage("run", "several devices match -d: name one by its index");
    else
        binding = ct_cli_bind(spec, options, devices[0], NULL, &exit_status);
    if (binding)
        exit_status = run_one(options, devices[0], spec, binding);
    ct_spec_free(spec);
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_run = {
    .name = "run",
    .operands = "SPACE.ini [NAME=VALUE...]",
    .summary = "build, check and time one configuration",
    .details = "Parameters that are not named have their values in [default].\n",
    .options = "build-timeout device dump problem samples timeout",
    .examples = {{"cltune run my.ini WG=16 VEC=4", "one configuration"},
                 {"cltune run my.ini WG=16 --dump out", "its buffers, too"}},
    .run = run_command,
};
