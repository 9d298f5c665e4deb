// SPDX-License-Identifier: Apache-2.0
// Command line settings, read with the language of space files.
#include "plan/binding_impl.h"

#include "spacefile/spec_impl.h"

#include <string.h>

/* Compiles with the space file's functions, into an arena of the caller's. */
struct session {
    struct ct_spec shadow; /* the specification, with another arena */
    struct ct_reader_file file;
    struct ct_diags diags; /* without the name of the setting */
    struct ct_spec_builder builder;
    struct ct_text text;
};

static bool open_session(struct session *s, const struct ct_binding *binding,
                         struct ct_arena *arena, const char *text, size_t length)
{
    /* Settings have no places. */
    static const struct ct_place nowhere[] = {{CT_RANK_RUNS, 1}, {0, 0}, {0, 0}};

    memset(s, 0, sizeof(*s));
    s->shadow = *binding->spec;
    s->shadow.arena = *arena;
    s->file.path = CT_BINDING_PLACE;
    s->builder.spec = &s->shadow;
    s->builder.file = &s->file;
    s->builder.diags = &s->diags;
    s->builder.settled = true;
    s->builder.loop = -1;
    s->text.file = CT_BINDING_PLACE;
    s->text.text = ct_spec_copy(&s->builder, text, length);
    s->text.length = length;
    s->text.places = nowhere;
    return s->text.text != NULL;
}

/* Returns the arena, and the findings prefixed with the setting's name. */
static bool close_session(struct session *s, struct ct_arena *arena,
                          const struct ct_setting *setting, struct ct_diags *diags)
{
    bool ok = !s->builder.nomem && !s->diags.failed && !s->diags.errors;

    *arena = s->shadow.arena;
    for (size_t i = 0; i < s->diags.count; i++)
        ct_diags_add(diags, s->diags.items[i].severity, CT_BINDING_PLACE, 0, 0,
                     "'%s=%s': %s", setting->name, setting->text,
                     s->diags.items[i].message);
    if (s->builder.nomem || s->diags.failed)
        diags->failed = true;
    ct_diags_release(&s->diags);
    return ok;
}

/* Whether an entry of a list is unquoted text: one of the parameter's texts, or a word that is
 * not a name if all of its values are texts. */
static bool is_bare(const struct ct_binding *binding, size_t param, const char *piece,
                    size_t length)
{
    const struct ct_domain *all = &binding->all[param];
    const struct ct_spec *spec = binding->spec;
    bool texts = all->count && all->values[0].kind == CT_TEXT; /* then all are */

    for (size_t i = 0; texts && i < all->count; i++)
        if (strlen(all->values[i].u.s) == length &&
            memcmp(all->values[i].u.s, piece, length) == 0)
            return !length || ct_spec_find(spec, all->values[i].u.s) < 0;
    texts = texts && ct_expr_is_word(piece, length);
    for (size_t i = 0; texts && i < spec->slots.count; i++)
        texts = strlen(spec->slots.symbols[i].name) != length ||
                memcmp(spec->slots.symbols[i].name, piece, length) != 0;
    return texts;
}

/* The list with unquoted texts quoted. */
static void quote_bare(const struct ct_binding *binding, size_t param, const char *list,
                       struct ct_str *out)
{
    struct ct_text text = {CT_BINDING_PLACE, list, strlen(list), NULL};

    for (size_t begin = 0; begin <= text.length;) {
        size_t comma = ct_expr_find_char(&text, begin, text.length, ',');
        size_t end = comma;

        ct_expr_trim(&text, &begin, &end);
        if (is_bare(binding, param, list + begin, end - begin))
            ct_str_addf(out, "'%.*s'", (int)(end - begin), list + begin);
        else
            ct_str_add(out, list + begin, end - begin);
        if (comma < text.length)
            ct_str_putc(out, ',');
        begin = comma + 1;
    }
}

