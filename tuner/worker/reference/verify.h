// SPDX-License-Identifier: Apache-2.0
// Compares a buffer with its expected contents: pure functions.
#ifndef CT_WORKER_REFERENCE_VERIFY_H
#define CT_WORKER_REFERENCE_VERIFY_H

#include "protocol/protocol.h"
#include "plan/plan.h"

#include <stdbool.h>

/* The root mean square of the finite scalars among the first `buffer->compare` elements of
 * `reference` (without pad lanes of three-vectors); 0 if there are none. */
double ct_verify_rms(const struct ct_plan_buffer *buffer, const void *reference);

/* A scalar is right when |x - r| <= max(slope * |r|, floor). */
struct ct_tolerance {
    double slope;
    double floor;
};

/* The tolerance of the buffer's check; both 0 for an exact one. */
struct ct_tolerance ct_verify_tolerance(const struct ct_plan_buffer *buffer, double rms);

/* Compares the first `buffer->compare` elements of `actual` with `reference` by the buffer's check
 * (doc/space-file.md), `rms` being ct_verify_rms of the reference.  NaN equals only NaN, an
 * infinity only itself; pad lanes are ignored.  True if all agree (or the check is
 * CT_CHECK_NONE); otherwise `mismatch` describes the scalar that is furthest off in multiples of
 * its tolerance (the first of those infinitely off) and how many are off; its `buffer` and
 * `unwritten` are left to the caller.  `element` counts scalars in memory, pad lanes included. */
bool ct_verify_buffer(const struct ct_plan_buffer *buffer, const void *actual,
                      const void *reference, double rms, struct ct_mismatch *mismatch);

/* Describes the first scalar that differs in its bytes, of the elements that are compared. */
void ct_verify_note_first(const struct ct_plan_buffer *buffer, const void *actual,
                          const void *reference, struct ct_mismatch *mismatch);

/* Differences from the truth. */
struct ct_verify_error {
    double largest; /* infinite if a NaN or an infinity is not where it should be */
    double rms;
};

/* The differences of the first `buffer->compare` elements of `actual` from those of `reference`, in
 * units of `rms`, ct_verify_rms of the reference (absolute if that is 0).  Where both are NaN, or
 * the same infinity, there is none. */
struct ct_verify_error ct_verify_error_of(const struct ct_plan_buffer *buffer,
                                          const void *actual, const void *reference,
                                          double rms);

/* The first `most` scalars, in memory order, that fail the same comparison: `out` as above, but
 * without `wrong_count`; how many there are. */
size_t ct_verify_differences(const struct ct_plan_buffer *buffer, const void *actual,
                             const void *reference, double rms, struct ct_mismatch *out,
                             size_t most);

/* Whether a check proves anything. */
enum ct_vacuous {
    CT_VACUOUS_NOT,
    CT_VACUOUS_NAN,       /* the reference is all NaN: only NaN can pass */
    CT_VACUOUS_TOLERANCE, /* the reference is not all zeros, but zeros would pass */
};

/* Whether an output of only zeros would pass, for a buffer without reduction.  Stops at the first
 * scalar that decides, and so costs nothing for a sound check. */
enum ct_vacuous ct_verify_vacuous(const struct ct_plan_buffer *buffer,
                                  const void *reference, double rms);

/* Writes a number with that many digits: "NaN" without its sign. */
void ct_verify_real_text(double value, int digits, char text[CT_MISMATCH_TEXT]);

#endif
