// SPDX-License-Identifier: Apache-2.0
// Builds variants of programs.
#include "layer/variant.h"

#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- macros of options and sources --- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool uses(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

static const char *next_word(const char **at, size_t *length)
{
    const char *begin;
    char quote = '\0';

    while (isspace((unsigned char)**at))
        ++*at;
    begin = *at;
    for (; **at && (quote || !isspace((unsigned char)**at)); ++*at)
        if (quote ? **at == quote : **at == '"' || **at == '\'')
            quote = quote ? '\0' : **at;
    *length = (size_t)(*at - begin);
    return *length ? begin : NULL;
}

/* The macro of the answer that an option's text NAME[=VALUE] defines, or NULL. */
static const struct ct_ask_macro *macro_of(const struct ct_ask_answer *answer,
                                           const char *text, size_t length)
{
    for (size_t i = 0; i < answer->macro_count; i++) {
        size_t name = strlen(answer->macros[i].name);

        if (name <= length && strncmp(text, answer->macros[i].name, name) == 0 &&
            (name == length || text[name] == '='))
            return &answer->macros[i];
    }
    return NULL;
}

/* The program's options without macros of the answer; these, and what else it has, behind them. */
static void put_options(const struct ct_layer_program *program,
                        const struct ct_ask_answer *answer, struct ct_str *out)
{
    const char *at = program->options;
    const char *word;
    size_t length;

    while ((word = next_word(&at, &length))) {
        bool defines = length >= 2 && word[0] == '-' && word[1] == 'D';
        const char *text = word + 2;
        size_t text_length = length - 2;

        if (defines && !text_length)
            text = next_word(&at, &text_length);
        if (defines && text && macro_of(answer, text, text_length))
            continue;
        ct_str_puts(out, out->length ? " " : "");
        ct_str_add(out, word, length);
        if (defines && text && text != word + 2) {
            ct_str_putc(out, ' ');
            ct_str_add(out, text, text_length);
        }
    }
    for (size_t i = 0; i < answer->option_count; i++)
        if (!strstr(program->options, answer->options[i]))
            ct_str_addf(out, " %s", answer->options[i]);
    for (size_t i = 0; i < answer->macro_count; i++)
        if (uses(program->source, answer->macros[i].name))
            ct_str_addf(out, " -D %s=%s", answer->macros[i].name,
                        answer->macros[i].value);
}

/* `#define NAME ...` of the source, at the start of a line; NULL: it is none of the answer's. */
static const struct ct_ask_macro *defined(const char *line,
                                          const struct ct_ask_answer *answer)
{
    size_t length = 0;

    while (isblank((unsigned char)*line))
        line++;
    if (*line++ != '#')
        return NULL;
    while (isblank((unsigned char)*line))
        line++;
    if (strncmp(line, "define", 6) != 0 || !isblank((unsigned char)line[6]))
        return NULL;
    for (line += 6; isblank((unsigned char)*line);)
        line++;
    while (is_word(line[length]))
        length++;
    return line[length] == '(' ? NULL : macro_of(answer, line, length);
}

/* The source, in which definitions of the answer's macros have its values. */
static void put_source(const struct ct_layer_program *program,
                       const struct ct_ask_answer *answer, struct ct_str *out)
{
    for (const char *line = program->source; *line;) {
        size_t length = strcspn(line, "\n");
        const struct ct_ask_macro *macro = defined(line, answer);

        if (macro)
            ct_str_addf(out, "#define %s %s", macro->name, macro->value);
        else
            ct_str_add(out, line, length);
        line += length;
        if (*line) {
            ct_str_putc(out, '\n');
            line++;
        }
    }
}

/* Whether the options define the macro just so. */
static bool has_value(const char *options, const struct ct_ask_macro *macro)
{
    const char *at = options;
    const char *word;
    size_t length;
    size_t name = strlen(macro->name);

    while ((word = next_word(&at, &length))) {
        if (length > 2 && strncmp(word, "-D", 2) == 0)
            word += 2, length -= 2;
        if (length == name + 1 + strlen(macro->value) &&
            strncmp(word, macro->name, name) == 0 && word[name] == '=' &&
            strncmp(word + name + 1, macro->value, strlen(macro->value)) == 0)
            return true;
    }
    return false;
}

