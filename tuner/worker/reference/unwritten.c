// SPDX-License-Identifier: Apache-2.0
// Finds and refuses elements that references leave unwritten.
#include "worker/reference/unwritten.h"

#include "worker/data/data.h"
#include "worker/reference/expected.h"

#include <inttypes.h>
#include <stdlib.h>

/* Scalars in memory per element: a vector of three takes four. */
static size_t element_scalars(const struct ct_plan_buffer *buffer)
{
    return ct_type_size(buffer->type) / ct_scalar_size(buffer->type.scalar);
}

static bool all_bytes(const unsigned char *scalar, size_t size, unsigned char value)
{
    for (size_t i = 0; i < size; i++)
        if (scalar[i] != value)
            return false;
    return true;
}

enum { BLOCK = 1024 };

#define ANY_SET(bits)                                                                    \
    static bool any_set##bits(const void *array, size_t count)                           \
    {                                                                                    \
        const uint##bits##_t *x = array;                                                 \
        uint##bits##_t found = 0;                                                        \
                                                                                         \
        for (size_t i = 0; i < count; i++)                                               \
            found = (uint##bits##_t)(found | (x[i] == UINT##bits##_MAX));                \
        return found != 0;                                                               \
    }

ANY_SET(8)
ANY_SET(16)
ANY_SET(32)
ANY_SET(64)

/* Whether any of `count` scalars, including pad lanes, has all bits set: without branches, so
 * that most of a large array is skipped at memory speed. */
static bool any_set(const void *array, size_t size, size_t count)
{
    return size == 1   ? any_set8(array, count)
           : size == 2 ? any_set16(array, count)
           : size == 4 ? any_set32(array, count)
                       : any_set64(array, count);
}

/* The index of the first scalar from `at` on that has all bits set, or their count. */
static size_t next_set(const struct ct_plan_buffer *buffer, const unsigned char *array,
                       size_t at)
{
    size_t size = ct_scalar_size(buffer->type.scalar);
    size_t room = element_scalars(buffer);
    size_t total = (size_t)buffer->count * room;

    while (at < total) {
        if (at % BLOCK == 0 && total - at >= BLOCK &&
            !any_set(array + at * size, size, BLOCK)) {
            at += BLOCK;
            continue;
        }
        if (at % room < buffer->type.width && all_bytes(array + at * size, size, 0xFF))
            return at;
        at++;
    }
    return total;
}

bool ct_unwritten_unsure(const struct ct_plan_buffer *buffer, const void *array)
{
    return next_set(buffer, array, 0) < (size_t)buffer->count * element_scalars(buffer);
}

enum ct_status ct_unwritten_mark(const struct ct_plan_buffer *buffer, const void *ones,
                                 const void *zeros, unsigned char **marks,
                                 struct ct_err *err)
{
    size_t size = ct_scalar_size(buffer->type.scalar);
    size_t total = (size_t)buffer->count * element_scalars(buffer);

    *marks = NULL;
    for (size_t i = next_set(buffer, ones, 0); i < total;
         i = next_set(buffer, ones, i + 1)) {
        if (!all_bytes((const unsigned char *)zeros + i * size, size, 0))
            continue;
        if (!*marks)
            *marks = calloc(total, 1);
        if (!*marks)
            return ct_err_nomem(err);
        (*marks)[i] = 1;
    }
    return CT_OK;
}

/* Elements among the first `compare` with an unwritten scalar; *first is the first of them. */
static uint64_t count_unwritten(const struct ct_plan_buffer *buffer, uint64_t compare,
                                const unsigned char *marks, uint64_t *first)
{
    size_t room = element_scalars(buffer);
    uint64_t count = 0;

    for (uint64_t e = 0; e < compare; e++) {
        bool unwritten = false;

        for (size_t lane = 0; lane < room; lane++)
            unwritten |= marks[(size_t)e * room + lane];
        if (unwritten && !count++)
            *first = e;
    }
    return count;
}

static enum ct_status check_buffer(const struct ct_plan_buffer *buffer,
                                   const struct ct_plan_buffer *expected,
                                   const unsigned char *marks, struct ct_err *err)
{
    bool whole = buffer->reduce != CT_REDUCE_NONE || buffer->compare > expected->compare;
    uint64_t compare = whole ? expected->compare : buffer->compare;
    uint64_t first = 0;
    uint64_t count = count_unwritten(expected, compare, marks, &first);

    if (!count)
        return CT_OK;
    if (count == compare)
        return ct_err_set(
            err, CT_E_SPEC,
            "the reference does not write '%s', so there is nothing to compare it "
            "with: make the reference write it, or remove its 'check'",
            buffer->name);
    return ct_err_set(
        err, CT_E_SPEC,
        "the reference does not write %" PRIu64 " of %" PRIu64
        " elements of '%s' (the first is %s[%" PRIu64
        "]), so they cannot be compared: make it write them, use 'compare' to "
        "compare only the elements before them, or give '%s' a 'fill' that "
        "these elements keep",
        count, compare, buffer->name, buffer->name, first, buffer->name);
}

enum ct_status ct_unwritten_check(const struct ct_dataset *dataset,
                                  const struct ct_plan *plan, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < dataset->count; i++)
        if (dataset->buffers[i].expected.unwritten)
            status = check_buffer(&plan->buffers[i], ct_expected_buffer(plan, i),
                                  dataset->buffers[i].expected.unwritten, err);
    return status;
}
