// SPDX-License-Identifier: Apache-2.0
// Contents of buffers that launches change, kept on the device: restoring them from there is
// faster than transferring them again.
#ifndef CT_WORKER_DATA_ORIGINAL_H
#define CT_WORKER_DATA_ORIGINAL_H

#include "worker/data/dataset.h"

/* Whether a buffer of the plan, which has its size and contents, is worth a copy: not on a
 * processor, whose memory is the host's, and where a transfer takes no longer than a launch. */
bool ct_original_worthwhile(const struct ct_session *session,
                            const struct ct_plan_buffer *planned,
                            const struct ct_dataset_buffer *buffer);

/* Writes the contents, which the buffer must have, to its device's buffer: from the copy, if there
 * is one, else from the host.  From the second time on there is one, if it is worthwhile. */
enum ct_status ct_original_restore(struct ct_dataset_buffer *buffer, struct ct_err *err);

/* Whether the copy still has the contents; if not, because a launch wrote outside of its own
 * buffers, there is none any more.  `scratch` has room for the buffer. */
enum ct_status ct_original_intact(struct ct_dataset_buffer *buffer, void *scratch,
                                  bool *intact, struct ct_err *err);

#endif
