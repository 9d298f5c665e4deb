// SPDX-License-Identifier: Apache-2.0
// Expressions and templates of a space file: which names they may use, and where.
#include "spacefile/spec_impl.h"

#include <string.h>
#include <strings.h>

static const char *class_text(enum ct_symbol_class class)
{
    static const char *const texts[] = {
        [CT_SYM_PROBLEM] = "problem name", [CT_SYM_LET] = "name of [let]",
        [CT_SYM_PARAM] = "parameter",      [CT_SYM_DERIVED] = "derived name",
        [CT_SYM_DEVICE] = "device limit",  [CT_SYM_KERNEL] = "kernel fact",
        [CT_SYM_RESULT] = "result",        [CT_SYM_LOOP] = "pass number",
    };

    return texts[class];
}

static const char *use_text(enum ct_spec_use use)
{
    switch (use) {
    case CT_USE_NOTHING:
        return "only numbers are allowed here";
    case CT_USE_PROBLEM:
        return "[problem] may use problem names only";
    case CT_USE_FIXED:
        return "values may use problem and device names only, nothing that depends on a "
               "parameter";
    case CT_USE_CONFIG:
    case CT_USE_METRIC:
    case CT_USE_LET:
    case CT_USE_LAUNCH:
    case CT_USE_REQUIRE:
        break;
    }
    return "";
}

/* Names that have a value only in certain places. */
static bool known_here(struct ct_spec_builder *b, const struct ct_symbol *symbol,
                       struct ct_place place)
{
    const struct ct_symbol *pass = symbol->class == CT_SYM_LOOP ? symbol
                                   : symbol->loop_slot
                                       ? &b->spec->slots.symbols[symbol->loop_slot]
                                       : NULL;

    if (symbol->class == CT_SYM_KERNEL && b->use != CT_USE_REQUIRE) {
        CT_SPEC_COMPLAIN(
            b, place,
            "'%s' is known only after the build: use it in 'require' of a launch",
            symbol->name);
        return false;
    }
    if (symbol->class == CT_SYM_RESULT && b->use != CT_USE_METRIC) {
        CT_SPEC_COMPLAIN(b, place,
                         "'%s' is known only after measuring: use it in [metric]",
                         symbol->name);
        return false;
    }
    if (pass && b->use != CT_USE_LET &&
        (b->use != CT_USE_LAUNCH || b->loop < 0 ||
         strcmp(b->spec->loops[b->loop].name, pass->name) != 0)) {
        CT_SPEC_COMPLAIN(
            b, place,
            "'%s' is %s a pass: use it only in args, global, local and when of the "
            "launches of [loop %s]",
            symbol->name, pass == symbol ? "the number of" : "made of", pass->name);
        return false;
    }
    if (b->in_reference && symbol->per_config)
        b->spec->reference.uses[symbol - b->spec->slots.symbols] = true;
    return true;
}

static bool allowed(struct ct_spec_builder *b, const struct ct_symbol *symbol,
                    struct ct_place place)
{
    bool ok = true;

    if (!known_here(b, symbol, place))
        return false;

    switch (b->use) {
    case CT_USE_NOTHING:
        ok = false;
        break;
    case CT_USE_PROBLEM:
        ok = symbol->class == CT_SYM_PROBLEM;
        break;
    case CT_USE_FIXED:
        ok = !symbol->per_config;
        break;
    case CT_USE_CONFIG:
    case CT_USE_METRIC:
    case CT_USE_LET:
    case CT_USE_LAUNCH:
    case CT_USE_REQUIRE:
        break;
    }
    if (!ok)
        CT_SPEC_COMPLAIN(b, place, "the %s '%s' cannot be used here: %s",
                         class_text(symbol->class), symbol->name, use_text(b->use));
    return ok;
}

static bool is_buffer(const struct ct_spec_builder *b, const char *word)
{
    for (size_t i = 0; i < b->file->section_count; i++)
        if ((strcmp(b->file->sections[i].kind, "buffer") == 0 ||
             strcmp(b->file->sections[i].kind, "image") == 0) &&
            b->file->sections[i].name && strcmp(b->file->sections[i].name, word) == 0)
            return true;
    return false;
}

/* Whether a word was most likely meant as text: it is alone, or compared with something. */
static bool is_text(const struct ct_spec_builder *b, size_t length)
{
    size_t begin = b->begin;
    size_t end = b->end;

    if (!b->text)
        return false;
    ct_expr_trim(b->text, &begin, &end);
    if (end - begin == length)
        return !b->number;
    for (; begin + 1 < end; begin++)
        if (memcmp(b->text->text + begin, "==", 2) == 0 ||
            memcmp(b->text->text + begin, "!=", 2) == 0)
            return true;
    return false;
}

