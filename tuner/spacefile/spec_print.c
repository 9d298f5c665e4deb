// SPDX-License-Identifier: Apache-2.0
// Prints a specification as the text of a space file.
#include "spacefile/spec_impl.h"

#include <string.h>

struct printer {
    const struct ct_spec *spec;
    struct ct_str *out;
};

/* --- parts --- */

static void put_name(void *context, int slot, struct ct_str *out)
{
    const struct ct_spec *spec = context;

    ct_str_puts(out, spec->slots.symbols[slot].name);
}

static void put_expr(const struct printer *p, const struct ct_expr *expr)
{
    union {
        const struct ct_spec *in;
        void *out;
    } context = {p->spec}; /* put_name only reads it */

    ct_expr_print(expr, put_name, context.out, p->out);
}

static void put_condition(const struct printer *p, const struct ct_expr *condition)
{
    if (!condition)
        return;
    ct_str_puts(p->out, " if ");
    put_expr(p, condition);
}

static void put_key(const struct printer *p, const char *key)
{
    ct_str_addf(p->out, "%s = ", key);
}

/* `key = expression`, if there is one. */
static void put_expr_key(const struct printer *p, const char *key,
                         const struct ct_expr *expr)
{
    if (!expr)
        return;
    put_key(p, key);
    put_expr(p, expr);
    ct_str_putc(p->out, '\n');
}

static void put_text_key(const struct printer *p, const char *key, const char *text)
{
    if (text)
        ct_str_addf(p->out, "%s = %s\n", key, text);
}

static void put_exprs_key(const struct printer *p, const char *key, size_t count,
                          const struct ct_expr *const *exprs)
{
    if (!count)
        return;
    put_key(p, key);
    for (size_t i = 0; i < count; i++) {
        ct_str_puts(p->out, i ? ", " : "");
        put_expr(p, exprs[i]);
    }
    ct_str_putc(p->out, '\n');
}

static void put_templates_key(const struct printer *p, const char *key, size_t count,
                              const struct ct_template *texts)
{
    if (!count)
        return;
    put_key(p, key);
    for (size_t i = 0; i < count; i++)
        ct_str_addf(p->out, "%s%s", i ? ", " : "", texts[i].text);
    ct_str_putc(p->out, '\n');
}

/* The keys of a section whose rows describe their values. */
static void put_values(const struct printer *p, const char *section, const void *object)
{
    for (size_t i = 0; i < ct_spec_key_count; i++) {
        const struct ct_spec_key_rule *rule = &ct_spec_keys[i];

        if (rule->form != CT_FORM_OWN && strcmp(rule->section, section) == 0)
            ct_spec_put_value(p->out, rule, (const char *)object + rule->offset);
    }
}

static void put_named(const struct printer *p, const char *section, size_t count,
                      const struct ct_named_expr *named)
{
    if (!count)
        return;
    ct_str_addf(p->out, "\n[%s]\n", section);
    for (size_t i = 0; i < count; i++) {
        put_key(p, named[i].name);
        if (named[i].expr)
            put_expr(p, named[i].expr);
        put_condition(p, named[i].condition);
        ct_str_putc(p->out, '\n');
    }
}

static const char *buffer_name(const struct printer *p, int index)
{
    return p->spec->buffers[index].name;
}

/* --- names and parameters --- */

static void put_symbols(const struct printer *p, const char *section,
                        enum ct_symbol_class class)
{
    bool first = true;

    for (size_t i = 0; i < p->spec->slots.count; i++) {
        const struct ct_symbol *symbol = &p->spec->slots.symbols[i];

        if (symbol->class != class)
            continue;
        if (first)
            ct_str_addf(p->out, "\n[%s]\n", section);
        first = false;
        put_expr_key(p, symbol->name, symbol->expr);
    }
}

