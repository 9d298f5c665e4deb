// SPDX-License-Identifier: Apache-2.0
// Shows how work is divided between devices (`cltune split`).
#ifndef CT_REPORT_SPLIT_H
#define CT_REPORT_SPLIT_H

#include "tune/split.h"

#include <jansson.h>

#include <stddef.h>

/* Prints a table for each answer that is known, no wider than `width` columns (0: no limit). */
void ct_report_split(const struct ct_split *split, size_t width);

/* The same as an object; the caller owns it. */
json_t *ct_report_split_json(const struct ct_split *split);

/* Prints a C header with the shares, of the launches alone if that is known, else with transfers:
 * macros CLTUNE_<KERNEL>_SPLIT_... */
void ct_report_split_header(const struct ct_split *split);

#endif