/* A suggestion for an unknown name; NULL: none. */
static const char *unknown_but(struct ct_spec_builder *b, const char *word)
{
    static const char *const truths[] = {"on", "off", "true", "false"};

    for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++)
        if (strcasecmp(word, truths[i]) == 0)
            return ct_arena_format(&b->spec->arena, "; did you mean '%s'?", truths[i]);
    if (b->use == CT_USE_METRIC &&
        (strcmp(word, "time") == 0 || strcmp(word, "time_s") == 0 ||
         strcmp(word, "time_ms") == 0 || strcmp(word, "time_us") == 0 ||
         strcmp(word, "t") == 0))
        return "; the time is 'time_ns', in nanoseconds";
    return NULL;
}

static bool is_metric(const struct ct_spec_builder *b, const char *word)
{
    const struct ct_reader_section *section;
    size_t index = 0;

    while ((section = ct_spec_next(b, "metric", &index)))
        for (size_t i = 0; i < section->entry_count; i++)
            if (strcmp(section->entries[i].key, word) == 0)
                return true;
    return false;
}

static void unknown_name(struct ct_spec_builder *b, const char *word,
                         struct ct_place place)
{
    const struct ct_spec *spec = b->spec;
    const char **names = ct_spec_alloc(b, spec->slots.count, sizeof(*names));
    const char *other = unknown_but(b, word);
    const char *hint;
    size_t count = 0;

    if (!names)
        return;
    for (size_t i = 0; i < spec->slots.count; i++)
        if (b->use == CT_USE_METRIC || spec->slots.symbols[i].class != CT_SYM_RESULT)
            names[count++] = spec->slots.symbols[i].name;
    if (is_buffer(b, word))
        CT_SPEC_COMPLAIN(b, place, "'%s' is a buffer and has no value", word);
    else if (!b->settled && is_metric(b, word))
        CT_SPEC_COMPLAIN(b, place,
                         "'%s' is a metric, which cannot be used elsewhere: repeat its "
                         "expression, or give the expression a name in [let]",
                         word);
    else if (*(hint = other ? other : ct_spec_hint(b, word, names, count)) ||
             !is_text(b, strlen(word)))
        CT_SPEC_COMPLAIN(b, place, "unknown name '%s'%s", word, hint);
    else
        CT_SPEC_COMPLAIN(b, place,
                         "unknown name '%s'; text stands in single quotes: '%s'", word,
                         word);
}

static int slot_of_name(void *context, const char *name, size_t length,
                        struct ct_place place)
{
    struct ct_spec_builder *b = context;
    const char *word = ct_spec_copy(b, name, length);
    int slot = word ? ct_spec_find(b->spec, word) : -1;

    if (!word)
        return -1;
    if (slot < 0) {
        unknown_name(b, word, place);
        return -1;
    }
    if (!b->settled)
        b->spec->slots.symbols[slot].used = true;
    return allowed(b, &b->spec->slots.symbols[slot], place) ? slot : -1;
}

static enum ct_kind kind_of(void *context, int slot)
{
    struct ct_spec_builder *b = context;

    return b->spec->slots.symbols[slot].kind;
}

static bool may_ask(void *context, int slot, struct ct_place place)
{
    struct ct_spec_builder *b = context;
    const struct ct_symbol *symbol = &b->spec->slots.symbols[slot];

    if (symbol->class != CT_SYM_DEVICE)
        CT_SPEC_COMPLAIN(b, place, "known() requires a device limit, but '%s' is a %s",
                         symbol->name, class_text(symbol->class));
    else if (b->use == CT_USE_REQUIRE)
        CT_SPEC_COMPLAIN(b, place,
                         "known() cannot be used in 'require': give it a name in [let]");
    return symbol->class == CT_SYM_DEVICE && b->use != CT_USE_REQUIRE;
}

const struct ct_expr *ct_spec_compile(struct ct_spec_builder *b,
                                      const struct ct_text *text, size_t begin,
                                      size_t end, enum ct_spec_use use)
{
    struct ct_scope scope = {slot_of_name, kind_of, b, may_ask};
    size_t stray = ct_expr_find_word(text, begin, end, "if");
    const struct ct_expr *expr;

    if (stray < end) {
        CT_SPEC_COMPLAIN(b, ct_text_place(text, stray),
                         "'if' is not allowed here; use '?:' or '||'");
        return NULL;
    }
    b->use = use;
    b->text = text;
    b->begin = begin;
    b->end = end;
    expr = ct_expr_compile(&b->spec->arena, text, begin, end, &scope, b->diags);
    b->text = NULL;
    return expr;
}

