// SPDX-License-Identifier: Apache-2.0
// cltune report: one HTML file about what is stored; OpenCL is never loaded.
#define _XOPEN_SOURCE 700 // realpath
#include "cli/cli.h"
#include "cli/stored_query.h"

#include "base/clock.h"
#include "base/mem.h"
#include "report/format.h"
#include "report/html.h"
#include "report/print.h"
#include "report/screen.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char default_path[] = "report.html";

/* Shows the file with the desktop's program.  An absolute path is never taken for an option. */
static enum ct_status open_file(const char *path, struct ct_err *err)
{
    char *absolute = realpath(path, NULL);
    char program[] = "xdg-open";
    char *words[] = {program, absolute, NULL};
    pid_t pid;
    int result = 0;
    bool shown = absolute && !posix_spawnp(&pid, program, NULL, NULL, words, environ);

    while (shown && waitpid(pid, &result, 0) < 0 && errno == EINTR)
        continue;
    shown = shown && WIFEXITED(result) && WEXITSTATUS(result) == 0;
    free(absolute);
    return shown
               ? CT_OK
               : ct_err_set(err, CT_E_IO,
                            "xdg-open cannot show %s: open the file in a browser", path);
}

static enum ct_status write_report(const struct ct_options *options,
                                   const cltunedb_query *query, struct ct_err *err)
{
    const char *path = options->output.path ? options->output.path : default_path;
    struct ct_stored_columns columns = {0};
    struct ct_str page;
    char count[CT_FORMAT_SIZE];
    char size[CT_FORMAT_SIZE];
    uint64_t results = 0;
    enum ct_status status =
        access(path, F_OK) == 0
            ? ct_cli_create(path, &(struct ct_str){.data = ""}, err)
            : ct_stored_columns_read(options->db, query, &columns, err);

    ct_str_init(&page);
    if (!status)
        status = ct_report_html(&page, &columns, ct_clock_unix_s(), err);
    if (!status)
        status = ct_cli_create(path, &page, err);
    for (size_t i = 0; i < columns.count; i++)
        results += columns.subjects[i].count;
    if (!status && !options->output.quiet)
        ct_print("%s: %s result%s, %s\n", path, ct_format_count(count, results),
                 results == 1 ? "" : "s", ct_format_bytes(size, page.length));
    if (!status && options->output.open) {
        fflush(ct_screen_out());
        status = open_file(path, err);
    }
    ct_str_release(&page);
    ct_stored_columns_release(&columns);
    return status;
}

static int run_command(const struct ct_options *options)
{
    cltunedb_query query;
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    if (options->output.json)
        return ct_cli_usage("report", "--json is not supported here: use 'cltune results "
                                      "--json'");
    exit_status = ct_cli_stored_query("report", options, &query);
    if (!exit_status && write_report(options, &query, &err))
        exit_status = ct_cli_error(&err);
    ct_cli_stored_query_release(&query);
    return exit_status;
}

const struct ct_command ct_cli_command_report = {
    .name = "report",
    .operands = "[KERNEL]",
    .summary = "write an HTML page with charts of the stored results",
    .details =
        "Writes one file that needs no network: convergence, distribution, parameters\n"
        "and which of them matter, roofline, devices and problems, failures and the\n"
        "environment.  OpenCL is never loaded.\n",
    .options = "db device open output problem",
    .examples = {{"cltune report", "everything in the database"},
                 {"cltune report fir -o fir.html --open", "of a kernel, in a browser"}},
    .run = run_command,
};
