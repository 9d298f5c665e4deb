// SPDX-License-Identifier: Apache-2.0
// The progress of a search: some lines at the bottom of a terminal, else one line a minute.  Drawn
// when the session says that something happened, so never while a CPU device is timed.
#ifndef CT_REPORT_PROGRESS_H
#define CT_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ct_str;
struct ct_board;

enum {
    CT_PROGRESS_TEXT = 256, /* of a part of a line, with its end */
    CT_PROGRESS_HEAD = 3,   /* lines above those of the workers */
    CT_PROGRESS_LINES = CT_PROGRESS_HEAD + 24,
    CT_PROGRESS_MARKS = 64, /* for the rate of the last minute */
};

struct ct_progress {
    FILE *out; /* the terminal; NULL: none */
    FILE *log; /* for one line a minute; NULL: none */
    struct ct_board
        *board; /* where it has one line, its `lane`; NULL: it has lines of its own */
    size_t lane;
    size_t columns; /* 0: as many as the terminal has */
    size_t rows;    /* likewise */
    bool color;
    bool utf8;
    uint64_t start_ns;
    uint64_t drawn_ns;                /* of the last drawing */
    uint64_t logged_ns;               /* of the last line */
    uint64_t total;                   /* evaluations planned; 0: not known yet */
    double budget_s;                  /* 0: none */
    size_t widths[CT_PROGRESS_LINES]; /* of what is on the screen */
    size_t lines;                     /* 0: nothing is */
    struct ct_progress_mark {
        uint64_t at_ns;
        uint64_t done;
    } marks[CT_PROGRESS_MARKS]; /* the latest ones, a ring */
    size_t mark_count;
    /* The first result: before it, devices were opened, references computed, and so on, once. */
    struct ct_progress_mark first; /* at_ns 0: none yet */
};

/* What is shown. */
struct ct_progress_view {
    const char *phase;    /* "search" */
    uint64_t done;        /* evaluations */
    double best_ns;       /* 0: none yet */
    double default_ns;    /* 0: unknown */
    bool proposing;       /* evaluations go on: their rate and the time left are shown */
    double left_s;        /* else the time left; negative: unknown */
    const char *counts;   /* "45 ok" */
    const char *failures; /* "4 invalid, 1 wrong"; "": none */
    const char *workers;  /* what they do, together */
    size_t each_count;    /* and one by one; 0: not shown */
    void (*put_each)(void *user, size_t i, char text[CT_PROGRESS_TEXT]);
    void *user;
};

/* `out` is only drawn on if it is a terminal that is not dumb and `wanted`; if it is not, `log` gets
 * a line a minute. */
void ct_progress_init(struct ct_progress *progress, FILE *out, FILE *log, bool wanted,
                      uint64_t now_ns);

/* Evaluations begin: so many are planned, within this time (0: any). */
void ct_progress_plan(struct ct_progress *progress, uint64_t total, double budget_s,
                      uint64_t start_ns);

/* So many are done, after some that the plan began with: the first time gives what follows its rate. */
void ct_progress_note(struct ct_progress *progress, uint64_t now_ns, uint64_t done);

/* Whether ct_progress_draw would draw or write something now: at most ten times a second. */
bool ct_progress_due(const struct ct_progress *progress, uint64_t now_ns);

/* Draws, whether or not it is due, on as many columns as the terminal has now, and on at most half
 * of its rows: workers have a line each, or several share one, or only some are shown. */
void ct_progress_draw(struct ct_progress *progress, uint64_t now_ns,
                      const struct ct_progress_view *view);

/* Clears the lines, so that something else can be printed. */
void ct_progress_clear(struct ct_progress *progress);

/* Appends how much is left at the present rate, and which budget ends it: that of time, or
 * `evaluations`, if these are fewer than the space has. */
void ct_progress_put_estimate(const struct ct_progress *progress, uint64_t now_ns,
                              uint64_t done, bool evaluations, struct ct_str *out);

#endif
