// SPDX-License-Identifier: Apache-2.0
// cltune space: a space file without measuring: checks, counts, lists, samples.
#include "cli/cli.h"

#include "base/clock.h"
#include "base/rng.h"
#include "report/format.h"
#include "report/table.h"
#include "search/strategy.h"
#include "space/space.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void print_config(const struct ct_space *space, uint64_t index,
                         struct ct_value *values, struct ct_value *env, uint32_t *config,
                         struct ct_str *line)
{
    const struct ct_binding *binding = ct_space_binding(space);

    ct_space_config(space, index, config);
    ct_binding_values(binding, config, values);
    ct_binding_evaluate(binding, config, env);
    ct_str_reset(line);
    ct_binding_print(binding, values, env, line);
    puts(line->data);
}

/* Prints all of the space, or `sample` of it in random order. */
static int print_configs(const struct ct_space *space, uint64_t sample, uint64_t seed)
{
    const struct ct_spec *spec = ct_space_binding(space)->spec;
    struct ct_value *values = ct_mem_array(spec->param_count, sizeof(*values));
    struct ct_value *env = ct_mem_array(spec->symbol_count, sizeof(*env));
    uint32_t *config = ct_mem_array(spec->param_count, sizeof(*config));
    struct ct_strategy *order = NULL;
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;
    uint64_t count = ct_space_count(space);
    struct ct_str line;

    ct_str_init(&line);
    if (!values || !env || !config)
        ct_err_nomem(&err);
    else if (sample)
        ct_strategy_new("random", space, seed, &order, &err);
    if (err.code)
        exit_status = ct_cli_error(&err);
    for (uint64_t i = 0; !err.code && i < (order ? sample : count); i++) {
        uint64_t index = i;

        if (order && !ct_strategy_ask(order, 1, &index))
            break;
        print_config(space, index, values, env, config, &line);
    }
    ct_str_release(&line);
    if (order)
        ct_strategy_free(order);
    free(values);
    free(env);
    free(config);
    return exit_status;
}

static void print_summary(const struct ct_space *space, const struct ct_options *options)
{
    const struct ct_spec *spec = ct_space_binding(space)->spec;
    struct ct_space_stats stats;
    char text[CT_FORMAT_SIZE];
    char more[CT_FORMAT_SIZE];

    ct_space_stats(space, &stats);
    printf("%s: %s, %zu parameters, %zu constraints\n", spec->path,
           spec->name ? spec->name : "no kernel", spec->param_count,
           spec->constraint_count);
    printf("combinations        %s\n", ct_format_big(text, stats.cartesian));
    printf("without duplicates  %s\n", ct_format_count(text, stats.canonical));
    printf("valid               %s\n", ct_format_count(text, stats.valid));
    if (options->verbose)
        printf("constructed in %s, %s\n",
               ct_format_time(text, (double)stats.construct_ns),
               ct_format_bytes(more, stats.bytes));
    if (spec->constraint_count) {
        struct ct_table *table = ct_table_new();

        ct_table_column(table, "CONSTRAINT", false);
        ct_table_column(table, "REMOVES", true);
        ct_table_column(table, "OF", true);
        ct_table_column(table, "FAILED", true);
        ct_table_column(table, "EXPRESSION", false);
        for (size_t i = 0; i < stats.constraint_count; i++) {
            const struct ct_constraint_stats *c = &stats.constraints[i];

            ct_table_row(table);
            ct_table_cell(table, spec->constraints[i].name);
            ct_table_cell(table,
                          c->undecided ? "undecided" : ct_format_count(text, c->removed));
            ct_table_cell(table, ct_format_count(text, c->tried));
            ct_table_cell(table, ct_format_count(text, c->failed));
            ct_table_cell(table, spec->constraints[i].expr->text);
        }
        putchar('\n');
        ct_table_print(table, stdout);
        ct_table_free(table);
    }
}