const struct ct_expr *ct_spec_compile_number(struct ct_spec_builder *b,
                                             const struct ct_text *text, size_t begin,
                                             size_t end, enum ct_spec_use use,
                                             bool integer, const char *what)
{
    const struct ct_expr *expr;

    b->number = true;
    expr = ct_spec_compile(b, text, begin, end, use);
    b->number = false;
    if (!expr)
        return NULL;
    if (expr->kind == CT_TEXT)
        CT_SPEC_COMPLAIN(b, expr->place, "%s must be a number, not text", what);
    else if (integer && expr->kind == CT_REAL)
        CT_SPEC_COMPLAIN(b, expr->place, "%s must be an integer; convert it with int()",
                         what);
    return expr;
}

bool ct_spec_constant(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, const char *what, double *out)
{
    const struct ct_expr *expr =
        ct_spec_compile_number(b, text, begin, end, CT_USE_NOTHING, false, what);
    char why[CT_EVAL_WHY_SIZE];
    struct ct_value value;
    enum ct_eval failed;

    if (!expr || expr->kind == CT_TEXT)
        return false;
    failed = ct_expr_eval(expr, NULL, &value);
    if (failed) {
        CT_SPEC_COMPLAIN(b, expr->place, "%s cannot be computed: %s", what,
                         ct_expr_why(expr, failed, NULL, why));
        return false;
    }
    *out = ct_value_number(value);
    return true;
}

const struct ct_expr *ct_spec_compile_condition(struct ct_spec_builder *b,
                                                const struct ct_text *text, size_t begin,
                                                size_t *end, enum ct_spec_use use)
{
    size_t at = ct_expr_find_word(text, begin, *end, "if");
    size_t stop = *end;

    if (at == stop)
        return NULL;
    *end = at;
    return ct_spec_compile_number(b, text, at + 2, stop, use, false, "a condition");
}

/* Reads the name between `${` at `at` and `}`; returns the position after it, or 0. */
static size_t read_name(struct ct_spec_builder *b, const struct ct_text *text, size_t at,
                        size_t end, int *slot)
{
    const char *close = memchr(text->text + at, '}', end - at);
    size_t stop = close ? (size_t)(close - text->text) : end;

    if (!close || !ct_expr_is_word(text->text + at + 2, stop - at - 2)) {
        CT_SPEC_COMPLAIN(b, ct_text_place(text, at),
                         "'${' requires a name and '}': ${NAME}");
        return 0;
    }
    b->use = CT_USE_CONFIG;
    *slot =
        slot_of_name(b, text->text + at + 2, stop - at - 2, ct_text_place(text, at + 2));
    return stop + 1;
}

static size_t count_names(const struct ct_text *text, size_t begin, size_t end)
{
    size_t count = 0;

    for (size_t i = begin; i + 1 < end; i++)
        count += text->text[i] == '$' && text->text[i + 1] == '{';
    return count;
}

void ct_spec_template(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, struct ct_template *out)
{
    struct ct_template_piece *pieces;
    size_t from;

    ct_expr_trim(text, &begin, &end);
    pieces = ct_spec_alloc(b, count_names(text, begin, end) + 1, sizeof(*pieces));
    out->text = ct_spec_copy(b, text->text + begin, end - begin);
    out->place = ct_text_place(text, begin);
    out->pieces = pieces;
    out->piece_count = 0;
    if (!pieces || !out->text)
        return;
    from = begin;
    for (size_t i = begin; i + 1 < end; i++) {
        struct ct_template_piece *piece = &pieces[out->piece_count];
        size_t next;

        if (text->text[i] != '$' || text->text[i + 1] != '{')
            continue;
        piece->slot = -1;
        next = read_name(b, text, i, end, &piece->slot);
        if (!next)
            return;
        piece->literal = ct_spec_copy(b, text->text + from, i - from);
        out->piece_count++;
        from = next;
        i = next - 1;
    }
    pieces[out->piece_count].literal = ct_spec_copy(b, text->text + from, end - from);
    pieces[out->piece_count++].slot = -1;
}

bool ct_spec_is_plain(const struct ct_template *text)
{
    return text->piece_count == 1;
}
