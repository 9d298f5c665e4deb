// SPDX-License-Identifier: Apache-2.0
// Draws the progress of a search and estimates the time left.
#include "report/progress.h"

#include "base/str.h"
#include "report/board.h"
#include "report/format.h"
#include "report/width.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BAR_SHORT = 10, /* columns, on terminals narrower than NARROW */
    BAR = 20,
    BAR_LONG = 40, /* on terminals of at least ROOMY */
    NARROW = 70,
    ROOMY = 120,
    CELL = 38, /* the least for a worker that shares its line, with a gap */
    GAP = 2,
    PARTS_MOST = 8,
};

static const uint64_t draw_every_ns = 100000000;
static const uint64_t log_every_ns = 60000000000;
static const uint64_t mark_every_ns = 1000000000;

void ct_progress_init(struct ct_progress *progress, FILE *out, FILE *log, bool wanted,
                      uint64_t now_ns)
{
    const char *term = getenv("TERM");
    bool terminal = isatty(fileno(out)) && !(term && strcmp(term, "dumb") == 0);

    memset(progress, 0, sizeof(*progress));
    progress->out = wanted && terminal ? out : NULL;
    progress->log = wanted && !terminal ? log : NULL;
    progress->start_ns = progress->logged_ns = now_ns;
}

void ct_progress_plan(struct ct_progress *progress, uint64_t total, double budget_s,
                      uint64_t start_ns)
{
    progress->total = total;
    progress->budget_s = budget_s;
    progress->start_ns = start_ns;
    progress->mark_count = 0;
    progress->first = (struct ct_progress_mark){0, 0};
}

/* --- rate and time left --- */

/* Notes how many are done, once a second. */
static void note_mark(struct ct_progress *progress, uint64_t now_ns, uint64_t done)
{
    const struct ct_progress_mark *last =
        &progress->marks[(progress->mark_count - 1) % CT_PROGRESS_MARKS];

    if (progress->mark_count && now_ns - last->at_ns < mark_every_ns)
        return;
    progress->marks[progress->mark_count++ % CT_PROGRESS_MARKS] =
        (struct ct_progress_mark){now_ns, done};
}

void ct_progress_note(struct ct_progress *progress, uint64_t now_ns, uint64_t done)
{
    if (!progress->first.at_ns)
        progress->first = (struct ct_progress_mark){now_ns, done};
}

/* Whether so many were done since then that they tell what one costs. */
static bool tells(const struct ct_progress_mark *since, uint64_t now_ns, uint64_t done,
                  uint64_t enough)
{
    return since->at_ns && done >= since->done + enough && now_ns > since->at_ns;
}

static double rate_s(const struct ct_progress_mark *since, uint64_t now_ns, uint64_t done)
{
    return (double)(now_ns - since->at_ns) / 1e9 / (double)(done - since->done);
}

/* What one evaluation has cost, over the last minute if that has ten of them, else over all behind the
 * first result: a strategy that has found fast configurations is faster than it was in the beginning.
 * 0: unknown. */
static double each_s(const struct ct_progress *progress, uint64_t now_ns, uint64_t done)
{
    const uint64_t enough = 10;
    const uint64_t some = 3;
    size_t first = progress->mark_count > CT_PROGRESS_MARKS
                       ? progress->mark_count % CT_PROGRESS_MARKS
                       : 0;
    const struct ct_progress_mark *mark = &progress->marks[first];

    if (progress->mark_count && mark->done >= progress->first.done &&
        tells(mark, now_ns, done, enough))
        return rate_s(mark, now_ns, done);
    if (tells(&progress->first, now_ns, done, some))
        return rate_s(&progress->first, now_ns, done);
    return done ? (double)(now_ns - progress->start_ns) / 1e9 / (double)done : 0;
}

/* Seconds left at the present rate, or a negative number if unknown. */
static double seconds_left(const struct ct_progress *progress, uint64_t now_ns,
                           uint64_t done)
{
    double spent_s = (double)(now_ns - progress->start_ns) / 1e9;
    double left_s;

    if (!done || !progress->total)
        return -1;
    left_s = done < progress->total
                 ? each_s(progress, now_ns, done) * (double)(progress->total - done)
                 : 0;
    if (progress->budget_s > 0 && progress->budget_s - spent_s < left_s)
        left_s = progress->budget_s > spent_s ? progress->budget_s - spent_s : 0;
    return left_s;
}

