// SPDX-License-Identifier: Apache-2.0
// What export formats have in common: quoting, splitting of options.
#include "report/export.h"

#include "base/show.h"

#include <string.h>

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

void ct_export_put_shell_word(struct ct_str *out, const char *text)
{
    ct_str_putc(out, '\'');
    for (; *text; text++)
        if (*text == '\'')
            ct_str_puts(out, "'\\''");
        else
            ct_str_putc(out, *text);
    ct_str_putc(out, '\'');
}

/* --- options --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

const char *ct_export_split(struct ct_arena *arena, const char *flags,
                            struct ct_export_words *out)
{
    size_t most = strlen(flags) / 2 + 1;
    const char *at = flags;

    out->count = 0;
    out->items = ct_arena_array(arena, most, sizeof(*out->items));
    if (!out->items)
        return "more than memory holds";
    if (strchr(flags, '\\'))
        return "a backslash, which shells and OpenCL compilers read differently";
    for (at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
        char *word = ct_arena_copy(arena, at, strlen(at));
        bool quoted = false;

        if (!word)
            return "more than memory holds";
        out->items[out->count++] = word;
        for (; *at && (quoted || !is_blank(*at)); at++) {
            if (*at == '"')
                quoted = !quoted;
            else
                *word++ = *at;
        }
        *word = '\0';
        if (quoted)
            return "an unmatched quote";
    }
    return NULL;
}

void ct_export_keep_macros(struct ct_export_words *words)
{
    size_t kept = 0;

    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];

        if (word[0] != '-' || (word[1] != 'D' && word[1] != 'U'))
            continue;
        words->items[kept++] = words->items[i];
        if (!word[2] && i + 1 < words->count)
            words->items[kept++] = words->items[++i];
    }
    words->count = kept;
}

/* Whether output shows it as it is. */
static bool is_shown(const char *text, bool lines)
{
    struct ct_str shown;
    bool same;

    ct_str_init(&shown);
    ct_show_add(&shown, text, strlen(text), lines ? CT_SHOW_LINES : CT_SHOW_LINE);
    same = shown.failed || strcmp(shown.data, text) == 0;
    ct_str_release(&shown);
    return same;
}

enum ct_status ct_export_check_plain(const struct ct_export_answer *answer, bool lines,
                                     const char *format, struct ct_err *err)
{
    bool plain = is_shown(answer->flags, lines);

    for (size_t i = 0; i < answer->config_count && plain; i++)
        if (answer->config[i].value.kind == CT_TEXT)
            plain = is_shown(answer->config[i].value.u.s, lines);
    return plain ? CT_OK
                 : ct_err_set(err, CT_E_DB,
                              "the options or a value contain a line break or a control "
                              "character and cannot be printed as %s; use --format json "
                              "or --format header",
                              format);
}
