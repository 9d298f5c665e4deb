// SPDX-License-Identifier: Apache-2.0
// The display of searches that run side by side: one line for each at the bottom of a terminal, and
// one of them at a time that prints.
#ifndef CT_REPORT_BOARD_H
#define CT_REPORT_BOARD_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ct_board;

/* A board of so many searches, whose lines are drawn on `out`, a terminal.  CT_E_NOMEM. */
enum ct_status ct_board_new(size_t count, FILE *out, struct ct_board **out_board,
                            struct ct_err *err);
void ct_board_free(struct ct_board *board);

/* What lines of this search begin with, on standard error and on the board: "[0:1] "; copied. */
enum ct_status ct_board_name(struct ct_board *board, size_t lane, const char *name,
                             struct ct_err *err);

/* The calling thread, which runs this search, is the only one that prints, until ct_board_end.
 * With NULL both do nothing. */
void ct_board_begin(struct ct_board *board, size_t lane);
void ct_board_end(struct ct_board *board);

/* --- between these two --- */

/* The columns that the name takes. */
size_t ct_board_head(const struct ct_board *board, size_t lane);

/* Replaces the line of a search by `text`, which is `width` columns wide; "": it has none. */
void ct_board_set(struct ct_board *board, size_t lane, const struct ct_str *text,
                  size_t width);

/* Whether a search has the machine's processors timed: while one does, nothing is drawn.  Drawing
 * goes on with the next ct_board_draw after the last one.  With NULL nothing. */
void ct_board_hold(struct ct_board *board, size_t lane, bool holds);

/* Draws all lines; clears them so that something else can be printed, with NULL nothing. */
void ct_board_draw(struct ct_board *board);
void ct_board_clear(struct ct_board *board);

#endif