void ct_progress_put_estimate(const struct ct_progress *progress, uint64_t now_ns,
                              uint64_t done, bool evaluations, struct ct_str *out)
{
    double spent_s = (double)(now_ns - progress->start_ns) / 1e9;
    double mean_s = each_s(progress, now_ns, done);
    double left_s;
    uint64_t count = progress->total - done;
    const char *plural;
    bool by_time;
    char number[CT_FORMAT_SIZE];
    char duration[CT_FORMAT_SIZE];
    char each[CT_FORMAT_SIZE];

    left_s = mean_s * (double)count;
    by_time = progress->budget_s > 0 && progress->budget_s - spent_s < left_s;
    if (by_time)
        left_s = progress->budget_s > spent_s ? progress->budget_s - spent_s : 0;
    if (by_time)
        count = (uint64_t)(left_s / mean_s + 0.5);
    ct_format_time(each, 1e9 * mean_s);
    ct_format_duration(duration, left_s);
    ct_format_count(number, count);
    plural = count == 1 ? "" : "s";
    if (by_time)
        ct_str_addf(
            out, "%s more evaluation%s in %s, then the time budget is used up (%s each)",
            number, plural, duration, each);
    else
        ct_str_addf(out, "%s more evaluation%s of %s each, %s in total%s", number, plural,
                    each, duration,
                    evaluations ? ", then the budget of evaluations is used up" : "");
}

/* --- what the lines say --- */

/* A part of a line; the one with the largest order is left out first if they do not fit. */
struct part {
    char text[CT_PROGRESS_TEXT];
    const char *color; /* NULL: none */
    unsigned order;
    bool left_out;
};

struct line {
    struct part parts[PARTS_MOST];
    size_t count;
};

static struct part *add_part(struct line *line, const char *color, unsigned order)
{
    struct part *part = &line->parts[line->count++];

    part->text[0] = '\0';
    part->color = color;
    part->order = order;
    part->left_out = false;
    return part;
}

static void add_bar(const struct ct_progress *progress, uint64_t done, size_t columns,
                    struct line *line)
{
    int length = columns < NARROW ? BAR_SHORT : columns < ROOMY ? BAR : BAR_LONG;
    double share = progress->total ? (double)done / (double)progress->total : 1;
    struct part *part = add_part(line, "36", 5);
    struct ct_str text;

    ct_str_init(&text);
    ct_str_putc(&text, '[');
    for (int i = 0; i < length; i++)
        if ((double)i < share * length)
            ct_str_puts(&text, progress->utf8 ? "\xe2\x96\x88" : "#");
        else
            ct_str_puts(&text, progress->utf8 ? "\xe2\x96\x91" : ".");
    ct_str_putc(&text, ']');
    snprintf(part->text, sizeof(part->text), "%s", text.data ? text.data : "");
    ct_str_release(&text);
}

static void fill_numbers(const struct ct_progress *progress, uint64_t now_ns,
                         const struct ct_progress_view *view, size_t columns,
                         struct line *line)
{
    double left_s =
        view->proposing ? seconds_left(progress, now_ns, view->done) : view->left_s;
    double cost_s = each_s(progress, now_ns, view->done);
    bool gains = view->best_ns > 0 && view->default_ns > 0;
    struct part *part;
    char text[CT_FORMAT_SIZE];

    if (progress->total) {
        add_bar(progress, view->done, columns, line);
        part = add_part(line, NULL, 1);
        snprintf(part->text, sizeof(part->text), "%llu/%llu",
                 (unsigned long long)view->done, (unsigned long long)progress->total);
    }
    if (progress->total && view->proposing) {
        part = add_part(line, NULL, 4);
        snprintf(part->text, sizeof(part->text), "%.1f/s", cost_s > 0 ? 1 / cost_s : 0.0);
    }
    part = add_part(line, gains && view->best_ns < view->default_ns ? "32" : NULL, 0);
    snprintf(part->text, sizeof(part->text), "best %s",
             view->best_ns > 0 ? ct_format_time(text, view->best_ns) : "-");
    if (gains)
        snprintf(part->text + strlen(part->text), 32, " (%.2fx)",
                 view->default_ns / view->best_ns);
    if (view->proposing || left_s >= 0) {
        part = add_part(line, NULL, 2);
        snprintf(part->text, sizeof(part->text), "left %s",
                 left_s >= 0 ? ct_format_duration(text, left_s) : "?");
    }
}

static void fill_state(const struct ct_progress_view *view, struct line *line)
{
    struct part *part = add_part(line, "1", 0);

    snprintf(part->text, sizeof(part->text), "%s", view->phase);
    if (*view->failures) {
        part = add_part(line, "33", 1);
        snprintf(part->text, sizeof(part->text), "%s", view->failures);
    }
    if (*view->counts) {
        part = add_part(line, NULL, 2);
        snprintf(part->text, sizeof(part->text), "%s", view->counts);
    }
}

