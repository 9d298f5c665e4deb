// SPDX-License-Identifier: Apache-2.0
// Results of a look-up in an export format.
#ifndef CT_REPORT_BEST_H
#define CT_REPORT_BEST_H

#include "db/cltunedb.h"
#include "report/export.h"

/* What is printed, and from where. */
struct ct_report_question {
    const cltunedb_query *query;
    const struct ct_export *format;
    const char *db_path;       /* NULL: the default */
    const char *template_path; /* NULL: none */
    bool all_devices; /* a format that can hold several devices was asked for that */
};

/* Whether the format can hold these answers. */
bool ct_report_fits(const struct ct_report_question *best,
                    const cltunedb_answers *answers);

/* The answers in an export format, on standard output; notes about them on standard error.  Errors
 * as for the format, and CT_E_NOT_FOUND if options belong to another problem than the asked one
 * and cannot be computed for that. */
enum ct_status ct_report_best(const struct ct_report_question *best,
                              const cltunedb_answers *answers, struct ct_err *err);

/* A build needs a single answer: shows on standard error how the available ones differ. */
void ct_report_too_many(const cltunedb_answers *answers, const char *format);

#endif
