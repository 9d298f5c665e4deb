// SPDX-License-Identifier: Apache-2.0
// cltune db: what a database contains, and maintenance; OpenCL is never loaded.
#include "cli/cli.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "protocol/scratch.h"
#include "report/db.h"
#include "report/screen.h"
#include "report/width.h"
#include "tune/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *pattern_of(const struct ct_options *options)
{
    return options->device && strcmp(options->device, "all") != 0 ? options->device
                                                                  : NULL;
}

/* The only kernel among the operands after the verb, or NULL; reports more than one. */
static const char *kernel_of(const struct ct_options *options, int *exit_status)
{
    if (options->operand_count > 2)
        *exit_status = ct_cli_usage("db", "unexpected argument '%s': name one kernel",
                                    options->operands[2]);
    return options->operand_count == 2 ? options->operands[1] : NULL;
}

static enum ct_status open_db(const struct ct_options *options, enum ct_db_mode mode,
                              struct ct_db **out, struct ct_err *err)
{
    const struct ct_db_options opening = {.mode = mode};

    return ct_db_open(options->db, &opening, out, err);
}

static int run_info(const struct ct_options *options)
{
    struct ct_db_contents contents;
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = NULL;
    enum ct_status status = open_db(options, CT_DB_READ, &db, &err);

    if (!status)
        status = ct_db_contents_read(db, &contents, &err);
    if (!status)
        ct_report_contents(ct_db_path(db), &contents, options->output.json);
    ct_db_close(db);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

static int run_list(const struct ct_options *options)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = NULL;
    int exit_status = CT_EXIT_OK;
    enum ct_status status;

    query.kernel = kernel_of(options, &exit_status);
    query.device_pattern = pattern_of(options);
    if (exit_status)
        return exit_status;
    status = open_db(options, CT_DB_READ, &db, &err);
    if (!status)
        status = ct_report_subjects(db, &query, options->output.json,
                                    ct_width_output(STDOUT_FILENO, options->output.wide),
                                    &err);
    ct_db_close(db);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

/* --- merge, import --- */

/* Adds what the operands name. */
typedef enum ct_status (*adding)(struct ct_db *db, const struct ct_options *options,
                                 struct ct_db_merged *out, struct ct_err *err);

/* Adds to a database that is thrown away. */
static enum ct_status rehearse(const struct ct_options *options, adding add,
                               struct ct_err *err)
{
    const struct ct_db_options opening = {.mode = CT_DB_WRITE, .draft = true};
    struct ct_scratch scratch;
    struct ct_db_merged ignored;
    struct ct_db *db = NULL;
    struct ct_str path;
    enum ct_status status = ct_scratch_open(&scratch, err);

    if (status)
        return status;
    ct_str_init(&path);
    ct_str_addf(&path, "%s/new.db", scratch.path.data);
    status = path.failed ? ct_err_nomem(err) : ct_db_open(path.data, &opening, &db, err);
    if (!status)
        status = add(db, options, &ignored, err);
    ct_db_close(db);
    ct_str_release(&path);
    ct_scratch_close(&scratch);
    return status;
}

/* A new, empty file beside `path`, so that one that is not complete never has that name; the caller
 * frees. */
static char *begin_beside(const char *path, struct ct_err *err)
{
    struct ct_str name;
    char *own = NULL;
    int error = ENOMEM;
    int fd = -1;

    ct_str_init(&name);
    for (int i = 0; i < 1000 && fd < 0; i++) {
        ct_str_reset(&name);
        ct_str_addf(&name, "%s.part%ld-%d", path, (long)getpid(), i);
        if (name.failed)
            break;
        fd = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = errno;
        if (fd < 0 && error != EEXIST)
            break;
    }
    if (fd < 0) {
        ct_err_set(err, CT_E_IO, "cannot write %s: %s", path, strerror(error));
    } else {
        close(fd);
        own = ct_mem_copy(name.data, name.length);
    }
    if (fd >= 0 && !own)
        ct_err_nomem(err);
    ct_str_release(&name);
    return own;
}

/* Gives a complete file its name, unless there is one of that name meanwhile. */
static enum ct_status end_beside(const char *own, const char *path, struct ct_err *err)
{
    int error;
    int fd;

    if (link(own, path) == 0)
        return CT_OK;
    /* Some file systems have no links: the name is taken, then the file. */
    fd = errno == EEXIST ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && rename(own, path) == 0)
        return CT_OK;
    error = errno;
    if (fd >= 0)
        unlink(path);
    return ct_err_set(err, CT_E_IO, "cannot write %s: %s", path, strerror(error));
}

