// SPDX-License-Identifier: Apache-2.0
// XXH3 from libxxhash, as text.
#include "base/hash.h"

#include <xxhash.h>

enum { DIGITS = 16 }; /* of 64 bits */

static void put_digits(char *out, uint64_t value)
{
    for (int i = 0; i < DIGITS; i++)
        out[i] = "0123456789abcdef"[value >> 4 * (DIGITS - 1 - i) & 15];
}

/* Without printf, which takes longer than the hash: every configuration has a dozen of them. */
static struct ct_hash text_of(XXH128_hash_t value)
{
    struct ct_hash hash = {""};

    put_digits(hash.text, value.high64);
    put_digits(hash.text + DIGITS, value.low64);
    return hash;
}

struct ct_hash ct_hash_bytes(const void *bytes, size_t length)
{
    return text_of(XXH3_128bits(bytes, length));
}

uint64_t ct_hash_head(const void *bytes, size_t length)
{
    return XXH3_128bits(bytes, length).high64;
}

struct ct_hasher *ct_hasher_new(void)
{
    XXH3_state_t *state = XXH3_createState();

    if (state)
        XXH3_128bits_reset(state);
    return (struct ct_hasher *)state;
}

void ct_hasher_add(struct ct_hasher *hasher, const void *bytes, size_t length)
{
    XXH3_128bits_update((XXH3_state_t *)hasher, bytes, length);
}

struct ct_hash ct_hasher_text(const struct ct_hasher *hasher)
{
    return text_of(XXH3_128bits_digest((const XXH3_state_t *)hasher));
}

void ct_hasher_free(struct ct_hasher *hasher)
{
    XXH3_freeState((XXH3_state_t *)hasher);
}

unsigned ct_hash_library_version(void)
{
    return XXH_versionNumber();
}
