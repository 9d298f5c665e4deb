// SPDX-License-Identifier: Apache-2.0
// A search space as a whole, without its configurations.
#ifndef CT_REPORT_SPACE_H
#define CT_REPORT_SPACE_H

#include "space/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On standard output, for users; and as one JSON object (`parse_ns`: time taken to read, check
 * and bind the file). */
void ct_report_space(const struct ct_space *space, bool verbose);
void ct_report_space_json(const struct ct_space *space, uint64_t parse_ns);

/* "1234", or if that is not exact "more than 18446744073709551615". */
const char *ct_report_count_text(char *out, size_t size, uint64_t count, bool exact);

/* Warnings about constraints that could not be decided. */
void ct_report_undecided(const struct ct_space *space);

/* The same, and with `check` about those that could not be evaluated. */
void ct_report_space_warnings(const struct ct_space *space, bool check);

#endif
