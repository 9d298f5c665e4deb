// SPDX-License-Identifier: Apache-2.0
// Opens the worker's device, at once or when it is needed.
#include "worker/open.h"

#include "protocol/cache.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum ct_status ct_open_explain(struct ct_err *err)
{
    struct ct_str path;
    bool chosen;
    enum ct_status status;

    ct_str_init(&path);
    status = ct_cache_driver(&path, &chosen, err);
    if (!status && access(path.data, W_OK | X_OK))
        status = ct_err_set(err, CT_E_IO, "cannot write a cache for the driver: %s: %s",
                            path.data, strerror(errno));
    if (status)
        ct_err_prefix(err, "no OpenCL device");
    ct_str_release(&path);
    return status;
}

/* The device that the main process has chosen must still have the same index. */
static enum ct_status same_device(const struct ct_device *device,
                                  const struct ct_devinfo *wanted, struct ct_err *err)
{
    const char *was = ct_devinfo_text(wanted, CT_DEVICE_NAME);
    const char *is = ct_devinfo_text(ct_device_info(device), CT_DEVICE_NAME);

    if (!strcmp(was, is))
        return CT_OK;
    return ct_err_set(err, CT_E_NO_DEVICE, "device %u:%u was %s, but is now %s",
                      wanted->platform_index, wanted->device_index, was, is);
}

enum ct_status ct_open_device(struct ct_session *session, struct ct_wire_reader *in,
                              struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_devinfo wanted;
    struct ct_err cache = CT_ERR_INIT;
    enum ct_status status;

    ct_devinfo_get(in, &arena, &wanted);
    if (in->failed)
        status = ct_err_set(err, CT_E_WORKER, "the request is damaged");
    else
        status = session->cl ? CT_OK : ct_opencl_load(&session->cl, err);
    if (!status)
        status = ct_device_open(session->cl, wanted.platform_index, wanted.device_index,
                                &session->device, err);
    if (!status)
        status = same_device(session->device, &wanted, err);
    else if (status == CT_E_NO_DEVICE && ct_open_explain(&cache))
        status = (*err = cache).code;
    ct_arena_release(&arena);
    return status;
}

enum ct_status ct_open_choose(struct ct_session *session, const struct ct_str *payload,
                              struct ct_err *err)
{
    ct_str_reset(&session->chosen);
    ct_str_add(&session->chosen, payload->data, payload->length);
    return session->chosen.failed ? ct_err_nomem(err) : CT_OK;
}

enum ct_status ct_open_needed(struct ct_session *session, struct ct_err *err)
{
    struct ct_wire_reader in;

    if (session->device)
        return CT_OK;
    if (!session->chosen.length)
        return ct_err_set(err, CT_E_INTERNAL, "no device is open");
    ct_wire_reader_init(&in, session->chosen.data, session->chosen.length);
    return ct_open_device(session, &in, err);
}
