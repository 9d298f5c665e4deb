// SPDX-License-Identifier: Apache-2.0
// Evaluations that a worker keeps, so that samples of several plans are interleaved in one
// process.
//
// What disturbs a machine that others use too - a neighbour on the same core, the clock,
// the temperature - lasts for seconds and minutes.  Whoever is timed as a whole, one
// after the other, is timed on different machines, so to speak.  Sample by sample in
// turns, everybody meets the same disturbances, and they cancel out of the ratios
// (measured on a virtual machine with busy neighbours: two times of the same kernel from
// 20 samples each differ by 18% as a whole, by 2% interleaved).
#ifndef CT_WORKER_TIMING_INTERLEAVE_H
#define CT_WORKER_TIMING_INTERLEAVE_H

#include "worker/build/build.h"
#include "worker/session.h"

struct ct_interleave;

/* As ct_session_evaluate, for a request with a slot: evaluates the plan and keeps what it
 * has built, or takes one sample more of what is kept there.  Takes what `arena` owns
 * over, which owns plan and handover, when it keeps them.  One that fails is not kept. */
enum ct_status ct_session_interleave(struct ct_session *session, struct ct_arena *arena,
                                     const struct ct_plan *plan,
                                     const struct ct_request *request,
                                     const struct ct_handover *handover,
                                     struct ct_outcome *outcome, struct ct_err *err);

/* Before the session's device is closed; NULL is fine. */
void ct_interleave_free(struct ct_interleave *interleave);

#endif
