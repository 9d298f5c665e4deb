// SPDX-License-Identifier: Apache-2.0
// What a worker knows of the host code that it has compiled: the name in the cache that belongs to a
// shim (worker/host/host.h).  Finding it takes a run of the preprocessor, and the same function is
// loaded several times: fills are called twice, and again for a reference on the device.
#ifndef CT_WORKER_HOST_CODES_H
#define CT_WORKER_HOST_CODES_H

#include "base/hash.h"

#include <stdbool.h>

struct ct_host_codes; /* may be used by several threads */

/* NULL if out of memory, or without threads. */
struct ct_host_codes *ct_host_codes_new(void);
void ct_host_codes_free(struct ct_host_codes *codes);

/* Whether the shim is new here: then its name is the caller's to find and to tell
 * (ct_host_codes_tell), and false for everybody else.  False if out of memory. */
bool ct_host_codes_claim(struct ct_host_codes *codes, const struct ct_hash *shim);

/* The shim's code has this name; NULL: it could not be compiled, and the shim is new again. */
void ct_host_codes_tell(struct ct_host_codes *codes, const struct ct_hash *shim,
                        const struct ct_hash *name);

/* False if the name is not known.  `codes` may be NULL, the shim empty. */
bool ct_host_codes_find(struct ct_host_codes *codes, const struct ct_hash *shim,
                        struct ct_hash *name);

#endif
