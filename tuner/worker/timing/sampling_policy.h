// SPDX-License-Identifier: Apache-2.0
// Takes samples until the sampler has enough, under watch; on CPU devices samples that other
// programs disturbed are retaken.
//
// Samples are watched in blocks, because the system counts the time of others in steps of 10 ms.
// A block during which others kept more than CT_SAMPLING_POLICY_DISTURBED processors busy, and one
// step that rounding explains, is retaken, at most CT_SAMPLING_POLICY_RETAKES times, and the least
// disturbed attempt is kept; not if every sample is so slow that sharing a processor with another
// program, which at most halves the speed, does not explain it.  What is stopped early, and timed
// once more later, need not fill a block.
#ifndef CT_WORKER_TIMING_SAMPLING_POLICY_H
#define CT_WORKER_TIMING_SAMPLING_POLICY_H

#include "worker/timing/sample.h"
#include "worker/session.h"

enum {
    CT_SAMPLING_POLICY_BLOCK_NS = 50000000,
    CT_SAMPLING_POLICY_RETAKES = 2, /* of each block */
};

/* Processors that others may use without a retake. */
#define CT_SAMPLING_POLICY_DISTURBED 0.1

struct ct_sampling_policy {
    struct ct_session *session;
    struct ct_sampler *sampler;
    uint64_t patience_ns; /* ct_session_patience_ns */
    bool retake;          /* the device is a CPU device */
    /* Takes one sample of that many pipelines (restores are its own, outside the time). */
    enum ct_status (*take)(void *user, uint32_t repeats, struct ct_sample *sample,
                           struct ct_err *err);
    void *user;
    /* Out: */
    uint32_t retaken;              /* samples discarded */
    struct ct_quantities observed; /* with the others' load during the samples kept */
};

/* Errors as for `take`, and CT_E_NOMEM. */
enum ct_status ct_sampling_policy_run(struct ct_sampling_policy *policy,
                                      struct ct_err *err);

#endif
