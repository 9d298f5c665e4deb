// SPDX-License-Identifier: Apache-2.0
// Puts a program's macros at the top of its source.
#include "protocol/compile.h"

#include "protocol/include.h"

#include <string.h>

/* Whether the options make the compiler read another file before the source. */
static bool includes_first(const char *options)
{
    return options && (strstr(options, "-include") || strstr(options, "-imacros"));
}

/* NULL: nothing is known of it. */
static const struct ct_program_text *text_of(struct ct_program_texts *texts,
                                             const struct ct_plan_program *program)
{
    const struct ct_program_text *text = NULL;

    return texts && !ct_program_text_get(texts, program, &text, NULL) &&
                   ct_program_files_unchanged(text->files, text->file_count)
               ? text
               : NULL;
}

static void put_source(const struct ct_plan_program *program,
                       const struct ct_program_text *text, struct ct_str *out)
{
    const char *path = program->source_path;

    if (program->macro_count)
        ct_str_puts(out, "#line 1 \"macros\"\n");
    for (size_t i = 0; i < program->macro_count; i++) {
        const struct ct_plan_macro *macro = &program->macros[i];

        if (text && ct_program_text_is_unused(text, program, i))
            continue;
        /* As on the command line, the last of several counts. */
        ct_str_addf(out, "#undef %s\n#define %s %s\n", macro->name, macro->name,
                    macro->value ? macro->value : "");
    }
    if (program->macro_count) {
        ct_str_puts(out, "#line 1");
        if (path && !path[strcspn(path, "\"\\\n")])
            ct_str_addf(out, " \"%s\"", path);
        ct_str_putc(out, '\n');
    }
    ct_str_puts(out, program->source);
}

enum ct_status ct_compile_init(struct ct_compile *compile,
                               const struct ct_plan_program *program, const char *more,
                               struct ct_program_texts *texts, struct ct_err *err)
{
    struct ct_plan_program bare = *program;
    enum ct_status status;

    ct_str_init(&compile->source);
    ct_str_init(&compile->options);
    compile->text.text[0] = '\0';
    if (includes_first(program->options)) {
        ct_str_puts(&compile->source, program->source);
    } else {
        const struct ct_program_text *text = text_of(texts, program);

        bare.macro_count = 0;
        put_source(program, text, &compile->source);
        if (text)
            compile->text = text->hash;
    }
    status = ct_include_options(&bare, &compile->options, err);
    if (*more)
        ct_str_addf(&compile->options, " %s", more);
    if (!status && (compile->source.failed || compile->options.failed))
        status = ct_err_nomem(err);
    return status;
}

void ct_compile_release(struct ct_compile *compile)
{
    ct_str_release(&compile->source);
    ct_str_release(&compile->options);
}
