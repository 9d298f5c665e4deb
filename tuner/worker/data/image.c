// SPDX-License-Identifier: Apache-2.0
// Looks up image formats.
#include "worker/data/image.h"

#include <inttypes.h>

static const struct order {
    const char *name;
    unsigned width; /* of a pixel's type */
} orders[] = {
    [CT_ORDER_R] = {"R", 1},
    [CT_ORDER_RG] = {"RG", 2},
    [CT_ORDER_RGBA] = {"RGBA", 4},
    [CT_ORDER_BGRA] = {"BGRA", 4},
};

static const struct channel {
    const char *name;
    size_t size_bytes;
} channels[] = {
    [CT_CHANNEL_FLOAT] = {"FLOAT", 4},
    [CT_CHANNEL_HALF_FLOAT] = {"HALF_FLOAT", 2},
    [CT_CHANNEL_UNORM_INT8] = {"UNORM_INT8", 1},
    [CT_CHANNEL_UNORM_INT16] = {"UNORM_INT16", 2},
    [CT_CHANNEL_SIGNED_INT8] = {"SIGNED_INT8", 1},
    [CT_CHANNEL_SIGNED_INT16] = {"SIGNED_INT16", 2},
    [CT_CHANNEL_SIGNED_INT32] = {"SIGNED_INT32", 4},
    [CT_CHANNEL_UNSIGNED_INT8] = {"UNSIGNED_INT8", 1},
    [CT_CHANNEL_UNSIGNED_INT16] = {"UNSIGNED_INT16", 2},
    [CT_CHANNEL_UNSIGNED_INT32] = {"UNSIGNED_INT32", 4},
};

enum ct_status ct_image_plan_shape(const struct ct_plan_buffer *buffer,
                                   struct ct_image_shape *shape, struct ct_err *err)
{
    const struct order *order = &orders[buffer->image.order];
    const struct channel *channel = &channels[buffer->image.channel];
    uint64_t pixels = 1;

    *shape = (struct ct_image_shape){
        .dims = buffer->image.dims,
        .order = order->name,
        .channel = channel->name,
        .pixel_bytes = ct_type_size(buffer->type),
    };
    /* The driver reads as many bytes as the format has, whatever the size in memory. */
    if (buffer->type.width != order->width ||
        ct_scalar_size(buffer->type.scalar) != channel->size_bytes)
        return ct_err_set(err, CT_E_SPEC, "its type is not that of a CL_%s CL_%s pixel",
                          order->name, channel->name);
    for (unsigned d = 0; d < 3; d++) {
        uint64_t size = d < shape->dims ? buffer->image.size[d] : 1;

        shape->size[d] = size;
        pixels = size && pixels > UINT64_MAX / size ? UINT64_MAX : pixels * size;
    }
    if (pixels != buffer->count)
        return ct_err_set(err, CT_E_SPEC,
                          "%" PRIu64 " pixels are not the %" PRIu64 " elements in memory",
                          pixels, buffer->count);
    return CT_OK;
}
