// SPDX-License-Identifier: Apache-2.0
// The steps of an evaluation inside a worker (evaluate.c), for evaluations that are kept for
// interleaving (worker/timing/interleave.h).
#ifndef CT_WORKER_EVALUATE_H
#define CT_WORKER_EVALUATE_H

#include "worker/build/pipeline.h"
#include "worker/reference/verify.h"
#include "worker/timing/sample.h"
#include "worker/session.h"

struct ct_evaluation {
    struct ct_session *session; /* all borrowed */
    const struct ct_plan *plan;
    const struct ct_request *request;
    const struct ct_handover *handover; /* only while it runs */
    struct ct_outcome *outcome;
    struct ct_pipeline pipeline;
    struct ct_sample first; /* the launch that was checked */
    bool idle;              /* before it the device had nothing to do */
    bool glanced; /* the launches before the first sample showed it to be hopeless */
    struct ct_sampler sampler;
    struct ct_command_state *command; /* worker/command/command.h; NULL: of a kernel */
    struct ct_verify_error error; /* of all checked buffers, if the plan asks for it */
};

/* Starts and ends time accounting for an outcome. */
void ct_evaluation_begin(struct ct_session *session, struct ct_outcome *outcome);
void ct_evaluation_end(struct ct_session *session, struct ct_outcome *outcome);

/* From the build to the comparison after the last sample.  Always release. */
enum ct_step ct_evaluation_run(struct ct_evaluation *ev, struct ct_err *err);
void ct_evaluation_release(struct ct_evaluation *ev);

/* After ct_evaluation_run, whatever used the device since: takes another sample, warmed up by an
 * untimed run; the outcome covers all its samples.  Compares the outputs after the last one
 * (request->step.last), if a correct pipeline determines them. */
enum ct_step ct_evaluation_more(struct ct_evaluation *ev, struct ct_err *err);

#endif
