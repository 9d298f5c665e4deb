// SPDX-License-Identifier: Apache-2.0
// Images and samplers.
#include "device/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ct_texture_sampler {
    struct ct_device *device;
    cl_sampler id;
};

struct constant {
    const char *name;
    cl_uint value;
};

#define NAMED(prefix, name)                                                              \
    {                                                                                    \
#name, prefix##name                                                              \
    }

static const struct constant orders[] = {
    NAMED(CL_, R), NAMED(CL_, RG), NAMED(CL_, RGBA), NAMED(CL_, BGRA), {NULL, 0},
};

static const struct constant channels[] = {
    NAMED(CL_, FLOAT),
    NAMED(CL_, HALF_FLOAT),
    NAMED(CL_, UNORM_INT8),
    NAMED(CL_, UNORM_INT16),
    NAMED(CL_, SIGNED_INT8),
    NAMED(CL_, SIGNED_INT16),
    NAMED(CL_, SIGNED_INT32),
    NAMED(CL_, UNSIGNED_INT8),
    NAMED(CL_, UNSIGNED_INT16),
    NAMED(CL_, UNSIGNED_INT32),
    {NULL, 0},
};

static const struct constant addressings[] = {
    NAMED(CL_ADDRESS_, NONE),
    NAMED(CL_ADDRESS_, CLAMP),
    NAMED(CL_ADDRESS_, CLAMP_TO_EDGE),
    NAMED(CL_ADDRESS_, REPEAT),
    NAMED(CL_ADDRESS_, MIRRORED_REPEAT),
    {NULL, 0},
};

static bool find_constant(const struct constant *table, const char *name, cl_uint *value)
{
    for (; table->name; table++) {
        if (!strcmp(table->name, name)) {
            *value = table->value;
            return true;
        }
    }
    return false;
}

static cl_mem_object_type type_of(const struct ct_image_shape *shape)
{
    return shape->dims == 1   ? CL_MEM_OBJECT_IMAGE1D
           : shape->dims == 2 ? CL_MEM_OBJECT_IMAGE2D
                              : CL_MEM_OBJECT_IMAGE3D;
}

