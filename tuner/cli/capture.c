// SPDX-License-Identifier: Apache-2.0
// cltune capture: runs a program, shows where its OpenCL kernels spend time, and writes experiments.
#include "capture/capture.h"

#include "cli/cli.h"
#include "report/capture.h"
#include "report/warn.h"

#include <string.h>

/* What there is to say beside the table. */
static void warn(const struct ct_capture_result *result,
                 const struct ct_capture_options *wanted)
{
    const struct ct_found *found = &result->found;

    if (result->end.signal)
        ct_report_warn("%s was ended by signal %d (%s); what it did before counts",
                       wanted->argv[0], result->end.signal,
                       strsignal(result->end.signal));
    if (!found->count && result->program.doubt)
        ct_report_warn("%s %s: nothing of it was seen", result->program.path,
                       result->program.doubt);
    else if (!found->count)
        ct_report_warn("%s launched no OpenCL kernel", wanted->argv[0]);
    else if (wanted->output && !result->written)
        ct_report_warn("nothing was written: %s",
                       wanted->kernel || wanted->launch
                           ? "no launch that was asked for can be captured"
                           : "no launch can be captured");
    for (size_t i = 0; i < found->count; i++)
        if (json_is_false(json_object_get(found->groups[i].captured, "deterministic")))
            ct_report_warn("%s is not deterministic: the same inputs gave other outputs",
                           found->groups[i].kernel);
}

static int run_command(const struct ct_options *options)
{
    bool writes =
        options->output.path || options->store.kernel || options->program.launch;
    struct ct_capture_options wanted = {
        .output = options->output.path ? options->output.path
                  : writes             ? "capture"
                                       : NULL,
        .kernel = options->store.kernel,
        .launch = options->program.launch,
        .max_bytes = options->program.max_bytes,
        .argv = options->operands,
    };
    struct ct_capture_result result;
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    if (!options->operand_count)
        return ct_cli_usage("capture", "no program given: use 'cltune capture -- PROGRAM "
                                       "ARGUMENTS'");
    if (wanted.launch && !wanted.kernel)
        return ct_cli_usage("capture",
                            "--launch counts the launches of one kernel: name it "
                            "with --kernel");
    if (ct_capture_run(&wanted, &result, &err))
        exit_status = ct_cli_error(&err);
    if (result.end.status >= 0) {
        warn(&result, &wanted);
        if (options->output.json)
            ct_report_capture_json(&result);
        else if (result.found.count)
            ct_report_capture(&result, wanted.output);
        if (!exit_status && (!result.found.count || (wanted.output && !result.written)))
            exit_status = CT_EXIT_NOTHING;
        if (result.end.status)
            exit_status = result.end.status;
    }
    ct_capture_release(&result);
    return exit_status;
}

const struct ct_command ct_cli_command_capture = {
    .name = "capture",
    .operands = "-- PROGRAM [ARGUMENT...]",
    .summary = "show what a program's kernels cost; make space files of them",
    .details =
        "Runs the program and prints its kernels with their launches and their share of the\n"
        "device time. With -o or --kernel, it writes launches to a folder (default:\n"
        "capture): source, options, inputs, outputs, and SPACE.ini for 'cltune search'.\n"
        "The exit status is the program's, or 3 if that is 0 and no kernel was launched, or\n"
        "none could be written.\n",
    .options = "output kernel launch max-bytes json",
    .examples = {{"cltune capture -- ./app input.dat", "kernels and their shares"},
                 {"cltune capture --kernel smooth -- ./app", "make a space file"}},
    .run = run_command,
};
