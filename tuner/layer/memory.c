// SPDX-License-Identifier: Apache-2.0
// Reads device memory in pieces.
#define _GNU_SOURCE // O_CLOEXEC
#include "layer/memory.h"

#include "layer/counters.h"
#include "layer/outflow.h"
#include "layer/reading.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 16 << 20 };

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

static bool read_image(cl_command_queue queue, cl_mem image, void *bytes, cl_event *event)
{
    static const size_t origin[3];
    cl_image_format format;
    size_t size[3];
    size_t pixel_bytes;

    return ct_memory_image(image, size, &pixel_bytes, &format) &&
           !ct_real.clEnqueueReadImage(queue, image, CL_FALSE, origin, size, 0, 0, bytes,
                                       0, NULL, event);
}

int ct_memory_await(cl_command_queue queue, cl_event event)
{
    cl_int status;

    ct_real.clFlush(queue);
    status = ct_layer_await(event);
    ct_real.clReleaseEvent(event);
    return status > CL_COMPLETE ? CT_MEMORY_STUCK : status ? CT_MEMORY_DEVICE : 0;
}

int ct_memory_read(cl_command_queue queue, const struct ct_argument_info *info,
                   cl_mem from, void *bytes)
{
    cl_event event = NULL;
    bool good =
        info->kind == CT_ARGUMENT_IMAGE
            ? read_image(queue, from, bytes, &event)
            : !ct_real.clEnqueueReadBuffer(queue, from, CL_FALSE, 0, info->size_bytes,
                                           bytes, 0, NULL, &event);

    return good ? ct_memory_await(queue, event) : CT_MEMORY_DEVICE;
}

/* Hashes pieces, and writes them behind the head; without a file, until one differs from `before`.
 * What has come is in `digest`, whose room is enough. */
static int read_pieces(struct ct_reading *reading, struct ct_outflow *out,
                       const struct ct_memory_digest *before,
                       struct ct_memory_digest *digest)
{
    int error = 0;

    for (digest->count = 0; digest->count < ct_reading_count(reading) && !error;) {
        struct ct_hash *hash = &digest->pieces[digest->count];
        size_t length;
        const void *bytes = ct_reading_next(reading, &length, &error);

        if (!bytes)
            return error;
        *hash = ct_hash_bytes(bytes, length);
        digest->count++;
        if (out)
            error = ct_outflow_write(out, bytes, length);
        else if (before &&
                 strcmp(hash->text, before->pieces[digest->count - 1].text) != 0)
            break;
    }
    return error;
}

/* Writes all into a new file. */
static int write_file(struct ct_reading *reading, const char *path, size_t length,
                      struct ct_memory_digest *digest)
{
    static const char head[CT_CAPTURE_HEAD_BYTES];
    struct ct_outflow out;
    int error = ct_outflow_open(&out, path, length);
    int end;

    if (error)
        return error;
    error = ct_outflow_write(&out, head, sizeof(head));
    if (!error)
        error = read_pieces(reading, &out, NULL, digest);
    end = ct_outflow_close(&out);
    return error ? error : end;
}

static int save(struct ct_reading *reading, const char *path, size_t length,
                const struct ct_memory_digest *before, struct ct_memory_digest *digest)
{
    bool same;
    int error;

    if (path && !before)
        return write_file(reading, path, length, digest);
    error = read_pieces(reading, NULL, before, digest);
    same = before && digest->count &&
           !strcmp(digest->pieces[digest->count - 1].text,
                   before->pieces[digest->count - 1].text);
    if (error || !path || same)
        return error;
    ct_reading_rewind(reading);
    return write_file(reading, path, length, digest);
}

int ct_memory_save(cl_command_queue queue, const struct ct_argument_info *info,
                   const char *path, const struct ct_memory_digest *before,
                   struct ct_memory_digest *digest)
{
    int error;
    struct ct_reading *reading = ct_reading_begin(queue, info, &error);

    if (!reading)
        return error;
    digest->pieces = ct_mem_array(ct_reading_count(reading), sizeof(*digest->pieces));
    error = digest->pieces ? save(reading, path, ct_memory_length(info), before, digest)
                           : ENOMEM;
    if (!ct_reading_end(reading))
        error = CT_MEMORY_STUCK;
    if (!error)
        digest->all =
            ct_hash_bytes(digest->pieces, digest->count * sizeof(*digest->pieces));
    return error;
}

void ct_memory_release(struct ct_memory_digest *digest)
{
    free(digest->pieces);
    digest->pieces = NULL;
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
