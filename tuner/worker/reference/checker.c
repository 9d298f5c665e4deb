// SPDX-License-Identifier: Apache-2.0
// Loads and calls the function of `check = c(file.c, function)`.
#include "worker/reference/checker.h"

#include "base/hash.h"
#include "worker/host/host.h"
#include "worker/reference/verify.h"

#include <stdio.h>
#include <string.h>

enum { OWN_ARGS = 3 }; /* the contents, the expected contents, their number */

/* What the shim depends on: the file, the function, the types of its arguments. */
static bool find_key(const struct ct_plan_buffer *buffer, struct ct_hash *key)
{
    struct ct_str text;
    char type[16];
    bool good;

    ct_str_init(&text);
    ct_type_name(buffer->type, type);
    ct_str_addf(&text, "%s\n%s\n%s\n", buffer->check_by.path_hash.text,
                buffer->check_by.function, type);
    for (size_t i = 0; i < buffer->check_by.arg_count; i++) {
        const struct ct_plan_arg *arg = &buffer->check_by.args[i];

        ct_str_addf(&text, "%d %d %u\n", (int)arg->kind, (int)arg->type.scalar,
                    arg->type.width);
    }
    good = !text.failed;
    *key = ct_hash_bytes(text.data, text.length);
    ct_str_release(&text);
    return good;
}

enum ct_status ct_checker_host(struct ct_arena *arena,
                               const struct ct_plan_buffer *buffer, struct ct_plan *plan,
                               struct ct_err *err)
{
    const struct ct_plan_arg own[OWN_ARGS] = {
        {.kind = CT_ARG_BUFFER},
        {.kind = CT_ARG_BUFFER},
        {.kind = CT_ARG_SCALAR, .type = {CT_T_ULONG, 1}}};

    return ct_host_of_fill(arena, buffer, &buffer->check_by, own, OWN_ARGS, plan, err);
}

static enum ct_status load(struct ct_session *session, struct ct_expected *expected,
                           const struct ct_plan_buffer *buffer, struct ct_arena *arena,
                           struct ct_err *err)
{
    struct ct_plan plan;
    struct ct_hash key;
    enum ct_status status;

    if (!find_key(buffer, &key))
        return ct_err_nomem(err);
    if (expected->checker && strcmp(expected->checker_key.text, key.text) == 0)
        return CT_OK;
    ct_host_free(expected->checker);
    expected->checker = NULL;
    status = ct_checker_host(arena, buffer, &plan, err);
    if (status)
        return status;
    status =
        ct_host_load(session->host_codes, &plan, CT_HOST_CHECK, &expected->checker, err);
    if (status)
        ct_err_prefix(err, "buffer %s", buffer->name);
    else
        expected->checker_key = key;
    return status;
}

/* One pointer per argument, and one to the result behind them; NULL if out of memory. */
static void **point_at(struct ct_arena *arena, const struct ct_expected *expected,
                       const struct ct_plan_buffer *buffer, const void *actual,
                       uint64_t *count, uint64_t *wrong)
{
    const struct ct_fill *by = &buffer->check_by;
    void **pointers =
        ct_arena_array(arena, OWN_ARGS + by->arg_count + 1, sizeof(*pointers));

    if (!pointers)
        return NULL;
    pointers[0] = (void *)(uintptr_t)actual;
    pointers[1] = expected->bytes;
    pointers[2] = count;
    pointers[OWN_ARGS + by->arg_count] = wrong;
    return ct_host_copy_values(arena, by->args, by->arg_count, pointers + OWN_ARGS)
               ? pointers
               : NULL;
}

/* Calls the function in the name of the space file, which it is a part of: no configuration can be
 * judged if it fails. */
static void call(struct ct_session *session, const struct ct_host_code *code,
                 const struct ct_plan_buffer *buffer, void **pointers)
{
    enum ct_phase phase = session->phase;
    enum ct_culprit culprit = session->culprit;
    char who[600];

    snprintf(who, sizeof(who), "the check %s of buffer %s in %s",
             buffer->check_by.function, buffer->name, buffer->check_by.path);
    ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
    ct_host_call_guarded(code, pointers);
    ct_session_phase(session, phase, culprit);
}

enum ct_status ct_checker_right(struct ct_session *session, struct ct_expected *expected,
                                const struct ct_plan_buffer *buffer, const void *actual,
                                bool *right, struct ct_mismatch *mismatch,
                                struct ct_err *err)
{
    struct ct_arena arena = {0};
    uint64_t count = buffer->compare;
    uint64_t wrong = 0;
    void **pointers = NULL;
    enum ct_status status = load(session, expected, buffer, &arena, err);

    if (!status) {
        pointers = point_at(&arena, expected, buffer, actual, &count, &wrong);
        if (!pointers)
            status = ct_err_nomem(err);
    }
    if (!status) {
        call(session, expected->checker, buffer, pointers);
        *right = !wrong;
        if (wrong)
            ct_verify_note_first(buffer, actual, expected->bytes, mismatch);
        mismatch->wrong_count = wrong;
    }
    ct_arena_release(&arena);
    return status;
}
