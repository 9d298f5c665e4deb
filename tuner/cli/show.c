// SPDX-License-Identifier: Apache-2.0
// cltune show: stored results as a histogram and their convergence; OpenCL is never loaded.
#include "cli/cli.h"
#include "cli/stored_query.h"
#include "report/importance.h"
#include "report/print.h"
#include "report/show.h"
#include "report/width.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 80, WIDTH_MOST = 160 };

static int width_of_output(void)
{
    struct winsize window;

    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 &&
        window.ws_col > 0)
        return window.ws_col < WIDTH_MOST ? window.ws_col : WIDTH_MOST;
    return WIDTH;
}

/* The locale of characters alone, and only while asking: numbers keep their points. */
static bool has_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool utf8 = locale && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;

    if (locale)
        freelocale(locale);
    return utf8;
}

static enum ct_status show(const struct ct_options *options, const cltunedb_query *query,
                           bool gnuplot, struct ct_err *err)
{
    struct ct_stored_columns columns = {0};
    struct ct_str text;
    enum ct_status status = ct_stored_columns_read(options->db, query, &columns, err);

    ct_str_init(&text);
    if (!status)
        status =
            gnuplot ? ct_report_gnuplot(&text, &columns, err)
                    : ct_report_show(&text, &columns, width_of_output(), has_utf8(), err);
    if (!status)
        ct_print_bytes(text.data, text.length);
    ct_str_release(&text);
    ct_stored_columns_release(&columns);
    return status;
}

/* How much each parameter matters, instead of drawings. */
static enum ct_status show_importance(const struct ct_options *options,
                                      const cltunedb_query *query, struct ct_err *err)
{
    struct ct_stored_columns columns = {0};
    enum ct_status status = ct_stored_columns_read(options->db, query, &columns, err);

    if (!status && options->output.json)
        status = ct_report_importance_stored_json(&columns, err);
    else if (!status)
        status = ct_report_importance_stored(&columns,
                                             ct_width_output(STDOUT_FILENO, false), err);
    ct_stored_columns_release(&columns);
    return status;
}

static int run_command(const struct ct_options *options)
{
    const char *format = options->output.format ? options->output.format : "text";
    bool gnuplot = strcmp(format, "gnuplot") == 0;
    cltunedb_query query;
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    if (options->output.json && !options->output.importance)
        return ct_cli_usage("show",
                            "--json is not supported here: use 'cltune results --json'");
    if (options->output.importance && options->output.format)
        return ct_cli_usage("show", "--importance and --format contradict each other");
    if (!gnuplot && strcmp(format, "text") != 0)
        return ct_cli_usage("show", "--format requires text or gnuplot, not '%s'",
                            format);
    exit_status = ct_cli_stored_query("show", options, &query);
    if (!exit_status &&
        (options->output.importance ? show_importance(options, &query, &err)
                                    : show(options, &query, gnuplot, &err)))
        exit_status = ct_cli_error(&err);
    ct_cli_stored_query_release(&query);
    return exit_status;
}

const struct ct_command ct_cli_command_show = {
    .name = "show",
    .operands = "[KERNEL]",
    .summary = "stored results as a histogram and their convergence, or for gnuplot",
    .details =
        "Draws in the terminal, without OpenCL.  --format gnuplot prints a script that\n"
        "contains its data; 'cltune show KERNEL --format gnuplot | gnuplot -p' draws it.\n"
        "--importance prints instead how much each parameter matters, also with --json.\n",
    .options = "db device format importance problem",
    .examples = {{"cltune show fir", "draw in the terminal"},
                 {"cltune show fir --format gnuplot | gnuplot -p", "draw a picture"}},
    .run = run_command,
};
