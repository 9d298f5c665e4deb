// SPDX-License-Identifier: Apache-2.0
// Options of searches that are one of several: --shard, --island, --playoff-only.
#ifndef CT_CLI_SEARCH_DIVISION_H
#define CT_CLI_SEARCH_DIVISION_H

#include "cli/options.h"

#include <stdbool.h>

/* Reports options that exclude each other; returns the exit status.  `weighted`: one search of several
 * problems. */
int ct_cli_check_division(const struct ct_options *options, bool weighted);

#endif
