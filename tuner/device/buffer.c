// SPDX-License-Identifier: Apache-2.0
// Device buffers between guard bands.
//
// One allocation holds band, data, band; kernels get the data as a sub-buffer, so that a
// write beside it lands in a band and not in another allocation.
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

/* Wide enough for a work-group that forgets its bounds check; small enough to be read
 * back for every configuration. */
enum { GUARD_BYTES = 16384 };

struct ct_buffer {
    struct ct_device *device;
    cl_mem whole;
    cl_mem data;
    size_t size_bytes;
    size_t before_bytes; /* of the band before; behind there are GUARD_BYTES */
    uint64_t serial;     /* among the device's buffers: seed of the bands */
};

/* Writes the part of a buffer's pattern from `word` on.  A kernel that forgets its bounds
 * check reads one buffer's band, computes, and writes to the same place of another's: no
 * two bands are alike, and finite values, unlike NaN, do not outlive arithmetic.  They
 * are huge in every real type (each 16 bits are 0x78.. to 0x7B.. with either sign), so
 * that reading them shows as well.  The rest is splitmix64 (Steele, Lea and Flood,
 * 2014). */
static void pattern(const struct ct_buffer *buffer, uint64_t word, unsigned char *bytes,
                    size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t), word++) {
        uint64_t z = ((buffer->serial << 32) + word) * 0x9e3779b97f4a7c15u;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        z = (z & 0x83FF83FF83FF83FFu) | 0x7800780078007800u;
        memcpy(bytes + at, &z, size - at < sizeof(z) ? size - at : sizeof(z));
    }
}

/* What both bands should hold, the one before in front. */
static void pattern_both(const struct ct_buffer *buffer, unsigned char *bytes)
{
    pattern(buffer, 0, bytes, buffer->before_bytes);
    pattern(buffer, UINT32_MAX / 2, bytes + buffer->before_bytes, GUARD_BYTES);
}

/* Room for both bands as they are and as they should be; their sizes are the same for all
 * buffers of a device. */
static enum ct_status scratch(struct ct_device *device, size_t before_bytes,
                              struct ct_err *err)
{
    if (!device->scratch)
        device->scratch = ct_mem_array(before_bytes + GUARD_BYTES, 2);
    return device->scratch ? CT_OK : ct_err_nomem(err);
}

static enum ct_status guard_write(struct ct_buffer *buffer, struct ct_err *err)
{
    struct ct_device *device = buffer->device;
    unsigned char *band = device->scratch;
    cl_int code;

    pattern_both(buffer, band);
    code = device->cl->clEnqueueWriteBuffer(device->queue, buffer->whole, CL_FALSE, 0,
                                            buffer->before_bytes, band, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = device->cl->clEnqueueWriteBuffer(device->queue, buffer->whole, CL_TRUE,
                                                buffer->before_bytes + buffer->size_bytes,
                                                GUARD_BYTES, band + buffer->before_bytes,
                                                0, NULL, NULL);
    return code == CL_SUCCESS ? CT_OK
                              : ct_device_fail(device, err, "clEnqueueWriteBuffer", code);
}

enum ct_status ct_buffer_new(struct ct_device *device, size_t size_bytes,
                             struct ct_buffer **out, struct ct_err *err)
{
    /* Bits, says OpenCL.  A device that does not tell gets a page. */
    int64_t align =
        ct_devinfo_int(&device->info, CT_DEVICE_MEM_BASE_ADDR_ALIGN, 32768) / 8;
    size_t unit = align > 0 && align <= 1 << 20 ? (size_t)align : 4096;
    size_t before = (GUARD_BYTES + unit - 1) / unit * unit;
    struct ct_buffer *buffer;
    cl_buffer_region region = {before, size_bytes};
    enum ct_status status;
    cl_int code;

    if (!size_bytes || size_bytes > SIZE_MAX - before - GUARD_BYTES) {
        device->failure = CT_DEVICE_REFUSED;
        return ct_err_set(err, CT_E_DEVICE, "a buffer of %zu bytes is not possible",
                          size_bytes);
    }
    buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return ct_err_nomem(err);
    buffer->device = device;
    buffer->size_bytes = size_bytes;
    buffer->before_bytes = before;
    buffer->serial = device->buffers_made++;
    buffer->whole =
        device->cl->clCreateBuffer(device->context, CL_MEM_READ_WRITE,
                                   before + size_bytes + GUARD_BYTES, NULL, &code);
    if (!buffer->whole) {
        status = ct_device_fail(device, err, "clCreateBuffer", code);
        goto out;
    }
    buffer->data = device->cl->clCreateSubBuffer(
        buffer->whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (!buffer->data) {
        status = ct_device_fail(device, err, "clCreateSubBuffer", code);
        goto out;
    }
    status = scratch(device, before, err);
    if (!status)
        status = guard_write(buffer, err);
out:
    if (status) {
        ct_buffer_free(buffer);
        return status;
    }
    *out = buffer;
    return CT_OK;
}

void ct_buffer_free(struct ct_buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->data)
        buffer->device->cl->clReleaseMemObject(buffer->data);
    if (buffer->whole)
        buffer->device->cl->clReleaseMemObject(buffer->whole);
    free(buffer);
}

enum ct_status ct_kernel_set_buffer(struct ct_kernel *kernel, size_t index,
                                    const struct ct_buffer *buffer, struct ct_err *err)
{
    return ct_kernel_set_value(kernel, index, &buffer->data, sizeof(buffer->data), err);
}

enum ct_status ct_buffer_write(struct ct_buffer *buffer, const void *bytes,
                               struct ct_err *err)
{
    struct ct_device *device = buffer->device;
    cl_int code =
        device->cl->clEnqueueWriteBuffer(device->queue, buffer->data, CL_TRUE, 0,
                                         buffer->size_bytes, bytes, 0, NULL, NULL);

