// SPDX-License-Identifier: Apache-2.0
// The smallest conjunction of conditions on parameters that holds for all failures and for no
// configuration that worked: "ALGORITHM=transposed && SEGMENT>0".
#ifndef CT_TUNE_CONJUNCTION_H
#define CT_TUNE_CONJUNCTION_H

#include "base/str.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    CT_CONJUNCTION_WITNESSES = 4, /* with fewer failures, chance explains too much */
    CT_CONJUNCTION_TERMS = 3,     /* longer ones explain anything */
};

/* Configurations, row by row, `width` values each; all borrowed. */
struct ct_conjunction_input {
    const char *const *names; /* of the parameters */
    size_t width;
    const struct ct_value *failed;
    size_t failed_count;
    const struct ct_value *worked;
    size_t worked_count;
};

/* Appends the conjunction with the fewest terms; of several, that of the first parameters.  A term
 * is NAME=VALUE, or for numbers NAME>=VALUE, NAME>0 or NAME<=VALUE.  False, and nothing appended:
 * there is none, or fewer than CT_CONJUNCTION_WITNESSES failures, or nothing worked (then nothing
 * tells them apart), or out of memory. */
bool ct_conjunction_put(const struct ct_conjunction_input *input, struct ct_str *out);

#endif
