// SPDX-License-Identifier: Apache-2.0
// What `cltune run` shows of outputs: the first wrong values, and files with all contents.
#ifndef CT_WORKER_REFERENCE_INSPECT_H
#define CT_WORKER_REFERENCE_INSPECT_H

#include "worker/build/pipeline.h"

/* After outputs were compared, while the buffers still hold them: records in the outcome what the
 * request asks for.  `timed`: they hold what timed runs left.  CT_STEP_DONE unless reading or
 * writing fails (CT_E_IO), whatever the outcome says. */
enum ct_step ct_inspect_outputs(struct ct_pipeline *pipeline,
                                const struct ct_request *request, bool timed,
                                struct ct_err *err);

#endif
