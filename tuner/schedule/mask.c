// SPDX-License-Identifier: Apache-2.0
// Learns and applies masks.
#include "schedule/mask.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a name that happen to be equal do not split it. */
enum { GAP = 4 };

static bool differ(const struct ct_str *samples, size_t at)
{
    for (int i = 1; i < CT_MASK_SAMPLES; i++)
        if (samples[i].data[at] != samples[0].data[at])
            return true;
    return false;
}

static void set_anchors(struct ct_mask *mask, const unsigned char *bytes)
{
    for (size_t i = 0; i < mask->run_count; i++) {
        struct ct_mask_run *run = &mask->runs[i];
        size_t end = run->at + run->length;
        size_t from = i ? mask->runs[i - 1].at + mask->runs[i - 1].length : 0;
        size_t to = i + 1 < mask->run_count ? mask->runs[i + 1].at : mask->length;

        run->before_length =
            run->at - from < CT_MASK_ANCHOR ? run->at - from : CT_MASK_ANCHOR;
        run->behind_length = to - end < CT_MASK_ANCHOR ? to - end : CT_MASK_ANCHOR;
        memcpy(run->before, bytes + run->at - run->before_length, run->before_length);
        memcpy(run->behind, bytes + end, run->behind_length);
    }
}

const char *ct_mask_learn(struct ct_mask *mask, const struct ct_str *samples)
{
    size_t length = samples[0].length;
    size_t sum = 0;

    memset(mask, 0, sizeof(*mask));
    for (int i = 1; i < CT_MASK_SAMPLES; i++)
        if (samples[i].length != length)
            return "builds of one kernel differ in size";
    mask->length = length;
    for (size_t at = 0; at < length; at++) {
        struct ct_mask_run *run =
            mask->run_count ? &mask->runs[mask->run_count - 1] : NULL;

        if (!differ(samples, at))
            continue;
        if (run && at - (run->at + run->length) <= GAP) {
            run->length = at + 1 - run->at;
        } else if (mask->run_count == CT_MASK_RUNS) {
            return "builds of one kernel differ in too many places";
        } else {
            mask->runs[mask->run_count++] = (struct ct_mask_run){.at = at, .length = 1};
        }
    }
    for (size_t i = 0; i < mask->run_count; i++)
        sum += mask->runs[i].length;
    if (sum > CT_MASK_BYTES)
        return "builds of one kernel differ in too many bytes";
    set_anchors(mask, (const unsigned char *)samples[0].data);
    return NULL;
}

static bool anchored(const struct ct_mask *mask, const unsigned char *bytes,
                     size_t length)
{
    if (length != mask->length)
        return false;
    for (size_t i = 0; i < mask->run_count; i++) {
        const struct ct_mask_run *run = &mask->runs[i];

        if (memcmp(bytes + run->at - run->before_length, run->before,
                   run->before_length) != 0 ||
            memcmp(bytes + run->at + run->length, run->behind, run->behind_length) != 0)
            return false;
    }
    return true;
}

struct ct_hash ct_mask_hash(const struct ct_mask *mask, const void *bytes, size_t length)
{
    struct ct_hash none = {""};
    struct ct_hash hash;
    char *copy;

    if (!mask->run_count || !anchored(mask, bytes, length))
        return ct_hash_bytes(bytes, length);
    copy = ct_mem_copy(bytes, length);
    if (!copy)
        return none;
    for (size_t i = 0; i < mask->run_count; i++)
        memset(copy + mask->runs[i].at, 0, mask->runs[i].length);
    hash = ct_hash_bytes(copy, length);
    free(copy);
    return hash;
}
