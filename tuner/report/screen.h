// SPDX-License-Identifier: Apache-2.0
// The edge where all that cltune prints passes, whoever printed it.
#ifndef CT_REPORT_SCREEN_H
#define CT_REPORT_SCREEN_H

#include <stdio.h>

/* Puts a filter before standard output and standard error: whatever is printed from now
 * on, by any function of any command, is shown as base/show.h says (line feeds and tabs
 * stay), whether or not a terminal reads it.  Formats that others read (JSON, headers)
 * quote for themselves and pass unchanged.  Where memory is short the streams stay as
 * they are. */
void ct_screen_open(void);

/* What standard error was before, for what commands the terminal: the progress line. */
FILE *ct_screen_terminal(void);

/* Writes out what standard output still holds.  Returns the errno of the first write
 * that failed since ct_screen_open, 0 if none did. */
int ct_screen_finish(void);

#endif
