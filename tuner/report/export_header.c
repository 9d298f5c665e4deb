// SPDX-License-Identifier: Apache-2.0
// "cltune best --format header": a C header.  Macros are CLTUNE_<KERNEL>_<NAME>; integers and
// reals are literals, texts are string literals, and CLTUNE_<KERNEL>_OPTIONS is the text for
// clBuildProgram.  Names that would give the same macro get numbers (ct_export_names).
//
// With several devices the macros are those of the device that CLTUNE_<KERNEL>_DEVICE names, by
// default 0, which stands for devices that are not listed; CLTUNE_<KERNEL>_EACH(ROW) lists all of
// them for a choice at run time.
#include "report/export.h"

#include <string.h>

static void put_macro(struct ct_str *out, const struct ct_export_answer *answer,
                      const char *name)
{
    ct_str_puts(out, "#define ");
    ct_export_put_name(out, answer, name);
    ct_str_putc(out, ' ');
}

/* The smallest integer has no literal. */
static void put_literal(struct ct_str *out, struct ct_value value)
{
    if (value.kind == CT_TEXT)
        ct_export_put_string(out, value.u.s);
    else if (value.kind == CT_INT && value.u.i == INT64_MIN)
        ct_str_puts(out, "(-9223372036854775807 - 1)");
    else
        ct_value_print(out, value);
}

static void put_guard(struct ct_str *out, const struct ct_export_answer *answer)
{
    ct_str_puts(out, "#ifndef ");
    ct_export_put_name(out, answer, "H");
    ct_str_puts(out, "\n#define ");
    ct_export_put_name(out, answer, "H");
    ct_str_puts(out, "\n\n");
}

static const struct ct_export_reserved reserved[] = {
    {"OPTIONS", "the text for clBuildProgram"},
    {"H", "the include guard"},
    /* Of several devices. */
    {"DEVICE", "the number of the chosen device"},
    {"DEVICES", "the number of devices"},
    {"EACH", "the list of devices"},
    {"DEFAULT_OPTIONS", "the options for other devices"},
};
enum {
    RESERVED_ONE = 2,
    RESERVED_ALL = sizeof(reserved) / sizeof(reserved[0]),
};

static void put_macros(struct ct_str *out, const struct ct_export_answer *answer,
                       size_t reserved_count, struct ct_str *notes)
{
    struct ct_arena arena = {0};
    const char **names =
        ct_export_names(&arena, answer, reserved, reserved_count, "header", notes);

    out->failed |= !names;
    put_macro(out, answer, "OPTIONS");
    ct_export_put_string(out, answer->flags);
    ct_str_putc(out, '\n');
    for (size_t i = 0; names && i < answer->config_count; i++) {
        put_macro(out, answer, names[i]);
        put_literal(out, answer->config[i].value);
        ct_str_putc(out, '\n');
    }
    ct_arena_release(&arena);
}

static enum ct_status put_header(struct ct_str *out,
                                 const struct ct_export_answer *answer,
                                 struct ct_str *notes, struct ct_err *err)
{
    (void)err;
    ct_export_put_origin(out, answer, &ct_export_comment_c);
    put_guard(out, answer);
    put_macros(out, answer, RESERVED_ONE, notes);
    ct_str_puts(out, "\n#endif\n");
    return CT_OK;
}

/* --- several devices --- */

/* Notes about names are the same for devices with the same parameters: each is kept once. */
static void add_notes(struct ct_str *notes, const struct ct_str *more)
{
    for (const char *line = more->data, *end; (end = strchr(line, '\n'));
         line = end + 1) {
        size_t length = (size_t)(end - line) + 1;
        bool known = false;

        for (const char *at = notes->data; *at && !known; at = strchr(at, '\n') + 1)
            known = strncmp(at, line, length) == 0;
        if (!known)
            ct_str_add(notes, line, length);
    }
}

static void put_device(struct ct_str *out, const struct ct_export_answer *answer,
                       size_t number, struct ct_str *notes)
{
    struct ct_str own;

    ct_str_init(&own);
    ct_str_puts(out, number ? "#elif " : "#if ");
    ct_export_put_name(out, answer, "DEVICE");
    ct_str_addf(out, " == %zu\n", number);
    ct_export_put_origin(out, answer, &ct_export_comment_c);
    put_macros(out, answer, RESERVED_ALL, &own);
    add_notes(notes, &own);
    ct_str_release(&own);
}

/* One row of the list, for the macro `ROW` of the user. */
static void put_row(struct ct_str *out, const struct ct_export_answer *answer,
                    size_t number)
{
    const char *const texts[] = {answer->device, answer->vendor, answer->type,
                                 answer->driver, answer->flags};

    ct_str_addf(out, " \\\n    ROW(%zu", number);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ct_str_puts(out, ", ");
        ct_export_put_string(out, texts[i]);
    }
    ct_str_putc(out, ')');
}

static void put_list(struct ct_str *out, const struct ct_export_set *set)
{
    const struct ct_export_answer *first = set->answers;

    ct_str_puts(out,
                "\n/* ROW(number, device, vendor, type, driver, options) of each. */\n");
    put_macro(out, first, "DEVICES");
    ct_str_addf(out, "%zu\n", set->count);
    if (set->fallback) {
        put_macro(out, first, "DEFAULT_OPTIONS");
        ct_export_put_string(out, set->fallback->flags);
        ct_str_putc(out, '\n');
    }
    ct_str_puts(out, "#define ");
    ct_export_put_name(out, first, "EACH");
    ct_str_puts(out, "(ROW)");
    for (size_t i = 0; i < set->count; i++)
        put_row(out, &set->answers[i], i + 1);
    ct_str_putc(out, '\n');
}

static enum ct_status put_headers(struct ct_str *out, const struct ct_export_set *set,
                                  struct ct_str *notes, struct ct_err *err)
{
    const struct ct_export_answer *first = set->answers;

    (void)err;
    ct_str_puts(out, "/* Generated by cltune ");
    ct_export_put_comment(out, first->version);
    ct_str_puts(out, "; do not edit. */\n");
    put_guard(out, first);
    ct_str_puts(out, "/* The device whose macros are defined; 0: the best for devices "
                     "that are not listed. */\n#ifndef ");
    ct_export_put_name(out, first, "DEVICE");
    ct_str_puts(out, "\n");
    put_macro(out, first, "DEVICE");
    ct_str_addf(out, "%d\n#endif\n\n", set->fallback ? 0 : 1);
    if (set->fallback)
        put_device(out, set->fallback, 0, notes);
    for (size_t i = 0; i < set->count; i++) {
        if (i || set->fallback)
            put_device(out, &set->answers[i], i + 1, notes);
        else {
            ct_str_puts(out, "#if 0\n");
            put_device(out, &set->answers[i], i + 1, notes);
        }
    }
    ct_str_puts(out, "#else\n#error \"CLTUNE_");
    ct_export_put_identifier(out, first->kernel);
    ct_str_addf(out, "_DEVICE must be a number up to %zu\"\n#endif\n", set->count);
    put_list(out, set);
    ct_str_puts(out, "\n#endif\n");
    return CT_OK;
}

const struct ct_export ct_export_header = {
    .name = "header",
    .help = "a C header, of several devices with --device all",
    .put = put_header,
    .put_all = put_headers,
    .one_problem = true,
};
