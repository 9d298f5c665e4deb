// SPDX-License-Identifier: Apache-2.0
// cltune best --portable and --variants.
#ifndef CT_CLI_VARIANTS_H
#define CT_CLI_VARIANTS_H

#include "cli/options.h"

/* Runs the command in the format of this name; returns the exit status. */
int ct_cli_best_variants(const struct ct_options *options, const char *format);

#endif
