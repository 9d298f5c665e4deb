// SPDX-License-Identifier: Apache-2.0
// cltune recheck: whether the stored best still is the best.
#include "cli/cli.h"
#include "report/json.h"
#include "report/observer.h"
#include "report/print.h"
#include "report/recheck.h"
#include "report/width.h"
#include "tune/recheck.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unistd.h>

/* NULL after a message. */
static struct ct_spec *load_spec(const struct ct_options *options,
                                 const struct ct_db_subject_best *subject,
                                 int *exit_status)
{
    /* The search may have run in another folder. */
    const char *stored =
        *subject->of.space_file && access(subject->of.space_file, F_OK) == 0
            ? subject->of.space_file
            : subject->of.space_path;

    return ct_cli_load_stored(options, subject->of.kernel, stored, exit_status);
}

/* Binds to the stored problem; NULL after a message. */
static struct ct_binding *bind_stored(const struct ct_options *options,
                                      const struct ct_spec *spec,
                                      const struct ct_db_subject_best *subject,
                                      const struct ct_devinfo *device, int *exit_status)
{
    struct ct_arena arena = {0};
    struct ct_settings problem = {0};
    struct ct_binding *binding = NULL;
    struct ct_err err = CT_ERR_INIT;

    if (ct_recheck_settings(subject->of.problem_json, &arena, &problem.items,
                            &problem.count, &err))
        *exit_status = ct_cli_error(&err);
    else
        binding = ct_cli_bind(spec, options, device, &problem, exit_status);
    ct_arena_release(&arena);
    return binding;
}

/* State common to all subjects of a call. */
struct rechecks {
    const struct ct_options *options;
    struct ct_tune_options tune;
    json_t *array; /* NULL: text output */
    size_t printed;
};

static int recheck_one(struct rechecks *all, const struct ct_db_subject_best *subject,
                       const struct ct_devinfo *device)
{
    struct ct_console console = {.quiet = all->options->output.quiet};
    struct ct_observer observer = ct_report_observer(&console);
    struct ct_recheck recheck;
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_USAGE;
    struct ct_spec *spec = load_spec(all->options, subject, &exit_status);
    struct ct_binding *binding =
        spec ? bind_stored(all->options, spec, subject, device, &exit_status) : NULL;

    if (!binding) {
        if (spec)
            ct_spec_free(spec);
        return exit_status;
    }
    if (ct_recheck_run(&recheck, &all->tune, &observer, subject, device, spec, binding,
                       (size_t)all->options->contest.runners_up, &err)) {
        exit_status = ct_cli_error(&err);
    } else {
        exit_status = recheck.verdict == CT_RECHECK_HOLDS ? CT_EXIT_OK : CT_EXIT_FAILED;
        if (all->array) {
            json_array_append_new(all->array, ct_report_recheck_json(&recheck));
        } else {
            if (all->printed++)
                ct_print_text("\n");
            ct_report_recheck(&recheck, all->options->output.quiet,
                              ct_width_output(STDOUT_FILENO, all->options->output.wide));
        }
    }
    ct_recheck_release(&recheck);
    ct_spec_free(spec);
    return exit_status;
}

static int recheck_all(const struct ct_options *options,
                       const struct ct_recheck_stock *stock)
{
    struct rechecks all = {.options = options};
    struct ct_err err = CT_ERR_INIT;
    size_t chosen = 0;
    int worst = CT_EXIT_OK;

    if (ct_cli_tune_options(options, &all.tune, &err))
        return ct_cli_error(&err);
    all.array = options->output.json ? json_array() : NULL;
    ct_cli_catch_signals();
    for (size_t i = 0; i < stock->count && worst != CT_EXIT_INTERRUPTED; i++) {
        const struct ct_devinfo *device = ct_recheck_device(stock, i);
        int one;

        if (!device)
            continue;
        chosen++;
        one = recheck_one(&all, &stock->listed[i], device);
        worst = one > worst ? one : worst;
    }
    if (!chosen) {
        ct_recheck_nothing(stock, options->device && strcmp(options->device, "all") != 0,
                           &err);
        worst = ct_cli_error(&err);
    } else if (all.array) {
        ct_report_json(all.array);
    }
    json_decref(all.array);
    return worst;
}

static enum ct_status list_stored(const struct ct_options *options,
                                  struct ct_recheck_stock *stock, struct ct_err *err)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    cltunedb_value *problem = ct_mem_array(options->problem.count, sizeof(*problem));
    enum ct_status status;

    if (!problem)
        return ct_err_nomem(err);
    for (size_t i = 0; i < options->problem.count; i++)
        problem[i] = ct_cli_query_value(&options->problem.items[i]);
    query.kernel = options->operand_count ? options->operands[0] : NULL;
    query.problem = problem;
    query.problem_count = options->problem.count;
    query.objective = options->objective;
    status = ct_recheck_list(options->db, &query, stock, err);
    free(problem);
    return status;
}

static int run_command(const struct ct_options *options)
{
    struct ct_recheck_stock stock;
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;
    int exit_status;

    memset(&stock, 0, sizeof(stock));
    if (options->operand_count > 1)
        return ct_cli_usage("recheck", "unexpected argument '%s': name one kernel",
                            options->operands[1]);
    for (size_t i = 0; i < options->problem.count; i++)
        if (strchr(options->problem.items[i].text, ','))
            return ct_cli_usage(
                "recheck", "-p takes a single value here: '-p %s=%s' has several",
                options->problem.items[i].name, options->problem.items[i].text);
    status = list_stored(options, &stock, &err);
    if (!status)
        status =
            ct_cli_devices_and_host(&stock.arena, options->device, &stock.devices, &err);
    exit_status = status ? ct_cli_error(&err) : recheck_all(options, &stock);
    ct_recheck_stock_release(&stock);
    return exit_status;
}

const struct ct_command ct_cli_command_recheck = {
    .name = "recheck",
    .operands = "[KERNEL]",
    .summary = "check in seconds whether the stored best is still the best",
    .details =
        "Compares the stored best configuration with its runners-up on the devices of\n"
        "this machine, and stores the results.  Exit status 0: the best still holds; 1:\n"
        "another one is significantly better, or the best no longer works.\n"
        "\n"
        "Useful after driver updates and in automatic builds.  The database names the\n"
        "space file.  Because a space file can run C code, it must be one that you have\n"
        "searched yourself, or that you confirm once with --space.\n",
    .options = "build-timeout cache db device jobs objective problem runners-up "
               "space timeout wide",
    .common = "cache db device jobs objective problem runners-up space timeout",
    .examples = {{"cltune recheck fir", "is the best still the best?"},
                 {"cltune recheck fir --space spaces/fir.ini", "trust a space file"}},
    .run = run_command,
};
