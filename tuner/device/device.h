// SPDX-License-Identifier: Apache-2.0
// OpenCL devices, programs, kernels, buffers and launches, without OpenCL types.
//
// Only worker processes call this header: drivers crash, hang, print and exit.  A failed OpenCL
// call is CT_E_DEVICE with its name and the error's name and number; the kind of error is kept in
// the device (ct_device_failure).  Nothing here is thread-safe.
#ifndef CT_DEVICE_DEVICE_H
#define CT_DEVICE_DEVICE_H

#include "base/devinfo.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/overhead.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_opencl;
struct ct_device;
struct ct_program;
struct ct_kernel;
struct ct_buffer;
struct ct_texture_sampler;

/* --- the loader (opencl.c) --- */

/* Loads libOpenCL.so.1.  CT_E_NO_DEVICE with what to install if it is missing. */
enum ct_status ct_opencl_load(struct ct_opencl **out, struct ct_err *err);

/* Frees the table; nothing made with it may be used any more.  NULL is allowed. */
void ct_opencl_free(struct ct_opencl *cl);

/* --- discovery (discover.c) --- */

/* Every device of every platform, in order of platform and device index; texts belong to the
 * arena.  A platform without devices is skipped but keeps its index; a property that a device
 * does not report is CT_NONE.  No platform at all gives CT_OK and a count of 0.  Errors:
 * CT_E_NOMEM, CT_E_DEVICE. */
enum ct_status ct_device_list(const struct ct_opencl *cl, struct ct_arena *arena,
                              struct ct_devinfo **out, size_t *count, struct ct_err *err);

/* --- a device in use (open.c) --- */

/* Opens a device: a context and an in-order queue with profiling.  CT_E_NO_DEVICE if there is no
 * such index, CT_E_DEVICE if the driver refuses. */
enum ct_status ct_device_open(const struct ct_opencl *cl, unsigned platform_index,
                              unsigned device_index, struct ct_device **out,
                              struct ct_err *err);
void ct_device_close(struct ct_device *device);

/* The device's properties; owned by the device. */
const struct ct_devinfo *ct_device_info(const struct ct_device *device);

/* Waits until everything enqueued is done. */
enum ct_status ct_device_finish(struct ct_device *device, struct ct_err *err);

enum ct_device_failure {
    CT_DEVICE_FINE,    /* nothing failed yet */
    CT_DEVICE_REFUSED, /* the device cannot do this (sizes, memory); it remains usable */
    CT_DEVICE_BROKEN,  /* the context may be lost: end the process */
};

/* The kind of the last failed call. */
enum ct_device_failure ct_device_failure_of(const struct ct_device *device);

/* --- programs (program.c) --- */

enum { CT_DEVICE_LOG_MAX = 64 * 1024 };

/* Builds a program from source.  `log` (initialised; may be NULL) receives the compiler's output,
 * cut at CT_DEVICE_LOG_MAX bytes, also on success.  The caller frees the program before the
 * device is closed. */
enum ct_status ct_program_build(struct ct_device *device, const char *source,
                                const char *options, struct ct_program **out,
                                struct ct_str *log, struct ct_err *err);

/* Makes a program from the result of ct_program_binary on the same device and driver. */
enum ct_status ct_program_load(struct ct_device *device, const void *binary,
                               size_t length, const char *options,
                               struct ct_program **out, struct ct_str *log,
                               struct ct_err *err);

/* Appends the program's binary.  On PoCL this compiles every kernel once more for unknown
 * work-group sizes (about 0.1 s): not for searches that do not store it. */
enum ct_status ct_program_binary(struct ct_program *program, struct ct_str *out,
                                 struct ct_err *err);

/* Appends the names of its kernels, separated by ", ". */
enum ct_status ct_program_kernels(struct ct_program *program, struct ct_str *out,
                                  struct ct_err *err);

/* One more owner, who frees it, too. */
struct ct_program *ct_program_share(struct ct_program *program);
void ct_program_free(struct ct_program *program);

/* --- kernels (kernel.c) --- */

/* One kernel object with its own arguments.  CT_E_NOT_FOUND if the program has no kernel of that
 * name.  The caller frees it before the program. */
enum ct_status ct_kernel_new(struct ct_program *program, const char *name,
                             struct ct_kernel **out, struct ct_err *err);
void ct_kernel_free(struct ct_kernel *kernel);

enum ct_status ct_kernel_arg_count(struct ct_kernel *kernel, size_t *count,
                                   struct ct_err *err);

enum ct_address {
    CT_ADDRESS_GLOBAL,
    CT_ADDRESS_LOCAL,
    CT_ADDRESS_CONSTANT,
    CT_ADDRESS_PRIVATE, /* by value */
};

/* An argument as the kernel declares it. */
struct ct_kernel_arg {
    char name[64];
    char type[64]; /* "float2*", "uint" */
    enum ct_address address;
    bool is_const; /* a pointer to const, or an image that is only read */
};

