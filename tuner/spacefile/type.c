// SPDX-License-Identifier: Apache-2.0
// OpenCL's types: the table of scalars, and conversion of values to and from bytes.
#include "spacefile/type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum form { FORM_SIGNED, FORM_UNSIGNED, FORM_REAL };

static const struct {
    const char *name;
    const char *c_name;
    unsigned size;
    enum form form;
} scalars[CT_T_COUNT] = {
    [CT_T_CHAR] = {"char", "int8_t", 1, FORM_SIGNED},
    [CT_T_UCHAR] = {"uchar", "uint8_t", 1, FORM_UNSIGNED},
    [CT_T_SHORT] = {"short", "int16_t", 2, FORM_SIGNED},
    [CT_T_USHORT] = {"ushort", "uint16_t", 2, FORM_UNSIGNED},
    [CT_T_INT] = {"int", "int32_t", 4, FORM_SIGNED},
    [CT_T_UINT] = {"uint", "uint32_t", 4, FORM_UNSIGNED},
    [CT_T_LONG] = {"long", "int64_t", 8, FORM_SIGNED},
    [CT_T_ULONG] = {"ulong", "uint64_t", 8, FORM_UNSIGNED},
    [CT_T_HALF] = {"half", "uint16_t", 2, FORM_REAL},
    [CT_T_FLOAT] = {"float", "float", 4, FORM_REAL},
    [CT_T_DOUBLE] = {"double", "double", 8, FORM_REAL},
};

static const struct {
    const char *suffix;
    unsigned width;
} widths[] = {{"", 1}, {"2", 2}, {"3", 3}, {"4", 4}, {"8", 8}, {"16", 16}};

bool ct_type_parse(const char *name, struct ct_type *type)
{
    for (int s = 0; s < CT_T_COUNT; s++) {
        size_t length = strlen(scalars[s].name);

        if (strncmp(name, scalars[s].name, length) != 0)
            continue;
        for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
            if (strcmp(name + length, widths[w].suffix) != 0)
                continue;
            type->scalar = (enum ct_scalar)s;
            type->width = widths[w].width;
            return true;
        }
    }
    return false;
}

bool ct_type_read(const char *name, struct ct_type *type)
{
    size_t length = strlen(name);

    for (int s = 0; s < CT_T_COUNT; s++)
        if (length == strlen(scalars[s].name) + 1 && name[length - 1] == '1' &&
            strncmp(name, scalars[s].name, length - 1) == 0) {
            *type = (struct ct_type){(enum ct_scalar)s, 1};
            return true;
        }
    return ct_type_parse(name, type);
}

void ct_type_name(struct ct_type type, char name[16])
{
    if (type.width == 1)
        snprintf(name, 16, "%s", scalars[type.scalar].name);
    else
        snprintf(name, 16, "%s%u", scalars[type.scalar].name, type.width);
}

const char *ct_type_c_name(struct ct_type type)
{
    return scalars[type.scalar].c_name;
}

static unsigned room_of(struct ct_type type)
{
    return type.width == 3 ? 4 : type.width;
}

size_t ct_type_size(struct ct_type type)
{
    return (size_t)scalars[type.scalar].size * room_of(type);
}

size_t ct_scalar_size(enum ct_scalar scalar)
{
    return scalars[scalar].size;
}

/* IEEE 754 binary16, directly from double so that nothing is rounded twice. */
static uint16_t half_from_double(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    int exponent;
    unsigned units;

    if (isnan(value))
        return sign | 0x7e00;
    if (magnitude >= 65520) /* half way between the largest finite half and the next */
        return sign | 0x7c00;
    if (magnitude < 0x1p-25)
        return sign;
    exponent = ilogb(magnitude);
    if (exponent < -14) /* subnormal: the spacing no longer shrinks */
        exponent = -14;
    units = (unsigned)rint(ldexp(magnitude, 10 - exponent));
    /* Normal numbers have 1024 to 2048 units; the first 1024 are the hidden bit, which increments
     * the exponent, and so does a carry from rounding. */
    return (uint16_t)(sign | (((unsigned)(exponent + 14) << 10) + units));
}

