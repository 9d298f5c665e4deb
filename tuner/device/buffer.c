// SPDX-License-Identifier: Apache-2.0
// Device buffers between guard bands.
//
// One allocation holds band, data, band; kernels get the data as a sub-buffer, so that a
// write beside it lands in a band and not in another allocation.
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

/* Wide enough for a work-group without a bounds check; small enough to be read back for every
 * configuration. */
enum { GUARD_BYTES = 16384 };

/* Writes the part of a buffer's pattern from `word` on.  A kernel without a bounds check reads
 * one buffer's band, computes, and writes to the same place of another's: therefore all bands
 * differ, and values are finite, because NaN would survive arithmetic unchanged.  They are huge
 * in every real type (each 16 bits are 0x78.. to 0x7B.. with either sign), so that reading them
 * shows as well.  The rest is splitmix64 (Steele, Lea and Flood, 2014). */
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

/* Expected contents of both bands, the front one first. */
static void pattern_both(const struct ct_buffer *buffer, unsigned char *bytes)
{
    pattern(buffer, 0, bytes, buffer->before_bytes);
    pattern(buffer, UINT32_MAX / 2, bytes + buffer->before_bytes, GUARD_BYTES);
}

/* Space for both bands as they are and as expected; their sizes are the same for all buffers of a
 * device. */
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

cl_mem_flags ct_home_flags(enum ct_home home)
{
    return CL_MEM_READ_WRITE | (home == CT_HOME_ALLOC_HOST ? CL_MEM_ALLOC_HOST_PTR
                                : home == CT_HOME_USE_HOST ? CL_MEM_USE_HOST_PTR
                                                           : 0);
}

/* The allocation and the part of it between the bands. */
static enum ct_status create_buffer(struct ct_buffer *buffer, struct ct_err *err)
{
    struct ct_device *device = buffer->device;
    size_t total = buffer->bare ? buffer->size_bytes
                                : buffer->before_bytes + buffer->size_bytes + GUARD_BYTES;
    cl_buffer_region region = {buffer->before_bytes, buffer->size_bytes};
    cl_int code;

    if (buffer->home == CT_HOME_USE_HOST && posix_memalign(&buffer->host, 4096, total)) {
        buffer->host = NULL;
        return ct_err_nomem(err);
    }
    buffer->whole = device->cl->clCreateBuffer(
        device->context, ct_home_flags(buffer->home), total, buffer->host, &code);
    if (!buffer->whole)
        return ct_device_fail(device, err, "clCreateBuffer", code);
    if (buffer->bare) {
        buffer->data = buffer->whole;
        return CT_OK;
    }
    buffer->data = device->cl->clCreateSubBuffer(
        buffer->whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (!buffer->data)
        return ct_device_fail(device, err, "clCreateSubBuffer", code);
    return CT_OK;
}

/* A simulator that checks every access itself must know the buffers' true ends. */
static bool without_guards(void)
{
    const char *guards = getenv("CLTUNE_GUARDS");

    return guards && strcmp(guards, "off") == 0;
}

enum ct_status ct_buffer_new(struct ct_device *device, size_t size_bytes,
                             enum ct_home home, struct ct_buffer **out,
                             struct ct_err *err)
{
    /* In bits, as OpenCL specifies.  A device that does not report it gets a page. */
    int64_t align =
        ct_devinfo_int(&device->info, CT_DEVICE_MEM_BASE_ADDR_ALIGN, 32768) / 8;
    size_t unit = align > 0 && align <= 1 << 20 ? (size_t)align : 4096;
    size_t before = (GUARD_BYTES + unit - 1) / unit * unit;
    struct ct_buffer *buffer;
    enum ct_status status;

