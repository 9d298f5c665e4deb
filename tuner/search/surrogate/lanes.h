// SPDX-License-Identifier: Apache-2.0
// Vectors of single-precision numbers: one for each of several configurations.  Private to
// tuner/search.
#ifndef CT_SEARCH_SURROGATE_LANES_H
#define CT_SEARCH_SURROGATE_LANES_H

/* Four configurations at a time: vectors that all machines support.  (If the machine lacks wider
 * ones, compilers keep halves in memory.)  Every element is computed by itself, so the results
 * are the same everywhere. */
typedef float ct_lanes __attribute__((vector_size(16), aligned(4), may_alias));
enum { CT_LANES = sizeof(ct_lanes) / sizeof(float) };

static inline ct_lanes ct_lanes_at(const float *from)
{
    return *(const ct_lanes *)from;
}

/* Both products of the kernel for one configuration, interleaved as in the tables. */
typedef float ct_products __attribute__((vector_size(8), aligned(4), may_alias));

#endif
