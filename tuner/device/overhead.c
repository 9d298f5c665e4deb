// SPDX-License-Identifier: Apache-2.0
// The overheads of launches and allocations, by wall clock.
#include "device/internal.h"

#include "base/clock.h"
#include "base/stats.h"

#include <stdlib.h>
#include <string.h>

enum {
    LAUNCHES = 200,
    BATCHES = 21,
    BATCH = 256, /* launches */
    BUFFERS = 15,
    SMALL_BYTES = 4096,
};

static const size_t large_bytes = (size_t)64 << 20;
static const size_t mib = (size_t)1 << 20;

/* Takes an argument, so that drivers have as much work as for any kernel. */
static const char source[] = "kernel void nothing(global uchar *bytes)\n"
                             "{\n"
                             "    if (get_global_size(0) == 0)\n"
                             "        bytes[0] = 0;\n"
                             "}\n";

static struct ct_overhead summary(double *times_ns, size_t count)
{
    struct ct_overhead overhead;

    ct_stats_median_interval(times_ns, count, 0.95, &overhead.low_ns, &overhead.high_ns);
    overhead.ns = ct_stats_median(times_ns, count);
    return overhead;
}

/* --- launches --- */

/* The time of `count` launches before one clFinish. */
static enum ct_status time_batch(struct ct_device *device, struct ct_kernel *kernel,
                                 size_t count, double *time_ns, struct ct_err *err)
{
    static const uint64_t one[] = {1};
    const uint64_t start_ns = ct_clock_now_ns();
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < count; i++)
        status = ct_kernel_launch(kernel, 1, one, one, NULL, err);
    if (!status)
        status = ct_device_finish(device, err);
    *time_ns = (double)(ct_clock_now_ns() - start_ns) / (double)count;
    return status;
}

static enum ct_status launches(struct ct_device *device, struct ct_kernel *kernel,
                               struct ct_overhead *out, struct ct_err *err)
{
    double times_ns[LAUNCHES];
    /* Some drivers compile at the first one, and clocks speed up. */
    enum ct_status status = time_batch(device, kernel, BATCH, &times_ns[0], err);

    for (size_t i = 0; !status && i < LAUNCHES; i++)
        status = time_batch(device, kernel, 1, &times_ns[i], err);
    if (status)
        return status;
    out[CT_OVERHEAD_LAUNCH] = summary(times_ns, LAUNCHES);
    for (size_t i = 0; !status && i < BATCHES; i++)
        status = time_batch(device, kernel, BATCH, &times_ns[i], err);
    if (!status)
        out[CT_OVERHEAD_QUEUED] = summary(times_ns, BATCHES);
    return status;
}

static enum ct_status launch_overheads(struct ct_device *device, struct ct_overhead *out,
                                       struct ct_err *err)
{
    struct ct_program *program = NULL;
    struct ct_kernel *kernel = NULL;
    struct ct_buffer *buffer = NULL;
    enum ct_status status = ct_program_build(device, source, "", &program, NULL, err);

    if (!status)
        status = ct_kernel_new(program, "nothing", &kernel, err);
    if (!status)
        status = ct_buffer_new(device, SMALL_BYTES, CT_HOME_DEVICE, &buffer, err);
    if (!status)
        status = ct_kernel_set_buffer(kernel, 0, buffer, err);
    if (!status)
        status = launches(device, kernel, out, err);
    ct_kernel_free(kernel);
    ct_buffer_free(buffer);
    ct_program_free(program);
    return status;
}

/* --- allocations --- */

/* Sets every byte, and waits. */
static enum ct_status touch_buffer(struct ct_device *device, cl_mem buffer,
                                   size_t size_bytes, const void *bytes,
                                   struct ct_err *err)
{
    static const cl_uint nothing = 0;
    const char *call = bytes ? "clEnqueueWriteBuffer" : "clEnqueueFillBuffer";
    cl_int code =
        bytes ? device->cl->clEnqueueWriteBuffer(device->queue, buffer, CL_FALSE, 0,
                                                 size_bytes, bytes, 0, NULL, NULL)
              : device->cl->clEnqueueFillBuffer(device->queue, buffer, &nothing,
                                                sizeof(nothing), 0, size_bytes, 0, NULL,
                                                NULL);