static void print_json(const struct ct_space *space)
{
    const struct ct_spec *spec = ct_space_binding(space)->spec;
    struct ct_space_stats stats;
    json_t *constraints = json_array();
    json_t *object;
    char text[CT_FORMAT_SIZE];

    ct_space_stats(space, &stats);
    for (size_t i = 0; i < stats.constraint_count; i++) {
        const struct ct_constraint_stats *c = &stats.constraints[i];

        json_array_append_new(
            constraints,
            json_pack("{s:s, s:s, s:I, s:I, s:I, s:b}", "name", spec->constraints[i].name,
                      "expression", spec->constraints[i].expr->text, "tried",
                      (json_int_t)c->tried, "removed", (json_int_t)c->removed, "failed",
                      (json_int_t)c->failed, "undecided", c->undecided ? 1 : 0));
    }
    snprintf(text, sizeof(text), "%.0f", stats.cartesian);
    object = json_pack(
        "{s:s?, s:o, s:I, s:I, s:I, s:I, s:o}", "kernel", spec->name, "cartesian",
        stats.cartesian < 0x1p53 ? json_integer((json_int_t)stats.cartesian)
                                 : json_string(text),
        "canonical", (json_int_t)stats.canonical, "valid", (json_int_t)stats.valid,
        "bytes", (json_int_t)stats.bytes, "construct_ns", (json_int_t)stats.construct_ns,
        "constraints", constraints);
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
}

static void warn_undecided(const struct ct_space *space)
{
    const struct ct_spec *spec = ct_space_binding(space)->spec;
    struct ct_space_stats stats;

    ct_space_stats(space, &stats);
    for (size_t i = 0; i < stats.constraint_count; i++)
        if (stats.constraints[i].undecided)
            ct_cli_warn(
                "constraint '%s' needs a device to be decided and was taken as true: "
                "name one with -d, or assume a limit with --assume",
                spec->constraints[i].name);
}

static int show(const struct ct_space *space, const struct ct_options *options)
{
    int exit_status = CT_EXIT_OK;

    if (!options->quiet)
        warn_undecided(space);
    if (options->count)
        printf("%llu\n", (unsigned long long)ct_space_count(space));
    else if (options->list || options->sample)
        exit_status = print_configs(space, options->sample, options->seed);
    else if (options->json)
        print_json(space);
    else if (!options->check)
        print_summary(space, options);
    if (!exit_status && options->explain)
        exit_status = ct_cli_explain(ct_space_binding(space), options);
    if (!exit_status && !ct_space_count(space))
        exit_status = ct_cli_empty_space(space);
    return exit_status;
}

/* The device that -d names; without -d none is asked, so that OpenCL is not needed. */
static int find_device(const struct ct_options *options, struct ct_arena *arena,
                       const struct ct_devinfo **device)
{
    const struct ct_devinfo **devices;
    struct ct_err err = CT_ERR_INIT;

    *device = NULL;
    if (!options->device)
        return CT_EXIT_OK;
    if (ct_cli_devices_match(arena, options->device, &devices, &err))
        return ct_cli_error(&err);
    if (devices[1])
        return ct_cli_usage("space", "-d names several devices; a space is bound to one");
    *device = devices[0];
    return CT_EXIT_OK;
}

int ct_cli_space(const struct ct_options *options)
{
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec = NULL;
    struct ct_binding *binding = NULL;
    struct ct_space *space = NULL;
    const struct ct_devinfo *device;
    uint64_t start_ns;
    const char *path =
        ct_cli_space_file("space", options, options->explain ? INT_MAX : 1);
    int exit_status = CT_EXIT_OK;

    if (!path)
        return CT_EXIT_USAGE;
    exit_status = find_device(options, &arena, &device);
    start_ns = ct_clock_now_ns();
    if (!exit_status)
        spec = ct_cli_load(path, options, &exit_status);
    if (spec)
        binding = ct_cli_bind(spec, options, device, NULL, &exit_status);
    if (binding && options->verbose)
        fprintf(stderr, "cltune: read and checked in %.2f ms\n",
                (double)(ct_clock_now_ns() - start_ns) / 1e6);
    if (binding) {
        if (ct_space_new(binding, &space, &err))
            exit_status = ct_cli_error(&err);
        else
            exit_status = show(space, options);
    }
    if (space)
        ct_space_free(space);
    if (binding)
        ct_binding_free(binding);
    if (spec)
        ct_spec_free(spec);
    ct_arena_release(&arena);
    return exit_status;
}
