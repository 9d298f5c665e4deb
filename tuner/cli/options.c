// SPDX-License-Identifier: Apache-2.0
// The option table and its reader over getopt_long.
#define _GNU_SOURCE
#include "cli/options.h"

#include "cli/cli.h"
#include "cli/option_store.h"

#include "base/mem.h"
#include "base/str.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format would make columns of this table.
// clang-format off
static const struct ct_option_row rows[] = {
    {"assume", 0, FORM_SETTING, "NAME=VALUE", CT_OPTION_AT(assume),
     "value of a DEVICE_... name| that the device does not report (repeatable)"},
    {"batch", 0, FORM_COUNT, "N", CT_OPTION_AT(replay.batch),
     "ask for N configurations at a time| before reporting any result (1)"},
    {"baseline", 0, FORM_SHARE, "SHARE", CT_OPTION_AT(budget.baseline),
     "timing the host baseline takes at most this share of the whole search: 0.3 or 30% (10%, but at least 1s)"},
    {"beside", 0, FORM_TEXTS, "FILE", CT_OPTION_AT(stored.beside),
     "with --shard: stop early what is far slower than the best in another part's database| (repeatable; it is only read, at the start and while searching)"},
    {"build-timeout", 0, FORM_DURATION, "DURATION", CT_OPTION_AT(workers.build_timeout_s),
     "stop a build that takes longer (2m)"},
    {"by", 0, FORM_TEXT, "NAME", CT_OPTION_AT(output.by),
     "{split:size of [problem] that divides the work|; default: that of the outermost dimension}{search:summarize the results by value of this parameter|: how many configurations were evaluated and failed, and the best of them}"},
    {"cache", 0, FORM_TEXT, "STATE", CT_OPTION_AT(sampling.cache),
     "state of the caches during timing: warm (the default) or cold (no buffer is cached)"},
    {"candidates", 0, FORM_COUNT, "K", CT_OPTION_AT(candidates),
     "up to K configurations to try| on a device that was never measured"},
    {"chance", 0, FORM_FLAG, NULL, CT_OPTION_AT(replay.chance),
     "compare the estimated chances with the outcome|, that something better remains"},
    {"check", 0, FORM_FLAG, NULL, CT_OPTION_AT(listing.check),
     "print errors and warnings only| of the file and of configurations that are planned"},
    {"color", 0, FORM_TEXT, "WHEN", CT_OPTION_AT(output.color),
     "colours of the progress: auto (the default: at a terminal, unless NO_COLOR is set), always or never"},
    {"config", 0, FORM_TEXT, "CONFIG", CT_OPTION_AT(config),
     "another configuration than the best: 'WG=4 VEC=2', or an index|; other parameters have their defaults, the index is that of the space"},
    {"contribute", 0, FORM_FLAG, NULL, CT_OPTION_AT(store.contribute),
     "{db:export the bests and their runners-up only|, for giving away: no paths, messages and host processors}"},
    {"count", 0, FORM_FLAG, NULL, CT_OPTION_AT(listing.count),
     "print only the number of valid configurations"},
    {"csv", 0, FORM_FLAG, NULL, CT_OPTION_AT(output.csv),
     "print comma-separated values, with a head"},
    {"db", 0, FORM_TEXT, "FILE", CT_OPTION_AT(db),
     "database file| (else $CLTUNE_DB, else $XDG_DATA_HOME/cltune/cltune.db, else ~/.local/share/cltune/cltune.db)"},
    {"device", 'd', FORM_NAME, "PATTERN", CT_OPTION_AT(device),
     "{peak,recheck,search,split:index such as 0:1, or part of name, vendor or type|; several with commas between them, 'all' for every device}{build-farm,compare,devices,init,repro,run,space:index such as 0:1, or part of name, vendor or type}{best:part of a stored device's name, vendor or type|; 'all' for every device; with --portable and --variants several, with commas between them}{report,results,show:part of a stored device's name, vendor or type}{db:part of a stored device's name, vendor or type|; import: its name, if the file does not tell}"},
    {"doctor", 0, FORM_FLAG, NULL, CT_OPTION_AT(doctor),
     "examine the loader, the drivers and each device|, and say what to do"},
    {"dry-run", 0, FORM_FLAG, NULL, CT_OPTION_AT(dry_run),
     "print what would be done, then exit"},
    {"dump", 0, FORM_TEXT, "FOLDER", CT_OPTION_AT(output.dump),
     "write the buffers to FOLDER as NumPy files (.npy)|, after the launches"},
    {"effort", 0, FORM_TEXT, "LEVEL", CT_OPTION_AT(effort),
     "quick, normal or thorough|: 50 evaluations or 60s and no play-off; the space file's budgets; four times those, 30 samples, a play-off of up to 50%"},
    {"enumerate", 0, FORM_FLAG, NULL, CT_OPTION_AT(listing.enumerate),
     "enumerate a space whose diagram exceeds --memory, instead of stopping"},
    {"evaluations", 'n', FORM_COUNT, "N", CT_OPTION_AT(budget.evaluations),
     "{build-farm:build N configurations at most}{search:stop after N new evaluations}{replay:stop after N new evaluations (400)}{peak:stop after N new evaluations of each kernel (48)}{split:search devices without a stored best|, with N evaluations at most}"},
    {"explain", 0, FORM_FLAG, NULL, CT_OPTION_AT(listing.explain),
     "print the file as cltune understands it|, and what a configuration (NAME=VALUE arguments, else the default) would do"},
    {"format", 'f', FORM_TEXT, "FORMAT", CT_OPTION_AT(output.format),
     "{split:text (the default), json or header}{show:text (the default) or gnuplot| (a script with its data)}{help:text (the default), scdoc or pages| (the source of a man page; the names of all)}{best:output format, such as header, make or json|: %s}"},
    {"fraction", 0, FORM_SHARE, "F", CT_OPTION_AT(budget.fraction),
     "stop after new evaluations of this share of the valid configurations: 0.05 or 5%"},
    {"from-cpp", 0, FORM_TEXT, "FILE", CT_OPTION_AT(making.from_cpp),
     "take the kernel from the strings of a C++ file, behind the files named"},
    {"from-t1", 0, FORM_TEXT, "FILE", CT_OPTION_AT(making.from_t1),
     "take parameters, launch and data from a T1 description of another tuner"},
    {"fresh", 0, FORM_FLAG, NULL, CT_OPTION_AT(stored.fresh),
     "measure again what is already stored"},
    {"help", 'h', FORM_FLAG, NULL, CT_OPTION_AT(help), "print this help and exit"},
    {"importance", 0, FORM_FLAG, NULL, CT_OPTION_AT(output.importance),
     "print how much each parameter matters, and which ones interact"},
    {"index", 0, FORM_NUMBER, "I", CT_OPTION_AT(listing.index),
     "print the valid configuration with this index (from 0)"},
    {"island", 0, FORM_SHARD, "I/N", CT_OPTION_AT(island),
     "search I of N (from 1) with random choices of its own| which measures nothing again that the databases of --with have; auto: the task of a job array"},
    {"islands", 0, FORM_COUNT, "N", CT_OPTION_AT(replay.islands),
     "N strategies side by side that share their results|, as --island does; times are those of the clock (1)"},
    {"jobs", 'j', FORM_JOBS, "N", CT_OPTION_AT(workers.jobs),
     "build with N processes at a time|; auto (the default) or 0: one for each processor"},
    {"json", 0, FORM_FLAG, NULL, CT_OPTION_AT(output.json),
     "print one JSON object or array{report: (not here: use 'cltune results --json')}{repro,exec,completion: (not here)}{show:, with --importance}"},
    {"json-lines", 0, FORM_FLAG, NULL, CT_OPTION_AT(output.json_lines),
     "print one JSON object a line for each result as it comes"},
    {"keep-going", 0, FORM_FLAG, NULL, CT_OPTION_AT(stored.keep_going),
     "search on even if the default and the next configurations are wrong in every value"},
    {"kernel", 0, FORM_NAME, "NAME", CT_OPTION_AT(store.kernel),
     "{db:import: name of the kernel|, if the file does not tell}{capture:capture launches of this kernel only}{init:the kernel|, if the file has several}"},
    {"kind", 0, FORM_TEXT, "KIND", CT_OPTION_AT(listing.kind),
     "for --neighbours: one (parameter changes), adjacent (to the next value in its list) or two (parameters change) (one)"},
    {"launch", 0, FORM_COUNT, "N", CT_OPTION_AT(program.launch),
     "with --kernel: capture its launch N (from 1)|, instead of the first of each shape"},
    {"list", 0, FORM_FLAG, NULL, CT_OPTION_AT(listing.list),
     "print every valid configuration, one per line"},
    {"max-bytes", 0, FORM_SIZE, "SIZE", CT_OPTION_AT(program.max_bytes),
     "largest buffers of a captured launch: 512M, 2G (1G)"},
    {"measure-duplicates", 0, FORM_FLAG, NULL, CT_OPTION_AT(stored.no_duplicates),
     "also build and measure what is known to be the same program, or to be refused"},
    {"memory", 0, FORM_SIZE, "SIZE", CT_OPTION_AT(memory_bytes),
     "memory limit: 512M, 2G (1G)|, for reading the file and constructing its space"},
    {"nearest", 0, FORM_TEXT, "CONFIG", CT_OPTION_AT(listing.nearest),
     "print the valid configuration nearest to CONFIG|, \"NAME=VALUE...\""},
    {"neighbours", 0, FORM_TEXT, "CONFIG", CT_OPTION_AT(listing.neighbours),
     "print the valid neighbours of CONFIG|, \"NAME=VALUE...\"; parameters that are not named have their defaults"},
    {"no-cache", 0, FORM_FLAG, NULL, CT_OPTION_AT(workers.no_cache),
     "compile everything|: neither read nor write cached binaries"},
    {"no-prior", 0, FORM_FLAG, NULL, CT_OPTION_AT(stored.no_transfer),
     "do not learn from stored results of other devices and problems"},
    {"no-progress", 0, FORM_COUNT, "N", CT_OPTION_AT(budget.no_progress),
     "stop after N new evaluations in a row without improvement"},
    {"no-race", 0, FORM_FLAG, NULL, CT_OPTION_AT(sampling.no_race),
     "take all samples even of configurations that are clearly slower than the best"},
    {"no-transfers", 0, FORM_FLAG, NULL, CT_OPTION_AT(transfers.none),
     "only without the transfers of buffers"},
    {"objective", 0, FORM_TEXT, "NAME", CT_OPTION_AT(objective),
     "what to optimize: time, end_to_end or a metric| of the space file"},
    {"older-than", 0, FORM_DURATION, "DURATION", CT_OPTION_AT(store.older_s),
     "{db:prune results that were measured longer ago|: 12h, 90d}"},
    {"open", 0, FORM_FLAG, NULL, CT_OPTION_AT(output.open), "show the file in a browser"},
    {"options", 0, FORM_TEXT, "OPTIONS", CT_OPTION_AT(making.options),
     "compiler options, such as \"-D WIDTH=16 -I include\""},
    {"outdated", 0, FORM_FLAG, NULL, CT_OPTION_AT(store.outdated),
     "{db:prune results of older versions| of a kernel's source}"},
    {"output", 'o', FORM_TEXT, "FILE", CT_OPTION_AT(output.path),
     "write to this {capture:folder}{best,db,init,report,repro:file}{best:, with --format binary}|, which must not exist{report: (report.html)}{repro: (repro.c)}{init: (NAME.ini in the current folder)}"},
    {"param", 0, FORM_SETTING, "NAME=VALUES", CT_OPTION_AT(param),
     "keep only these values of a parameter (repeatable)"},
    {"playoff", 0, FORM_SHARE, "SHARE", CT_OPTION_AT(budget.playoff),
     "the play-off takes at most this share of the whole search: 0.1 or 10% (default: with the A/A test a quarter of --time or of the rest of the search, or 10s)"},
    {"playoff-only", 0, FORM_FLAG, NULL, CT_OPTION_AT(playoff_only),
     "no search: the play-off of the best stored configurations| of this device and problem"},
    {"portable", 0, FORM_FLAG, NULL, CT_OPTION_AT(portable),
     "the one configuration that is best on average| on all selected devices and problems"},
    {"prior", 0, FORM_TEXTS, "DATA", CT_OPTION_AT(replay.transfers),
     "learn from the results of this file|, which are for the same parameters elsewhere (repeatable: one source each, five are used)"},
    {"problem", 'p', FORM_SETTING, "NAME=VALUE", CT_OPTION_AT(problem),
     "{best:size of the problem|, of which the nearest stored one answers (repeatable)}{recheck,report,results,show:only results for this size| (repeatable)}{db:import: size of the problem|, if the file does not tell (repeatable)}{build-farm,compare,repro,run,space,split:size to use instead of the file's| (repeatable)}{search:size to use instead of the file's| (repeatable; VALUE,VALUE,... tunes each, VALUE:WEIGHT,... all together)}"},
    {"quiet", 'q', FORM_FLAG, NULL, CT_OPTION_AT(output.quiet),
     "print results and errors only"},
    {"repeats", 0, FORM_COUNT, "N", CT_OPTION_AT(replay.repeats),
     "run each strategy N times| with different random choices (25)"},
    {"repair", 0, FORM_FLAG, NULL, CT_OPTION_AT(store.repair),
     "{db:check: make indices anew and find the bests again}"},
    {"report", 0, FORM_FLAG, NULL, CT_OPTION_AT(program.report),
     "time launches, and say at the end what was saved"},
    {"retry", 0, FORM_STATUSES, "STATUS,...", CT_OPTION_AT(stored.retry),
     "evaluate stored failures with these statuses again: crashed, timeout, wrong, ..., or all"},
    {"rounds", 0, FORM_COUNT, "N", CT_OPTION_AT(contest.rounds),
     "use N fresh processes (10; at least 6)"},
    {"rough", 0, FORM_FLAG, NULL, CT_OPTION_AT(sampling.rough),
     "quick look: no A/A test and no play-off|; each time comes from a single process"},
    {"runners-up", 0, FORM_COUNT, "N", CT_OPTION_AT(contest.runners_up),
     "{db:with --contribute: up to N runners-up of each best (5)}{recheck:compare the best with up to N others (5)}"},
    {"sample", 0, FORM_COUNT, "N", CT_OPTION_AT(listing.sample),
     "print N valid configurations drawn at random"},
    {"samples", 0, FORM_COUNT, "N", CT_OPTION_AT(sampling.samples),
     "take N samples of each configuration|{search: (default: the space file's, or chosen by the A/A test)}{repro,run,split: (default: the space file's, or 10)}"},
    {"seed", 0, FORM_NUMBER, "N", CT_OPTION_AT(seed), "seed of random choices (1)"},
    {"shard", 0, FORM_SHARD, "I/N", CT_OPTION_AT(shard),
     "{space:only part I of N equal parts| (I from 1), for --list and --count; auto: the task of a job array}{build-farm:build part I of N| (I from 1), in equal parts; auto: the task of a job array}{search:measure part I of N| (from 1), in equal parts, of equal expected time by the results of --with; auto: the task of a job array}"},
    {"size", 0, FORM_TEXT, "SIZE", CT_OPTION_AT(making.size),
     "work-items of the launch|, in one to three dimensions: 4096, 1024x768, 1M"},
    {"slurm", 0, FORM_COUNT, "N", CT_OPTION_AT(slurm.tasks),
     "submit the search as a Slurm job array of N tasks|, which measure parts of the space, or with a budget are islands; and a job that merges and plays off"},
    {"slurm-dir", 0, FORM_TEXT, "FOLDER", CT_OPTION_AT(slurm.folder),
     "folder for scripts, databases and logs of --slurm| (cltune-KERNEL)"},
    {"slurm-option", 0, FORM_TEXTS, "OPTION", CT_OPTION_AT(slurm.options),
     "option for sbatch|, such as --gres=gpu:1 (repeatable; without one that says which devices a task gets: --exclusive)"},
    {"sort", 0, FORM_TEXT, "KEY", CT_OPTION_AT(output.sort),
     "order: time (the default), status or age| (the oldest first)"},
    {"space", 0, FORM_TEXT, "FILE", CT_OPTION_AT(contest.space),
     "the kernel's space file|, if it has moved, or if you have not searched it yourself"},
    {"status", 0, FORM_TEXT, "STATUS,...", CT_OPTION_AT(output.status),
     "only results with these statuses|: ok, wrong, crashed, ..."},
    {"strategy", 's', FORM_TEXT, "NAME", CT_OPTION_AT(strategy),
     "how to choose configurations|: %s{search: (auto, with a budget)}{build-farm:; those it asks for without results}{replay:, or several: NAME,NAME,...}"},
    {"target", 0, FORM_TEXT, "VALUE", CT_OPTION_AT(budget.target),
     "stop when the objective reaches this value|: a time such as 1.2ms, or a number for a metric"},
    {"template", 0, FORM_TEXT, "FILE", CT_OPTION_AT(output.template_path),
     "write the answers as this file says| (doc/formats.md)"},
    {"text", 0, FORM_FLAG, NULL, CT_OPTION_AT(store.text),
     "{db:export a text file of the bests| that cltunedb-mini.c reads}"},
    {"time", 't', FORM_DURATION, "DURATION", CT_OPTION_AT(budget.duration_s),
     "{search:stop after this long, play-off included}{split:search devices without a stored best}|{split:, for this long at most}: 90, 90s, 5m, 2h"},
    {"timeout", 0, FORM_DURATION, "DURATION", CT_OPTION_AT(workers.timeout_s),
     "stop a launch that takes longer (10s)|; a reference may take 30 times that, at least 5m"},
    {"traces", 0, FORM_TEXT, "FOLDER", CT_OPTION_AT(replay.traces),
     "write all evaluations to this folder|, with the spaces, as T4 results"},
    {"transfers", 0, FORM_FLAG, NULL, CT_OPTION_AT(transfers.only),
     "only with the transfers of buffers"},
    {"until-chance", 0, FORM_SHARE, "P", CT_OPTION_AT(budget.until_chance),
     "stop when the estimated chance that a configuration more than 5% better remains is below P: 0.1 or 10%"},
    {"variants", 0, FORM_TEXT, "K", CT_OPTION_AT(variants),
     "up to K configurations that lose least| on all selected devices and problems; auto: the fewest within 5% of the best everywhere"},
    {"verbose", 'v', FORM_FLAG, NULL, CT_OPTION_AT(output.verbose), "print more"},
    {"verify", 0, FORM_COUNT, "N", CT_OPTION_AT(program.verify),
     "run the first N launches of each shape both ways|, and compare"},
    {"wide", 0, FORM_FLAG, NULL, CT_OPTION_AT(output.wide),
     "show every column and parameter, however narrow the terminal is"},
    {"with", 0, FORM_TEXTS, "FILE", CT_OPTION_AT(stored.with),
     "learn from the results of this database, too| (repeatable; it is only read); with --shard, of what configurations cost; with --island, from another island"},
    {"yes", 'y', FORM_FLAG, NULL, CT_OPTION_AT(making.yes), "ask nothing"},
};
// clang-format on

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* Whether a command with these options has the row: all commands have the output options without
 * an argument. */
