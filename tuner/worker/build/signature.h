// SPDX-License-Identifier: Apache-2.0
// Kernel declarations, requested from the compiler once for each kind of argument list.
#ifndef CT_WORKER_BUILD_SIGNATURE_H
#define CT_WORKER_BUILD_SIGNATURE_H

#include "worker/session.h"

/* Compares the arguments of launch `index` with the declaration of `kernel` (of the program that
 * will run).  Their number is checked for every configuration; their types, which need a second
 * build with -cl-kernel-arg-info, once for each kernel, source and kind of argument list.  `*out`
 * is the session's, valid until the next call.  CT_E_SPEC if they differ; a device that does not
 * report types is only queried once. */
enum ct_status ct_signature_check(struct ct_session *session, const struct ct_plan *plan,
                                  size_t index, struct ct_kernel *kernel,
                                  const struct ct_signature **out, struct ct_err *err);

/* The session's signature with this key; NULL if there is none. */
const struct ct_signature *ct_signature_find(const struct ct_session *session,
                                             const struct ct_hash *key);

/* Offers all signatures to later workers (protocol/shared_cache.h), and takes over what others
 * have offered.  On failure they are compiled again. */
void ct_signature_offer(struct ct_session *session);
void ct_signature_take(struct ct_session *session);

#endif
