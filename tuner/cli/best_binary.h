// SPDX-License-Identifier: Apache-2.0
// The part of `cltune best` that builds.
#ifndef CT_CLI_BEST_BINARY_H
#define CT_CLI_BEST_BINARY_H

#include "cli/cli.h"

/* Writes the program binary of the one answer that was measured on this machine to the file of
 * --output; returns the exit status. */
int ct_cli_best_binary(const struct ct_options *options, const cltunedb_answers *answers);

#endif
