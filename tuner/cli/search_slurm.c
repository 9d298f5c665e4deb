// SPDX-License-Identifier: Apache-2.0
// cltune search --slurm: writes the scripts of a job array and submits them.
#define _DEFAULT_SOURCE // realpath
#include "cli/search_slurm.h"

#include "base/create.h"
#include "cli/cli.h"
#include "cli/submit.h"
#include "report/export.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options that are not for the tasks, and those that are for the play-off, too. */
static const char not_passed[] =
    " db dry-run json json-lines slurm slurm-dir slurm-option ";
static const char only_finish[] = " playoff ";
static const char finish_too[] =
    " build-timeout cache color device enumerate jobs memory "
    "no-cache objective param problem samples seed timeout ";

struct submission {
    const struct ct_options *options;
    char program[PATH_MAX];
    char space[PATH_MAX];
    char current[PATH_MAX];
    struct ct_str name;   /* of the kernel, in plain characters */
    struct ct_str folder; /* absolute */
    struct ct_str search_options;
    struct ct_str finish_options;
    struct ct_str search; /* the scripts, and their names */
    struct ct_str finish;
    struct ct_str search_path;
    struct ct_str finish_path;
    bool made; /* the folder is new */
};

static void release(struct submission *s)
{
    ct_str_release(&s->name);
    ct_str_release(&s->folder);
    ct_str_release(&s->search_options);
    ct_str_release(&s->finish_options);
    ct_str_release(&s->search);
    ct_str_release(&s->finish);
    ct_str_release(&s->search_path);
    ct_str_release(&s->finish_path);
}

/* --- what the scripts say --- */

static bool is_among(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = names; (at = strstr(at, name)); at += length)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

/* The command's own options as words, without those that the scripts set. */
static void put_options(const struct ct_options *options, bool finish, struct ct_str *out)
{
    for (size_t i = 0; i < options->words.count; i++) {
        const struct ct_word *word = &options->words.items[i];
        bool passed =
            finish
                ? is_among(finish_too, word->name) || is_among(only_finish, word->name)
                : !is_among(not_passed, word->name) && !is_among(only_finish, word->name);

        if (!passed)
            continue;
        ct_str_addf(out, " --%s%s", word->name, word->text ? "=" : "");
        if (word->text)
            ct_export_put_shell_word(out, word->text);
    }
}

/* Whether the tasks are islands: a search with a budget, or whose strategy adapts, has no parts. */
static bool are_islands(const struct ct_options *options, const struct ct_spec *spec)
{
    const char *strategy =
        options->strategy ? options->strategy : spec->measure.strategy.text;
    bool effort = options->effort && strcmp(options->effort, "normal") != 0;

    if (strategy)
        return strcmp(strategy, "exhaustive") != 0;
    return options->budget.evaluations || options->budget.duration_s > 0 ||
           options->budget.target || options->budget.no_progress ||
           options->budget.fraction > 0 || options->budget.until_chance > 0 || effort ||
           spec->measure.evaluations || spec->measure.duration_s > 0 ||
           spec->measure.no_progress || spec->measure.fraction > 0 ||
           spec->measure.until_chance > 0;
}

/* Slurm reads patterns, quotes and escapes in paths. */
static enum ct_status check_path(const char *path, struct ct_err *err)
{
    size_t plain = strcspn(path, "%\"\\\n");

    return path[plain] ? ct_err_set(err, CT_E_USAGE,
                                    "--slurm does not support the character '%c' in the "
                                    "path %.*s",
                                    path[plain] == '\n' ? ' ' : path[plain],
                                    (int)strcspn(path, "\n"), path)
                       : CT_OK;
}

static enum ct_status check_options(const struct ct_options *options, struct ct_err *err)
{
    if (options->shard.of || options->island.of || options->playoff_only || options->db ||
        options->output.json_lines)
        return ct_err_set(err, CT_E_USAGE, "--slurm cannot be combined with --%s",
                          options->shard.of       ? "shard"
                          : options->island.of    ? "island"
                          : options->playoff_only ? "playoff-only"
                          : options->db           ? "db: each task has a database in the "
                                                    "folder of --slurm-dir"
                                                  : "json-lines");
    for (size_t i = 0; i < options->slurm.options.count; i++) {
        const char *option = options->slurm.options.items[i];

        if (*option != '-' || strchr(option, '\n'))
            return ct_err_set(err, CT_E_USAGE,
                              "--slurm-option requires an option of sbatch, such as "
                              "--slurm-option=--partition=gpu, not '%s'",
                              option);
    }
    return CT_OK;
}

