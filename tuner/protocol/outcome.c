// SPDX-License-Identifier: Apache-2.0
// Names and defaults for outcome.h.
#include "protocol/outcome.h"

#include <string.h>

const char *ct_result_status_name(enum ct_result_status status)
{
    static const char *const names[CT_RESULT_STATUS_COUNT] = {
        [CT_RESULT_OK] = "ok",
        [CT_RESULT_BUILD_FAILED] = "build_failed",
        [CT_RESULT_INVALID] = "invalid",
        [CT_RESULT_WRONG] = "wrong",
        [CT_RESULT_CRASHED] = "crashed",
        [CT_RESULT_TIMEOUT] = "timeout",
        [CT_RESULT_INTERRUPTED] = "interrupted",
        [CT_RESULT_SKIPPED] = "skipped",
    };

    return (unsigned)status < CT_RESULT_STATUS_COUNT ? names[status] : "?";
}

bool ct_outcome_lacks_memory(const struct ct_outcome *outcome)
{
    return outcome->status == CT_RESULT_INVALID &&
           (strstr(outcome->message, "CL_OUT_OF_HOST_MEMORY") ||
            strstr(outcome->message, "CL_MEM_OBJECT_ALLOCATION_FAILURE"));
}

const char *ct_phase_name(enum ct_phase phase)
{
    static const char *const names[CT_PHASE_COUNT] = {
        [CT_PHASE_START] = "start", [CT_PHASE_DATA] = "data",
        [CT_PHASE_BUILD] = "build", [CT_PHASE_FIRST] = "first launch",
        [CT_PHASE_CHECK] = "check", [CT_PHASE_MEASURE] = "measure",
    };

    return (unsigned)phase < CT_PHASE_COUNT ? names[phase] : "?";
}

struct ct_deadlines ct_deadlines_default(double launch_s)
{
    const uint64_t second_ns = 1000000000;
    /* At most 30 years; NaN and less than a nanosecond become one nanosecond. */
    uint64_t launch_ns = launch_s >= 1e9   ? 1000000000 * second_ns
                         : launch_s > 1e-9 ? (uint64_t)(launch_s * 1e9)
                                           : 1;
    /* A longer launch limit suggests more data; a reference is one thread of plain C, and no
     * faster because the launch limit is short. */
    uint64_t data_ns = launch_ns <= 10 * second_ns         ? 300 * second_ns
                       : launch_ns <= 30000000 * second_ns ? 30 * launch_ns
                                                           : 1000000000 * second_ns;

    return (struct ct_deadlines){.ns = {
                                     [CT_PHASE_START] = 120 * second_ns,
                                     [CT_PHASE_DATA] = data_ns,
                                     [CT_PHASE_BUILD] = 120 * second_ns,
                                     [CT_PHASE_FIRST] = launch_ns,
                                     [CT_PHASE_CHECK] = 60 * second_ns,
                                     [CT_PHASE_MEASURE] = launch_ns,
                                 }};
}

void ct_outcome_release(struct ct_outcome *outcome)
{
    ct_arena_release(&outcome->arena);
    memset(outcome, 0, sizeof(*outcome));
}

struct ct_quantities ct_outcome_quantities(const struct ct_outcome *outcome)
{
    struct ct_quantities all = outcome->observed;

    if (outcome->status == CT_RESULT_OK)
        ct_quantities_set(&all, CT_QUANTITY_TIME_NS, outcome->time_ns);
    if (outcome->end_to_end.time_ns > 0)
        ct_quantities_set(&all, CT_QUANTITY_END_TO_END_NS, outcome->end_to_end.time_ns);
    return all;
}
