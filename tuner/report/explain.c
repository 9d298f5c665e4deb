// SPDX-License-Identifier: Apache-2.0
// cltune space --explain: a space file as cltune reads it, and what one configuration of it would
// do.
#include "report/explain.h"

#include "report/explain_command.h"
#include "report/format.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/table.h"
#include "spacefile/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUES_SHOWN = 16,   /* of a parameter */
    LAUNCHES_SHOWN = 40, /* of an unrolled loop */
};

/* One configuration of a space, with everything derived from it. */
struct explained {
    const struct ct_binding *binding;
    const struct ct_spec *spec;
    struct ct_value *values; /* by parameter */
    struct ct_value *env;    /* by name */
    struct ct_source_cache *sources;
    struct ct_arena arena;
    struct ct_plan plan;
};

/* --- names --- */

static const char *class_name(enum ct_symbol_class class)
{
    switch (class) {
    case CT_SYM_PROBLEM:
        return "problem";
    case CT_SYM_LET:
        return "let";
    case CT_SYM_PARAM:
        return "parameter";
    case CT_SYM_DERIVED:
        return "derived";
    case CT_SYM_DEVICE:
        return "device";
    case CT_SYM_LOOP:
        return "pass of a loop";
    case CT_SYM_KERNEL:
    case CT_SYM_RESULT:
        break;
    }
    return "";
}

/* Quoted text, or "-" if there is no value. */
static void cell_value(struct ct_table *table, struct ct_value value)
{
    struct ct_str text;

    ct_str_init(&text);
    if (value.kind == CT_NONE)
        ct_str_putc(&text, '-');
    else if (value.kind == CT_TEXT)
        ct_str_addf(&text, "'%s'", value.u.s);
    else
        ct_value_print(&text, value);
    ct_table_cell(table, text.data);
    ct_str_release(&text);
}

/* Device limits only if the file uses them. */
static void print_names(const struct explained *e)
{
    struct ct_table *table = ct_table_new();
    size_t count = 0;

    ct_table_column(table, "NAME", false);
    ct_table_column(table, "KIND", false);
    ct_table_column(table, "VALUE", true);
    ct_table_column(table, "EXPRESSION", false);
    for (size_t i = 0; i < e->spec->slots.count; i++) {
        const struct ct_symbol *symbol = &e->spec->slots.symbols[i];

        if (!*class_name(symbol->class) ||
            (symbol->class == CT_SYM_DEVICE && !symbol->used))
            continue;
        ct_table_row(table);
        ct_table_cell(table, symbol->name);
        ct_table_cell(table, class_name(symbol->class));
        cell_value(table, e->env[i]);
        ct_table_cell(table, symbol->expr ? symbol->expr->text : "");
        count++;
    }
    if (count) {
        ct_print_text("\n");
        ct_table_print(table, ct_screen_out());
    }
    ct_table_free(table);
}

static void print_params(const struct explained *e)
{
    struct ct_table *table = ct_table_new();

    ct_table_column(table, "PARAMETER", false);
    ct_table_column(table, "COUNT", true);
    ct_table_column(table, "VALUES", false);
    ct_table_column(table, "IF", false);
    for (size_t p = 0; p < e->spec->param_count; p++) {
        const struct ct_param *param = &e->spec->params[p];
        const struct ct_domain *domain = &e->binding->domains[p];
        struct ct_str text;

        ct_str_init(&text);
        for (size_t i = 0; i < domain->count && i < VALUES_SHOWN; i++) {
            const char *quote = domain->values[i].kind == CT_TEXT ? "'" : "";

            ct_str_addf(&text, "%s%s", i ? ", " : "", quote);
            ct_value_print(&text, domain->values[i]);
            ct_str_puts(&text, quote);
        }
        ct_str_puts(&text, domain->count > VALUES_SHOWN ? ", ..." : "");
        ct_table_row(table);
        ct_table_cell(table, e->spec->slots.symbols[param->slot].name);
        ct_table_cellf(table, "%zu", domain->count);
        ct_table_cell(table, text.data);
        ct_table_cell(table, param->condition ? param->condition->text : "");
        ct_str_release(&text);
    }
    if (e->spec->param_count) {
        ct_print_text("\n");
        ct_table_print(table, ct_screen_out());
    }
    ct_table_free(table);
}

/* --- what the configuration does --- */

static void print_programs(const struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->program_count; i++) {
        const struct ct_plan_program *program = &plan->programs[i];

        ct_print("\nprogram %zu  %s\n  options   %s\n", i, program->source_path,
                 program->options);
        for (size_t j = 0; j < program->macro_count; j++)
            ct_print("  macro     %s=%s\n", program->macros[j].name,
                     program->macros[j].value);
        for (size_t j = 0; j < program->include_count; j++)
            ct_print("  include   %s\n", program->include_dirs[j]);
    }
}