static bool belongs(const struct ct_option_row *row, const char *names)
{
    const char *lists[] = {CT_OPTIONS_EVERYWHERE, names};
    size_t length = strlen(row->name);

    for (size_t i = 0; i < 2; i++)
        for (const char *at = lists[i]; *at; at += strspn(at, " ")) {
            if (strcspn(at, " ") == length && memcmp(at, row->name, length) == 0)
                return true;
            at += strcspn(at, " ");
        }
    return false;
}

/* The rows of one command in getopt's form; `val` is the row's number + 256, so that it cannot be
 * mistaken for a letter. */
static void getopt_tables(const char *names, struct option *longs, char *letters)
{
    size_t n = 0;
    char *letter = letters;

    *letter++ = ':'; /* distinguish a missing argument from an unknown option */
    for (int i = 0; i < ROW_COUNT; i++) {
        const struct ct_option_row *row = &rows[i];

        if (!belongs(row, names))
            continue;
        longs[n].name = row->name;
        longs[n].has_arg = row->form == FORM_FLAG ? no_argument : required_argument;
        longs[n].flag = NULL;
        longs[n].val = 256 + i;
        n++;
        if (row->letter) {
            *letter++ = row->letter;
            if (row->form != FORM_FLAG)
                *letter++ = ':';
        }
    }
    *letter = '\0';
    memset(&longs[n], 0, sizeof(longs[n]));
}

