// SPDX-License-Identifier: Apache-2.0
// What a worker offers to others through the shared cache (protocol/shared_cache.h).
#ifndef CT_WORKER_OFFER_H
#define CT_WORKER_OFFER_H

#include "worker/session.h"

/* Puts an item of `size_bytes`, written by `fill`, into the shared cache, and keeps it here too.
 * Nothing happens if nobody listens or if it is too large. */
void ct_offer(struct ct_session *session, const char *name, uint64_t size_bytes,
              void (*fill)(void *data, void *bytes), void *data);

/* The same for a text or other bytes that are small. */
void ct_offer_bytes(struct ct_session *session, const char *name,
                    const struct ct_str *bytes);

/* Reads an item; false if there is none. */
bool ct_offer_find(const struct ct_session *session, const char *name,
                   struct ct_str *bytes);

#endif
