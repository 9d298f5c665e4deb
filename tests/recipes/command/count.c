// SPDX-License-Identifier: Apache-2.0
// cltune count: the number of valid configurations of a space file.
#include "cli/cli.h"

#include <inttypes.h>

static int run_command(const struct ct_options *options)
{
    const char *path = ct_cli_space_file("count", options, 1);
    struct ct_binding *binding = NULL;
    struct ct_space *space = NULL;
    struct ct_spec *spec;
    int exit_status = CT_EXIT_USAGE;

    if (!path)
        return exit_status;
    spec = ct_cli_load(path, options, &exit_status);
    if (spec)
        binding = ct_cli_bind(spec, options, NULL, NULL, &exit_status);
    if (binding)
        space = ct_cli_space_new(binding, options, &exit_status);
    if (space) {
        printf("%" PRIu64 "\n", ct_space_count(space));
        exit_status = CT_EXIT_OK;
    }
    ct_space_free(space);
    ct_binding_free(binding);
    if (spec)
        ct_spec_free(spec);
    return exit_status;
}

const struct ct_command ct_cli_command_count = {
    .name = "count",
    .operands = "SPACE.ini",
    .summary = "count the valid configurations of a space file",
    .details = "",
    .options = "problem",
    .run = run_command,
};
