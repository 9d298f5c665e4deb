// SPDX-License-Identifier: Apache-2.0
#include "base/wide.h"

#include <math.h>
#include <string.h>

static uint64_t high_product(uint64_t a, uint64_t b)
{
    const uint64_t mask = UINT32_MAX;
    uint64_t lows = (a & mask) * (b & mask);
    uint64_t middle = (a >> 32) * (b & mask) + (lows >> 32);
    uint64_t other = (a & mask) * (b >> 32) + (middle & mask);

    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

struct ct_wide ct_wide_times(struct ct_wide a, uint64_t factor)
{
    return (struct ct_wide){a.low * factor, (int64_t)((uint64_t)a.high * factor +
                                                      high_product(a.low, factor))};
}

struct ct_wide ct_wide_from_real(double value)
{
    double size = trunc(fabs(value));
    double high = floor(size * 0x1p-64);
    struct ct_wide wide = {(uint64_t)(size - high * 0x1p64), (int64_t)high};

    return value < 0 ? ct_wide_negate(wide) : wide;
}

double ct_wide_real(struct ct_wide value)
{
    struct ct_wide size = value.high < 0 ? ct_wide_negate(value) : value;
    uint64_t top = (uint64_t)size.high;
    int shift = 0;

    /* The 64 highest bits; the last one also stands for those below it, which decide ties. */
    if (top) {
        while (!(top >> 63 & 1)) {
            top = top << 1 | (size.low >> 63);
            size.low <<= 1;
            shift++;
        }
        top |= size.low != 0;
    } else {
        top = size.low;
        shift = 64;
    }
    return copysign(ldexp((double)top, 64 - shift), value.high < 0 ? -1 : 1);
}

void ct_wide_print(struct ct_wide value, char text[CT_WIDE_TEXT_SIZE])
{
    struct ct_wide size = value.high < 0 ? ct_wide_negate(value) : value;
    uint32_t parts[4] = {(uint32_t)((uint64_t)size.high >> 32), (uint32_t)size.high,
                         (uint32_t)(size.low >> 32), (uint32_t)size.low};
    char digits[CT_WIDE_TEXT_SIZE];
    char *at = digits + sizeof(digits) - 1;

    *at = '\0';
    do {
        uint64_t rest = 0;

        /* Long division by ten. */
        for (int i = 0; i < 4; i++) {
            rest = rest << 32 | parts[i];
            parts[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        *--at = (char)('0' + (int)rest);
    } while (parts[0] | parts[1] | parts[2] | parts[3]);
    if (value.high < 0)
        *--at = '-';
    memcpy(text, at, (size_t)(digits + sizeof(digits) - at));
}