static void cell_check(struct ct_table *table, const struct ct_plan_buffer *buffer)
{
    static const char *const folds[] = {"", "sum of ", "min of ", "max of "};

    switch (buffer->check) {
    case CT_CHECK_NONE:
        ct_table_cell(table, "");
        break;
    case CT_CHECK_EXACT:
        ct_table_cellf(table, "%s%" PRIu64 ", exact", folds[buffer->reduce],
                       buffer->compare);
        break;
    case CT_CHECK_RELATIVE:
    case CT_CHECK_ABSOLUTE:
        ct_table_cellf(table, "%s%" PRIu64 ", %s%g", folds[buffer->reduce],
                       buffer->compare, buffer->check == CT_CHECK_ABSOLUTE ? "abs " : "",
                       buffer->tolerance);
        break;
    default:
        ct_table_cellf(table, "%" PRIu64 ", %s()", buffer->compare,
                       buffer->check_by.function);
        break;
    }
}

static void print_data(const struct ct_plan *plan)
{
    struct ct_table *table = ct_table_new();
    char text[CT_FORMAT_SIZE];
    uint64_t total = 0;

    ct_table_column(table, "DATA", false);
    ct_table_column(table, "TYPE", false);
    ct_table_column(table, "COUNT", true);
    ct_table_column(table, "SIZE", true);
    ct_table_column(table, "TRANSFER", false);
    ct_table_column(table, "CHECK", false);
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *buffer = &plan->buffers[i];
        uint64_t bytes = buffer->count * ct_type_size(buffer->type);
        char type[16];

        total += bytes;
        ct_type_name(buffer->type, type);
        ct_table_row(table);
        ct_table_cell(table, buffer->name);
        if (buffer->image.dims)
            ct_table_cellf(table, "image %s %s", ct_spec_orders[buffer->image.order],
                           ct_spec_channels[buffer->image.channel]);
        else if (buffer->planes)
            ct_table_cellf(table, "%s in %" PRIu32 " planes", type, buffer->planes);
        else
            ct_table_cell(table, type);
        ct_table_cellf(table, "%" PRIu64, buffer->count);
        ct_table_cell(table, ct_format_bytes(text, bytes));
        ct_table_cell(table, ct_spec_transfers[buffer->transfer]);
        cell_check(table, buffer);
    }
    ct_print_text("\n");
    if (plan->buffer_count)
        ct_table_print(table, ct_screen_out());
    ct_print("data in all %s\n", ct_format_bytes(text, total));
    ct_table_free(table);
}

/* --- launches --- */

/* The components of a value; one if they are all the same. */
static void put_components(const struct ct_plan_arg *arg, struct ct_str *out)
{
    size_t size = ct_scalar_size(arg->type.scalar);
    unsigned count = 1;

    for (unsigned i = 1; i < arg->type.width; i++)
        if (memcmp(arg->bytes, arg->bytes + i * size, size) != 0)
            count = arg->type.width;
    for (unsigned i = 0; i < count; i++) {
        ct_str_puts(out, i ? ", " : "");
        ct_str_addf(out, arg->type.scalar < CT_T_HALF ? "%.0f" : "%.9g",
                    ct_scalar_load(arg->type.scalar, arg->bytes, i));
    }
}

static void put_arg(const struct ct_plan *plan, const struct ct_plan_arg *arg,
                    struct ct_str *out)
{
    char type[16];

    switch (arg->kind) {
    case CT_ARG_BUFFER:
        ct_str_puts(out, plan->buffers[arg->buffer].name);
        break;
    case CT_ARG_LOCAL:
        ct_str_addf(out, "local(%" PRIu64 ")", arg->local_bytes);
        break;
    case CT_ARG_SAMPLER:
        ct_str_addf(out, "sampler(%s, %s, %s)",
                    ct_spec_addressings[arg->sampler.addressing],
                    arg->sampler.linear ? "linear" : "nearest",
                    arg->sampler.normalized ? "normalized" : "unnormalized");
        break;
    case CT_ARG_SCALAR:
        ct_type_name(arg->type, type);
        ct_str_addf(out, "%s(", type);
        put_components(arg, out);
        ct_str_putc(out, ')');
        break;
    case CT_ARG_BYTES:
        ct_str_addf(out, "%" PRIu64 " bytes", arg->data_bytes);
        break;
    default:
        ct_str_puts(out, "null");
        break;
    }
}

static void print_sizes(const char *what, uint32_t dims, const uint64_t *sizes)
{
    ct_print(", %s", what);
    for (uint32_t i = 0; i < dims; i++)
        ct_print("%s%" PRIu64, i ? " x " : " ", sizes[i]);
}

