// SPDX-License-Identifier: Apache-2.0
// What using a device costs besides computing.
#ifndef CT_BASE_OVERHEAD_H
#define CT_BASE_OVERHEAD_H

enum ct_overhead_kind {
    CT_OVERHEAD_LAUNCH,     /* one launch of a kernel that does nothing, until clFinish
                               returns */
    CT_OVERHEAD_QUEUED,     /* each of many such launches behind one clFinish */
    CT_OVERHEAD_ALLOCATION, /* what a new buffer of 4 KiB costs more than one that has
                               been used: making it, touching it for the first time,
                               releasing it */
    CT_OVERHEAD_PER_MIB,    /* each MiB that a new buffer is larger */
    CT_OVERHEAD_COUNT
};

/* The median of wall times, in nanoseconds, and its 95% interval. */
struct ct_overhead {
    double ns;
    double low_ns;
    double high_ns;
};

#endif