/* The lines above those of the workers; returns how many. */
static size_t fill_lines(const struct ct_progress *progress, uint64_t now_ns,
                         const struct ct_progress_view *view, size_t columns,
                         struct line lines[CT_PROGRESS_HEAD])
{
    memset(lines, 0, CT_PROGRESS_HEAD * sizeof(*lines));
    fill_numbers(progress, now_ns, view, columns, &lines[0]);
    fill_state(view, &lines[1]);
    if (!*view->workers)
        return 2;
    snprintf(add_part(&lines[2], NULL, 0)->text, sizeof(lines[2].parts[0].text), "%s",
             view->workers);
    return 3;
}

/* All of them as one line, for a board, which names the device. */
static void fill_row(const struct ct_progress *progress, uint64_t now_ns,
                     const struct ct_progress_view *view, struct line *row)
{
    struct line numbers = {.count = 0};

    memset(row, 0, sizeof(*row));
    fill_numbers(progress, now_ns, view, 0, &numbers);
    snprintf(add_part(row, "1", 3)->text, sizeof(row->parts[0].text), "%s", view->phase);
    /* Without the bar. */
    for (size_t i = progress->total ? 1 : 0; i < numbers.count; i++)
        row->parts[row->count++] = numbers.parts[i];
    if (*view->failures)
        snprintf(add_part(row, "33", 5)->text, sizeof(row->parts[0].text), "%s",
                 view->failures);
    if (*view->workers)
        snprintf(add_part(row, NULL, 6)->text, sizeof(row->parts[0].text), "%s",
                 view->workers);
}

static size_t line_width(const struct line *line)
{
    size_t sum = 0;

    for (size_t i = 0; i < line->count; i++)
        if (!line->parts[i].left_out)
            sum += (sum ? 2 : 0) + ct_width_text(line->parts[i].text);
    return sum;
}

/* Appends a line of at most `columns`; returns its width. */
static size_t put_line(struct line *line, size_t columns, bool color, struct ct_str *out)
{
    size_t width;
    bool first = true;

    while ((width = line_width(line)) > columns) {
        struct part *least = NULL;

        for (size_t i = 0; i < line->count; i++)
            if (!line->parts[i].left_out && line->parts[i].order &&
                (!least || line->parts[i].order > least->order))
                least = &line->parts[i];
        if (!least)
            break;
        least->left_out = true;
    }
    for (size_t i = 0; i < line->count; i++) {
        const struct part *part = &line->parts[i];

        if (part->left_out)
            continue;
        ct_str_puts(out, first ? "" : "  ");
        if (color && part->color)
            ct_str_addf(out, "\033[%sm", part->color);
        ct_width_cut(out, part->text, columns);
        if (color && part->color)
            ct_str_puts(out, "\033[0m");
        first = false;
    }
    return width < columns ? width : columns;
}

/* --- what each worker does --- */

/* How `count` workers are laid out. */
struct grid {
    size_t across;
    size_t width; /* of a cell */
    size_t
        shown; /* the last cell has the number of the others, if it is less than `count` */
    size_t lines;
};

static struct grid lay_out(size_t count, size_t columns, size_t room)
{
    struct grid grid = {.across = 1, .width = columns, .shown = count};
    size_t cells;

    if (count > room && columns / CELL > 1) {
        grid.across = columns / CELL;
        grid.width = columns / grid.across - GAP;
    }
    cells = grid.across * room;
    if (count > cells)
        grid.shown = cells ? cells - 1 : 0;
    cells = grid.shown < count ? cells : count;
    grid.lines = (cells + grid.across - 1) / grid.across;
    return grid;
}

/* Appends a cell; returns its width. */
static size_t put_cell(const struct ct_progress_view *view, const struct grid *grid,
                       size_t i, struct ct_str *out)
{
    char text[CT_PROGRESS_TEXT];
    size_t width;

    if (i < grid->shown)
        view->put_each(view->user, i, text);
    else
        snprintf(text, sizeof(text), "and %zu more", view->each_count - grid->shown);
    width = ct_width_text(text);
    ct_width_cut(out, text, grid->width);
    return width < grid->width ? width : grid->width;
}

/* Appends at most `room` lines, each after a line feed; notes their widths and returns how many. */
static size_t put_each(const struct ct_progress_view *view, size_t columns, size_t room,
                       size_t *widths, struct ct_str *out)
{
    struct grid grid = lay_out(view->each_count, columns, room);
    size_t cells = grid.shown + (grid.shown < view->each_count ? 1 : 0);

    for (size_t i = 0; i < cells && grid.lines; i++) {
        size_t line = i / grid.across;
        size_t width;

        if (i % grid.across == 0) {
            ct_str_puts(out, "\033[K\n");
            widths[line] = 0;
        }
        width = put_cell(view, &grid, i, out);
        widths[line] += width;
        if ((i + 1) % grid.across == 0 || i + 1 == cells)
            continue;
        ct_str_addf(out, "%*s", (int)(grid.width + GAP - width), "");
        widths[line] += grid.width + GAP - width;
    }
    return grid.lines;
}

