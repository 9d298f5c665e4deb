// SPDX-License-Identifier: Apache-2.0
// A program's source built with other macros and options, beside the program's own build.
//
// The program keeps its own objects, which it can ask about; what is launched in their place has the
// same arguments.
#ifndef CT_LAYER_VARIANT_H
#define CT_LAYER_VARIANT_H

#include "layer/ask.h"

/* One build; kept with the program. */
struct ct_exec_program {
    struct ct_exec_program *next;
    cl_device_id device;
    char *key;          /* options and source that it was built from */
    cl_program program; /* NULL: it does not build */
};

/* A kernel of such a build, with the arguments of one of the program's kernels. */
struct ct_variant_kernel {
    struct ct_variant_kernel *next;
    const struct ct_exec_program *of;
    cl_kernel handle;
    bool *stale; /* by argument: set since it was passed on */
    bool any_stale;
};

/* Whether the answer needs another build than the program's own: macros that the source uses with
 * other values, or options that it lacks. */
bool ct_variant_is_needed(const struct ct_layer_program *program,
                          const struct ct_ask_answer *answer);

/* The build for an answer, made at the first call; NULL if it does not build.  One thread calls it at a
 * time, and holds no lock. */
const struct ct_exec_program *ct_variant_program(struct ct_layer_program *program,
                                                 cl_device_id device,
                                                 const struct ct_ask_answer *answer);

/* The kernel of that build that belongs to one of the program's kernels, with the arguments that the program
 * has set; NULL if it cannot be had.  The caller holds no lock. */
cl_kernel ct_variant_kernel_of(struct ct_layer_kernel *kernel,
                               const struct ct_exec_program *of);

void ct_variant_kernels_free(struct ct_variant_kernel *variants);
void ct_variant_programs_free(struct ct_exec_program *programs);

#endif
