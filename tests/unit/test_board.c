// SPDX-License-Identifier: Apache-2.0
// The lines of searches side by side: none is drawn while one of them times the machine's processors.
#include "base/str.h"
#include "report/board.h"
#include "report/observer.h"
#include "tune/observer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct ct_board *board;
static struct ct_console consoles[2];
static FILE *terminal;

static int begin(void **state)
{
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    terminal = tmpfile();
    if (!terminal || ct_board_new(2, terminal, &board, &err) ||
        ct_board_name(board, 0, "[0:0] ", &err) ||
        ct_board_name(board, 1, "[0:1] ", &err))
        return -1;
    for (size_t i = 0; i < 2; i++)
        consoles[i] = (struct ct_console){.quiet = true, .board = board, .lane = i};
    return 0;
}

static int end(void **state)
{
    (void)state;
    ct_board_free(board);
    return fclose(terminal);
}

/* A drawing of the search beside the one that times; returns what it has written. */
static size_t draw(const char *text)
{
    long before = ftell(terminal);
    struct ct_str line;

    ct_str_init(&line);
    ct_str_puts(&line, text);
    ct_board_begin(board, 0);
    ct_board_set(board, 0, &line, line.length);
    ct_board_draw(board);
    ct_board_end(board);
    ct_str_release(&line);
    return (size_t)(ftell(terminal) - before);
}

/* The search of lane 1 says that this happens. */
static void tell(enum ct_event_kind kind)
{
    struct ct_observer observer = ct_report_observer(&consoles[1]);

    ct_observer_event(&observer,
                      &(struct ct_event){.kind = kind, .text = "the baseline"});
}

static void nothing_is_drawn_while_host_code_is_timed(void **state)
{
    char shown[400] = "";

    (void)state;
    assert_true(draw("first") > 0);
    tell(CT_EVENT_BASELINE);
    assert_int_equal(draw("second"), 0);
    tell(CT_EVENT_SLOW);
    assert_int_equal(draw("third"), 0);
    tell(CT_EVENT_ACTIVITY);
    assert_true(draw("fourth") > 0);
    rewind(terminal);
    assert_true(fread(shown, 1, sizeof(shown) - 1, terminal) > 0);
    assert_non_null(strstr(shown, "[0:0] fourth"));
    assert_null(strstr(shown, "second"));
}

/* Each of them may be the last. */
static void all_that_hold_it_have_to_end(void **state)
{
    (void)state;
    ct_board_hold(board, 0, true);
    ct_board_hold(board, 1, true);
    ct_board_hold(board, 0, false);
    assert_int_equal(draw("early"), 0);
    ct_board_hold(board, 1, false);
    assert_true(draw("late") > 0);
    ct_board_hold(NULL, 0, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_drawn_while_host_code_is_timed, begin,
                                        end),
        cmocka_unit_test_setup_teardown(all_that_hold_it_have_to_end, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
