// SPDX-License-Identifier: Apache-2.0
// The [launch] and [loop] sections.
#include "spacefile/spec_impl.h"

#include <string.h>

CT_SPEC_PARSER(ct_spec_launch_kernel)
{
    struct ct_spec_launch *launch = object;

    ct_spec_template(builder, &entry->value, 0, entry->value.length, &launch->kernel);
    if (ct_spec_is_plain(&launch->kernel) && launch->kernel.text &&
        !ct_expr_is_word(launch->kernel.text, strlen(launch->kernel.text)))
        CT_SPEC_COMPLAIN(builder, launch->kernel.place,
                         "'%s' is not the name of a kernel", launch->kernel.text);
}

CT_SPEC_PARSER(ct_spec_launch_args)
{
    struct ct_spec_launch *launch = object;

    launch->args_place = entry->place;
    launch->args = ct_spec_read_args(builder, &entry->value, false, &launch->arg_count);
}

static size_t parse_sizes(struct ct_spec_builder *b, const struct ct_reader_entry *entry,
                          const struct ct_expr **sizes)
{
    const struct ct_text *text = &entry->value;
    size_t count = 0;

    for (size_t begin = 0; begin <= text->length;) {
        size_t comma = ct_expr_find_char(text, begin, text->length, ',');

        if (count == 3) {
            CT_SPEC_COMPLAIN(b, ct_text_place(text, begin),
                             "'%s' has more than three dimensions", entry->key);
            break;
        }
        sizes[count++] = ct_spec_compile_number(b, text, begin, comma, CT_USE_LAUNCH,
                                                true, "a number of work-items");
        begin = comma + 1;
    }
    return count;
}

CT_SPEC_PARSER(ct_spec_launch_global)
{
    struct ct_spec_launch *launch = object;

    launch->global_count = parse_sizes(builder, entry, launch->global);
}

CT_SPEC_PARSER(ct_spec_launch_local)
{
    struct ct_spec_launch *launch = object;

    launch->local_count = parse_sizes(builder, entry, launch->local);
}

CT_SPEC_PARSER(ct_spec_launch_when)
{
    struct ct_spec_launch *launch = object;

    launch->when = ct_spec_compile_number(builder, &entry->value, 0, entry->value.length,
                                          CT_USE_LAUNCH, false, "'when'");
}

CT_SPEC_PARSER(ct_spec_launch_weight)
{
    struct ct_spec_launch *launch = object;

    launch->weight = ct_spec_compile_number(
        builder, &entry->value, 0, entry->value.length, CT_USE_LAUNCH, true, "a weight");
}

CT_SPEC_PARSER(ct_spec_launch_require)
{
    struct ct_spec_launch *launch = object;
    const struct ct_expr *expr =
        ct_spec_compile_number(builder, &entry->value, 0, entry->value.length,
                               CT_USE_REQUIRE, false, "'require'");
    bool built = !expr || expr->kind == CT_TEXT; /* errors have been reported */

    launch->require = expr;
    for (size_t i = 0; expr && i < expr->slot_count; i++)
        built =
            built || builder->spec->slots.symbols[expr->slots[i]].class == CT_SYM_KERNEL;
    if (!built)
        CT_SPEC_WARN(builder, expr->place,
                     "'require' uses no fact of the built kernel (KERNEL_...): make it a "
                     "constraint to save the build");
}

CT_SPEC_PARSER(ct_spec_launch_copy)
{
    struct ct_spec_launch *launch = object;
    const struct ct_text *text = &entry->value;
    size_t comma = ct_expr_find_char(text, 0, text->length, ',');

    launch->kind = CT_LAUNCH_COPY;
    if (comma == text->length ||
        ct_expr_find_char(text, comma + 1, text->length, ',') < text->length) {
        CT_SPEC_COMPLAIN(builder, ct_text_place(text, 0),
                         "'copy' takes two buffers: from, to");
        return;
    }
    launch->from = ct_spec_buffer_at(builder, text, 0, comma);
    launch->to = ct_spec_buffer_at(builder, text, comma + 1, text->length);
    if (launch->from >= 0 && launch->from == launch->to)
        CT_SPEC_COMPLAIN(builder, ct_text_place(text, 0), "a buffer is copied to itself");
}

