// SPDX-License-Identifier: Apache-2.0
// Program binaries on disk, in the folder "binaries" of cltune's cache.
//
// An entry is one file, written beside its place and moved there, with a checksum of what
// it holds: readers see all of it or nothing, and what is damaged or foreign is as if it
// were not there.  Several processes may read, write and trim at once.
#ifndef CT_WORKER_BUILD_BINARIES_H
#define CT_WORKER_BUILD_BINARIES_H

#include "base/devinfo.h"
#include "base/hash.h"
#include "base/str.h"
#include "plan/plan.h"

#include <stdbool.h>

/* What a binary depends on: the program's whole text (a hash), the full options with
 * macros and include folders in their order, the device, its driver and platform, and the
 * environment (of `env_count`) that the driver sees.  An empty hash when memory is short,
 * or when `text` is empty. */
struct ct_hash ct_binaries_key(const struct ct_hash *text, const char *options,
                               const struct ct_devinfo *device,
                               const struct ct_plan_env *env, size_t env_count);

/* The form of an entry, for tests: a damaged one is not taken. */
void ct_binaries_pack(const struct ct_hash *key, const struct ct_str *binary,
                      const char *log, struct ct_str *out);
bool ct_binaries_unpack(const struct ct_hash *key, const struct ct_str *entry,
                        struct ct_str *binary, struct ct_str *log);

/* Appends an entry's binary and log, and marks it as used now.  False when there is
 * none. */
bool ct_binaries_get(const struct ct_hash *key, struct ct_str *binary,
                     struct ct_str *log);

/* Stores an entry, and trims the folder now and then (protocol/trim.h).  Failing changes
 * nothing but speed, so nobody is told.  What takes more than a quarter of the limit is
 * not stored. */
void ct_binaries_put(const struct ct_hash *key, const struct ct_str *binary,
                     const char *log);

#endif
