// SPDX-License-Identifier: Apache-2.0
// Whether the arguments of a launch fit the kernel's declaration: pure functions.
#ifndef CT_WORKER_BUILD_ARGS_H
#define CT_WORKER_BUILD_ARGS_H

#include "base/err.h"
#include "device/device.h"
#include "plan/plan.h"

#include <stddef.h>

/* Checks argument `index` of `launch` against its declaration.  Refused are: a buffer for
 * anything but a pointer to global or constant memory, local memory for anything but a pointer to
 * it, an image for anything but an image of as many dimensions, a sampler for anything but one, a
 * scalar for a pointer or for a type of other size, width or class (integer, real), a buffer
 * whose scalars differ in size or class from those that the pointer points to.  Kernels may view
 * data as vectors of any width, with or without sign, 16 bits as integer or half, and everything
 * as bytes (char, uchar, void).  Of types with unknown names (typedefs, structures) only the size
 * matters, which argument_sizes.h checks.
 * CT_E_SPEC names the launch, the kernel, the argument and both types. */
enum ct_status ct_args_check(const struct ct_plan *plan,
                             const struct ct_plan_launch *launch, size_t index,
                             const struct ct_kernel_arg *declared, struct ct_err *err);

/* Whether the declared type of an argument that is passed by value is not one of OpenCL's. */
bool ct_args_size_unknown(const struct ct_plan_arg *arg,
                          const struct ct_kernel_arg *declared);

/* Writes an argument as in a space file: "uint", "buffer output (float2)", "local(64 bytes)". */
void ct_args_name(const struct ct_plan *plan, const struct ct_plan_arg *arg, char *out,
                  size_t size);

#endif
