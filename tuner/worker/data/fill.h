// SPDX-License-Identifier: Apache-2.0
// Contents of buffers, including those made from other buffers, files and the user's C code.
#ifndef CT_WORKER_DATA_FILL_H
#define CT_WORKER_DATA_FILL_H

#include "worker/session.h"

/* Writes the contents described by `fill` to `bytes` (an array from ct_data_alloc of the buffer's
 * size on the host).  `contents` holds the initial contents of the plan's buffers on the host as
 * far as they are known, NULL meaning that every byte is 0xFF.  CT_E_SPEC if sources or a file do
 * not fit the buffer, or C code does not compile or writes outside the array; CT_E_IO,
 * CT_E_NOMEM. */
enum ct_status ct_fill_make(struct ct_session *session, const struct ct_plan *plan,
                            size_t index, const struct ct_fill *fill,
                            void *const *contents, uint64_t seed, void *bytes,
                            struct ct_err *err);

/* The parts of a plan that the code of a fill in C (CT_FILL_C) of a buffer is made from, as its
 * reference: see ct_host_load.  They refer to the buffer and the fill, and are the arena's.
 * CT_E_NOMEM. */
enum ct_status ct_fill_host(struct ct_arena *arena, const struct ct_plan_buffer *buffer,
                            const struct ct_fill *fill, struct ct_plan *plan,
                            struct ct_err *err);

#endif
