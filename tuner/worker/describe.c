// SPDX-License-Identifier: Apache-2.0
// Builds a program to look at its kernels.
#include "worker/describe.h"

#include "protocol/describe.h"
#include "protocol/compile.h"
#include "worker/open.h"

#include <string.h>

static enum ct_described_place place_of(enum ct_address address)
{
    return address == CT_ADDRESS_GLOBAL     ? CT_PLACE_GLOBAL
           : address == CT_ADDRESS_CONSTANT ? CT_PLACE_CONSTANT
           : address == CT_ADDRESS_LOCAL    ? CT_PLACE_LOCAL
                                            : CT_PLACE_VALUE;
}

/* Leaves `out->args` NULL unless the driver reports all of them. */
static void describe_args(struct ct_kernel *kernel, struct ct_arena *arena,
                          struct ct_described_kernel *out)
{
    struct ct_described_arg *args =
        ct_arena_array(arena, out->arg_count + 1, sizeof(*args));

    for (size_t i = 0; args && i < out->arg_count; i++) {
        struct ct_kernel_arg found;

        if (ct_kernel_set_arg(kernel, i, &found, NULL))
            return;
        args[i] = (struct ct_described_arg){
            .name = ct_arena_copy(arena, found.name, strlen(found.name)),
            .type = ct_arena_copy(arena, found.type, strlen(found.type)),
            .place = place_of(found.address),
            .is_const = found.is_const};
    }
    out->args = args;
}

static enum ct_status describe_kernel(struct ct_program *program, const char *name,
                                      struct ct_arena *arena,
                                      struct ct_described_kernel *out, struct ct_err *err)
{
    struct ct_kernel_limits limits;
    struct ct_kernel *kernel;
    enum ct_status status = ct_kernel_new(program, name, &kernel, err);

    if (status)
        return status;
    out->name = name;
    status = ct_kernel_arg_count(kernel, &out->arg_count, err);
    if (!status) {
        describe_args(kernel, arena, out);
        ct_kernel_limits_get(kernel, &limits);
        memcpy(out->required, limits.required, sizeof(out->required));
    }
    ct_kernel_free(kernel);
    return status;
}

static enum ct_status describe_kernels(struct ct_program *program, struct ct_arena *arena,
                                       struct ct_described *out, struct ct_err *err)
{
    enum ct_status status;
    struct ct_str names;
    size_t most = 1;

    ct_str_init(&names);
    /* A program without kernels is an error to some drivers; to find none is an answer, too. */
    status = ct_program_kernels(program, &names, NULL) == CT_E_NOMEM ? ct_err_nomem(err)
                                                                     : CT_OK;
    for (size_t i = 0; i < names.length; i++)
        most += names.data[i] == ',';
    out->kernels = ct_arena_array(arena, most, sizeof(*out->kernels));
    if (!status && (names.failed || !out->kernels))
        status = ct_err_nomem(err);
    for (const char *at = names.data; !status && out->kernels && *at;) {
        size_t length = strcspn(at, ",");
        const char *name = ct_arena_copy(arena, at, length);

        status = name ? describe_kernel(program, name, arena,
                                        &out->kernels[out->kernel_count++], err)
                      : ct_err_nomem(err);
        at += length + strspn(at + length, ", ");
    }
    ct_str_release(&names);
    return status;
}

static enum ct_status describe_program(struct ct_session *session,
                                       const struct ct_plan_program *program,
                                       struct ct_arena *arena, struct ct_str *reply,
                                       struct ct_err *err)
{
    struct ct_described described = {0};
    struct ct_err failure = CT_ERR_INIT;
    struct ct_program *built = NULL;
    struct ct_compile compile;
    struct ct_str log;
    enum ct_status status;

    ct_str_init(&log);
    status =
        ct_compile_init(&compile, program, "-cl-kernel-arg-info", session->texts, err);
    if (!status) {
        described.built =
            ct_program_build(session->device, compile.source.data, compile.options.data,
                             &built, &log, &failure) == CT_OK;
        if (!described.built && !log.length)
            ct_str_puts(&log, failure.message);
        described.log = log.data;
    }
    if (!status && described.built)
        status = describe_kernels(built, arena, &described, err);
    if (!status)
        ct_described_put(reply, &described);
    ct_program_free(built);
    ct_compile_release(&compile);
    ct_str_release(&log);
    return status;
}

enum ct_status ct_describe_answer(struct ct_session *session, struct ct_wire_reader *in,
                                  struct ct_str *reply, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_plan plan;
    enum ct_status status = ct_open_device(session, in, err);

    if (!status)
        status = ct_plan_get(in, &arena, &plan, err);
    if (!status && (!plan.program_count || !plan.programs))
        status = ct_err_set(err, CT_E_WORKER, "the request is damaged");
    if (!status) {
        ct_session_phase(session, CT_PHASE_BUILD, CT_CULPRIT_CONFIGURATION);
        status = describe_program(session, &plan.programs[0], &arena, reply, err);
    }
    ct_arena_release(&arena);
    return status;
}
