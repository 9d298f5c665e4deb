// SPDX-License-Identifier: Apache-2.0
// 128-bit hashes (XXH3) that identify experiments, sources and cached files.
#ifndef CT_BASE_HASH_H
#define CT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { CT_HASH_TEXT_SIZE = 33 };

/* 32 lower-case hexadecimal digits and a terminating zero. */
struct ct_hash {
    char text[CT_HASH_TEXT_SIZE];
};

/* XXH3-128 of `length` bytes. */
struct ct_hash ct_hash_bytes(const void *bytes, size_t length);

/* Its first 16 digits, as a number. */
uint64_t ct_hash_head(const void *bytes, size_t length);

/* The same as ct_hash_bytes for bytes that come in pieces. */
struct ct_hasher;

/* NULL if out of memory. */
struct ct_hasher *ct_hasher_new(void);
void ct_hasher_add(struct ct_hasher *hasher, const void *bytes, size_t length);
struct ct_hash ct_hasher_text(const struct ct_hasher *hasher);
void ct_hasher_free(struct ct_hasher *hasher);

/* The version of libxxhash that this process has loaded: 801 is 0.8.1. */
unsigned ct_hash_library_version(void);

#endif
