// SPDX-License-Identifier: Apache-2.0
// Evaluations that a worker keeps, so that samples of several plans are interleaved in one
// process.
//
// Disturbances of a machine that others use too - a neighbour on the same core, the clock, the
// temperature - last for seconds and minutes.  Plans that are timed one after the other are, in
// effect, timed on different machines.  Interleaved sample by sample, all plans have the same
// disturbances, which cancel out of the ratios (measured on a virtual machine with busy
// neighbours: two times of the same kernel from 20 samples each differ by 18% one after the
// other, by 2% interleaved).
#ifndef CT_WORKER_TIMING_INTERLEAVE_H
#define CT_WORKER_TIMING_INTERLEAVE_H

#include "worker/build/build.h"
#include "worker/session.h"

struct ct_interleave;

/* As ct_session_evaluate, for a request with a slot: evaluates the plan and keeps the build, or
 * takes another sample of what the slot holds.  If it keeps them, it takes over what `arena`
 * owns, including plan and handover.  A failed evaluation is not kept. */
enum ct_status ct_session_interleave(struct ct_session *session, struct ct_arena *arena,
                                     const struct ct_plan *plan,
                                     const struct ct_request *request,
                                     const struct ct_handover *handover,
                                     struct ct_outcome *outcome, struct ct_err *err);

/* Call before the session's device is closed; NULL is allowed. */
void ct_interleave_free(struct ct_interleave *interleave);

#endif
