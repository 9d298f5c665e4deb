// SPDX-License-Identifier: Apache-2.0
// Has the kernel compiled, with guesses for the names that the compiler misses.
#include "init/init_impl.h"

#include "schedule/measure.h"
#include "spacefile/source_word.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 8, MACROS_MOST = 256, FOLDERS_MOST = 32, LOG_MOST = 1200 };

/* --- names that nothing defines --- */

static bool has_word(const struct ct_init *init, const char *name, size_t length)
{
    char word[128];

    if (length >= sizeof(word))
        return true;
    memcpy(word, name, length);
    word[length] = '\0';
    return ct_macros_uses(init->source.data, word);
}

/* A name that `##` has made: the end of it is what nothing defines. */
static size_t pasted(const struct ct_init *init, const char *name, size_t length)
{
    if (has_word(init, name, length))
        return 0;
    for (size_t i = 1; i + 1 < length; i++)
        if (isupper((unsigned char)name[i]) && has_word(init, name + i, length - i))
            return i;
    return 0;
}

/* Whether a name stands where a type does, with a word behind it, or where a specifier does, with a
 * type behind it. */
static bool declares(const struct ct_code *code, const char *name, size_t length,
                     bool *is_specifier)
{
    for (size_t i = 0; i + 1 < code->token_count; i++) {
        if (!ct_word_equal(name, length, code->tokens[i].text) ||
            code->tokens[i + 1].kind != CT_TOKEN_WORD)
            continue;
        *is_specifier = ct_code_is(code, i + 1, "void") ||
                        ct_kernels_type(code, code->tokens[i + 1].text).name;
        return true;
    }
    return false;
}

static enum ct_status add_undefined(struct ct_init *init, const char *name, size_t length,
                                    bool is_type, bool *added, struct ct_err *err)
{
    size_t glued = pasted(init, name, length);

    struct ct_subject *s = &init->subject;
    const char *copy;
    bool specifies = false;
    bool declared;

    name += glued;
    length -= glued;
    for (size_t i = 0; i < s->undefined_count; i++)
        if (ct_word_equal(name, length, s->undefined[i].name))
            return CT_OK;
    for (size_t i = 0; i < s->options.count; i++)
        if (ct_word_equal(name, length, s->options.items[i].name))
            return CT_OK;
    if (s->undefined_count >= MACROS_MOST)
        return ct_err_set(err, CT_E_USAGE,
                          "%s uses more than %d names that nothing defines: pass the "
                          "macros that it requires with --options",
                          init->title, MACROS_MOST);
    copy = ct_arena_copy(&init->arena, name, length);
    if (!copy || !ct_mem_grow(&s->undefined, &init->undefined_room,
                              s->undefined_count + 1, sizeof(*s->undefined)))
        return ct_err_nomem(err);
    declared = declares(&init->code, name, length, &specifies);
    s->undefined[s->undefined_count++] =
        (struct ct_undefined){.name = copy,
                              .is_type = !glued && !specifies && (is_type || declared),
                              .is_specifier = !glued && specifies,
                              .is_width = glued > 0};
    *added = true;
    return CT_OK;
}

/* The names that Clang's messages quote, which most drivers' compilers are made of. */
static enum ct_status read_log(struct ct_init *init, const char *log, bool *added,
                               struct ct_err *err)
{
    static const struct {
        const char *text;
        bool is_type;
    } messages[] = {{"use of undeclared identifier '", false},
                    {"unknown type name '", true},
                    {"use of undeclared type '", true}};
    enum ct_status status = CT_OK;

    for (size_t m = 0; m < sizeof(messages) / sizeof(*messages); m++)
        for (const char *at = log; !status && (at = strstr(at, messages[m].text));) {
            size_t length;

            at += strlen(messages[m].text);
            length = (size_t)(ct_word_skip(at) - at);
            if (length && at[length] == '\'')
                status = add_undefined(init, at, length, messages[m].is_type, added, err);
        }
    return status;
}

