// SPDX-License-Identifier: Apache-2.0
// What using a device costs besides computing.
#ifndef CT_BASE_OVERHEAD_H
#define CT_BASE_OVERHEAD_H

enum ct_overhead_kind {
    CT_OVERHEAD_LAUNCH, /* one launch of an empty kernel, until clFinish returns */
    CT_OVERHEAD_QUEUED, /* each of many such launches before one clFinish */
    /* extra cost of a new buffer of 4 KiB over a used one: creating it, touching it for the first
     * time, releasing it */
    CT_OVERHEAD_ALLOCATION,
    CT_OVERHEAD_PER_MIB, /* for each additional MiB of a new buffer */
    CT_OVERHEAD_COUNT
};

/* The median of wall times, in nanoseconds, and its 95% interval. */
struct ct_overhead {
    double ns;
    double low_ns;
    double high_ns;
};

#endif
