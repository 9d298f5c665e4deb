// SPDX-License-Identifier: Apache-2.0
// The strings of C++ sources, and which of them a kernel's source needs in front of it.
#ifndef CT_INIT_CPP_H
#define CT_INIT_CPP_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct ct_cpp_string {
    const char *name; /* of its variable or macro; "" for none */
    const char *text;
    size_t length;
    const char *
        *before; /* words between the `=` before it and the string, at most eight */
    size_t before_count;
};

struct ct_cpp_strings {
    struct ct_cpp_string
        *items; /* the caller frees; their texts are in `arena`'s memory */
    size_t count;
    size_t room;
    bool has_raw; /* one is R"(...)", which OpenCL C does not have */
};

/* Finds the strings of a zero-terminated C++ source, in its order; several in a row are one.
 * CT_E_NOMEM; free out->items then, too. */
enum ct_status ct_cpp_scan(const char *source, struct ct_arena *arena,
                           struct ct_cpp_strings *out, struct ct_err *err);

/* A text that may be a part of a program. */
struct ct_cpp_part {
    struct ct_cpp_string string;
    size_t file;      /* the index of the file that it is of */
    bool is_plain;    /* the whole file, which is OpenCL C */
    bool has_kernel;  /* and is of the C++ file that kernels are looked for in */
    bool is_needed;   /* it belongs in front of the kernel's */
    const char *path; /* of its .cl file; NULL: it has none */
};

/* Marks as needed the parts that define what parts[chosen], or another part that is needed, uses
 * and does not define, and those whose variables are in its expression.  Of several definitions it
 * takes the last before the chosen part, else the first behind it; those of parts that are marked
 * already come first.  CT_E_NOMEM. */
enum ct_status ct_cpp_need(struct ct_cpp_part *parts, size_t count, size_t chosen,
                           struct ct_err *err);

#endif
