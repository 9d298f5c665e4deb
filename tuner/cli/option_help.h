// SPDX-License-Identifier: Apache-2.0
// Help about commands and options, from the tables that define them.
#ifndef CT_CLI_OPTION_HELP_H
#define CT_CLI_OPTION_HELP_H

#include "base/str.h"
#include "cli/cli.h"
#include "cli/option_store.h"

#include <stdbool.h>

/* Appends "-d, --device PATTERN", or "--db FILE" for an option without a letter. */
void ct_option_put_head(const struct ct_option_row *row, struct ct_str *out);

/* Appends what the option does for the command; `brief`: in a few words. */
void ct_option_put_help(const struct ct_option_row *row, const char *command, bool brief,
                        struct ct_str *out);

/* Appends the words that the option accepts for the command, each ended by a line feed; nothing if
 * its values are no words of a list. */
void ct_option_put_choices(const struct ct_option_row *row, const char *command,
                           struct ct_str *out);

/* Whether the option can be given several times. */
bool ct_option_repeats(const struct ct_option_row *row);

/* Prints what --help prints: a screen with the common options, or all of them. */
void ct_command_help(const struct ct_command *command, bool all);

#endif
