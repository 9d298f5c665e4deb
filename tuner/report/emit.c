// SPDX-License-Identifier: Apache-2.0
// Writing flags and headers.
#include "report/emit.h"

#include "report/format.h"

#include <ctype.h>
#include <string.h>

/* An identifier made of `text`: upper case, everything else an underscore. */
static void put_identifier(struct ct_str *out, const char *text)
{
    for (; *text; text++)
        ct_str_putc(out, isalnum((unsigned char)*text)
                             ? (char)toupper((unsigned char)*text)
                             : '_');
}

/* Text inside a C comment: neither its end nor a line end may come from outside. */
static void put_comment(struct ct_str *out, const char *text)
{
    for (; *text; text++) {
        if (text[0] == '*' && text[1] == '/')
            ct_str_puts(out, "* ");
        else
            ct_str_putc(out, iscntrl((unsigned char)*text) ? ' ' : *text);
    }
}

static void put_string(struct ct_str *out, const char *text)
{
    ct_str_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            ct_str_putc(out, '\\');
        if (iscntrl((unsigned char)*text))
            ct_str_addf(out, "\\%03o", (unsigned char)*text);
        else
            ct_str_putc(out, *text);
    }
    ct_str_putc(out, '"');
}

void ct_emit_flags(struct ct_str *out, const struct ct_emit *answer)
{
    ct_str_puts(out, answer->flags);
    ct_str_putc(out, '\n');
}

static void put_macro(struct ct_str *out, const struct ct_emit *answer, const char *name)
{
    ct_str_puts(out, "#define CLTUNE_");
    put_identifier(out, answer->kernel);
    ct_str_putc(out, '_');
    put_identifier(out, name);
    ct_str_putc(out, ' ');
}

static void put_origin(struct ct_str *out, const struct ct_emit *answer)
{
    char time[CT_FORMAT_SIZE];

    ct_str_puts(out, "/* Made by cltune ");
    put_comment(out, answer->version);
    ct_str_puts(out, "; do not edit.\n * kernel:   ");
    put_comment(out, answer->kernel);
    ct_str_puts(out, "\n * device:   ");
    put_comment(out, answer->device);
    ct_str_puts(out, "\n * driver:   ");
    put_comment(out, answer->driver);
    ct_str_puts(out, "\n * problem: ");
    for (size_t i = 0; i < answer->problem_count; i++) {
        struct ct_str value;

        ct_str_init(&value);
        ct_value_print(&value, answer->problem[i].value);
        ct_str_addf(out, " %s=", answer->problem[i].name);
        put_comment(out, value.data);
        ct_str_release(&value);
    }
    if (answer->objective) {
        ct_str_puts(out, "\n * best in:  ");
        put_comment(out, answer->objective);
    }
    ct_str_addf(out, "\n * time:     %s", ct_format_time(time, answer->time_ns));
    if (answer->default_time_ns > 0 && answer->time_ns > 0)
        ct_str_addf(out, ", %.2f times as fast as the default",
                    answer->default_time_ns / answer->time_ns);
    if (answer->unverified)
        ct_str_puts(out, "\n * note:     unverified: its outputs were not compared with "
                         "anything");
    ct_str_puts(out, "\n * evidence: ");
    put_comment(out, answer->evidence);
    ct_str_puts(out, ", experiment ");
    put_comment(out, answer->experiment);
    ct_str_puts(out, "\n */\n");
}

void ct_emit_header(struct ct_str *out, const struct ct_emit *answer)
{
    put_origin(out, answer);
    ct_str_puts(out, "#ifndef CLTUNE_");
    put_identifier(out, answer->kernel);
    ct_str_puts(out, "_H\n#define CLTUNE_");
    put_identifier(out, answer->kernel);
    ct_str_puts(out, "_H\n\n");
    put_macro(out, answer, "OPTIONS");
    put_string(out, answer->flags);
    ct_str_putc(out, '\n');
    for (size_t i = 0; i < answer->config_count; i++) {
        const struct ct_emit_value *value = &answer->config[i];

        put_macro(out, answer, value->name);
        if (value->value.kind == CT_TEXT)
            put_string(out, value->value.u.s);
        else
            ct_value_print(out, value->value);
        ct_str_putc(out, '\n');
    }
    ct_str_puts(out, "\n#endif\n");
}
