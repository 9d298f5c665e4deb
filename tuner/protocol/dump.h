// SPDX-License-Identifier: Apache-2.0
// The files of `cltune run --dump`, as the worker writes them and the main process names them.
#ifndef CT_PROTOCOL_DUMP_H
#define CT_PROTOCOL_DUMP_H

#include "base/str.h"
#include "plan/plan.h"
#include "protocol/outcome.h"

/* Wrong values of each buffer that a worker is asked for: without files, and with them. */
enum { CT_DIFFERENCES_PLAIN = 4, CT_DIFFERENCES_DUMP = 8 };

/* Appends "NAME.npy", "NAME.before.npy" or "NAME.truth.npy". */
void ct_dump_name(const char *buffer, enum ct_dump_kind kind, struct ct_str *out);

/* The buffer whose type and shape a file has: a kernel as the reference may have buffers of another
 * size. */
const struct ct_plan_buffer *ct_dump_buffer(const struct ct_plan *plan, uint32_t buffer,
                                            enum ct_dump_kind kind);

#endif
