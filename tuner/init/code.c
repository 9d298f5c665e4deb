// SPDX-License-Identifier: Apache-2.0
// Splits a source into tokens, definitions and conditionals.
#include "init/code.h"

#include "base/str.h"
#include "spacefile/source.h"
#include "spacefile/source_word.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16 };

struct reading {
    struct ct_code *code;
    int line;
    size_t depth;      /* of conditionals */
    size_t branch;     /* the innermost open one of the code's; its index is one less */
    size_t dead;       /* the depth at which #if 0 began; 0: the line is alive */
    const char *guard; /* the name of an #ifndef on the line before */
    bool failed;
};

static bool is_word(char c)
{
    return ct_word_starts((unsigned char)c) || ct_word_digit((unsigned char)c);
}

/* --- tokens --- */

static size_t sign_length(const char *at)
{
    static const char *const pairs[] = {
        "==", "<=", ">=", "!=", "&&", "||", "<<", ">>", "++", "--",
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->"};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        if (strncmp(at, pairs[i], 2) == 0)
            return 2;
    return 1;
}

static size_t quoted_length(const char *at)
{
    size_t length = 1;

    while (at[length] && at[length] != *at)
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return length + (at[length] != '\0');
}

static size_t number_length(const char *at)
{
    size_t length = 1;

    while (is_word(at[length]) || at[length] == '.' ||
           ((at[length] == '+' || at[length] == '-') && strchr("eEpP", at[length - 1]) &&
            strncmp(at, "0x", 2) != 0))
        length++;
    return length;
}

static void add_token(struct reading *r, enum ct_token_kind kind, const char *at,
                      size_t length)
{
    struct ct_code *code = r->code;
    const char *text = ct_arena_copy(&code->arena, at, length);

    if (!text || !ct_mem_grow(&code->tokens, &code->token_room, code->token_count + 1,
                              sizeof(*code->tokens))) {
        r->failed = true;
        return;
    }
    code->tokens[code->token_count++] = (struct ct_token){kind, text, r->line};
}

static void read_tokens(struct reading *r, const char *at)
{
    while (*at && !r->failed) {
        enum ct_token_kind kind = CT_TOKEN_SIGN;
        size_t length;

        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        if (ct_word_starts((unsigned char)*at)) {
            kind = CT_TOKEN_WORD;
            length = (size_t)(ct_word_skip(at) - at);
        } else if (ct_word_digit((unsigned char)*at) ||
                   (*at == '.' && ct_word_digit((unsigned char)at[1]))) {
            kind = CT_TOKEN_NUMBER;
            length = number_length(at);
        } else if (*at == '"' || *at == '\'') {
            kind = CT_TOKEN_TEXT;
            length = quoted_length(at);
        } else {
            length = sign_length(at);
        }
        add_token(r, kind, at, length);
        at += length;
    }
}

/* --- directives --- */

static void add_macro(struct reading *r, const char *rest)
{
    struct ct_code *code = r->code;
    const char *end = ct_word_skip(rest);
    struct ct_code_macro macro = {.line = r->line, .has_arguments = *end == '('};
    struct ct_hash hash;

    macro.name = ct_arena_copy(&code->arena, rest, (size_t)(end - rest));
    end = macro.has_arguments && strchr(end, ')') ? strchr(end, ')') + 1 : end;
    end += strspn(end, " ");
    macro.value = ct_arena_copy(&code->arena, end, strlen(end));
    macro.is_guarded = macro.name && r->guard && strcmp(macro.name, r->guard) == 0;
    if (!macro.name || !macro.value ||
        !ct_mem_grow(&code->macros, &code->macro_room, code->macro_count + 1,
                     sizeof(*code->macros))) {
        r->failed = true;
        return;
    }
    if (!*macro.name)
        return;
    hash = ct_hash_bytes(macro.name, strlen(macro.name));
    r->failed = !ct_map_put_hash(&code->by_name, &hash, code->macro_count);
    code->macros[code->macro_count++] = macro;
}

static void add_switch(struct reading *r, const char *at, size_t length, bool by_value)
{
    struct ct_code *code = r->code;

    for (size_t i = 0; i < code->switch_count; i++)
        if (ct_word_equal(at, length, code->switches[i].name)) {
            code->switches[i].by_value = code->switches[i].by_value || by_value;
            return;
        }
    if (!ct_mem_grow(&code->switches, &code->switch_room, code->switch_count + 1,
                     sizeof(*code->switches))) {
        r->failed = true;
        return;
    }
    code->switches[code->switch_count] = (struct ct_code_switch){
        ct_arena_copy(&code->arena, at, length), r->line, by_value};
    if (code->switches[code->switch_count].name)
        code->switch_count++;
}

/* The names in a condition. */
static void add_switches(struct reading *r, const char *at, bool by_value)
{
    bool is_asked = !by_value;

    while (*at) {
        size_t length;

        if (!ct_word_starts((unsigned char)*at)) {
            at += ct_word_digit((unsigned char)*at) ? number_length(at) : 1;
            continue;
        }
        length = (size_t)(ct_word_skip(at) - at);
        if (ct_word_equal(at, length, "defined"))
            is_asked = true;
        else {
            add_switch(r, at, length, !is_asked);
            is_asked = !by_value;
        }
        at += length;
    }
}

static void end_branch(struct reading *r)
{
    if (!r->branch)
        return;
    r->code->branches[r->branch - 1].end = r->line;
    r->branch = r->code->branches[r->branch - 1].outer;
}

static void begin_branch(struct reading *r, const char *word)
{
    struct ct_code *code = r->code;

    if (!ct_mem_grow(&code->branches, &code->branch_room, code->branch_count + 1,
                     sizeof(*code->branches))) {
        r->failed = true;
        return;
    }
    code->branches[code->branch_count] = (struct ct_code_branch){
        ct_arena_format(&code->arena, "#%s", word), r->line, INT_MAX, r->branch};
    if (code->branches[code->branch_count].text)
        r->branch = ++code->branch_count;
    else
        r->failed = true;
}

static void follow_conditional(struct reading *r, const char *word, size_t length,
                               const char *rest)
{
    if (strncmp(word, "if", 2) != 0)
        end_branch(r);
    if (strncmp(word, "if", 2) == 0) {
        r->depth++;
        if (!r->dead && ct_word_equal(word, length, "if") && strcmp(rest, "0") == 0)
            r->dead = r->depth;
    } else if (r->dead == r->depth) {
        r->dead = 0;
    }
    if (!ct_word_equal(word, length, "endif"))
        begin_branch(r, word);
    else if (r->depth)
        r->depth--;
    if (!r->dead && !ct_word_equal(word, length, "endif") &&
        !ct_word_equal(word, length, "else"))
        add_switches(r, rest, word[2] != 'd' && word[2] != 'n');
}

static void read_directive(struct reading *r, const char *at)
{
    const char *word = ct_word_skip_blank(at + 1);
    const char *end = ct_word_skip(word);
    size_t length = (size_t)(end - word);
    const char *rest = ct_word_skip_blank(end);

    if (ct_word_equal(word, length, "define") && !r->dead)
        add_macro(r, rest);
    r->guard = NULL;
    if (strncmp(word, "if", 2) == 0 || strncmp(word, "el", 2) == 0 ||
        ct_word_equal(word, length, "endif"))
        follow_conditional(r, word, length, rest);
    if (ct_word_equal(word, length, "ifndef"))
        r->guard =
            ct_arena_copy(&r->code->arena, rest, (size_t)(ct_word_skip(rest) - rest));
}

const struct ct_code_branch *ct_code_branch_of(const struct ct_code *code, int line)
{
    for (size_t i = code->branch_count; i-- > 0;)
        if (code->branches[i].line < line && line < code->branches[i].end)
            return &code->branches[i];
    return NULL;
}

/* --- the whole --- */

/* Those that the source defines, and those of the language, are no questions to the user. */
static void drop_known_switches(struct ct_code *code)
{
    size_t kept = 0;

    for (size_t i = 0; i < code->switch_count; i++) {
        const char *name = code->switches[i].name;

        if (!ct_code_find_macro(code, name) && !ct_str_starts(name, "__") &&
            !ct_str_starts(name, "cl_") && !ct_str_starts(name, "CL_"))
            code->switches[kept++] = code->switches[i];
    }
    code->switch_count = kept;
}

/* Finds the ends of all brackets.  Each kind is for itself: branches of conditionals, which are all
 * here, may open and close others. */
static bool match_brackets(struct ct_code *code)
{
    static const char opening[] = "([{";
    static const char closing[] = ")]}";
    size_t open[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};

    code->closing = calloc(code->token_count + 1, sizeof(*code->closing));
    for (size_t i = 0; code->closing && i < code->token_count; i++) {
        const char sign = *code->tokens[i].text;
        const char *begins = strchr(opening, sign);
        const char *ends = strchr(closing, sign);

        /* Until its end is known, each refers to the one that is open around it. */
        if (begins) {
            code->closing[i] = open[begins - opening];
            open[begins - opening] = i;
        } else if (ends && open[ends - closing] != SIZE_MAX) {
            size_t begin = open[ends - closing];

            open[ends - closing] = code->closing[begin];
            code->closing[begin] = i;
        }
    }
    for (size_t kind = 0; code->closing && kind < 3; kind++)
        while (open[kind] != SIZE_MAX) {
            size_t begin = open[kind];

            open[kind] = code->closing[begin];
            code->closing[begin] = code->token_count;
        }
    return code->closing != NULL;
}

enum ct_status ct_code_read(const char *source, size_t length, struct ct_code *out,
                            struct ct_err *err)
{
    struct reading r = {.code = out, .line = 1};
    struct ct_str text;

    *out = (struct ct_code){0};
    ct_str_init(&text);
    ct_source_strip(source, length, &text);
    for (char *line = text.data; line && *line && !r.failed; r.line++) {
        char *end = strchr(line, '\n');

        if (end)
            *end = '\0';
        line += strspn(line, " ");
        if (*line == '#')
            read_directive(&r, line);
        else if (*line)
            r.guard = NULL;
        if (*line && *line != '#' && !r.dead)
            read_tokens(&r, line);
        line = end ? end + 1 : NULL;
    }
    drop_known_switches(out);
    r.failed = r.failed || text.failed || !match_brackets(out);
    ct_str_release(&text);
    return r.failed ? ct_err_nomem(err) : CT_OK;
}

void ct_code_release(struct ct_code *code)
{
    free(code->tokens);
    free(code->closing);
    ct_map_release(&code->by_name);
    free(code->macros);
    free(code->switches);
    free(code->branches);
    ct_arena_release(&code->arena);
    *code = (struct ct_code){0};
}

/* --- questions --- */

const struct ct_code_macro *ct_code_find_macro(const struct ct_code *code,
                                               const char *name)
{
    struct ct_hash hash = ct_hash_bytes(name, strlen(name));
    uint64_t index;

    return ct_map_find_hash(&code->by_name, &hash, &index) ? &code->macros[index] : NULL;
}

bool ct_code_is(const struct ct_code *code, size_t index, const char *text)
{
    return index < code->token_count && strcmp(code->tokens[index].text, text) == 0;
}

size_t ct_code_closing(const struct ct_code *code, size_t open)
{
    return code->closing[open];
}

static bool read_integer(const struct ct_code *code, const char *text, int64_t *value,
                         int depth)
{
    const char *at = text + strspn(text, " (");
    size_t length = strcspn(at, " )");
    char word[64];
    char *end;

    if (!length || length >= sizeof(word) || depth > DEEPEST ||
        at[length + strspn(at + length, " )")])
        return false;
    memcpy(word, at, length);
    word[length] = '\0';
    if (ct_word_starts((unsigned char)*word)) {
        const struct ct_code_macro *macro = ct_code_find_macro(code, word);

        return macro && !macro->has_arguments &&
               read_integer(code, macro->value, value, depth + 1);
    }
    if (!isdigit((unsigned char)*word))
        return false;
    errno = 0;
    *value = strtoll(word, &end, 0);
    return !errno && !end[strspn(end, "uUlL")];
}

bool ct_code_integer(const struct ct_code *code, const char *text, int64_t *value)
{
    return read_integer(code, text, value, 0);
}
