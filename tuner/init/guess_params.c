// SPDX-License-Identifier: Apache-2.0
// Guesses which macros are parameters, and their values.
#include "init/guess.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1024, NAME_MOST = 40 };

/* Whether a name, without regard to case, has one of the parts; parts in "=" must be all of it. */
static bool has_part(const char *name, const char *const *parts)
{
    for (; *parts; parts++)
        if (**parts == '=' ? strlen(name) == strlen(*parts + 1) &&
                                 ct_str_contains_nocase(name, *parts + 1)
                           : ct_str_contains_nocase(name, *parts))
            return true;
    return false;
}

static bool names_group(const char *name)
{
    static const char *const parts[] = {"wg",     "group", "local", "block", "blk",
                                        "tile",   "=ts",   "=bs",   "=rts",  "tpb",
                                        "thread", "chunk", NULL};

    return has_part(name, parts);
}

static bool names_items(const char *name)
{
    static const char *const parts[] = {"wpt",  "items", "per_item", "per_thread",
                                        "=ppt", "coars", NULL};

    return has_part(name, parts);
}

/* "MDIMC": work-items in a dimension of a group, as CLBlast has them. */
static bool names_extent(const char *name)
{
    static const char *const parts[] = {"dim", NULL};

    return has_part(name, parts);
}

static bool names_width(const char *name)
{
    static const char *const parts[] = {"vec", "unroll", "simd", "=vw", "lanes", NULL};

    return has_part(name, parts);
}

static bool names_size(const char *name)
{
    static const char *const parts[] = {"=n",   "=m",   "=k",     "width",  "height",
                                        "rows", "cols", "count",  "length", "num",
                                        "size", "=len", "stride", "pitch",  NULL};

    return has_part(name, parts);
}

static bool is_power(int64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

/* --- macros that the source defines --- */

static size_t definitions_of(const struct ct_code *code, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < code->macro_count; i++)
        count += strcmp(code->macros[i].name, name) == 0;
    return count;
}

/* Whether statements use it, perhaps through other macros. */
static bool is_used(const struct ct_code *code, const char *name)
{
    for (size_t i = 0; i < code->token_count; i++)
        if (strcmp(code->tokens[i].text, name) == 0)
            return true;
    for (size_t i = 0; i < code->macro_count; i++)
        if (strcmp(code->macros[i].name, name) != 0 &&
            ct_macros_uses(code->macros[i].value, name))
            return true;
    return false;
}

static const char *values_of(struct ct_draft *draft, const struct ct_macro *macro)
{
    struct ct_str text;
    const char *values;

    ct_str_init(&text);
    ct_macros_put_values(macro, &text);
    values = ct_draft_format(draft, "%s", text.data);
    ct_str_release(&text);
    return values;
}

static void add_default(struct ct_draft *draft, const char *name, const char *value)
{
    ct_draft_add(draft, &draft->defaults,
                 (struct ct_draft_line){.name = name, .value = value});
}

/* "the source", or which file of it; the line becomes that in the file. */
static const char *name_part(const struct ct_subject *s, int *line)
{
    const struct ct_part *part = ct_parts_find(s->parts, line);

    return s->parts->count > 1 ? part->label : "the source";
}

static void add_macro(const struct ct_subject *s, const struct ct_macro *macro,
                      struct ct_draft *draft)
{
    const struct ct_code_macro *defined = ct_code_find_macro(s->code, macro->name);
    bool guarded = defined && defined->is_guarded;
    bool used = is_used(s->code, macro->name);
    bool sized =
        names_group(macro->name) || names_items(macro->name) || names_width(macro->name);
    bool on = used && is_power(macro->value) && macro->value <= LARGEST &&
              (sized || (guarded && !names_size(macro->name))) &&
              (guarded || definitions_of(s->code, macro->name) == 1);
    struct ct_draft_line line = {.name = ct_draft_format(draft, "%s", macro->name)};
    int number = macro->line;
    const char *part = name_part(s, &number);

    if (!defined || ct_draft_find(&draft->params, macro->name))
        return;
    line.is_off = !on;
    line.value = used ? values_of(draft, macro)
                      : ct_draft_format(draft, "%" PRId64 ", 0", macro->value);
    if (!guarded)
        line.value = ct_draft_format(draft, "%s replaces", line.value);
    line.note =
        ct_draft_format(draft, "line %d of %s: %" PRId64, number, part, macro->value);
    ct_draft_add(draft, &draft->params, line);
    if (on)
        add_default(draft, line.name, ct_draft_format(draft, "%" PRId64, macro->value));
}

