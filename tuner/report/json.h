// SPDX-License-Identifier: Apache-2.0
// Prints JSON.
#ifndef CT_REPORT_JSON_H
#define CT_REPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Prints a value with an indentation of two and a line feed (ct_json_dump); `json` may be NULL.  False:
 * out of memory, and nothing was printed. */
bool ct_report_json(const json_t *json);

#endif
