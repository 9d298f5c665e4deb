// SPDX-License-Identifier: Apache-2.0
// Shared by the files of `cltune space`.
#ifndef CT_CLI_SPACE_H
#define CT_CLI_SPACE_H

#include "cli/cli.h"

/* Reports that a space too large to count has no shards; returns the exit status. */
int ct_space_no_shards(void);

/* --- space_check.c: what only a plan shows --- */

/* Plans the default and configurations from all parts of the space, as a search would, and checks
 * the strategy's name; returns the exit status. */
int ct_space_check(const struct ct_space *space);

/* --- space_answer.c: configurations --- */

/* Whether the options request configurations. */
bool ct_space_asked(const struct ct_options *options);

/* Finds and prints them; returns the exit status. */
int ct_space_answer(const struct ct_space *space, const struct ct_options *options);

#endif
