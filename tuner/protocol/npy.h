// SPDX-License-Identifier: Apache-2.0
// Arrays in NumPy's .npy files (format versions 1 and 2, NumPy Enhancement Proposal 1).
#ifndef CT_PROTOCOL_NPY_H
#define CT_PROTOCOL_NPY_H

#include "base/err.h"
#include "base/hash.h"
#include "plan/shape.h"
#include "spacefile/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the array in `path` as `count` elements of `type` into `bytes` (count *
 * ct_type_size(type) of them, pad lanes set to 0).  The file's scalars must be of the type's,
 * little-endian and in C order, count times the type's width of them in whatever shape; complex
 * numbers count as two scalars.  `hash` is that of the whole file's bytes when the plan was made
 * (NULL: not checked). CT_E_SPEC names the file, its contents and what is required; CT_E_IO if it
 * cannot be read, or is no longer the file that was hashed. */
enum ct_status ct_npy_read(const char *path, const struct ct_hash *hash,
                           struct ct_type type, uint64_t count, void *bytes,
                           struct ct_err *err);

/* Writes scalars as an array of that shape in `path` (version 1.0, in C order, the byte order of
 * this machine), in place of what was there; `alive` is called now and then.  `bytes` holds
 * them as `type` has them in memory: pad lanes of three-vectors, whose last dimension is 3, are
 * left out.  CT_E_IO, also if `path` is a link or a file with several names; a part of a file
 * does not remain. */
enum ct_status ct_npy_write(const char *path, struct ct_type type,
                            const struct ct_shape *shape, const void *bytes,
                            void (*alive)(void *user), void *user, struct ct_err *err);

#endif
