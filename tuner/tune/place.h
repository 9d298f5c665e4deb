// SPDX-License-Identifier: Apache-2.0
// Adds the place in the space file to workers' errors.
#ifndef CT_TUNE_PLACE_H
#define CT_TUNE_PLACE_H

#include "base/err.h"
#include "spacefile/spec.h"

/* Adds the place in the space file to a worker's message about a launch ("launch NAME: ..."), and
 * that of the key `args` to compilers' messages about calls of C functions; leaves other errors
 * unchanged. */
void ct_place_error(const struct ct_spec *spec, struct ct_err *err);

#endif
