// SPDX-License-Identifier: Apache-2.0
// "cltune best --format cmake": variables for include().  Values are bracket arguments, in which
// CMake evaluates nothing.  CLTUNE_<KERNEL>_FLAGS is a list for target_compile_options:
// "-D NAME" is one element, since CMake removes a repeated "-D".  CLTUNE_<KERNEL>_DEFINES has those
// elements alone that define macros, which other compilers than those of OpenCL have as well.
#include "report/export.h"

#include <string.h>

static const struct ct_export_reserved reserved[] = {
    {"OPTIONS", "the text for clBuildProgram"},
    {"FLAGS", "the options as a list"},
    {"DEFINES", "the options that define macros"},
};
enum { RESERVED = sizeof(reserved) / sizeof(reserved[0]) };

/* The number of equals signs with which no "]=...=]" is in the text, and "]" at its end belongs
 * to it. */
static size_t bracket_level(const char *text)
{
    size_t level = 1;

    for (const char *at = strchr(text, ']'); at; at = strchr(at + 1, ']')) {
        size_t equals = strspn(at + 1, "=");

        if (equals >= level)
            level = equals + 1;
    }
    return level;
}

static void put_variable(struct ct_str *out, const struct ct_export_answer *answer,
                         const char *name, struct ct_value value)
{
    struct ct_str text;
    size_t level;

    ct_str_init(&text);
    ct_value_print(&text, value);
    ct_str_puts(out, "set(");
    ct_export_put_name(out, answer, name);
    ct_str_putc(out, ' ');
    if (value.kind == CT_TEXT) {
        level = bracket_level(text.data);
        ct_str_putc(out, '[');
        for (size_t i = 0; i < level; i++)
            ct_str_putc(out, '=');
        ct_str_putc(out, '[');
        /* The first line end is not part of the argument. */
        if (text.data[0] == '\n')
            ct_str_putc(out, '\n');
        ct_str_puts(out, text.data);
        ct_str_putc(out, ']');
        for (size_t i = 0; i < level; i++)
            ct_str_putc(out, '=');
        ct_str_putc(out, ']');
    } else {
        ct_str_puts(out, text.data);
    }
    ct_str_puts(out, ")\n");
    out->failed |= text.failed;
    ct_str_release(&text);
}

/* Semicolons separate elements, and so do not in brackets. */
static const char *why_no_list(const char *word)
{
    return strchr(word, ';') ? "a semicolon, which separates elements"
           : strchr(word, '[') || strchr(word, ']') ? "a bracket, which joins elements"
                                                    : NULL;
}

/* Words of the options, as CLTUNE_<KERNEL>_<NAME>. */
static void put_list(struct ct_str *out, const struct ct_export_answer *answer,
                     const char *name, bool macros_only, struct ct_str *notes)
{
    struct ct_arena arena = {0};
    struct ct_export_words words;
    struct ct_str list;
    const char *why = ct_export_split(&arena, answer->flags, &words);

    ct_str_init(&list);
    if (macros_only && !why)
        ct_export_keep_macros(&words);
    for (size_t i = 0; !why && i < words.count; i++) {
        const char *word = words.items[i];

        why = why_no_list(word);
        ct_str_puts(&list, word);
        if (strcmp(word, "-D") != 0 && strcmp(word, "-U") != 0 &&
            strcmp(word, "-I") != 0 && i + 1 < words.count)
            ct_str_putc(&list, ';');
    }
    if (why) {
        ct_export_put_name(notes, answer, name);
        ct_str_addf(notes, " is left out: the options contain %s\n", why);
    } else {
        put_variable(out, answer, name, ct_value_text(list.data));
    }
    out->failed |= list.failed;
    ct_str_release(&list);
    ct_arena_release(&arena);
}

static enum ct_status put_cmake(struct ct_str *out, const struct ct_export_answer *answer,
                                struct ct_str *notes, struct ct_err *err)
{
    struct ct_arena arena = {0};
    const char **names;
    enum ct_status status = ct_export_check_plain(answer, true, "cmake", err);

    if (status != CT_OK)
        return status;
    names = ct_export_names(&arena, answer, reserved, RESERVED, "output", notes);
    out->failed |= !names;
    ct_export_put_origin(out, answer, &ct_export_comment_hash);
    put_variable(out, answer, "OPTIONS", ct_value_text(answer->flags));
    put_list(out, answer, "FLAGS", false, notes);
    put_list(out, answer, "DEFINES", true, notes);
    for (size_t i = 0; names && i < answer->config_count; i++)
        put_variable(out, answer, names[i], answer->config[i].value);
    ct_arena_release(&arena);
    return CT_OK;
}

const struct ct_export ct_export_cmake = {
    .name = "cmake", .help = "variables for CMake", .put = put_cmake};
