// SPDX-License-Identifier: Apache-2.0
// cltune's folder for things that can be made again.
#ifndef CT_MEASURE_CACHE_H
#define CT_MEASURE_CACHE_H

#include "base/err.h"
#include "base/str.h"

/* Appends the path of the folder `name` under $XDG_CACHE_HOME/cltune (else
 * ~/.cache/cltune) and makes it, for this user only.  CT_E_IO when there is no such place
 * or it cannot be written. */
enum ct_status ct_cache_folder(const char *name, struct ct_str *out, struct ct_err *err);

/* The same under $TMPDIR (else /tmp), in a folder cltune-<user number> that belongs to
 * this user alone: for drivers, some of which find no device when they cannot write a
 * cache. */
enum ct_status ct_cache_fallback(const char *name, struct ct_str *out,
                                 struct ct_err *err);

#endif
