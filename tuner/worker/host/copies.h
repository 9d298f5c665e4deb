// SPDX-License-Identifier: Apache-2.0
// Copies of host code that run at the same time, one thread and one processor each.
#ifndef CT_WORKER_HOST_COPIES_H
#define CT_WORKER_HOST_COPIES_H

#include "protocol/bind.h"
#include "worker/host/host.h"
#include "worker/host/hostrun.h"

struct ct_copies;

/* Starts a thread on each of `bind`'s processors.  The first copy works on `first`; the others
 * have arrays of their own except where `shared` (one per buffer) is set.  All arguments are
 * borrowed.  CT_E_NOMEM; CT_E_IO if threads cannot be started. */
enum ct_status ct_copies_new(const struct ct_host_code *code, struct ct_hostrun *first,
                             const bool *shared, const struct ct_dataset *data,
                             const struct ct_plan_host *host, const struct ct_bind *bind,
                             struct ct_copies **out, struct ct_err *err);

/* Has each copy make that many calls, and waits for all; returns the wall time. */
uint64_t ct_copies_run(struct ct_copies *copies, uint64_t calls);

size_t ct_copies_count(const struct ct_copies *copies);
struct ct_hostrun *ct_copies_at(struct ct_copies *copies, size_t index);

/* Ends the threads.  NULL is allowed. */
void ct_copies_free(struct ct_copies *copies);

#endif
