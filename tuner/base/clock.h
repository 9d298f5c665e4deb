// SPDX-License-Identifier: Apache-2.0
// Monotonic time, and steps of clocks.
#ifndef CT_BASE_CLOCK_H
#define CT_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Nanoseconds since an arbitrary fixed point; never goes backwards. */
uint64_t ct_clock_now_ns(void);

/* Seconds since 1970-01-01 UTC, for time stamps in the database. */
int64_t ct_clock_unix_s(void);

/* The smallest difference between distinct readings of a clock, which are sorted in place; 0 if all
 * are equal.  `*distinct`: how many there are. */
uint64_t ct_clock_step_ns(uint64_t *readings_ns, size_t count, size_t *distinct);

#endif
