// SPDX-License-Identifier: Apache-2.0
// Accounting of phases, and failures of evaluations.
#include "worker/session.h"

#include "base/clock.h"
#include "base/outside.h"
#include "worker/command/ahead.h"
#include "worker/command/command.h"
#include "worker/data/dataset.h"
#include "worker/host/codes.h"
#include "worker/host_ahead.h"
#include "worker/reference/device_check.h"
#include "worker/reference/expected.h"
#include "worker/timing/interleave.h"
#include "worker/build/kept_programs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Shared objects with code before the first launch, for which a driver of processors may map more: counted
 * here, because the main process may look only when the launch has begun. */
static uint64_t objects_before(const struct ct_session *session)
{
    bool compiles = session->phase == CT_PHASE_FIRST && session->device &&
                    strcmp(ct_device_info(session->device)->type, "CPU") == 0;

    return compiles ? ct_outside_objects_here() : 0;
}

static void announce(struct ct_session *session, enum ct_culprit culprit, const char *who)
{
    struct ct_str payload;

    session->announced_ns = ct_clock_now_ns();
    session->culprit = culprit;
    if (session->socket < 0)
        return;
    ct_str_init(&payload);
    ct_wire_put_u32(&payload, (uint32_t)session->phase);
    ct_wire_put_u32(&payload, (uint32_t)culprit);
    ct_wire_put_text(&payload, who);
    ct_wire_put_u64(&payload, objects_before(session));
    ct_protocol_send(session->socket, CT_MSG_PHASE, &payload, NULL);
    ct_str_release(&payload);
}

void ct_session_book(struct ct_session *session)
{
    uint64_t now_ns = ct_clock_now_ns();

    session->spent_ns[session->phase] += now_ns - session->phase_since_ns;
    session->phase_since_ns = now_ns;
}

void ct_session_start(struct ct_session *session, enum ct_phase phase)
{
    memset(session->spent_ns, 0, sizeof(session->spent_ns));
    session->phase = phase;
    session->phase_since_ns = ct_clock_now_ns();
}

void ct_session_phase(struct ct_session *session, enum ct_phase phase,
                      enum ct_culprit culprit)
{
    ct_session_phase_of(session, phase, culprit, NULL);
}

void ct_session_phase_of(struct ct_session *session, enum ct_phase phase,
                         enum ct_culprit culprit, const char *who)
{
    ct_session_book(session);
    session->phase = phase;
    announce(session, culprit, who);
}

void ct_session_alive(struct ct_session *session, enum ct_culprit culprit)
{
    announce(session, culprit, NULL);
}

uint64_t ct_session_patience_ns(const struct ct_request *request)
{
    uint64_t half_ns = request->measure_deadline_ns / 2;

    return half_ns < 100000000 ? half_ns : 100000000;
}

void ct_session_keep_alive(struct ct_session *session, uint64_t patience_ns,
                           uint64_t next_ns)
{
    if (ct_clock_now_ns() - session->announced_ns + next_ns > patience_ns)
        ct_session_alive(session, CT_CULPRIT_CONFIGURATION);
}

enum ct_status ct_session_instruments(struct ct_session *session, struct ct_err *err)
{
    if (session->timer.known)
        return CT_OK;
    session->watch = ct_watch_new(session->device);
    return ct_timer_measure(session->device, &session->timer, err);
}

bool ct_session_on_processor(const struct ct_session *session)
{
    return strcmp(ct_device_info(session->device)->type, "CPU") == 0;
}

bool ct_session_was_idle(const struct ct_session *session)
{
    const uint64_t long_ns = 50000000;

    return ct_clock_now_ns() - session->busy_ns > long_ns;
}

void ct_session_release(struct ct_session *session)
{
    ct_host_ahead_finish(session);
    ct_host_codes_free(session->host_codes);
    session->host_codes = NULL;
    ct_interleave_free(session->interleave);
    session->interleave = NULL;
    for (size_t i = 0; i < CT_SESSION_DATASETS; i++) {
        ct_dataset_free(session->datasets[i]);
        session->datasets[i] = NULL;
    }
    ct_expected_forget(session);
    ct_command_forget(session);
    ct_command_ahead_free(session->command_ahead);
    session->command_ahead = NULL;
    ct_device_check_forget(session);
    ct_shared_cache_release(&session->shared_cache);
    ct_kept_programs_forget(session);
    ct_program_texts_free(session->texts);
    session->texts = NULL;
    for (size_t i = 0; i < session->signature_count; i++)
        free(session->signatures[i].is_const);
    free(session->signatures);
    session->signatures = NULL;
    session->signature_count = 0;
    session->signature_capacity = 0;
    ct_watch_free(session->watch);
    session->watch = NULL;
    ct_device_close(session->device);
    session->device = NULL;
    ct_opencl_free(session->cl);
    session->cl = NULL;
    ct_str_release(&session->chosen);
}

enum ct_step ct_session_fail(const struct ct_session *session, struct ct_outcome *outcome,
                             enum ct_result_status status, const char *format, ...)
{
    char message[CT_ERR_MESSAGE_SIZE];
    const char *copy;
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    copy = ct_arena_copy(&outcome->arena, message, strlen(message));
    outcome->status = status;
    outcome->phase = session->phase;
    outcome->message = copy ? copy : "";
    return CT_STEP_FAILED;
}

enum ct_step ct_session_device_failed(const struct ct_session *session,
                                      struct ct_outcome *outcome,
                                      enum ct_result_status refused, struct ct_err *err)
{
    bool broken = ct_device_failure_of(session->device) == CT_DEVICE_BROKEN;

    if (err->code != CT_E_DEVICE)
        return CT_STEP_ERROR;
    return ct_session_fail(session, outcome, broken ? CT_RESULT_CRASHED : refused, "%s",
                           err->message);
}