static void put_item(const struct printer *p, const struct ct_list_item *item)
{
    switch (item->form) {
    case CT_ITEM_VALUE:
        put_expr(p, item->a);
        break;
    case CT_ITEM_RANGE:
        put_expr(p, item->a);
        ct_str_puts(p->out, " .. ");
        put_expr(p, item->b);
        if (item->step) {
            ct_str_puts(p->out, " step ");
            put_expr(p, item->step);
        }
        break;
    case CT_ITEM_POW2:
        ct_str_puts(p->out, "pow2(");
        put_expr(p, item->a);
        ct_str_puts(p->out, ", ");
        put_expr(p, item->b);
        ct_str_putc(p->out, ')');
        break;
    case CT_ITEM_DIVISORS:
        ct_str_puts(p->out, "divisors(");
        put_expr(p, item->a);
        ct_str_putc(p->out, ')');
        break;
    case CT_ITEM_NUMBERS:
        for (size_t i = 0; i < item->number_count; i++) {
            ct_str_puts(p->out, i ? ", " : "");
            ct_value_print(p->out, item->numbers[i]);
        }
        break;
    }
}

static void put_params(const struct printer *p)
{
    if (p->spec->param_count)
        ct_str_puts(p->out, "\n[param]\n");
    for (size_t i = 0; i < p->spec->param_count; i++) {
        const struct ct_param *param = &p->spec->params[i];

        put_key(p, p->spec->slots.symbols[param->slot].name);
        for (size_t j = 0; j < param->item_count; j++) {
            ct_str_puts(p->out, j ? ", " : "");
            put_item(p, &param->items[j]);
        }
        ct_str_puts(p->out, param->replaces ? " replaces" : "");
        put_condition(p, param->condition);
        ct_str_putc(p->out, '\n');
    }
}

static void put_defaults(const struct printer *p)
{
    for (size_t i = 0; i < p->spec->default_count; i++) {
        const struct ct_spec_default *section = &p->spec->defaults[i];

        ct_str_addf(p->out, "\n[default%s%s]\n", section->pattern ? " " : "",
                    section->pattern ? section->pattern : "");
        for (size_t j = 0; j < section->count; j++)
            put_expr_key(
                p,
                p->spec->slots.symbols[p->spec->params[section->values[j].param].slot]
                    .name,
                section->values[j].value);
    }
}

/* --- data --- */

static void put_arg(const struct printer *p, const struct ct_spec_arg *arg);

static void put_fill(const struct printer *p, const char *key,
                     const struct ct_spec_fill *fill)
{
    static const char *const names[] = {
        [CT_FILL_NONE] = "none",         [CT_FILL_ZERO] = "zero",
        [CT_FILL_CONSTANT] = "constant", [CT_FILL_RAMP] = "ramp",
        [CT_FILL_UNIFORM] = "uniform",   [CT_FILL_NORMAL] = "normal",
        [CT_FILL_COPY] = "copy",         [CT_FILL_INTERLEAVE] = "interleave",
        [CT_FILL_FILE] = "file",         [CT_FILL_C] = "c",
    };

    put_key(p, key);
    ct_str_puts(p->out, names[fill->kind]);
    if (fill->kind != CT_FILL_NONE && fill->kind != CT_FILL_ZERO)
        ct_str_putc(p->out, '(');
    if (fill->a)
        put_expr(p, fill->a);
    if (fill->b) {
        ct_str_puts(p->out, ", ");
        put_expr(p, fill->b);
    }
    if (fill->seed) {
        ct_str_puts(p->out, ", ");
        put_expr(p, fill->seed);
    }
    for (size_t i = 0; i < fill->source_count; i++)
        ct_str_addf(p->out, "%s%s", i ? ", " : "", buffer_name(p, fill->sources[i]));
    if (fill->path.text)
        ct_str_puts(p->out, fill->path.text);
    if (fill->function)
        ct_str_addf(p->out, ", %s", fill->function);
    for (size_t i = 0; i < fill->arg_count; i++) {
        ct_str_puts(p->out, ", ");
        put_arg(p, &fill->args[i]);
    }
    if (fill->kind != CT_FILL_NONE && fill->kind != CT_FILL_ZERO)
        ct_str_putc(p->out, ')');
    ct_str_putc(p->out, '\n');
}

