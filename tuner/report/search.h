// SPDX-License-Identifier: Apache-2.0
// What a search shows: before, and its results.
#ifndef CT_REPORT_SEARCH_H
#define CT_REPORT_SEARCH_H

#include "tune/search.h"

#include <stdio.h>

/* What will be done; with the `details` of a dry run. */
void ct_report_intent(const struct ct_search *search, bool details, FILE *out);

/* With -v: one line for an evaluation, as CT_EVENT_EVALUATED has it. */
void ct_report_evaluated(const struct ct_search *search, const struct ct_event *event);

struct ct_report_form {
    bool json;
    bool quiet;   /* no warnings */
    bool explain; /* also what only the first of several searches needs to say */
};

/* The ten best and everything else, on standard output; doubts about them on standard error. */
void ct_report_search(const struct ct_search *search, const struct ct_report_form *form);

#endif
