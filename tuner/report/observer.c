// SPDX-License-Identifier: Apache-2.0
// Shows a session's events while it runs, on standard error.
#include "report/observer.h"

#include "base/clock.h"
#include "report/board.h"
#include "report/format.h"
#include "report/json_lines.h"
#include "report/screen.h"
#include "report/search.h"
#include "report/search_impl.h"
#include "report/warn.h"
#include "report/width.h"

#include <stdlib.h>
#include <unistd.h>

static void print_notice(const char *text)
{
    ct_width_print_lines(ct_screen_err(), STDERR_FILENO, text);
}

static void print_intent(const struct ct_search *search)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    ct_report_intent(search, false, stream ? stream : ct_screen_err());
    if (stream && fclose(stream) == 0)
        print_notice(text);
    free(text);
}

static void print_estimate(struct ct_console *console, const struct ct_search *search)
{
    struct ct_progress *progress = &console->progress;
    struct ct_str text;

    if (progress->total <= search->results.evaluated)
        return;
    ct_progress_clear(progress);
    ct_str_init(&text);
    ct_str_puts(&text, "estimate: ");
    ct_progress_put_estimate(progress, ct_clock_now_ns(), search->results.evaluated,
                             search->budget.evaluations > 0, &text);
    print_notice(text.data);
    ct_str_release(&text);
}

static void draw_progress(struct ct_console *console, const struct ct_search *search,
                          bool now)
{
    uint64_t now_ns = ct_clock_now_ns();
    struct ct_progress_view view;

    if (!search ||
        (!ct_progress_due(&console->progress, now_ns) && !(now && console->progress.out)))
        return;
    view = ct_status_view(&console->words, search);
    ct_progress_draw(&console->progress, now_ns, &view);
}

static void show_progress(struct ct_console *console, const struct ct_search *search)
{
    if (search->results.evaluated > search->pace.loop_first)
        ct_progress_note(&console->progress, ct_clock_now_ns(),
                         search->results.evaluated);
    draw_progress(console, search, false);
    if (console->estimated ||
        search->results.evaluated < search->pace.loop_first + CT_REPORT_ESTIMATE_AFTER)
        return;
    console->estimated = true;
    print_estimate(console, search);
}

static void show_noise(const struct ct_search *search)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_str_puts(&text, "  noise      ");
    ct_report_put_noise(search, &text);
    print_notice(text.data);
    ct_str_release(&text);
}

static void show_transfer(const struct ct_search *search)
{
    const struct ct_search_proposer *proposer = &search->proposer;
    const char *plural = proposer->transfer_sources == 1 ? "" : "s";
    char number[CT_FORMAT_SIZE];

    fprintf(ct_screen_err(),
            "  transfer   %s results from %zu other device%s, problem%s or "
            "version%s\n",
            ct_format_count(number, proposer->transfer_count), proposer->transfer_sources,
            plural, plural, plural);
}

static void show_playoff(const struct ct_event *event)
{
    char most[CT_FORMAT_SIZE];
    char planned[CT_FORMAT_SIZE];
    struct ct_str text;

    ct_str_init(&text);
    ct_str_addf(&text,
                "play-off: %zu configuration%s in fresh processes, %s %s (planned: %zu "
                "processes, %s)",
                event->count, event->count == 1 ? "" : "s",
                event->hard ? "at most" : "up to about",
                ct_format_duration(most, event->seconds), event->rounds,
                ct_format_duration(planned, event->planned_s));
    print_notice(text.data);
    ct_str_release(&text);
}

