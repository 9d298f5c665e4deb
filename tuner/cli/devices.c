// SPDX-License-Identifier: Apache-2.0
// cltune devices: the devices found by the ICD loader, with the limits that matter to tuning.
#include "cli/cli.h"
#include "report/devices.h"
#include "report/doctor.h"
#include "report/width.h"
#include "schedule/measure.h"
#include "tune/devices.h"

#include <unistd.h>

/* 0: all is well; 1: something is broken, but a device works; 4: none does. */
static int run_doctor(const struct ct_options *options)
{
    struct ct_checkup checkup;
    struct ct_err err = CT_ERR_INIT;
    bool broken;
    int exit_status;

    if (options->device)
        return ct_cli_usage("devices", "--doctor examines every device: leave -d out");
    if (ct_doctor_examine(&checkup, &err)) {
        ct_checkup_release(&checkup);
        return ct_cli_error(&err);
    }
    if (options->output.json)
        ct_report_checkup_json(&checkup);
    else
        ct_report_checkup(&checkup);
    broken = ct_findings_bad(&checkup.machine) || checkup.usable < checkup.device_count;
    exit_status = !checkup.usable ? CT_EXIT_NO_DEVICE
                  : broken        ? CT_EXIT_FAILED
                                  : CT_EXIT_OK;
    ct_checkup_release(&checkup);
    return exit_status;
}

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
    if (options->doctor)
        return run_doctor(options);
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
        ct_report_devices(devices, options->output.verbose,
                          ct_width_output(STDOUT_FILENO, options->output.wide));
    }
out:
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_devices = {
    .name = "devices",
    .operands = "",
    .summary = "list OpenCL devices and the limits that matter for tuning",
    .details =
        "Lists the devices that the OpenCL ICD loader finds.  --doctor examines why some are\n"
        "missing, and whether each compiles, runs and reports times; exit status 0 if all is\n"
        "well, 1 if something is broken but a device works, 4 if none does.\n",
    .options = "device doctor wide",
    .examples = {{"cltune devices", "all devices and their limits"},
                 {"cltune devices --doctor", "why a device is missing"}},
    .run = run_command,
};
