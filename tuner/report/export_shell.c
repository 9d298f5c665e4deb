// SPDX-License-Identifier: Apache-2.0
// "cltune best --format shell": assignments that a POSIX shell reads with `.` or eval.  Texts are
// between single quotes, where nothing is expanded.
#include "report/export.h"

static const struct ct_export_reserved reserved[] = {
    {"OPTIONS", "the text for clBuildProgram"}};

static void put_assignment(struct ct_str *out, const struct ct_export_answer *answer,
                           const char *name, struct ct_value value)
{
    ct_export_put_name(out, answer, name);
    ct_str_putc(out, '=');
    if (value.kind == CT_TEXT)
        ct_export_put_shell_word(out, value.u.s);
    else
        ct_value_print(out, value);
    ct_str_putc(out, '\n');
}

static enum ct_status put_shell(struct ct_str *out, const struct ct_export_answer *answer,
                                struct ct_str *notes, struct ct_err *err)
{
    struct ct_arena arena = {0};
    const char **names;
    enum ct_status status = ct_export_check_plain(answer, true, "shell", err);

    if (status != CT_OK)
        return status;
    names = ct_export_names(&arena, answer, reserved, 1, "output", notes);
    out->failed |= !names;
    ct_export_put_origin(out, answer, &ct_export_comment_hash);
    put_assignment(out, answer, "OPTIONS", ct_value_text(answer->flags));
    for (size_t i = 0; names && i < answer->config_count; i++)
        put_assignment(out, answer, names[i], answer->config[i].value);
    ct_arena_release(&arena);
    return CT_OK;
}

const struct ct_export ct_export_shell = {
    .name = "shell", .help = "assignments for a shell", .put = put_shell};
