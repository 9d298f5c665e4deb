// SPDX-License-Identifier: Apache-2.0
// The names that a source defines outside of functions.
#include "init/definitions.h"

#include <string.h>

struct finding {
    const struct ct_code *code;
    enum ct_definitions which;
    void (*tell)(void *context, const char *name);
    void *context;
    size_t start; /* of the statement */
};

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* Whether the statement may define what is not a type or a function. */
static bool has_objects(const struct finding *f)
{
    static const char *const constants[] = {"constant", "__constant", "const", "static",
                                            NULL};
    const char *first = f->code->tokens[f->start].text;

    return f->which == CT_DEFINITIONS_ALL ? strcmp(first, "extern") != 0
                                          : is_one_of(first, constants);
}

/* Whether the word `i`, outside of brackets, is what its statement defines. */
static bool is_defined(const struct finding *f, size_t i)
{
    static const char *const tags[] = {"struct", "union", "enum", NULL};
    const struct ct_code *code = f->code;
    const char *before = i > f->start ? code->tokens[i - 1].text : "";

    if (ct_code_is(code, i + 1, "("))
        return i > f->start && ct_code_is(code, ct_code_closing(code, i + 1) + 1, "{");
    if (ct_code_is(code, i + 1, "{"))
        return is_one_of(before, tags);
    if (ct_code_is(code, i + 1, ";") && ct_code_is(code, f->start, "typedef"))
        return true;
    if (ct_code_is(code, i + 1, "=") || ct_code_is(code, i + 1, "["))
        return i > f->start && has_objects(f);
    return f->which == CT_DEFINITIONS_ALL && i > f->start && has_objects(f) &&
           (ct_code_is(code, i + 1, ";") || ct_code_is(code, i + 1, ","));
}

/* The enumerators in the braces at `open`. */
static void tell_enumerators(const struct finding *f, size_t open)
{
    const struct ct_code *code = f->code;

    for (size_t i = open + 1; i < ct_code_closing(code, open); i++)
        if (code->tokens[i].kind == CT_TOKEN_WORD &&
            (ct_code_is(code, i - 1, "{") || ct_code_is(code, i - 1, ",")))
            f->tell(f->context, code->tokens[i].text);
}

static bool is_enum(const struct finding *f, size_t open)
{
    for (size_t i = f->start; i < open; i++)
        if (ct_code_is(f->code, i, "enum"))
            return true;
    return false;
}

void ct_definitions_find(const struct ct_code *code, enum ct_definitions which,
                         void (*tell)(void *context, const char *name), void *context)
{
    struct finding f = {.code = code, .which = which, .tell = tell, .context = context};

    for (size_t i = 0; i < code->token_count; i++) {
        const struct ct_token *token = &code->tokens[i];

        if (token->kind == CT_TOKEN_WORD && is_defined(&f, i)) {
            tell(context, token->text);
            if (ct_code_is(code, i + 1, "(")) {
                /* Its body ends it without a semicolon. */
                i = ct_code_closing(code, ct_code_closing(code, i + 1) + 1);
                f.start = i + 1;
            }
        } else if (strcmp(token->text, ";") == 0) {
            f.start = i + 1;
        } else if (token->kind == CT_TOKEN_SIGN && strchr("([{", *token->text)) {
            if (which == CT_DEFINITIONS_ALL && *token->text == '{' && is_enum(&f, i))
                tell_enumerators(&f, i);
            i = ct_code_closing(code, i);
        }
    }
}
