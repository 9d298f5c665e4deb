// SPDX-License-Identifier: Apache-2.0
// Several strategies on one recorded space side by side, which share their results.
#ifndef CT_REPLAY_ISLANDS_H
#define CT_REPLAY_ISLANDS_H

#include "replay/replay.h"

/* Runs repeat `number` of a replay with options->islands strategies, whose seeds follow `seed`, and
 * writes its results to `out` in the order of the clock.  CT_E_USAGE for an unknown strategy;
 * CT_E_NOMEM. */
enum ct_status ct_replay_islands(const struct ct_recorded *recorded, const char *strategy,
                                 const struct ct_replay_options *options, uint64_t seed,
                                 size_t number, struct ct_replay *out,
                                 struct ct_err *err);

#endif