static void put_check(const struct printer *p, const struct ct_spec_buffer *buffer)
{
    if (buffer->check == CT_CHECK_NONE)
        return;
    if (buffer->check == CT_CHECK_C) {
        put_fill(p, "check", &buffer->check_by);
        return;
    }
    put_key(p, "check");
    if (buffer->check == CT_CHECK_EXACT) {
        ct_str_puts(p->out, "exact\n");
        return;
    }
    ct_str_puts(p->out, buffer->check == CT_CHECK_ABSOLUTE ? "abs(" : "");
    put_expr(p, buffer->tolerance);
    ct_str_puts(p->out, buffer->check == CT_CHECK_ABSOLUTE ? ")\n" : "\n");
}

static void put_buffer(const struct printer *p, const struct ct_spec_buffer *buffer)
{
    ct_str_addf(p->out, "\n[%s %s]\n", buffer->dims ? "image" : "buffer", buffer->name);
    if (buffer->dims) {
        put_exprs_key(p, "size", buffer->dims, buffer->size);
        ct_str_addf(p->out, "format = %s %s\n", ct_spec_orders[buffer->order],
                    ct_spec_channels[buffer->channel]);
    } else {
        put_text_key(p, "type", buffer->type.text);
        put_expr_key(p, "count", buffer->count);
    }
    if (buffer->fill.kind != CT_FILL_NONE)
        put_fill(p, "fill", &buffer->fill);
    put_expr_key(p, "planes", buffer->planes);
    if (buffer->restore != CT_RESTORE_ONCE)
        put_text_key(p, "restore", ct_spec_restores[buffer->restore]);
    if (buffer->transfer_by)
        put_expr_key(p, "transfer", buffer->transfer_by);
    else if (buffer->transfer != CT_TRANSFER_WRITE)
        put_text_key(p, "transfer", ct_spec_transfers[buffer->transfer]);
    put_check(p, buffer);
    put_expr_key(p, "compare", buffer->compare);
    if (buffer->reduce)
        put_text_key(p, "fold", ct_spec_folds[buffer->reduce]);
    if (buffer->has_expect)
        put_fill(p, "expect", &buffer->expect);
    put_values(p, buffer->dims ? "image" : "buffer", buffer);
}

/* --- launches --- */

static void put_bytes(const struct printer *p, const struct ct_spec_arg *arg);

static void put_arg(const struct printer *p, const struct ct_spec_arg *arg)
{
    char type[16];

    if (arg->test) {
        /* A choice as the test needs parentheses. */
        bool choice = arg->test->root->op == CT_OP_COND;

        ct_str_puts(p->out, choice ? "(" : "");
        put_expr(p, arg->test);
        ct_str_puts(p->out, choice ? ") ? " : " ? ");
        put_arg(p, arg->yes);
        ct_str_puts(p->out, " : ");
        put_arg(p, arg->no);
        return;
    }
    switch (arg->kind) {
    case CT_ARG_BUFFER:
        ct_str_puts(p->out, buffer_name(p, arg->buffer));
        return;
    case CT_ARG_SAMPLER:
        if (arg->sampler_words.text) {
            ct_str_addf(p->out, "sampler(%s)", arg->sampler_words.text);
            return;
        }
        ct_str_addf(p->out, "sampler(%s, %s, %s)",
                    ct_spec_addressings[arg->sampler.addressing],
                    arg->sampler.linear ? "linear" : "nearest",
                    arg->sampler.normalized ? "normalized" : "unnormalized");
        return;
    case CT_ARG_LOCAL:
        ct_str_puts(p->out, "local(");
        break;
    case CT_ARG_SCALAR:
        ct_type_name(arg->type, type);
        ct_str_addf(p->out, "%s(", type);
        for (size_t i = 0; i < arg->value_count; i++) {
            ct_str_puts(p->out, i ? ", " : "");
            put_expr(p, arg->values[i]);
        }
        ct_str_putc(p->out, ')');
        return;
    case CT_ARG_BYTES:
        put_bytes(p, arg);
        return;
    default:
        ct_str_puts(p->out, "null");
        return;
    }
    put_expr(p, arg->value);
    ct_str_putc(p->out, ')');
}

