// SPDX-License-Identifier: Apache-2.0
// Comparing a buffer with what it should hold: pure functions.
#ifndef CT_WORKER_REFERENCE_VERIFY_H
#define CT_WORKER_REFERENCE_VERIFY_H

#include "protocol/protocol.h"
#include "plan/plan.h"

#include <stdbool.h>

/* The root mean square of the finite scalars among the first `buffer->compare` elements
 * of `reference` (pad lanes of three-vectors left out); 0 when there are none. */
double ct_verify_rms(const struct ct_plan_buffer *buffer, const void *reference);

/* Compares the first `buffer->compare` elements of `seen` with `reference` by the
 * buffer's check (doc/space-file.md), `rms` being ct_verify_rms of the reference.  NaN
 * equals only NaN, an infinity only itself; pad lanes are not looked at.  True when all
 * agree (or the check is CT_CHECK_NONE); otherwise `mismatch` describes the scalar that
 * is furthest off in multiples of its tolerance (the first of those infinitely off) and
 * how many are off; its `buffer` and `unwritten` are left to the caller.  `element`
 * counts scalars in memory, pad lanes included. */
bool ct_verify_buffer(const struct ct_plan_buffer *buffer, const void *seen,
                      const void *reference, double rms, struct ct_mismatch *mismatch);

/* Whether a check says anything at all. */
enum ct_vacuous {
    CT_VACUOUS_NOT,
    CT_VACUOUS_NAN,       /* the reference is NaN all over: only NaN can pass */
    CT_VACUOUS_TOLERANCE, /* the reference is not all zeros, and yet zeros would pass */
};

/* What an output of nothing but zeros would come to, for a buffer without fold.  Stops at
 * the first scalar that tells, and so costs nothing for a sound check. */
enum ct_vacuous ct_verify_vacuous(const struct ct_plan_buffer *buffer,
                                  const void *reference, double rms);

/* Writes a number with so many digits: "NaN" without its sign. */
void ct_verify_real_text(double value, int digits, char text[CT_MISMATCH_TEXT]);

#endif
