// SPDX-License-Identifier: Apache-2.0
// "cltune best --format header": a C header.  Macros are CLTUNE_<KERNEL>_<NAME>; integers and
// reals are literals, texts are string literals, and CLTUNE_<KERNEL>_OPTIONS is the text for
// clBuildProgram. Names that would give the same macro (that differ only in case, or equal one
// that the header itself needs) get _2, _3 and so on, except the one that is spelt like the
// macro; there is a note about each.
#include "report/export.h"

#include "base/mem.h"
#include "base/show.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

/* A macro that the header defines. */
struct macro {
    const char *name; /* of the parameter; NULL for the header's own */
    const char *what; /* description, of the header's own */
    const char *base; /* the name without a number */
    const char *text; /* its value as text */
    size_t index;     /* of the parameter */
};

/* The first claim to a base: the header's own, then a name spelt like it. */
static int by_claim(const void *left, const void *right)
{
    const struct macro *a = left;
    const struct macro *b = right;
    int order = strcmp(a->base, b->base);

    if (order)
        return order;
    if (!a->name || !b->name)
        return (a->name != NULL) - (b->name != NULL);
    order = (strcmp(a->name, a->base) != 0) - (strcmp(b->name, b->base) != 0);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int by_base(const void *key, const void *item)
{
    return strcmp(key, ((const struct macro *)item)->base);
}

static const char *base_of(struct ct_arena *arena, const char *name)
{
    struct ct_str base;
    const char *copy;

    ct_str_init(&base);
    ct_export_put_identifier(&base, name);
    copy = base.failed ? NULL : ct_arena_copy(arena, base.data, base.length);
    ct_str_release(&base);
    return copy;
}

static void note_renamed(struct ct_str *notes, const char *kernel,
                         const struct macro *renamed, const struct macro *owner)
{
    ct_str_puts(notes, "parameter '");
    ct_show_add(notes, renamed->name, strlen(renamed->name), CT_SHOW_LINE);
    ct_str_addf(notes, "' is CLTUNE_%s_%s in the header: CLTUNE_%s_%s is ", kernel,
                renamed->text, kernel, owner->base);
    if (owner->name) {
        ct_str_puts(notes, "parameter '");
        ct_show_add(notes, owner->name, strlen(owner->name), CT_SHOW_LINE);
        ct_str_puts(notes, "'\n");
    } else {
        ct_str_addf(notes, "%s\n", owner->what);
    }
}

/* Names that are taken get the first number that makes them unique.  Two bases never collide: the
 * parts before the last underscore differ. */
static bool number_doubles(struct ct_arena *arena, const char *kernel,
                           struct macro *macros, size_t count, struct ct_str *notes)
{
    const struct macro *owner = NULL;
    unsigned number = 2;

    for (size_t i = 0; i < count; i++) {
        struct macro *macro = &macros[i];

        if (!owner || strcmp(owner->base, macro->base) != 0) {
            owner = macro;
            number = 2;
            macro->text = macro->base;
            continue;
        }
        do {
            macro->text = ct_arena_format(arena, "%s_%u", macro->base, number++);
            if (!macro->text)
                return false;
        } while (bsearch(macro->text, macros, count, sizeof(*macros), by_base));
        note_renamed(notes, kernel, macro, owner);
    }
    return true;
}

/* The macros' names, one per parameter, owned by the arena; NULL if out of memory. */
static const char **name_macros(struct ct_arena *arena,
                                const struct ct_export_answer *answer,
                                struct ct_str *notes)
{
    size_t count = answer->config_count + 2;
    const char *kernel = base_of(arena, answer->kernel);
    struct macro *macros = ct_arena_array(arena, count, sizeof(*macros));
    const char **names = ct_arena_array(arena, count, sizeof(*names));

    if (!kernel || !macros || !names)
        return NULL;
    for (size_t i = 0; i < answer->config_count; i++) {
        macros[i].name = answer->config[i].name;
        macros[i].index = i;
        macros[i].base = base_of(arena, macros[i].name);
        if (!macros[i].base)
            return NULL;
    }
    macros[count - 2].base = "OPTIONS";
    macros[count - 2].what = "the text for clBuildProgram";
    macros[count - 1].base = "H";
    macros[count - 1].what = "the include guard";
    qsort(macros, count, sizeof(*macros), by_claim);
    if (!number_doubles(arena, kernel, macros, count, notes))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (macros[i].name)
            names[macros[i].index] = macros[i].text;
    return names;
}

static void put_macro(struct ct_str *out, const struct ct_export_answer *answer,
                      const char *name)
{
    ct_str_puts(out, "#define CLTUNE_");
    ct_export_put_identifier(out, answer->kernel);
    ct_str_addf(out, "_%s ", name);
}

static void put_origin(struct ct_str *out, const struct ct_export_answer *answer)
{
    char time[CT_FORMAT_SIZE];

    ct_str_puts(out, "/* Generated by cltune ");
    ct_export_put_comment(out, answer->version);
    ct_str_puts(out, "; do not edit.\n * kernel:   ");
    ct_export_put_comment(out, answer->kernel);
    ct_str_puts(out, "\n * device:   ");
    ct_export_put_comment(out, answer->device);
    ct_str_puts(out, "\n * driver:   ");
    ct_export_put_comment(out, answer->driver);
    ct_str_puts(out, "\n * problem: ");
    for (size_t i = 0; i < answer->problem_count; i++) {
        struct ct_str value;

        ct_str_init(&value);
        ct_value_print(&value, answer->problem[i].value);
        ct_str_putc(out, ' ');
        ct_export_put_comment(out, answer->problem[i].name);
        ct_str_putc(out, '=');
        ct_export_put_comment(out, value.data);
        ct_str_release(&value);
    }
    if (answer->asked) {
        ct_str_puts(out, "\n * note:     macros of the options are those of ");
        ct_export_put_comment(out, answer->asked);
    }
    if (answer->objective) {
        ct_str_puts(out, "\n * best in:  ");
        ct_export_put_comment(out, answer->objective);
    }
    ct_str_addf(out, "\n * time:     %s", ct_format_time(time, answer->time_ns));
    if (answer->default_time_ns > 0 && answer->time_ns > 0)
        ct_str_addf(out, ", %.2f times as fast as the default",
                    answer->default_time_ns / answer->time_ns);
    if (answer->unverified)
        ct_str_puts(out, "\n"
                         " * note:     unverified: its outputs were not checked");
    if (answer->unknown_limits) {
        ct_str_puts(
            out, "\n * note:     not known to run on the device asked for: that needs ");
        ct_export_put_comment(out, answer->unknown_limits);
    }
    ct_str_puts(out, "\n * evidence: ");
    ct_export_put_comment(out, answer->evidence);
    ct_str_puts(out, ", experiment ");
    ct_export_put_comment(out, answer->experiment);
    ct_str_puts(out, "\n */\n");
}

/* The smallest integer has no literal of its own. */
static void put_literal(struct ct_str *out, struct ct_value value)
{
    if (value.kind == CT_TEXT)
        ct_export_put_string(out, value.u.s);
    else if (value.kind == CT_INT && value.u.i == INT64_MIN)
        ct_str_puts(out, "(-9223372036854775807 - 1)");
    else
        ct_value_print(out, value);
}

static enum ct_status put_header(struct ct_str *out,
                                 const struct ct_export_answer *answer,
                                 struct ct_str *notes, struct ct_err *err)
{
    struct ct_arena arena = {0};
    const char **names = name_macros(&arena, answer, notes);

    (void)err;
    out->failed |= !names;
    put_origin(out, answer);
    ct_str_puts(out, "#ifndef CLTUNE_");
    ct_export_put_identifier(out, answer->kernel);
    ct_str_puts(out, "_H\n#define CLTUNE_");
    ct_export_put_identifier(out, answer->kernel);
    ct_str_puts(out, "_H\n\n");
    put_macro(out, answer, "OPTIONS");
    ct_export_put_string(out, answer->flags);
    ct_str_putc(out, '\n');
    for (size_t i = 0; names && i < answer->config_count; i++) {
        put_macro(out, answer, names[i]);
        put_literal(out, answer->config[i].value);
        ct_str_putc(out, '\n');
    }
    ct_str_puts(out, "\n#endif\n");
    ct_arena_release(&arena);
    return CT_OK;
}

const struct ct_export ct_export_header = {
    .name = "header", .help = "a C header", .put = put_header};
