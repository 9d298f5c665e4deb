// SPDX-License-Identifier: Apache-2.0
// The command line's options: one table defines parsing, checking and help.
#ifndef CT_CLI_OPTIONS_H
#define CT_CLI_OPTIONS_H

#include "base/err.h"
#include "plan/binding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NAME=TEXT options in the order given. */
struct ct_settings {
    struct ct_setting *items; /* texts borrowed from argv, names owned */
    size_t count;
    size_t capacity;
};

/* Texts of a repeatable option in the order given, borrowed from argv. */
struct ct_texts {
    const char **items;
    size_t count;
    size_t capacity;
};

/* The options as they were given, in order: their names in the option table, and values borrowed from
 * argv; NULL: none. */
struct ct_words {
    struct ct_word {
        const char *name;
        const char *text;
    } * items;
    size_t count;
    size_t capacity;
};

/* Part `number` (from 1) of `of`; of 0: not given. */
struct ct_shard {
    uint64_t number;
    uint64_t of;
};

struct ct_command;

/* The user's options; zero or NULL means "not given". */
struct ct_options {
    const struct ct_command *const
        *commands; /* all, up to NULL: for those that describe others */
    const char *device;
    const char *db;
    struct ct_settings problem;
    struct ct_settings param;
    struct ct_settings assume;
    const char *objective;
    const char *config; /* "WG=4 VEC=2", or an index */
    uint64_t candidates;
    struct ct_shard shard;
    struct ct_shard island;
    bool playoff_only;
    bool portable;
    bool doctor;
    const char *variants; /* a number, or "auto" */
    const char *strategy;
    const char *effort;
    uint64_t seed;
    bool seed_given;
    bool dry_run;
    bool help;
    struct ct_words words;
    bool *given;           /* by number in the option table; owned */
    uint64_t memory_bytes; /* for a space file and its diagram */
    char **operands;       /* operands; borrowed from argv */
    int operand_count;
    struct {
        uint64_t evaluations;
        double duration_s;
        const char *target;
        uint64_t no_progress;
        double fraction;
        double until_chance;
        double playoff;
        double baseline;
    } budget; /* what ends a search or a replay */
    struct {
        unsigned jobs; /* 0: the number of processors */
        double timeout_s;
        double build_timeout_s;
        bool no_cache;
    } workers;
    struct {
        uint64_t samples; /* per configuration */
        const char *cache;
        bool no_race;
        bool rough;
    } sampling;
    struct {
        bool fresh;
        bool keep_going;
        unsigned retry; /* bits of enum ct_result_status to evaluate again */
        bool no_duplicates;
        bool no_transfer;
        struct ct_texts with;   /* other databases to learn from */
        struct ct_texts beside; /* databases of other parts */
    } stored;                   /* use of existing results */
    struct {
        uint64_t rounds;
        uint64_t runners_up;
        const char *space; /* the space file, instead of the stored one */
    } contest;             /* of compare and recheck */
    struct {
        bool check;
        bool count;
        bool explain;
        bool list;
        uint64_t sample;
        uint64_t index;
        bool index_given;
        const char *neighbours;
        const char *nearest;
        const char *kind;
        bool enumerate;
    } listing; /* what `space` prints about a space file */
    struct {
        uint64_t repeats;
        struct ct_texts transfers; /* files */
        const char *traces;        /* folder */
        bool chance;
        uint64_t batch;
        uint64_t islands;
    } replay;
    struct {
        const char *kernel;
        bool contribute;
        bool text;
        bool outdated;
        bool repair;
        double older_s;
    } store; /* of db */
    struct {
        uint64_t launch;
        uint64_t max_bytes;
        uint64_t verify;
        bool report;
    } program; /* of capture and exec */
    struct {
        bool only;
        bool none;
    } transfers; /* of split */
    struct {
        uint64_t tasks;
        const char *folder;
        struct ct_texts options; /* of sbatch */
    } slurm;                     /* of search */
    struct {
        const char *from_cpp;
        const char *from_t1;
        const char *options;
        const char *size;
        bool yes;
    } making; /* of init */
    struct {
        const char *path;
        bool json;
        bool quiet;
        bool verbose;
        bool wide;
        bool json_lines;
        const char *color;
        bool csv;
        bool importance;
        bool open;        /* the report in a browser */
        const char *dump; /* folder */
        const char *format;
        const char *template_path;
        const char *by;
        const char *sort;
        const char *status; /* of the results to list */
    } output;
};

/* Parses argv[1..] of a command that has the options `names` ("device db ...") and the common
 * ones.  `argv` is permuted. CT_E_USAGE names the option and, if misspelt, the likely one. */
enum ct_status ct_options_parse(const char *names, int argc, char **argv,
                                struct ct_options *options, struct ct_err *err);

/* The name of an option that was given but is none of `names` and none of the common ones, or
 * NULL: for commands whose operations have options of their own. */
const char *ct_options_outside(const struct ct_options *options, const char *names);

void ct_options_release(struct ct_options *options);

/* Appends a text. */
enum ct_status ct_texts_add(struct ct_texts *texts, const char *text, struct ct_err *err);

/* Splits "NAME=TEXT" and appends it; CT_E_USAGE if there is no name or no `=`. */
enum ct_status ct_settings_add(struct ct_settings *settings, const char *text,
                               const char *what, struct ct_err *err);

/* Splits "A=1 B='x y'" at white space outside quotes and adds each; the texts are in `copy`,
 * which is changed. */
enum ct_status ct_settings_split(char *copy, struct ct_settings *settings,
                                 const char *what, struct ct_err *err);
void ct_settings_release(struct ct_settings *settings);

#endif