    if (code != CL_SUCCESS)
        return ct_device_fail(device, err, call, code);
    return ct_device_finish(device, err);
}

/* How much more a new buffer costs than one that has been used. */
static enum ct_status time_allocation(struct ct_device *device, size_t size_bytes,
                                      const void *bytes, double *time_ns,
                                      struct ct_err *err)
{
    uint64_t times_ns[5];
    enum ct_status status;
    cl_mem buffer;
    cl_int code;

    times_ns[0] = ct_clock_now_ns();
    buffer = device->cl->clCreateBuffer(device->context, CL_MEM_READ_WRITE, size_bytes,
                                        NULL, &code);
    if (!buffer)
        return ct_device_fail(device, err, "clCreateBuffer", code);
    status = touch_buffer(device, buffer, size_bytes, bytes, err);
    times_ns[1] = ct_clock_now_ns();
    if (!status)
        status = touch_buffer(device, buffer, size_bytes, bytes, err);
    times_ns[2] = ct_clock_now_ns();
    device->cl->clReleaseMemObject(buffer);
    /* Drivers may defer the release until then. */
    if (!status)
        status = ct_device_finish(device, err);
    times_ns[3] = ct_clock_now_ns();
    *time_ns = (double)(times_ns[1] - times_ns[0]) - (double)(times_ns[2] - times_ns[1]) +
               (double)(times_ns[3] - times_ns[2]);
    return status;
}

static enum ct_status allocations(struct ct_device *device, size_t size_bytes,
                                  const void *bytes, double times_ns[BUFFERS],
                                  struct ct_err *err)
{
    enum ct_status status = time_allocation(device, size_bytes, bytes, &times_ns[0], err);

    for (size_t i = 0; !status && i < BUFFERS; i++)
        status = time_allocation(device, size_bytes, bytes, &times_ns[i], err);
    return status;
}

/* Never below 0, as the difference of two clock readings may be. */
static struct ct_overhead least_zero(struct ct_overhead overhead)
{
    return (struct ct_overhead){.ns = overhead.ns > 0 ? overhead.ns : 0,
                                .low_ns = overhead.low_ns > 0 ? overhead.low_ns : 0,
                                .high_ns = overhead.high_ns > 0 ? overhead.high_ns : 0};
}

static enum ct_status allocation_overheads(struct ct_device *device,
                                           struct ct_overhead *out, struct ct_err *err)
{
    const int64_t most =
        ct_devinfo_int(&device->info, CT_DEVICE_MAX_MEM_ALLOC_SIZE, (int64_t)large_bytes);
    size_t size_bytes = (uint64_t)most / 4 < large_bytes ? (size_t)most / 4 : large_bytes;
    double times_ns[BUFFERS];
    void *bytes = NULL;
    double size_mib;
    enum ct_status status;

    size_bytes = size_bytes < 2 * mib ? 2 * mib : size_bytes / mib * mib;
    size_mib = (double)size_bytes / (double)mib;
    /* Before OpenCL 1.2 buffers cannot be filled, only written. */
    if (!device->cl->clEnqueueFillBuffer) {
        bytes = calloc(1, size_bytes);
        if (!bytes)
            return ct_err_nomem(err);
        memset(bytes, 1, size_bytes);
    }
    status = allocations(device, SMALL_BYTES, bytes, times_ns, err);
    if (!status) {
        struct ct_overhead small = summary(times_ns, BUFFERS);

        out[CT_OVERHEAD_ALLOCATION] = least_zero(small);
        status = allocations(device, size_bytes, bytes, times_ns, err);
        for (size_t i = 0; !status && i < BUFFERS; i++)
            times_ns[i] = (times_ns[i] - small.ns) / size_mib;
    }
    if (!status)
        out[CT_OVERHEAD_PER_MIB] = least_zero(summary(times_ns, BUFFERS));
    free(bytes);
    return status;
}

enum ct_status ct_device_overheads(struct ct_device *device,
                                   struct ct_overhead out[CT_OVERHEAD_COUNT],
                                   struct ct_err *err)
{
    enum ct_status status = launch_overheads(device, out, err);

    return status ? status : allocation_overheads(device, out, err);
}
