// SPDX-License-Identifier: Apache-2.0
// Draws the progress line and estimates the time left.
#include "report/progress.h"

#include "base/str.h"
#include "report/format.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum { DRAW_EVERY_NS = 100000000, BAR = 20 };

void ct_progress_init(struct ct_progress *progress, FILE *out, bool wanted,
                      uint64_t total, double budget_s, uint64_t now_ns)
{
    progress->out = wanted && isatty(fileno(out)) ? out : NULL;
    progress->start_ns = now_ns;
    progress->drawn_ns = 0;
    progress->total = total;
    progress->budget_s = budget_s;
}

/* Seconds left at the present rate, or a negative number if unknown. */
static double seconds_left(const struct ct_progress *progress, uint64_t now_ns,
                           uint64_t done)
{
    double spent_s = (double)(now_ns - progress->start_ns) / 1e9;
    double left_s;

    if (!done)
        return -1;
    left_s = done < progress->total
                 ? spent_s / (double)done * (double)(progress->total - done)
                 : 0;
    if (progress->budget_s > 0 && progress->budget_s - spent_s < left_s)
        left_s = progress->budget_s > spent_s ? progress->budget_s - spent_s : 0;
    return left_s;
}

void ct_progress_put_estimate(const struct ct_progress *progress, uint64_t now_ns,
                              uint64_t done, bool evaluations, struct ct_str *out)
{
    double spent_s = (double)(now_ns - progress->start_ns) / 1e9;
    double each_s = spent_s / (double)done;
    double left_s = seconds_left(progress, now_ns, done);
    uint64_t count = progress->total - done;
    const char *plural;
    bool by_time = left_s < each_s * (double)count;
    char number[CT_FORMAT_SIZE];
    char duration[CT_FORMAT_SIZE];
    char each[CT_FORMAT_SIZE];

    if (by_time)
        count = (uint64_t)(left_s / each_s + 0.5);
    ct_format_time(each, 1e9 * each_s);
    ct_format_duration(duration, left_s);
    ct_format_count(number, count);
    plural = count == 1 ? "" : "s";
    if (by_time)
        ct_str_addf(out,
                    "%s more evaluation%s in %s, when the time budget ends the search "
                    "(%s each)",
                    number, plural, duration, each);
    else
        ct_str_addf(out, "%s more evaluation%s of %s each, %s in total%s", number, plural,
                    each, duration,
                    evaluations ? ", when the budget of evaluations ends the search"
                                : "");
}

/* Writes the text of the line (without control characters) into `text`. */
static void write_line(const struct ct_progress *progress, uint64_t now_ns, uint64_t done,
                       double best_ns, double default_ns, char *text, size_t size)
{
    double spent_s = (double)(now_ns - progress->start_ns) / 1e9;
    double left_s = seconds_left(progress, now_ns, done);
    double share = progress->total ? (double)done / (double)progress->total : 1;
    char bar[BAR + 1];
    char time[CT_FORMAT_SIZE];
    char left[CT_FORMAT_SIZE];
    char gain[CT_FORMAT_SIZE + 3] = "";

    for (int i = 0; i < BAR; i++)
        bar[i] = (double)i < share * BAR ? '#' : '.';
    bar[BAR] = '\0';
    if (best_ns > 0 && default_ns > 0)
        snprintf(gain, sizeof(gain), " (%.2fx)", default_ns / best_ns);
    snprintf(text, size, "[%s] %llu/%llu  %.1f/s  best %s%s  left %s", bar,
             (unsigned long long)done, (unsigned long long)progress->total,
             spent_s > 0 ? (double)done / spent_s : 0.0,
             best_ns > 0 ? ct_format_time(time, best_ns) : "-", gain,
             left_s >= 0 ? ct_format_duration(left, left_s) : "?");
}

void ct_progress_draw(struct ct_progress *progress, uint64_t now_ns, uint64_t done,
                      double best_ns, double default_ns)
{
    char text[200];
    struct winsize window;

    if (!progress->out ||
        (progress->drawn_ns && now_ns - progress->drawn_ns < DRAW_EVERY_NS))
        return;
    write_line(progress, now_ns, done, best_ns, default_ns, text, sizeof(text));
    /* A wrapped line could not be overwritten. */
    if (ioctl(fileno(progress->out), TIOCGWINSZ, &window) == 0 && window.ws_col > 1 &&
        window.ws_col - 1u < sizeof(text))
        text[window.ws_col - 1] = '\0';
    /* \033[K: clear to the end of the line. */
    fprintf(progress->out, "\r%s\033[K", text);
    fflush(progress->out);
    progress->drawn_ns = now_ns ? now_ns : 1;
}

void ct_progress_clear(struct ct_progress *progress)
{
    if (!progress->out || !progress->drawn_ns)
        return;
    fprintf(progress->out, "\r\033[K");
    fflush(progress->out);
    progress->drawn_ns = 0;
}
