// SPDX-License-Identifier: Apache-2.0
// cltune best: queries the database; OpenCL is never loaded in this process.
#include "cli/best_binary.h"
#include "cli/cli.h"
#include "cli/variants.h"
#include "report/screen.h"

#include "base/devinfo.h"
#include "base/mem.h"
#include "base/str.h"
#include "db/cltunedb.h"
#include "report/best.h"
#include "report/warn.h"

#include <stdlib.h>
#include <string.h>

static int exit_status_of(cltunedb_status status)
{
    return status == CLTUNEDB_E_NOT_FOUND  ? CT_EXIT_NOTHING
           : status == CLTUNEDB_E_ARGUMENT ? CT_EXIT_USAGE
                                           : CT_EXIT_FAILED;
}

/* A command line value: integer, real, else text. */
cltunedb_value ct_cli_query_value(const struct ct_setting *setting)
{
    cltunedb_value value = {setting->name, CLTUNEDB_TEXT, 0, 0, setting->text};
    char *end;
    long long i = strtoll(setting->text, &end, 10);

    if (*setting->text && !*end) {
        value.kind = CLTUNEDB_INT;
        value.i = i;
        value.r = (double)i;
        value.s = "";
        return value;
    }
    value.r = strtod(setting->text, &end);
    if (*setting->text && !*end) {
        value.kind = CLTUNEDB_REAL;
        value.s = "";
    }
    return value;
}

void ct_cli_put_formats(struct ct_str *out)
{
    for (size_t i = 0; i < ct_export_count; i++)
        ct_str_addf(out, "%s%s (%s)",
                    !i                         ? ""
                    : i + 1 == ct_export_count ? " or "
                                               : ", ",
                    ct_exports[i]->name, ct_exports[i]->help);
}

enum { FORMATS_MOST = 64 };

static int unknown_format(const char *wanted)
{
    const char *names[FORMATS_MOST] = {NULL};
    const char *near;
    struct ct_str all;
    size_t count = 0;
    int exit_status;

    for (size_t i = 0; i < ct_export_count && count < FORMATS_MOST; i++)
        names[count++] = ct_exports[i]->name;
    near = ct_str_suggest(wanted, names, count);
    if (near)
        return ct_cli_usage("best", "unknown format '%s'; did you mean '%s'?", wanted,
                            near);
    ct_str_init(&all);
    for (size_t i = 0; i < count; i++)
        ct_str_addf(&all, "%s%s", !i ? "" : i + 1 == count ? " or " : ", ", names[i]);
    exit_status = ct_cli_usage("best", "unknown format '%s': use %s", wanted, all.data);
    ct_str_release(&all);
    return exit_status;
}

/* Selects the format; returns the exit status. */
static int choose_format(const struct ct_options *options, const struct ct_export **out)
{
    bool templated = options->output.template_path != NULL;
    const char *wanted = options->output.format ? options->output.format
                         : options->output.json ? "json"
                         : templated            ? "template"
                                                : "text";

    if (options->output.json && strcmp(wanted, "json") != 0)
        return ct_cli_usage("best", "--json and --format %s contradict each other",
                            wanted);
    for (size_t i = 0; i < ct_export_count; i++)
        if (strcmp(ct_exports[i]->name, wanted) == 0)
            *out = ct_exports[i];
    if (!*out)
        return unknown_format(wanted);
    if (templated != (strcmp(wanted, "template") == 0))
        return templated
                   ? ct_cli_usage("best",
                                  "--template and --format %s contradict each other",
                                  wanted)
                   : ct_cli_usage("best", "--format template requires --template FILE");
    if (options->output.path && !(*out)->builds)
        return ct_cli_usage(
            "best",
            "-o is for --format binary: redirect the output of --format %s "
            "to the file",
            wanted);
    if (!options->output.path && (*out)->builds)
        return ct_cli_usage("best", "--format binary requires -o FILE");
    return CT_EXIT_OK;
}

