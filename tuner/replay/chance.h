// SPDX-License-Identifier: Apache-2.0
// How often something better really remained when a strategy stated a chance of it.
#ifndef CT_REPLAY_CHANCE_H
#define CT_REPLAY_CHANCE_H

#include "replay/replay.h"

enum { CT_CHANCE_BINS = 7 };

/* Upper ends of the bins. */
extern const double ct_chance_ends[CT_CHANCE_BINS];

/* By stated chance; starts as {0}. */
struct ct_chance_bins {
    size_t count[CT_CHANCE_BINS];
    size_t remained[CT_CHANCE_BINS];
    double stated[CT_CHANCE_BINS]; /* sum */
};

/* Adds what a replay's repeats stated. */
void ct_chance_add(struct ct_chance_bins *bins, const struct ct_replay *replay);

#endif
