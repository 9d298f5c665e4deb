// SPDX-License-Identifier: Apache-2.0
// Draws stored results with characters.
#include "report/show.h"

#include "base/show.h"
#include "report/format.h"
#include "report/stored.h"

#include <math.h>
#include <string.h>

enum { BINS = 12, HEIGHT = 10, LABEL = 10, WIDTH_MOST = 160 };

static bool is_time(const struct ct_stored_subject *s)
{
    return strcmp(s->objective, "time") == 0 || strcmp(s->objective, "end_to_end") == 0;
}

static const char *format_value(char *out, const struct ct_stored_subject *s,
                                double value)
{
    return is_time(s) ? ct_format_time(out, value) : ct_format_real(out, value);
}

/* Ends a line without blanks at its end. */
static void end_line(struct ct_str *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    ct_str_putc(out, '\n');
}

/* A bar of `eighths` of a column. */
static void put_bar(struct ct_str *out, size_t eighths, bool blocks)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

    for (size_t i = 0; i < eighths / 8; i++)
        ct_str_puts(out, blocks ? "█" : "#");
    if (blocks)
        ct_str_puts(out, parts[eighths % 8]);
    else if (eighths % 8 >= 4 || (eighths && eighths < 8))
        ct_str_puts(out, "#");
}

static void put_histogram(struct ct_str *out, const struct ct_stored_subject *s,
                          int width, bool blocks)
{
    struct ct_report_histogram bins;
    size_t most = 1;
    size_t room = (size_t)(width - 2 * LABEL - 14);

    ct_report_bins(s, BINS, &bins);
    for (size_t i = 0; i < bins.count; i++)
        most = bins.results[i] > most ? bins.results[i] : most;
    ct_str_addf(out, "distribution of %s (results in each interval)\n", s->objective);
    for (size_t i = 0; i < bins.count; i++) {
        char low[CT_FORMAT_SIZE];
        char high[CT_FORMAT_SIZE];
        char count[CT_FORMAT_SIZE];
        double share = (double)bins.results[i] / (double)most;
        size_t eighths = (size_t)ceil(share * (double)room * 8);

        ct_str_addf(out, "%*s -%*s %7s ", LABEL,
                    format_value(low, s, ct_report_bin_edge(&bins, i)), LABEL,
                    format_value(high, s, ct_report_bin_edge(&bins, i + 1)),
                    ct_format_count(count, bins.results[i]));
        put_bar(out, eighths, blocks);
        end_line(out);
    }
}

/* The best so far at each of `columns` places, NAN before the first; its range. */
static void best_so_far(const struct ct_stored_subject *s, size_t columns, double *best,
                        double *low, double *high)
{
    double now = NAN;

    for (size_t c = 0, i = 0; c < columns; c++) {
        size_t end = (c + 1) * s->count / columns;

        for (; i < end; i++) {
            double value = ct_report_counts(s, i) ? ct_report_seen(s, i) : NAN;

            if (value > 0 && (isnan(now) || (s->maximize ? value > now : value < now)))
                now = value;
        }
        best[c] = now;
        *low = isnan(*low) || now < *low ? now : *low;
        *high = isnan(*high) || now > *high ? now : *high;
    }
}

static void put_convergence(struct ct_str *out, const struct ct_stored_subject *s,
                            int width, bool blocks)
{
    double best[WIDTH_MOST];
    double low = NAN;
    double high = NAN;
    size_t columns = (size_t)(width - LABEL - 3);
    char text[CT_FORMAT_SIZE];

    if (columns > WIDTH_MOST)
        columns = WIDTH_MOST;
    if (columns > s->count)
        columns = s->count;
    best_so_far(s, columns, best, &low, &high);
    ct_str_puts(out, "best so far, by evaluations\n");
    for (int line = HEIGHT - 1; line >= 0; line--) {
        double value = low * pow(high / low, line / (double)(HEIGHT - 1));

        ct_str_addf(out, "%*s %s", LABEL,
                    line % 3 == 0 ? format_value(text, s, value) : "",
                    blocks ? "│" : "|");
        for (size_t c = 0; c < columns; c++) {
            double at =
                high > low ? log(best[c] / low) / log(high / low) * (HEIGHT - 1) : 0;

            ct_str_puts(out, isnan(best[c]) || (int)lround(at) != line ? " "
                             : blocks                                  ? "━"
                                                                       : "*");
        }
        end_line(out);
    }
    ct_str_addf(out, "%*s 1%*s\n", LABEL, "", (int)columns,
                ct_format_count(text, s->count));
}

static void put_heading(struct ct_str *out, const struct ct_stored_subject *s)
{
    struct ct_arena arena = {0};
    char count[CT_FORMAT_SIZE];
    size_t failed = 0;
    struct ct_str problem;

    ct_str_init(&problem);
    ct_report_put_stored(&problem, s->of.problem_json, NULL);
    for (size_t i = 0; i < s->count; i++)
        failed += s->rows[i].status != CT_RESULT_OK;
    ct_str_addf(out, "%s%s on %s%s%s: %s result%s", ct_show_line(&arena, s->of.kernel),
                s->of.outdated ? " (an older version of its source)" : "",
                ct_show_line(&arena, s->of.device_name), problem.length ? ", " : "",
                problem.length ? problem.data : "", ct_format_count(count, s->count),
                s->count == 1 ? "" : "s");
    ct_str_addf(out, ", %s failed\n", ct_format_count(count, failed));
    ct_str_release(&problem);
    ct_arena_release(&arena);
}

enum ct_status ct_report_show(struct ct_str *out, const struct ct_stored_columns *columns,
                              int width, bool blocks, struct ct_err *err)
{
    width = width < 40 ? 40 : width;
    for (size_t i = 0; i < columns->count; i++) {
        const struct ct_stored_subject *s = &columns->subjects[i];
        size_t good = 0;

        for (size_t row = 0; row < s->count; row++)
            good += ct_report_counts(s, row);
        ct_str_puts(out, i ? "\n" : "");
        put_heading(out, s);
        if (good) {
            put_histogram(out, s, width, blocks);
            put_convergence(out, s, width, blocks);
        }
    }
    return out->failed ? ct_err_nomem(err) : CT_OK;
}
