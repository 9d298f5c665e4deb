// SPDX-License-Identifier: Apache-2.0
// Asking a short-lived worker for the devices.
#include "measure/runner.h"

static enum ct_status read_devices(const struct ct_worker *worker, struct ct_arena *arena,
                                   struct ct_devinfo **out, size_t *count,
                                   struct ct_err *err)
{
    struct ct_wire_reader in;
    size_t devices;
    struct ct_devinfo *list;

    ct_wire_reader_init(&in, worker->frame.payload.data, worker->frame.payload.length);
    devices = ct_wire_get_count(&in, 8);
    list = ct_arena_array(arena, devices ? devices : 1, sizeof(*list));
    if (!list)
        return ct_err_nomem(err);
    for (size_t i = 0; i < devices; i++)
        ct_devinfo_get(&in, arena, &list[i]);
    if (in.failed)
        return ct_err_set(err, CT_E_WORKER, "the worker sent a damaged list of devices");
    if (!devices)
        return ct_err_set(err, CT_E_NO_DEVICE,
                          "no OpenCL device: install a driver (pocl-opencl-icd for the "
                          "processor, or your vendor's) and see /etc/OpenCL/vendors");
    *out = list;
    *count = devices;
    return CT_OK;
}

enum ct_status ct_measure_devices(struct ct_arena *arena, struct ct_devinfo **out,
                                  size_t *count, struct ct_err *err)
{
    struct ct_deadlines deadlines = ct_deadlines_default(60);
    struct ct_exchange x;
    struct ct_worker worker;
    struct ct_str nothing;
    struct ct_str death;
    enum ct_status status;

    if (ct_worker_interrupted())
        return ct_runner_interrupted(err);
    status = ct_worker_start(&worker, NULL, 0, err);
    if (status)
        return status;
    ct_str_init(&nothing);
    ct_str_init(&death);
    ct_exchange_run(&x, &worker, CT_MSG_LIST, &nothing, CT_PHASE_START, &deadlines);
    if (x.end == CT_WORKER_STOP) {
        status = ct_runner_interrupted(err);
    } else if (x.end == CT_WORKER_LATE) {
        status =
            ct_err_set(err, CT_E_DEVICE, "listing the OpenCL devices took over %.0f s",
                       (double)deadlines.ns[CT_PHASE_START] / 1e9);
    } else if (x.end == CT_WORKER_DEAD) {
        ct_worker_death(&worker, &death);
        status = ct_err_set(err, CT_E_DEVICE,
                            "an OpenCL driver failed: the process that "
                            "listed the devices %s",
                            death.data);
    } else if (x.reply == CT_MSG_DEVICES) {
        status = read_devices(&worker, arena, out, count, err);
    } else {
        status = ct_exchange_error(&worker, err);
    }
    ct_worker_end(&worker, true);
    ct_str_release(&death);
    return status;
}