static int print_answers(const cltunedb_answers *answers,
                         const struct ct_report_question *best)
{
    struct ct_err err = CT_ERR_INIT;

    if (!ct_report_fits(best, answers)) {
        ct_report_too_many(answers, best->format->name);
        return CT_EXIT_USAGE;
    }
    return ct_report_best(best, answers, &err) ? ct_cli_error(&err) : CT_EXIT_OK;
}

/* "0:1": which device that is depends on the machine. */
static bool is_index(const char *pattern)
{
    size_t platform = strspn(pattern, "0123456789");

    return platform && pattern[platform] == ':' && pattern[platform + 1] &&
           !pattern[platform + 1 + strspn(pattern + platform + 1, "0123456789")];
}

/* The values of NAME=VALUE options; NULL if out of memory.  The caller frees. */
static cltunedb_value *query_values(const struct ct_settings *settings)
{
    cltunedb_value *values = ct_mem_array(settings->count, sizeof(*values));

    for (size_t i = 0; values && i < settings->count; i++)
        values[i] = ct_cli_query_value(&settings->items[i]);
    return values;
}

/* A version looks like a number, but is a text. */
static void keep_texts(cltunedb_value *limits, const struct ct_settings *settings)
{
    for (size_t i = 0; limits && i < settings->count; i++)
        for (size_t p = 0; p < CT_DEVPROP_COUNT; p++)
            if (ct_devprops[p].kind == CT_TEXT && limits[i].kind != CLTUNEDB_TEXT &&
                strcmp(ct_devprops[p].name, settings->items[i].name) == 0) {
                limits[i].kind = CLTUNEDB_TEXT;
                limits[i].s = settings->items[i].text;
            }
}

/* Sizes have one value each, and limits that are given have names of a device's. */
static int check_values(const struct ct_options *options)
{
    for (size_t i = 0; i < options->problem.count; i++)
        if (strchr(options->problem.items[i].text, ','))
            return ct_cli_usage(
                "best", "-p takes a single value here: '-p %s=%s' has several",
                options->problem.items[i].name, options->problem.items[i].text);
    for (size_t i = 0; i < options->assume.count; i++) {
        const struct ct_setting *given = &options->assume.items[i];
        const char *name = given->name;
        const char *names[CT_DEVPROP_COUNT];
        const char *near;
        const struct ct_devprop_info *limit = NULL;

        for (size_t p = 0; p < CT_DEVPROP_COUNT; p++) {
            names[p] = ct_devprops[p].name;
            if (strcmp(names[p], name) == 0)
                limit = &ct_devprops[p];
        }
        /* Anything else would count as known, and limit nothing. */
        if (limit && limit->kind == CT_INT &&
            ct_cli_query_value(given).kind != CLTUNEDB_INT)
            return ct_cli_usage("best", "--assume %s requires a whole number, not '%s'",
                                name, given->text);
        if (limit)
            continue;
        near = ct_str_suggest(name, names, CT_DEVPROP_COUNT);
        return ct_cli_usage("best", "--assume %s: no such limit of a device%s%s%s", name,
                            near ? "; did you mean " : "", near ? near : "",
                            near ? "?" : "");
    }
    return CT_EXIT_OK;
}

/* What was shipped with a system or an application and cannot be used. */
static void warn_of_layers(const cltunedb *db)
{
    for (size_t i = 0; i < cltunedb_layer_count(db); i++)
        if (*cltunedb_layer_fault(db, i))
            ct_report_warn("a database is not used: %s", cltunedb_layer_fault(db, i));
}

enum { CANDIDATES_MOST = 1000 };

/* What the options alone say of the query; its values follow. */
static void ask(const struct ct_options *options, cltunedb_query *query)
{
    query->kernel = options->operand_count ? options->operands[0] : NULL;
    query->device_pattern =
        options->device && strcmp(options->device, "all") != 0 ? options->device : NULL;
    query->candidates =
        (uint32_t)(options->candidates < CANDIDATES_MOST ? options->candidates
                                                         : CANDIDATES_MOST);
    query->objective = options->objective;
    for (size_t i = 0; i < options->assume.count; i++)
        if (strcmp(options->assume.items[i].name, "DRIVER_VERSION") == 0)
            query->driver_version = options->assume.items[i].text;
}

