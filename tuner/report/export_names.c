// SPDX-License-Identifier: Apache-2.0
// Names of exported parameters, CLTUNE_<KERNEL>_<NAME>, without collisions.
#include "report/export.h"

#include "base/show.h"

#include <stdlib.h>
#include <string.h>

/* A name that the output defines. */
struct macro {
    const char *name; /* of the parameter; NULL for the format's own */
    const char *what; /* description, of the format's own */
    const char *base; /* the name without a number */
    const char *text; /* its value as text */
    size_t index;     /* of the parameter */
};

/* The first claim to a base: the format's own, then a name spelt like it. */
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

/* Whose names they are, for notes. */
struct naming {
    struct ct_arena *arena;
    const char *kernel; /* as an identifier */
    const char *where;
    struct ct_str *notes;
};

static void note_renamed(const struct naming *naming, const struct macro *renamed,
                         const struct macro *owner)
{
    struct ct_str *notes = naming->notes;
    const char *kernel = naming->kernel;

    ct_str_puts(notes, "parameter '");
    ct_show_add(notes, renamed->name, strlen(renamed->name), CT_SHOW_LINE);
    ct_str_addf(notes, "' is CLTUNE_%s_%s in the %s: CLTUNE_%s_%s is ", kernel,
                renamed->text, naming->where, kernel, owner->base);
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
static bool number_doubles(const struct naming *naming, struct macro *macros,
                           size_t count)
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
            macro->text = ct_arena_format(naming->arena, "%s_%u", macro->base, number++);
            if (!macro->text)
                return false;
        } while (bsearch(macro->text, macros, count, sizeof(*macros), by_base));
        note_renamed(naming, macro, owner);
    }
    return true;
}

const char **ct_export_names(struct ct_arena *arena,
                             const struct ct_export_answer *answer,
                             const struct ct_export_reserved *reserved,
                             size_t reserved_count, const char *where,
                             struct ct_str *notes)
{
    size_t count = answer->config_count + reserved_count;
    const struct naming naming = {arena, base_of(arena, answer->kernel), where, notes};
    struct macro *macros = ct_arena_array(arena, count, sizeof(*macros));
    const char **names = ct_arena_array(arena, count, sizeof(*names));

    if (!naming.kernel || !macros || !names)
        return NULL;
    for (size_t i = 0; i < answer->config_count; i++) {
        macros[i].name = answer->config[i].name;
        macros[i].index = i;
        macros[i].base = base_of(arena, macros[i].name);
        if (!macros[i].base)
            return NULL;
    }
    for (size_t i = 0; i < reserved_count; i++) {
        macros[answer->config_count + i].base = reserved[i].name;
        macros[answer->config_count + i].what = reserved[i].what;
    }
    qsort(macros, count, sizeof(*macros), by_claim);
    if (!number_doubles(&naming, macros, count))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (macros[i].name)
            names[macros[i].index] = macros[i].text;
    return names;
}

void ct_export_put_name(struct ct_str *out, const struct ct_export_answer *answer,
                        const char *name)
{
    ct_str_puts(out, "CLTUNE_");
    ct_export_put_identifier(out, answer->kernel);
    ct_str_addf(out, "_%s", name);
}
