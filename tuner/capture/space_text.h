// SPDX-License-Identifier: Apache-2.0
// The space file of a captured launch.
#ifndef CT_CAPTURE_SPACE_TEXT_H
#define CT_CAPTURE_SPACE_TEXT_H

#include "base/err.h"
#include "base/str.h"
#include "spacefile/arg_type.h"
#include "capture/found.h"
#include "capture/macros.h"

#include <stdbool.h>

struct ct_space_argument {
    char name[72]; /* of the buffer or image */
    struct ct_ctype type;
    size_t owner; /* the first argument with the same memory */
    bool is_memory;
    bool changed;
    const json_t *json;
};

struct ct_space_text {
    const struct ct_found_group *group;
    const char *command;
    const char *folder; /* of the experiment, which gets the program's headers */
    struct ct_space_argument *arguments;
    size_t argument_count;
    struct ct_macros options; /* macros of the build options */
    struct ct_macros defines; /* macros that the source defines */
    const char
        *local; /* prefix of the parameters for the work-group; NULL: it is fixed */
};

/* Appends the text of the space file, and fills `space` but for its first three members.  CT_E_NOT_FOUND
 * if a space file cannot say it, with the reason as part of a sentence; CT_E_NOMEM. */
enum ct_status ct_space_text_make(struct ct_space_text *space, const char *source,
                                  struct ct_str *out, struct ct_err *err);

void ct_space_text_release(struct ct_space_text *space);

#endif
