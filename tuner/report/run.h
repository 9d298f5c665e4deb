// SPDX-License-Identifier: Apache-2.0
// What `cltune run` shows.
#ifndef CT_REPORT_RUN_H
#define CT_REPORT_RUN_H

#include "tune/run.h"

#include <stdbool.h>

/* Print the outcome to standard output: for people, and as one JSON object. */
void ct_report_run(const struct ct_run *run);
void ct_report_run_json(const struct ct_run *run);

/* On standard error: why this time is to be doubted. */
void ct_report_run_doubts(const struct ct_run *run);

/* Launches that do the same but for their arguments, such as the passes of a loop. */
struct ct_run_group {
    size_t launch; /* the first of them */
    size_t count;
};

/* Groups the launches in order of their first; the caller frees.  NULL when memory is
 * short. */
struct ct_run_group *ct_run_groups(const struct ct_plan *plan, size_t *count);

/* Whether the outcome has facts of this launch's kernel: not when the configuration
 * failed before it was built, nor of launches that copy or zero. */
bool ct_run_built(const struct ct_run *run, size_t launch);

#endif
