// SPDX-License-Identifier: Apache-2.0
// Names of types, and values of them from their bytes.
#include "spacefile/arg_type.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 128 };

static const struct {
    const char *name;
    const char *npy;
    size_t size_bytes;
    const char *also[4];
} scalars[] = {
    {"char", "|i1", 1, {"int8_t", "signed char"}},
    {"uchar", "|u1", 1, {"uint8_t", "unsigned char", "bool"}},
    {"short", "<i2", 2, {"int16_t"}},
    {"ushort", "<u2", 2, {"uint16_t", "unsigned short"}},
    {"int", "<i4", 4, {"int32_t", "signed int"}},
    {"uint", "<u4", 4, {"uint32_t", "unsigned int", "unsigned"}},
    {"long", "<i8", 8, {"int64_t", "long long"}},
    {"ulong", "<u8", 8, {"uint64_t", "unsigned long", "size_t"}},
    {"half", "<f2", 2, {NULL}},
    {"float", "<f4", 4, {NULL}},
    {"double", "<f8", 8, {NULL}},
};

/* The words of a type without qualifiers and what is behind them, with one blank between. */
static void clean(const char *text, char *out)
{
    static const char *const qualifiers[] = {
        "const",      "volatile", "restrict", "__global",   "global",
        "__constant", "constant", "__const",  "__restrict", "struct"};
    char word[WORD];
    int length;

    out[0] = '\0';
    while (sscanf(text, " %127[A-Za-z0-9_]%n", word, &length) == 1) {
        bool skip = false;

        for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++)
            skip = skip || strcmp(word, qualifiers[i]) == 0;
        if (!skip && strlen(out) + strlen(word) + 2 < WORD) {
            if (*out)
                out[strlen(out) + 1] = '\0', out[strlen(out)] = ' ';
            memcpy(out + strlen(out), word, strlen(word) + 1);
        }
        text += length;
    }
}

static struct ct_ctype plain(const char *name)
{
    char base[WORD];
    size_t length = strlen(name);
    unsigned width = 1;

    snprintf(base, sizeof(base), "%s", name);
    while (length && isdigit((unsigned char)base[length - 1]))
        length--;
    if (base[length] && length && base[length - 1] != '_') {
        width = (unsigned)strtoul(base + length, NULL, 10);
        if (width == 2 || width == 3 || width == 4 || width == 8 || width == 16)
            base[length] = '\0';
    }
    for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++) {
        bool found = strcmp(base, scalars[i].name) == 0;

        for (size_t other = 0; other < 4 && scalars[i].also[other]; other++)
            found = found || strcmp(name, scalars[i].also[other]) == 0;
        if (found)
            return (struct ct_ctype){scalars[i].name, scalars[i].npy,
                                     scalars[i].size_bytes,
                                     strcmp(base, scalars[i].name) == 0 ? width : 1};
    }
    return (struct ct_ctype){NULL, "|u1", 1, 1};
}

struct ct_ctype ct_ctype_read(const char *text)
{
    char name[WORD];

    clean(text, name);
    return plain(name);
}

/* --- values --- */

static void put_bytes(struct ct_str *out, const char *hex)
{
    ct_str_puts(out, "bytes('");
    for (size_t i = 0; hex[i] && hex[i + 1]; i += 2)
        ct_str_addf(out, "%s%.2s", i ? " " : "", hex + i);
    ct_str_puts(out, "')");
}

static uint64_t bits_of(const char *hex, size_t size_bytes)
{
    uint64_t bits = 0;

    for (size_t i = size_bytes; i-- > 0;) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

        bits = bits << 8 | strtoul(pair, NULL, 16);
    }
    return bits;
}

/* A real that reads back the same; false for what has no form. */
static bool put_real(struct ct_str *out, double value, int digits)
{
    char text[64];

    if (!isfinite(value))
        return false;
    snprintf(text, sizeof(text), "%.*g", digits, value);
    ct_str_puts(out, text);
    if (!strpbrk(text, ".e"))
        ct_str_puts(out, ".0");
    return true;
}

static bool put_scalar(struct ct_str *out, struct ct_ctype type, const char *hex)
{
    uint64_t bits = bits_of(hex, type.size_bytes);
    unsigned shift = (unsigned)(64 - 8 * type.size_bytes);
    float single;
    double real;

    if (strcmp(type.name, "float") == 0) {
        uint32_t low = (uint32_t)bits;

        memcpy(&single, &low, sizeof(single));
        /* Minus zero and numbers too small to be normal are bytes. */
        return (single == 0 ? bits == 0 : fabsf(single) >= 1.17549435e-38f) &&
               put_real(out, (double)single, 9);
    }
    if (strcmp(type.name, "double") == 0) {
        memcpy(&real, &bits, sizeof(real));
        return (real == 0 ? bits == 0 : fabs(real) >= 2.3e-308) &&
               put_real(out, real, 17);
    }
    if (strcmp(type.name, "half") == 0)
        return false;
    if (type.npy[1] == 'i')
        ct_str_addf(out, "%" PRId64, (int64_t)(bits << (shift & 63)) >> (shift & 63));
    else if (bits > INT64_MAX)
        return false;
    else
        ct_str_addf(out, "%" PRIu64, bits);
    return (int64_t)bits != INT64_MIN;
}

void ct_ctype_put_value(struct ct_str *out, struct ct_ctype type, const char *hex)
{
    size_t lanes = type.width == 3 ? 4 : type.width;
    bool good = type.name && strlen(hex) == 2 * lanes * type.size_bytes;
    struct ct_str text;

    ct_str_init(&text);
    if (good && type.width > 1)
        ct_str_addf(&text, "%s%u(", type.name, type.width);
    else if (good)
        ct_str_addf(&text, "%s(", type.name);
    for (size_t i = 0; good && i < type.width; i++) {
        ct_str_puts(&text, i ? ", " : "");
        good = put_scalar(&text, type, hex + 2 * i * type.size_bytes);
    }
    ct_str_putc(&text, ')');
    if (good)
        ct_str_add(out, text.data, text.length);
    else
        put_bytes(out, hex);
    ct_str_release(&text);
}