/* Whether a log lies where that of a database of this name would: it must not be taken for one. */
static bool has_log(const char *path)
{
    static const char *const ends[] = {"-wal", "-journal"};
    struct stat info;
    struct ct_str name;
    bool found = false;

    ct_str_init(&name);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !found; i++) {
        ct_str_reset(&name);
        ct_str_addf(&name, "%s%s", path, ends[i]);
        found = name.failed || lstat(name.data, &info) == 0;
    }
    ct_str_release(&name);
    return found;
}

/* Adds to a database that does not exist: a failure must not leave a new one behind, and removing one
 * that another process may have opened meanwhile could lose what that has written.  *made: it is
 * complete; otherwise adding to it will not fail for what is added. */
static enum ct_status add_to_missing(const char *path, const struct ct_options *options,
                                     adding add, struct ct_db_merged *merged, bool *made,
                                     struct ct_err *err)
{
    const struct ct_db_options opening = {.mode = CT_DB_WRITE, .draft = true};
    struct ct_err ignored = CT_ERR_INIT;
    struct ct_db *db = NULL;
    char *own = has_log(path) ? NULL : begin_beside(path, &ignored);
    enum ct_status status;

    if (!own)
        return rehearse(options, add, err);
    status = ct_db_open(own, &opening, &db, err);
    if (!status)
        status = add(db, options, merged, err);
    ct_db_close(db);
    if (!status)
        *made = !end_beside(own, path, &ignored);
    unlink(own);
    free(own);
    return status;
}

static int run_adding(const struct ct_options *options, adding add)
{
    struct ct_db_merged merged = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = NULL;
    char *path = NULL;
    bool made = false;
    enum ct_status status = open_db(options, CT_DB_READ, &db, &err);

    ct_db_close(db);
    db = NULL;
    if (status == CT_E_NOT_FOUND) {
        err = (struct ct_err)CT_ERR_INIT;
        status = options->db ? CT_OK : ct_db_default_path(&path, &err);
        if (!status)
            status = add_to_missing(path ? path : options->db, options, add, &merged,
                                    &made, &err);
        free(path);
    }
    if (!status)
        status = open_db(options, CT_DB_WRITE, &db, &err);
    if (!status && !made)
        status = add(db, options, &merged, &err);
    if (!status)
        ct_report_merged(ct_db_path(db), &merged, options->output.json);
    ct_db_close(db);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

static enum ct_status add_databases(struct ct_db *db, const struct ct_options *options,
                                    struct ct_db_merged *out, struct ct_err *err)
{
    return ct_db_merge(db, (const char *const *)options->operands + 1,
                       (size_t)options->operand_count - 1, NULL, out, err);
}

static int run_merge(const struct ct_options *options)
{
    if (options->operand_count < 2)
        return ct_cli_usage("db", "merge requires at least one database to read");
    return run_adding(options, add_databases);
}

static enum ct_status add_imports(struct ct_db *db, const struct ct_options *options,
                                  struct ct_db_merged *out, struct ct_err *err)
{
    const struct ct_import_options importing = {
        .kernel = options->store.kernel,
        .device = options->device,
        .problem = options->problem.items,
        .problem_count = options->problem.count,
    };

    return ct_import(db, (const char *const *)options->operands + 1,
                     (size_t)options->operand_count - 1, &importing, out, err);
}

static int run_import(const struct ct_options *options)
{
    if (options->operand_count < 2)
        return ct_cli_usage("db", "import requires at least one file to read");
    return run_adding(options, add_imports);
}

/* --- export --- */

/* A new database with a part of this one. */
static enum ct_status export_db(const struct ct_options *options, const char *from,
                                const char *kernel, struct ct_db_merged *merged,
                                struct ct_err *err)
{
    enum { RUNNERS_UP = 5 };
    const struct ct_db_selection selection = {
        .kernel = kernel,
        .device = pattern_of(options),
        .contribute = options->store.contribute,
        .runners_up = options->contest.runners_up ? (size_t)options->contest.runners_up
                                                  : RUNNERS_UP,
    };
    const struct ct_db_options opening = {.mode = CT_DB_WRITE, .draft = true};
    struct ct_db *db = NULL;
    char *own = begin_beside(options->output.path, err);
    enum ct_status status = own ? CT_OK : (enum ct_status)err->code;

    if (!status)
        status = ct_db_open(own, &opening, &db, err);
    if (!status)
        status = ct_db_merge(db, &from, 1, &selection, merged, err);
    if (!status && !merged->results)
        status = ct_err_set(err, CT_E_NOT_FOUND, "%s has no result to export", from);
    ct_db_close(db);
    if (!status)
        status = end_beside(own, options->output.path, err);
    if (own)
        unlink(own);
    free(own);
    return status;
}

static enum ct_status export_text(const struct ct_options *options, const char *from,
                                  const char *kernel, struct ct_err *err)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    FILE *file = ct_screen_out();
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&text);
    query.kernel = kernel;
    query.device_pattern = pattern_of(options);
    status = ct_report_db_text(from, &query, &text, err);
    if (!status && options->output.path)
        file = fopen(options->output.path, "wxe");
    if (!status && !file)
        status = ct_err_set(err, CT_E_IO, "cannot write %s: %s", options->output.path,
                            strerror(errno));
    if (!status)
        fwrite(text.data, 1, text.length, file);
    if (!status && file != ct_screen_out() && fclose(file) != 0)
        status = ct_err_set(err, CT_E_IO, "cannot write %s: %s", options->output.path,
                            strerror(errno));
    ct_str_release(&text);
    return status;
}

