// SPDX-License-Identifier: Apache-2.0
// The operating system's clocks.
#include "base/clock.h"

#include <time.h>

uint64_t ct_clock_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t ct_clock_unix_s(void)
{
    return (int64_t)time(NULL);
}
