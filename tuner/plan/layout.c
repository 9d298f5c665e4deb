// SPDX-License-Identifier: Apache-2.0
// Sizes of buffers, and where their scalars are.
#include "plan/layout.h"

bool ct_layout_size(const struct ct_plan_buffer *buffer, size_t *size_bytes)
{
    size_t unit = ct_type_size(buffer->type);

    if (buffer->count > SIZE_MAX / 4 / unit)
        return false;
    *size_bytes = (size_t)buffer->count * unit;
    return true;
}

bool ct_layout_has_planes(const struct ct_plan_buffer *buffer)
{
    return buffer->planes > 1;
}

struct ct_layout ct_layout_host(const struct ct_plan_buffer *buffer)
{
    size_t width = buffer->type.width;
    struct ct_layout layout = {
        .scalar = buffer->type.scalar,
        .records = (size_t)buffer->count,
        .components = width,
        .record_step = width == 3 ? 4 : width,
        .scalar_step = 1,
    };

    if (width == 1 && ct_layout_has_planes(buffer)) {
        layout.records = (size_t)(buffer->count / buffer->planes);
        layout.components = buffer->planes;
        layout.record_step = buffer->planes;
    }
    return layout;
}

struct ct_layout ct_layout_device(const struct ct_plan_buffer *buffer)
{
    struct ct_layout layout = ct_layout_host(buffer);

    if (ct_layout_has_planes(buffer)) {
        layout.record_step = 1;
        layout.scalar_step = layout.records;
    }
    return layout;
}

bool ct_layout_device_size(const struct ct_plan_buffer *buffer, size_t *size_bytes)
{
    struct ct_layout layout = ct_layout_host(buffer);

    if (!ct_layout_size(buffer, size_bytes))
        return false;
    if (ct_layout_has_planes(buffer))
        *size_bytes = layout.records * layout.components * ct_scalar_size(layout.scalar);
    return true;
}
