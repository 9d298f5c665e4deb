// SPDX-License-Identifier: Apache-2.0
// Which macros a program cannot depend on, and identities without them.
#include "plan/program_text.h"

#include "plan/program_text_impl.h"

#include <stdlib.h>
#include <string.h>

/* Names that a driver's headers, or the compiler itself, may use; CT_: of macros that are there to have
 * a program compiled anew. */
static bool reserved(const char *name)
{
    static const char *const prefixes[] = {
        "_",        "cl_",   "CL_",    "CLK_",   "M_",      "FLT_",     "DBL_",
        "HALF_",    "CHAR_", "SCHAR_", "UCHAR_", "SHRT_",   "USHRT_",   "INT_",
        "UINT_",    "LONG_", "ULONG_", "POCL",   "OPENCL",  "MAXFLOAT", "HUGE_VAL",
        "INFINITY", "NAN",   "FP_",    "NULL",   "ATOMIC_", "memory_",  "kernel",
        "NDEBUG",   "DEBUG", "CT_",
    };

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (ct_str_starts(name, prefixes[i]))
            return true;
    return false;
}

/* Whether the name occurs as a word in a macro's value. */
static bool value_names(const char *value, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = value; at && (at = strstr(at, name)); at++)
        if ((at == value || !ct_word_character((unsigned char)at[-1])) &&
            !ct_word_character((unsigned char)at[length]))
            return true;
    return false;
}

/* Values are source text, too. */
static bool value_hides(const char *value)
{
    return value && (strpbrk(value, "#\\") || strstr(value, "??") || strstr(value, "%:"));
}

bool ct_program_text_is_unused(const struct ct_program_text *shown,
                               const struct ct_plan_program *program, size_t index)
{
    const struct ct_text *text = (const struct ct_text *)(const void *)shown;
    const char *name = program->macros[index].name;

    /* Most are used, and this is found soonest. */
    if (text->word_count && bsearch(&name, text->words, text->word_count,
                                    sizeof(*text->words), ct_words_compare))
        return false;
    if (!*shown->hash.text || shown->hides_names || reserved(name) ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789_")])
        return false;
    for (size_t i = 0; i < program->macro_count; i++)
        if (value_names(program->macros[i].value, name) ||
            value_hides(program->macros[i].value))
            return false;
    return true;
}

static bool form_program(struct ct_str *form, struct ct_program_texts *texts,
                         const struct ct_plan_program *program)
{
    const struct ct_program_text *text = NULL;

    if (ct_program_text_get(texts, program, &text, NULL) || !text)
        return false;
    ct_wire_put_text(form, ((const struct ct_text *)(const void *)text)->identity.text);
    for (size_t i = 0; i < program->macro_count; i++) {
        if (ct_program_text_is_unused(text, program, i))
            continue;
        ct_wire_put_text(form, program->macros[i].name);
        ct_wire_put_text(form, program->macros[i].value);
    }
    ct_wire_put_text(form, NULL);
    return true;
}

struct ct_hash ct_program_text_key(struct ct_program_texts *texts,
                                   const struct ct_plan *plan)
{
    struct ct_hash key = ct_plan_frame_hash(plan);
    struct ct_str form;
    bool good = *key.text != '\0';

    ct_str_init(&form);
    ct_wire_put_text(&form, key.text);
    for (size_t i = 0; good && i < plan->program_count; i++)
        good = form_program(&form, texts, &plan->programs[i]);
    if (good && !form.failed)
        key = ct_hash_bytes(form.data, form.length);
    else
        key = (struct ct_hash){""};
    ct_str_release(&form);
    return key;
}

struct ct_hash ct_program_text_build_key(struct ct_program_texts *texts,
                                         const struct ct_plan *plan, size_t program)
{
    struct ct_hash key = {""};
    struct ct_str form;

    ct_str_init(&form);
    ct_wire_put_u64(&form, plan->env_count);
    for (size_t i = 0; i < plan->env_count; i++) {
        ct_wire_put_text(&form, plan->env[i].name);
        ct_wire_put_text(&form, plan->env[i].value);
    }
    if (form_program(&form, texts, &plan->programs[program]) && !form.failed)
        key = ct_hash_bytes(form.data, form.length);
    ct_str_release(&form);
    return key;
}