/* Queries argument `index`.  CT_E_NOT_FOUND if the device does not report it: before OpenCL 1.2,
 * or if the program was built without -cl-kernel-arg-info. */
enum ct_status ct_kernel_set_arg(struct ct_kernel *kernel, size_t index,
                                 struct ct_kernel_arg *arg, struct ct_err *err);

/* What the built kernel needs and allows; 0 if the device does not report it. */
struct ct_kernel_limits {
    uint64_t work_group_size;
    uint64_t local_mem_bytes; /* declared in the kernel, without arguments */
    uint64_t private_mem_bytes;
    uint64_t preferred_multiple;
    uint64_t required[3]; /* reqd_work_group_size */
};
void ct_kernel_limits_get(struct ct_kernel *kernel, struct ct_kernel_limits *limits);

enum ct_status ct_kernel_set_value(struct ct_kernel *kernel, size_t index,
                                   const void *bytes, size_t size_bytes,
                                   struct ct_err *err);
/* A pointer to nothing. */
enum ct_status ct_kernel_set_null(struct ct_kernel *kernel, size_t index,
                                  struct ct_err *err);
enum ct_status ct_kernel_set_local(struct ct_kernel *kernel, size_t index,
                                   size_t size_bytes, struct ct_err *err);
enum ct_status ct_kernel_set_buffer(struct ct_kernel *kernel, size_t index,
                                    const struct ct_buffer *buffer, struct ct_err *err);

/* When a launch ran, from clGetEventProfilingInfo; {NULL} is no event. */
struct ct_event {
    void *handle;
};

/* Enqueues the kernel over `dims` dimensions; `local` is NULL to let the driver choose.
 * `event` (may be NULL) receives an event that the caller frees. */
enum ct_status ct_kernel_launch(struct ct_kernel *kernel, unsigned dims,
                                const uint64_t *global, const uint64_t *local,
                                struct ct_event *event, struct ct_err *err);

/* Whether a finished command was executed: clFinish succeeds on some drivers (VC4CL) although a
 * command failed, and only its execution status tells.  CT_E_DEVICE (broken) with the name of the
 * error.  {NULL} is CT_OK. */
enum ct_status ct_event_executed(struct ct_device *device, struct ct_event event,
                                 struct ct_err *err);

/* Start and end of a finished launch on the device's clock.  False if the driver does not report
 * them. */
bool ct_event_times(struct ct_device *device, struct ct_event event, uint64_t *start_ns,
                    uint64_t *end_ns);

/* --- hardware counters (counters.c) --- */

enum ct_counter {
    CT_COUNTER_EXECUTION_CYCLES,
    CT_COUNTER_IDLE_CYCLES,
    CT_COUNTER_INSTRUCTIONS,
    CT_COUNTER_INSTRUCTION_MISSES,
    CT_COUNTER_L2_MISSES,
    CT_COUNTERS
};

/* Whether events may report them: the driver has cl_vc4cl_performance_counters. */
bool ct_device_counts(const struct ct_device *device);

/* The hardware counters of a finished launch, if the driver has them;
 * NAN for those it does not report, as without permission to read them.  False if none is known. */
bool ct_event_counters(const struct ct_device *device, struct ct_event event,
                       double values[CT_COUNTERS]);

/* Frees the event and sets it to none. */
void ct_event_free(struct ct_device *device, struct ct_event *event);

/* --- buffers with guard bands (buffer.c), images (image.c) --- */

/* Where the driver is to keep a buffer. */
enum ct_home {
    CT_HOME_DEVICE,
    CT_HOME_ALLOC_HOST, /* CL_MEM_ALLOC_HOST_PTR: memory that the host can map */
    CT_HOME_USE_HOST,   /* CL_MEM_USE_HOST_PTR: host memory, aligned to a page */
};

/* Allocates `size_bytes` (at least 1) between two guard bands, filled with a pseudo-random
 * pattern that differs between buffers and places: huge numbers in every real type, so that a
 * kernel that reads there computes nonsense.  ct_buffer_guard_check detects writes there.
 * CLTUNE_GUARDS=off in the environment disables the bands.  The caller frees it before the device
 * is closed. */
enum ct_status ct_buffer_new(struct ct_device *device, size_t size_bytes,
                             enum ct_home home, struct ct_buffer **out,
                             struct ct_err *err);
void ct_buffer_free(struct ct_buffer *buffer);

/* The same buffer for one more owner; it lives until each has freed it. */
struct ct_buffer *ct_buffer_share(struct ct_buffer *buffer);

/* Where it is. */
struct ct_device *ct_buffer_device(const struct ct_buffer *buffer);

/* A note of the owners: whether it still holds the contents that it is to have before a launch.  A
 * new one does not. */
