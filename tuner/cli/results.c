// SPDX-License-Identifier: Apache-2.0
// cltune results: every stored result, failures included; OpenCL is never loaded.
#include "cli/cli.h"

#include "base/mem.h"
#include "base/str.h"
#include "report/results.h"
#include "report/width.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUSES_MOST = CT_RESULT_STATUS_COUNT };

/* What --status selects; the words live in `copy`. */
struct selection {
    char *copy;
    const char *words[STATUSES_MOST + 1];
};

static int unknown_status(const char *word)
{
    const char *names[CT_RESULT_STATUS_COUNT];
    const char *near;

    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        names[i] = ct_result_status_name((enum ct_result_status)i);
    near = ct_str_suggest(word, names, CT_RESULT_STATUS_COUNT);
    if (near)
        return ct_cli_usage(
            "results", "--status: unknown status '%s'; did you mean '%s'?", word, near);
    return ct_cli_usage("results",
                        "--status: unknown status '%s'; use ok, build_failed, invalid, "
                        "wrong, crashed, timeout, interrupted or skipped",
                        word);
}

static bool is_status(const char *word)
{
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        if (strcmp(ct_result_status_name((enum ct_result_status)i), word) == 0)
            return true;
    return false;
}

/* Reads "ok,wrong"; returns the exit status. */
static int select_statuses(const char *text, struct selection *out)
{
    struct ct_err err = CT_ERR_INIT;
    size_t count = 0;
    char *next;

    out->copy = ct_mem_copy(text, strlen(text));
    if (!out->copy) {
        ct_err_nomem(&err);
        return ct_cli_error(&err);
    }
    for (char *word = out->copy; word; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        if (!is_status(word))
            return unknown_status(word);
        /* More words than there are statuses repeat some. */
        if (count < STATUSES_MOST)
            out->words[count++] = word;
    }
    return CT_EXIT_OK;
}

/* Reads --sort; returns the exit status. */
static int choose_order(const char *text, enum ct_stored_order *out)
{
    static const char *const names[] = {
        [CT_STORED_BY_TIME] = "time",
        [CT_STORED_BY_STATUS] = "status",
        [CT_STORED_BY_AGE] = "age",
    };

    *out = CT_STORED_BY_TIME;
    if (!text)
        return CT_EXIT_OK;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (enum ct_stored_order)i;
            return CT_EXIT_OK;
        }
    return ct_cli_usage("results", "--sort requires time, status or age, not '%s'", text);
}

static int print_results(const struct ct_options *options, const cltunedb_query *query,
                         const struct selection *selection, enum ct_stored_order order)
{
    struct ct_stored_results results = {0};
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = ct_stored_results_read(
        options->db, query, options->output.status ? selection->words : NULL, order,
        &results, &err);

    if (!status && options->output.json)
        ct_report_results_json(&results);
    else if (!status && options->output.csv)
        status = ct_report_results_csv(&results, &err);
    else if (!status)
        status = ct_report_results(
            &results, ct_width_output(STDOUT_FILENO, options->output.wide), &err);
    ct_stored_results_release(&results);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

static int run_command(const struct ct_options *options)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct selection selection = {0};
    enum ct_stored_order order;
    cltunedb_value *problem;
    int exit_status = choose_order(options->output.sort, &order);

    if (exit_status)
        return exit_status;
    if (options->operand_count > 1)
        return ct_cli_usage("results", "unexpected argument '%s': name one kernel",
                            options->operands[1]);
    if (options->output.json && options->output.csv)
        return ct_cli_usage("results", "--json and --csv contradict each other");
    if (options->output.status)
        exit_status = select_statuses(options->output.status, &selection);
    problem = ct_mem_array(options->problem.count, sizeof(*problem));
    for (size_t i = 0; problem && i < options->problem.count; i++)
        problem[i] = ct_cli_query_value(&options->problem.items[i]);
    query.kernel = options->operand_count ? options->operands[0] : NULL;
    query.device_pattern =
        options->device && strcmp(options->device, "all") != 0 ? options->device : NULL;
    query.problem = problem;
    query.problem_count = problem ? options->problem.count : 0;
    if (!exit_status)
        exit_status = print_results(options, &query, &selection, order);
    free(problem);
    free(selection.copy);
    return exit_status;
}

const struct ct_command ct_cli_command_results = {
    .name = "results",
    .operands = "[KERNEL]",
    .summary = "every stored result, as a table, CSV or JSON",
    .details = "Lists what the database holds, failures with their messages included.  "
               "OpenCL is never\n"
               "loaded.  --csv prints a column for each size and parameter "
               "(size.NAME and\n"
               "param.NAME if a name is taken).\n",
    .options = "csv db device problem sort status wide",
    .examples = {{"cltune results fir --status wrong,crashed", "what failed"},
                 {"cltune results fir --csv >fir.csv", "for other programs"}},
    .run = run_command,
};
