// SPDX-License-Identifier: Apache-2.0
// Parts of programs: paths, and macros of a launch's own.
#include "spacefile/spec_impl.h"

#include <string.h>

void ct_spec_read_paths(struct ct_spec_builder *b, const struct ct_text *text,
                        const char *what, struct ct_template **paths, size_t *count)
{
    size_t room = 1;

    for (size_t i = 0; i < text->length; i++)
        room += text->text[i] == ',';
    *count = 0;
    *paths = ct_spec_alloc(b, room, sizeof(**paths));
    for (size_t begin = 0; *paths && *count < room;) {
        const char *comma = memchr(text->text + begin, ',', text->length - begin);
        size_t end = comma ? (size_t)(comma - text->text) : text->length;
        struct ct_template *path = &(*paths)[(*count)++];

        ct_spec_template(b, text, begin, end, path);
        if (path->text && !*path->text)
            CT_SPEC_COMPLAIN(b, path->place, "a %s is missing here", what);
        /* A path with quotes would never be found. */
        if (path->text && strchr(path->text, '\''))
            CT_SPEC_COMPLAIN(b, path->place, "a path is written without quotes");
        begin = end + 1;
    }
}

/* One `NAME=expression [if condition]`. */
static void read_define(struct ct_spec_builder *b, const struct ct_text *text,
                        size_t begin, size_t end, struct ct_named_expr *define)
{
    const char *sign = memchr(text->text + begin, '=', end - begin);
    size_t at = sign ? (size_t)(sign - text->text) : end;
    size_t name_end = at;

    ct_expr_trim(text, &begin, &name_end);
    define->place = ct_text_place(text, begin);
    define->name = ct_spec_copy(b, text->text + begin, name_end - begin);
    if (!define->name)
        return;
    if (!sign || !ct_expr_is_word(define->name, name_end - begin)) {
        CT_SPEC_COMPLAIN(
            b, define->place,
            "a macro is written NAME=expression, or NAME= without a value, and may end in "
            "'if condition'");
        return;
    }
    define->condition = ct_spec_compile_condition(b, text, at + 1, &end, CT_USE_CONFIG);
    begin = at + 1;
    ct_expr_trim(text, &begin, &end);
    if (begin < end)
        define->expr = ct_spec_compile(b, text, begin, end, CT_USE_CONFIG);
}

void ct_spec_read_defines(struct ct_spec_builder *b, const struct ct_text *text,
                          struct ct_spec_program *program)
{
    size_t room = 1;

    for (size_t at = ct_expr_find_char(text, 0, text->length, ','); at < text->length;
         at = ct_expr_find_char(text, at + 1, text->length, ','))
        room++;
    program->define_count = 0; /* a repeated key is reported, and read again */
    program->defines = ct_spec_alloc(b, room, sizeof(*program->defines));
    for (size_t begin = 0; program->defines && program->define_count < room;) {
        size_t comma = ct_expr_find_char(text, begin, text->length, ',');
        struct ct_named_expr *define = &program->defines[program->define_count++];

        read_define(b, text, begin, comma, define);
        for (size_t i = 0; define->name && i + 1 < program->define_count; i++)
            if (program->defines[i].name &&
                strcmp(program->defines[i].name, define->name) == 0)
                CT_SPEC_COMPLAIN(b, define->place, "macro '%s' is defined twice",
                                 define->name);
        begin = comma + 1;
    }
}
