// SPDX-License-Identifier: Apache-2.0
// Host code to be beaten, on one processor and on all, and the verdict on who wins.
#ifndef CT_TUNE_BASELINE_H
#define CT_TUNE_BASELINE_H

#include "base/stats.h"
#include "protocol/outcome.h"

#include <stdbool.h>

struct ct_search;
struct ct_evaluated;

/* All zeros: there is none. */
struct ct_baseline {
    bool has_one;
    struct ct_outcome one; /* on one processor */
    bool has_all;
    struct ct_outcome all;     /* on all of them */
    char *all_missing;         /* why it is left out; NULL: it is not */
    unsigned processors;       /* that those are; 0 without a baseline */
    struct ct_range transfers; /* the winner's time with transfers */
};

void ct_baseline_release(struct ct_baseline *baseline);

enum ct_versus_winner {
    CT_VERSUS_UNKNOWN,
    CT_VERSUS_DEVICE, /* is faster */
    CT_VERSUS_HOST,   /* is faster */
    CT_VERSUS_EQUAL,  /* the intervals leave both possible */
};

/* The device against the baseline: how many times as fast it is. */
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

/* False: there is no baseline or no configuration that worked. */
bool ct_host_verdict_find(const struct ct_search *search, struct ct_host_verdict *out);

/* The hardest of the comparisons that are known is the answer: all processors, and transfers. */
enum ct_versus_winner ct_host_verdict_answer(const struct ct_host_verdict *verdict);

#endif
