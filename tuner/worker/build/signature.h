// SPDX-License-Identifier: Apache-2.0
// Kernel declarations: asked of the compiler once for each kind of argument list.
#ifndef CT_WORKER_BUILD_SIGNATURE_H
#define CT_WORKER_BUILD_SIGNATURE_H

#include "worker/session.h"

/* Compares the arguments of launch `index` with what `kernel` (of the program that will
 * run) takes.  Their number is checked for every configuration; their types, which need a
 * second build with -cl-kernel-arg-info, once for each kernel, source and kind of
 * argument list.  `*out` is the session's, valid until the next call.  CT_E_SPEC when
 * they differ; a device that cannot tell types is not asked twice. */
enum ct_status ct_signature_check(struct ct_session *session, const struct ct_plan *plan,
                                  size_t index, struct ct_kernel *kernel,
                                  const struct ct_signature **out, struct ct_err *err);

/* The session's signature of this key; NULL when there is none. */
const struct ct_signature *ct_signature_find(const struct ct_session *session,
                                             const struct ct_hash *key);

/* Offers all signatures to workers that come later (protocol/shared_cache.h), and takes
 * over what others have offered.  Where that fails they are compiled again. */
void ct_signature_offer(struct ct_session *session);
void ct_signature_take(struct ct_session *session);

#endif
