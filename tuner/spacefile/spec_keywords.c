// SPDX-License-Identifier: Apache-2.0
// Words that OpenCL C reserves ("The OpenCL C Specification" 3.0, 6.1.10 Keywords, and C99, 6.4.1).
#include "spacefile/spec_impl.h"

#include <string.h>

static const char *const keywords[] = {
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "bool",
    "half",
    "quad",
    "complex",
    "imaginary",
    "size_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "global",
    "__global",
    "local",
    "__local",
    "constant",
    "__constant",
    "private",
    "__private",
    "generic",
    "__generic",
    "kernel",
    "__kernel",
    "read_only",
    "__read_only",
    "write_only",
    "__write_only",
    "read_write",
    "__read_write",
    "uniform",
    "pipe",
    "sampler_t",
    "event_t",
    "image1d_t",
    "image1d_array_t",
    "image1d_buffer_t",
    "image2d_t",
    "image2d_array_t",
    "image2d_depth_t",
    "image3d_t",
};

bool ct_spec_is_keyword(const char *name)
{
    struct ct_type type;

    if (ct_type_parse(name, &type))
        return true;
    for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
        if (strcmp(keywords[i], name) == 0)
            return true;
    return false;
}