    if (!size_bytes || size_bytes > SIZE_MAX - before - GUARD_BYTES)
        return ct_device_refuse(device, err, "a buffer of %zu bytes is not supported",
                                size_bytes);
    buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return ct_err_nomem(err);
    buffer->device = device;
    buffer->size_bytes = size_bytes;
    buffer->bare = without_guards();
    buffer->before_bytes = buffer->bare ? 0 : before;
    buffer->home = home;
    buffer->serial = device->buffers_made++;
    status = create_buffer(buffer, err);
    if (!status && !buffer->bare)
        status = scratch(device, before, err);
    if (!status && !buffer->bare)
        status = guard_write(buffer, err);
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
    if (buffer->more_owners) {
        buffer->more_owners--;
        return;
    }
    if (buffer->data && !buffer->bare)
        buffer->device->cl->clReleaseMemObject(buffer->data);
    if (buffer->whole)
        buffer->device->cl->clReleaseMemObject(buffer->whole);
    free(buffer->host);
    free(buffer);
}

struct ct_buffer *ct_buffer_share(struct ct_buffer *buffer)
{
    buffer->more_owners++;
    return buffer;
}

struct ct_device *ct_buffer_device(const struct ct_buffer *buffer)
{
    return buffer->device;
}

bool ct_buffer_is_clean(const struct ct_buffer *buffer)
{
    return buffer->clean;
}

void ct_buffer_set_clean(struct ct_buffer *buffer, bool clean)
{
    buffer->clean = clean;
}

enum ct_status ct_kernel_set_buffer(struct ct_kernel *kernel, size_t index,
                                    const struct ct_buffer *buffer, struct ct_err *err)
{
    return ct_kernel_set_value(kernel, index, &buffer->data, sizeof(buffer->data), err);
}

static enum ct_status write(struct ct_buffer *buffer, const void *bytes, bool wait,
                            struct ct_err *err)
{
    struct ct_device *device = buffer->device;
    cl_int code;

    if (buffer->image)
        return ct_image_transfer(buffer, NULL, bytes, wait, err);
    code = device->cl->clEnqueueWriteBuffer(device->queue, buffer->data,
                                            wait ? CL_TRUE : CL_FALSE, 0,
                                            buffer->size_bytes, bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? CT_OK
                              : ct_device_fail(device, err, "clEnqueueWriteBuffer", code);
}

enum ct_status ct_buffer_write(struct ct_buffer *buffer, const void *bytes,
                               struct ct_err *err)
{
    return write(buffer, bytes, true, err);
}

enum ct_status ct_buffer_write_later(struct ct_buffer *buffer, const void *bytes,
                                     struct ct_err *err)
{
    return write(buffer, bytes, false, err);
}

/* A read itself cannot be refused: a failure is that of earlier work. */
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
    cl_int code;

