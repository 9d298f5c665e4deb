// SPDX-License-Identifier: Apache-2.0
// cltune best --format binary: the only form of an answer that needs its device.
#include "cli/best_binary.h"

#include "report/binary.h"
#include "tune/recheck.h"

#include <string.h>

/* Binds to the answer's problem; NULL after a message. */
static struct ct_binding *bind_answer(const struct ct_options *options,
                                      const struct ct_binary_choice *choice,
                                      const struct ct_spec *spec, int *exit_status)
{
    struct ct_arena arena = {0};
    struct ct_settings problem = {0};
    struct ct_binding *binding = NULL;
    struct ct_err err = CT_ERR_INIT;

    if (ct_recheck_settings(choice->answer->problem_json, &arena, &problem.items,
                            &problem.count, &err))
        *exit_status = ct_cli_error(&err);
    else
        binding = ct_cli_bind(spec, options, choice->device, &problem, exit_status);
    ct_arena_release(&arena);
    return binding;
}

static int build_one(const struct ct_options *options,
                     const struct ct_binary_choice *choice, const struct ct_spec *spec,
                     struct ct_binding *binding)
{
    struct ct_tune_options tune;
    struct ct_binary binary;
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = ct_cli_tune_options(options, &tune, &err);

    if (status) {
        ct_binding_free(binding);
        return ct_cli_error(&err);
    }
    ct_cli_catch_signals();
    status = ct_binary_build(&binary, &tune, choice, spec, binding, &err);
    if (!status)
        status = ct_report_binary(&binary, options->output.path, &err);
    ct_binary_release(&binary);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

static int export_choice(const struct ct_options *options,
                         const struct ct_binary_choice *choice)
{
    int exit_status = CT_EXIT_FAILED;
    struct ct_spec *spec = ct_cli_load_stored(options, choice->answer->kernel,
                                              choice->answer->space_file, &exit_status);
    struct ct_binding *binding =
        spec ? bind_answer(options, choice, spec, &exit_status) : NULL;

    if (binding)
        exit_status = build_one(options, choice, spec, binding);
    if (spec)
        ct_spec_free(spec);
    return exit_status;
}

int ct_cli_best_binary(const struct ct_options *options, const cltunedb_answers *answers)
{
    struct ct_binary_choice choice = {0};
    const struct ct_devinfo **devices;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    if (ct_report_binary_exists(options->output.path, &err) ||
        ct_cli_devices_match(&arena, "all", &devices, &err) ||
        ct_binary_choose(options->db, answers, devices, &choice, &err))
        exit_status = ct_cli_error(&err);
    else
        exit_status = export_choice(options, &choice);
    ct_binary_choice_release(&choice);
    ct_arena_release(&arena);
    return exit_status;
}