static enum ct_status unknown_option(const char *names, const char *given,
                                     struct ct_err *err)
{
    const char *known[ROW_COUNT];
    char word[64];
    size_t n = 0;
    const char *near;

    snprintf(word, sizeof(word), "%.*s", (int)strcspn(given, "="), given);
    for (int i = 0; i < ROW_COUNT; i++)
        if (belongs(&rows[i], names))
            known[n++] = rows[i].name;
    near = ct_str_starts(word, "--") ? ct_str_suggest(word + 2, known, n) : NULL;
    if (near)
        return ct_err_set(err, CT_E_USAGE, "unknown option '%s'; did you mean '--%s'?",
                          word, near);
    for (int i = 0; i < ROW_COUNT; i++)
        if (ct_str_starts(word, "--") && strcmp(word + 2, rows[i].name) == 0)
            return ct_err_set(err, CT_E_USAGE,
                              "option '%s' is not supported by this command", word);
    return ct_err_set(err, CT_E_USAGE, "unknown option '%s'", word);
}

const char *ct_options_outside(const struct ct_options *options, const char *names)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (options->given[i] && !belongs(&rows[i], names))
            return rows[i].name;
    return NULL;
}

const struct ct_option_row *ct_option_next(const char *names,
                                           const struct ct_option_row *after)
{
    for (size_t i = after ? (size_t)(after - rows) + 1 : 0; i < ROW_COUNT; i++)
        if (belongs(&rows[i], names))
            return &rows[i];
    return NULL;
}

