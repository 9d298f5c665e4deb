// SPDX-License-Identifier: Apache-2.0
// Serializes values for messages between cltune's own processes.
//
// Both ends are the same program on the same machine, so numbers are in native order.  The reader
// still checks every length: a worker corrupted by a driver may send anything.
#ifndef CT_BASE_WIRE_H
#define CT_BASE_WIRE_H

#include "base/mem.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void ct_wire_put_u32(struct ct_str *out, uint32_t value);
void ct_wire_put_u64(struct ct_str *out, uint64_t value);
void ct_wire_put_i64(struct ct_str *out, int64_t value);
void ct_wire_put_f64(struct ct_str *out, double value);

/* Length-prefixed bytes. */
void ct_wire_put_bytes(struct ct_str *out, const void *bytes, size_t length);

/* Length-prefixed text; NULL is preserved. */
void ct_wire_put_text(struct ct_str *out, const char *text);

/* Reads values in the order they were put.  Once anything does not fit, `failed` is set and every
 * further value is zero or NULL; check it once at the end. */
struct ct_wire_reader {
    const unsigned char *data;
    size_t length;
    size_t at;
    bool failed;
};

void ct_wire_reader_init(struct ct_wire_reader *in, const void *data, size_t length);
uint32_t ct_wire_get_u32(struct ct_wire_reader *in);
uint64_t ct_wire_get_u64(struct ct_wire_reader *in);
int64_t ct_wire_get_i64(struct ct_wire_reader *in);
double ct_wire_get_f64(struct ct_wire_reader *in);

/* A number of elements that follow, each of at least `least_bytes`: fails if the rest of the
 * message cannot hold that many, so that a damaged count never becomes an allocation. */
size_t ct_wire_get_count(struct ct_wire_reader *in, size_t least_bytes);

/* Borrowed bytes inside the message; `*length` is set. */
const void *ct_wire_get_bytes(struct ct_wire_reader *in, size_t *length);

/* A zero-terminated copy in the arena, or NULL if NULL was put. */
char *ct_wire_get_text(struct ct_wire_reader *in, struct ct_arena *arena);

#endif
