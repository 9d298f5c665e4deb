// SPDX-License-Identifier: Apache-2.0
// Reads into two pieces of memory by turns.
#include "layer/reading.h"

#include "layer/memory.h"

#include "base/mem.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct ct_reading {
    cl_command_queue queue;
    const struct ct_argument_info *info; /* borrowed */
    cl_mem from;
    cl_mem
        own; /* an image's copy, or a buffer's piece, if the host may not read `from` */
    size_t width;    /* bytes of a row; of all of a buffer */
    size_t height;   /* rows of a slice of an image */
    size_t rows;     /* of a piece */
    size_t in_slice; /* pieces of a slice */
    size_t count;
    size_t started; /* pieces, and those that were given out */
    size_t taken;
    cl_event event; /* of the piece that was started and not taken */
    bool stuck;     /* CT_MEMORY_STUCK: the device may still write to `bytes` */
    char *bytes[2];
    struct ct_reading *next; /* of those that are left to the device */
};

/* What the device may still write to; nobody knows until when. */
static _Atomic(struct ct_reading *) left;

/* Whether the host may not read it. */
static bool is_hidden(cl_mem memory)
{
    cl_mem_flags flags = 0;

    ct_real.clGetMemObjectInfo(memory, CL_MEM_FLAGS, sizeof(flags), &flags, NULL);
    return flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY);
}

static size_t divide_up(size_t value, size_t by)
{
    return value / by + (value % by != 0);
}

/* --- its shape --- */

static bool shape_image(struct ct_reading *reading)
{
    cl_image_format format;
    size_t size[3];
    size_t pixel_bytes;

    if (!ct_memory_image(reading->info->memory, size, &pixel_bytes, &format))
        return false;
    reading->width = size[0] * pixel_bytes;
    reading->height = size[1];
    if (!reading->width || !reading->height)
        return false;
    reading->rows = CT_READING_PIECE_BYTES / reading->width;
    if (!reading->rows)
        reading->rows = 1;
    if (reading->rows > reading->height)
        reading->rows = reading->height;
    reading->in_slice = divide_up(reading->height, reading->rows);
    reading->count = reading->in_slice * size[2];
    return true;
}

static bool shape(struct ct_reading *reading)
{
    if (reading->info->kind == CT_ARGUMENT_IMAGE)
        return shape_image(reading);
    reading->width = reading->info->size_bytes;
    reading->count = divide_up(reading->width, CT_READING_PIECE_BYTES);
    return true;
}

static size_t piece_room(const struct ct_reading *reading)
{
    if (reading->info->kind == CT_ARGUMENT_IMAGE)
        return reading->width * reading->rows;
    return reading->width < CT_READING_PIECE_BYTES ? reading->width
                                                   : CT_READING_PIECE_BYTES;
}

/* Memory that the host may read, for memory that it may not: all of an image, a piece of a
 * buffer.  0, or a failure of layer/memory.h. */
static int make_own(struct ct_reading *reading)
{
    bool is_image = reading->info->kind == CT_ARGUMENT_IMAGE;
    struct ct_argument_info like = *reading->info;
    cl_context context = NULL;
    cl_int status;

    ct_real.clGetCommandQueueInfo(reading->queue, CL_QUEUE_CONTEXT, sizeof(cl_context),
                                  &context, NULL);
    like.size_bytes = is_image ? like.size_bytes : piece_room(reading);
    reading->own = ct_memory_like(context, &like);
    if (!reading->own || (is_image && !ct_memory_copy(reading->queue, reading->info,
                                                      reading->from, reading->own)))
        return CT_MEMORY_DEVICE;
    status = is_image ? ct_layer_drain(reading->queue) : CL_COMPLETE;
    reading->stuck = status > CL_COMPLETE;
    return reading->stuck ? CT_MEMORY_STUCK : status ? CT_MEMORY_DEVICE : 0;
}

/* --- pieces --- */

static size_t length_of(const struct ct_reading *reading, size_t piece)
{
    size_t room = piece_room(reading);
    size_t first;

    if (reading->info->kind != CT_ARGUMENT_IMAGE)
        return piece + 1 < reading->count ? room : reading->width - piece * room;
    first = piece % reading->in_slice * reading->rows;
    return (reading->height - first < reading->rows ? reading->height - first
                                                    : reading->rows) *
           reading->width;
}

