// SPDX-License-Identifier: Apache-2.0
// Writes a script for gnuplot that contains its data.
#include "report/show.h"
#include "report/stored.h"

#include "base/show.h"

#include <math.h>
#include <string.h>

enum { BINS = 50 };

/* A text between single quotes, where gnuplot runs and replaces nothing but a doubled quote. */
static void put_quoted(struct ct_str *out, const char *text)
{
    struct ct_arena arena = {0};

    ct_str_putc(out, '\'');
    for (const char *at = ct_show_line(&arena, text); *at; at++) {
        if (*at == '\'')
            ct_str_putc(out, '\'');
        ct_str_putc(out, *at);
    }
    ct_str_putc(out, '\'');
    ct_arena_release(&arena);
}

static double scale_of(const struct ct_stored_subject *s)
{
    return strcmp(s->objective, "time") == 0 || strcmp(s->objective, "end_to_end") == 0
               ? 1e6
               : 1;
}

/* Evaluation, value, and the best so far. */
static void put_data(struct ct_str *out, const struct ct_stored_subject *s, size_t number)
{
    double best = NAN;
    double scale = scale_of(s);

    ct_str_addf(out, "$results%zu << END_OF_DATA\n", number);
    for (size_t i = 0; i < s->count; i++) {
        double value = ct_report_counts(s, i) ? ct_report_seen(s, i) : NAN;

        if (!(value > 0))
            continue;
        if (isnan(best) || (s->maximize ? value > best : value < best))
            best = value;
        ct_str_addf(out, "%zu %.6g %.6g\n", i + 1, value / scale, best / scale);
    }
    ct_str_puts(out, "END_OF_DATA\n");
}

/* Lower edge, upper edge and number of results. */
static void put_bins(struct ct_str *out, const struct ct_stored_subject *s, size_t number,
                     const struct ct_report_histogram *bins)
{
    double scale = scale_of(s);

    ct_str_addf(out, "$bins%zu << END_OF_DATA\n", number);
    for (size_t i = 0; i < bins->count; i++)
        ct_str_addf(out, "%.6g %.6g %zu\n", ct_report_bin_edge(bins, i) / scale,
                    ct_report_bin_edge(bins, i + 1) / scale, bins->results[i]);
    ct_str_puts(out, "END_OF_DATA\n");
}

static void put_plot(struct ct_str *out, const struct ct_stored_subject *s, size_t number)
{
    const char *unit = scale_of(s) > 1 ? " (ms)" : "";
    struct ct_report_histogram bins;
    struct ct_str title;

    ct_report_bins(s, BINS, &bins);
    put_data(out, s, number);
    put_bins(out, s, number, &bins);
    ct_str_init(&title);
    ct_str_addf(&title, "%s on %s, ", s->of.kernel, s->of.device_name);
    ct_report_put_stored(&title, s->of.problem_json, NULL);
    ct_str_puts(out, "set multiplot layout 2,1 title ");
    put_quoted(out, title.data);
    ct_str_puts(out, " noenhanced\nset xlabel 'evaluations'\nset ylabel ");
    ct_str_reset(&title);
    ct_str_addf(&title, "%s%s", s->objective, unit);
    put_quoted(out, title.data);
    ct_str_addf(
        out,
        " noenhanced\nunset logscale\n%splot $results%zu using 1:2 with points pt 7 ps 0.3 "
        "title 'result', $results%zu using 1:3 with steps lw 2 title 'best so far'\n",
        bins.logarithmic ? "set logscale y\n" : "", number, number);
    ct_str_puts(out, "unset logscale\nset xlabel ");
    put_quoted(out, title.data);
    ct_str_addf(
        out,
        " noenhanced\nset ylabel 'results'\n%splot $bins%zu using "
        "(($1+$2)/2):3:($2-$1) with boxes fill solid 0.5 notitle\nunset multiplot\n",
        bins.logarithmic ? "set logscale x\n" : "", number);
    ct_str_release(&title);
}

enum ct_status ct_report_gnuplot(struct ct_str *out,
                                 const struct ct_stored_columns *columns,
                                 struct ct_err *err)
{
    ct_str_puts(out,
                "# Made by cltune show --format gnuplot; needs gnuplot 5.  For a file:\n"
                "#   gnuplot -e \"set terminal svg; set output 'plot.svg'\" FILE\n"
                "set encoding utf8\nset key noenhanced\n");
    for (size_t i = 0; i < columns->count; i++) {
        bool any = false;

        for (size_t row = 0; row < columns->subjects[i].count; row++)
            any = any || ct_report_counts(&columns->subjects[i], row);
        if (any)
            put_plot(out, &columns->subjects[i], i);
    }
    return out->failed ? ct_err_nomem(err) : CT_OK;
}
