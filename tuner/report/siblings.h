// SPDX-License-Identifier: Apache-2.0
// The devices of one kind that share a search.
#ifndef CT_REPORT_SIBLINGS_H
#define CT_REPORT_SIBLINGS_H

#include "tune/search.h"

#include <jansson.h>
#include <stdio.h>

/* "  devices    0:0, 0:1, 0:2 ..." before the search; nothing for one device. */
void ct_report_siblings_intent(const struct ct_search *search, FILE *out);

/* "devices   0:0 measured 9, 0:1 measured 9; 0:2 takes no part: slower (1.20x)"; nothing for one. */
void ct_report_siblings(const struct ct_search *search, FILE *out);

/* A list of objects with `index`, `measured`, `before`, `after` and `left_out`; the first device
 * comes first.  The caller's. */
json_t *ct_report_siblings_json(const struct ct_search *search);

#endif
