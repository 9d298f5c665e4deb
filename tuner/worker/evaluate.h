// SPDX-License-Identifier: Apache-2.0
// The steps of an evaluation inside a worker (evaluate.c), for those that are kept so
// that samples are interleaved (worker/timing/interleave.h).
#ifndef CT_WORKER_EVALUATE_H
#define CT_WORKER_EVALUATE_H

#include "worker/build/pipeline.h"
#include "worker/timing/sample.h"
#include "worker/session.h"

struct ct_evaluation {
    struct ct_session *session; /* all borrowed */
    const struct ct_plan *plan;
    const struct ct_request *request;
    const struct ct_handover *handover; /* while it is run */
    struct ct_outcome *outcome;
    struct ct_pipeline pipeline;
    struct ct_sampler sampler;
};

/* Starts and ends the booking of what is done for an outcome. */
void ct_evaluation_begin(struct ct_session *session, struct ct_outcome *outcome);
void ct_evaluation_end(struct ct_session *session, struct ct_outcome *outcome);

/* From the build to the comparison after the last sample.  Release in any case. */
enum ct_step ct_evaluation_run(struct ct_evaluation *ev, struct ct_err *err);
void ct_evaluation_release(struct ct_evaluation *ev);

/* Of one that has been run, whatever the device did since: one sample more, warmed up by
 * a run that is not timed; the outcome is of all its samples. */
enum ct_step ct_evaluation_more(struct ct_evaluation *ev, struct ct_err *err);

/* Compares the outputs of the last sample, where they are what a right pipeline
 * leaves. */
enum ct_step ct_evaluation_check(struct ct_evaluation *ev, struct ct_err *err);

#endif
