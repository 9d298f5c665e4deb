// SPDX-License-Identifier: Apache-2.0
// Values of options: numbers with their units.  Each returns false if invalid.
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

#endif
