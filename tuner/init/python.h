// SPDX-License-Identifier: Apache-2.0
// Python's expressions, as T1 descriptions have them, in the language of space files.
#ifndef CT_INIT_PYTHON_H
#define CT_INIT_PYTHON_H

#include "base/mem.h"

#include <stdbool.h>

/* Translates an expression; the arena owns the result.  NULL if it has no counterpart.  With
 * `whole`, / stays / (a size is a whole number); else it is a real quotient, as in Python.
 * Division of negative numbers rounds otherwise than in Python. */
const char *ct_python_translate(struct ct_arena *arena, const char *text, bool whole);

/* Translates a list, "[1, 2, 4]" or "range(1, 9)", into values of a parameter, and its first
 * one, which `*first` gets.  NULL if it has no counterpart. */
const char *ct_python_values(struct ct_arena *arena, const char *text,
                             const char **first);

#endif
