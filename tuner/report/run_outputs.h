// SPDX-License-Identifier: Apache-2.0
// Wrong values and dumped files of `cltune run`, for report/run.c and report/run_json.c.
#ifndef CT_REPORT_RUN_OUTPUTS_H
#define CT_REPORT_RUN_OUTPUTS_H

#include "tune/run.h"

#include <jansson.h>

/* Print to standard output the first wrong values, and the files or why there are none; nothing
 * if there is nothing to say. */
void ct_report_run_differences(const struct ct_run *run);
void ct_report_run_dump(const struct ct_run *run);

/* The same, as a list of objects and as an object (null without --dump); the caller owns them. */
json_t *ct_report_run_differences_json(const struct ct_run *run);
json_t *ct_report_run_dump_json(const struct ct_run *run);

#endif
