// SPDX-License-Identifier: Apache-2.0
// cltune build-farm: compiles configurations for later searches.
#include "cli/cli.h"
#include "report/farm.h"
#include "report/space.h"

/* Takes binding and space over. */
static int build_space(const struct ct_options *options, const struct ct_devinfo *device,
                       const struct ct_spec *spec, struct ct_binding *binding,
                       struct ct_space *space)
{
    struct ct_tune_options tune;
    struct ct_err err = CT_ERR_INIT;
    struct ct_farm farm;
    enum ct_status status;

    if (ct_cli_tune_options(options, &tune, &err)) {
        ct_space_free(space);
        ct_binding_free(binding);
        return ct_cli_error(&err);
    }
    status = ct_farm_init(&farm, &tune, device, spec, binding, space, &err);
    if (!status)
        status = ct_farm_run(&farm, &err);
    if (farm.done && !options->output.quiet)
        ct_report_farm_warnings(&farm);
    if (farm.done && options->output.json)
        ct_report_farm_json(&farm);
    else if (farm.done && !options->output.quiet)
        ct_report_farm(&farm);
    if (!status && farm.done == farm.failed)
        status = ct_err_set(&err, CT_E_NOT_FOUND, "no configuration could be built");
    ct_farm_release(&farm);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

static int build_on(const struct ct_options *options, const struct ct_devinfo *device,
                    const struct ct_spec *spec)
{
    int exit_status = CT_EXIT_OK;
    struct ct_binding *binding = ct_cli_bind(spec, options, device, NULL, &exit_status);
    struct ct_space *space;

    if (!binding)
        return exit_status;
    space = ct_cli_space_new(binding, options, &exit_status);
    if (space && !ct_space_count(space))
        exit_status = ct_cli_empty_space(space);
    if (!exit_status)
        return build_space(options, device, spec, binding, space);
    ct_space_free(space);
    ct_binding_free(binding);
    return exit_status;
}

static int run_command(const struct ct_options *options)
{
    const char *path = ct_cli_space_file("build-farm", options, 1);
    const struct ct_devinfo **devices;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec;
    int exit_status = CT_EXIT_USAGE;

    if (!path)
        return exit_status;
    spec = ct_cli_load(path, options, &exit_status);
    if (!spec)
        return exit_status;
    ct_cli_catch_signals();
    if (!spec->launch_count)
        exit_status = ct_cli_usage(
            "build-farm", "nothing to build: '%s' has no [launch] section", path);
    else if (ct_cli_devices_for(&arena, spec, options->device, &devices, &err))
        exit_status = ct_cli_error(&err);
    else if (devices[1])
        exit_status =
            ct_cli_usage("build-farm", "several devices match -d: name one by its index");
    else
        exit_status = build_on(options, devices[0], spec);
    ct_spec_free(spec);
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_build_farm = {
    .name = "build-farm",
    .operands = "SPACE.ini",
    .summary = "compile configurations for later searches",
    .details =
        "Nothing is measured or stored but binaries: a search with the same cache folder\n"
        "(XDG_CACHE_HOME, on PoCL also POCL_CACHE_DIR) compiles none of them again.  Tasks\n"
        "may share a folder and run at once.\n"
        "\n"
        "The device must be of the kind that is searched, with the same driver; on PoCL, a\n"
        "machine with the same processor.\n",
    .options =
        "build-timeout device enumerate evaluations jobs memory param problem seed "
        "shard strategy timeout",
    .common = "device evaluations problem shard strategy",
    .examples = {{"cltune build-farm my.ini -d H200 --shard 1/8",
                  "an eighth of the space"},
                 {"cltune build-farm my.ini -s random -n 500", "what a search asks for"}},
    .run = run_command,
};
