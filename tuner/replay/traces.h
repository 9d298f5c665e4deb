// SPDX-License-Identifier: Apache-2.0
// Replays written out for other programs: the recorded space and every repeat, each as a file of
// T4 results (the auto-tuning community's format for results, version 1.0.0), which
// autotuning_methodology and Kernel Tuner use.
#ifndef CT_REPLAY_TRACES_H
#define CT_REPLAY_TRACES_H

#include "replay/replay.h"

/* Writes FOLDER/SPACE/space.json: every recorded configuration.  Folders are made as needed; bytes
 * of names other than letters, digits, '.', '_' and '-' become '_'.  CT_E_IO; CT_E_NOMEM. */
enum ct_status ct_replay_traces_space(const char *folder,
                                      const struct ct_recorded *recorded,
                                      struct ct_err *err);

/* Writes FOLDER/SPACE/STRATEGY/0001.json and so on: the evaluations of each repeat, in order, with
 * the strategy's own mean time as "search_algorithm".  Errors as above. */
enum ct_status ct_replay_traces_runs(const char *folder, const char *strategy,
                                     const struct ct_recorded *recorded,
                                     const struct ct_replay *replay, struct ct_err *err);

#endif
