// SPDX-License-Identifier: Apache-2.0
// Builds variants of programs.
#include "layer/variant.h"

#include "base/build_options.h"
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

/* The macro of the answer that has the name, or NULL. */
static const struct ct_ask_macro *macro_of(const struct ct_ask_answer *answer,
                                           const char *name, size_t length)
{
    for (size_t i = 0; i < answer->macro_count; i++)
        if (strlen(answer->macros[i].name) == length &&
            strncmp(name, answer->macros[i].name, length) == 0)
            return &answer->macros[i];
    return NULL;
}

/* Whether a variant defines the macro: its headers may use one that only the options define. */
static bool needs_macro(const struct ct_layer_program *program,
                        const struct ct_ask_macro *macro)
{
    const char *value;
    size_t length;

    return uses(program->source, macro->name) ||
           ct_build_options_value(program->options, macro->name, &value, &length);
}

/* Whether an option is about a macro that a variant defines itself. */
static bool is_replaced(const struct ct_layer_program *program,
                        const struct ct_ask_answer *answer,
                        const struct ct_build_option *option)
{
    for (size_t i = 0; i < answer->macro_count; i++)
        if (needs_macro(program, &answer->macros[i]) &&
            ct_build_options_is_about(option, answer->macros[i].name,
                                      strlen(answer->macros[i].name)))
            return true;
    return false;
}

/* The program's options without macros of the answer; these, and what else it has, behind them. */
static void put_options(const struct ct_layer_program *program,
                        const struct ct_ask_answer *answer, struct ct_str *out)
{
    const char *at = program->options;
    struct ct_build_option option;

    while (ct_build_options_next(&at, &option)) {
        if (is_replaced(program, answer, &option))
            continue;
        ct_str_puts(out, out->length ? " " : "");
        ct_str_add(out, option.word, option.length);
    }
    for (size_t i = 0; i < answer->option_count; i++)
        if (!strstr(program->options, answer->options[i]))
            ct_str_addf(out, " %s", answer->options[i]);
    for (size_t i = 0; i < answer->macro_count; i++)
        if (needs_macro(program, &answer->macros[i]))
            ct_str_addf(out, " -D %s=%s", answer->macros[i].name,
                        answer->macros[i].value);
}

/* What follows a directive at the start of a line, and blanks; NULL if the line is another. */
static const char *after_directive(const char *line, const char *directive)
{
    size_t length = strlen(directive);

    line += strspn(line, " \t");
    if (*line++ != '#')
        return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, directive, length) != 0 || !isblank((unsigned char)line[length]))
        return NULL;
    line += length;
    return line + strspn(line, " \t");
}

/* `#define NAME ...` of the source, at the start of a line; NULL: it is none of the answer's. */
static const struct ct_ask_macro *defined(const char *line,
                                          const struct ct_ask_answer *answer)
{
    size_t length = 0;

    line = after_directive(line, "define");
    while (line && is_word(line[length]))
        length++;
    return !line || line[length] == '(' ? NULL : macro_of(answer, line, length);
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

/* Whether the options leave the macro just so. */
static bool has_value(const char *options, const struct ct_ask_macro *macro)
{
    const char *value;
    size_t length;

    return ct_build_options_value(options, macro->name, &value, &length) && value &&
           length == strlen(macro->value) && memcmp(value, macro->value, length) == 0;
}

/* Whether the line is `#define NAME VALUE` with that very value, apart from comments. */
static bool says(const char *line, const struct ct_ask_macro *macro)
{
    const char *at = after_directive(line, "define") + strlen(macro->name);

    at += strspn(at, " \t");
    if (strncmp(at, macro->value, strlen(macro->value)) != 0)
        return false;
    at += strlen(macro->value);
    at += strspn(at, " \t\r");
    return !*at || *at == '\n' || (*at == '/' && strchr("/*", at[1]));
}

/* Whether the source may define a macro of the answer with another value whatever the options say:
 * without an #ifndef on the line before. */
static bool redefines(const char *source, const struct ct_ask_answer *answer)
{
    const char *before = "";

    for (const char *line = source; *line; line += *line == '\n') {
        const struct ct_ask_macro *macro = defined(line, answer);
        const char *guarded = after_directive(before, "ifndef");
        size_t length = macro ? strlen(macro->name) : 0;

        if (macro && !says(line, macro) &&
            !(guarded && strncmp(guarded, macro->name, length) == 0 &&
              !is_word(guarded[length])))
            return true;
        before = line;
        line += strcspn(line, "\n");
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
        if (needs_macro(program, &answer->macros[i]) &&
            !has_value(program->options, &answer->macros[i]))
            return true;
    return redefines(program->source, answer);
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

/* The caller holds the lock, as in the next function. */
static struct ct_variant_kernel *find_kernel(const struct ct_layer_kernel *kernel,
                                             const struct ct_exec_program *of)
{
    struct ct_variant_kernel *variant = kernel->variants;

    while (variant && variant->of != of)
        variant = variant->next;
    return variant;
}

/* Passes on arguments that the program has set since the last call.  Under the lock, unlike all other
 * calls of the driver's: two threads may launch one kernel at a time, and the first of them sets
 * the arguments for both.  A driver neither waits for anything here nor calls the program. */
static bool update(struct ct_variant_kernel *variant,
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

static struct ct_variant_kernel *make_kernel(const struct ct_layer_kernel *kernel,
                                             const struct ct_exec_program *of)
{
    struct ct_variant_kernel *variant = ct_mem_array(1, sizeof(*variant));

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
    return variant;
}

cl_kernel ct_variant_kernel_of(struct ct_layer_kernel *kernel,
                               const struct ct_exec_program *of)
{
    struct ct_variant_kernel *made = NULL;
    struct ct_variant_kernel *variant;
    cl_kernel handle = NULL;

    pthread_mutex_lock(&ct_layer_lock);
    variant = find_kernel(kernel, of);
    if (!variant) {
        pthread_mutex_unlock(&ct_layer_lock);
        made = make_kernel(kernel, of);
        pthread_mutex_lock(&ct_layer_lock);
        /* Another thread may have done the same. */
        variant = find_kernel(kernel, of);
    }
    if (!variant && made) {
        made->next = kernel->variants;
        kernel->variants = variant = made;
        made = NULL;
    }
    if (variant && update(variant, kernel))
        handle = variant->handle;
    pthread_mutex_unlock(&ct_layer_lock);
    if (made)
        free_kernel(made);
    return handle;
}

void ct_variant_kernels_free(struct ct_variant_kernel *variants)
{
    while (variants) {
        struct ct_variant_kernel *next = variants->next;

        free_kernel(variants);
        variants = next;
    }
}
