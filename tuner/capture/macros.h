// SPDX-License-Identifier: Apache-2.0
// Macros of a captured program that may be tuned: those of its options, and of its source.
#ifndef CT_CAPTURE_MACROS_H
#define CT_CAPTURE_MACROS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_macro {
    char *name;
    int64_t value;
    int line;     /* in the source; 0: an option */
    bool guarded; /* by an #ifndef on the line before: -D gives it another value */
    bool several; /* other lines of the source give it other values */
};

struct ct_macros {
    struct ct_macro *items;
    size_t count;
    size_t capacity;
};

void ct_macros_release(struct ct_macros *macros);

/* Takes -D NAME=INTEGER out of build options, of those that the source uses and does not define
 * again, and -I FOLDER: these are appended to `macros` and, each with a zero at its end, to `folders`;
 * relative ones start in `working_folder`.  The rest is appended to `rest`: integers, too, that are
 * written otherwise than in plain decimal digits, such as 8u.  Of several definitions of a macro the
 * last counts, as for compilers.  False if out of memory. */
bool ct_macros_split_options(const char *options, const char *source,
                             const char *working_folder, struct ct_macros *macros,
                             struct ct_str *folders, struct ct_str *rest);

/* Appends the macros with positive integers that the source defines and uses.  False if out of
 * memory. */
bool ct_macros_find(const char *source, struct ct_macros *macros);

/* Appends guesses at values to try, the present one first: "16, 8, 32". */
void ct_macros_put_values(const struct ct_macro *macro, struct ct_str *out);

/* Whether `name` is a word of the text. */
bool ct_macros_uses(const char *text, const char *name);

#endif
