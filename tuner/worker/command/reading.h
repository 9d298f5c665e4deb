// SPDX-License-Identifier: Apache-2.0
// Patterns: what is read from a program's output, and what the output must look like.
#ifndef CT_WORKER_COMMAND_READING_H
#define CT_WORKER_COMMAND_READING_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether a text has a match.  A pattern that was accepted in the space file compiles. */
bool ct_reading_matches(const char *pattern, const char *text);

/* The number in the first group of the first match whose group is one.  False if there is none. */
bool ct_reading_number(const char *pattern, const char *text, double *out);

/* Appends the last lines of a text, joined into one; nothing if it is empty. */
struct ct_str;
void ct_reading_tail(const char *text, size_t length, struct ct_str *out);

/* The number of the first line that differs, from 1 on; 0: the texts are equal. */
size_t ct_reading_difference(const char *a, size_t a_length, const char *b,
                             size_t b_length);

#endif