/* Looks up and prints, or builds; returns the exit status. */
static int find_and_print(const struct ct_options *options,
                          struct ct_report_question *best)
{
    char message[CLTUNEDB_MESSAGE_BYTES];
    cltunedb_answers *answers = NULL;
    cltunedb *db = NULL;
    cltunedb_status status = cltunedb_open(options->db, &db, message, sizeof(message));
    int exit_status;

    warn_of_layers(db);
    if (!status)
        status = cltunedb_find(db, best->query, &answers, message, sizeof(message));
    if (status) {
        fprintf(ct_screen_err(), "cltune: %s\n", message);
        exit_status = exit_status_of(status);
    } else if (best->format->builds) {
        exit_status = ct_cli_best_binary(options, answers);
    } else {
        exit_status = print_answers(answers, best);
    }
    cltunedb_free(answers);
    cltunedb_close(db);
    return exit_status;
}

static int run_command(const struct ct_options *options)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct ct_report_question best = {.query = &query,
                                      .db_path = options->db,
                                      .template_path = options->output.template_path};
    cltunedb_value *problem;
    cltunedb_value *limits;
    int exit_status = choose_format(options, &best.format);

    if (exit_status || !best.format)
        return exit_status;
    if (options->operand_count > 1)
        return ct_cli_usage("best", "unexpected argument '%s': name one kernel",
                            options->operands[1]);
    if (options->portable || options->variants)
        return ct_cli_best_variants(options, best.format->name);
    if (options->device && is_index(options->device))
        return ct_cli_usage(
            "best",
            "the database stores devices by name, not by index: use part of the "
            "device's name instead of --device '%s'",
            options->device);
    exit_status = check_values(options);
    if (exit_status)
        return exit_status;
    problem = query_values(&options->problem);
    limits = query_values(&options->assume);
    keep_texts(limits, &options->assume);
    ask(options, &query);
    best.all_devices = options->device && !query.device_pattern;
    query.problem = problem;
    query.problem_count = problem ? options->problem.count : 0;
    query.limits = limits;
    query.limit_count = limits ? options->assume.count : 0;
    exit_status = find_and_print(options, &best);
    free(limits);
    free(problem);
    return exit_status;
}

const struct ct_command ct_cli_command_best = {
    .name = "best",
    .operands = "[KERNEL]",
    .summary = "the stored best for a kernel, problem and device",
    .details =
        "Looks up the fastest configuration in the database, without OpenCL.  For a\n"
        "device that was never measured, the most similar ones answer.\n"
        "\n"
        "Without --device, all devices are listed.  What does not fit the limits of an\n"
        "unmeasured device is left out (limits that are unknown are listed; use --assume\n"
        "to state them).\n"
        "\n"
        "--format flags prints words that shells, make and clBuildProgram parse the same\n"
        "way, and refuses anything that they would expand or run.  --format header\n"
        "defines macros CLTUNE_KERNEL_PARAMETER, numbers names that collide, and reports\n"
        "them; with --device all it has the macros of every device.  --format binary\n"
        "builds the program in a worker process, on the device that was measured, and\n"
        "writes FILE and FILE.json.  'cltune help formats' describes the other formats.\n"
        "\n"
        "--portable and --variants choose for all stored devices, those of --device\n"
        "(patterns separated by commas), and all stored problems, those of --problem\n"
        "(values separated by commas); --format header then has a C function that\n"
        "chooses.\n",
    .options =
        "assume build-timeout candidates db device format objective output portable problem "
        "space template variants",
    .common = "candidates db device format output portable problem template variants",
    .examples = {{"cltune best fir -d H200 --format header >fir.h", "as C macros"},
                 {"cltune best fir --variants auto", "few for all devices"}},
    .run = run_command,
};
