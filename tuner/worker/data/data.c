// SPDX-License-Identifier: Apache-2.0
// Sizes, layouts and arrays of buffers.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "worker/data/data.h"

#include "worker/parallel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct conversion {
    const struct ct_layout *from;
    const unsigned char *source;
    const struct ct_layout *to;
    unsigned char *target;
};

/* Inlined for each size, so that the copies become moves. */
static inline void convert(const struct conversion *of, size_t begin, size_t end,
                           size_t size)
{
    const struct ct_layout *from = of->from;
    const struct ct_layout *to = of->to;

    for (size_t r = begin; r < end; r++)
        for (size_t c = 0; c < from->components; c++)
            memcpy(of->target + (r * to->record_step + c * to->scalar_step) * size,
                   of->source + (r * from->record_step + c * from->scalar_step) * size,
                   size);
}

static void convert_part(void *data, size_t begin, size_t end)
{
    const struct conversion *of = data;

    switch (ct_scalar_size(of->from->scalar)) {
    case 1:
        convert(of, begin, end, 1);
        break;
    case 2:
        convert(of, begin, end, 2);
        break;
    case 4:
        convert(of, begin, end, 4);
        break;
    default:
        convert(of, begin, end, 8);
        break;
    }
}

void ct_data_convert(const struct ct_layout *from, const void *source,
                     const struct ct_layout *to, void *target)
{
    const size_t least = 1 << 18;
    struct conversion of = {from, source, to, target};

    ct_parallel(from->records, least, convert_part, &of);
}

enum { CANARY_BYTES = 64, CANARY = 0xA5 };

void *ct_data_alloc(size_t size_bytes)
{
    void *whole = NULL;
    unsigned char *array;

    if (size_bytes > SIZE_MAX / 2 ||
        posix_memalign(&whole, CANARY_BYTES, size_bytes + 2 * (size_t)CANARY_BYTES))
        return NULL;
    array = (unsigned char *)whole + CANARY_BYTES;
    memset(whole, CANARY, CANARY_BYTES);
    memset(array + size_bytes, CANARY, CANARY_BYTES);
    return array;
}

void ct_data_free(void *array)
{
    if (array)
        free((unsigned char *)array - CANARY_BYTES);
}

/* A page before the file's, and room for canaries behind its last byte. */
static size_t mapped_bytes(size_t size_bytes, size_t page)
{
    return page + (size_bytes + CANARY_BYTES + page - 1) / page * page;
}

void *ct_data_map(int fd, size_t size_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *whole;
    unsigned char *array;

    if (!size_bytes || size_bytes > SIZE_MAX / 2)
        return NULL;
    whole = mmap(NULL, mapped_bytes(size_bytes, page), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED)
        return NULL;
    array = whole + page;
    if (mmap(array, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) ==
        MAP_FAILED) {
        munmap(whole, mapped_bytes(size_bytes, page));
        return NULL;
    }
    memset(array - CANARY_BYTES, CANARY, CANARY_BYTES);
    memset(array + size_bytes, CANARY, CANARY_BYTES);
    return array;
}

void ct_data_unmap(void *array, size_t size_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    munmap((unsigned char *)array - page, mapped_bytes(size_bytes, page));
}

bool ct_data_intact(const void *array, size_t size_bytes)
{
    const unsigned char *before = (const unsigned char *)array - CANARY_BYTES;
    const unsigned char *after = (const unsigned char *)array + size_bytes;

    for (size_t i = 0; i < CANARY_BYTES; i++)
        if (before[i] != CANARY || after[i] != CANARY)
            return false;
    return true;
}
