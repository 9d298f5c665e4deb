// SPDX-License-Identifier: Apache-2.0
// Why configurations failed, in a line.
#ifndef CT_TUNE_CAUSE_H
#define CT_TUNE_CAUSE_H

#include "base/str.h"

#include <stdbool.h>

/* Appends the first line of a compiler's log that names an error, without the blanks around it; if
 * none does, the first line that is not blank.  A line that only announces errors ("Compilation
 * error:") names none. */
void ct_cause_put_error(struct ct_str *out, const char *log);

/* Whether two causes differ at most in numbers and in words with digits, such as places, sizes and
 * values. */
bool ct_cause_is_same(const char *a, const char *b);

#endif
