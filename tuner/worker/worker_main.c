// SPDX-License-Identifier: Apache-2.0
// The main loop of a worker process.
#define _DEFAULT_SOURCE // setenv
#include "worker/worker_main.h"

#include "base/clock.h"
#include "worker/build/build.h"
#include "protocol/cache.h"
#include "worker/command/ahead.h"
#include "worker/describe.h"
#include "worker/examine.h"
#include "worker/host/codes.h"
#include "worker/host_ahead.h"
#include "worker/open.h"
#include "worker/session.h"
#include "worker/timing/interleave.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Puts drivers' caches of compiled kernels into cltune's, shared by all workers, unless the user
 * has chosen a place. */
static void own_cache(const char *variable, const char *folder)
{
    struct ct_str path;

    ct_str_init(&path);
    if (!getenv(variable)) {
        enum ct_status status = ct_cache_folder(folder, &path, NULL);

        if (status) {
            ct_str_reset(&path);
            status = ct_cache_fallback(folder, &path, NULL);
        }
        if (!status)
            setenv(variable, path.data, 1);
    }
    ct_str_release(&path);
}

static void own_pocl_cache(struct ct_session *session)
{
    struct ct_str path;

    ct_str_init(&path);
    if (ct_cache_driver_own(&path)) {
        ct_cache_sweep(path.data);
        ct_cache_hold(path.data);
        setenv("POCL_CACHE_DIR", path.data, 1);
        session->driver_cache = getenv("POCL_CACHE_DIR");
    }
    ct_str_release(&path);
}

/* No core dumps: a search may crash hundreds of workers.  With a limit of 0 many systems still
 * start the programs that handle core dumps, with 1 they do not. */
static void dump_no_core(void)
{
    static const struct rlimit none = {0, 0};
    static const struct rlimit least = {1, 1};

    if (setrlimit(RLIMIT_CORE, &least))
        setrlimit(RLIMIT_CORE, &none);
}

/* Nothing that a worker starts gains privileges by a setuid bit, except what NVIDIA's driver
 * needs to create its devices when it is first used. */
