// SPDX-License-Identifier: Apache-2.0
// Shows the outcome of `cltune run`.
#ifndef CT_REPORT_RUN_H
#define CT_REPORT_RUN_H

#include "tune/run.h"

#include <stdbool.h>

/* Print the outcome to standard output: for users, and as one JSON object. */
void ct_report_run(const struct ct_run *run);
void ct_report_run_json(const struct ct_run *run);

/* Warns of a doubtful time, on standard error. */
void ct_report_run_doubts(const struct ct_run *run);

/* Launches that differ only in their arguments, such as the passes of a loop. */
struct ct_run_group {
    size_t launch; /* the first of them */
    size_t count;
};

/* Groups the launches in order of their first; the caller frees.  NULL if out of memory. */
struct ct_run_group *ct_run_groups(const struct ct_plan *plan, size_t *count);

/* Whether the outcome has facts about this launch's kernel: not if the configuration failed
 * before it was built, nor for launches that copy or fill zeros. */
bool ct_run_built(const struct ct_run *run, size_t launch);

#endif
