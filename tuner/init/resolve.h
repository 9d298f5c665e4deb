// SPDX-License-Identifier: Apache-2.0
// Sizes in a source, written with its macros, as a space file has them.
#ifndef CT_INIT_RESOLVE_H
#define CT_INIT_RESOLVE_H

#include "init/guess.h"

/* Translates sums and products of numbers and macros: parameters of the draft stay names, other
 * macros become numbers.  `*number` becomes its value in the default configuration.  NULL if it is
 * none of these. */
const char *ct_resolve_size(const struct ct_subject *subject, struct ct_draft *draft,
                            const char *text, int64_t *number);

#endif