/* Finds all paths. */
static enum ct_status find_paths(struct submission *s, const char *path,
                                 const struct ct_spec *spec, struct ct_err *err)
{
    const char *folder = s->options->slurm.folder;
    ssize_t length = readlink("/proc/self/exe", s->program, sizeof(s->program) - 1);
    enum ct_status status;

    s->program[length > 0 ? length : 0] = '\0';
    if (!getcwd(s->current, sizeof(s->current)) || !realpath(path, s->space))
        return ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
    for (const char *at = spec->kernel.name; *at; at++)
        ct_str_putc(&s->name, isalnum((unsigned char)*at) || *at == '-' ? *at : '_');
    if (folder)
        ct_str_addf(&s->folder, "%s%s%s", *folder == '/' ? "" : s->current,
                    *folder == '/' ? "" : "/", folder);
    else
        ct_str_addf(&s->folder, "%s/cltune-%s", s->current, s->name.data);
    while (s->folder.length > 1 && s->folder.data[s->folder.length - 1] == '/')
        s->folder.data[--s->folder.length] = '\0';
    ct_str_addf(&s->search_path, "%s/search.sh", s->folder.data);
    ct_str_addf(&s->finish_path, "%s/finish.sh", s->folder.data);
    if (s->name.failed || s->folder.failed || s->search_path.failed ||
        s->finish_path.failed)
        return ct_err_nomem(err);
    status = check_path(s->folder.data, err);
    return status ? status : check_path(s->current, err);
}

static enum ct_status make_scripts(struct submission *s, const struct ct_spec *spec,
                                   struct ct_err *err)
{
    struct ct_slurm slurm = {
        .program = s->program,
        .version = CT_VERSION,
        .space = s->space,
        .name = s->name.data,
        .folder = s->folder.data,
        .current = s->current,
        .tasks = s->options->slurm.tasks,
        .islands = are_islands(s->options, spec),
        .options = s->options->slurm.options.items,
        .option_count = s->options->slurm.options.count,
    };

    put_options(s->options, false, &s->search_options);
    put_options(s->options, true, &s->finish_options);
    if (s->search_options.failed || s->finish_options.failed)
        return ct_err_nomem(err);
    slurm.search_options = s->search_options.data;
    slurm.finish_options = s->finish_options.data;
    ct_slurm_put_search(&slurm, &s->search);
    ct_slurm_put_finish(&slurm, &s->finish);
    return s->search.failed || s->finish.failed ? ct_err_nomem(err) : CT_OK;
}

/* --- submitting --- */

static enum ct_status write_script(const struct ct_str *path, const struct ct_str *text,
                                   struct ct_err *err)
{
    int error = ct_file_create(path->data, text->data, text->length);

    if (error == EEXIST)
        return ct_err_set(err, CT_E_USAGE,
                          "%s exists already: submit it again with sbatch to continue "
                          "that search, or name another folder with --slurm-dir",
                          path->data);
    return error ? ct_err_set(err, CT_E_IO, "cannot write %s: %s", path->data,
                              strerror(error))
                 : CT_OK;
}

static enum ct_status write_scripts(struct submission *s, struct ct_err *err)
{
    enum ct_status status;

    if (!mkdir(s->folder.data, 0777))
        s->made = true;
    else if (errno != EEXIST)
        return ct_err_set(err, CT_E_IO, "cannot create the folder %s: %s", s->folder.data,
                          strerror(errno));
    status = write_script(&s->search_path, &s->search, err);
    if (status)
        goto undo;
    status = write_script(&s->finish_path, &s->finish, err);
    if (!status)
        return status;
    unlink(s->search_path.data);
undo:
    if (s->made)
        rmdir(s->folder.data);
    return status;
}

static void remove_scripts(struct submission *s)
{
    unlink(s->search_path.data);
    unlink(s->finish_path.data);
    if (s->made)
        rmdir(s->folder.data);
}

