// SPDX-License-Identifier: Apache-2.0
// cltune peak: the ceilings of a device, and its overheads.
#include "cli/cli.h"
#include "report/json.h"
#include "report/observer.h"
#include "report/peak.h"
#include "report/print.h"
#include "report/width.h"

#include <string.h>
#include <unistd.h>

enum { EVALUATIONS = 48 }; /* of each kernel, by default */

/* State common to all devices of a call. */
struct peaks {
    const struct ct_options *options;
    struct ct_peak peak;
    json_t *all; /* with --json */
    size_t printed;
};

static int worse_status(int a, int b)
{
    return a > b ? a : b;
}

static int measure_device(struct peaks *all, const struct ct_devinfo *device,
                          struct ct_peak_found *found)
{
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    for (enum ct_peak_kind kind = CT_PEAK_COPY; kind <= CT_PEAK_MAD; kind++) {
        struct ct_err own = CT_ERR_INIT;

        if (exit_status == CT_EXIT_INTERRUPTED)
            return exit_status;
        if (ct_peak_tune(&all->peak, device, kind, &found[kind], &own))
            exit_status = worse_status(exit_status, own.code == CT_E_INTERRUPTED
                                                        ? CT_EXIT_INTERRUPTED
                                                        : ct_cli_error(&own));
    }
    if (exit_status != CT_EXIT_INTERRUPTED && ct_peak_overheads(device, found, &err))
        exit_status = ct_cli_error(&err);
    return exit_status;
}

static int peak_device(struct peaks *all, const struct ct_devinfo *device)
{
    struct ct_peak_found found[CT_PEAK_COUNT];
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    memset(found, 0, sizeof(found));
    for (int i = 0; i < CT_PEAK_COUNT; i++)
        ct_str_init(&found[i].how);
    exit_status = measure_device(all, device, found);
    /* Results found before an interrupt are kept as well. */
    if (ct_peak_store(&all->peak, device, found, &err))
        exit_status = ct_cli_error(&err);
    if (all->options->output.json) {
        json_array_append_new(all->all, ct_report_peak_json(device, found));
    } else {
        if (all->printed++)
            ct_print_text("\n");
        ct_report_peak(device, found,
                       ct_width_output(STDOUT_FILENO, all->options->output.wide));
    }
    for (int i = 0; i < CT_PEAK_COUNT; i++)
        ct_str_release(&found[i].how);
    return exit_status;
}

static void print_json(const struct peaks *all)
{
    /* An array only if there are several, as in all commands. */
    ct_report_json(json_array_size(all->all) == 1 ? json_array_get(all->all, 0)
                                                  : all->all);
}

static int run_command(const struct ct_options *options)
{
    struct peaks all = {.options = options};
    struct ct_console console = {.quiet = options->output.quiet,
                                 .verbose = options->output.verbose};
    struct ct_observer observer = ct_report_observer(&console);
    struct ct_tune_options tune;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    const struct ct_devinfo **devices;
    int exit_status = CT_EXIT_OK;

    if (options->operand_count)
        return ct_cli_usage("peak", "unexpected argument '%s'", options->operands[0]);
    if (ct_cli_tune_options(options, &tune, &err) ||
        ct_cli_devices_match(&arena, options->device, &devices, &err)) {
        ct_arena_release(&arena);
        return ct_cli_error(&err);
    }
    tune.no_baseline = true;
    if (!tune.budget.evaluations)
        tune.budget.evaluations = EVALUATIONS;
    all.all = json_array();
    if (ct_peak_open(&all.peak, &tune, &observer, &err)) {
        exit_status = ct_cli_error(&err);
    } else {
        ct_cli_catch_signals();
        for (; *devices && exit_status != CT_EXIT_INTERRUPTED; devices++)
            exit_status = worse_status(exit_status, peak_device(&all, *devices));
        if (options->output.json)
            print_json(&all);
    }
    json_decref(all.all);
    ct_peak_close(&all.peak);
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_peak = {
    .name = "peak",
    .operands = "",
    .summary = "measure a device's peak rates and the overhead of using it",
    .details =
        "Tunes a copy and a multiply-add kernel briefly, measures launches and\n"
        "allocations, and stores the results.\n"
        "\n"
        "Searches then show how close their best comes to these ceilings if the space\n"
        "file defines 'bytes' and 'operations' in [metric].\n",
    .options = "build-timeout db device evaluations fresh jobs rough timeout wide",
    .examples = {{"cltune peak -d H200", "the ceilings of a device"},
                 {"cltune peak --rough", "a quick look"}},
    .run = run_command,
};
