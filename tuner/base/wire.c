// SPDX-License-Identifier: Apache-2.0
// Reads and writes message values.
#include "base/wire.h"

#include <string.h>

void ct_wire_put_u32(struct ct_str *out, uint32_t value)
{
    ct_str_add(out, &value, sizeof(value));
}

void ct_wire_put_u64(struct ct_str *out, uint64_t value)
{
    ct_str_add(out, &value, sizeof(value));
}

void ct_wire_put_i64(struct ct_str *out, int64_t value)
{
    ct_str_add(out, &value, sizeof(value));
}

void ct_wire_put_f64(struct ct_str *out, double value)
{
    ct_str_add(out, &value, sizeof(value));
}

void ct_wire_put_bytes(struct ct_str *out, const void *bytes, size_t length)
{
    ct_wire_put_u64(out, length);
    ct_str_add(out, bytes, length);
}

void ct_wire_put_text(struct ct_str *out, const char *text)
{
    ct_wire_put_u32(out, text ? 1 : 0);
    if (text)
        ct_wire_put_bytes(out, text, strlen(text));
}

void ct_wire_reader_init(struct ct_wire_reader *in, const void *data, size_t length)
{
    in->data = data;
    in->length = length;
    in->at = 0;
    in->failed = false;
}

static void reader_copy(struct ct_wire_reader *in, void *value, size_t size)
{
    if (in->failed || in->length - in->at < size) {
        in->failed = true;
        memset(value, 0, size);
        return;
    }
    memcpy(value, in->data + in->at, size);
    in->at += size;
}

uint32_t ct_wire_get_u32(struct ct_wire_reader *in)
{
    uint32_t value;

    reader_copy(in, &value, sizeof(value));
    return value;
}

uint64_t ct_wire_get_u64(struct ct_wire_reader *in)
{
    uint64_t value;

    reader_copy(in, &value, sizeof(value));
    return value;
}

int64_t ct_wire_get_i64(struct ct_wire_reader *in)
{
    int64_t value;

    reader_copy(in, &value, sizeof(value));
    return value;
}

double ct_wire_get_f64(struct ct_wire_reader *in)
{
    double value;

    reader_copy(in, &value, sizeof(value));
    return value;
}

size_t ct_wire_get_count(struct ct_wire_reader *in, size_t least_bytes)
{
    uint64_t count = ct_wire_get_u64(in);

    if (in->failed || count > (in->length - in->at) / (least_bytes ? least_bytes : 1)) {
        in->failed = true;
        return 0;
    }
    return (size_t)count;
}

const void *ct_wire_get_bytes(struct ct_wire_reader *in, size_t *length)
{
    size_t size = ct_wire_get_count(in, 1);
    const void *bytes;

    *length = size;
    if (in->failed)
        return NULL;
    bytes = in->data + in->at;
    in->at += size;
    return bytes;
}

char *ct_wire_get_text(struct ct_wire_reader *in, struct ct_arena *arena)
{
    size_t length;
    const void *bytes;
    char *copy;

    if (!ct_wire_get_u32(in))
        return NULL;
    bytes = ct_wire_get_bytes(in, &length);
    if (!bytes)
        return NULL;
    copy = ct_arena_copy(arena, bytes, length);
    if (!copy)
        in->failed = true;
    return copy;
}
