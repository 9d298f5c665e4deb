// SPDX-License-Identifier: Apache-2.0
// Formats numbers for output: all other code counts in integers and nanoseconds.
#include "report/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ct_format_time(char *out, double ns)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    size_t unit = 0;
    double value;

    while (unit + 1 < sizeof(units) / sizeof(units[0]) && ns >= units[unit + 1].scale)
        unit++;
    value = ns / units[unit].scale;
    snprintf(out, CT_FORMAT_SIZE, "%.*f %s",
             unit == 0     ? 0
             : value < 10  ? 3
             : value < 100 ? 2
                           : 1,
             value, units[unit].unit);
    return out;
}

const char *ct_format_duration(char *out, double seconds)
{
    double whole = floor(seconds + 0.5);

    if (!(seconds < 1e9))
        snprintf(out, CT_FORMAT_SIZE, "more than 30 years");
    else if (seconds < 10)
        snprintf(out, CT_FORMAT_SIZE, "%.1f s", seconds);
    else if (seconds < 60)
        snprintf(out, CT_FORMAT_SIZE, "%.0f s", seconds);
    else if (seconds < 3600)
        snprintf(out, CT_FORMAT_SIZE, "%d min %02d s", (int)(whole / 60),
                 (int)fmod(whole, 60));
    else
        snprintf(out, CT_FORMAT_SIZE, "%" PRIu64 " h %02d min", (uint64_t)(whole / 3600),
                 (int)fmod(whole / 60, 60));
    return out;
}

const char *ct_format_count(char *out, uint64_t count)
{
    char digits[24];
    size_t length;
    size_t at = 0;

    snprintf(digits, sizeof(digits), "%" PRIu64, count);
    length = strlen(digits);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *ct_format_big(char *out, double count)
{
    if (count < 0x1p53)
        return ct_format_count(out, (uint64_t)count);
    snprintf(out, CT_FORMAT_SIZE, "%.3g", count);
    return out;
}

const char *ct_format_bytes(char *out, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        unit++;
    }
    snprintf(out, CT_FORMAT_SIZE, "%.*f %s", value < 100 && value != floor(value) ? 1 : 0,
             value, units[unit]);
    return out;
}

const char *ct_format_real(char *out, double value)
{
    double size = fabs(value);
    int decimals;

    if (!isfinite(value) || size >= 1e9 || (size > 0 && size < 1e-4)) {
        snprintf(out, CT_FORMAT_SIZE, "%.3g", value);
        return out;
    }
    decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 5;
    snprintf(out, CT_FORMAT_SIZE, "%.*f", decimals, value);
    return out;
}

const char *ct_format_ratio(char *out, double ratio)
{
    snprintf(out, CT_FORMAT_SIZE, "%.2fx", ratio);
    return out;
}
