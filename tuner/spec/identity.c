// SPDX-License-Identifier: Apache-2.0
// Hashing what a specification means.
#include "spec/identity.h"

#include "base/wire.h"

static void put_expr(struct ct_str *form, const struct ct_expr *expr)
{
    ct_wire_put_text(form, expr ? expr->text : NULL);
}

static void put_named(struct ct_str *form, const struct ct_named_expr *named)
{
    ct_wire_put_text(form, named->name);
    put_expr(form, named->expr);
    put_expr(form, named->condition);
}

static void put_names(struct ct_str *form, const struct ct_spec *spec)
{
    for (size_t i = 0; i < spec->symbol_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[i];

        if (symbol->class != CT_SYM_PARAM && symbol->class != CT_SYM_LET &&
            symbol->class != CT_SYM_DERIVED)
            continue;
        ct_wire_put_u32(form, symbol->class);
        ct_wire_put_text(form, symbol->name);
        put_expr(form, symbol->expr);
    }
    for (size_t i = 0; i < spec->define_count; i++)
        put_named(form, &spec->defines[i]);
}

static void put_buffer(struct ct_str *form, const struct ct_spec_buffer *buffer)
{
    ct_wire_put_text(form, buffer->name);
    ct_wire_put_text(form, buffer->type.text);
    put_expr(form, buffer->count);
    ct_wire_put_u32(form, buffer->fill);
    put_expr(form, buffer->fill_a);
    put_expr(form, buffer->fill_b);
    ct_wire_put_u32(form, buffer->check);
    ct_wire_put_f64(form, buffer->tolerance);
    put_expr(form, buffer->compare);
}

static void put_args(struct ct_str *form, const struct ct_spec_arg *args, size_t count)
{
    ct_wire_put_u64(form, count);
    for (size_t i = 0; i < count; i++) {
        ct_wire_put_u32(form, args[i].kind);
        ct_wire_put_i64(form, args[i].buffer);
        ct_wire_put_u32(form, args[i].type.scalar);
        ct_wire_put_u32(form, args[i].type.width);
        put_expr(form, args[i].value);
        put_expr(form, args[i].condition);
    }
}

static void put_launch(struct ct_str *form, const struct ct_spec_launch *launch)
{
    ct_wire_put_text(form, launch->kernel.text);
    put_args(form, launch->args, launch->arg_count);
    for (size_t i = 0; i < launch->global_count; i++)
        put_expr(form, launch->global[i]);
    ct_wire_put_u64(form, launch->local_count);
    for (size_t i = 0; i < launch->local_count; i++)
        put_expr(form, launch->local[i]);
}

struct ct_hash ct_spec_version(const struct ct_spec *spec, const struct ct_plan *plan)
{
    struct ct_hash hash = {{0}};
    struct ct_str form;

    ct_str_init(&form);
    ct_str_puts(&form, "cltune kernel version 1");
    for (size_t i = 0; i < plan->program_count; i++)
        ct_wire_put_text(&form, plan->programs[i].source_hash.text);
    ct_wire_put_text(&form, spec->options.text);
    put_names(&form, spec);
    for (size_t i = 0; i < spec->buffer_count; i++)
        put_buffer(&form, &spec->buffers[i]);
    for (size_t i = 0; i < spec->launch_count; i++)
        put_launch(&form, &spec->launches[i]);
    if (spec->reference.present) {
        ct_wire_put_text(&form, plan->reference.c_hash.text);
        ct_wire_put_text(&form, spec->reference.function);
        ct_wire_put_text(&form, spec->reference.libs);
        put_args(&form, spec->reference.args, spec->reference.arg_count);
    }
    if (!form.failed)
        hash = ct_hash_bytes(form.data, form.length);
    ct_str_release(&form);
    return hash;
}