    return code == CL_SUCCESS ? CT_OK
                              : ct_device_fail(device, err, "clEnqueueWriteBuffer", code);
}

/* A read needs nothing that could be refused: what fails is the work before it. */
static enum ct_status read_failed(struct ct_device *device, struct ct_err *err,
                                  cl_int code)
{
    ct_device_fail(device, err, "clEnqueueReadBuffer", code);
    device->failure = CT_DEVICE_BROKEN;
    return CT_E_DEVICE;
}

enum ct_status ct_buffer_read(struct ct_buffer *buffer, void *bytes, struct ct_err *err)
{
    struct ct_device *device = buffer->device;
    cl_int code =
        device->cl->clEnqueueReadBuffer(device->queue, buffer->data, CL_TRUE, 0,
                                        buffer->size_bytes, bytes, 0, NULL, NULL);

    return code == CL_SUCCESS ? CT_OK : read_failed(device, err, code);
}

/* Without clEnqueueFillBuffer: from the host. */
static enum ct_status poison_by_write(struct ct_buffer *buffer, struct ct_err *err)
{
    unsigned char *bytes = ct_mem_array(buffer->size_bytes, 1);
    enum ct_status status;

    if (!bytes)
        return ct_err_nomem(err);
    memset(bytes, 0xFF, buffer->size_bytes);
    status = ct_buffer_write(buffer, bytes, err);
    free(bytes);
    return status;
}

enum ct_status ct_buffer_poison(struct ct_buffer *buffer, struct ct_err *err)
{
    struct ct_device *device = buffer->device;
    unsigned char pattern[16];
    size_t unit = sizeof(pattern);
    cl_int code = CL_INVALID_OPERATION;

    /* The widest pattern that fits is the fastest: drivers store one at a time. */
    while (buffer->size_bytes % unit)
        unit /= 2;
    memset(pattern, 0xFF, sizeof(pattern));
    if (device->cl->clEnqueueFillBuffer)
        code = device->cl->clEnqueueFillBuffer(device->queue, buffer->data, pattern, unit,
                                               0, buffer->size_bytes, 0, NULL, NULL);
    /* A loader may know the call where the driver does not. */
    return code == CL_SUCCESS ? CT_OK : poison_by_write(buffer, err);
}

/* The damaged byte nearest to the data; `forward` when the band lies behind it. */
static bool band_hit(const unsigned char *band, const unsigned char *right, size_t size,
                     bool forward, uint64_t *offset)
{
    /* Whole as a rule. */
    if (!memcmp(band, right, size))
        return false;
    for (size_t i = 0; i < size; i++) {
        size_t at = forward ? i : size - 1 - i;

        if (band[at] != right[at]) {
            *offset = i;
            return true;
        }
    }
    return false;
}

enum ct_status ct_buffer_guard_check(struct ct_buffer *buffer, bool *intact,
                                     struct ct_guard_hit *hit, struct ct_err *err)
{
    struct ct_device *device = buffer->device;
    unsigned char *before = device->scratch;
    unsigned char *behind = before + buffer->before_bytes;
    unsigned char *right = behind + GUARD_BYTES;
    cl_int code;

    /* One wait for both. */
    code = device->cl->clEnqueueReadBuffer(device->queue, buffer->whole, CL_FALSE, 0,
                                           buffer->before_bytes, before, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = device->cl->clEnqueueReadBuffer(device->queue, buffer->whole, CL_TRUE,
                                               buffer->before_bytes + buffer->size_bytes,
                                               GUARD_BYTES, behind, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return read_failed(device, err, code);
    pattern_both(buffer, right);
    hit->before = !band_hit(behind, right + buffer->before_bytes, GUARD_BYTES, true,
                            &hit->offset_bytes);
    *intact = hit->before &&
              !band_hit(before, right, buffer->before_bytes, false, &hit->offset_bytes);
    return *intact ? CT_OK : guard_write(buffer, err);
}