static void put_bytes(const struct printer *p, const struct ct_spec_arg *arg)
{
    if (arg->name) {
        ct_str_puts(p->out, "name");
        return;
    }
    ct_str_puts(p->out, arg->parts ? "struct(" : "bytes('");
    for (size_t i = 0; i < arg->part_count; i++) {
        ct_str_puts(p->out, i ? ", " : "");
        put_arg(p, &arg->parts[i]);
    }
    for (size_t i = 0; i < arg->raw_count; i++)
        ct_str_addf(p->out, "%02x", arg->raw[i]);
    ct_str_puts(p->out, arg->parts ? ")" : "')");
}

static void put_args(const struct printer *p, size_t count,
                     const struct ct_spec_arg *args)
{
    if (!count)
        return;
    put_key(p, "args");
    for (size_t i = 0; i < count; i++) {
        ct_str_puts(p->out, i ? ", " : "");
        put_arg(p, &args[i]);
        put_condition(p, args[i].condition);
    }
    ct_str_putc(p->out, '\n');
}

static void put_program(const struct printer *p, const struct ct_spec_program *program)
{
    put_templates_key(p, "source", program->source_count, program->sources);
    put_text_key(p, "options", program->options.text);
    put_templates_key(p, "include", program->include_count, program->includes);
}

static void put_own_defines(const struct printer *p,
                            const struct ct_spec_program *program)
{
    if (!program->define_count)
        return;
    put_key(p, "define");
    for (size_t i = 0; i < program->define_count; i++) {
        ct_str_addf(p->out, "%s%s=", i ? ", " : "", program->defines[i].name);
        if (program->defines[i].expr)
            put_expr(p, program->defines[i].expr);
        put_condition(p, program->defines[i].condition);
    }
    ct_str_putc(p->out, '\n');
}

static void put_kernel(const struct printer *p, const struct ct_spec_launch *launch)
{
    put_text_key(p, "kernel", launch->kernel.text);
    put_program(p, &launch->program);
    put_own_defines(p, &launch->program);
    put_args(p, launch->arg_count, launch->args);
    put_exprs_key(p, "global", launch->global_count, launch->global);
    put_exprs_key(p, "local", launch->local_count, launch->local);
    put_expr_key(p, "require", launch->require);
}

static void put_launches(const struct printer *p)
{
    const struct ct_spec *spec = p->spec;

    for (size_t i = 0; i < spec->launch_count; i++) {
        const struct ct_spec_launch *launch = &spec->launches[i];

        ct_str_addf(p->out, "\n[launch %s]\n", launch->name);
        put_expr_key(p, "when", launch->when);
        put_expr_key(p, "weight", launch->weight);
        if (launch->kind == CT_LAUNCH_COPY)
            ct_str_addf(p->out, "copy = %s, %s\n", buffer_name(p, launch->from),
                        buffer_name(p, launch->to));
        else if (launch->kind == CT_LAUNCH_ZERO)
            put_text_key(p, "zero", buffer_name(p, launch->to));
        else
            put_kernel(p, launch);
        put_values(p, "launch", launch);
    }
    for (size_t i = 0; i < spec->loop_count; i++) {
        const struct ct_spec_loop *loop = &spec->loops[i];

        ct_str_addf(p->out, "\n[loop %s]\nlaunches = ", loop->name);
        for (size_t j = 0; j < loop->launch_count; j++)
            ct_str_addf(p->out, "%s%s", j ? ", " : "",
                        spec->launches[loop->first + j].name);
        ct_str_putc(p->out, '\n');
        put_expr_key(p, "count", loop->count);
        if (loop->swap[0] >= 0)
            ct_str_addf(p->out, "swap = %s, %s\n", buffer_name(p, loop->swap[0]),
                        buffer_name(p, loop->swap[1]));
        put_values(p, "loop", loop);
    }
}

