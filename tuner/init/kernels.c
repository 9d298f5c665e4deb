// SPDX-License-Identifier: Apache-2.0
// Finds kernels and reads their declarations.
#include "init/kernels.h"

#include "base/str.h"
#include "spacefile/source_word.h"

#include <string.h>

enum { DEEPEST = 8 };

static bool is_any(const char *text, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(text, *names) == 0)
            return true;
    return false;
}

/* Whether a macro's value has the word. */
static bool value_has(const char *value, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = value; (at = strstr(at, word)); at += length) {
        bool begins = at == value || !(ct_word_starts((unsigned char)at[-1]) ||
                                       ct_word_digit((unsigned char)at[-1]));

        if (begins && ct_word_skip(at) == at + length)
            return true;
    }
    return false;
}

/* `kernel`, or a macro for it. */
static bool is_kernel_word(const struct ct_code *code, size_t index)
{
    static const char *const words[] = {"kernel", "__kernel", NULL};
    const struct ct_code_macro *macro;

    if (index >= code->token_count || code->tokens[index].kind != CT_TOKEN_WORD)
        return false;
    if (is_any(code->tokens[index].text, words))
        return true;
    macro = ct_code_find_macro(code, code->tokens[index].text);
    return macro && !macro->has_arguments &&
           (value_has(macro->value, "kernel") || value_has(macro->value, "__kernel"));
}

/* --- types --- */

/* What a typedef or a macro says of a name; NULL if it is neither. */
static const char *alias_once(const struct ct_code *code, const char *name,
                              struct ct_arena *arena)
{
    const struct ct_code_macro *macro = ct_code_find_macro(code, name);

    if (macro && !macro->has_arguments && *macro->value)
        return macro->value;
    for (size_t i = 2; i + 1 < code->token_count; i++) {
        struct ct_str text;
        const char *found;
        size_t from = i;

        if (strcmp(code->tokens[i].text, name) != 0 || !ct_code_is(code, i + 1, ";"))
            continue;
        while (from > 0 && code->tokens[from - 1].kind == CT_TOKEN_WORD &&
               !ct_code_is(code, from - 1, "typedef"))
            from--;
        if (from == i || !from || !ct_code_is(code, from - 1, "typedef"))
            continue;
        ct_str_init(&text);
        for (size_t w = from; w < i; w++)
            ct_str_addf(&text, "%s%s", w > from ? " " : "", code->tokens[w].text);
        found = ct_arena_copy(arena, text.data, text.length);
        ct_str_release(&text);
        return found;
    }
    return NULL;
}

/* The type without pointers and qualifiers. */
static void bare(const char *type, char *out, size_t size)
{
    static const char *const qualifiers[] = {
        "const",       "volatile",     "restrict",     "__restrict", "__global",
        "global",      "__local",      "local",        "__constant", "constant",
        "__private",   "private",      "read_only",    "write_only", "read_write",
        "__read_only", "__write_only", "__read_write", NULL};
    size_t length = 0;

    *out = '\0';
    while (*type) {
        char word[64];
        size_t n = (size_t)(ct_word_skip(type) - type);

        if (!n || n >= sizeof(word)) {
            type += n ? n : 1;
            continue;
        }
        memcpy(word, type, n);
        word[n] = '\0';
        type += n;
        if (is_any(word, qualifiers) || length + n + 2 > size)
            continue;
        if (length)
            out[length++] = ' ';
        memcpy(out + length, word, n + 1);
        length += n;
    }
}

const char *ct_kernels_alias(const struct ct_code *code, const char *name)
{
    /* Texts of aliases live as long as the code that they are of. */
    struct ct_arena *arena = &((struct ct_code *)code)->arena;
    char word[128];

    bare(name, word, sizeof(word));
    for (int depth = 0; depth < DEEPEST && !ct_ctype_read(word).name; depth++) {
        const char *next = alias_once(code, word, arena);

        if (!next)
            break;
        bare(next, word, sizeof(word));
    }
    return ct_arena_copy(arena, word, strlen(word));
}

