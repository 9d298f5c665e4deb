// SPDX-License-Identifier: Apache-2.0
// cltune search with weights: one search for several problems.
#include "cli/search_joint.h"

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/display.h"
#include "report/joint.h"
#include "report/observer.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/search.h"
#include "report/space.h"
#include "report/width.h"

#include <stdlib.h>
#include <unistd.h>

/* What lives as long as the search. */
struct joining {
    const struct ct_options *options;
    struct ct_tune_options *part_options; /* of each part */
    struct ct_console *consoles;
    struct ct_observer *observers;
    struct ct_joint joint;
};

/* The search of one problem; returns the exit status. */
static int add_part(struct joining *j, const struct ct_spec *spec, struct ct_sweep *sweep,
                    size_t n, const struct ct_devinfo *device)
{
    struct ct_settings problem = ct_sweep_at(sweep, n);
    struct ct_joint_part *part = &j->joint.parts[n];
    struct ct_err err = CT_ERR_INIT;
    struct ct_space *space;
    int exit_status = CT_EXIT_OK;
    struct ct_binding *binding =
        ct_cli_bind(spec, j->options, device, &problem, &exit_status);

    if (!binding)
        return exit_status;
    space = ct_cli_space_new(binding, j->options, &exit_status);
    if (space && !ct_space_count(space))
        exit_status = ct_cli_empty_space(space);
    if (exit_status) {
        ct_space_free(space);
        ct_binding_free(binding);
        return exit_status;
    }
    if (!j->options->output.quiet)
        ct_report_undecided(space);
    j->part_options[n] = ct_joint_part_options(j->joint.options, n, sweep->count);
    j->consoles[n] = ct_cli_console(j->options);
    j->observers[n] = ct_report_observer(&j->consoles[n]);
    part->weight = ct_sweep_weight(sweep, n);
    if (ct_search_new(&j->part_options[n], &j->observers[n], device, spec, binding, space,
                      &part->search, &err))
        return ct_cli_error(&err);
    j->joint.count++;
    return CT_EXIT_OK;
}

static void show(const struct joining *j)
{
    bool json = j->options->output.json;
    struct ct_report_form form = {
        .json = json,
        .quiet = j->options->output.quiet,
        .verbose = j->options->output.verbose,
        .width = ct_width_output(STDOUT_FILENO, j->options->output.wide)};

    if (json)
        ct_print("{\"problems\": [\n");
    for (size_t p = 0; p < j->joint.count; p++) {
        if (p)
            ct_print_line(json ? "," : "");
        ct_report_search(j->joint.parts[p].search, &form);
    }
    if (json)
        ct_print("],\n\"joint\": ");
    if (json)
        ct_report_joint_json(&j->joint);
    else
        ct_report_joint(&j->joint, form.width);
    if (json)
        ct_print_line("}");
}

static int run_search(struct joining *j)
{
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = ct_joint_run(&j->joint, &err);

    if (status && status != CT_E_INTERRUPTED)
        return ct_cli_error(&err);
    if (j->joint.best_count)
        show(j);
    if (status)
        return CT_EXIT_INTERRUPTED;
    return ct_joint_found(&j->joint, &err) ? ct_cli_error(&err) : CT_EXIT_OK;
}

int ct_cli_search_joint(const struct ct_options *options,
                        const struct ct_tune_options *tune, const struct ct_spec *spec,
                        struct ct_sweep *sweep, const struct ct_devinfo *device)
{
    struct joining j = {.options = options, .joint = {.options = tune}};
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;
    bool room;

    j.joint.parts = ct_mem_array(sweep->count, sizeof(*j.joint.parts));
    j.part_options = ct_mem_array(sweep->count, sizeof(*j.part_options));
    j.consoles = ct_mem_array(sweep->count, sizeof(*j.consoles));
    j.observers = ct_mem_array(sweep->count, sizeof(*j.observers));
    room = j.joint.parts && j.part_options && j.consoles && j.observers;
    if (!room) {
        ct_err_nomem(&err);
        exit_status = ct_cli_error(&err);
    }
    for (size_t n = 0; room && n < sweep->count && !exit_status; n++)
        exit_status = add_part(&j, spec, sweep, n, device);
    for (size_t n = 0; n < j.joint.count && !exit_status && options->dry_run; n++)
        ct_report_intent(j.joint.parts[n].search, true, ct_screen_out());
    if (!exit_status && !options->dry_run)
        exit_status = run_search(&j);
    for (size_t n = 0; n < j.joint.count; n++)
        ct_search_free(j.joint.parts[n].search);
    ct_joint_release(&j.joint);
    free(j.joint.parts);
    free(j.part_options);
    free(j.consoles);
    free(j.observers);
    return exit_status;
}