static void gain_no_rights(void)
{
    if (access("/dev/nvidia-uvm", F_OK) && !access("/usr/bin/nvidia-modprobe", X_OK))
        return;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* False if the process was not started as a worker. */
static bool set_up(struct ct_session *session)
{
    int type = 0;
    socklen_t length = sizeof(type);

    if (getsockopt(CT_PROTOCOL_FD, SOL_SOCKET, SO_TYPE, &type, &length) ||
        type != SOCK_STREAM)
        return false;
    /* If the main process dies before this call, reading the socket ends the worker. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dump_no_core();
    gain_no_rights();
    /* Compilers that drivers start must not keep the main process waiting. */
    fcntl(CT_PROTOCOL_FD, F_SETFD, FD_CLOEXEC);
    /* The last output of a crashing driver must not be lost in a buffer. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    own_pocl_cache(session);
    own_cache("CUDA_CACHE_PATH", "cuda");
    return true;
}

static enum ct_status answer_list(struct ct_session *session, struct ct_str *reply,
                                  struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_devinfo *devices;
    size_t count;
    enum ct_status status = ct_opencl_load(&session->cl, err);

    if (!status)
        status = ct_device_list(session->cl, &arena, &devices, &count, err);
    if (!status && !count)
        status = ct_open_explain(err);
    if (!status) {
        ct_wire_put_u64(reply, count);
        for (size_t i = 0; i < count; i++)
            ct_devinfo_put(reply, &devices[i]);
    }
    ct_arena_release(&arena);
    return status;
}

static enum ct_status measure_overheads(struct ct_session *session,
                                        struct ct_wire_reader *in, struct ct_str *reply,
                                        struct ct_err *err)
{
    struct ct_overhead overheads[CT_OVERHEAD_COUNT];
    enum ct_status status = ct_open_device(session, in, err);

    if (!status)
        status = ct_device_overheads(session->device, overheads, err);
    for (int i = 0; !status && i < CT_OVERHEAD_COUNT; i++) {
        ct_wire_put_f64(reply, overheads[i].ns);
        ct_wire_put_f64(reply, overheads[i].low_ns);
        ct_wire_put_f64(reply, overheads[i].high_ns);
    }
    return status;
}

static enum ct_status evaluate_request(struct ct_session *session, enum ct_message type,
                                       struct ct_wire_reader *in, struct ct_str *reply,
                                       struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_outcome outcome = {0};
    struct ct_handover handover = {0};
    struct ct_request request;
    struct ct_plan plan;
    enum ct_status status;

    ct_request_get(in, &arena, &request);
    status = ct_plan_get(in, &arena, &plan, err);
    if (!status && type == CT_MSG_EVALUATE) {
        ct_handover_get(in, &arena, &handover);
        status = ct_command_ahead_read(&session->command_ahead, request.ahead, in, err);
        if (!status && in->failed)
            status = ct_err_set(err, CT_E_WORKER, "the request is damaged");
    }
    /* Host code alone may need no device. */
    if (!status && type != CT_MSG_BASELINE && !plan.command)
        status = ct_open_needed(session, err);
    ct_host_ahead_finish(session);
    if (!status && type == CT_MSG_BASELINE)
        status = ct_session_baseline(session, &plan, &request, &outcome, err);
    if (!status && type == CT_MSG_PREPARE)
        status = ct_session_prepare(session, &plan, &request, &outcome, err);
    if (!status && type == CT_MSG_EVALUATE)
        status =
            request.step.slot
                ? ct_session_interleave(session, &arena, &plan, &request, &handover,
                                        &outcome, err)
                : ct_session_evaluate(session, &plan, &request, &handover, &outcome, err);
    if (!status)
        ct_outcome_put(reply, &outcome);
    ct_outcome_release(&outcome);
    ct_arena_release(&arena);
    return status;
}

static enum ct_status build_request(struct ct_session *session, struct ct_wire_reader *in,
                                    struct ct_str *reply, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_outcome outcome = {0};
    struct ct_build_order order;
    struct ct_built built;
    struct ct_request request;
    struct ct_plan plan;
    enum ct_status status;

    ct_request_get(in, &arena, &request);
    status = ct_plan_get(in, &arena, &plan, err);
    if (!status) {
        ct_build_order_get(in, &arena, &order);
        if (in->failed)
            status = ct_err_set(err, CT_E_WORKER, "the request is damaged");
    }
    if (!status)
        status = ct_open_needed(session, err);
    if (!status)
        status = ct_session_build(session, &plan, &request, &order, &arena, &outcome,
                                  &built, err);
    if (!status) {
        ct_outcome_put(reply, &outcome);
        ct_built_put(reply, &built);
    }
    ct_outcome_release(&outcome);
    ct_arena_release(&arena);
    return status;
}

/* Answers one request; false if the main process is gone. */
static bool answer_request(struct ct_session *session, enum ct_message type,
                           const struct ct_str *payload)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_wire_reader in;
    struct ct_str reply;
    enum ct_message reply_type = CT_MSG_OUTCOME;
    enum ct_status status;

    ct_str_init(&reply);
    ct_wire_reader_init(&in, payload->data, payload->length);
    if (type == CT_MSG_LIST) {
        reply_type = CT_MSG_DEVICES;
        status = answer_list(session, &reply, &err);
    } else if (type == CT_MSG_OPEN) {
        reply_type = CT_MSG_OPENED;
        status = ct_open_device(session, &in, &err);
    } else if (type == CT_MSG_CHOOSE) {
        reply_type = CT_MSG_OPENED;
        status = ct_open_choose(session, payload, &err);
    } else if (type == CT_MSG_MEASURE_OVERHEADS) {
        reply_type = CT_MSG_OVERHEADS;
        status = measure_overheads(session, &in, &reply, &err);
    } else if (type == CT_MSG_EXAMINE) {
        reply_type = CT_MSG_FINDINGS;
        status = ct_examine_answer(session, &in, &reply, &err);
    } else if (type == CT_MSG_DESCRIBE) {
        reply_type = CT_MSG_DESCRIBED;
        status = ct_describe_answer(session, &in, &reply, &err);
    } else if (type == CT_MSG_EVALUATE || type == CT_MSG_BASELINE ||
               type == CT_MSG_PREPARE) {
        status = evaluate_request(session, type, &in, &reply, &err);
    } else if (type == CT_MSG_BUILD) {
        reply_type = CT_MSG_BUILT;
        status = build_request(session, &in, &reply, &err);
    } else {
        status = ct_err_set(&err, CT_E_WORKER, "an unknown request");
    }
    if (!status && reply.failed)
        status = ct_err_nomem(&err);
    if (status) {
        ct_str_reset(&reply);
        reply_type = CT_MSG_ERROR;
        ct_wire_put_u32(&reply, (uint32_t)status);
        ct_wire_put_text(&reply, err.message);
    }
    status = ct_protocol_send(CT_PROTOCOL_FD, reply_type, &reply, NULL);
    ct_str_release(&reply);
    return status == CT_OK;
}

int ct_worker_main(void)
{
    struct ct_session session = {.socket = CT_PROTOCOL_FD};
    struct ct_str payload;
    enum ct_message type;
    bool listened = true;
    int passed = -1;

    if (!set_up(&session))
        return 2;
    ct_str_init(&payload);
    session.texts = ct_program_texts_new();
    session.host_codes = ct_host_codes_new();
    session.phase_since_ns = ct_clock_now_ns();
    while (listened &&
           ct_protocol_receive(CT_PROTOCOL_FD, &type, &payload, &passed, NULL) == CT_OK) {
        /* If damaged or not needed, it is computed here. */
        if (type == CT_MSG_GIVE)
            ct_shared_cache_receive(&session.shared_cache, &payload, passed);
        else if (type == CT_MSG_COMPILE)
            ct_host_ahead_begin(&session, &payload);
        else
            listened = answer_request(&session, type, &payload);
    }
    ct_str_release(&payload);
    ct_session_release(&session);
    return 0;
}
