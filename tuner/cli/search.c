// SPDX-License-Identifier: Apache-2.0
// cltune search: every device and problem requested, one search each.
#include "cli/cli.h"
#include "cli/display.h"
#include "cli/search_division.h"
#include "cli/search_fleet.h"
#include "cli/search_joint.h"
#include "cli/search_slurm.h"
#include "report/observer.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/search.h"
#include "report/space.h"
#include "report/width.h"
#include "tune/effort.h"
#include "tune/search.h"
#include "spacefile/trusted.h"

#include <string.h>
#include <unistd.h>

/* State common to all searches of a call, or of one of its devices. */
struct searches {
    const struct ct_options *options;
    struct ct_tune_options tune;
    const struct ct_spec *spec;
    struct ct_sweep sweep;
    /* Searches with results printed so far: they are separated.  While devices are searched side by
     * side, only between ct_board_begin and _end. */
    size_t *printed;
    struct ct_board *board; /* NULL: one search at a time */
    size_t lane;
};

/* Shows the results of a search that ended with `status`; returns the exit status. */
static int show_search(struct searches *all, struct ct_search *search,
                       enum ct_status status, const struct ct_err *why)
{
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    if (status && status != CT_E_INTERRUPTED)
        exit_status = ct_cli_error(why);
    if (search->results.done_count && !all->options->output.json_lines) {
        struct ct_report_form form = {
            .json = all->options->output.json,
            .quiet = all->options->output.quiet,
            .verbose = all->options->output.verbose,
            .width = ct_width_output(STDOUT_FILENO, all->options->output.wide)};

        if ((*all->printed)++)
            ct_print_line(all->options->output.json ? "," : "");
        if (all->board && !form.json)
            ct_print("device    %u:%u  %s\n", search->work.device->platform_index,
                     search->work.device->device_index,
                     ct_devinfo_text(search->work.device, CT_DEVICE_NAME));
        ct_report_search(search, &form);
    } else if (search->interrupted) {
        fprintf(ct_screen_err(), "cltune: interrupted before anything was measured\n");
    }
    if (search->interrupted)
        return CT_EXIT_INTERRUPTED;
    if (!exit_status && ct_search_found(search, &err))
        exit_status = ct_cli_error(&err);
    return exit_status;
}

static int run_search(struct searches *all, struct ct_search *search)
{
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = ct_search_run(search, &err);
    int exit_status;

    ct_board_begin(all->board, all->lane);
    ct_board_clear(all->board);
    exit_status = show_search(all, search, status, &err);
    /* Whoever reads wants it now: other devices may take hours. */
    if (all->board)
        fflush(ct_screen_out());
    ct_board_end(all->board);
    return exit_status;
}

/* Prepares a search; returns the exit status. */
static int new_search(struct searches *all, const struct ct_observer *observer,
                      const struct ct_devinfo *device, const struct ct_settings *problem,
                      struct ct_search **search)
{
    const struct ct_options *options = all->options;
    struct ct_err err = CT_ERR_INIT;
    struct ct_space *space;
    int exit_status = CT_EXIT_OK;
    struct ct_binding *binding =
        ct_cli_bind(all->spec, options, device, problem, &exit_status);

    if (!binding)
        return exit_status;
    space = ct_cli_space_new(binding, options, &exit_status);
    if (space && !ct_space_count(space))
        exit_status = ct_cli_empty_space(space);
    if (!exit_status && !options->output.quiet)
        ct_report_undecided(space);
    if (exit_status) {
        ct_space_free(space);
        ct_binding_free(binding);
        return exit_status;
    }
    if (ct_search_new(&all->tune, observer, device, all->spec, binding, space, search,
                      &err))
        return ct_cli_error(&err);
    return CT_EXIT_OK;
}

/* One problem on one device. */
static int search_one(struct searches *all, const struct ct_devinfo *device,
                      const struct ct_settings *problem)
{
    const struct ct_options *options = all->options;
    struct ct_console console = ct_cli_console(options);
    struct ct_observer observer = ct_report_observer(&console);
    struct ct_search *search = NULL;
    int exit_status;

    console.board = all->board;
    console.lane = all->lane;
    ct_board_begin(all->board, all->lane);
    ct_board_clear(all->board);
    exit_status = new_search(all, &observer, device, problem, &search);
    ct_board_end(all->board);
    if (exit_status || !search)
        return exit_status;
    if (options->dry_run) {
        if ((*all->printed)++)
            ct_print_text("\n");
        ct_report_intent(search, true, ct_screen_out());
    } else {
        exit_status = run_search(all, search);
    }
    ct_search_free(search);
    return exit_status;
}

/* Every combination of the problem values, on one device.  All of them are bound before the first
 * is searched, so that an error in the last does not come after hours. */
static int search_problems(struct searches *all, const struct ct_devinfo *device)
{
    struct ct_options silent = *all->options;
    int worst = CT_EXIT_OK;

    /* Warnings are shown when each is searched. */
    silent.output.quiet = true;
    ct_board_begin(all->board, all->lane);
    for (size_t n = 0; n < all->sweep.count && !worst; n++) {
        struct ct_settings problem = ct_sweep_at(&all->sweep, n);
        struct ct_binding *binding =
            ct_cli_bind(all->spec, &silent, device, &problem, &worst);

        if (binding)
            ct_binding_free(binding);
    }
    ct_board_end(all->board);
    for (size_t n = 0; n < all->sweep.count && worst < CT_EXIT_INTERRUPTED; n++) {
        struct ct_settings problem;
        int exit_status;

        if (worst == CT_EXIT_USAGE)
            break;
        problem = ct_sweep_at(&all->sweep, n);
        exit_status = search_one(all, device, &problem);
        if (exit_status > worst)
            worst = exit_status;
    }
    return worst;
}

