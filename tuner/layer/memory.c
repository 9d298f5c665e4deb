// SPDX-License-Identifier: Apache-2.0
// Reads device memory in pieces.
#define _GNU_SOURCE // O_CLOEXEC
#include "layer/memory.h"

#include "layer/counters.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 16 << 20 };

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t written = write(fd, bytes, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : ENOSPC;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

bool ct_memory_image(cl_mem image, size_t size[3], size_t *pixel_bytes,
                     cl_image_format *format)
{
    bool known =
        !ct_real.clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof(size[0]), &size[0], NULL) &&
        !ct_real.clGetImageInfo(image, CL_IMAGE_HEIGHT, sizeof(size[1]), &size[1],
                                NULL) &&
        !ct_real.clGetImageInfo(image, CL_IMAGE_DEPTH, sizeof(size[2]), &size[2], NULL) &&
        !ct_real.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(*pixel_bytes),
                                pixel_bytes, NULL) &&
        !ct_real.clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(*format), format, NULL);

    for (int i = 0; i < 3; i++)
        if (!size[i])
            size[i] = 1;
    return known;
}

size_t ct_memory_length(const struct ct_argument_info *info)
{
    cl_image_format format;
    size_t size[3];
    size_t pixel_bytes;

    if (info->kind != CT_ARGUMENT_IMAGE)
        return info->size_bytes;
    return ct_memory_image(info->memory, size, &pixel_bytes, &format)
               ? size[0] * size[1] * size[2] * pixel_bytes
               : 0;
}

static cl_mem image_like(cl_context context, cl_mem image)
{
    cl_image_format format;
    cl_image_desc shape = {0};
    size_t size[3];
    size_t pixel_bytes;

    if (!ct_real.clCreateImage || !ct_memory_image(image, size, &pixel_bytes, &format) ||
        ct_real.clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof(shape.image_type),
                                   &shape.image_type, NULL))
        return NULL;
    shape.image_width = size[0];
    shape.image_height = shape.image_type == CL_MEM_OBJECT_IMAGE1D ? 0 : size[1];
    shape.image_depth = shape.image_type == CL_MEM_OBJECT_IMAGE3D ? size[2] : 0;
    return ct_real.clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, NULL, NULL);
}

cl_mem ct_memory_like(cl_context context, const struct ct_argument_info *info)
{
    return info->kind == CT_ARGUMENT_IMAGE
               ? image_like(context, info->memory)
               : ct_real.clCreateBuffer(context, CL_MEM_READ_WRITE, info->size_bytes,
                                        NULL, NULL);
}

bool ct_memory_copy(cl_command_queue queue, const struct ct_argument_info *info,
                    cl_mem from, cl_mem to)
{
    static const size_t origin[3];
    cl_image_format format;
    size_t size[3];
    size_t pixel_bytes;

    if (info->kind != CT_ARGUMENT_IMAGE)
        return !ct_real.clEnqueueCopyBuffer(queue, from, to, 0, 0, info->size_bytes, 0,
                                            NULL, NULL);
    return ct_real.clEnqueueCopyImage &&
           ct_memory_image(info->memory, size, &pixel_bytes, &format) &&
           !ct_real.clEnqueueCopyImage(queue, from, to, origin, origin, size, 0, NULL,
                                       NULL);
}

/* Whether the host may not read it. */
static bool is_hidden(cl_mem memory)
{
    cl_mem_flags flags = 0;

    ct_real.clGetMemObjectInfo(memory, CL_MEM_FLAGS, sizeof(flags), &flags, NULL);
    return flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY);
}

/* A copy that the host may read, of memory that it may not. */
static cl_mem readable_copy(cl_command_queue queue, const struct ct_argument_info *info)
{
    cl_context context = NULL;
    cl_mem copy;

    ct_real.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context,
                                  NULL);
    copy = ct_memory_like(context, info);
    if (copy &&
        (!ct_memory_copy(queue, info, info->memory, copy) || ct_real.clFinish(queue))) {
        ct_real.clReleaseMemObject(copy);
        copy = NULL;
    }
    return copy;
}

static bool read_image(cl_command_queue queue, cl_mem image, void *bytes)
{
    static const size_t origin[3];
    cl_image_format format;
    size_t size[3];
    size_t pixel_bytes;

    return ct_memory_image(image, size, &pixel_bytes, &format) &&
           !ct_real.clEnqueueReadImage(queue, image, CL_TRUE, origin, size, 0, 0, bytes,
                                       0, NULL, NULL);
}

bool ct_memory_read(cl_command_queue queue, const struct ct_argument_info *info,
                    cl_mem from, void *bytes)
{
    return info->kind == CT_ARGUMENT_IMAGE
               ? read_image(queue, from, bytes)
               : !ct_real.clEnqueueReadBuffer(queue, from, CL_TRUE, 0, info->size_bytes,
                                              bytes, 0, NULL, NULL);
}

static int save_image(cl_command_queue queue, cl_mem image, size_t length, int fd,
                      struct ct_hasher *hasher)
{
    char *bytes = length ? ct_mem_array(length + 1, 1) : NULL;
    int error = CT_MEMORY_DEVICE;

