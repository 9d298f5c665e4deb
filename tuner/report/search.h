// SPDX-License-Identifier: Apache-2.0
// Shows a search: before it starts, and its results.
#ifndef CT_REPORT_SEARCH_H
#define CT_REPORT_SEARCH_H

#include "tune/search.h"

#include <stdio.h>

/* Shows what will be done; with the `details` of a dry run. */
void ct_report_intent(const struct ct_search *search, bool details, FILE *out);

/* With -v: one line per evaluation, see CT_EVENT_EVALUATED. */
void ct_report_evaluated(const struct ct_search *search, const struct ct_event *event);

struct ct_report_form {
    bool json;
    bool quiet;   /* no warnings */
    bool verbose; /* where the time went, too */
    size_t width; /* of tables, in columns; 0: everything is shown, however wide */
};

/* The ten best and everything else, on standard output; doubts about them on standard error. */
void ct_report_search(const struct ct_search *search, const struct ct_report_form *form);

#endif