static double half_to_double(uint16_t half)
{
    int exponent = half >> 10 & 31;
    int fraction = half & 1023;
    double magnitude;

    if (exponent == 31)
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, -24);
    else
        magnitude = ldexp(fraction + 1024, exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

/* Half way between the largest finite float and what would be the next. */
#define FLOAT_BEYOND 0x1.ffffffp127

static float float_from_double(double value)
{
    if (fabs(value) >= FLOAT_BEYOND)
        return value < 0 ? -INFINITY : INFINITY;
    return (float)value;
}

static void put_real(enum ct_scalar scalar, double value, unsigned char *bytes)
{
    if (scalar == CT_T_HALF) {
        uint16_t half = half_from_double(value);

        memcpy(bytes, &half, sizeof(half));
    } else if (scalar == CT_T_FLOAT) {
        float single = float_from_double(value);

        memcpy(bytes, &single, sizeof(single));
    } else {
        memcpy(bytes, &value, sizeof(value));
    }
}

/* The low bytes of a two's complement number, in the machine's order. */
static void put_integer(size_t size, uint64_t bits, unsigned char *bytes)
{
    uint8_t b8 = (uint8_t)bits;
    uint16_t b16 = (uint16_t)bits;
    uint32_t b32 = (uint32_t)bits;

    switch (size) {
    case 1:
        memcpy(bytes, &b8, size);
        break;
    case 2:
        memcpy(bytes, &b16, size);
        break;
    case 4:
        memcpy(bytes, &b32, size);
        break;
    default:
        memcpy(bytes, &bits, sizeof(bits));
        break;
    }
}

/* The range [low, beyond) of an integer scalar; all of its bounds are exact doubles. */
static void integer_range(enum ct_scalar scalar, double *low, double *beyond)
{
    int bits = (int)scalars[scalar].size * 8;

    if (scalars[scalar].form == FORM_SIGNED) {
        *low = -ldexp(1, bits - 1);
        *beyond = ldexp(1, bits - 1);
    } else {
        *low = 0;
        *beyond = ldexp(1, bits);
    }
}

static uint64_t highest_bits(enum ct_scalar scalar)
{
    unsigned bits = scalars[scalar].size * 8 - (scalars[scalar].form == FORM_SIGNED);

    return UINT64_MAX >> (64 - bits);
}

/* `value` is an integer within the scalar's range. */
static uint64_t integer_bits(double value)
{
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static bool real_fits(enum ct_scalar scalar, double value)
{
    if (!isfinite(value))
        return true;
    if (scalar == CT_T_HALF)
        return fabs(value) < 65520;
    return scalar == CT_T_DOUBLE || fabs(value) < FLOAT_BEYOND;
}

static bool integer_fits(enum ct_scalar scalar, int64_t value)
{
    unsigned bits = scalars[scalar].size * 8;

    if (scalars[scalar].form == FORM_UNSIGNED)
        return value >= 0 && (bits == 64 || value >> bits == 0);
    return bits == 64 ||
           (value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1));
}

static bool store_scalar(enum ct_scalar scalar, struct ct_value value,
                         unsigned char *bytes)
{
    size_t size = scalars[scalar].size;
    double low;
    double beyond;
    double real;

    if (value.kind != CT_INT && value.kind != CT_REAL)
        return false;
    real = ct_value_number(value);
    if (scalars[scalar].form == FORM_REAL) {
        if (!real_fits(scalar, real))
            return false;
        put_real(scalar, real, bytes);
        return true;
    }
    if (value.kind == CT_INT) {
        if (!integer_fits(scalar, value.u.i))
            return false;
        put_integer(size, (uint64_t)value.u.i, bytes);
        return true;
    }
    integer_range(scalar, &low, &beyond);
    if (!(real >= low && real < beyond) || real != trunc(real))
        return false;
    put_integer(size, integer_bits(real), bytes);
    return true;
}

bool ct_type_store(struct ct_type type, struct ct_value value, unsigned char *bytes)
{
    size_t size = scalars[type.scalar].size;

    if (!store_scalar(type.scalar, value, bytes))
        return false;
    for (unsigned i = 1; i < room_of(type); i++)
        memcpy(bytes + i * size, bytes, size);
    return true;
}

#define LOAD(c_type)                                                                     \
    do {                                                                                 \
        c_type loaded;                                                                   \
                                                                                         \
        memcpy(&loaded, at, sizeof(loaded));                                             \
        return (double)loaded;                                                           \
    } while (0)

double ct_scalar_load(enum ct_scalar scalar, const void *array, size_t index)
{
    const unsigned char *at = (const unsigned char *)array + index * scalars[scalar].size;
    uint16_t half;

    switch (scalar) {
    case CT_T_CHAR:
        LOAD(int8_t);
    case CT_T_UCHAR:
        LOAD(uint8_t);
    case CT_T_SHORT:
        LOAD(int16_t);
    case CT_T_USHORT:
        LOAD(uint16_t);
    case CT_T_INT:
        LOAD(int32_t);
    case CT_T_UINT:
        LOAD(uint32_t);
    case CT_T_LONG:
        LOAD(int64_t);
    case CT_T_ULONG:
        LOAD(uint64_t);
    case CT_T_HALF:
        memcpy(&half, at, sizeof(half));
        return half_to_double(half);
    case CT_T_FLOAT:
        LOAD(float);
    case CT_T_DOUBLE:
        LOAD(double);
    case CT_T_COUNT:
        break;
    }
    return 0;
}

void ct_scalar_store(enum ct_scalar scalar, void *array, size_t index, double value)
{
    size_t size = scalars[scalar].size;
    unsigned char *at = (unsigned char *)array + index * size;
    double low;
    double beyond;

    if (scalars[scalar].form == FORM_REAL) {
        put_real(scalar, value, at);
        return;
    }
    integer_range(scalar, &low, &beyond);
    value = isnan(value) ? 0 : round(value);
    if (value < low)
        value = low;
    if (value >= beyond) /* beyond - 1 is not a double if it has more than 53 bits */
        put_integer(size, highest_bits(scalar), at);
    else
        put_integer(size, integer_bits(value), at);
}