static bool start_image(struct ct_reading *reading, size_t piece, void *bytes)
{
    cl_image_format format;
    size_t size[3];
    size_t pixel_bytes;
    size_t origin[3] = {0, piece % reading->in_slice * reading->rows,
                        piece / reading->in_slice};

    if (!ct_memory_image(reading->info->memory, size, &pixel_bytes, &format))
        return false;
    size[1] = length_of(reading, piece) / reading->width;
    size[2] = 1;
    return !ct_real.clEnqueueReadImage(
        reading->queue, reading->own ? reading->own : reading->from, CL_FALSE, origin,
        size, 0, 0, bytes, 0, NULL, &reading->event);
}

static bool start_buffer(struct ct_reading *reading, size_t piece, void *bytes)
{
    size_t at = piece * piece_room(reading);
    size_t length = length_of(reading, piece);
    cl_event copied = NULL;
    bool good;

    if (!reading->own)
        return !ct_real.clEnqueueReadBuffer(reading->queue, reading->from, CL_FALSE, at,
                                            length, bytes, 0, NULL, &reading->event);
    /* The piece before has left `own`: it was waited for. */
    if (ct_real.clEnqueueCopyBuffer(reading->queue, reading->from, reading->own, at, 0,
                                    length, 0, NULL, &copied))
        return false;
    good = !ct_real.clEnqueueReadBuffer(reading->queue, reading->own, CL_FALSE, 0, length,
                                        bytes, 1, &copied, &reading->event);
    ct_real.clReleaseEvent(copied);
    return good;
}

static bool start_piece(struct ct_reading *reading)
{
    size_t piece = reading->started;
    char *bytes = reading->bytes[piece % 2];

    reading->event = NULL;
    if (!(reading->info->kind == CT_ARGUMENT_IMAGE ? start_image(reading, piece, bytes)
                                                   : start_buffer(reading, piece, bytes)))
        return false;
    reading->started++;
    ct_real.clFlush(reading->queue);
    return true;
}

/* Waits for the piece that was started: 0, or a failure of layer/memory.h. */
static int await(struct ct_reading *reading)
{
    int error = ct_memory_await(reading->queue, reading->event);

    reading->stuck = error == CT_MEMORY_STUCK;
    reading->event = NULL;
    return error;
}

/* --- interface --- */

struct ct_reading *ct_reading_begin(cl_command_queue queue,
                                    const struct ct_argument_info *info, int *error)
{
    struct ct_reading *reading = ct_mem_array(1, sizeof(*reading));

    *error = ENOMEM;
    if (!reading)
        return NULL;
    reading->queue = queue;
    reading->info = info;
    reading->from = info->memory;
    *error = shape(reading) ? 0 : CT_MEMORY_DEVICE;
    if (!*error && is_hidden(info->memory))
        *error = make_own(reading);
    if (*error) {
        ct_reading_end(reading);
        return NULL;
    }
    *error = ENOMEM;
    if ((reading->bytes[0] = ct_mem_array(piece_room(reading) + 1, 1)) &&
        (reading->bytes[1] = ct_mem_array(piece_room(reading) + 1, 1)))
        *error = 0;
    if (!*error)
        return reading;
    ct_reading_end(reading);
    return NULL;
}

size_t ct_reading_count(const struct ct_reading *reading)
{
    return reading->count;
}

void ct_reading_rewind(struct ct_reading *reading)
{
    if (reading->event)
        await(reading);
    reading->started = reading->taken = 0;
}

const void *ct_reading_next(struct ct_reading *reading, size_t *length, int *error)
{
    size_t piece = reading->taken;

    *error = reading->stuck ? CT_MEMORY_STUCK : 0;
    if (!*error && reading->started == piece && !start_piece(reading))
        *error = CT_MEMORY_DEVICE;
    if (!*error)
        *error = await(reading);
    if (*error)
        return NULL;
    reading->taken++;
    *length = length_of(reading, piece);
    /* If it is refused, it is asked for once more when its turn comes. */
    if (reading->started < reading->count)
        start_piece(reading);
    return reading->bytes[piece % 2];
}

bool ct_reading_end(struct ct_reading *reading)
{
    bool stuck;

    if (!reading)
        return true;
    if (reading->event)
        await(reading);
    stuck = reading->stuck;
    if (reading->own)
        ct_real.clReleaseMemObject(reading->own);
    if (stuck) {
        reading->next = atomic_load(&left);
        while (!atomic_compare_exchange_weak(&left, &reading->next, reading)) {
        }
        return false;
    }
    free(reading->bytes[0]);
    free(reading->bytes[1]);
    free(reading);
    return true;
}
