// SPDX-License-Identifier: Apache-2.0
// Which bytes of a driver's binaries differ without meaning.
//
// Some drivers put options, names of temporary files or times into what they compile. Three
// builds of one kernel, which differ in an unused macro, show where.
#ifndef CT_SCHEDULE_MASK_H
#define CT_SCHEDULE_MASK_H

#include "base/hash.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* Anything larger is code, not a name in a header. */
enum { CT_MASK_RUNS = 8, CT_MASK_BYTES = 256, CT_MASK_ANCHOR = 16, CT_MASK_SAMPLES = 3 };

struct ct_mask {
    size_t length; /* of the builds it was learnt from */
    size_t run_count;
    struct ct_mask_run {
        size_t at;
        size_t length;
        /* The bytes before and behind: a run applies to other binaries only if they match. */
        unsigned char before[CT_MASK_ANCHOR];
        unsigned char behind[CT_MASK_ANCHOR];
        size_t before_length;
        size_t behind_length;
    } runs[CT_MASK_RUNS];
};

/* Learns from three builds.  NULL, or why equality cannot be decided: sizes differ, there are
 * more than CT_MASK_RUNS places, or they take more than CT_MASK_BYTES. */
const char *ct_mask_learn(struct ct_mask *mask, const struct ct_str *samples);

/* A hash of the bytes without those that have no meaning.  Binaries whose length differs from the
 * mask's, or whose bytes around its runs differ, are hashed unmasked: equal ones may be missed,
 * but unequal ones are never taken as equal. */
struct ct_hash ct_mask_hash(const struct ct_mask *mask, const void *bytes, size_t length);

#endif
