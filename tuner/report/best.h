// SPDX-License-Identifier: Apache-2.0
// Results of a look-up: for users, as JSON, and for builds.
#ifndef CT_REPORT_BEST_H
#define CT_REPORT_BEST_H

#include "db/cltunedb.h"
#include "report/export.h"

/* All answers on standard output, as text those of more than three as a table; `query` is what they answer. */
void ct_report_answers(const cltunedb_answers *answers, const cltunedb_query *query);
void ct_report_answers_json(const cltunedb_answers *answers, const cltunedb_query *query);

/* One answer in an export format, on standard output; notes about it on standard error.  Errors
 * as for the format, and CT_E_NOT_FOUND if its options belong to another problem than the asked
 * one and cannot be computed for that. */
enum ct_status ct_report_export(const cltunedb_answer *answer,
                                const cltunedb_query *query,
                                const struct ct_export *format, struct ct_err *err);

/* A build needs a single answer: shows on standard error how the available ones differ. */
void ct_report_too_many(const cltunedb_answers *answers, const char *format);

#endif
