// SPDX-License-Identifier: Apache-2.0
// Inner products, of which factors and their inverses are made.  Private to tuner/search.
#ifndef CT_SEARCH_SURROGATE_DOT_H
#define CT_SEARCH_SURROGATE_DOT_H

#include <stddef.h>

/* Two numbers at a time: vectors that all machines support. */
typedef double ct_dot_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline ct_dot_pair ct_dot_at(const double *a, const double *b)
{
    return *(const ct_dot_pair *)a * *(const ct_dot_pair *)b;
}

/* a . b, of n numbers: four sums of two, whose additions do not depend on each other. */
static inline double ct_dot(const double *a, const double *b, size_t n)
{
    ct_dot_pair s0 = {0, 0};
    ct_dot_pair s1 = {0, 0};
    ct_dot_pair s2 = {0, 0};
    ct_dot_pair s3 = {0, 0};
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        s0 += ct_dot_at(a + i, b + i);
        s1 += ct_dot_at(a + i + 2, b + i + 2);
        s2 += ct_dot_at(a + i + 4, b + i + 4);
        s3 += ct_dot_at(a + i + 6, b + i + 6);
    }
    for (; i + 2 <= n; i += 2)
        s0 += ct_dot_at(a + i, b + i);
    s0 += s1 + (s2 + s3);
    return i < n ? s0[0] + s0[1] + a[i] * b[i] : s0[0] + s0[1];
}

#endif