    if (!bytes)
        return length ? ENOMEM : error;
    if (read_image(queue, image, bytes)) {
        ct_hasher_add(hasher, bytes, length);
        error = fd < 0 ? 0 : write_all(fd, bytes, length);
    }
    free(bytes);
    return error;
}

static int save_buffer(cl_command_queue queue, cl_mem buffer, size_t size, int fd,
                       struct ct_hasher *hasher)
{
    size_t piece = size < PIECE_BYTES ? size : PIECE_BYTES;
    char *bytes = ct_mem_array(piece + 1, 1);
    int error = bytes ? 0 : ENOMEM;

    for (size_t at = 0; at < size && !error; at += piece) {
        if (piece > size - at)
            piece = size - at;
        if (ct_real.clEnqueueReadBuffer(queue, buffer, CL_TRUE, at, piece, bytes, 0, NULL,
                                        NULL))
            error = CT_MEMORY_DEVICE;
        else
            ct_hasher_add(hasher, bytes, piece);
        if (!error && fd >= 0)
            error = write_all(fd, bytes, piece);
    }
    free(bytes);
    return error;
}

static int save(cl_command_queue queue, const struct ct_argument_info *info, int fd,
                struct ct_hasher *hasher)
{
    cl_mem copy = is_hidden(info->memory) ? readable_copy(queue, info) : NULL;
    cl_mem from = copy ? copy : info->memory;
    int error;

    if (!copy && is_hidden(info->memory))
        return CT_MEMORY_DEVICE;
    error = info->kind == CT_ARGUMENT_IMAGE
                ? save_image(queue, from, ct_memory_length(info), fd, hasher)
                : save_buffer(queue, from, info->size_bytes, fd, hasher);
    if (copy)
        ct_real.clReleaseMemObject(copy);
    return error;
}

int ct_memory_save(cl_command_queue queue, const struct ct_argument_info *info,
                   const char *path, struct ct_hash *hash)
{
    static const char head[CT_CAPTURE_HEAD_BYTES];
    struct ct_hasher *hasher = ct_hasher_new();
    int fd = -1;
    int error = hasher ? 0 : ENOMEM;

    if (!error && path) {
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        error = fd < 0 ? errno : write_all(fd, head, sizeof(head));
    }
    if (!error)
        error = save(queue, info, fd, hasher);
    if (fd >= 0 && close(fd) && !error)
        error = errno;
    if (!error)
        *hash = ct_hasher_text(hasher);
    ct_hasher_free(hasher);
    return error;
}

static bool write_image(cl_command_queue queue, cl_mem image, const void *bytes)
{
    static const size_t origin[3];
    cl_image_format format;
    size_t size[3];
    size_t pixel_bytes;

    return ct_real.clEnqueueWriteImage &&
           ct_memory_image(image, size, &pixel_bytes, &format) &&
           !ct_real.clEnqueueWriteImage(queue, image, CL_TRUE, origin, size, 0, 0, bytes,
                                        0, NULL, NULL);
}

/* Reads up to `length` bytes; what was read, or -1. */
static ssize_t read_some(int fd, char *bytes, size_t length)
{
    size_t at = 0;

    while (at < length) {
        ssize_t got = read(fd, bytes + at, length - at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (!got)
            break;
        at += (size_t)got;
    }
    return (ssize_t)at;
}

/* Images in one piece, buffers in several. */
int ct_memory_load(cl_command_queue queue, const struct ct_argument_info *info, cl_mem to,
                   const char *path)
{
    bool is_image = info->kind == CT_ARGUMENT_IMAGE;
    size_t length = ct_memory_length(info);
    size_t piece = is_image || length < PIECE_BYTES ? length : PIECE_BYTES;
    char *bytes = ct_mem_array(piece + 1, 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = !bytes ? ENOMEM : fd < 0 ? errno : 0;

    if (!error && lseek(fd, CT_CAPTURE_HEAD_BYTES, SEEK_SET) < 0)
        error = errno;
    for (size_t at = 0; at < length && !error; at += piece) {
        if (piece > length - at)
            piece = length - at;
        if (read_some(fd, bytes, piece) != (ssize_t)piece)
            error = EIO;
        else if (is_image
                     ? !write_image(queue, to, bytes)
                     : ct_real.clEnqueueWriteBuffer(queue, to, CL_TRUE, at, piece, bytes,
                                                    0, NULL, NULL) != CL_SUCCESS)
            error = CT_MEMORY_DEVICE;
    }
    if (fd >= 0)
        close(fd);
    free(bytes);
    return error;
}

bool ct_memory_poison(cl_command_queue queue, const struct ct_argument_info *info,
                      cl_mem to)
{
    static const unsigned char pattern = 0xff;
    size_t length = ct_memory_length(info);
    char *bytes;
    bool good;

    if (info->kind != CT_ARGUMENT_IMAGE)
        return ct_real.clEnqueueFillBuffer &&
               !ct_real.clEnqueueFillBuffer(queue, to, &pattern, 1, 0, length, 0, NULL,
                                            NULL);
    bytes = ct_mem_array(length + 1, 1);
    if (!bytes)
        return false;
    memset(bytes, pattern, length);
    good = write_image(queue, to, bytes);
    free(bytes);
    return good;
}