CT_SPEC_PARSER(ct_spec_launch_zero)
{
    struct ct_spec_launch *launch = object;

    launch->kind = CT_LAUNCH_ZERO;
    launch->to = ct_spec_buffer_at(builder, &entry->value, 0, entry->value.length);
}

CT_SPEC_PARSER(ct_spec_launch_source)
{
    struct ct_spec_launch *launch = object;

    launch->has_program = true;
    ct_spec_read_paths(builder, &entry->value, "source", &launch->program.sources,
                       &launch->program.source_count);
}

CT_SPEC_PARSER(ct_spec_launch_options)
{
    struct ct_spec_launch *launch = object;

    launch->has_program = true;
    ct_spec_template(builder, &entry->value, 0, entry->value.length,
                     &launch->program.options);
}

CT_SPEC_PARSER(ct_spec_launch_include)
{
    struct ct_spec_launch *launch = object;

    launch->has_program = true;
    ct_spec_read_paths(builder, &entry->value, "folder", &launch->program.includes,
                       &launch->program.include_count);
}

CT_SPEC_PARSER(ct_spec_launch_define)
{
    struct ct_spec_launch *launch = object;

    launch->has_program = true;
    ct_spec_read_defines(builder, &entry->value, &launch->program);
}

/* --- the keys of a launch checked against each other --- */

static bool has_key(const struct ct_reader_section *section, const char *key)
{
    for (size_t i = 0; i < section->entry_count; i++)
        if (strcmp(section->entries[i].key, key) == 0)
            return true;
    return false;
}

/* A copy or a zero has no other key than `when`. */
static void check_without_kernel(struct ct_spec_builder *b,
                                 const struct ct_reader_section *section,
                                 const char *kind)
{
    for (size_t i = 0; i < section->entry_count; i++) {
        const struct ct_reader_entry *entry = &section->entries[i];

        if (strcmp(entry->key, kind) != 0 && strcmp(entry->key, "when") != 0)
            CT_SPEC_COMPLAIN(b, entry->place,
                             "[launch %s] has '%s', so '%s' has no meaning",
                             section->name, kind, entry->key);
    }
}

static void check_launch(struct ct_spec_builder *b,
                         const struct ct_reader_section *section,
                         const struct ct_spec_launch *launch)
{
    static const char *const wanted[] = {"kernel", "global"};

    if (has_key(section, "copy") || has_key(section, "zero")) {
        check_without_kernel(b, section, has_key(section, "copy") ? "copy" : "zero");
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        bool there = has_key(section, wanted[i]);

        /* A likely misspelling has been reported. */
        for (size_t j = 0; j < section->entry_count && !there; j++)
            there = ct_str_suggest(section->entries[j].key, &wanted[i], 1) &&
                    strcmp(section->entries[j].key, "local") != 0;
        if (!there)
            CT_SPEC_COMPLAIN(b, section->place, "[launch %s] requires the key '%s' (%s)",
                             section->name, wanted[i],
                             i ? "work-items in one to three dimensions"
                               : "kernel function");
    }
    if (launch->local_count && launch->global_count &&
        launch->local_count != launch->global_count)
        CT_SPEC_COMPLAIN(b, section->place,
                         "[launch %s] has %zu dimension%s in 'global' and %zu in 'local'",
                         section->name, launch->global_count,
                         launch->global_count == 1 ? "" : "s", launch->local_count);
}

/* --- loops --- */

