// SPDX-License-Identifier: Apache-2.0
// What a row of the option table asks for, and the reader of its values.
#ifndef CT_CLI_OPTION_STORE_H
#define CT_CLI_OPTION_STORE_H

#include "cli/options.h"

#include <stddef.h>

enum ct_option_form {
    FORM_FLAG,
    FORM_TEXT,
    FORM_NAME,     /* a text that is not empty */
    FORM_TEXTS,    /* repeatable */
    FORM_COUNT,    /* a whole number, at least 1 */
    FORM_NUMBER,   /* a whole number */
    FORM_DURATION, /* seconds, or with a unit: 90s 5m 2h */
    FORM_SHARE,    /* 0 to 1, or with a percent sign */
    FORM_SETTING,  /* NAME=TEXT, repeatable */
    FORM_SIZE,     /* bytes, or with a unit: 512M 2G */
    FORM_SHARD,    /* I/N with I from 1 to N */
    FORM_JOBS,     /* a number of processes, or auto */
    FORM_STATUSES, /* words of ct_result_status_name, or all */
};

struct ct_option_row {
    const char *name;
    char letter; /* 0: long only */
    enum ct_option_form form;
    const char *argument;
    size_t offset;
    /* What it does: "BRIEF|MORE", where --help shows the first part; "{COMMAND,...:TEXT}" is for these
     * commands, "%s" stands for the names of a table. */
    const char *help;
};

/* The options of every command. */
#define CT_OPTIONS_EVERYWHERE "help json quiet verbose"

/* The options of a command with the options `names`, in alphabetical order: the one after `after`,
 * the first for NULL; NULL after the last. */
const struct ct_option_row *ct_option_next(const char *names,
                                           const struct ct_option_row *after);

/* Where a row puts its value. */
#define CT_OPTION_AT(field) offsetof(struct ct_options, field)

/* Reads `text` as the row's form asks and stores the value in its field of `options`.  Texts stay
 * the caller's; lists that it adds to are released by ct_options_release.  Fails with CT_E_USAGE
 * and the option's name if the value does not fit. */
enum ct_status ct_option_store(const struct ct_option_row *row, const char *text,
                               struct ct_options *options, struct ct_err *err);

#endif
