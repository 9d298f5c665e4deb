// SPDX-License-Identifier: Apache-2.0
// Entries of `args` that are passed by value as a whole: values with several components,
// struct(...) and bytes('...').
#include "spacefile/spec_impl.h"

#include <string.h>

/* Expressions between commas. */
static size_t count_values(const struct ct_text *text, size_t begin, size_t end)
{
    size_t count = 1;

    for (size_t at = ct_expr_find_char(text, begin, end, ','); at < end;
         at = ct_expr_find_char(text, at + 1, end, ','))
        count++;
    return count;
}

void ct_spec_values(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                    size_t end, bool member, struct ct_spec_arg *arg)
{
    size_t count = count_values(text, begin, end);
    const struct ct_expr **values = ct_spec_alloc(b, count, sizeof(*values));
    char type[16];

    ct_type_name(arg->type, type);
    arg->kind = CT_ARG_SCALAR;
    if (!values)
        return;
    if (count > 1 && arg->type.width > 1 && count != arg->type.width) {
        CT_SPEC_COMPLAIN(b, arg->place,
                         "%s takes one value, which all components get, or %u, not %zu",
                         type, arg->type.width, count);
        return;
    }
    if (count > 1 && arg->type.width == 1 && !member) {
        CT_SPEC_COMPLAIN(
            b, arg->place,
            "%s takes one value, not %zu; several belong to a vector such as "
            "%s4(...) or to an array in struct(...)",
            type, count, type);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t comma = ct_expr_find_char(text, begin, end, ',');

        values[i] = ct_spec_compile_number(
            b, text, begin, comma, CT_USE_LAUNCH,
            arg->type.scalar<CT_T_HALF, count> 1 ? "this value" : "this argument");
        begin = comma + 1;
    }
    arg->value_count = count;
    arg->values = values;
}

void ct_spec_struct(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                    size_t end, bool host, struct ct_spec_arg *arg)
{
    struct ct_spec_arg *parts =
        ct_spec_alloc(b, count_values(text, begin, end), sizeof(*parts));

    arg->kind = CT_ARG_BYTES;
    arg->parts = parts;
    while (parts && begin <= end) {
        size_t comma = ct_expr_find_char(text, begin, end, ',');
        struct ct_spec_arg *part = &parts[arg->part_count++];
        size_t stop = comma;

        ct_expr_trim(text, &begin, &stop);
        part->place = ct_text_place(text, begin);
        if (begin == stop)
            CT_SPEC_COMPLAIN(b, part->place, "a member of the struct is missing here");
        else
            ct_spec_read_member(b, text, begin, stop, host, part);
        begin = comma + 1;
    }
}

/* The value of a hexadecimal digit, or -1. */
static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The digits between two quotes; false after a diagnosis. */
static bool read_digits(struct ct_spec_builder *b, const struct ct_text *text,
                        size_t begin, size_t end, unsigned char *raw, size_t *digits)
{
    for (size_t at = begin; at < end; at++) {
        int digit = digit_of(text->text[at]);

        if (text->text[at] == ' ' && *digits % 2 == 0)
            continue;
        if (digit < 0) {
            CT_SPEC_COMPLAIN(b, ct_text_place(text, at),
                             "bytes(...) has two hexadecimal digits for each byte, with "
                             "blanks between bytes only");
            return false;
        }
        raw[*digits / 2] = (unsigned char)(raw[*digits / 2] << 4 | digit);
        ++*digits;
    }
    return true;
}

void ct_spec_bytes(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                   size_t end, struct ct_spec_arg *arg)
{
    unsigned char *raw;
    size_t digits = 0;

    arg->kind = CT_ARG_BYTES;
    ct_expr_trim(text, &begin, &end);
    raw = ct_spec_alloc(b, (end - begin) / 2 + 1, 1);
    if (!raw)
        return;
    for (size_t close; begin < end; begin = close + 1) {
        const char *quote = text->text[begin] == '\''
                                ? memchr(text->text + begin + 1, '\'', end - begin - 1)
                                : NULL;

        if (!quote)
            break;
        close = (size_t)(quote - text->text);
        if (!read_digits(b, text, begin + 1, close, raw, &digits))
            return;
        for (; close + 1 < end && strchr(" \t\n", text->text[close + 1]); close++)
            ;
    }
    if (begin < end || !(end - begin + digits))
        CT_SPEC_COMPLAIN(
            b, arg->place,
            "write bytes as hexadecimal digits in quotes: bytes('00 ff 1c')");
    else if (digits % 2)
        CT_SPEC_COMPLAIN(b, arg->place,
                         "the last byte of bytes(...) has one digit, not two");
    arg->raw = raw;
    arg->raw_count = digits / 2;
}
