// SPDX-License-Identifier: Apache-2.0
// What the files of `cltune space` share.
#ifndef CT_CLI_SPACE_H
#define CT_CLI_SPACE_H

#include "cli/cli.h"

/* --- space_print.c: the space as a whole --- */

void ct_space_print(const struct ct_space *space, const struct ct_options *options);
/* `parse_ns`: time taken to read, check and bind the file. */
void ct_space_print_json(const struct ct_space *space, uint64_t parse_ns);

/* "1234", or where that is not exact "more than 18446744073709551615". */
const char *ct_space_count_text(char *out, size_t size, uint64_t count, bool exact);
/* Says that a space with more than can be counted has no shards; the exit status. */
int ct_space_no_shards(void);

/* Warnings about constraints that could not be decided, and where `options` ask for a
 * check those that could not be evaluated. */
void ct_space_warn(const struct ct_space *space, const struct ct_options *options);

/* --- space_answer.c: configurations --- */

/* Whether the options ask for configurations. */
bool ct_space_asked(const struct ct_options *options);

/* Finds and prints them; returns the exit status. */
int ct_space_answer(const struct ct_space *space, const struct ct_options *options);

#endif
