// SPDX-License-Identifier: Apache-2.0
// Fields of comma-separated values.
#include "report/csv.h"

#include "base/mem.h"

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

/* --- columns --- */

static bool is_in(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool ct_csv_columns_add(struct ct_csv_columns *columns, const char *name)
{
    if (is_in(name, columns->names, columns->count))
        return true;
    if (!ct_mem_grow(&columns->names, &columns->capacity, columns->count + 1,
                     sizeof(*columns->names)))
        return false;
    columns->names[columns->count++] = name;
    return true;
}

static void put_names(struct ct_str *out, const struct ct_csv_fixed *fixed,
                      const struct ct_csv_columns *columns, const char *prefix,
                      const struct ct_csv_columns *taken)
{
    for (size_t i = 0; i < columns->count; i++) {
        const char *name = columns->names[i];
        struct ct_str full;

        ct_str_init(&full);
        if (is_in(name, fixed->before, fixed->before_count) ||
            is_in(name, fixed->after, fixed->after_count) ||
            (taken && is_in(name, taken->names, taken->count)))
            ct_str_puts(&full, prefix);
        ct_str_puts(&full, name);
        ct_csv_text(out, full.data);
        out->failed |= full.failed;
        ct_str_release(&full);
    }
}

void ct_csv_head(struct ct_str *out, const struct ct_csv_fixed *fixed,
                 const struct ct_csv_columns *sizes, const struct ct_csv_columns *params)
{
    for (size_t i = 0; i < fixed->before_count; i++)
        ct_str_addf(out, "%s%s", i ? "," : "", fixed->before[i]);
    put_names(out, fixed, sizes, "size.", NULL);
    put_names(out, fixed, params, "param.", sizes);
    for (size_t i = 0; i < fixed->after_count; i++)
        ct_csv_text(out, fixed->after[i]);
    ct_str_putc(out, '\n');
}
