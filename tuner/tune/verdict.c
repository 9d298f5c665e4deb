// SPDX-License-Identifier: Apache-2.0
// Is the device faster than the host at all?  The best configuration against the baseline on one
// core and on all, without transfers and with them.
#include "tune/search.h"

#include <string.h>

static struct ct_versus versus_baseline(const struct ct_outcome *baseline, bool known,
                                        struct ct_range device)
{
    struct ct_versus v = {CT_VERSUS_UNKNOWN, 0, 0, 0};

    if (!known || !(device.low > 0) || !(baseline->low_ns > 0))
        return v;
    v.ratio = baseline->time_ns / device.middle;
    v.low = baseline->low_ns / device.high;
    v.high = baseline->high_ns / device.low;
    v.winner = v.low > 1    ? CT_VERSUS_DEVICE
               : v.high < 1 ? CT_VERSUS_HOST
                            : CT_VERSUS_EQUAL;
    return v;
}

bool ct_host_verdict_find(const struct ct_search *search, struct ct_host_verdict *out)
{
    const struct ct_baseline *host = &search->host;
    struct ct_range time;

    memset(out, 0, sizeof(*out));
    out->best = ct_results_best(&search->results, &search->objective);
    if (!host->has_one || !out->best)
        return false;
    time = (struct ct_range){out->best->time_ns, out->best->low_ns, out->best->high_ns};
    out->one = versus_baseline(&host->one, true, time);
    out->all = versus_baseline(&host->all, host->has_all, time);
    out->one_transfers = versus_baseline(&host->one, true, host->transfers);
    out->all_transfers = versus_baseline(&host->all, host->has_all, host->transfers);
    return out->one.winner != CT_VERSUS_UNKNOWN;
}

enum ct_versus_winner ct_host_verdict_answer(const struct ct_host_verdict *verdict)
{
    const struct ct_versus *from_hardest[] = {&verdict->all_transfers,
                                              &verdict->one_transfers, &verdict->all};

    for (size_t i = 0; i < sizeof(from_hardest) / sizeof(from_hardest[0]); i++)
        if (from_hardest[i]->winner != CT_VERSUS_UNKNOWN)
            return from_hardest[i]->winner;
    return verdict->one.winner;
}
