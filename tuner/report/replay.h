// SPDX-License-Identifier: Apache-2.0
// Shows a replay, on standard output.
#ifndef CT_REPORT_REPLAY_H
#define CT_REPORT_REPLAY_H

#include "replay/job.h"

/* Tables; `quiet`: without the explanation of their columns. */
void ct_report_replay(const struct ct_replay_job *job, bool quiet);
void ct_report_replay_json(const struct ct_replay_job *job);

#endif