static bool any_off(const struct ct_draft_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->items[i].is_off)
            return true;
    return false;
}

/* Suggestions come last. */
static void sort_lines(struct ct_draft *draft, struct ct_draft_lines *lines)
{
    struct ct_draft_lines sorted = {0};

    if (!any_off(lines))
        return;
    for (int off = 0; off < 2; off++)
        for (size_t i = 0; i < lines->count; i++)
            if (lines->items[i].is_off == (off == 1))
                ct_draft_add(draft, &sorted, lines->items[i]);
    free(lines->items);
    *lines = sorted;
}

/* --- macros that nothing defines --- */

const char *ct_guess_macro_value(const struct ct_undefined *name)
{
    return name->is_specifier
               ? ct_str_contains_nocase(name->name, "kernel") ? "__kernel" : ""
           : name->is_type                             ? "float"
           : names_group(name->name)                   ? "16"
           : names_extent(name->name)                  ? "8"
           : name->is_width || names_width(name->name) ? "4"
           : names_items(name->name)                   ? "1"
           : names_size(name->name) && !name->is_small ? "256"
                                                       : "1";
}

static void add_undefined(const struct ct_undefined *name, struct ct_draft *draft)
{
    const char *value = ct_guess_macro_value(name);
    struct ct_draft_line line = {.name = name->name, .value = value};
    const char *more = names_group(name->name)                     ? "16, 8, 32"
                       : names_extent(name->name)                  ? "8, 4, 16"
                       : name->is_width || names_width(name->name) ? "4, 2, 8, 16"
                       : names_items(name->name)                   ? "1, 2, 4"
                                                                   : NULL;

    if (name->is_specifier) {
        line.value = *value ? "'__kernel'" : "";
        line.decide = ct_draft_format(
            draft, "%s stands in front of a type, and the source does not define it",
            name->name);
        ct_draft_add(draft, &draft->defines, line);
    } else if (name->is_type) {
        line.value = "'float'";
        line.decide = ct_draft_format(
            draft, "%s is a type that the source uses and does not define", name->name);
        ct_draft_add(draft, &draft->defines, line);
    } else if (more) {
        line.value = more;
        line.decide = ct_draft_format(
            draft, "the values of %s, which the source uses and does not define",
            name->name);
        ct_draft_add(draft, &draft->params, line);
        add_default(draft, name->name, value);
    } else {
        line.decide = ct_draft_format(
            draft, "the value of %s, which the source uses and does not define",
            name->name);
        ct_draft_add(draft, &draft->defines, line);
    }
}

/* Parts that #if switches: suggestions. */
static void add_switches(const struct ct_subject *s, struct ct_draft *draft)
{
    for (size_t i = 0; i < s->code->switch_count && i < NAME_MOST; i++) {
        const struct ct_code_switch *item = &s->code->switches[i];
        struct ct_draft_line line = {.name = item->name, .is_off = true};
        int number = item->line;
        const char *part = name_part(s, &number);

        if (ct_draft_find(&draft->params, item->name) ||
            ct_draft_find(&draft->defines, item->name))
            continue;
        line.value = item->by_value ? "0, 1" : "";
        line.note = ct_draft_format(
            draft, item->by_value ? "#if in line %d of %s" : "#ifdef in line %d of %s",
            number, part);
        ct_draft_add(draft, item->by_value ? &draft->params : &draft->defines, line);
    }
}

/* --- all --- */

static void add_options(const struct ct_subject *s, struct ct_draft *draft)
{
    for (size_t i = 0; i < s->options.count; i++) {
        const struct ct_macro *macro = &s->options.items[i];
        struct ct_draft_line line = {.name = ct_draft_format(draft, "%s", macro->name),
                                     .value = values_of(draft, macro),
                                     .note = "from --options"};

        ct_draft_add(draft, &draft->params, line);
        add_default(draft, line.name, ct_draft_format(draft, "%" PRId64, macro->value));
    }
}

void ct_guess_params(const struct ct_subject *s, struct ct_draft *draft)
{
    add_options(s, draft);
    for (size_t i = 0; i < s->undefined_count; i++)
        add_undefined(&s->undefined[i], draft);
    for (size_t i = 0; i < s->macros.count; i++)
        add_macro(s, &s->macros.items[i], draft);
    add_switches(s, draft);
    sort_lines(draft, &draft->params);
    sort_lines(draft, &draft->defines);
}
