// SPDX-License-Identifier: Apache-2.0
// Stored results in the terminal: a histogram and the convergence; and the same for gnuplot.
#ifndef CT_REPORT_SHOW_H
#define CT_REPORT_SHOW_H

#include "base/err.h"
#include "tune/stored_columns.h"

/* Each appends to `out`.  Text is for a terminal of `width` columns, at least 40, and has block
 * characters of UTF-8 only with `blocks`.  The script for gnuplot 5 contains its data.  CT_E_NOMEM. */
enum ct_status ct_report_show(struct ct_str *out, const struct ct_stored_columns *columns,
                              int width, bool blocks, struct ct_err *err);
enum ct_status ct_report_gnuplot(struct ct_str *out,
                                 const struct ct_stored_columns *columns,
                                 struct ct_err *err);

/* --- shared by the two --- */

/* Under the objective, as the search saw it before any play-off. */
double ct_report_seen(const struct ct_stored_subject *subject, size_t row);

/* Whether the row has a value that counts. */
bool ct_report_counts(const struct ct_stored_subject *subject, size_t row);

/* Intervals of values: equally wide, or by an equal factor where values differ by more than one of
 * ten.  No value: all 0. */
struct ct_report_histogram {
    double low;
    double high;
    bool logarithmic;
    size_t count; /* of bins */
    size_t results[64];
};

/* Up to 64 bins; one if all values are the same. */
void ct_report_bins(const struct ct_stored_subject *subject, size_t count,
                    struct ct_report_histogram *out);

/* The lower edge of a bin; of `count` the upper edge of the last. */
double ct_report_bin_edge(const struct ct_report_histogram *bins, size_t bin);

#endif
