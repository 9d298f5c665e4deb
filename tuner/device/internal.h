// SPDX-License-Identifier: Apache-2.0
// Shared by the files of tuner/device.
#ifndef CT_DEVICE_INTERNAL_H
#define CT_DEVICE_INTERNAL_H

#include "device/device.h"
#include "device/opencl.h"

struct ct_device {
    const struct ct_opencl *cl;
    struct ct_arena arena; /* owns the texts of info */
    struct ct_devinfo info;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    enum ct_device_failure failure;
    void *scratch; /* for guard bands (buffer.c) */
    uint64_t buffers_made;
};

struct ct_program {
    struct ct_device *device;
    cl_program id;
    unsigned more_owners;
};

struct ct_kernel {
    struct ct_device *device;
    struct ct_program *program;
    cl_kernel id;
};

struct ct_buffer {
    struct ct_device *device;
    cl_mem whole; /* with guard bands; NULL for an image */
    cl_mem data;
    size_t size_bytes;
    size_t before_bytes; /* of the band before */
    uint64_t serial;     /* among the device's buffers: seed of the bands */
    void *host;          /* for CT_HOME_USE_HOST; else NULL */
    enum ct_home home;
    unsigned more_owners;
    bool clean;
    bool image;
    bool bare;        /* without guard bands: `data` is `whole` */
    size_t region[3]; /* of an image, in pixels */
    size_t pixel_bytes;
};

/* The flags of clCreateBuffer for a home. */
cl_mem_flags ct_home_flags(enum ct_home home);

/* The image's side of the functions on buffers (image.c). */
enum ct_status ct_image_transfer(struct ct_buffer *image, void *read, const void *write,
                                 bool wait, struct ct_err *err);
cl_int ct_image_map(struct ct_buffer *image, cl_map_flags flags,
                    struct ct_mapping *mapping);
cl_int ct_image_zero(struct ct_buffer *image, cl_event *event);
cl_int ct_image_copy(struct ct_buffer *from, struct ct_buffer *to, cl_event *event);

/* Reports that the device does not support this, as a refusal. */
enum ct_status ct_device_refuse(struct ct_device *device, struct ct_err *err,
                                const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads the list of a platform's devices into the arena; none gives a count of 0. */
enum ct_status ct_discover_platforms(const struct ct_opencl *cl, struct ct_arena *arena,
                                     cl_platform_id **out, cl_uint *count,
                                     struct ct_err *err);
enum ct_status ct_discover_devices(const struct ct_opencl *cl, cl_platform_id platform,
                                   struct ct_arena *arena, cl_device_id **out,
                                   cl_uint *count, struct ct_err *err);

/* Fills in `info` except the indices. */
void ct_discover_info(const struct ct_opencl *cl, cl_platform_id platform,
                      cl_device_id id, struct ct_arena *arena, struct ct_devinfo *info);

/* Whether the device lists the extension. */
bool ct_info_has(const struct ct_devinfo *info, const char *extension);
bool ct_device_has(const struct ct_device *device, const char *extension);

/* Records the kind of failure of `code`, and sets `err`.  Returns CT_E_DEVICE. */
enum ct_status ct_device_fail(struct ct_device *device, struct ct_err *err,
                              const char *call, cl_int code);

#endif
