// SPDX-License-Identifier: Apache-2.0
// Values of options: numbers with their units.  Where they return a bool: false if invalid.
#ifndef CT_CLI_OPTION_VALUES_H
#define CT_CLI_OPTION_VALUES_H

#include "cli/options.h"

/* "12" */
bool ct_option_number(const char *text, uint64_t *out);

/* Seconds: "90", "90s", "1.5ms", "5m", "2h"; positive. */
bool ct_option_duration(const char *text, double *out);

/* Bytes: "512M", "2G", "4096"; positive. */
bool ct_option_size(const char *text, uint64_t *out);

/* "1/4" */
bool ct_option_shard(const char *text, struct ct_shard *out);

/* The task of a job array that this process is part of, by the environment variables that Slurm sets;
 * CT_E_USAGE, which names the option, if there are none. */
enum ct_status ct_option_task(const char *option, struct ct_shard *out,
                              struct ct_err *err);

#endif
