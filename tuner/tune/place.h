// SPDX-License-Identifier: Apache-2.0
// Errors of workers, given their place in the space file.
#ifndef CT_TUNE_PLACE_H
#define CT_TUNE_PLACE_H

#include "base/err.h"
#include "spacefile/spec.h"

/* Gives a worker's complaint about a launch ("launch NAME: ...") its place in the space file, and
 * compilers' complaints about calls of C functions that of the key `args`; leaves other errors
 * alone. */
void ct_place_error(const struct ct_spec *spec, struct ct_err *err);

#endif
