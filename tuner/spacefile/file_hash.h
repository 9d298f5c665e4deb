// SPDX-License-Identifier: Apache-2.0
// Hashes of whole files (C code, data), each read once.
#ifndef CT_SPACEFILE_FILE_HASH_H
#define CT_SPACEFILE_FILE_HASH_H

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stddef.h>

/* Initialise with {0}. */
struct ct_file_hashes {
    struct ct_arena arena;
    struct ct_file_hash {
        const char *path;
        struct ct_hash hash;
    } * items;
    size_t count;
    size_t capacity;
};

/* The hash of a file's contents at the first call.  0, or an errno or reason (base/file.h); a
 * failure is tried again next time. */
int ct_file_hashes_get(struct ct_file_hashes *hashes, const char *path,
                       uint64_t limit_bytes, struct ct_hash *out);

void ct_file_hashes_release(struct ct_file_hashes *hashes);

#endif
