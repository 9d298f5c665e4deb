// SPDX-License-Identifier: Apache-2.0
// Counts results by their value.
#include "report/show.h"

#include <math.h>
#include <string.h>

double ct_report_seen(const struct ct_stored_subject *subject, size_t row)
{
    const struct ct_stored_row *r = &subject->rows[row];

    return strcmp(subject->objective, "time") == 0 && r->rounds && r->raw_ns > 0
               ? r->raw_ns
               : r->value;
}

bool ct_report_counts(const struct ct_stored_subject *subject, size_t row)
{
    return subject->rows[row].status == CT_RESULT_OK && subject->rows[row].value > 0 &&
           isfinite(subject->rows[row].value);
}

double ct_report_bin_edge(const struct ct_report_histogram *bins, size_t bin)
{
    double part = bins->count ? (double)bin / (double)bins->count : 0;

    if (bin >= bins->count)
        return bins->high;
    return bins->logarithmic ? bins->low * pow(bins->high / bins->low, part)
                             : bins->low + (bins->high - bins->low) * part;
}

static size_t bin_of(const struct ct_report_histogram *bins, double value)
{
    double part = bins->logarithmic ? log(value / bins->low) / log(bins->high / bins->low)
                                    : (value - bins->low) / (bins->high - bins->low);
    double at = part * (double)bins->count;

    if (!(at > 0))
        return 0;
    return at >= (double)bins->count ? bins->count - 1 : (size_t)at;
}

void ct_report_bins(const struct ct_stored_subject *subject, size_t count,
                    struct ct_report_histogram *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < subject->count; i++) {
        double value = subject->rows[i].value;

        if (!ct_report_counts(subject, i))
            continue;
        out->low = !out->count || value < out->low ? value : out->low;
        out->high = !out->count || value > out->high ? value : out->high;
        out->count = 1;
    }
    if (out->high > out->low)
        out->count = count < 64 ? count : 64;
    out->logarithmic = out->high / out->low > 10;
    for (size_t i = 0; i < subject->count; i++)
        if (ct_report_counts(subject, i))
            out->results[bin_of(out, subject->rows[i].value)]++;
}
