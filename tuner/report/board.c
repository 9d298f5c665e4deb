// SPDX-License-Identifier: Apache-2.0
// Draws one line for each of several searches.
#include "report/board.h"

#include "base/mem.h"
#include "report/screen.h"
#include "report/width.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct lane {
    struct ct_str name;
    struct ct_str text;
    size_t width;
    bool holds; /* its search times the machine's processors */
};

struct ct_board {
    pthread_mutex_t lock;
    FILE *out;
    struct lane *lanes;
    size_t count;
    size_t *widths; /* of the lines on the screen */
    size_t lines;
};

enum ct_status ct_board_new(size_t count, FILE *out, struct ct_board **out_board,
                            struct ct_err *err)
{
    struct ct_board *board = ct_mem_array(1, sizeof(*board));

    if (!board)
        return ct_err_nomem(err);
    board->lanes = ct_mem_array(count, sizeof(*board->lanes));
    board->widths = ct_mem_array(count, sizeof(*board->widths));
    if (!board->lanes || !board->widths || pthread_mutex_init(&board->lock, NULL)) {
        free(board->lanes);
        free(board->widths);
        free(board);
        return ct_err_nomem(err);
    }
    board->out = out;
    board->count = count;
    for (size_t i = 0; i < count; i++) {
        ct_str_init(&board->lanes[i].name);
        ct_str_init(&board->lanes[i].text);
    }
    *out_board = board;
    return CT_OK;
}

void ct_board_free(struct ct_board *board)
{
    if (!board)
        return;
    for (size_t i = 0; i < board->count; i++) {
        ct_str_release(&board->lanes[i].name);
        ct_str_release(&board->lanes[i].text);
    }
    pthread_mutex_destroy(&board->lock);
    free(board->lanes);
    free(board->widths);
    free(board);
}

enum ct_status ct_board_name(struct ct_board *board, size_t lane, const char *name,
                             struct ct_err *err)
{
    struct ct_str *text = &board->lanes[lane].name;

    ct_str_reset(text);
    ct_str_puts(text, name);
    return text->failed ? ct_err_nomem(err) : CT_OK;
}

void ct_board_begin(struct ct_board *board, size_t lane)
{
    if (!board)
        return;
    pthread_mutex_lock(&board->lock);
    ct_screen_prefix(board->lanes[lane].name.data);
}

void ct_board_end(struct ct_board *board)
{
    if (!board)
        return;
    ct_screen_prefix(NULL);
    pthread_mutex_unlock(&board->lock);
}

size_t ct_board_head(const struct ct_board *board, size_t lane)
{
    return board->lanes[lane].name.length;
}

void ct_board_set(struct ct_board *board, size_t lane, const struct ct_str *text,
                  size_t width)
{
    struct lane *to = &board->lanes[lane];

    ct_str_reset(&to->text);
    if (text->length)
        ct_str_add(&to->text, text->data, text->length);
    to->width = width;
}

void ct_board_hold(struct ct_board *board, size_t lane, bool holds)
{
    if (board)
        board->lanes[lane].holds = holds;
}

static bool is_held(const struct ct_board *board)
{
    for (size_t i = 0; i < board->count; i++)
        if (board->lanes[i].holds)
            return true;
    return false;
}

static void put_home(const struct ct_board *board, struct ct_str *out)
{
    ct_width_home(out, board->widths, board->lines, ct_width_terminal(board->out));
}

static void write_frame(const struct ct_board *board, struct ct_str *frame)
{
    /* \033[J: clear to the end of the screen. */
    ct_str_puts(frame, "\033[J");
    if (!frame->failed)
        fwrite(frame->data, 1, frame->length, board->out);
    fflush(board->out);
    ct_str_release(frame);
}

void ct_board_draw(struct ct_board *board)
{
    struct ct_str frame;
    size_t lines = 0;

    if (is_held(board))
        return;
    ct_str_init(&frame);
    put_home(board, &frame);
    for (size_t i = 0; i < board->count; i++) {
        const struct lane *lane = &board->lanes[i];

        if (!lane->text.length)
            continue;
        ct_str_puts(&frame, lines ? "\033[K\n" : "");
        ct_str_add(&frame, lane->name.data, lane->name.length);
        ct_str_add(&frame, lane->text.data, lane->text.length);
        board->widths[lines++] = lane->name.length + lane->width;
    }
    board->lines = lines;
    write_frame(board, &frame);
}

void ct_board_clear(struct ct_board *board)
{
    struct ct_str frame;

    if (!board || !board->lines)
        return;
    ct_str_init(&frame);
    put_home(board, &frame);
    board->lines = 0;
    write_frame(board, &frame);
}
