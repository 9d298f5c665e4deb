// SPDX-License-Identifier: Apache-2.0
// Reliability of stated chances (DeGroot and Fienberg, "The comparison and evaluation of
// forecasters", 1983): of the cases in which about p was stated, a share of about p should have
// come true.
#include "replay/chance.h"

#include <math.h>

const double ct_chance_ends[CT_CHANCE_BINS] = {0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 1};

void ct_chance_add(struct ct_chance_bins *bins, const struct ct_replay *replay)
{
    for (size_t i = 0; replay->chances && i < replay->repeats * CT_REPLAY_CHANCES; i++) {
        const struct ct_replay_chance *chance = &replay->chances[i];
        size_t bin = 0;

        if (isnan(chance->stated))
            continue;
        while (bin + 1 < CT_CHANCE_BINS && chance->stated >= ct_chance_ends[bin])
            bin++;
        bins->count[bin]++;
        bins->remained[bin] += chance->remained;
        bins->stated[bin] += chance->stated;
    }
}