static int find_launch(const struct ct_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->launch_count; i++)
        if (strcmp(spec->launches[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void unknown_launch(struct ct_spec_builder *b, const char *name,
                           struct ct_place place)
{
    const struct ct_spec *spec = b->spec;
    const char **names = ct_spec_alloc(b, spec->launch_count, sizeof(*names));

    for (size_t i = 0; names && i < spec->launch_count; i++)
        names[i] = spec->launches[i].name;
    if (names)
        CT_SPEC_COMPLAIN(b, place, "unknown launch '%s'%s", name,
                         ct_spec_hint(b, name, names, spec->launch_count));
}

/* The launches named must be consecutive in the file. */
CT_SPEC_PARSER(ct_spec_loop_launches)
{
    struct ct_spec_loop *loop = object;
    const struct ct_text *text = &entry->value;
    int self = (int)(loop - builder->spec->loops);

    for (size_t begin = 0; begin <= text->length;) {
        size_t comma = ct_expr_find_char(text, begin, text->length, ',');
        size_t end = comma;
        const char *name;
        int index;

        ct_expr_trim(text, &begin, &end);
        name = ct_spec_copy(builder, text->text + begin, end - begin);
        index = name ? find_launch(builder->spec, name) : -1;
        if (!name)
            return;
        if (index < 0) {
            unknown_launch(builder, name, ct_text_place(text, begin));
            return;
        }
        if (!loop->launch_count)
            loop->first = (size_t)index;
        if ((size_t)index != loop->first + loop->launch_count) {
            CT_SPEC_COMPLAIN(
                builder, ct_text_place(text, begin),
                "the launches of a loop must follow each other as in the "
                "file; '%s' does not follow '%s'",
                name,
                builder->spec
                    ->launches[index ? loop->first + loop->launch_count - 1 : loop->first]
                    .name);
            return;
        }
        if (builder->spec->launches[index].loop >= 0) {
            CT_SPEC_COMPLAIN(
                builder, ct_text_place(text, begin),
                "launch '%s' is in [loop %s] already", name,
                builder->spec->loops[builder->spec->launches[index].loop].name);
            return;
        }
        builder->spec->launches[index].loop = self;
        loop->launch_count++;
        begin = comma + 1;
    }
}

CT_SPEC_PARSER(ct_spec_loop_count)
{
    struct ct_spec_loop *loop = object;

    loop->count = ct_spec_compile_number(builder, &entry->value, 0, entry->value.length,
                                         CT_USE_CONFIG, true, "'count'");
}

CT_SPEC_PARSER(ct_spec_loop_swap)
{
    const struct ct_spec_buffer *buffers = builder->spec->buffers;
    struct ct_spec_loop *loop = object;
    const struct ct_text *text = &entry->value;
    size_t comma = ct_expr_find_char(text, 0, text->length, ',');

    if (comma == text->length ||
        ct_expr_find_char(text, comma + 1, text->length, ',') < text->length) {
        CT_SPEC_COMPLAIN(builder, ct_text_place(text, 0), "'swap' takes two buffers");
        return;
    }
    loop->swap[0] = ct_spec_buffer_at(builder, text, 0, comma);
    loop->swap[1] = ct_spec_buffer_at(builder, text, comma + 1, text->length);
    loop->swap_place = ct_text_place(text, 0);
    if (loop->swap[0] < 0 || loop->swap[1] < 0)
        return;
    if (loop->swap[0] == loop->swap[1])
        CT_SPEC_COMPLAIN(builder, loop->swap_place, "a buffer is exchanged with itself");
    else if (!buffers[loop->swap[0]].dims != !buffers[loop->swap[1]].dims)
        CT_SPEC_COMPLAIN(builder, loop->swap_place,
                         "a buffer and an image cannot be exchanged");
}

/* Loops are read before launches are compiled, which may name their passes: the launches' names
 * are known already. */
static void read_loops(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    const struct ct_reader_section *section;
    size_t count = 0;
    size_t index = 0;

    while (ct_spec_next(b, "loop", &index))
        count++;
    spec->loops = ct_spec_alloc(b, count, sizeof(*spec->loops));
    index = 0;
    while (spec->loops && (section = ct_spec_next(b, "loop", &index))) {
        struct ct_spec_loop *loop = &spec->loops[spec->loop_count++];

        loop->name = section->name;
        loop->place = section->place;
        loop->slot = ct_spec_find(spec, section->name);
        loop->swap[0] = -1;
        loop->swap[1] = -1;
        ct_spec_read_section(b, section, loop);
    }
}

void ct_spec_read_launches(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    const struct ct_reader_section *section;
    size_t count = 0;
    size_t index = 0;

    while (ct_spec_next(b, "launch", &index))
        count++;
    spec->launches = ct_spec_alloc(b, count, sizeof(*spec->launches));
    if (!spec->launches)
        return;
    index = 0;
    while ((section = ct_spec_next(b, "launch", &index))) {
        struct ct_spec_launch *launch = &spec->launches[spec->launch_count++];

        launch->name = section->name;
        launch->place = section->place;
        launch->loop = -1;
    }
    read_loops(b);
    count = 0;
    index = 0;
    while (spec->loops && (section = ct_spec_next(b, "launch", &index))) {
        struct ct_spec_launch *launch = &spec->launches[count++];

        b->loop = launch->loop;
        ct_spec_read_section(b, section, launch);
        check_launch(b, section, launch);
    }
    b->loop = -1;
}