/* What is left out if `quiet`. */
static void show_event(struct ct_console *console, const struct ct_event *event)
{
    const struct ct_search *search = event->search;

    switch (event->kind) {
    case CT_EVENT_BEGIN:
        console->estimated = false;
        ct_progress_init(&console->progress, ct_screen_terminal(), ct_screen_err(), true,
                         ct_clock_now_ns());
        console->progress.board = console->board;
        console->progress.lane = console->lane;
        /* Those of the searches beside this one. */
        ct_progress_clear(&console->progress);
        console->progress.color = console->color;
        console->progress.utf8 = ct_width_is_utf8();
        print_intent(search);
        break;
    case CT_EVENT_TRANSFER:
        show_transfer(search);
        break;
    case CT_EVENT_NOISE:
        show_noise(search);
        break;
    case CT_EVENT_LOOP:
        ct_progress_plan(&console->progress, search->pace.planned,
                         search->budget.seconds - search->budget.reserved_s,
                         search->pace.start_ns);
        break;
    case CT_EVENT_PROGRESS:
        show_progress(console, search);
        break;
    case CT_EVENT_PLAYOFF:
        show_playoff(event);
        break;
    case CT_EVENT_TARGET_MISSED:
        fprintf(ct_screen_err(), "the play-off did not confirm the target; continuing\n");
        break;
    case CT_EVENT_COMPARE:
        fprintf(ct_screen_err(), "%zu configurations in %zu fresh processes\n",
                event->count, event->rounds);
        break;
    case CT_EVENT_SLOW:
        fprintf(ct_screen_err(), "cltune: %s is still running; its time limit is %g s\n",
                event->text, event->seconds);
        break;
    case CT_EVENT_EVALUATED:
    case CT_EVENT_CANARY:
    case CT_EVENT_NOISE_BEGIN:
    case CT_EVENT_BASELINE:
    case CT_EVENT_ROUND:
    case CT_EVENT_ACTIVITY:
    case CT_EVENT_LOOP_END:
    case CT_EVENT_END:
    case CT_EVENT_WARNING:
        break;
    }
}

/* Whether an event prints nothing but, with -v, a line. */
static bool is_frequent(enum ct_event_kind kind)
{
    return kind == CT_EVENT_PROGRESS || kind == CT_EVENT_EVALUATED ||
           kind == CT_EVENT_CANARY || kind == CT_EVENT_ACTIVITY ||
           kind == CT_EVENT_ROUND || kind == CT_EVENT_NOISE_BEGIN ||
           kind == CT_EVENT_BASELINE;
}

static void handle(struct ct_console *console, const struct ct_event *event)
{
    bool changed = ct_status_note(&console->words, event);

    if (!is_frequent(event->kind) ||
        (console->verbose &&
         (event->kind == CT_EVENT_EVALUATED || event->kind == CT_EVENT_CANARY)))
        ct_progress_clear(&console->progress);
    if (console->json_lines)
        ct_json_lines_event(event);
    if (event->kind == CT_EVENT_WARNING)
        ct_report_warn("%s", event->text);
    if (event->kind == CT_EVENT_EVALUATED && console->verbose)
        ct_report_evaluated(event->search, event);
    if (event->kind == CT_EVENT_CANARY && console->verbose)
        fprintf(ct_screen_err(),
                "        check of a working configuration after %zu failures: %s\n",
                event->count, ct_result_status_name(event->status));
    if (console->quiet)
        return;
    show_event(console, event);
    if (changed || event->kind == CT_EVENT_ACTIVITY || event->kind == CT_EVENT_ROUND)
        draw_progress(console, event->search, changed);
}

static void observe_event(void *user, const struct ct_event *event)
{
    struct ct_console *console = user;

    ct_board_begin(console->board, console->lane);
    /* The only one that may come while the baseline runs. */
    if (event->kind != CT_EVENT_SLOW)
        ct_board_hold(console->board, console->lane, false);
    handle(console, event);
    /* Its own last drawing is done; those of the searches beside it wait for its next event. */
    if (event->kind == CT_EVENT_BASELINE)
        ct_board_hold(console->board, console->lane, true);
    ct_board_end(console->board);
}

struct ct_observer ct_report_observer(struct ct_console *console)
{
    return (struct ct_observer){observe_event, console};
}
