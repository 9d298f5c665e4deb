// SPDX-License-Identifier: Apache-2.0
// What the formats with all results of a search have in common.
#ifndef CT_REPORT_EXPORT_RESULTS_H
#define CT_REPORT_EXPORT_RESULTS_H

#include "db/store.h"
#include "report/export.h"

#include <jansson.h>
#include <stdint.h>

/* A duration in milliseconds. */
json_t *ct_export_milliseconds(double ns);

/* The samples of a result in milliseconds, all of the search itself. */
json_t *ct_export_samples(const struct ct_db_result *result);

/* Digits of the numbers in a document with all results: 15, with which a decimal fraction is written as
 * it is, or 17, if a parameter has a value that needs them. */
unsigned ct_export_digits(const struct ct_export_set *set);

enum { CT_EXPORT_TIMESTAMP = 32 };

/* "2026-01-31T12:00:00+00:00" in `text`, which it returns. */
const char *ct_export_timestamp(char text[CT_EXPORT_TIMESTAMP], int64_t unix_s);

#endif
