// SPDX-License-Identifier: Apache-2.0
// Structures that a source defines.
#ifndef CT_INIT_STRUCTS_H
#define CT_INIT_STRUCTS_H

#include "base/str.h"
#include "init/code.h"

/* The bytes of a structure; 0 if its definition is not in the source or not simple. */
uint64_t ct_structs_size(struct ct_code *code, const char *type);

/* Appends a value of the structure as `args` has it, `struct(float(1), int(1))`; false if unknown. */
bool ct_structs_put(struct ct_code *code, const char *type, struct ct_str *out);

#endif
