// SPDX-License-Identifier: Apache-2.0
// Buffers, images and arguments of a captured launch, as a space file has them.
#ifndef CT_CAPTURE_SPACE_DATA_H
#define CT_CAPTURE_SPACE_DATA_H

#include "capture/space_text.h"

/* CT_E_NOT_FOUND, with the reason as part of a sentence, if space files cannot say it: images of other
 * formats.  Settles the types of memory. */
enum ct_status ct_space_data_check(struct ct_space_text *space, struct ct_err *err);

/* Appends the sections of buffers and images. */
void ct_space_data_put(const struct ct_space_text *space, struct ct_str *out);

/* Appends one entry of a launch's `args`. */
void ct_space_data_put_argument(const struct ct_space_text *space, size_t index,
                                struct ct_str *out);

/* Whether buffers and images may have the name: it is a word that means nothing
 * else in `args`. */
bool ct_space_data_is_free(const char *name);

/* The tolerance for outputs of a type, as `check` has it. */
const char *ct_space_data_check_of(struct ct_ctype type);

#endif
