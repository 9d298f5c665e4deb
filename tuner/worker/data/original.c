// SPDX-License-Identifier: Apache-2.0
// Copies on the device of what buffers contain before a launch.
#include "worker/data/original.h"

#include "device/device.h"

#include <string.h>

enum {
    LEAST_BYTES = 1 << 20, /* less is transferred sooner than a launch is over */
    SHARE = 16             /* of the device's memory: at most one part in so many */
};

bool ct_original_worthwhile(const struct ct_session *session,
                            const struct ct_plan_buffer *planned,
                            const struct ct_dataset_buffer *buffer)
{
    const struct ct_devinfo *info = ct_device_info(session->device);
    int64_t memory = ct_devinfo_int(info, CT_DEVICE_GLOBAL_MEM_SIZE, 0);

    return buffer->packed && !planned->image.dims &&
           planned->transfer == CT_TRANSFER_WRITE && !ct_session_on_processor(session) &&
           buffer->device_bytes >= LEAST_BYTES && memory > 0 &&
           buffer->device_bytes <= (uint64_t)memory / SHARE;
}

static void drop(struct ct_dataset_buffer *buffer)
{
    ct_buffer_free(buffer->original);
    buffer->original = NULL;
    buffer->keep_original = false;
}

/* Without one, the host's contents are transferred each time. */
static void make(struct ct_dataset_buffer *buffer)
{
    struct ct_device *device = ct_buffer_device(buffer->device);

    if (ct_buffer_new(device, buffer->device_bytes, CT_HOME_DEVICE, &buffer->original,
                      NULL) ||
        ct_buffer_copy(buffer->device, buffer->original, NULL, NULL) ||
        ct_device_finish(device, NULL))
        drop(buffer);
}

enum ct_status ct_original_restore(struct ct_dataset_buffer *buffer, struct ct_err *err)
{
    enum ct_status status;

    if (buffer->original && !ct_buffer_copy(buffer->original, buffer->device, NULL, NULL))
        return CT_OK;
    if (buffer->original)
        drop(buffer);
    status = ct_buffer_write(buffer->device, buffer->packed, err);
    if (!status && buffer->keep_original && buffer->restored)
        make(buffer);
    buffer->restored = true;
    return status;
}

enum ct_status ct_original_intact(struct ct_dataset_buffer *buffer, void *scratch,
                                  bool *intact, struct ct_err *err)
{
    enum ct_status status;

    *intact = true;
    if (!buffer->original)
        return CT_OK;
    status = ct_buffer_read(buffer->original, scratch, err);
    if (status)
        return status;
    *intact = memcmp(scratch, buffer->packed, buffer->device_bytes) == 0;
    if (!*intact)
        drop(buffer);
    return CT_OK;
}
