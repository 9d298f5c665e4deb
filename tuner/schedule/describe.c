// SPDX-License-Identifier: Apache-2.0
// Has a worker compile a program to see which kernels it has.
#include "schedule/measure.h"

#include "schedule/runner_impl.h"

enum ct_status ct_measure_describe(const struct ct_devinfo *device,
                                   const struct ct_plan_program *program,
                                   struct ct_arena *arena, struct ct_described *out,
                                   struct ct_err *err)
{
    struct ct_worker worker = {.socket = -1, .output = -1};
    struct ct_plan_program copy = *program;
    const struct ct_plan plan = {.program_count = 1, .programs = &copy};
    struct ct_wire_reader in;
    struct ct_str payload;
    enum ct_status status;
    bool started = false;

    ct_str_init(&payload);
    ct_devinfo_put(&payload, device);
    ct_plan_put(&payload, &plan);
    status = payload.failed ? ct_err_nomem(err)
                            : ct_ask_worker(&worker, &started, CT_MSG_DESCRIBE, &payload,
                                            CT_PHASE_BUILD, CT_MSG_DESCRIBED,
                                            "compiling the kernel", err);
    if (!status) {
        ct_wire_reader_init(&in, worker.frame.payload.data, worker.frame.payload.length);
        ct_described_get(&in, arena, out);
        if (in.failed)
            status =
                ct_err_set(err, CT_E_WORKER, "the worker sent a damaged description");
    }
    if (started)
        ct_worker_end(&worker, true);
    ct_str_release(&payload);
    return status;
}
