// SPDX-License-Identifier: Apache-2.0
// Shows long text on a terminal, a page at a time.
#ifndef CT_REPORT_PAGER_H
#define CT_REPORT_PAGER_H

#include "base/str.h"

#include <stdbool.h>

/* The program that shows text: $PAGER, else less; NULL if standard output is no terminal, if $PAGER
 * is empty or "cat", or for TERM=dumb. */
const char *ct_pager_program(void);

/* Whether the program shows overstruck characters as strong ones. */
bool ct_pager_strikes(const char *program);

/* Gives `text` to the program and waits for its end; false if there is no such program: nothing has
 * been shown then. */
bool ct_pager_show(const char *program, const struct ct_str *text);

#endif
