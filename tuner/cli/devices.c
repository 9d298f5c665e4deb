// SPDX-License-Identifier: Apache-2.0
// cltune devices: the devices found by the ICD loader, with the limits that matter to tuning.
#include "cli/cli.h"
#include "report/devices.h"
#include "schedule/measure.h"
#include "tune/devices.h"

static int run_command(const struct ct_options *options)
{
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    const struct ct_devinfo **devices;
    struct ct_devinfo *all;
    size_t count;
    size_t kept = 0;
    int exit_status = CT_EXIT_OK;

    if (options->operand_count)
        return ct_cli_usage("devices", "unexpected argument '%s'", options->operands[0]);
    if (ct_measure_devices(&arena, &all, &count, &err)) {
        exit_status = ct_cli_error(&err);
        goto out;
    }
    devices = ct_arena_array(&arena, count + 1, sizeof(*devices));
    for (size_t i = 0; devices && i < count; i++)
        if (!options->device || ct_device_matches(&all[i], options->device))
            devices[kept++] = &all[i];
    if (!kept) {
        ct_err_set(&err, CT_E_NO_DEVICE,
                   "no device matches '%s'; try 'cltune devices' for a list",
                   options->device ? options->device : "all");
        exit_status = ct_cli_error(&err);
    } else if (options->output.json) {
        ct_report_devices_json(devices);
    } else {
        ct_report_devices(devices, options->output.verbose);
    }
out:
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_devices = {
    .name = "devices",
    .operands = "",
    .summary = "list OpenCL devices and the limits that matter for tuning",
    .details = "Lists the devices that the OpenCL ICD loader finds.\n",
    .options = "device",
    .run = run_command,
};