/* Submits a script, by a command that ends with NULL; the number of the job is appended to `job`. */
static enum ct_status submit(const char *const *words, const char *path,
                             struct ct_str *job, struct ct_err *err)
{
    int ended = 0;
    enum ct_status status = ct_cli_submit(words, job, &ended, err);

    if (status == CT_E_NOT_FOUND)
        return ct_err_set(err, CT_E_IO,
                          "--slurm requires Slurm's sbatch, which is not in PATH: try "
                          "where Slurm is installed, or see the scripts with --dry-run");
    if (!status && ended)
        return ct_err_set(err, CT_E_IO, "sbatch refuses %s: %s", path, job->data);
    /* "12" or "12;cluster"; warnings come in lines before it. */
    if (!status && strrchr(job->data, '\n')) {
        size_t head = (size_t)(strrchr(job->data, '\n') + 1 - job->data);

        fprintf(ct_screen_err(), "%.*s", (int)head, job->data);
        memmove(job->data, job->data + head, job->length - head + 1);
        job->length -= head;
    }
    if (!status)
        job->data[job->length = strcspn(job->data, ";")] = '\0';
    return status;
}

static int submit_both(struct submission *s)
{
    const char *search_words[] = {"sbatch", "--parsable", s->search_path.data, NULL};
    const char *finish_words[] = {"sbatch", "--parsable", NULL, s->finish_path.data,
                                  NULL,     NULL};
    struct ct_err err = CT_ERR_INIT;
    struct ct_str array;
    struct ct_str finish;
    struct ct_str after;
    int exit_status = CT_EXIT_OK;

    ct_str_init(&array);
    ct_str_init(&finish);
    ct_str_init(&after);
    if (submit(search_words, s->search_path.data, &array, &err)) {
        remove_scripts(s);
        exit_status = ct_cli_error(&err);
        goto out;
    }
    ct_str_addf(&after, "--dependency=afterany:%s", array.data);
    finish_words[2] = after.data;
    finish_words[4] = array.data;
    if (submit(finish_words, s->finish_path.data, &finish, &err)) {
        exit_status = ct_cli_error(&err);
        fprintf(ct_screen_err(),
                "cltune: job %s searches: use 'sbatch %s %s %s', or cancel it with "
                "'scancel %s'\n",
                array.data, after.data, s->finish_path.data, array.data, array.data);
        goto out;
    }
    if (s->options->output.json)
        ct_print("{\"search_job\": \"%s\", \"finish_job\": \"%s\"}\n", array.data,
                 finish.data);
    else
        ct_print("search    job %s, %llu task%s, in %s\n"
                 "finish    job %s merges and plays off when all tasks have ended\n"
                 "progress  squeue --job %s,%s\n"
                 "look up   cltune best --db %s/merged.db\n",
                 array.data, (unsigned long long)s->options->slurm.tasks,
                 s->options->slurm.tasks == 1 ? "" : "s", s->folder.data, finish.data,
                 array.data, finish.data, s->folder.data);
out:
    ct_str_release(&array);
    ct_str_release(&finish);
    ct_str_release(&after);
    return exit_status;
}

int ct_cli_search_slurm(const struct ct_options *options, const char *path,
                        const struct ct_spec *spec)
{
    struct submission *s = calloc(1, sizeof(*s));
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    if (!s) {
        ct_err_nomem(&err);
        return ct_cli_error(&err);
    }
    s->options = options;
    ct_str_init(&s->name);
    ct_str_init(&s->folder);
    ct_str_init(&s->search_options);
    ct_str_init(&s->finish_options);
    ct_str_init(&s->search);
    ct_str_init(&s->finish);
    ct_str_init(&s->search_path);
    ct_str_init(&s->finish_path);
    if (check_options(options, &err) || find_paths(s, path, spec, &err) ||
        make_scripts(s, spec, &err) || (!options->dry_run && write_scripts(s, &err))) {
        exit_status = ct_cli_error(&err);
    } else if (options->dry_run) {
        ct_print("# %s\n%s\n# %s\n%s", s->search_path.data, s->search.data,
                 s->finish_path.data, s->finish.data);
        ct_print("\n# sbatch %s\n# sbatch --dependency=afterany:JOB %s JOB\n",
                 s->search_path.data, s->finish_path.data);
        exit_status = CT_EXIT_OK;
    } else {
        exit_status = submit_both(s);
    }
    release(s);
    free(s);
    return exit_status;
}
