// SPDX-License-Identifier: Apache-2.0
// Builds the programs of one plan for their binaries.
#include "schedule/measure.h"

#include "protocol/build.h"
#include "schedule/runner_impl.h"

static void put_request(struct ct_str *payload, const struct ct_plan *plan,
                        const struct ct_deadlines *deadlines)
{
    const struct ct_request head = {
        .copies = 1, .measure_deadline_ns = deadlines->ns[CT_PHASE_MEASURE]};
    /* Without texts, stored binaries are neither used nor made: included files may have changed. */
    const struct ct_build_order order = {.launch = CT_BUILD_LAUNCH_NEVER,
                                         .binaries = true};

    ct_request_put(payload, &head);
    ct_plan_put(payload, plan);
    ct_build_order_put(payload, &order);
}

enum ct_status ct_runner_build(struct ct_runner *runner, const struct ct_plan *plan,
                               const struct ct_deadlines *deadlines,
                               struct ct_arena *arena, struct ct_outcome *outcome,
                               struct ct_built *built, struct ct_err *err)
{
    struct ct_worker *worker = &runner->worker;
    struct ct_wire_reader in;
    struct ct_str payload;
    bool done = false;
    enum ct_status status;

    ct_str_init(&payload);
    put_request(&payload, plan, deadlines);
    ct_runner_begin(runner, CT_MSG_BUILD, plan, &payload, deadlines);
    for (;;) {
        status = ct_runner_step(runner, &done, outcome, err);
        if (done)
            break;
        ct_worker_poll(&worker, 1, ct_runner_deadline(runner));
    }
    if (status || outcome->status != CT_RESULT_OK)
        return status;
    ct_wire_reader_init(&in, runner->extra.data, runner->extra.length);
    ct_built_get(&in, arena, built);
    if (!in.failed && built->program_count == plan->program_count)
        return CT_OK;
    ct_outcome_release(outcome);
    return ct_err_set(err, CT_E_WORKER, "a builder sent a damaged message");
}
