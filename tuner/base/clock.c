// SPDX-License-Identifier: Apache-2.0
// The operating system's clocks, and steps of any clock.
#include "base/clock.h"

#include <stdlib.h>
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

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

uint64_t ct_clock_step_ns(uint64_t *readings_ns, size_t count, size_t *distinct)
{
    uint64_t step_ns = 0;

    *distinct = count > 0;
    qsort(readings_ns, count, sizeof(*readings_ns), by_value);
    for (size_t i = 1; i < count; i++) {
        uint64_t between_ns = readings_ns[i] - readings_ns[i - 1];

        *distinct += between_ns > 0;
        if (between_ns && (!step_ns || between_ns < step_ns))
            step_ns = between_ns;
    }
    return step_ns;
}
