// SPDX-License-Identifier: Apache-2.0
// Names and values of a space file.
#define _POSIX_C_SOURCE 200809L
#include "cli/complete_space.h"

#include "base/diag.h"
#include "spacefile/spec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A tab key must not wait: larger files are generated, and the values in them not for typing. */
enum { FILE_MOST = 1 << 20, VALUES_MOST = 500, DESCRIPTION_MOST = 60 };

/* --- the file --- */

/* Bash gives words as they are typed: "~/a\ b.ini", "'a b.ini". */
static void unquote(const char *path, struct ct_str *out)
{
    const char *home = ct_str_starts(path, "~/") ? getenv("HOME") : NULL;

    if (home) {
        ct_str_puts(out, home);
        path++;
    }
    for (; *path; path++) {
        if (*path == '"' || *path == '\'')
            continue;
        if (*path == '\\' && path[1])
            path++;
        ct_str_putc(out, *path);
    }
}

/* NULL without a file that can be read. */
static struct ct_spec *load(const char *path)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec = NULL;
    struct ct_str plain;
    struct stat info;

    ct_str_init(&plain);
    if (access(path, R_OK) == 0)
        ct_str_puts(&plain, path);
    else
        unquote(path, &plain);
    /* Reading from a pipe would take from the program on its other end. */
    if (!plain.failed && stat(plain.data, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size <= FILE_MOST && ct_spec_load(plain.data, &spec, &diags, &err))
        spec = NULL;
    ct_diags_release(&diags);
    ct_str_release(&plain);
    return spec;
}

/* --- words --- */

static void put_name(void *context, int slot, struct ct_str *out)
{
    const struct ct_spec *spec = context;

    ct_str_puts(out, spec->slots.symbols[slot].name);
}

/* What stands in the file as a problem size. */
static void put_size(struct ct_spec *spec, const struct ct_symbol *symbol,
                     struct ct_str *out)
{
    if (symbol->expr)
        ct_expr_print(symbol->expr, put_name, spec, out);
}

/* "1, 2, 4", shortened. */
static void put_values(const struct ct_param *param, struct ct_str *out)
{
    size_t start = out->length;

    for (size_t i = 0; param->values && i < param->value_count; i++) {
        if (out->length - start > DESCRIPTION_MOST) {
            ct_str_puts(out, ", ...");
            return;
        }
        ct_str_puts(out, i ? ", " : "");
        ct_value_print(out, param->values[i]);
    }
}

static void offer_names(struct ct_spec *spec, bool params, struct ct_str *out)
{
    for (size_t i = 0; !params && i < spec->slots.count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[i];

        if (symbol->class != CT_SYM_PROBLEM)
            continue;
        ct_str_addf(out, "%s=\t", symbol->name);
        put_size(spec, symbol, out);
        ct_str_putc(out, '\n');
    }
    for (size_t i = 0; params && i < spec->param_count; i++) {
        ct_str_addf(out, "%s=\t", spec->slots.symbols[spec->params[i].slot].name);
        put_values(&spec->params[i], out);
        ct_str_putc(out, '\n');
    }
}

static bool is_named(const struct ct_spec *spec, int slot, const char *name,
                     size_t length)
{
    const char *own = spec->slots.symbols[slot].name;

    return strlen(own) == length && memcmp(own, name, length) == 0;
}

static void offer_sizes(struct ct_spec *spec, const char *typed, struct ct_str *out)
{
    size_t length = strcspn(typed, "=");

    for (size_t i = 0; i < spec->slots.count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[i];

        if (symbol->class != CT_SYM_PROBLEM || !is_named(spec, (int)i, typed, length))
            continue;
        ct_str_addf(out, "%s=", symbol->name);
        put_size(spec, symbol, out);
        ct_str_puts(out, "\tthe file's value\n");
    }
}

static void offer_values(const struct ct_spec *spec, const char *typed,
                         struct ct_str *out)
{
    size_t length = strcspn(typed, "=");
    const char *comma = strrchr(typed, ',');
    size_t kept = comma ? (size_t)(comma - typed) + 1 : length + 1;

    for (size_t i = 0; i < spec->param_count; i++) {
        const struct ct_param *param = &spec->params[i];

        if (!param->values || !is_named(spec, param->slot, typed, length))
            continue;
        for (size_t k = 0; k < param->value_count && k < VALUES_MOST; k++) {
            ct_str_add(out, typed, kept);
            ct_value_print(out, param->values[k]);
            ct_str_addf(out, "\tvalue of %.*s\n", (int)length, typed);
        }
    }
}

void ct_complete_space(const char *path, const char *typed, bool params,
                       struct ct_str *out)
{
    struct ct_spec *spec = load(path);

    if (!spec)
        return;
    if (!strchr(typed, '='))
        offer_names(spec, params, out);
    else if (params)
        offer_values(spec, typed, out);
    else
        offer_sizes(spec, typed, out);
    ct_spec_free(spec);
}
