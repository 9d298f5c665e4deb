// SPDX-License-Identifier: Apache-2.0
// The filters that all output of cltune passes through.
#ifndef CT_REPORT_SCREEN_H
#define CT_REPORT_SCREEN_H

#include <stdio.h>

/* Opens a filter before standard output and one before standard error: whatever is printed to
 * ct_screen_out and ct_screen_err from now on is shown as described in base/show.h (line feeds and
 * tabs stay), whether or not it goes to a terminal.  Formats that programs read (JSON, headers)
 * quote for themselves and pass unchanged.  If out of memory nothing is filtered. */
void ct_screen_open(void);

/* Standard output and standard error, filtered after ct_screen_open.  Everything that cli/ and
 * report/ print goes there; the C library's own streams belong to the program's caller and not
 * every C library lets them be replaced.  Never NULL. */
FILE *ct_screen_out(void);
FILE *ct_screen_err(void);

/* From now on every line that this thread begins on standard error begins with `text`, which is
 * borrowed: several searches run side by side.  NULL: no longer. */
void ct_screen_prefix(const char *text);

/* The original standard error, for terminal control: the progress line. */
FILE *ct_screen_terminal(void);

/* Says that JSON could not be made, and has the program end as if its output could not be written. */
void ct_screen_lost_json(void);

/* Flushes standard output.  Returns the errno of the first write that failed since
 * ct_screen_open, EPIPE if JSON was lost, 0 if neither. */
int ct_screen_finish(void);

#endif
