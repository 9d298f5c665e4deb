// SPDX-License-Identifier: Apache-2.0
// Has a captured program's own builds tell about arguments, and hides that from the program.
//
// Drivers need the option -cl-kernel-arg-info to know the names of arguments, and few programs ask for
// it.  A second build for the names takes as long as the program's own, so that one gets the option.
// Other functions see the options as the program has given them.
#ifndef CT_LAYER_INFORMED_H
#define CT_LAYER_INFORMED_H

#include "layer/real.h"

/* clBuildProgram, under capture of data with the option.  If that fails, or `notify` lets the build go
 * on after the call, the build is as the program asks for it. */
cl_int ct_informed_build(cl_program program, cl_uint count, const cl_device_id *devices,
                         const char *options,
                         void(CL_CALLBACK *notify)(cl_program program, void *user_data),
                         void *user);

/* clCompileProgram without headers likewise. */
cl_int ct_informed_compile(cl_program program, cl_uint count, const cl_device_id *devices,
                           const char *options,
                           void(CL_CALLBACK *notify)(cl_program program, void *user_data),
                           void *user);

/* A program was linked from parts: its kernels tell what theirs do. */
void ct_informed_link(cl_program program, cl_uint count, const cl_program *parts);

/* clGetProgramBuildInfo as the program would see it without the layer. */
cl_int ct_informed_build_info(cl_program program, cl_device_id device,
                              cl_program_build_info name, size_t size, void *value,
                              size_t *size_ret);

/* clGetKernelArgInfo likewise: what the driver does not tell without the option is not available. */
cl_int ct_informed_argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
                                 size_t size, void *value, size_t *size_ret);

#endif