/* What many headers call integers: "u32". */
static const char *common_type(const char *name)
{
    static const char *const names[][2] = {
        {"u8", "uchar"},  {"u16", "ushort"}, {"u32", "uint"}, {"u64", "ulong"},
        {"i8", "char"},   {"i16", "short"},  {"i32", "int"},  {"i64", "long"},
        {"f32", "float"}, {"f64", "double"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(name, names[i][0]) == 0)
            return names[i][1];
    return name;
}

struct ct_ctype ct_kernels_type(const struct ct_code *code, const char *name)
{
    const char *alias = ct_kernels_alias(code, name);

    return ct_ctype_read(alias ? common_type(alias) : "");
}

/* --- arguments --- */

static enum ct_described_place place_of(const char *word)
{
    static const char *const global[] = {"global", "__global", NULL};
    static const char *const constant[] = {"constant", "__constant", NULL};
    static const char *const local[] = {"local", "__local", NULL};

    return is_any(word, global)     ? CT_PLACE_GLOBAL
           : is_any(word, constant) ? CT_PLACE_CONSTANT
           : is_any(word, local)    ? CT_PLACE_LOCAL
                                    : CT_PLACE_VALUE;
}

/* A word of the declaration, with the macro it may be. */
static void take_word(const struct ct_code *code, const char *word,
                      struct ct_described_arg *arg, struct ct_str *type, int depth)
{
    static const char *const constant[] = {"const", "read_only", "__read_only", NULL};
    static const char *const ignored[] = {
        "restrict",   "__restrict", "volatile",     "private",      "__private",
        "write_only", "read_write", "__write_only", "__read_write", NULL};
    const struct ct_code_macro *macro = ct_code_find_macro(code, word);

    if (macro && !macro->has_arguments && depth < DEEPEST) {
        for (const char *at = macro->value; *at;) {
            size_t length = (size_t)(ct_word_skip(at) - at);
            char next[64];

            if (length && length < sizeof(next)) {
                memcpy(next, at, length);
                next[length] = '\0';
                take_word(code, next, arg, type, depth + 1);
            }
            if (*at == '*')
                ct_str_putc(type, '*');
            at += length ? length : 1;
        }
    } else if (place_of(word) != CT_PLACE_VALUE) {
        arg->place = place_of(word);
    } else if (is_any(word, constant)) {
        arg->is_const = true;
    } else if (!is_any(word, ignored)) {
        ct_str_addf(type, "%s%s", type->length ? " " : "", word);
    }
}

/* The argument in the tokens [begin, end); false if it cannot be read, as macros with arguments. */
static bool read_arg(struct ct_code *code, size_t begin, size_t end,
                     struct ct_described_arg *arg)
{
    struct ct_str type;
    size_t name = end;
    bool good = true;

    for (size_t i = begin; i < end && !ct_code_is(code, i, "["); i++)
        if (ct_code_is(code, i, "__attribute__") && ct_code_is(code, i + 1, "("))
            i = ct_code_closing(code, i + 1);
        else if (code->tokens[i].kind == CT_TOKEN_WORD)
            name = i;
    ct_str_init(&type);
    *arg = (struct ct_described_arg){.place = CT_PLACE_VALUE};
    for (size_t i = begin; good && i < end; i++) {
        if (ct_code_is(code, i, "["))
            break;
        if (i == name)
            continue;
        if (ct_code_is(code, i, "*"))
            ct_str_putc(&type, '*');
        else if (ct_code_is(code, i, "__attribute__") && ct_code_is(code, i + 1, "("))
            i = ct_code_closing(code, i + 1);
        else if (code->tokens[i].kind == CT_TOKEN_WORD)
            take_word(code, code->tokens[i].text, arg, &type, 0);
        else
            good = false;
    }
    if (name < end && ct_code_is(code, name + 1, "["))
        ct_str_putc(&type, '*');
    arg->name = name < end ? code->tokens[name].text : "";
    arg->type = ct_arena_copy(&code->arena, type.data, type.length);
    good = good && name < end && type.length && arg->type;
    ct_str_release(&type);
    return good;
}

static void read_args(struct ct_code *code, size_t open, size_t close,
                      struct ct_kernel_code *kernel)
{
    size_t begin = open + 1;
    size_t depth = 0;

    kernel->args = ct_arena_array(&code->arena, close - open + 1, sizeof(*kernel->args));
    kernel->has_args = kernel->args != NULL;
    if (begin == close || (begin + 1 == close && ct_code_is(code, begin, "void")))
        return;
    for (size_t i = begin; kernel->has_args && i <= close; i++) {
        if (i < close && (ct_code_is(code, i, "(") || ct_code_is(code, i, "[")))
            depth++;
        else if (i < close && (ct_code_is(code, i, ")") || ct_code_is(code, i, "]")))
            depth--;
        else if (i == close || (!depth && ct_code_is(code, i, ","))) {
            kernel->has_args =
                read_arg(code, begin, i, &kernel->args[kernel->arg_count++]);
            begin = i + 1;
        }
    }
}

/* --- kernels --- */

/* The three texts of reqd_work_group_size(x, y, z), whose bracket is at `open`. */
static void read_required(struct ct_code *code, size_t open,
                          struct ct_kernel_code *kernel)
{
    size_t close = ct_code_closing(code, open);
    struct ct_str text;
    size_t d = 0;

    ct_str_init(&text);
    for (size_t i = open + 1; i <= close && i < code->token_count && d < 3; i++) {
        if (i == close || ct_code_is(code, i, ",")) {
            kernel->required[d++] = ct_arena_copy(&code->arena, text.data, text.length);
            ct_str_reset(&text);
        } else {
            ct_str_addf(&text, "%s%s", text.length ? " " : "", code->tokens[i].text);
        }
    }
    ct_str_release(&text);
    if (d < 3)
        kernel->required[0] = NULL;
}

/* Behind the word `kernel`: attributes, void, the name, arguments and the body.  Returns where to
 * go on; kernel->name stays NULL if it is no kernel. */
static size_t read_kernel(struct ct_code *code, size_t at, struct ct_kernel_code *kernel)
{
    size_t name = 0;
    size_t close;

    for (; at < code->token_count && !name; at++) {
        bool is_word = code->tokens[at].kind == CT_TOKEN_WORD;

        if (is_word && strstr(code->tokens[at].text, "reqd_work_group_size"))
            kernel->required[0] = NULL;
        if (ct_code_is(code, at, "__attribute__") && ct_code_is(code, at + 1, "(")) {
            close = ct_code_closing(code, at + 1);
            for (size_t i = at; i < close; i++)
                if (strstr(code->tokens[i].text, "reqd_work_group_size") &&
                    ct_code_is(code, i + 1, "("))
                    read_required(code, i + 1, kernel);
            at = close;
        } else if (is_word && ct_code_is(code, at + 1, "(")) {
            name = at;
        } else if (!is_word) {
            return at;
        }
    }
    if (!name)
        return at;
    close = ct_code_closing(code, name + 1);
    if (close >= code->token_count)
        return name + 1;
    kernel->name = code->tokens[name].text;
    kernel->line = code->tokens[name].line;
    read_args(code, name + 1, close, kernel);
    if (ct_code_is(code, close + 1, "{")) {
        kernel->begin = close + 1;
        kernel->end = ct_code_closing(code, close + 1);
    }
    return kernel->end ? kernel->end : close;
}

enum ct_status ct_kernels_find(struct ct_code *code, struct ct_kernel_code **out,
                               size_t *count, struct ct_err *err)
{
    size_t most = 1;

    for (size_t i = 0; i < code->token_count; i++)
        most += is_kernel_word(code, i);
    *count = 0;
    *out = ct_arena_array(&code->arena, most, sizeof(**out));
    if (!*out)
        return ct_err_nomem(err);
    for (size_t i = 0; i < code->token_count; i++) {
        struct ct_kernel_code kernel = {0};
        size_t same = 0;

        if (!is_kernel_word(code, i))
            continue;
        i = read_kernel(code, i + 1, &kernel) - 1;
        while (kernel.name && same < *count &&
               strcmp((*out)[same].name, kernel.name) != 0)
            same++;
        /* A declaration before the definition; or another branch of a conditional. */
        if (kernel.name && (same == *count || !(*out)[same].end))
            (*out)[same] = kernel;
        *count += kernel.name && same == *count;
    }
    return CT_OK;
}
