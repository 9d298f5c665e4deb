// SPDX-License-Identifier: Apache-2.0
// Asks the compiler for the sizes of types that only the program's source defines.
//
// Drivers do not tell them, and some (PoCL) accept any number of bytes for such an argument.  The
// source is therefore compiled with a declaration at its end that is wrong if a size is.
#include "worker/build/argument_sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "cltune_argument_size_";
static const char measure[] = "cltune_type_size_";

static uint64_t given_bytes(const struct ct_plan_arg *arg)
{
    return arg->kind == CT_ARG_BYTES ? arg->data_bytes : ct_type_size(arg->type);
}

/* Compiles the program's source with more text at its end; the number behind the first `name` in
 * what the compiler says, or -1. */
static long refused_number(struct ct_session *session, const struct ct_compile *compile,
                           const struct ct_str *more, const char *name)
{
    struct ct_program *built = NULL;
    struct ct_str source;
    struct ct_str log;
    const char *found;
    long number = -1;

    ct_str_init(&source);
    ct_str_init(&log);
    ct_str_puts(&source, compile->source.data);
    ct_str_putc(&source, '\n');
    ct_str_puts(&source, more->data);
    if (!source.failed && !more->failed &&
        ct_program_build(session->device, source.data, compile->options.data, &built,
                         &log, NULL) != CT_OK) {
        found = strstr(log.data, name);
        if (found)
            number = strtol(found + strlen(name), NULL, 10);
    }
    ct_program_free(built);
    ct_str_release(&log);
    ct_str_release(&source);
    return number;
}

/* The size of a type in bytes, or -1. */
static long size_of_type(struct ct_session *session, const struct ct_compile *compile,
                         const char *type)
{
    enum { SIZES = 1024 };
    struct ct_str text;
    long size;

    ct_str_init(&text);
    for (int i = 1; i <= SIZES; i++)
        ct_str_addf(&text, "typedef char %s%d[sizeof(%s) == %d ? -1 : 1];\n", measure, i,
                    type, i);
    size = refused_number(session, compile, &text, measure);
    ct_str_release(&text);
    return size;
}

enum ct_status ct_argument_sizes_check(struct ct_session *session,
                                       const struct ct_plan_launch *launch,
                                       const char *const *types,
                                       const struct ct_compile *compile,
                                       struct ct_err *err)
{
    struct ct_str text;
    long wrong = -1;
    long size;
    char actual[64] = "";

    ct_str_init(&text);
    for (size_t i = 0; i < launch->arg_count; i++)
        if (types[i])
            ct_str_addf(&text,
                        "typedef char %s%zu[sizeof(%s) == %" PRIu64 " ? 1 : -1];\n", mark,
                        i, types[i], given_bytes(&launch->args[i]));
    if (text.length)
        wrong = refused_number(session, compile, &text, mark);
    ct_str_release(&text);
    if (wrong < 0 || (size_t)wrong >= launch->arg_count || !types[wrong])
        return CT_OK;
    size = size_of_type(session, compile, types[wrong]);
    if (size > 0)
        snprintf(actual, sizeof(actual), ", whose size is %ld bytes", size);
    return ct_err_set(err, CT_E_SPEC,
                      "launch %s: argument %ld of kernel %s is of type %s%s, but 'args' "
                      "passes %" PRIu64 " bytes",
                      launch->name, wrong + 1, launch->kernel, types[wrong], actual,
                      given_bytes(&launch->args[wrong]));
}
