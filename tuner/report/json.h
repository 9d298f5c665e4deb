// SPDX-License-Identifier: Apache-2.0
// Prints JSON.
#ifndef CT_REPORT_JSON_H
#define CT_REPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Prints a value with an indentation of two and a line feed (ct_json_dump).  False, and nothing was
 * printed but a message (ct_screen_lost_json): out of memory, or `json` is NULL, as what Jansson returns for
 * numbers that are not finite. */
bool ct_report_json(const json_t *json);

#endif
