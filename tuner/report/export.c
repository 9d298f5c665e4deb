// SPDX-License-Identifier: Apache-2.0
// The table of export formats, and their common functions.
#include "report/export.h"

#include "base/show.h"

#include <string.h>

const struct ct_export *const ct_exports[] = {
#define CT_EXPORT(name) &ct_export_##name,
#include "report/exports.def"
#undef CT_EXPORT
};
const size_t ct_export_count = sizeof(ct_exports) / sizeof(ct_exports[0]);

static bool is_upper_or_digit(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void ct_export_put_identifier(struct ct_str *out, const char *text)
{
    for (; *text; text++) {
        char c = *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;

        ct_str_putc(out, is_upper_or_digit(c) ? c : '_');
    }
}

void ct_export_put_comment(struct ct_str *out, const char *text)
{
    struct ct_str shown;

    ct_str_init(&shown);
    ct_show_add(&shown, text, strlen(text), CT_SHOW_LINE);
    for (const char *at = shown.data; *at; at++) {
        ct_str_putc(out, *at);
        if ((at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*') ||
            (at[0] == '?' && at[1] == '?'))
            ct_str_putc(out, ' ');
    }
    out->failed |= shown.failed;
    ct_str_release(&shown);
}

void ct_export_put_string(struct ct_str *out, const char *text)
{
    ct_str_putc(out, '"');
    for (const char *at = text; *at; at++) {
        /* Also the second question mark of a trigraph. */
        if (*at == '"' || *at == '\\' || (*at == '?' && at > text && at[-1] == '?'))
            ct_str_putc(out, '\\');
        if (*at < ' ' || *at > '~')
            ct_str_addf(out, "\\%03o", (unsigned char)*at);
        else
            ct_str_putc(out, *at);
    }
    ct_str_putc(out, '"');
}