static void print_launch(const struct ct_plan *plan, const struct ct_plan_launch *launch)
{
    struct ct_str args;

    if (launch->kind != CT_LAUNCH_KERNEL) {
        bool copy = launch->kind == CT_LAUNCH_COPY;

        ct_print("launch %s: %s %s%s%s\n", launch->name, copy ? "copies" : "zeroes",
                 copy ? plan->buffers[launch->from].name : "", copy ? " to " : "",
                 plan->buffers[launch->to].name);
        return;
    }
    ct_str_init(&args);
    for (size_t i = 0; i < launch->arg_count; i++) {
        ct_str_puts(&args, i ? ", " : "");
        put_arg(plan, &launch->args[i], &args);
    }
    ct_print("launch %s: %s(%s)", launch->name, launch->kernel, args.data);
    if (plan->program_count > 1)
        ct_print(" of program %" PRIu32, launch->program);
    print_sizes("global", launch->dims, launch->global);
    if (launch->local[0])
        print_sizes("local", launch->dims, launch->local);
    if (launch->extra)
        ct_print(", counts %" PRIu32 " times", launch->extra + 1);
    if (launch->require)
        ct_print(", requires %s", launch->require);
    ct_print_text("\n");
    ct_str_release(&args);
}

static void print_launches(const struct ct_plan *plan)
{
    ct_print_text("\n");
    for (size_t i = 0; i < plan->launch_count && i < LAUNCHES_SHOWN; i++)
        print_launch(plan, &plan->launches[i]);
    if (plan->launch_count > LAUNCHES_SHOWN)
        ct_print("and %zu more launches\n", plan->launch_count - LAUNCHES_SHOWN);
}

static void print_expected(const struct explained *e)
{
    const struct ct_plan *plan = &e->plan;

    if (plan->reference.function)
        ct_print("reference   %s of %s\n", plan->reference.function,
                 plan->reference.c_path);
    if (plan->reference_plan && !plan->command) {
        ct_print("reference   on the device:\n");
        print_launches(plan->reference_plan);
    }
    if (plan->baseline.function)
        ct_print("baseline    %s of %s\n", plan->baseline.function,
                 plan->baseline.c_path);
    for (size_t i = 0; i < plan->env_count; i++)
        ct_print("environment %s%s%s\n", plan->env[i].name,
                 plan->env[i].value ? "=" : " removed",
                 plan->env[i].value ? plan->env[i].value : "");
    ct_print("objective   %s, %s\n",
             e->spec->measure.objective.text ? e->spec->measure.objective.text : "time",
             e->spec->optimized.maximize ? "maximized" : "minimized");
}

/* --- interface --- */

static enum ct_status resolve_settings(struct explained *e,
                                       const struct ct_setting *settings, size_t count,
                                       struct ct_err *err)
{
    enum ct_status status;

    e->values = ct_mem_array(e->spec->param_count, sizeof(*e->values));
    e->env = ct_mem_array(e->spec->slots.count, sizeof(*e->env));
    e->sources = ct_source_cache_new();
    if (!e->values || !e->env || !e->sources)
        return ct_err_nomem(err);
    status = ct_binding_default(e->binding, e->values, err);
    if (!status)
        status = ct_binding_parse(e->binding, settings, count, e->values, err);
    if (!status)
        ct_binding_evaluate_values(e->binding, e->values, e->env);
    return status;
}

static enum ct_status print_explained(struct explained *e,
                                      const struct ct_setting *settings, size_t count,
                                      struct ct_err *err)
{
    enum ct_status status = resolve_settings(e, settings, count, err);
    struct ct_str config;

    if (status)
        return status;
    print_params(e);
    print_names(e);
    ct_str_init(&config);
    ct_binding_print(e->binding, e->values, e->env, &config);
    ct_print("\nconfiguration %s\n", config.data);
    ct_str_release(&config);
    if (!e->spec->kernel.present)
        return CT_OK;
    status = ct_binding_plan(e->binding, e->values, e->sources, &e->arena, &e->plan, err);
    if (status)
        return status;
    if (e->plan.command) {
        ct_report_explain_command(e->plan.command);
    } else {
        print_programs(&e->plan);
        print_data(&e->plan);
        print_launches(&e->plan);
    }
    print_expected(e);
    return CT_OK;
}

enum ct_status ct_report_explain(const struct ct_binding *binding,
                                 const struct ct_setting *settings, size_t count,
                                 struct ct_err *err)
{
    struct explained e = {.binding = binding, .spec = binding->spec};
    enum ct_status status = print_explained(&e, settings, count, err);

    if (e.sources)
        ct_source_cache_free(e.sources);
    ct_arena_release(&e.arena);
    free(e.values);
    free(e.env);
    return status;
}
