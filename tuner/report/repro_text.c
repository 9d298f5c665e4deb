// SPDX-License-Identifier: Apache-2.0
// Text from kernels, drivers and users as C.
#include "report/repro_impl.h"

#include <math.h>
#include <string.h>

void ct_repro_put_escaped(struct ct_str *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '\n')
            ct_str_puts(out, "\\n");
        else if (c == '\t')
            ct_str_puts(out, "\\t");
        else if (c == '"' || c == '\\' || c == '?')
            ct_str_addf(out, "\\%c", c);
        else if (c < ' ' || c > '~')
            ct_str_addf(out, "\\%03o", c);
        else
            ct_str_putc(out, (char)c);
    }
}

void ct_repro_put_string(struct ct_str *out, const char *text)
{
    ct_str_putc(out, '"');
    if (text)
        ct_repro_put_escaped(out, text, strlen(text));
    ct_str_putc(out, '"');
}

void ct_repro_put_real(struct ct_str *out, double value)
{
    if (isnan(value))
        ct_str_puts(out, "0.0 / 0.0");
    else if (isinf(value))
        ct_str_puts(out, value > 0 ? "1.0 / 0.0" : "-1.0 / 0.0");
    else
        ct_str_addf(out, "%a", value);
}
