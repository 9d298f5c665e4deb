// SPDX-License-Identifier: Apache-2.0
// Options for another problem than the measured one: macros that follow from the problem get its values.
#include "db/problem_flags.h"

#include "spacefile/expr/expr.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Longer ones are none that cltune has stored (plan/stored_expr.h). */
enum { EXPRESSION_BYTES = 4000 };

struct scope_names {
    const struct ct_problem_macros_name *names;
    size_t count;
    size_t config_count; /* of the first of them: the configuration */
};

static int find_name(void *context, const char *name, size_t length,
                     struct ct_place place)
{
    const struct scope_names *scope = context;

    (void)place;
    for (size_t i = 0; i < scope->count; i++)
        if (strlen(scope->names[i].name) == length &&
            memcmp(scope->names[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

static enum ct_kind kind_of_name(void *context, int slot)
{
    const struct scope_names *scope = context;

    return scope->names[slot].value.kind;
}

/* Evaluates a stored expression, which may come from a stranger's database; false if it is wrong
 * or has no number as its value. */
static bool evaluate(const char *expression, const struct scope_names *names,
                     struct ct_value *out)
{
    size_t length = strlen(expression);
    struct ct_arena arena = {0};
    struct ct_diags diags = {0};
    struct ct_place *places = ct_arena_array(&arena, length + 1, sizeof(*places));
    struct ct_value *values = ct_arena_array(&arena, names->count + 1, sizeof(*values));
    struct ct_scope scope = {find_name, kind_of_name, (void *)(uintptr_t)names, NULL};
    struct ct_text text = {"", expression, length, places};
    const struct ct_expr *expr = NULL;
    bool good = false;

    if (places && values && length <= EXPRESSION_BYTES) {
        for (size_t i = 0; i < names->count; i++)
            values[i] = names->names[i].value;
        expr = ct_expr_compile(&arena, &text, 0, length, &scope, &diags);
    }
    if (expr)
        good = ct_expr_eval(expr, values, out) == CT_EVAL_OK &&
               (out->kind == CT_INT || out->kind == CT_REAL);
    ct_diags_release(&diags);
    ct_arena_release(&arena);
    return good;
}

static void note_unknown(struct ct_str *unknown, const char *name, size_t length)
{
    if (unknown->length)
        ct_str_puts(unknown, ", ");
    if (length)
        ct_str_add(unknown, name, length);
    else
        ct_str_puts(unknown, "the options");
}

/* Whether a macro is the configuration's: NAME=value, or NAME_word=1 of the text `word`. */
static bool is_configured(const struct scope_names *names, const char *macro,
                          size_t length)
{
    for (size_t i = 0; i < names->config_count; i++) {
        const struct ct_value *value = &names->names[i].value;
        size_t name_length = strlen(names->names[i].name);

        if (length < name_length || memcmp(macro, names->names[i].name, name_length) != 0)
            continue;
        if (length == name_length ||
            (value->kind == CT_TEXT && macro[name_length] == '_' &&
             length - name_length - 1 == strlen(value->u.s) &&
             !memcmp(macro + name_length + 1, value->u.s, strlen(value->u.s))))
            return true;
    }
    return false;
}

/* The end of a word of options; blanks between double quotes belong to it. */
static const char *word_end(const char *at)
{
    bool quoted = false;

    for (; *at && (quoted || *at != ' '); at++)
        quoted ^= *at == '"';
    return at;
}

/* The member of `macros` with this name, or NULL. */
static const json_t *find_macro(const json_t *macros, const char *name, size_t length)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)macros, key,
                        value) if (strlen(key) == length &&
                                   !memcmp(key, name, length)) return value;
    return NULL;
}

/* One definition, `NAME=value`, of `length` bytes. */
static void put_definition(struct ct_str *out, const char *word, size_t length,
                           const json_t *macros, const struct scope_names *names,
                           struct ct_str *unknown)
{
    size_t name_length = strcspn(word, "= ");
    const json_t *macro = macros ? find_macro(macros, word, name_length) : NULL;
    struct ct_value value;

    if (macros ? !macro : is_configured(names, word, name_length)) {
        ct_str_add(out, word, length);
        return;
    }
    if (!json_is_string(macro) || !evaluate(json_string_value(macro), names, &value)) {
        note_unknown(unknown, word, name_length);
        return;
    }
    ct_str_add(out, word, name_length);
    ct_str_putc(out, '=');
    ct_value_print(out, value);
}

bool ct_problem_macros_apply(const char *flags, const char *macros_json,
                             const struct ct_problem_macros_name *names,
                             size_t name_count, size_t config_count, struct ct_str *out,
                             struct ct_str *unknown)
{
    struct scope_names scope = {names, name_count, config_count};
    json_t *macros = *macros_json ? json_loads(macros_json, JSON_ALLOW_NUL, NULL) : NULL;

    if (macros && json_object_get(macros, ""))
        note_unknown(unknown, "", 0);
    for (const char *at = flags, *end; *at; at = end) {
        bool defines = strncmp(at, "-D ", 3) == 0;

        if (defines) {
            ct_str_puts(out, "-D ");
            at += 3;
        }
        end = word_end(at);
        if (defines)
            put_definition(out, at, (size_t)(end - at), macros, &scope, unknown);
        else
            ct_str_add(out, at, (size_t)(end - at));
        for (; *end == ' '; end++)
            ct_str_putc(out, ' ');
    }
    json_decref(macros);
    return !unknown->length;
}
