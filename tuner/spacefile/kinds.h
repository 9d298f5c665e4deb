// SPDX-License-Identifier: Apache-2.0
// The terms of the space file that a plan keeps: how a buffer is filled, checked and transferred.
#ifndef CT_SPACEFILE_KINDS_H
#define CT_SPACEFILE_KINDS_H

#include <stdbool.h>

enum ct_fill_kind {
    CT_FILL_NONE, /* every byte 0xFF: NaN for reals */
    CT_FILL_ZERO,
    CT_FILL_CONSTANT,   /* a */
    CT_FILL_RAMP,       /* a + index * b */
    CT_FILL_UNIFORM,    /* between a and b; integers: a to b inclusive */
    CT_FILL_NORMAL,     /* mean a, standard deviation b */
    CT_FILL_COPY,       /* the bytes of buffer sources[0], of the same size */
    CT_FILL_INTERLEAVE, /* element 0 of each source, element 1 of each, ... */
    CT_FILL_FILE,       /* a NumPy file (.npy) whose type and size match */
    CT_FILL_C,          /* void function(T *array, uint64_t count) in a C file */
};

/* When a buffer that launches change is filled again. */
enum ct_restore {
    CT_RESTORE_ONCE, /* before every check */
    CT_RESTORE_EACH, /* also before every timed run, outside the time */
};

/* How a buffer is transferred between host and device if that counts (end to end). */
enum ct_transfer {
    CT_TRANSFER_WRITE, /* clEnqueueWriteBuffer and clEnqueueReadBuffer */
    CT_TRANSFER_MAP,   /* CL_MEM_ALLOC_HOST_PTR, mapped and unmapped */
    CT_TRANSFER_HOST,  /* CL_MEM_USE_HOST_PTR, mapped and unmapped */
};

/* Both sides of a comparison are first reduced to one value per component, in double. */
enum ct_reduce {
    CT_REDUCE_NONE,
    CT_REDUCE_SUM,
    CT_REDUCE_MIN,
    CT_REDUCE_MAX,
};

/* An image's channels, named as in OpenCL without CL_; the numbers are cltune's own. */
enum ct_channel_order { CT_ORDER_R, CT_ORDER_RG, CT_ORDER_RGBA, CT_ORDER_BGRA };
enum ct_channel_type {
    CT_CHANNEL_FLOAT,
    CT_CHANNEL_HALF_FLOAT,
    CT_CHANNEL_UNORM_INT8,
    CT_CHANNEL_UNORM_INT16,
    CT_CHANNEL_SIGNED_INT8,
    CT_CHANNEL_SIGNED_INT16,
    CT_CHANNEL_SIGNED_INT32,
    CT_CHANNEL_UNSIGNED_INT8,
    CT_CHANNEL_UNSIGNED_INT16,
    CT_CHANNEL_UNSIGNED_INT32,
};

enum ct_check_kind {
    CT_CHECK_NONE,
    CT_CHECK_RELATIVE, /* |x - r| <= t * max(|r|, rms(reference)) */
    CT_CHECK_ABSOLUTE, /* |x - r| <= t */
    CT_CHECK_EXACT,    /* the same bytes; for reals the same value, or both NaN */
    CT_CHECK_C,        /* a function in C says how many elements are wrong */
    CT_CHECK_COUNT
};

enum ct_arg_kind {
    CT_ARG_BUFFER,
    CT_ARG_SCALAR,
    CT_ARG_LOCAL,   /* local memory; device launches only */
    CT_ARG_SAMPLER, /* device launches only */
    CT_ARG_BYTES,   /* a structure by value; host functions get a pointer to it */
    CT_ARG_NULL,    /* a pointer to nothing */
    CT_ARG_COUNT
};

enum ct_addressing {
    CT_ADDRESS_NONE,
    CT_ADDRESS_CLAMP,
    CT_ADDRESS_CLAMP_TO_EDGE,
    CT_ADDRESS_REPEAT,
    CT_ADDRESS_MIRRORED_REPEAT,
};

struct ct_plan_sampler {
    bool normalized;
    enum ct_addressing addressing;
    bool linear; /* else nearest */
};

enum ct_launch_kind {
    CT_LAUNCH_KERNEL,
    CT_LAUNCH_COPY, /* all bytes of buffer `from` to buffer `to` (the smaller size) */
    CT_LAUNCH_ZERO, /* all bytes of buffer `to` become 0 */
};

#endif
