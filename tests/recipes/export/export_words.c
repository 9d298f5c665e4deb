// SPDX-License-Identifier: Apache-2.0
// "cltune best --format words": the numbers of the configuration, one NAME=VALUE per line.
#include "report/export.h"

static enum ct_status put_words(struct ct_str *out, const struct ct_export_answer *answer,
                                struct ct_str *notes, struct ct_err *err)
{
    (void)notes;
    (void)err;
    for (size_t i = 0; i < answer->config_count; i++) {
        if (answer->config[i].value.kind == CT_TEXT)
            continue;
        ct_export_put_identifier(out, answer->config[i].name);
        ct_str_putc(out, '=');
        ct_value_print(out, answer->config[i].value);
        ct_str_putc(out, '\n');
    }
    return CT_OK;
}

const struct ct_export ct_export_words = {
    .name = "words", .help = "NAME=VALUE lines", .put = put_words};
