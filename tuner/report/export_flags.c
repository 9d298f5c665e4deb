// SPDX-License-Identifier: Apache-2.0
// "cltune best --format flags": the build options on one line, for $(shell ...) in make, for eval in
// a shell and for clBuildProgram, which all must read the same words; $(...) in a shell reads them
// where there are no quotes.  Words that a shell would split or interpret are put between double
// quotes.  Refused are characters on which these
// readers differ or which they would execute: `$`, backquotes, backslashes, line ends and control
// characters, unbalanced quotes.
#include "report/export.h"

#include "base/show.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Taken literally by every shell, in any position. */
static bool is_literal(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_@%+=:,./-", c));
}

/* Why no shell may read these options, or NULL. */
static const char *why_unreadable(const char *flags)
{
    size_t quotes = 0;

    if (strchr(flags, '$'))
        return "'$', which shells and make expand";
    if (strchr(flags, '`'))
        return "a backquote, which shells run";
    if (strchr(flags, '\\'))
        return "a backslash, which shells and OpenCL compilers read differently";
    for (const char *at = flags; *at; at++) {
        quotes += *at == '"';
        if (*at == '\n' || *at == '\r')
            return "a line break";
    }
    if (quotes % 2)
        return "an unmatched quote";
    for (const char *at = flags; *at; at++)
        if ((*at > 0 && *at < ' ' && *at != '\t') || *at == 127)
            return "a control character";
    return NULL;
}

/* One word, which ends at a blank outside of quotes; returns its end. */
static const char *put_word(struct ct_str *out, const char *word)
{
    const char *end = word;
    bool quoted = false;
    bool unsafe = false;

    for (; *end && (quoted || !is_blank(*end)); end++) {
        if (*end == '"')
            quoted = !quoted;
        else
            unsafe |= !quoted && !is_literal(*end);
    }
    if (!unsafe) {
        ct_str_add(out, word, (size_t)(end - word));
        return end;
    }
    ct_str_putc(out, '"');
    for (const char *at = word; at < end; at++)
        if (*at != '"')
            ct_str_putc(out, *at);
    ct_str_putc(out, '"');
    return end;
}

static enum ct_status put_flags(struct ct_str *out, const struct ct_export_answer *answer,
                                struct ct_str *notes, struct ct_err *err)
{
    const char *at = answer->flags;
    const char *why = why_unreadable(at);
    struct ct_str spaced;

    (void)notes;
    if (why)
        return ct_err_set(
            err, CT_E_DB,
            "the options contain %s and cannot be printed as flags; use --format "
            "json or --format header",
            why);
    ct_str_init(&spaced);
    for (; *at; at++)
        ct_str_putc(&spaced, *at == '\t' ? ' ' : *at);
    if (!spaced.failed && !ct_show_plain(spaced.data)) {
        ct_str_release(&spaced);
        return ct_err_set(
            err, CT_E_DB,
            "the options contain a control character and cannot be printed as "
            "flags; use --format json or --format header");
    }
    for (at = spaced.data; *at;) {
        if (is_blank(*at))
            ct_str_putc(out, *at++);
        else
            at = put_word(out, at);
    }
    ct_str_putc(out, '\n');
    out->failed |= spaced.failed;
    ct_str_release(&spaced);
    return CT_OK;
}

const struct ct_export ct_export_flags = {
    .name = "flags", .help = "compiler options", .put = put_flags};