bool ct_variant_is_needed(const struct ct_layer_program *program,
                          const struct ct_ask_answer *answer)
{
    for (size_t i = 0; i < answer->option_count; i++)
        if (!strstr(program->options, answer->options[i]))
            return true;
    for (size_t i = 0; i < answer->macro_count; i++)
        if (uses(program->source, answer->macros[i].name) &&
            !has_value(program->options, &answer->macros[i]))
            return true;
    return false;
}

/* --- builds --- */

static cl_program build_variant(const struct ct_layer_program *program,
                                cl_device_id device, const char *options,
                                const struct ct_str *source)
{
    const char *text = source->data;
    size_t length = source->length;
    cl_int code = CL_SUCCESS;
    cl_program built =
        ct_real.clCreateProgramWithSource(program->context, 1, &text, &length, &code);

    if (built &&
        ct_real.clBuildProgram(built, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        ct_real.clReleaseProgram(built);
        built = NULL;
    }
    return built;
}

const struct ct_exec_program *ct_variant_program(struct ct_layer_program *program,
                                                 cl_device_id device,
                                                 const struct ct_ask_answer *answer)
{
    struct ct_exec_program *found;
    struct ct_str options;
    struct ct_str source;
    struct ct_str key;

    ct_str_init(&options);
    ct_str_init(&source);
    ct_str_init(&key);
    put_options(program, answer, &options);
    put_source(program, answer, &source);
    ct_str_addf(&key, "%s\n%s", options.data, source.data);
    for (found = program->variants; found; found = found->next)
        if (found->device == device && strcmp(found->key, key.data) == 0)
            break;
    if (!found && !options.failed && !source.failed && !key.failed) {
        found = ct_mem_array(1, sizeof(*found));
        if (found) {
            found->device = device;
            found->key = ct_str_detach(&key);
            found->program = build_variant(program, device, options.data, &source);
            found->next = program->variants;
            program->variants = found;
        }
    }
    ct_str_release(&options);
    ct_str_release(&source);
    ct_str_release(&key);
    return found && found->program && found->key ? found : NULL;
}

void ct_variant_programs_free(struct ct_exec_program *programs)
{
    while (programs) {
        struct ct_exec_program *next = programs->next;

        if (programs->program)
            ct_real.clReleaseProgram(programs->program);
        free(programs->key);
        free(programs);
        programs = next;
    }
}

/* --- kernels --- */

static void free_kernel(struct ct_variant_kernel *variant)
{
    if (variant->handle)
        ct_real.clReleaseKernel(variant->handle);
    free(variant->stale);
    free(variant);
}

struct ct_variant_kernel *ct_variant_kernel_of(struct ct_layer_kernel *kernel,
                                               const struct ct_exec_program *of)
{
    struct ct_variant_kernel *variant = kernel->variants;

    while (variant && variant->of != of)
        variant = variant->next;
    if (variant)
        return variant;
    variant = ct_mem_array(1, sizeof(*variant));
    if (!variant)
        return NULL;
    variant->of = of;
    variant->stale = ct_mem_array(kernel->argument_count + 1u, sizeof(*variant->stale));
    variant->handle = ct_real.clCreateKernel(of->program, kernel->name, NULL);
    if (!variant->stale || !variant->handle) {
        free_kernel(variant);
        return NULL;
    }
    for (cl_uint i = 0; i < kernel->argument_count; i++)
        variant->stale[i] = true;
    variant->any_stale = true;
    variant->next = kernel->variants;
    kernel->variants = variant;
    return variant;
}

bool ct_variant_update(struct ct_variant_kernel *variant,
                       const struct ct_layer_kernel *kernel)
{
    if (!variant->any_stale)
        return true;
    for (cl_uint i = 0; i < kernel->argument_count; i++) {
        const struct ct_layer_argument *argument = &kernel->arguments[i];

        if (!variant->stale[i])
            continue;
        if (ct_real.clSetKernelArg(variant->handle, i, argument->size_bytes,
                                   argument->bytes))
            return false;
        variant->stale[i] = false;
    }
    variant->any_stale = false;
    return true;
}

void ct_variant_kernels_free(struct ct_variant_kernel *variants)
{
    while (variants) {
        struct ct_variant_kernel *next = variants->next;

        free_kernel(variants);
        variants = next;
    }
}
