// SPDX-License-Identifier: Apache-2.0
// XXH3 from libxxhash, as text.
#include "base/hash.h"

#include <stdio.h>
#include <xxhash.h>

struct ct_hash ct_hash_bytes(const void *bytes, size_t length)
{
    XXH128_hash_t value = XXH3_128bits(bytes, length);
    struct ct_hash hash;

    snprintf(hash.text, sizeof(hash.text), "%016llx%016llx",
             (unsigned long long)value.high64, (unsigned long long)value.low64);
    return hash;
}
