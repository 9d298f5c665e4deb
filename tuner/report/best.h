// SPDX-License-Identifier: Apache-2.0
// The answers of a look-up: for people, as JSON, and for builds.
#ifndef CT_REPORT_BEST_H
#define CT_REPORT_BEST_H

#include "db/cltunedb.h"
#include "report/export.h"

/* All answers on standard output. */
void ct_report_answers(const cltunedb_answers *answers);
void ct_report_answers_json(const cltunedb_answers *answers);

/* One answer in an export format, on standard output; what is to be known about it on standard
 * error.  Errors as those of the format. */
enum ct_status ct_report_export(const cltunedb_answer *answer,
                                const struct ct_export *format, struct ct_err *err);

/* A build needs one answer: says on standard error what distinguishes those that there are. */
void ct_report_too_many(const cltunedb_answers *answers, const char *format);

#endif
