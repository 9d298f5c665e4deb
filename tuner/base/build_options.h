// SPDX-License-Identifier: Apache-2.0
// Build options of OpenCL programs, one after the other, as compilers read them.
#ifndef CT_BASE_BUILD_OPTIONS_H
#define CT_BASE_BUILD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* One option.  Its texts are parts of the options that were read. */
struct ct_build_option {
    char letter;      /* 'D', 'U' or 'I'; '\0': another option */
    const char *word; /* all of it as it is written: "-D N=8", "'-DN=8'" */
    size_t length;
    const char *text; /* behind the letter, without quotes around it; else the word */
    size_t text_length;
};

/* Reads the option at `*at` and moves `*at` behind it; false at the end.  A letter without a text at
 * the end of the options has an empty one. */
bool ct_build_options_next(const char **at, struct ct_build_option *option);

/* Whether the option defines the macro of that name, or makes it undefined. */
bool ct_build_options_is_about(const struct ct_build_option *option, const char *name,
                               size_t length);

/* Whether the macro is defined behind all of the options, of which the last one about it counts, and as
 * what: "1" for -D NAME.  `*value` is valid as long as the options are; a macro with parameters has the
 * value NULL. */
bool ct_build_options_value(const char *options, const char *name, const char **value,
                            size_t *length);

#endif
