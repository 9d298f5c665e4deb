// SPDX-License-Identifier: Apache-2.0
// OpenCL as a table of functions, loaded at run time.
//
// The program is never linked with OpenCL: `cltune best` must run without it, and a driver must
// not be loaded into the main process by accident.  Only the files of tuner/device include this
// header.
#ifndef CT_DEVICE_OPENCL_H
#define CT_DEVICE_OPENCL_H

/* clCreateCommandQueue is the only call for a queue in all versions. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* The loader and its functions.  An optional function that it lacks is NULL. */
struct ct_opencl {
    void *library;
#define CT_CL(name, needed) __typeof__(name) *(name);
#include "device/opencl.def"
#undef CT_CL
};

/* Finds a function of a library: sets `function`, a pointer of `size` bytes.  False and NULL if
 * there is none of that name. */
bool ct_library_find(void *library, const char *name, void *function, size_t size);

/* Sets "`call`: CL_INVALID_VALUE (-30)" and returns CT_E_DEVICE. */
enum ct_status ct_opencl_fail(struct ct_err *err, const char *call, cl_int code);

#endif