/* All of them in one search: they have weights. */
static int search_jointly(struct searches *all, const struct ct_devinfo *device)
{
    if ((*all->printed)++)
        ct_print_line(all->options->output.json ? "," : "");
    return ct_cli_search_joint(all->options, &all->tune, all->spec, &all->sweep, device);
}

static int search_lane(void *user, const struct ct_cli_lane *lane)
{
    const struct searches *all = user;
    struct searches own = *all;
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    own.tune = *lane->tune;
    own.board = lane->board;
    own.lane = lane->number;
    memset(&own.sweep, 0, sizeof(own.sweep));
    if (ct_sweep_init(&own.sweep, &all->options->problem, &err)) {
        ct_board_begin(lane->board, lane->number);
        exit_status = ct_cli_error(&err);
        ct_board_end(lane->board);
    } else {
        exit_status = search_problems(&own, lane->device);
    }
    ct_sweep_release(&own.sweep);
    return exit_status;
}

/* Whether devices are searched side by side.  Programs run on the host and choose devices
 * themselves; searches of weighted problems are one after another. */
static bool is_fleet(const struct searches *all, const struct ct_devinfo **devices)
{
    return devices[0] && devices[1] && !all->options->dry_run &&
           !all->spec->command.present && !ct_sweep_is_weighted(&all->sweep);
}

static int search_in_turn(struct searches *all, const struct ct_devinfo **devices)
{
    bool weighted = ct_sweep_is_weighted(&all->sweep);
    int exit_status = CT_EXIT_OK;

    for (; *devices && exit_status != CT_EXIT_INTERRUPTED; devices++) {
        int one =
            weighted ? search_jointly(all, *devices) : search_problems(all, *devices);

        if (one > exit_status)
            exit_status = one;
    }
    return exit_status;
}

static int search_devices(struct searches *all, const struct ct_devinfo **devices)
{
    bool weighted = ct_sweep_is_weighted(&all->sweep);
    /* Several searches make an array. */
    bool array = all->options->output.json &&
                 (devices[1] != NULL || (all->sweep.count > 1 && !weighted));
    int exit_status;

    ct_cli_catch_signals();
    if (array)
        ct_print_line("[");
    if (is_fleet(all, devices))
        exit_status = ct_cli_search_fleet(&all->tune, devices, search_lane, all);
    else
        exit_status = search_in_turn(all, devices);
    if (array)
        ct_print_line("]");
    return exit_status;
}

static int search_file(const struct ct_options *options, const char *path,
                       const struct ct_spec *spec)
{
    size_t printed = 0;
    struct searches all = {.options = options, .spec = spec, .printed = &printed};
    const struct ct_devinfo **devices;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    if (!spec->launch_count && !spec->command.present)
        ct_err_at(
            &err, CT_E_SPEC, path, 0, 0,
            "nothing to search: the file has no [launch] or [program] section ('cltune space' "
            "accepts such a file)");
    if (err.code || ct_sweep_init(&all.sweep, &options->problem, &err) ||
        ct_cli_devices_for(&arena, spec, options->device, &devices, &err)) {
        exit_status = ct_cli_error(&err);
    } else {
        if (!options->dry_run)
            ct_trust_space(path);
        if (options->output.json && options->dry_run)
            exit_status = ct_cli_usage("search", "--dry-run does not support --json");
        else if (ct_cli_check_division(options, ct_sweep_is_weighted(&all.sweep)))
            exit_status = CT_EXIT_USAGE;
        else if (ct_cli_check_display(options, ct_sweep_is_weighted(&all.sweep), &err) ||
                 ct_cli_tune_options(options, &all.tune, &err) ||
                 (options->effort &&
                  ct_effort_apply(options->effort, spec, &all.tune, &err)))
            exit_status = ct_cli_error(&err);
        else
            exit_status = search_devices(&all, devices);
    }
    ct_sweep_release(&all.sweep);
    ct_arena_release(&arena);
    return exit_status;
}

static int run_command(const struct ct_options *options)
{
    const char *path = ct_cli_space_file("search", options, 1);
    struct ct_spec *spec;
    int exit_status = CT_EXIT_USAGE;

    if (!path)
        return exit_status;
    if (!options->slurm.tasks && (options->slurm.folder || options->slurm.options.count))
        return ct_cli_usage("search", "--%s requires --slurm",
                            options->slurm.folder ? "slurm-dir" : "slurm-option");
    spec = ct_cli_load(path, options, &exit_status);
    if (!spec)
        return exit_status;
    exit_status = options->slurm.tasks ? ct_cli_search_slurm(options, path, spec)
                                       : search_file(options, path, spec);
    ct_spec_free(spec);
    return exit_status;
}

const struct ct_command ct_cli_command_search = {
    .name = "search",
    .operands = "SPACE.ini",
    .summary = "tune: build, verify, time, store, print the best",
    .details =
        "Evaluates every valid configuration unless -n, -t or the space file sets a\n"
        "budget.  A second call continues: stored results are not measured again.\n",
    .options =
        "baseline beside build-timeout by cache color db device dry-run effort enumerate evaluations "
        "fraction fresh island jobs json-lines keep-going measure-duplicates memory no-cache no-prior "
        "no-progress no-race objective param playoff playoff-only problem retry rough samples seed shard "
        "slurm slurm-dir slurm-option strategy target time timeout until-chance wide with",
    .common =
        "by device dry-run effort evaluations fresh objective param problem target time",
    .examples = {{"cltune search my.ini -d H200 -t 10m", "ten minutes on one device"},
                 {"cltune search my.ini --param \"WG=16, 32\"", "these values only"}},
    .run = run_command,
};