static const struct ct_option_row *row_of(int found)
{
    if (found >= 256)
        return &rows[found - 256];
    for (int i = 0; i < ROW_COUNT; i++)
        if (rows[i].letter == found)
            return &rows[i];
    return NULL;
}

enum ct_status ct_options_parse(const char *names, int argc, char **argv,
                                struct ct_options *options, struct ct_err *err)
{
    struct option longs[ROW_COUNT + 1];
    char letters[2 * ROW_COUNT + 2];

    options->given = ct_mem_array(ROW_COUNT, sizeof(*options->given));
    if (!options->given)
        return ct_err_nomem(err);
    getopt_tables(names, longs, letters);
    opterr = 0;
    optind = 0;
    for (;;) {
        int found = getopt_long(argc, argv, letters, longs, NULL);
        enum ct_status status;

        if (found == -1)
            break;
        if (found == '?' || found == ':') {
            char letter[3] = {'-', (char)optopt, '\0'};
            bool is_letter = optopt > 0 && optopt < 256;

            if (found == ':')
                return ct_err_set(err, CT_E_USAGE, "option '%s' requires a value",
                                  is_letter ? letter : argv[optind - 1]);
            if (optopt >= 256)
                return ct_err_set(err, CT_E_USAGE, "option '--%s' takes no value",
                                  rows[optopt - 256].name);
            return unknown_option(names, is_letter ? letter : argv[optind - 1], err);
        }
        options->given[row_of(found) - rows] = true;
        if (!ct_mem_grow(&options->words.items, &options->words.capacity,
                         options->words.count + 1, sizeof(*options->words.items)))
            return ct_err_nomem(err);
        options->words.items[options->words.count++] =
            (struct ct_word){row_of(found)->name, optarg};
        status = ct_option_store(row_of(found), optarg, options, err);
        if (status)
            return status;
    }
    options->operands = argv + optind;
    options->operand_count = argc - optind;
    if (!options->seed_given)
        options->seed = 1;
    return CT_OK;
}

void ct_options_release(struct ct_options *options)
{
    free(options->given);
    free(options->words.items);
    ct_settings_release(&options->problem);
    ct_settings_release(&options->param);
    ct_settings_release(&options->assume);
    free(options->replay.transfers.items);
    free(options->stored.with.items);
    free(options->stored.beside.items);
    free(options->slurm.options.items);
}
