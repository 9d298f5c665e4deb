// SPDX-License-Identifier: Apache-2.0
// OpenCL as it is below the layer, and what the environment asks of the layer.
//
// The layer is loaded into other people's programs: it never ends them, never changes a result,
// and says what it has to say on standard error in one line.  Its state is global, because OpenCL's
// functions have no place for it.
#ifndef CT_LAYER_REAL_H
#define CT_LAYER_REAL_H

// Programs of all ages pass through.
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* What the layer does; `idle` unless the environment says otherwise, `unknown` before the first call
 * of a program that has loaded it by LD_PRELOAD. */
enum ct_layer_task {
    CT_LAYER_UNKNOWN = -1,
    CT_LAYER_IDLE,
    CT_LAYER_CAPTURE,
    CT_LAYER_EXEC
};

/* The functions below the layer.  Those that the loader does not have are NULL. */
extern struct _cl_icd_dispatch ct_real;

/* Finds the functions, and what to do, at the first call, when the layer is loaded by LD_PRELOAD; for
 * wrappers that pass on what the loader lacks. */
void ct_layer_prepare(void);

/* Read by ct_layer_mode alone. */
extern atomic_int ct_layer_current_task;

/* What to do.  Each call of the program asks, so it is a look at memory. */
static inline enum ct_layer_task ct_layer_mode(void)
{
    int task = atomic_load_explicit(&ct_layer_current_task, memory_order_acquire);

    if (__builtin_expect(task == CT_LAYER_UNKNOWN, 0)) {
        ct_layer_prepare();
        task = atomic_load_explicit(&ct_layer_current_task, memory_order_acquire);
    }
    return (enum ct_layer_task)task;
}

/* Protects what the layer knows of the program's objects, beyond the tables themselves. */
extern pthread_mutex_t ct_layer_lock;

/* Changes whenever a handle may mean something else than before: what was remembered of one for the
 * next call is to be found again. */
extern atomic_uint ct_layer_generation;

/* For variables of a thread: without a function call, in the bytes that glibc reserves for libraries
 * which are opened later.  Other C libraries open none that needs such. */
#ifdef __GLIBC__
#define CT_LAYER_THREAD _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define CT_LAYER_THREAD _Thread_local
#endif

/* "cltune: ..." on standard error. */
void ct_layer_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The environment's value, or NULL if it is missing or empty. */
const char *ct_layer_variable(const char *name);

#endif
