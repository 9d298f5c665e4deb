// SPDX-License-Identifier: Apache-2.0
// Reads device memory in pieces.
#define _GNU_SOURCE // O_CLOEXEC
#include "layer/memory.h"

#include "layer/counters.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

static int save_image(cl_command_queue queue, cl_mem image, int fd,
                      struct ct_hasher *hasher)
{
    static const size_t origin[3];
    cl_image_format format;
    size_t size[3];
    size_t pixel_bytes;
    size_t length;
    char *bytes;
    int error = CT_MEMORY_DEVICE;

    if (!ct_memory_image(image, size, &pixel_bytes, &format))
        return error;
    length = size[0] * size[1] * size[2] * pixel_bytes;
    bytes = ct_mem_array(length + 1, 1);
    if (!bytes)
        return ENOMEM;
    if (!ct_real.clEnqueueReadImage(queue, image, CL_TRUE, origin, size, 0, 0, bytes, 0,
                                    NULL, NULL)) {
        ct_hasher_add(hasher, bytes, length);
        error = fd < 0 ? 0 : write_all(fd, bytes, length);
    }
    free(bytes);
    return error;
}

/* A copy that the host may read, of a buffer that it may not. */
static cl_mem readable_copy(cl_command_queue queue, cl_mem buffer, size_t size)
{
    cl_context context = NULL;
    cl_mem copy;

    ct_real.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context,
                                  NULL);
    copy = ct_real.clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, NULL);
    if (copy &&
        (ct_real.clEnqueueCopyBuffer(queue, buffer, copy, 0, 0, size, 0, NULL, NULL) ||
         ct_real.clFinish(queue))) {
        ct_real.clReleaseMemObject(copy);
        copy = NULL;
    }
    return copy;
}

static int save_buffer(cl_command_queue queue, cl_mem buffer, size_t size, int fd,
                       struct ct_hasher *hasher)
{
    size_t piece = size < PIECE_BYTES ? size : PIECE_BYTES;
    char *bytes = ct_mem_array(piece + 1, 1);
    cl_mem copy = NULL;
    cl_mem_flags flags = 0;
    int error = bytes ? 0 : ENOMEM;

    ct_real.clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof(flags), &flags, NULL);
    if (!error && flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY)) {
        copy = readable_copy(queue, buffer, size);
        error = copy ? 0 : CT_MEMORY_DEVICE;
    }
    for (size_t at = 0; at < size && !error; at += piece) {
        if (piece > size - at)
            piece = size - at;
        if (ct_real.clEnqueueReadBuffer(queue, copy ? copy : buffer, CL_TRUE, at, piece,
                                        bytes, 0, NULL, NULL))
            error = CT_MEMORY_DEVICE;
        else
            ct_hasher_add(hasher, bytes, piece);
        if (!error && fd >= 0)
            error = write_all(fd, bytes, piece);
    }
    if (copy)
        ct_real.clReleaseMemObject(copy);
    free(bytes);
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
        error = info->kind == CT_ARGUMENT_IMAGE
                    ? save_image(queue, info->memory, fd, hasher)
                    : save_buffer(queue, info->memory, info->size_bytes, fd, hasher);
    if (fd >= 0 && close(fd) && !error)
        error = errno;
    if (!error)
        *hash = ct_hasher_text(hasher);
    ct_hasher_free(hasher);
    return error;
}

int ct_memory_load(cl_command_queue queue, cl_mem buffer, const char *path)
{
    char *bytes = ct_mem_array(PIECE_BYTES, 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = !bytes ? ENOMEM : fd < 0 ? errno : 0;
    size_t at = 0;

    if (!error && lseek(fd, CT_CAPTURE_HEAD_BYTES, SEEK_SET) < 0)
        error = errno;
    while (!error) {
        ssize_t got = read(fd, bytes, PIECE_BYTES);

        if (got < 0 && errno != EINTR)
            error = errno;
        if (!got)
            break;
        if (got > 0 && ct_real.clEnqueueWriteBuffer(queue, buffer, CL_TRUE, at,
                                                    (size_t)got, bytes, 0, NULL, NULL))
            error = CT_MEMORY_DEVICE;
        at += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    free(bytes);
    return error;
}
