// SPDX-License-Identifier: Apache-2.0
// cltune space: a space file without measuring: checks, counts, configurations.
#include "cli/space.h"

#include "base/clock.h"
#include "report/explain.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/space.h"

#include <limits.h>
#include <string.h>

/* Prints the number of configurations, of all or of the requested part. */
static int print_count(const struct ct_space *space, const struct ct_options *options)
{
    struct ct_space_stats stats;
    uint64_t count = ct_space_count(space);
    char text[64];

    ct_space_stats_get(space, &stats);
    if (options->shard.of && !stats.valid_exact)
        return ct_space_no_shards();
    if (options->shard.of)
        count = ct_space_shard_count(space, options->shard.number - 1, options->shard.of);
    ct_print_line(ct_report_count_text(text, sizeof(text), count, stats.valid_exact));
    return CT_EXIT_OK;
}

/* Explains the file, with the configuration named by the operands after it. */
static int explain_file(const struct ct_binding *binding,
                        const struct ct_options *options)
{
    struct ct_settings settings = {0};
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = CT_OK;

    for (int i = 1; !status && i < options->operand_count; i++)
        status = ct_settings_add(&settings, options->operands[i], "operand", &err);
    if (!status)
        status = ct_report_explain(binding, settings.items, settings.count, &err);
    ct_settings_release(&settings);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

static int show_space(const struct ct_space *space, const struct ct_options *options,
                      uint64_t parse_ns)
{
    int exit_status = CT_EXIT_OK;

    if (!options->output.quiet)
        ct_report_space_warnings(space, options->listing.check);
    if (options->listing.count)
        exit_status = print_count(space, options);
    else if (ct_space_asked(options) && ct_space_count(space))
        exit_status = ct_space_answer(space, options);
    else if (options->output.json && !ct_space_asked(options))
        ct_report_space_json(space, parse_ns);
    else if (!options->listing.check && !ct_space_asked(options))
        ct_report_space(space, options->output.verbose);
    if (!exit_status && options->listing.check && ct_space_count(space))
        exit_status = ct_space_check(space);
    if (!exit_status && options->listing.explain)
        exit_status = explain_file(ct_space_binding(space), options);
    if (!exit_status && !ct_space_count(space))
        exit_status = ct_cli_empty_space(space);
    return exit_status;
}

/* Options that contradict each other. */
static int check_options(const struct ct_options *options)
{
    int questions = options->listing.count + options->listing.list +
                    (options->listing.sample > 0) + options->listing.index_given +
                    (options->listing.neighbours != NULL) +
                    (options->listing.nearest != NULL);

    if (questions > 1)
        return ct_cli_usage(
            "space", "--count, --list, --sample, --index, --neighbours and --nearest "
                     "exclude each other: use one of them");
    if (options->listing.kind && !options->listing.neighbours)
        return ct_cli_usage("space", "--kind requires --neighbours");
    if (options->shard.of && !options->listing.count && !options->listing.list)
        return ct_cli_usage("space", "--shard requires --list or --count");
    if (options->listing.kind && strcmp(options->listing.kind, "one") != 0 &&
        strcmp(options->listing.kind, "adjacent") != 0 &&
        strcmp(options->listing.kind, "two") != 0)
        return ct_cli_usage("space", "--kind must be one, adjacent or two, not '%s'",
                            options->listing.kind);
    return CT_EXIT_OK;
}

/* The device named by -d; without -d none is queried, so that OpenCL is not needed.  A program has
 * the host's processor. */
static int find_device(const struct ct_options *options, const struct ct_spec *spec,
                       struct ct_arena *arena, const struct ct_devinfo **device)
{
    const struct ct_devinfo **devices;
    struct ct_err err = CT_ERR_INIT;

    *device = NULL;
    if (!options->device && !spec->command.present)
        return CT_EXIT_OK;
    if (ct_cli_devices_for(arena, spec, options->device, &devices, &err))
        return ct_cli_error(&err);
    if (devices[1])
        return ct_cli_usage("space", "several devices match -d: name one by its index");
    *device = devices[0];
    return CT_EXIT_OK;
}

static int run_command(const struct ct_options *options)
{
    struct ct_arena arena = {0};
    struct ct_spec *spec = NULL;
    struct ct_binding *binding = NULL;
    struct ct_space *space = NULL;
    const struct ct_devinfo *device;
    const char *path;
    uint64_t start_ns;
    int exit_status = check_options(options);

    if (exit_status)
        return exit_status;
    path = ct_cli_space_file("space", options, options->listing.explain ? INT_MAX : 1);
    if (!path)
        return CT_EXIT_USAGE;
    start_ns = ct_clock_now_ns();
    spec = ct_cli_load(path, options, &exit_status);
    if (spec) {
        exit_status = find_device(options, spec, &arena, &device);
        if (options->device)
            start_ns = ct_clock_now_ns();
    }
    if (spec && !exit_status)
        binding = ct_cli_bind(spec, options, device, NULL, &exit_status);
    if (binding) {
        uint64_t parse_ns = ct_clock_now_ns() - start_ns;

        if (options->output.verbose)
            fprintf(ct_screen_err(), "read and checked in %.2f ms\n",
                    (double)parse_ns / 1e6);
        space = ct_cli_space_new(binding, options, &exit_status);
        if (space)
            exit_status = show_space(space, options, parse_ns);
    }
    ct_space_free(space);
    ct_binding_free(binding);
    if (spec)
        ct_spec_free(spec);
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_space = {
    .name = "space",
    .operands = "SPACE.ini [NAME=VALUE...]",
    .summary = "check a space file; count, list or sample its configurations",
    .details =
        "Measures nothing.  Device limits apply if -d names a device or --assume gives them;\n"
        "constraints that need other limits are reported.\n"
        "\n"
        "NAME=VALUE selects the configuration that --explain shows.  Nothing is enumerated, so\n"
        "a space may have any size.\n",
    .options = "assume check count device enumerate explain index kind list memory "
               "nearest neighbours param problem sample seed shard",
    .common = "check count device explain list nearest param problem sample seed",
    .examples = {{"cltune space my.ini --check -d 0:0", "errors and warnings only"},
                 {"cltune space my.ini --explain WG=16", "what it would do"}},
    .run = run_command,
};