/* --- on a terminal --- */

static size_t terminal_columns(const struct ct_progress *progress)
{
    return progress->columns ? progress->columns : ct_width_terminal(progress->out);
}

static size_t terminal_rows(const struct ct_progress *progress)
{
    return progress->rows ? progress->rows : ct_width_terminal_rows(progress->out);
}

static void write_frame(const struct ct_progress *progress, struct ct_str *frame)
{
    if (!frame->failed)
        fwrite(frame->data, 1, frame->length, progress->out);
    fflush(progress->out);
    ct_str_release(frame);
}

static void draw_row(struct ct_progress *progress, uint64_t now_ns,
                     const struct ct_progress_view *view)
{
    struct ct_width_locale locale = ct_width_locale_begin();
    size_t columns = terminal_columns(progress) - 1;
    size_t head = ct_board_head(progress->board, progress->lane);
    struct line row;
    struct ct_str text;
    size_t width;

    fill_row(progress, now_ns, view, &row);
    ct_str_init(&text);
    width = put_line(&row, columns > head ? columns - head : 1, progress->color, &text);
    ct_board_set(progress->board, progress->lane, &text, width);
    ct_board_draw(progress->board);
    ct_str_release(&text);
    ct_width_locale_end(&locale);
}

static void draw(struct ct_progress *progress, uint64_t now_ns,
                 const struct ct_progress_view *view)
{
    struct ct_width_locale locale = ct_width_locale_begin();
    size_t columns = terminal_columns(progress);
    size_t rows = terminal_rows(progress) / 2;
    struct line lines[CT_PROGRESS_HEAD];
    size_t count = fill_lines(progress, now_ns, view, columns, lines);
    struct ct_str frame;

    rows = rows < CT_PROGRESS_LINES ? rows : CT_PROGRESS_LINES;

    ct_str_init(&frame);
    ct_width_home(&frame, progress->widths, progress->lines, columns);
    for (size_t i = 0; i < count; i++) {
        ct_str_puts(&frame, i ? "\033[K\n" : "");
        /* The last column stays free: some terminals wrap when it is written. */
        progress->widths[i] = put_line(&lines[i], columns - 1, progress->color, &frame);
    }
    if (*view->workers && rows > count)
        count +=
            put_each(view, columns - 1, rows - count, progress->widths + count, &frame);
    /* \033[J: clear to the end of the screen. */
    ct_str_puts(&frame, "\033[J");
    progress->lines = count;
    write_frame(progress, &frame);
    ct_width_locale_end(&locale);
}

void ct_progress_clear(struct ct_progress *progress)
{
    struct ct_str frame;

    if (progress->board)
        ct_board_clear(progress->board);
    if (!progress->out || !progress->lines)
        return;
    ct_str_init(&frame);
    ct_width_home(&frame, progress->widths, progress->lines, terminal_columns(progress));
    ct_str_puts(&frame, "\033[J");
    progress->lines = 0;
    progress->drawn_ns = 0;
    write_frame(progress, &frame);
}

/* --- elsewhere --- */

static void write_log(struct ct_progress *progress, uint64_t now_ns,
                      const struct ct_progress_view *view)
{
    struct line line = {.count = 0};

    fill_numbers(progress, now_ns, view, 0, &line);
    fprintf(progress->log, "progress: %s", view->phase);
    /* Without the bar. */
    for (size_t i = progress->total ? 1 : 0; i < line.count; i++)
        fprintf(progress->log, ", %s", line.parts[i].text);
    if (*view->failures)
        fprintf(progress->log, ", %s", view->failures);
    fputc('\n', progress->log);
}

bool ct_progress_due(const struct ct_progress *progress, uint64_t now_ns)
{
    if (progress->out)
        return !progress->drawn_ns || now_ns - progress->drawn_ns >= draw_every_ns;
    return progress->log && now_ns - progress->logged_ns >= log_every_ns;
}

void ct_progress_draw(struct ct_progress *progress, uint64_t now_ns,
                      const struct ct_progress_view *view)
{
    note_mark(progress, now_ns, view->done);
    if (progress->out) {
        if (progress->board)
            draw_row(progress, now_ns, view);
        else
            draw(progress, now_ns, view);
        progress->drawn_ns = now_ns ? now_ns : 1;
    } else if (progress->log) {
        write_log(progress, now_ns, view);
        progress->logged_ns = now_ns;
    }
}
