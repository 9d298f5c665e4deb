// SPDX-License-Identifier: Apache-2.0
// Results of a look-up: for users, as JSON, and for builds.
#ifndef CT_REPORT_BEST_H
#define CT_REPORT_BEST_H

#include "db/cltunedb.h"
#include "report/export.h"

/* All answers on standard output. */
void ct_report_answers(const cltunedb_answers *answers);
void ct_report_answers_json(const cltunedb_answers *answers);

/* One answer in an export format, on standard output; notes about it on standard error. Errors as
 * for the format. */
enum ct_status ct_report_export(const cltunedb_answer *answer,
                                const struct ct_export *format, struct ct_err *err);

/* A build needs a single answer: shows on standard error how the available ones differ. */
void ct_report_too_many(const cltunedb_answers *answers, const char *format);

#endif
