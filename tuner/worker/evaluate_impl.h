// SPDX-License-Identifier: Apache-2.0
// What the parts of an evaluation share: evaluate.c, evaluate_more.c.
#ifndef CT_WORKER_EVALUATE_IMPL_H
#define CT_WORKER_EVALUATE_IMPL_H

#include "worker/evaluate.h"

/* Ends it as the configuration's failure, or as an error of cltune's (ct_session_device_failed). */
enum ct_step ct_evaluation_failed(struct ct_evaluation *ev, struct ct_err *err);

/* Whether a buffer that launches change is restored before every timed run. */
bool ct_evaluation_restores_each(const struct ct_evaluation *ev);

/* Preparations before anything is timed.  CT_E_DEVICE, CT_E_NOMEM. */
enum ct_status ct_evaluation_prepare(struct ct_evaluation *ev, struct ct_err *err);

struct ct_evaluation_sampling {
    struct ct_evaluation *ev;
    bool each; /* samples of a single pipeline, on restored buffers */
};

/* Runs `repeats` pipelines, or one; `user` is a struct ct_evaluation_sampling.  Errors as for
 * enqueueing. */
enum ct_status ct_evaluation_sample(void *user, uint32_t repeats, struct ct_sample *taken,
                                    struct ct_err *err);

#endif