static bool supports(struct ct_device *device, cl_mem_object_type type,
                     const cl_image_format *format)
{
    cl_uint count = 0;
    cl_image_format *formats;
    bool found = false;

    if (device->cl->clGetSupportedImageFormats(device->context, CL_MEM_READ_WRITE, type,
                                               0, NULL, &count) != CL_SUCCESS)
        return false;
    formats = ct_mem_array(count, sizeof(*formats));
    if (formats &&
        device->cl->clGetSupportedImageFormats(device->context, CL_MEM_READ_WRITE, type,
                                               count, formats, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; i < count; i++)
            found |=
                formats[i].image_channel_order == format->image_channel_order &&
                formats[i].image_channel_data_type == format->image_channel_data_type;
    free(formats);
    return found;
}

/* Drivers cannot be relied on to refuse excessive sizes. */
static enum ct_status check_size(struct ct_device *device,
                                 const struct ct_image_shape *shape, struct ct_err *err)
{
    static const enum ct_devprop limits[2][3] = {
        {CT_DEVICE_IMAGE2D_MAX_WIDTH, CT_DEVICE_IMAGE2D_MAX_HEIGHT, CT_DEVPROP_COUNT},
        {CT_DEVICE_IMAGE3D_MAX_WIDTH, CT_DEVICE_IMAGE3D_MAX_HEIGHT,
         CT_DEVICE_IMAGE3D_MAX_DEPTH},
    };

    for (unsigned d = 0; d < shape->dims; d++) {
        int64_t most =
            ct_devinfo_int(&device->info, limits[shape->dims == 3][d], INT64_MAX);

        if (!shape->size[d] || shape->size[d] > (uint64_t)most)
            return ct_device_refuse(
                device, err,
                "an image of %" PRIu64
                " pixels in dimension %u is not supported; the device supports 1 to %" PRId64,
                shape->size[d], d, most);
    }
    return CT_OK;
}

static enum ct_status create_image(struct ct_buffer *image,
                                   const struct ct_image_shape *shape,
                                   const cl_image_format *format, struct ct_err *err)
{
    struct ct_device *device = image->device;
    cl_image_desc desc;
    cl_int code;

    memset(&desc, 0, sizeof(desc));
    desc.image_type = type_of(shape);
    desc.image_width = image->region[0];
    desc.image_height = shape->dims > 1 ? image->region[1] : 0;
    desc.image_depth = shape->dims > 2 ? image->region[2] : 0;
    if (image->home == CT_HOME_USE_HOST &&
        posix_memalign(&image->host, 4096, image->size_bytes)) {
        image->host = NULL;
        return ct_err_nomem(err);
    }
    image->data = device->cl->clCreateImage(device->context, ct_home_flags(image->home),
                                            format, &desc, image->host, &code);
    return image->data ? CT_OK : ct_device_fail(device, err, "clCreateImage", code);
}

/* Checks the shape and converts its names to OpenCL's numbers. */
static enum ct_status find_format(struct ct_device *device,
                                  const struct ct_image_shape *shape,
                                  cl_image_format *format, struct ct_err *err)
{
    if (!device->cl->clCreateImage ||
        !ct_devinfo_int(&device->info, CT_DEVICE_IMAGE_SUPPORT, 0))
        return ct_device_refuse(device, err, "the device does not support images");
    if (shape->dims < 1 || shape->dims > 3 ||
        !find_constant(orders, shape->order, &format->image_channel_order) ||
        !find_constant(channels, shape->channel, &format->image_channel_data_type) ||
        !supports(device, type_of(shape), format))
        return ct_device_refuse(
            device, err,
            "the device does not support %uD images of format CL_%s CL_%s for "
            "reading and writing",
            shape->dims, shape->order, shape->channel);
    return check_size(device, shape, err);
}

enum ct_status ct_image_check(struct ct_device *device,
                              const struct ct_image_shape *shape, struct ct_err *err)
{
    cl_image_format format;

    return find_format(device, shape, &format, err);
}

enum ct_status ct_image_new(struct ct_device *device, const struct ct_image_shape *shape,
                            enum ct_home home, struct ct_buffer **out, struct ct_err *err)
{
    cl_image_format format;
    struct ct_buffer *image;
    enum ct_status status = find_format(device, shape, &format, err);

    if (status)
        return status;
    image = calloc(1, sizeof(*image));
    if (!image)
        return ct_err_nomem(err);
    image->device = device;
    image->image = true;
    image->home = home;
    image->pixel_bytes = shape->pixel_bytes;
    image->size_bytes = shape->pixel_bytes;
    for (unsigned d = 0; d < 3; d++) {
        image->region[d] = d < shape->dims ? (size_t)shape->size[d] : 1;
        image->size_bytes *= image->region[d];
    }
    status = create_image(image, shape, &format, err);
    if (status) {
        ct_buffer_free(image);
        return status;
    }
    *out = image;
    return CT_OK;
}

enum ct_status ct_image_transfer(struct ct_buffer *image, void *read, const void *write,
                                 bool wait, struct ct_err *err)
{
    static const size_t origin[3];
    struct ct_device *device = image->device;
    cl_bool block = wait ? CL_TRUE : CL_FALSE;
    cl_int code;

    if (read)
        code = device->cl->clEnqueueReadImage(device->queue, image->data, block, origin,
                                              image->region, 0, 0, read, 0, NULL, NULL);
    else
        code = device->cl->clEnqueueWriteImage(device->queue, image->data, block, origin,
                                               image->region, 0, 0, write, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        return CT_OK;
    ct_device_fail(device, err, read ? "clEnqueueReadImage" : "clEnqueueWriteImage",
                   code);
    /* A read itself cannot be refused: a failure is that of earlier work. */
    if (read)
        device->failure = CT_DEVICE_BROKEN;
    return CT_E_DEVICE;
}

cl_int ct_image_map(struct ct_buffer *image, cl_map_flags flags,
                    struct ct_mapping *mapping)
{
    static const size_t origin[3];
    struct ct_device *device = image->device;
    size_t row = 0;
    size_t plane = 0;
    cl_int code = CL_SUCCESS;

    mapping->bytes =
        device->cl->clEnqueueMapImage(device->queue, image->data, CL_TRUE, flags, origin,
                                      image->region, &row, &plane, 0, NULL, NULL, &code);
    mapping->row_bytes = row;
    /* Drivers give no slice pitch for images with one slice. */
    mapping->plane_bytes = plane ? plane : row * image->region[1];
    return code;
}

static size_t mapped_rows(const struct ct_buffer *buffer, size_t *row_bytes,
                          size_t *planes)
{
    if (!buffer->image) {
        *row_bytes = buffer->size_bytes;
        *planes = 1;
        return 1;
    }
    *row_bytes = buffer->region[0] * buffer->pixel_bytes;
    *planes = buffer->region[2];
    return buffer->region[1];
}

void ct_mapping_store(const struct ct_buffer *buffer, const struct ct_mapping *mapping,
                      const void *bytes)
{
    const unsigned char *from = bytes;
    size_t row_bytes;
    size_t planes;
    size_t count = mapped_rows(buffer, &row_bytes, &planes);

    for (size_t z = 0; z < planes; z++)
        for (size_t y = 0; y < count; y++, from += row_bytes)
            memcpy(mapping->bytes + z * mapping->plane_bytes + y * mapping->row_bytes,
                   from, row_bytes);
}

void ct_mapping_load(const struct ct_buffer *buffer, const struct ct_mapping *mapping,
                     void *bytes)
{
    unsigned char *to = bytes;
    size_t row_bytes;
    size_t planes;
    size_t count = mapped_rows(buffer, &row_bytes, &planes);

    for (size_t z = 0; z < planes; z++)
        for (size_t y = 0; y < count; y++, to += row_bytes)
            memcpy(to, mapping->bytes + z * mapping->plane_bytes + y * mapping->row_bytes,
                   row_bytes);
}

cl_int ct_image_zero(struct ct_buffer *image, cl_event *event)
{
    /* Zero in all three forms that a colour may have. */
    static const cl_uint colour[4];
    static const size_t origin[3];
    struct ct_device *device = image->device;

    if (!device->cl->clEnqueueFillImage)
        return CL_INVALID_OPERATION;
    return device->cl->clEnqueueFillImage(device->queue, image->data, colour, origin,
                                          image->region, 0, NULL, event);
}

cl_int ct_image_copy(struct ct_buffer *from, struct ct_buffer *to, cl_event *event)
{
    static const size_t origin[3];
    struct ct_device *device = from->device;
    const struct ct_opencl *cl = device->cl;

    /* Part of an image is not a row of bytes: only complete ones are copied. */
    if (from->size_bytes != to->size_bytes)
        return CL_INVALID_IMAGE_SIZE;
    if (from->image && to->image) {
        if (memcmp(from->region, to->region, sizeof(from->region)) != 0)
            return CL_INVALID_IMAGE_SIZE;
        return cl->clEnqueueCopyImage(device->queue, from->data, to->data, origin, origin,
                                      from->region, 0, NULL, event);
    }
    /* The whole buffer with an offset: PoCL 3.1 crashes on sub-buffers here. */
    if (from->image)
        return cl->clEnqueueCopyImageToBuffer(device->queue, from->data, to->whole,
                                              origin, from->region, to->before_bytes, 0,
                                              NULL, event);
    return cl->clEnqueueCopyBufferToImage(device->queue, from->whole, to->data,
                                          from->before_bytes, origin, to->region, 0, NULL,
                                          event);
}

/* --- samplers --- */

enum ct_status ct_texture_sampler_new(struct ct_device *device, bool normalized,
                                      const char *addressing, bool linear,
                                      struct ct_texture_sampler **out, struct ct_err *err)
{
    struct ct_texture_sampler *sampler;
    cl_uint mode;
    cl_int code;

    if (!ct_devinfo_int(&device->info, CT_DEVICE_IMAGE_SUPPORT, 0))
        return ct_device_refuse(device, err, "the device does not support images");
    if (!find_constant(addressings, addressing, &mode))
        return ct_device_refuse(device, err, "unknown addressing mode %s", addressing);
    sampler = calloc(1, sizeof(*sampler));
    if (!sampler)
        return ct_err_nomem(err);
    sampler->device = device;
    sampler->id = device->cl->clCreateSampler(
        device->context, normalized ? CL_TRUE : CL_FALSE, (cl_addressing_mode)mode,
        linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &code);
    if (!sampler->id) {
        free(sampler);
        return ct_device_fail(device, err, "clCreateSampler", code);
    }
    *out = sampler;
    return CT_OK;
}

void ct_texture_sampler_free(struct ct_texture_sampler *sampler)
{
    if (!sampler)
        return;
    sampler->device->cl->clReleaseSampler(sampler->id);
    free(sampler);
}

enum ct_status ct_kernel_set_sampler(struct ct_kernel *kernel, size_t index,
                                     const struct ct_texture_sampler *sampler,
                                     struct ct_err *err)
{
    return ct_kernel_set_value(kernel, index, &sampler->id, sizeof(sampler->id), err);
}