bool ct_buffer_is_clean(const struct ct_buffer *buffer);
void ct_buffer_set_clean(struct ct_buffer *buffer, bool clean);

/* An image's shape.  Order and channel type are named as in OpenCL, without CL_: "RGBA",
 * "UNORM_INT8". */
struct ct_image_shape {
    unsigned dims;    /* 1 to 3 */
    uint64_t size[3]; /* in pixels; 1 beyond dims */
    const char *order;
    const char *channel;
    size_t pixel_bytes;
};

/* Whether the device supports such images: CT_E_DEVICE (refused) with the reason if not. */
enum ct_status ct_image_check(struct ct_device *device,
                              const struct ct_image_shape *shape, struct ct_err *err);

/* Allocates an image that kernels may read and write.  Every function on buffers takes it too:
 * its bytes are those of its pixels, rows packed.  It has no guard bands.  Errors as for
 * ct_image_check, CT_E_NOMEM. */
enum ct_status ct_image_new(struct ct_device *device, const struct ct_image_shape *shape,
                            enum ct_home home, struct ct_buffer **out,
                            struct ct_err *err);

/* Copies the whole buffer to or from the host.  Returns when the copy is done; a write
 * happens after, a read after everything enqueued before it. */
enum ct_status ct_buffer_write(struct ct_buffer *buffer, const void *bytes,
                               struct ct_err *err);
enum ct_status ct_buffer_read(struct ct_buffer *buffer, void *bytes, struct ct_err *err);

/* Enqueues a write; `bytes` must not change until ct_device_finish. */
enum ct_status ct_buffer_write_later(struct ct_buffer *buffer, const void *bytes,
                                     struct ct_err *err);

/* Makes the contents visible to the host, after everything enqueued before: the old ones
 * for reading (`fresh` false), or room to be written whole (`fresh`).  The rows of an
 * image are then `row_bytes` apart, its planes `plane_bytes` (may be NULL). */
struct ct_mapping {
    unsigned char *bytes;
    size_t row_bytes;
    size_t plane_bytes;
};
enum ct_status ct_buffer_map(struct ct_buffer *buffer, bool fresh,
                             struct ct_mapping *mapping, struct ct_err *err);
enum ct_status ct_buffer_unmap(struct ct_buffer *buffer, struct ct_mapping *mapping,
                               struct ct_err *err);

/* Copies what is mapped from or to packed bytes. */
void ct_mapping_store(const struct ct_buffer *buffer, const struct ct_mapping *mapping,
                      const void *bytes);
void ct_mapping_load(const struct ct_buffer *buffer, const struct ct_mapping *mapping,
                     void *bytes);

/* Enqueues setting every byte to 0xFF. */
enum ct_status ct_buffer_poison(struct ct_buffer *buffer, struct ct_err *err);

/* Enqueues setting every byte to 0, or copying all bytes of `from` to `to`, as many as
 * the smaller has; two images must have the same size.  `event` (may be NULL) as for
 * ct_kernel_launch.  CT_E_DEVICE (refused) before OpenCL 1.2. */
enum ct_status ct_buffer_zero(struct ct_buffer *buffer, struct ct_event *event,
                              struct ct_err *err);
enum ct_status ct_buffer_copy(struct ct_buffer *from, struct ct_buffer *to,
                              struct ct_event *event, struct ct_err *err);

/* The place of a write outside a buffer. */
struct ct_guard_hit {
    bool before; /* in the band before the buffer, otherwise behind it */
    /* distance of the nearest damaged byte from the buffer: 0 is the byte right beside it */
    uint64_t offset_bytes;
};

/* Checks both bands, and repairs them if they are damaged.  Images are always intact. */
enum ct_status ct_buffer_guard_check(struct ct_buffer *buffer, bool *intact,
                                     struct ct_guard_hit *hit, struct ct_err *err);

/* --- overheads (overhead.c) --- */

/* Measures the overheads of launches and allocations, on an otherwise idle device: up to some
 * seconds.  Errors as for the calls measured. */
enum ct_status ct_device_overheads(struct ct_device *device,
                                   struct ct_overhead out[CT_OVERHEAD_COUNT],
                                   struct ct_err *err);

/* --- samplers (image.c) --- */

/* A sampler; `addressing` as in OpenCL without CL_ADDRESS_: "NONE", "CLAMP_TO_EDGE".  The caller
 * frees it before the device is closed. */
enum ct_status ct_texture_sampler_new(struct ct_device *device, bool normalized,
                                      const char *addressing, bool linear,
                                      struct ct_texture_sampler **out,
                                      struct ct_err *err);
void ct_texture_sampler_free(struct ct_texture_sampler *sampler);
enum ct_status ct_kernel_set_sampler(struct ct_kernel *kernel, size_t index,
                                     const struct ct_texture_sampler *sampler,
                                     struct ct_err *err);

#endif
