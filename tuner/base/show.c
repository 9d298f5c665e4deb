// SPDX-License-Identifier: Apache-2.0
// Decodes UTF-8 strictly, and escapes part of it.
#include "base/show.h"

#include <string.h>

/* The bytes of the sequence that a lead byte begins; 0 where none begins. */
static size_t sequence_length(unsigned char lead)
{
    return lead < 0x80                   ? 1
           : lead >= 0xc2 && lead < 0xe0 ? 2
           : lead >= 0xe0 && lead < 0xf0 ? 3
           : lead >= 0xf0 && lead < 0xf5 ? 4
                                         : 0;
}

/* Decodes the beginning of `text` (RFC 3629: no overlong forms, no surrogates).  Returns its
 * length, 0 if the first byte is not UTF-8. */
static size_t decode(const unsigned char *text, size_t length, unsigned *code)
{
    static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t need = sequence_length(text[0]);

    if (!need || need > length)
        return 0;
    *code = need == 1 ? text[0] : text[0] & (0xffu >> (need + 1));
    for (size_t i = 1; i < need; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    if (*code < smallest[need] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
        return 0;
    return need;
}

/* Whether a terminal, or an editor, may do something else with it than show it: control
 * characters, line ends, direction marks, overrides and isolates, invisible annotations. */
static bool obeyed(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff ||
           (code >= 0xfff9 && code <= 0xfffb);
}

static bool ends_word(unsigned code)
{
    return code == '\n' || code == '\t';
}

void ct_show_add(struct ct_str *out, const char *text, size_t length, enum ct_show how)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char *end = at + length;

    while (at < end) {
        unsigned code = 0;
        size_t used = decode(at, (size_t)(end - at), &code);

        if (!used)
            ct_str_addf(out, "\\x%02x", *at);
        else if (!obeyed(code) || (how == CT_SHOW_LINES && ends_word(code)))
            ct_str_add(out, at, used);
        else
            ct_str_addf(out, code < 0x20 ? "\\x%02x" : "\\u%04x", code);
        at += used ? used : 1;
    }
}

const char *ct_show_line(struct ct_arena *arena, const char *text)
{
    struct ct_str shown;
    const char *copy;

    if (ct_show_plain(text))
        return text;
    ct_str_init(&shown);
    ct_show_add(&shown, text, strlen(text), CT_SHOW_LINE);
    copy = shown.failed ? NULL : ct_arena_copy(arena, shown.data, shown.length);
    ct_str_release(&shown);
    return copy ? copy : "?";
}

size_t ct_show_character(const char *text, size_t length)
{
    unsigned code;

    return length ? decode((const unsigned char *)text, length, &code) : 0;
}

size_t ct_show_unfinished(const char *text, size_t length)
{
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        unsigned char byte = (unsigned char)text[length - back];

        if ((byte & 0xc0) != 0x80)
            return sequence_length(byte) > back ? back : 0;
    }
    return 0;
}

bool ct_show_plain(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strlen(text);

    while (left) {
        unsigned code = 0;
        size_t used = decode(at, left, &code);

        if (!used || obeyed(code))
            return false;
        at += used;
        left -= used;
    }
    return true;
}

void ct_show_utf8(struct ct_str *out, const char *text, const char *escape)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strlen(text);

    while (left) {
        unsigned code;
        size_t used = decode(at, left, &code);

        if (used)
            ct_str_add(out, at, used);
        else
            ct_str_addf(out, "%s%02x", escape, *at);
        used = used ? used : 1;
        at += used;
        left -= used;
    }
}
