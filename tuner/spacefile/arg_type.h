// SPDX-License-Identifier: Apache-2.0
// Types of kernel arguments, as drivers name them.
#ifndef CT_SPACEFILE_ARG_TYPE_H
#define CT_SPACEFILE_ARG_TYPE_H

#include "base/str.h"

#include <stddef.h>

/* A scalar of OpenCL C, or a vector of them. */
struct ct_ctype {
    const char *name;  /* "float"; constant; NULL: a structure, or what is not known */
    const char *npy;   /* "<f4"; constant */
    size_t size_bytes; /* of a scalar */
    unsigned width;    /* 1, 2, 3, 4, 8 or 16 */
};

/* Reads a type's name ("const float4*", "unsigned int"); what it points to counts.  Names that only a
 * program defines are not known. */
struct ct_ctype ct_ctype_read(const char *text);

/* Appends a value as a space file writes it: `float(0.5)`, `int4(1, 2, 3, 4)`, else `bytes('...')`. */
void ct_ctype_put_value(struct ct_str *out, struct ct_ctype type, const char *hex);

#endif