/* Replaces values by those of the parameter's own list; reports missing ones. */
static void match_values(struct session *s, const struct ct_binding *binding,
                         size_t param, const struct ct_value **values, size_t count)
{
    const struct ct_domain *all = &binding->all[param];
    struct ct_value *own = ct_spec_alloc(&s->builder, count, sizeof(*own));

    for (size_t i = 0; own && i < count; i++) {
        long index = ct_spec_find_value(all->values, all->count, (*values)[i]);
        struct ct_str text;

        if (index >= 0) {
            own[i] = all->values[index];
            continue;
        }
        ct_str_init(&text);
        ct_value_print(&text, (*values)[i]);
        ct_str_puts(&text, " is not in the list");
        ct_spec_put_nearest(&text, all->values, all->count, (*values)[i]);
        ct_diags_add(&s->diags, CT_ERROR, CT_BINDING_PLACE, 0, 0, "%s", text.data);
        ct_str_release(&text);
        break; /* one report is enough */
    }
    *values = own;
}

bool ct_binding_read_list(const struct ct_binding *binding, size_t param,
                          const struct ct_setting *setting, struct ct_arena *arena,
                          const struct ct_value **values, size_t *count,
                          struct ct_diags *diags)
{
    struct ct_param list = {0};
    struct session s;
    struct ct_str text;
    enum ct_kind kind;

    ct_str_init(&text);
    quote_bare(binding, param, setting->text, &text);
    if (text.failed || !open_session(&s, binding, arena, text.data, text.length)) {
        diags->failed = true;
        ct_str_release(&text);
        return false;
    }
    ct_spec_compile_list(&s.builder, &s.text, &list, &kind);
    if (!s.diags.errors && !s.builder.nomem) {
        if (list.condition)
            ct_diags_add(&s.diags, CT_ERROR, CT_BINDING_PLACE, 0, 0,
                         "'if' is not allowed here");
        switch (ct_spec_expand(list.items, list.item_count, binding->fixed,
                               CT_BINDING_PLACE, &s.shadow.arena, values, count,
                               &s.diags)) {
        case CT_EXPANDED:
            match_values(&s, binding, param, values, *count);
            break;
        case CT_EXPANSION_UNKNOWN:
            ct_diags_add(&s.diags, CT_ERROR, CT_BINDING_PLACE, 0, 0,
                         "it uses a name whose value is unknown");
            break;
        case CT_EXPANSION_WRONG:
            break;
        case CT_EXPANSION_NOMEM:
            s.builder.nomem = true;
            break;
        }
    }
    ct_str_release(&text);
    return close_session(&s, arena, setting, diags);
}

bool ct_binding_read_value(const struct ct_binding *binding,
                           const struct ct_setting *setting, bool text,
                           struct ct_arena *arena, struct ct_value *out,
                           struct ct_diags *diags)
{
    const struct ct_expr *expr;
    char why[CT_EVAL_WHY_SIZE];
    struct ct_value value;
    struct session s;

    if (text) {
        size_t length = strlen(setting->text);
        bool quoted =
            length >= 2 && setting->text[0] == '\'' && setting->text[length - 1] == '\'';
        const char *copy =
            ct_arena_copy(arena, setting->text + quoted, quoted ? length - 2 : length);

        diags->failed = diags->failed || !copy;
        *out = ct_value_text(copy);
        return copy != NULL;
    }
    if (!open_session(&s, binding, arena, setting->text, strlen(setting->text))) {
        diags->failed = true;
        return false;
    }
    expr = ct_spec_compile_number(&s.builder, &s.text, 0, s.text.length, CT_USE_NOTHING,
                                  false, "it");
    if (expr && !s.diags.errors) {
        enum ct_eval failed = ct_expr_eval(expr, binding->fixed, &value);

        if (failed)
            ct_diags_add(&s.diags, CT_ERROR, CT_BINDING_PLACE, 0, 0,
                         "it cannot be computed: %s",
                         ct_expr_why(expr, failed, binding->fixed, why));
        else
            *out = value;
    }
    return close_session(&s, arena, setting, diags);
}
