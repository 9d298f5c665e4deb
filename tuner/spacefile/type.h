// SPDX-License-Identifier: Apache-2.0
// OpenCL's scalar and vector types: names, sizes, conversion of values to bytes.
#ifndef CT_SPACEFILE_TYPE_H
#define CT_SPACEFILE_TYPE_H

#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ct_scalar {
    CT_T_CHAR,
    CT_T_UCHAR,
    CT_T_SHORT,
    CT_T_USHORT,
    CT_T_INT,
    CT_T_UINT,
    CT_T_LONG,
    CT_T_ULONG,
    CT_T_HALF,
    CT_T_FLOAT,
    CT_T_DOUBLE,
    CT_T_COUNT
};

/* A scalar (width 1) or a vector (width 2, 3, 4, 8, 16). */
struct ct_type {
    enum ct_scalar scalar;
    unsigned width;
};

enum { CT_TYPE_SIZE_MAX = 128 };

/* Parses "float4"; false if it is not an OpenCL type. */
bool ct_type_parse(const char *name, struct ct_type *type);

/* The same for types in a space file, where `uint1` is uint: the result of `uint${VEC}` if VEC is
 * 1. */
bool ct_type_read(const char *name, struct ct_type *type);

/* Writes the type's OpenCL name ("float4"), at most 16 bytes with the zero. */
void ct_type_name(struct ct_type type, char name[16]);

/* The type's name in C ("uint32_t"); for a vector, that of its scalar. */
const char *ct_type_c_name(struct ct_type type);

/* Bytes of one element in memory: a vector of three has the size of four. */
size_t ct_type_size(struct ct_type type);

/* Bytes of one scalar of it. */
size_t ct_scalar_size(enum ct_scalar scalar);

/* Stores `value` as one scalar of the given type at `bytes` (vectors: all components the same;
 * the caller provides CT_TYPE_SIZE_MAX bytes).  False if the value does not fit the type: out of
 * range, a fraction for an integer, or text. */
bool ct_type_store(struct ct_type type, struct ct_value value, unsigned char *bytes);

/* Reads scalar number `index` of an array of scalars as a double (half included). */
double ct_scalar_load(enum ct_scalar scalar, const void *array, size_t index);

/* Stores a double as scalar number `index` of an array of scalars; integers are rounded
 * to nearest and clamped to their range, NaN becomes 0. */
void ct_scalar_store(enum ct_scalar scalar, void *array, size_t index, double value);

#endif
