// SPDX-License-Identifier: Apache-2.0
// What matters in a space: in words, as a table and as JSON.
#ifndef CT_REPORT_IMPORTANCE_H
#define CT_REPORT_IMPORTANCE_H

#include "base/str.h"
#include "tune/importance.h"
#include "tune/stored_columns.h"

enum { CT_IMPORTANCE_SENTENCES = 5 };

/* Up to CT_IMPORTANCE_SENTENCES sentences, without full stops, into `out`, which the caller
 * initialises and releases; returns how many.  Only what the results support is said: of too few
 * nothing. */
size_t ct_report_importance_sentences(const struct ct_importance *importance,
                                      struct ct_str *out);

/* Stored results, each kernel, device and problem with its table and sentences on standard output,
 * at most `width` columns wide (0: no limit); or as one JSON array.  CT_E_NOMEM. */
enum ct_status ct_report_importance_stored(const struct ct_stored_columns *columns,
                                           size_t width, struct ct_err *err);
enum ct_status ct_report_importance_stored_json(const struct ct_stored_columns *columns,
                                                struct ct_err *err);

/* {"state":,"parameters":,"interactions":,"text":...} (doc/formats.md), which the caller owns; NULL
 * without memory. */
struct json_t *ct_report_importance_json(const struct ct_importance *importance);

#endif
