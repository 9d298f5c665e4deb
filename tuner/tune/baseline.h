// SPDX-License-Identifier: Apache-2.0
// The host baseline, on one processor and on all, and the verdict on which side is faster.
#ifndef CT_TUNE_BASELINE_H
#define CT_TUNE_BASELINE_H

#include "base/stats.h"
#include "protocol/outcome.h"

#include <stdbool.h>

struct ct_search;
struct ct_evaluated;

/* All zeros: no baseline. */
struct ct_baseline {
    bool has_one;
    struct ct_outcome one; /* on one processor */
    bool has_all;
    struct ct_outcome all;     /* on all processors */
    char *all_missing;         /* why `all` is missing; NULL: it is not */
    unsigned processors;       /* how many processors; 0 without a baseline */
    bool is_short;             /* it took more than half of its share */
    struct ct_range transfers; /* the winner's time with transfers */
};

void ct_baseline_release(struct ct_baseline *baseline);

enum ct_versus_winner {
    CT_VERSUS_UNKNOWN,
    CT_VERSUS_DEVICE, /* the device is faster */
    CT_VERSUS_HOST,   /* the host is faster */
    CT_VERSUS_EQUAL,  /* the intervals leave both possible */
};

/* Device against baseline: how many times as fast the device is. */
struct ct_versus {
    enum ct_versus_winner winner;
    double ratio;
    double low;
    double high;
};

/* The four comparisons. */
struct ct_host_verdict {
    const struct ct_evaluated *best;
    struct ct_versus one;
    struct ct_versus all;
    struct ct_versus one_transfers;
    struct ct_versus all_transfers;
};

/* False without a baseline, or if no configuration worked. */
bool ct_host_verdict_find(const struct ct_search *search, struct ct_host_verdict *out);

/* The answer is the hardest comparison that is known: all processors, and transfers. */
enum ct_versus_winner ct_host_verdict_answer(const struct ct_host_verdict *verdict);

#endif
