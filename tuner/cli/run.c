// SPDX-License-Identifier: Apache-2.0
// cltune run: one configuration, with everything that the driver says about it.
#include "cli/run.h"

#include "cli/doubts.h"

#include <stdlib.h>
#include <string.h>

static enum ct_status choose_values(struct ct_run *run, const struct ct_options *options,
                                    struct ct_err *err)
{
    struct ct_settings settings = {0};
    enum ct_status status = CT_OK;

    run->values = ct_mem_array(run->spec->param_count, sizeof(*run->values));
    if (!run->values)
        return ct_err_nomem(err);
    status = ct_binding_start(run->binding, run->values, err);
    for (int i = 1; !status && i < options->operand_count; i++)
        status = ct_settings_add(&settings, options->operands[i], "operand", err);
    if (!status)
        status = ct_binding_parse(run->binding, settings.items, settings.count,
                                  run->values, err);
    ct_settings_release(&settings);
    return status;
}

static enum ct_status measure(struct ct_run *run, const struct ct_options *options,
                              struct ct_err *err)
{
    struct ct_measure_options wanted = {
        .deadlines = ct_cli_deadlines(options),
        .race = {.samples =
                     options->samples ? (uint32_t)options->samples : run->spec->samples},
        .seed = CT_INPUT_SEED,
        .slow = options->quiet ? NULL : ct_cli_tell_slow,
        .slow_after_ns = CT_CLI_SLOW_NS,
    };
    enum ct_status status = choose_values(run, options, err);

    if (status)
        return status;
    run->sources = ct_source_cache_new();
    if (!run->sources)
        return ct_err_nomem(err);
    status = ct_binding_plan(run->binding, run->values, run->sources, &run->arena,
                             &run->plan, err);
    if (!status)
        status = ct_runner_new(run->device, &run->runner, err);
    if (!status)
        status = ct_runner_evaluate(run->runner, &run->plan, &wanted, &run->outcome, err);
    run->measured = !status;
    return status;
}

static void warn_doubts(const struct ct_run *run)
{
    struct ct_timing timing = ct_timing_of(&run->outcome);
    struct ct_timed timed =
        ct_timing_timed(&timing, &run->outcome.observed, run->device, "this time", false);

    ct_doubts_warn(&timed);
}

int ct_cli_run(const struct ct_options *options)
{
    struct ct_run run;
    struct ct_err err = CT_ERR_INIT;
    const struct ct_devinfo **devices;
    int exit_status = CT_EXIT_OK;

    memset(&run, 0, sizeof(run));
    if (options->operand_count < 1)
        return ct_cli_usage("run",
                            "which space file? (cltune run SPACE.ini NAME=VALUE...)");
    run.spec = ct_cli_load(options->operands[0], options, &exit_status);
    if (!run.spec)
        goto out;
    if (ct_cli_devices_match(&run.arena, options->device, &devices, &err)) {
        exit_status = ct_cli_error(&err);
        goto out;
    }
    if (devices[1]) {
        exit_status = ct_cli_usage("run", "one device at a time: name it by its index");
        goto out;
    }
    run.device = devices[0];
    run.binding = ct_cli_bind(run.spec, options, run.device, NULL, &exit_status);
    if (!run.binding)
        goto out;
    if (measure(&run, options, &err)) {
        ct_cli_place_launch(run.spec, &err);
        exit_status = ct_cli_error(&err);
    } else {
        if (!options->quiet)
            ct_cli_warn_violated(run.binding, run.values);
        if (options->json)
            ct_run_print_json(&run);
        else
            ct_run_print_text(&run);
        if (run.outcome.status != CT_RESULT_OK)
            exit_status = CT_EXIT_FAILED;
        else if (!options->quiet)
            warn_doubts(&run);
        if (run.outcome.doubt)
            ct_cli_warn("%s", run.outcome.doubt);
    }
out:
    if (run.measured)
        ct_outcome_release(&run.outcome);
    if (run.runner)
        ct_runner_free(run.runner);
    if (run.sources)
        ct_source_cache_free(run.sources);
    free(run.values);
    if (run.binding)
        ct_binding_free(run.binding);
    if (run.spec)
        ct_spec_free(run.spec);
    ct_arena_release(&run.arena);
    return exit_status;
}
