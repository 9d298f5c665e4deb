// SPDX-License-Identifier: Apache-2.0
// What the layer knows of the program's programs and kernels.
//
// Records are found by the handle.  OpenCL lets threads use them at the same time, except that
// arguments of one kernel are set by one thread; so the tables have a lock, and a kernel's record
// lives as long as its handle.
#ifndef CT_LAYER_OBJECTS_H
#define CT_LAYER_OBJECTS_H

#include "layer/real.h"

#include "base/hash.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct ct_exec_program;
struct ct_exec_shape;
struct ct_variant_kernel;

struct ct_layer_program {
    cl_program handle;
    cl_context context; /* not retained: the handle holds it */
    char *source;       /* NULL: it has none */
    size_t length;
    char *options;        /* of the last build, "" before */
    bool without_options; /* which gave none at all: PoCL then builds in another way */
    struct ct_hash hash;  /* of the source without comments, and the options; "" before */
    const char
        *unusable; /* why it can neither be written nor replaced, or NULL; constant */
    atomic_bool informed; /* built with an option of ours (layer/informed.h) */
    cl_kernel uninformed; /* built without it, to know what drivers say then; or NULL */
    unsigned references;
    struct ct_exec_program *variants; /* builds with stored configurations */
    struct ct_exec_shape *shapes;     /* what is done with launches of its kernels */
};

struct ct_layer_argument {
    size_t size_bytes;
    void *bytes; /* NULL: local memory */
    bool set;
    bool pointer; /* set by clSetKernelArgSVMPointer */
};

/* Whether the value is one that can be set for another kernel. */
static inline bool ct_layer_argument_is_known(const struct ct_layer_argument *argument)
{
    return argument->set && !argument->pointer;
}

struct ct_layer_kernel {
    cl_kernel handle;
    struct ct_layer_program *program;
    char *name;
    struct ct_layer_argument *arguments;
    cl_uint argument_count;
    cl_uint
        unknown_count; /* of arguments that are not set, or by clSetKernelArgSVMPointer */
    bool special;      /* it has execution information, which a copy would lack */
    struct ct_variant_kernel *variants; /* the same kernel of these builds */
};

/* Records a program, instead of an earlier one of the same handle.  `source` is taken over. */
void ct_objects_add_program(cl_program handle, cl_context context, char *source,
                            size_t length, const char *unusable);

/* Records options, and hashes; `why` if it cannot be used further. */
void ct_objects_built(cl_program handle, const char *options, const char *why);

/* Whether a program's launches may be captured: it has a source. */
bool ct_objects_is_usable(cl_program handle);

/* Records that a program was built with an option that it has not asked for, or that it has. */
void ct_objects_inform(cl_program handle, bool informed);
bool ct_objects_is_informed(cl_program handle);

/* Records the same of a program that was linked from parts. */
void ct_objects_inform_as(cl_program handle, cl_program part);

/* Records a program that was linked from a single compiled one: building that one's source with the
 * options of both steps gives the same.  False, and nothing is recorded, if it does not. */
bool ct_objects_linked(cl_program handle, cl_context context, cl_program part,
                       const char *options);

/* Before a handle is released: forgets it when this is the last reference. */
void ct_objects_release_program(cl_program handle);

/* Records a kernel of a program; `model` (or NULL) is one whose arguments it inherits. */
void ct_objects_add_kernel(cl_kernel handle, cl_program program, cl_kernel model);
void ct_objects_release_kernel(cl_kernel handle);

/* NULL if it is not known: out of memory, or a kernel from elsewhere. */
struct ct_layer_kernel *ct_objects_kernel(cl_kernel handle);

/* Remembers an argument that the kernel has accepted. */
void ct_objects_set(struct ct_layer_kernel *kernel, cl_uint index, size_t size_bytes,
                    const void *value, bool pointer);

#endif
