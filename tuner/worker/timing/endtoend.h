// SPDX-License-Identifier: Apache-2.0
// Wall time of a pipeline with the transfers before and after it.
#ifndef CT_WORKER_TIMING_ENDTOEND_H
#define CT_WORKER_TIMING_ENDTOEND_H

#include "worker/build/pipeline.h"

/* Times passes on an attached, warm pipeline and writes median and interval to its outcome's
 * end_to_end_ fields.
 *
 * A pass transfers every filled buffer to the device by its transfer mode, runs the pipeline once
 * and transfers every checked buffer back, reducing it on the host if that is requested. `write`
 * copies both ways; `map` copies through a mapping; `host` only maps and unmaps, because an
 * application's data would be made in place (renewing them is not timed).  Samples are taken as
 * for the pipeline (worker/timing/sample.h), by wall clock; the request's leader is a time of
 * this kind.  CT_E_DEVICE, CT_E_NOMEM. */
enum ct_status ct_endtoend_measure(struct ct_pipeline *pipeline,
                                   const struct ct_request *request, struct ct_err *err);

#endif
