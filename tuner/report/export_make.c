// SPDX-License-Identifier: Apache-2.0
// "cltune best --format make": variables for GNU make and its relatives.  A value is what was
// stored, whatever characters it has; CLTUNE_<KERNEL>_FLAGS has the options as words between
// single quotes, for the shell that runs a recipe, and CLTUNE_<KERNEL>_DEFINES those that define macros,
// which compilers of other languages than OpenCL have as well.
#include "report/export.h"

#include <string.h>

static const struct ct_export_reserved reserved[] = {
    {"OPTIONS", "the text for clBuildProgram"},
    {"FLAGS", "the options as words for a recipe"},
    {"DEFINES", "the options that define macros"},
};
enum { RESERVED = sizeof(reserved) / sizeof(reserved[0]) };

/* make expands `$`, begins a comment at `#`, joins lines and halves backslashes, and drops blanks
 * at the beginning. */
static void put_value(struct ct_str *out, const char *text)
{
    if (*text == ' ' || *text == '\t')
        ct_str_puts(out, "$(cltune_empty)");
    for (const char *at = text; *at; at++) {
        if (*at == '$')
            ct_str_puts(out, "$$");
        else if (*at == '#')
            ct_str_puts(out, "$(cltune_hash)");
        else if (*at == '\\')
            ct_str_puts(out, "$(cltune_backslash)");
        else
            ct_str_putc(out, *at);
    }
    if (*text && strchr(" \t", text[strlen(text) - 1]))
        ct_str_puts(out, "$(cltune_empty)");
}

static void put_variable(struct ct_str *out, const struct ct_export_answer *answer,
                         const char *name, struct ct_value value)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_value_print(&text, value);
    ct_export_put_name(out, answer, name);
    ct_str_puts(out, " :=");
    if (text.length)
        ct_str_putc(out, ' ');
    put_value(out, text.data);
    ct_str_putc(out, '\n');
    out->failed |= text.failed;
    ct_str_release(&text);
}

/* Nothing but letters, digits and the like needs quotes. */
static bool is_literal(const char *word)
{
    return *word &&
           word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789_@%+=:,./-")] == '\0';
}

/* Words of the options, as CLTUNE_<KERNEL>_<NAME>. */
static void put_words(struct ct_str *out, const struct ct_export_answer *answer,
                      const char *name, bool macros_only, struct ct_str *notes)
{
    struct ct_arena arena = {0};
    struct ct_export_words words;
    struct ct_str text;
    const char *why = ct_export_split(&arena, answer->flags, &words);

    ct_str_init(&text);
    if (macros_only && !why)
        ct_export_keep_macros(&words);
    for (size_t i = 0; !why && i < words.count; i++) {
        if (i)
            ct_str_putc(&text, ' ');
        if (is_literal(words.items[i]))
            ct_str_puts(&text, words.items[i]);
        else
            ct_export_put_shell_word(&text, words.items[i]);
    }
    if (why) {
        ct_export_put_name(notes, answer, name);
        ct_str_addf(notes, " is left out: the options contain %s\n", why);
    } else {
        put_variable(out, answer, name, ct_value_text(text.data));
    }
    out->failed |= text.failed;
    ct_str_release(&text);
    ct_arena_release(&arena);
}

/* The helpers that the values need. */
static void put_helpers(struct ct_str *out, const char *body)
{
    static const struct {
        const char *use;
        const char *definition;
    } helpers[] = {
        {"$(cltune_hash)", "cltune_hash := \\#\n"},
        {"$(cltune_backslash)", "cltune_backslash := \\$(cltune_empty)\n"},
    };
    bool any = strstr(body, "$(cltune_") != NULL;

    if (any)
        ct_str_puts(out, "cltune_empty :=\n");
    for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
        if (strstr(body, helpers[i].use))
            ct_str_puts(out, helpers[i].definition);
}

static enum ct_status put_make(struct ct_str *out, const struct ct_export_answer *answer,
                               struct ct_str *notes, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_str body;
    const char **names;
    enum ct_status status = ct_export_check_plain(answer, false, "make", err);

    if (status != CT_OK)
        return status;
    ct_str_init(&body);
    names = ct_export_names(&arena, answer, reserved, RESERVED, "makefile", notes);
    put_variable(&body, answer, "OPTIONS", ct_value_text(answer->flags));
    put_words(&body, answer, "FLAGS", false, notes);
    put_words(&body, answer, "DEFINES", true, notes);
    for (size_t i = 0; names && i < answer->config_count; i++)
        put_variable(&body, answer, names[i], answer->config[i].value);
    ct_export_put_origin(out, answer, &ct_export_comment_hash);
    put_helpers(out, body.data);
    ct_str_puts(out, body.data);
    out->failed |= !names || body.failed;
    ct_str_release(&body);
    ct_arena_release(&arena);
    return CT_OK;
}

const struct ct_export ct_export_make = {
    .name = "make", .help = "variables for make", .put = put_make};