    if (buffer->image)
        return ct_image_transfer(buffer, bytes, NULL, true, err);
    code = device->cl->clEnqueueReadBuffer(device->queue, buffer->data, CL_TRUE, 0,
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

/* Enqueues setting every byte of a buffer to one value. */
static cl_int fill_bytes(struct ct_buffer *buffer, unsigned char value, cl_event *event)
{
    struct ct_device *device = buffer->device;
    unsigned char pattern[16];
    size_t unit = sizeof(pattern);

    /* The widest pattern that fits is the fastest: drivers store them one at a time. */
    while (buffer->size_bytes % unit)
        unit /= 2;
    memset(pattern, value, sizeof(pattern));
    if (!device->cl->clEnqueueFillBuffer)
        return CL_INVALID_OPERATION;
    return device->cl->clEnqueueFillBuffer(device->queue, buffer->data, pattern, unit, 0,
                                           buffer->size_bytes, 0, NULL, event);
}

enum ct_status ct_buffer_poison(struct ct_buffer *buffer, struct ct_err *err)
{
    /* A loader may have the call even if the driver does not.  An image cannot be filled with
     * bytes, only with colours.  Oclgrind treats filled memory as uninitialised, whatever is
     * written there later. */
    if (!buffer->image && !buffer->bare && fill_bytes(buffer, 0xFF, NULL) == CL_SUCCESS)
        return CT_OK;
    return poison_by_write(buffer, err);
}

enum ct_status ct_buffer_zero(struct ct_buffer *buffer, struct ct_event *event,
                              struct ct_err *err)
{
    cl_event handle = NULL;
    cl_event *wanted = event ? &handle : NULL;
    cl_int code =
        buffer->image ? ct_image_zero(buffer, wanted) : fill_bytes(buffer, 0, wanted);

    if (code != CL_SUCCESS)
        return ct_device_fail(
            buffer->device, err,
            buffer->image ? "clEnqueueFillImage" : "clEnqueueFillBuffer", code);
    if (event)
        event->handle = handle;
    return CT_OK;
}

enum ct_status ct_buffer_copy(struct ct_buffer *from, struct ct_buffer *to,
                              struct ct_event *event, struct ct_err *err)
{
    struct ct_device *device = from->device;
    size_t size = from->size_bytes < to->size_bytes ? from->size_bytes : to->size_bytes;
    cl_event handle = NULL;
    cl_event *wanted = event ? &handle : NULL;
    cl_int code;

    if (from->image || to->image)
        code = ct_image_copy(from, to, wanted);
    else
        code = device->cl->clEnqueueCopyBuffer(device->queue, from->data, to->data, 0, 0,
                                               size, 0, NULL, wanted);
    if (code != CL_SUCCESS)
        return ct_device_fail(device, err,
                              from->image || to->image ? "clEnqueueCopyImage"
                                                       : "clEnqueueCopyBuffer",
                              code);
    if (event)
        event->handle = handle;
    return CT_OK;
}

static cl_int map(struct ct_buffer *buffer, cl_map_flags flags,
                  struct ct_mapping *mapping)
{
    struct ct_device *device = buffer->device;
    cl_int code = CL_SUCCESS;

    if (buffer->image)
        return ct_image_map(buffer, flags, mapping);
    mapping->bytes =
        device->cl->clEnqueueMapBuffer(device->queue, buffer->data, CL_TRUE, flags, 0,
                                       buffer->size_bytes, 0, NULL, NULL, &code);
    mapping->row_bytes = buffer->size_bytes;
    mapping->plane_bytes = buffer->size_bytes;
    return code;
}

enum ct_status ct_buffer_map(struct ct_buffer *buffer, bool fresh,
                             struct ct_mapping *mapping, struct ct_err *err)
{
    cl_int code =
        map(buffer, fresh ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ, mapping);

    /* Before OpenCL 1.2 the old contents are always transferred. */
    if (code == CL_INVALID_VALUE && fresh)
        code = map(buffer, CL_MAP_WRITE, mapping);
    return code == CL_SUCCESS
               ? CT_OK
               : ct_device_fail(buffer->device, err, "clEnqueueMapBuffer", code);
}

enum ct_status ct_buffer_unmap(struct ct_buffer *buffer, struct ct_mapping *mapping,
                               struct ct_err *err)
{
    struct ct_device *device = buffer->device;
    cl_int code = device->cl->clEnqueueUnmapMemObject(device->queue, buffer->data,
                                                      mapping->bytes, 0, NULL, NULL);

    mapping->bytes = NULL;
    return code == CL_SUCCESS
               ? CT_OK
               : ct_device_fail(device, err, "clEnqueueUnmapMemObject", code);
}

/* The damaged byte nearest to the data; `forward` if the band is behind it. */
static bool band_hit(const unsigned char *band, const unsigned char *right, size_t size,
                     bool forward, uint64_t *offset)
{
    /* Usually intact. */
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
    uint64_t before_offset_bytes = 0;
    bool hit_before;
    bool hit_behind;
    cl_int code;

    *intact = true;
    if (buffer->image || buffer->bare)
        return CT_OK;
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
    hit_behind = band_hit(behind, right + buffer->before_bytes, GUARD_BYTES, true,
                          &hit->offset_bytes);
    hit_before =
        band_hit(before, right, buffer->before_bytes, false, &before_offset_bytes);
    *intact = !hit_before && !hit_behind;
    hit->before = hit_before && (!hit_behind || before_offset_bytes < hit->offset_bytes);
    if (hit->before)
        hit->offset_bytes = before_offset_bytes;
    return *intact ? CT_OK : guard_write(buffer, err);
}
