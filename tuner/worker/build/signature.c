// SPDX-License-Identifier: Apache-2.0
// Looks up and checks kernel declarations.
#include "worker/build/signature.h"

#include "worker/build/args.h"
#include "worker/build/argument_sizes.h"
#include "protocol/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARG_INFO "-cl-kernel-arg-info"

/* What distinguishes argument lists: neither sizes nor values. */
static bool find_key(const struct ct_plan *plan, const struct ct_plan_launch *launch,
                     struct ct_hash *key)
{
    struct ct_str text;
    bool good;

    ct_str_init(&text);
    ct_str_addf(&text, "%s\n%s\n", launch->kernel,
                plan->programs[launch->program].source_hash.text);
    for (size_t i = 0; i < launch->arg_count; i++) {
        const struct ct_plan_arg *arg = &launch->args[i];
        char name[16] = "";

        if (arg->kind == CT_ARG_SCALAR)
            ct_type_name(arg->type, name);
        else if (arg->kind == CT_ARG_BUFFER && plan->buffers[arg->buffer].image.dims)
            snprintf(name, sizeof(name), "image%u",
                     (unsigned)plan->buffers[arg->buffer].image.dims);
        else if (arg->kind == CT_ARG_BUFFER)
            ct_type_name(plan->buffers[arg->buffer].type, name);
        else if (arg->kind == CT_ARG_BYTES)
            snprintf(name, sizeof(name), "%llu", (unsigned long long)arg->data_bytes);
        ct_str_addf(&text, "%d %s\n", (int)arg->kind, name);
    }
    good = !text.failed;
    *key = ct_hash_bytes(text.data, text.length);
    ct_str_release(&text);
    return good;
}

/* Builds the launch's program with argument information; NULL if the device does not support
 * that, which is no error. */
static struct ct_program *typed_program(struct ct_session *session,
                                        const struct ct_plan *plan,
                                        const struct ct_plan_launch *launch)
{
    struct ct_program *built = NULL;
    struct ct_compile compile;

    if (ct_compile_init(&compile, &plan->programs[launch->program], ARG_INFO,
                        session->texts, NULL) ||
        ct_program_build(session->device, compile.source.data, compile.options.data,
                         &built, NULL, NULL) != CT_OK)
        built = NULL;
    ct_compile_release(&compile);
    return built;
}

/* Compares the sizes of types that OpenCL does not define. */
static enum ct_status check_sizes(struct ct_session *session, const struct ct_plan *plan,
                                  const struct ct_plan_launch *launch,
                                  const char *const *types, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    struct ct_compile compile;

    if (!ct_compile_init(&compile, &plan->programs[launch->program], ARG_INFO,
                         session->texts, NULL))
        status = ct_argument_sizes_check(session, launch, types, &compile, err);
    ct_compile_release(&compile);
    return status;
}

/* Compares types as far as the device reports them. */
static enum ct_status check_types(struct ct_session *session, const struct ct_plan *plan,
                                  const struct ct_plan_launch *launch, bool *is_const,
                                  struct ct_err *err)
{
    struct ct_program *program = typed_program(session, plan, launch);
    struct ct_kernel *kernel = NULL;
    struct ct_arena arena = {0};
    const char **types = ct_arena_array(&arena, launch->arg_count, sizeof(*types));
    enum ct_status status = types ? CT_OK : ct_err_nomem(err);
    bool unknown = false;

    if (types && program &&
        ct_kernel_new(program, launch->kernel, &kernel, NULL) == CT_OK) {
        for (size_t i = 0; !status && i < launch->arg_count; i++) {
            struct ct_kernel_arg declared;

            if (ct_kernel_set_arg(kernel, i, &declared, NULL) != CT_OK)
                break;
            status = ct_args_check(plan, launch, i, &declared, err);
            is_const[i] = declared.is_const || declared.address == CT_ADDRESS_CONSTANT;
            if (!ct_args_size_unknown(&launch->args[i], &declared))
                continue;
            types[i] = ct_arena_copy(&arena, declared.type, strlen(declared.type));
            unknown = true;
        }
    }
    ct_kernel_free(kernel);
    ct_program_free(program);
    if (!status && unknown)
        status = check_sizes(session, plan, launch, types, err);
    ct_arena_release(&arena);
    return status;
}

static enum ct_status wrong_count(struct ct_session *session, const struct ct_plan *plan,
                                  const struct ct_plan_launch *launch, size_t count,
                                  struct ct_err *err)
{
    struct ct_program *program = typed_program(session, plan, launch);
    struct ct_kernel *kernel = NULL;
    struct ct_str list;

    ct_str_init(&list);
    if (program && ct_kernel_new(program, launch->kernel, &kernel, NULL) == CT_OK) {
        for (size_t i = 0; i < count; i++) {
            struct ct_kernel_arg declared;

            if (ct_kernel_set_arg(kernel, i, &declared, NULL) != CT_OK)
                break;
            ct_str_addf(&list, "%s%s%s%s", i ? ", " : ": ", declared.type,
                        *declared.name ? " " : "", declared.name);
        }
    }
    ct_err_set(err, CT_E_SPEC,
               "launch %s: kernel %s takes %zu argument%s, but 'args' has %zu%s",
               launch->name, launch->kernel, count, count == 1 ? "" : "s",
               launch->arg_count, list.data);
    ct_str_release(&list);
    ct_kernel_free(kernel);
    ct_program_free(program);
    return CT_E_SPEC;
}

enum ct_status ct_signature_check(struct ct_session *session, const struct ct_plan *plan,
                                  size_t index, struct ct_kernel *kernel,
                                  const struct ct_signature **out, struct ct_err *err)
{
    const struct ct_plan_launch *launch = &plan->launches[index];
    struct ct_signature *signature;
    struct ct_hash key;
    size_t count;
    bool *is_const;
    enum ct_status status = ct_kernel_arg_count(kernel, &count, err);

    if (status)
        return status;
    if (count != launch->arg_count)
        return wrong_count(session, plan, launch, count, err);
    if (!find_key(plan, launch, &key))
        return ct_err_nomem(err);
    *out = ct_signature_find(session, &key);
    if (!*out) {
        ct_signature_take(session);
        *out = ct_signature_find(session, &key);
    }
    if (*out && (*out)->arg_count == count)
        return CT_OK;
    is_const = ct_mem_array(count, sizeof(*is_const));
    if (!is_const ||
        !ct_mem_grow(&session->signatures, &session->signature_capacity,
                     session->signature_count + 1, sizeof(*session->signatures))) {
        free(is_const);
        return ct_err_nomem(err);
    }
    status = check_types(session, plan, launch, is_const, err);
    if (status) {
        free(is_const);
        return status;
    }
    signature = &session->signatures[session->signature_count++];
    *signature =
        (struct ct_signature){.key = key, .arg_count = count, .is_const = is_const};
    *out = signature;
    ct_signature_offer(session);
    return CT_OK;
}
