// SPDX-License-Identifier: Apache-2.0
// Fields of comma-separated values.
#include "report/csv.h"

#include <math.h>
#include <string.h>

void ct_csv_field(struct ct_str *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;

    if (quoted)
        ct_str_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            ct_str_putc(out, '"');
        ct_str_putc(out, *text);
    }
    if (quoted)
        ct_str_putc(out, '"');
}

void ct_csv_text(struct ct_str *out, const char *text)
{
    ct_str_putc(out, ',');
    ct_csv_field(out, text ? text : "");
}

void ct_csv_real(struct ct_str *out, double value)
{
    ct_str_putc(out, ',');
    if (isfinite(value))
        ct_str_addf(out, "%.15g", value);
}
