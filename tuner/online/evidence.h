// SPDX-License-Identifier: Apache-2.0
// What databases know when online tuning begins.
#ifndef CT_ONLINE_EVIDENCE_H
#define CT_ONLINE_EVIDENCE_H

#include "db/layers.h"
#include "online/trials.h"
#include "online/work.h"

/* What is asked. */
struct ct_online_question {
    struct ct_online_work *work;
    struct ct_hash version; /* of the kernel (plan/identity.h) */
    bool again; /* measured times of this device are doubted: they only guide */
};

/* The stored best of this device, driver, problem and version, if a search or tuning has come to its
 * end there. */
struct ct_online_settled {
    bool any;
    uint64_t index;
    double time_ns;
};

/* Gives the trials what the layers know: results of this device, driver, problem and version are
 * known, others are transferred; the bests of the nearest evidence, then the default, are candidates.
 * What was wrong or crashed with this version, on whatever device, counts as failed here. */
enum ct_status ct_online_evidence_load(const struct ct_layers *layers,
                                       const struct ct_online_question *question,
                                       struct ct_trials *trials,
                                       struct ct_online_settled *out, struct ct_err *err);

#endif
