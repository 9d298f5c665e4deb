// SPDX-License-Identifier: Apache-2.0
// Program binaries on disk, in the folder "binaries" of cltune's cache.
//
// An entry is one file, written beside its place and moved there, with a checksum of its
// contents: readers see all of it or nothing, and damaged or foreign files are ignored.  Several
// processes may read, write and trim at once.
#ifndef CT_WORKER_BUILD_BINARIES_H
#define CT_WORKER_BUILD_BINARIES_H

#include "base/devinfo.h"
#include "base/hash.h"
#include "base/str.h"
#include "plan/plan.h"

#include <stdbool.h>

/* What a binary depends on: the program (a hash: its whole text and the macros that it may depend on),
 * the options with include folders in order, the device, its driver and platform, and the driver's
 * environment (of `env_count`).  An empty hash if out of memory, or if `text` is empty. */
struct ct_hash ct_binaries_key(const struct ct_hash *text, const char *options,
                               const struct ct_devinfo *device,
                               const struct ct_plan_env *env, size_t env_count);

/* Appends an entry's binary and log, and marks it as used now.  False if there is none. */
bool ct_binaries_get(const struct ct_hash *key, struct ct_str *binary,
                     struct ct_str *log);

/* Stores an entry, and trims the folder now and then (protocol/trim.h).  Failures only cost speed,
 * except to who compiles for others (`err`, may be NULL).  Entries larger than a quarter of the limit
 * are not stored: CT_E_USAGE.  CT_E_IO, CT_E_NOMEM. */
enum ct_status ct_binaries_put(const struct ct_hash *key, const struct ct_str *binary,
                               const char *log, struct ct_err *err);

#endif
