// SPDX-License-Identifier: Apache-2.0
// Devices of one kind that share a search: which of them are alike, and what each has measured.
#ifndef CT_TUNE_SIBLINGS_H
#define CT_TUNE_SIBLINGS_H

#include "base/devinfo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CT_SIBLINGS_MAX = 31 };

enum ct_sibling_state {
    CT_SIBLING_MEASURES,
    CT_SIBLING_SAME_PROCESSORS, /* a CPU device: it would disturb the first one */
    CT_SIBLING_UNLIKE,          /* its speed differed before the search */
    CT_SIBLING_LOST,            /* it failed, or was taken away */
    CT_SIBLING_UNKNOWN,         /* the default failed: nothing to compare */
};

struct ct_sibling {
    const struct ct_devinfo *device; /* borrowed */
    enum ct_sibling_state state;
    /* Its time of the default divided by the first device's; 0: unknown. */
    double before;
    double after;
    uint64_t measured; /* configurations */
    uint64_t earlier;  /* of these: before the first device was lost */
};

/* Zeros: the search has one device. */
struct ct_siblings {
    struct ct_sibling items[CT_SIBLINGS_MAX];
    size_t count;
    uint64_t first_measured; /* by the first device */
    uint64_t first_earlier;
    /* Times of the default on all of them, before the search: the first device's, then the others'. */
    double middle_ns[1 + CT_SIBLINGS_MAX];
    bool timed;    /* these are known */
    bool compared; /* `before` is known of all that measure */
};

/* Whether results of one device count as the other's: name, driver and platform are the same, so
 * that they have the same experiments. */
bool ct_siblings_are_alike(const struct ct_devinfo *a, const struct ct_devinfo *b);

/* "slower" and the like: why it measures nothing; NULL: it measures. */
const char *ct_sibling_state_name(const struct ct_sibling *sibling);

#endif
