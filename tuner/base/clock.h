// SPDX-License-Identifier: Apache-2.0
// Monotonic time.
#ifndef CT_BASE_CLOCK_H
#define CT_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds since an arbitrary fixed point; never goes backwards. */
uint64_t ct_clock_now_ns(void);

/* Seconds since 1970-01-01 UTC, for time stamps in the database. */
int64_t ct_clock_unix_s(void);

#endif
