// SPDX-License-Identifier: Apache-2.0
// cltune search --slurm: a search as a job array.
#ifndef CT_CLI_SEARCH_SLURM_H
#define CT_CLI_SEARCH_SLURM_H

#include "cli/options.h"
#include "spacefile/spec.h"

/* Writes the scripts and submits them, or shows them (--dry-run); returns the exit status. */
int ct_cli_search_slurm(const struct ct_options *options, const char *path,
                        const struct ct_spec *spec);

#endif
