// SPDX-License-Identifier: Apache-2.0
// How often something better did remain when a strategy stated a chance of it.  Private
// to tuner/cli.
#ifndef CT_CLI_REPLAY_CHANCE_H
#define CT_CLI_REPLAY_CHANCE_H

#include "replay/replay.h"

#include <jansson.h>

enum { CT_CHANCE_BINS = 7 };

/* By stated chance; starts as {0}. */
struct ct_chance_bins {
    size_t count[CT_CHANCE_BINS];
    size_t remained[CT_CHANCE_BINS];
    double stated[CT_CHANCE_BINS]; /* sum */
};

/* Adds what the repeats of a replay stated. */
void ct_chance_add(struct ct_chance_bins *bins, const struct ct_replay *replay);

/* A table on standard output. */
void ct_chance_print(const struct ct_chance_bins *bins, const char *strategy);

/* An array of bins that are not empty. */
json_t *ct_chance_json(const struct ct_chance_bins *bins);

#endif