/* Names of the language, and of what its headers define. */
static bool is_builtin(const char *name)
{
    static const char *const prefixes[] = {
        "CL_",   "CLK_",   "__",    "M_",       "FLT_",     "DBL_",  "HALF_",
        "INT_",  "UINT_",  "CHAR_", "UCHAR_",   "SCHAR_",   "SHRT_", "USHRT_",
        "LONG_", "ULONG_", "FP_",   "MAXFLOAT", "INFINITY", "NAN",   "HUGE_VAL",
        "NULL",  "TRUE",   "FALSE", "EOF"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (ct_str_starts(name, prefixes[i]))
            return true;
    return false;
}

static bool is_capital(const char *name)
{
    bool letters = false;

    for (; *name; name++) {
        if (islower((unsigned char)*name))
            return false;
        letters = letters || isupper((unsigned char)*name);
    }
    return letters;
}

/* Whether some occurrence of the word declares it: a word, `*` or a comma is before it, or it is
 * called. */
static bool is_declared(const struct ct_code *code, const char *name)
{
    for (size_t i = 1; i < code->token_count; i++) {
        const struct ct_token *before = &code->tokens[i - 1];

        if (strcmp(code->tokens[i].text, name) != 0)
            continue;
        if ((before->kind == CT_TOKEN_WORD && strcmp(before->text, "return") != 0 &&
             strcmp(before->text, "case") != 0) ||
            strcmp(before->text, "{") == 0 || strcmp(before->text, ".") == 0 ||
            strcmp(before->text, "->") == 0 || ct_code_is(code, i + 1, "(") ||
            (strcmp(before->text, "*") == 0 && i > 1 &&
             code->tokens[i - 2].kind == CT_TOKEN_WORD &&
             ct_kernels_type(code, code->tokens[i - 2].text).name))
            return true;
    }
    return false;
}

/* Without a compiler: words in capitals that the source does not define. */
static enum ct_status read_capitals(struct ct_init *init, bool *added, struct ct_err *err)
{
    const struct ct_code *code = &init->code;
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < code->token_count; i++) {
        const char *name = code->tokens[i].text;

        if (code->tokens[i].kind != CT_TOKEN_WORD || strlen(name) < 2 ||
            !is_capital(name) || is_builtin(name) || ct_code_find_macro(code, name) ||
            is_declared(code, name))
            continue;
        status = add_undefined(init, name, strlen(name), false, added, err);
    }
    return status;
}

/* --- building --- */

static size_t split_folders(struct ct_init *init, const char **out)
{
    size_t count = 0;

    for (size_t i = 0; i < init->parts.count && count < FOLDERS_MOST; i++) {
        const char *path = init->parts.items[i].path;
        const char *slash = strrchr(path, '/');

        out[count++] =
            slash ? ct_arena_format(&init->arena, "%.*s", (int)(slash - path), path)
                  : ".";
    }
    for (const char *at = init->folders.data; *at && count < FOLDERS_MOST;) {
        size_t length = strcspn(at, ",");

        out[count++] = ct_arena_copy(&init->arena, at, length);
        at += length + strspn(at + length, ", ");
    }
    return count;
}

static enum ct_status compile_once(struct ct_init *init, const struct ct_devinfo *device,
                                   struct ct_err *err)
{
    const struct ct_subject *s = &init->subject;
    size_t room = s->options.count + s->undefined_count + 1;
    const char *folders[FOLDERS_MOST];
    struct ct_plan_program program = {.source = init->source.data,
                                      .source_path = init->path,
                                      .options = init->rest.data,
                                      .include_dirs = folders};

    program.include_count = split_folders(init, folders);
    program.macros = ct_arena_array(&init->arena, room, sizeof(*program.macros));
    if (!program.macros)
        return ct_err_nomem(err);
    for (size_t i = 0; i < s->options.count; i++)
        program.macros[program.macro_count++] = (struct ct_plan_macro){
            s->options.items[i].name,
            ct_arena_format(&init->arena, "%" PRId64, s->options.items[i].value)};
    for (size_t i = 0; i < s->undefined_count; i++)
        program.macros[program.macro_count++] = (struct ct_plan_macro){
            s->undefined[i].name, ct_guess_macro_value(&s->undefined[i])};
    return ct_measure_describe(device, &program, &init->arena, &init->described, err);
}

/* The compiler's first messages, and what may help. */
static enum ct_status refuse(const struct ct_init *init, const struct ct_devinfo *device,
                             struct ct_err *err)
{
    const char *log = init->described.log;
    size_t length = strlen(log);
    bool is_cut;

    if (length > LOG_MOST) {
        length = LOG_MOST;
        while (length && log[length - 1] != '\n')
            length--;
    }
    is_cut = log[length] != '\0';
    while (length && isspace((unsigned char)log[length - 1]))
        length--;
    return ct_err_set(
        err, CT_E_DEVICE,
        "%s does not compile for %s:\n%.*s%s\nPass what it needs with "
        "--options, such as --options \"-D WIDTH=16 -I include\", or choose "
        "another device with -d",
        init->title, ct_devinfo_text(device, CT_DEVICE_NAME), (int)length, log,
        is_cut ? "\n..." : "");
}

/* Smaller values where sizes were guessed; false if there are none. */
static bool lessen(struct ct_init *init)
{
    bool any = false;

    for (size_t i = 0; i < init->subject.undefined_count; i++) {
        struct ct_undefined *name = &init->subject.undefined[i];
        const char *before = ct_guess_macro_value(name);

        any = any || (!name->is_small && strcmp(before, "256") == 0);
        name->is_small = true;
    }
    return any;
}

enum ct_status ct_init_compile(struct ct_init *init, const struct ct_devinfo *device,
                               struct ct_err *err)
{
    enum ct_status status = CT_OK;
    bool added = true;

    if (!device)
        return read_capitals(init, &added, err);
    for (int round = 0; !status && round < ROUNDS; round++) {
        status = compile_once(init, device, err);
        if (status || init->described.built)
            return status;
        added = false;
        status = read_log(init, init->described.log, &added, err);
        if (!status && !round && !added)
            status = read_capitals(init, &added, err);
        if (!status && !added && !lessen(init))
            break;
    }
    return status ? status : refuse(init, device, err);
}
