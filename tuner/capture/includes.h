// SPDX-License-Identifier: Apache-2.0
// Headers of a captured program: an experiment is complete without the program's folders.
#ifndef CT_CAPTURE_INCLUDES_H
#define CT_CAPTURE_INCLUDES_H

#include "base/err.h"
#include "base/str.h"

/* The folder in an experiment that holds headers. */
#define CT_INCLUDES_FOLDER "include"

/* What no folder has in its name that a space file can name. */
#define CT_INCLUDES_UNNAMED ",;\n'\"$"

/* What was found of a source's headers. */
struct ct_includes {
    size_t copied;
    bool complete; /* all that were found were copied, unless they were copied before */
    /* One that was not, in a folder that a space file cannot name; or "". */
    char unnamed[512];
};

/* Copies each header that the source includes, and those that these include, from `folders` (each ends
 * with a zero; searched in this order) into FOLDER/include under the name that the directive has.
 * What is found nowhere is the compiler's.  A name that leads out of the folder cannot be copied.
 * CT_E_IO; CT_E_NOMEM. */
enum ct_status ct_includes_copy(const char *folder, const char *source,
                                const struct ct_str *folders, struct ct_includes *out,
                                struct ct_err *err);

#endif
