// SPDX-License-Identifier: Apache-2.0
// What the arguments of a kernel are: memory, values, samplers, local memory.
#ifndef CT_LAYER_ARGUMENTS_H
#define CT_LAYER_ARGUMENTS_H

#include "layer/launch.h"

#include "base/str.h"

enum ct_argument_kind {
    CT_ARGUMENT_VALUE,
    CT_ARGUMENT_BUFFER,
    CT_ARGUMENT_IMAGE,
    CT_ARGUMENT_LOCAL,
    CT_ARGUMENT_SAMPLER,
    CT_ARGUMENT_NULL, /* a pointer to nothing */
    CT_ARGUMENT_OTHER, /* shared virtual memory, pipes, queues: they cannot be written down */
};

enum { CT_ARGUMENT_TEXT = 128 };

struct ct_argument_info {
    enum ct_argument_kind kind;
    char type[CT_ARGUMENT_TEXT]; /* as the source has it, "float4*" */
    char
        resolved[24]; /* the same as a type of OpenCL C (ct_probe_types); "" for others */
    char name[CT_ARGUMENT_TEXT]; /* "" if the driver does not tell */
    /* The kernel promises not to write to it, by the other arguments with this owner neither. */
    bool constant;
    cl_mem memory;
    size_t size_bytes; /* of the buffer */
    cl_uint owner;     /* the first argument with the same memory, or its own number */
};

/* Appends what makes two launches differ in shape: sizes of buffers and images, local memory and
 * values.  Not what is in them. */
void ct_arguments_put_shape(const struct ct_layer_kernel *kernel, struct ct_str *key);

/* Describes all arguments in `infos` (one per argument).  `informed` is a kernel of the same source
 * that was built with -cl-kernel-arg-info.  NULL, or why a launch cannot be written down. */
const char *ct_arguments_describe(const struct ct_layer_kernel *kernel,
                                  cl_kernel informed, struct ct_argument_info *infos);

/* Whether two arguments are parts of one buffer that share bytes, of which one may change. */
bool ct_arguments_overlap(const struct ct_argument_info *infos, cl_uint count);

/* The bytes of all memory, or only of that which may change; each memory once. */
uint64_t ct_arguments_bytes(const struct ct_argument_info *infos, cl_uint count,
                            bool changing);

/* The same kernel of a program that tells about its arguments; NULL if it cannot be had.  The caller
 * releases both. */
cl_kernel ct_arguments_informed(const struct ct_layer_launch *launch,
                                cl_program *program);

#endif