static int run_export(const struct ct_options *options)
{
    struct ct_db_merged merged = {0};
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;
    const char *kernel = kernel_of(options, &exit_status);
    struct stat info;
    struct ct_db *db = NULL;
    char *from;
    enum ct_status status;

    if (exit_status)
        return exit_status;
    if (!options->store.text && !options->output.path)
        return ct_cli_usage("db", "export requires --output FILE, or --text");
    if (options->store.text && options->store.contribute)
        return ct_cli_usage("db", "--text and --contribute contradict each other");
    if (options->contest.runners_up && !options->store.contribute)
        return ct_cli_usage("db", "--runners-up requires --contribute");
    if (options->output.path && lstat(options->output.path, &info) == 0)
        return ct_cli_usage("db", "%s exists already: choose another name, or remove it",
                            options->output.path);
    status = open_db(options, CT_DB_READ, &db, &err);
    from = status ? NULL : ct_mem_copy(ct_db_path(db), strlen(ct_db_path(db)));
    ct_db_close(db);
    if (!status && !from)
        status = ct_err_nomem(&err);
    if (!status && options->store.text)
        status = export_text(options, from, kernel, &err);
    else if (!status)
        status = export_db(options, from, kernel, &merged, &err);
    if (!status && !options->store.text && !options->output.quiet)
        ct_report_merged(options->output.path, &merged, options->output.json);
    free(from);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

/* --- prune, check --- */

static int run_prune(const struct ct_options *options)
{
    struct ct_db_pruning pruning = {
        .device = pattern_of(options),
        .outdated = options->store.outdated,
        .dry_run = options->dry_run,
    };
    struct ct_db_pruned pruned;
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = NULL;
    int exit_status = CT_EXIT_OK;
    enum ct_status status;

    pruning.kernel = kernel_of(options, &exit_status);
    if (exit_status)
        return exit_status;
    if (!(options->store.older_s > 0) && !pruning.outdated && !pruning.kernel &&
        !pruning.device)
        return ct_cli_usage("db",
                            "prune requires --older-than, --outdated, --device or a "
                            "kernel, which say what to remove");
    if (options->store.older_s > 0)
        pruning.before_unix_s = ct_clock_unix_s() - (int64_t)options->store.older_s;
    /* Nothing is created to remove something from it. */
    status = open_db(options, CT_DB_READ, &db, &err);
    ct_db_close(db);
    db = NULL;
    if (!status)
        status = open_db(options, CT_DB_WRITE, &db, &err);
    if (!status)
        status = ct_db_prune(db, &pruning, &pruned, &err);
    if (!status)
        ct_report_pruned(&pruned, options->dry_run, options->output.json);
    ct_db_close(db);
    return status ? ct_cli_error(&err) : CT_EXIT_OK;
}

static int run_check(const struct ct_options *options)
{
    struct ct_db_faults faults = {.count = 0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = NULL;
    enum ct_status status = open_db(options, CT_DB_READ, &db, &err);

    ct_str_init(&faults.text);
    if (!status && options->store.repair) {
        ct_db_close(db);
        db = NULL;
        status = open_db(options, CT_DB_WRITE, &db, &err);
    }
    if (!status)
        status = ct_db_check(db, options->store.repair, &faults, &err);
    if (!status)
        ct_report_faults(ct_db_path(db), &faults, options->output.json);
    ct_db_close(db);
    ct_str_release(&faults.text);
    if (status)
        return ct_cli_error(&err);
    return faults.count ? CT_EXIT_FAILED : CT_EXIT_OK;
}

static const struct verb {
    const char *name;
    int (*run)(const struct ct_options *options);
    const char *options; /* the others of the command have no meaning here */
} verbs[] = {
    {"check", run_check, "db repair"},
    {"export", run_export, "contribute db device output runners-up text"},
    {"import", run_import, "db device kernel problem"},
    {"info", run_info, "db"},
    {"list", run_list, "db device wide"},
    {"merge", run_merge, "db"},
    {"prune", run_prune, "db device dry-run older-than outdated"},
};
enum { VERBS = sizeof(verbs) / sizeof(verbs[0]) };

static int run_command(const struct ct_options *options)
{
    const char *names[VERBS];
    const char *foreign;
    const char *near;

    if (!options->operand_count)
        return ct_cli_usage("db",
                            "name what to do: check, export, import, info, list, merge "
                            "or prune");
    for (size_t i = 0; i < VERBS; i++) {
        names[i] = verbs[i].name;
        if (strcmp(options->operands[0], names[i]) != 0)
            continue;
        if (options->operand_count > 1 &&
            (verbs[i].run == run_info || verbs[i].run == run_check))
            return ct_cli_usage("db",
                                "unexpected argument '%s': name the database with --db",
                                options->operands[1]);
        foreign = ct_options_outside(options, verbs[i].options);
        if (foreign)
            return ct_cli_usage("db", "option '--%s' is not supported by 'cltune db %s'",
                                foreign, verbs[i].name);
        return verbs[i].run(options);
    }
    near = ct_str_suggest(options->operands[0], names, VERBS);
    return ct_cli_usage("db", "unknown operation '%s'%s%s%s", options->operands[0],
                        near ? "; did you mean '" : "", near ? near : "",
                        near ? "'?" : "");
}

const struct ct_command ct_cli_command_db = {
    .name = "db",
    .operands = "OPERATION [ARGUMENT...]",
    .summary = "what the database contains; merge, import, export, prune, check",
    .details =
        "  cltune db info             counts, size, schema\n"
        "  cltune db list [KERNEL]    kernels, devices and problems with results\n"
        "  cltune db merge FILE...    adds the results of other databases; all or none\n"
        "  cltune db import FILE...   adds results of other tuners, from JSON and CSV\n"
        "  cltune db export [KERNEL]  a part of the database, or its bests as text\n"
        "  cltune db prune [KERNEL]   removes results, but no best\n"
        "  cltune db check            looks for damage\n"
        "\n"
        "'import' reads T4, caches of Kernel Tuner, JSON of CLBlast, CLTune and KTT, and\n"
        "CSV.  Files of others are read as data: nothing in them is executed, and damaged\n"
        "ones are refused.\n",
    .options =
        "contribute db device dry-run kernel older-than outdated output problem repair "
        "runners-up text wide",
    .common = "contribute dry-run kernel output repair",
    .examples = {{"cltune db merge pi.db gpu.db", "unite databases"},
                 {"cltune db export fir -o fir.db", "a part of it"}},
    .run = run_command,
};