/* --- reference and baseline --- */

static void put_host(const struct printer *p, const struct ct_spec_host *host)
{
    put_text_key(p, "c", host->c.text);
    put_text_key(p, "function", host->function);
    if (*host->libs)
        put_text_key(p, "libs", host->libs);
    put_args(p, host->arg_count, host->args);
}

static void put_references(const struct printer *p)
{
    const struct ct_spec *spec = p->spec;
    const struct ct_spec_reference *reference = &spec->reference;

    if (reference->present && !reference->launch_count)
        ct_str_puts(p->out, "\n[reference]\n");
    if (reference->host.present)
        put_host(p, &reference->host);
    for (size_t i = 0; i < reference->launch_count; i++) {
        const char *name = reference->launches[i].name;
        bool named = strcmp(name, "reference") != 0;

        ct_str_addf(p->out, "\n[reference%s%s]\n", named ? " " : "", named ? name : "");
        put_kernel(p, &reference->launches[i]);
    }
    if (reference->setting_count)
        ct_str_puts(p->out, "config =");
    for (size_t i = 0; i < reference->setting_count; i++)
        ct_str_addf(p->out, " %s=%s", reference->settings[i].name,
                    reference->settings[i].text);
    if (reference->setting_count)
        ct_str_putc(p->out, '\n');
    put_values(p, "reference", reference);
    if (spec->baseline.present) {
        ct_str_puts(p->out, "\n[baseline]\n");
        put_host(p, &spec->baseline);
        put_values(p, "baseline", &spec->baseline);
    }
}

/* --- the rest --- */

static void put_env(const struct printer *p)
{
    if (p->spec->env_count)
        ct_str_puts(p->out, "\n[env]\n");
    for (size_t i = 0; i < p->spec->env_count; i++) {
        const struct ct_spec_env *env = &p->spec->env[i];

        /* Quotes distinguish an empty text from none. */
        if (env->value.text)
            ct_str_addf(p->out, "%s = '%s'\n", env->name, env->value.text);
        else
            ct_str_addf(p->out, "%s =\n", env->name);
    }
}

static void put_measure(const struct printer *p)
{
    struct ct_str text;
    struct printer values = {p->spec, &text};

    ct_str_init(&text);
    put_values(&values, "measure", &p->spec->measure);
    if (text.length)
        ct_str_addf(p->out, "\n[measure]\n%s", text.data);
    p->out->failed = p->out->failed || text.failed;
    ct_str_release(&text);
}

void ct_spec_print(const struct ct_spec *spec, struct ct_str *out)
{
    struct printer p = {spec, out};

    if (spec->command.present) {
        ct_spec_print_command(spec, out);
        put_values(&p, "program", spec);
    } else if (spec->kernel.present) {
        ct_str_addf(out, "[kernel]\nname = %s\n", spec->kernel.name);
        put_templates_key(&p, "source", spec->kernel.program.source_count,
                          spec->kernel.program.sources);
        if (*spec->kernel.program.options.text)
            put_text_key(&p, "options", spec->kernel.program.options.text);
        put_templates_key(&p, "include", spec->kernel.program.include_count,
                          spec->kernel.program.includes);
        put_values(&p, "kernel", spec);
    }
    put_symbols(&p, "problem", CT_SYM_PROBLEM);
    put_symbols(&p, "let", CT_SYM_LET);
    put_params(&p);
    put_symbols(&p, "derive", CT_SYM_DERIVED);
    put_named(&p, "define", spec->kernel.program.define_count,
              spec->kernel.program.defines);
    put_named(&p, "constraint", spec->constraint_count, spec->constraints);
    for (size_t i = 0; i < spec->buffer_count; i++)
        put_buffer(&p, &spec->buffers[i]);
    put_launches(&p);
    put_references(&p);
    put_env(&p);
    put_defaults(&p);
    put_named(&p, "metric", spec->metric_count, spec->metrics);
    put_measure(&p);
}
