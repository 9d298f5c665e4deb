// SPDX-License-Identifier: Apache-2.0
// Shapes of buffers.
#include "plan/shape.h"

/* Scalars of a record; 1: its elements are scalars. */
static uint64_t components_of(const struct ct_plan_buffer *buffer)
{
    return buffer->type.width > 1 ? buffer->type.width
           : buffer->planes > 1   ? buffer->planes
                                  : 1;
}

/* Whether the image's pixels are the buffer's elements. */
static bool is_image(const struct ct_plan_buffer *buffer)
{
    uint64_t pixels = 1;

    if (!buffer->image.dims || buffer->image.dims > 3)
        return false;
    for (uint32_t d = 0; d < buffer->image.dims; d++)
        if (__builtin_mul_overflow(pixels, buffer->image.size[d], &pixels))
            return false;
    return pixels == buffer->count;
}

struct ct_shape ct_shape_of(const struct ct_plan_buffer *buffer)
{
    uint64_t components = components_of(buffer);
    struct ct_shape shape = {0};

    if (is_image(buffer))
        for (uint32_t d = buffer->image.dims; d-- > 0;)
            shape.size[shape.dims++] = buffer->image.size[d];
    else
        shape.size[shape.dims++] =
            buffer->type.width > 1 ? buffer->count : buffer->count / components;
    if (components > 1)
        shape.size[shape.dims++] = components;
    return shape;
}

struct ct_shape ct_shape_index(const struct ct_plan_buffer *buffer, uint64_t element)
{
    struct ct_shape shape = ct_shape_of(buffer);
    uint64_t components = components_of(buffer);
    uint64_t step = buffer->type.width == 3 ? 4 : components;
    uint64_t record = element / step;
    unsigned d = shape.dims;

    if (components > 1)
        shape.size[--d] = element % step;
    while (d-- > 1) {
        uint64_t size = shape.size[d] ? shape.size[d] : 1;

        shape.size[d] = record % size;
        record /= size;
    }
    shape.size[0] = record;
    return shape;
}
