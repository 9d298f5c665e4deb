// SPDX-License-Identifier: Apache-2.0
// The parts of a search's report.  Private to tuner/report.
#ifndef CT_REPORT_SEARCH_IMPL_H
#define CT_REPORT_SEARCH_IMPL_H

#include "report/table.h"
#include "tune/search.h"

#include <stdio.h>

struct json_t;

/* --- search_words.c --- */

/* Appends a value of the objective: a duration, or a metric with its name. */
void ct_report_put_value(const struct ct_search *search, double value,
                         struct ct_str *out);

/* Append the budgets, each after ", "; and which one ended the search. */
void ct_report_put_budget(const struct ct_search *search, struct ct_str *out);
void ct_report_put_end(const struct ct_search *search, struct ct_str *out);

/* Appends why the strategy proposed a configuration and its prediction, in terms of the
 * objective. False, and nothing appended, if it gives no reason. */
bool ct_report_put_why(const struct ct_search *search, int64_t index, struct ct_str *out);

/* Appends what the A/A test has found. */
void ct_report_put_noise(const struct ct_search *search, struct ct_str *out);

/* --- search.c --- */

/* A column for each metric of the space file, and the cells of an entry, whose values are in
 * work.values. */
void ct_report_metric_columns(const struct ct_search *search, struct ct_table *table);
void ct_report_metric_cells(const struct ct_search *search, struct ct_table *table,
                            const struct ct_evaluated *entry);

/* Whether the file defines expected outputs: by host code, a kernel, a configuration, or a buffer's
 * `expect`. */
bool ct_report_has_expected(const struct ct_spec *spec);

/* --- search_table.c --- */

/* The first `count` entries of a ranking, and the default.  With a `width` (0: none) columns are
 * left out until the rows fit, parameters that are the same in all entries are in one line above,
 * and a line below says what is missing. */
void ct_report_search_table(const struct ct_search *search,
                            const struct ct_evaluated *const *order, size_t count,
                            size_t width);

/* --- search_json.c --- */

/* The whole as one JSON object, with the first `shown` of the `count` entries of `order` as the
 * best. */
void ct_report_search_json(const struct ct_search *search,
                           const struct ct_evaluated *const *order, size_t count,
                           size_t shown);

/* --- confidence.c: reliability --- */

/* Ties with the pick, and the results of the play-off, the A/A test and the drift check. */
void ct_report_confidence(const struct ct_search *search,
                          const struct ct_evaluated *const *order, size_t count,
                          FILE *out);

/* Doubts about the times of the best and of the default: on standard error. */
void ct_report_doubts(const struct ct_search *search, const struct ct_evaluated *best);

/* The same as JSON: "noise", "playoff", "race", "drift" and "warnings" of `object`. */
void ct_report_confidence_json(const struct ct_search *search,
                               const struct ct_evaluated *best, struct json_t *object);

/* --- per_value.c: the best of each value of a parameter --- */

/* One line for each value that worked, in order of their best; `order` has all that worked, best
 * first.  Nothing unless requested. */
void ct_report_per_value(const struct ct_search *search,
                         const struct ct_evaluated *const *order, size_t count,
                         size_t width);

/* --- ceiling.c: comparison with the device's ceilings --- */

/* The pick as shares of the device's ceilings; as JSON (never NULL; null if the metrics `bytes`
 * and `operations` or the ceilings are missing). */
void ct_report_ceiling(const struct ct_search *search, const struct ct_evaluated *best,
                       FILE *out);
struct json_t *ct_report_ceiling_json(const struct ct_search *search,
                                      const struct ct_evaluated *best);

/* An entry's share of the memory ceiling; NaN: unknown. */
double ct_report_share_of_copy(const struct ct_search *search,
                               const struct ct_evaluated *entry);

/* --- importance.c: which parameters matter --- */

/* Sentences; as JSON (never NULL; null if out of memory). */
void ct_report_importance(const struct ct_search *search, FILE *out);
struct json_t *ct_report_search_importance_json(const struct ct_search *search);

/* --- spent.c --- */

/* Where the time went, with `details` by kind; as JSON. */
void ct_report_spent(const struct ct_search *search, bool details, FILE *out);
struct json_t *ct_report_spent_json(const struct ct_search *search);

/* --- verdict.c: device against host --- */

/* The baseline and the verdict; nothing without a baseline.  As JSON (never NULL; null if there is
 * none). */
void ct_report_verdict(const struct ct_search *search, FILE *out);
struct json_t *ct_report_verdict_json(const struct ct_search *search);

/* What part of the space is searched, as a line of the intent; nothing for all of it. */
void ct_report_part(const struct ct_search *search, FILE *out);
struct json_t *ct_report_part_json(const struct ct_search *search);

#endif
