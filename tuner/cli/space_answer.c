// SPDX-License-Identifier: Apache-2.0
// Configurations printed by `cltune space`: all, a sample, one by its index, the neighbours of
// one, the nearest valid one.
#include "cli/space.h"

#include "base/clock.h"
#include "report/configs.h"
#include "report/format.h"
#include "report/screen.h"
#include "report/warn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct answer {
    const struct ct_space *space;
    const struct ct_binding *binding;
    const struct ct_options *options;
    struct ct_config_printer printer;
    struct ct_value *values; /* space for one configuration, owned by the printer */
    struct ct_value *env;
    uint32_t *config;
};

static void print_list(struct answer *a, const struct ct_config_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        ct_report_config(&a->printer, ct_config_list_at(list, i));
}

static void say_time(const struct answer *a, const char *what, uint64_t count,
                     uint64_t start_ns)
{
    uint64_t end_ns = ct_clock_now_ns();
    char number[CT_FORMAT_SIZE];
    char time[CT_FORMAT_SIZE];

    if (a->options->output.verbose)
        fprintf(ct_screen_err(), "%s %s in %s\n", ct_format_count(number, count), what,
                ct_format_time(time, (double)(end_ns - start_ns)));
}

/* --- a configuration from the command line --- */

/* Parameters not named have their default, or their first value if the file has none. */
static enum ct_status take_default(const struct answer *a, struct ct_err *err)
{
    const struct ct_binding *binding = a->binding;

    if (binding->spec->default_count)
        return ct_binding_default(binding, a->values, err);
    for (size_t p = 0; p < binding->spec->param_count; p++)
        a->values[p] = binding->all[p].values[0];
    return CT_OK;
}

static bool is_named(const struct ct_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].name, name) == 0)
            return true;
    return false;
}

/* Indices of the values.  Naming a value that --param removed is an error. */
static enum ct_status find_indices(const struct answer *a,
                                   const struct ct_settings *settings, const char *option,
                                   struct ct_err *err)
{
    const struct ct_spec *spec = a->binding->spec;

    for (size_t p = 0; p < spec->param_count; p++) {
        const struct ct_domain *domain = &a->binding->domains[p];
        const char *name = spec->slots.symbols[spec->params[p].slot].name;
        size_t v = 0;

        while (v < domain->count && !ct_value_equal(domain->values[v], a->values[p]))
            v++;
        if (v == domain->count && is_named(settings, name))
            return ct_err_set(err, CT_E_USAGE,
                              "%s: the value of '%s' is excluded by --param", option,
                              name);
        a->config[p] = v < domain->count ? (uint32_t)v : 0;
    }
    return CT_OK;
}

/* Reads the configuration of an option into a->config. */
static enum ct_status read_config(const struct answer *a, const char *option,
                                  const char *text, struct ct_err *err)
{
    struct ct_settings settings = {0};
    char *copy = ct_mem_copy(text, strlen(text));
    enum ct_status status;

    if (!copy)
        return ct_err_nomem(err);
    status = ct_settings_split(copy, &settings, option, err);
    if (!status && !settings.count)
        status = ct_err_set(err, CT_E_USAGE,
                            "%s requires a configuration such as \"A=1 B=2\"", option);
    if (!status)
        status = take_default(a, err);
    if (!status) {
        status =
            ct_binding_parse(a->binding, settings.items, settings.count, a->values, err);
        if (status)
            ct_err_prefix(err, "%s", option);
    }
    if (!status)
        status = find_indices(a, &settings, option, err);
    ct_settings_release(&settings);
    free(copy);
    return status;
}

/* --- queries --- */

int ct_space_no_shards(void)
{
    return ct_cli_usage("space",
                        "--shard requires a space with at most 18446744073709551615 "
                        "configurations");
}

/* An index-based part of the space, or all of it in order. */
static int list_all(struct answer *a, struct ct_err *err)
{
    const struct ct_shard *shard = &a->options->shard;
    struct ct_space_stats stats;
    uint64_t count;

    (void)err;
    if (!shard->of) {
        for (bool more = ct_space_first(a->space, a->config); more;
             more = ct_space_next(a->space, a->config))
            ct_report_config(&a->printer, a->config);
        return CT_EXIT_OK;
    }
    ct_space_stats_get(a->space, &stats);
    if (!stats.valid_exact)
        return ct_space_no_shards();
    count = ct_space_shard_count(a->space, shard->number - 1, shard->of);
    for (uint64_t i = 0; i < count; i++) {
        ct_space_config(a->space, ct_space_shard_index(shard->number - 1, shard->of, i),
                        a->config);
        ct_report_config(&a->printer, a->config);
    }
    return CT_EXIT_OK;
}

static int draw_random(struct answer *a, struct ct_err *err)
{
    struct ct_config_list list = {0};
    uint64_t start_ns = ct_clock_now_ns();
    size_t count = (size_t)a->options->listing.sample;

    if (!ct_space_sample(a->space, count, a->options->seed, &list, err)) {
        say_time(a, "drawn", list.count, start_ns);
        print_list(a, &list);
    }
    ct_config_list_release(&list);
    return CT_EXIT_OK;
}

static int pick_one(struct answer *a, struct ct_err *err)
{
    uint64_t count = ct_space_count(a->space);
    uint64_t index = a->options->listing.index;
    struct ct_space_stats stats;

    ct_space_stats_get(a->space, &stats);
    if (index >= count && !stats.valid_exact) {
        ct_err_set(err, CT_E_USAGE,
                   "--index %" PRIu64 " is too large: of more than %" PRIu64
                   " valid configurations only numbers 0 to %" PRIu64
                   " have an index; --sample draws from all of them",
                   index, count, count - 1);
        return CT_EXIT_OK;
    }
    if (index >= count) {
        ct_err_set(err, CT_E_USAGE,
                   "--index %" PRIu64 " is too large: the %" PRIu64
                   " valid configurations have the indices 0 to %" PRIu64,
                   index, count, count - 1);
        return CT_EXIT_OK;
    }
    ct_space_config(a->space, index, a->config);
    ct_report_config(&a->printer, a->config);
    return CT_EXIT_OK;
}

/* Why a configuration is invalid. */
static void say_invalid(const struct answer *a, struct ct_str *out)
{
    const struct ct_spec *spec = a->binding->spec;

    ct_binding_evaluate(a->binding, a->config, a->env);
    for (size_t c = 0; c < spec->constraint_count; c++) {
        enum ct_verdict verdict = ct_binding_decide(a->binding, c, a->env);

        if (verdict != CT_VIOLATED && verdict != CT_FAILED)
            continue;
        ct_str_addf(out, "constraint '%s' (%s) %s", spec->constraints[c].name,
                    spec->constraints[c].expr->text,
                    verdict == CT_FAILED ? "cannot be evaluated" : "excludes it");
        return;
    }
    ct_str_puts(out, "--param excludes one of its values");
}

/* Neighbours of an invalid configuration exist, but are hardly intended. */
static void warn_invalid(const struct answer *a)
{
    uint32_t *nearest =
        ct_mem_array(ct_space_binding(a->space)->spec->param_count, sizeof(*nearest));
    struct ct_err ignored = CT_ERR_INIT;
    struct ct_str text;

    ct_str_init(&text);
    if (!a->options->output.quiet && nearest && !ct_space_contains(a->space, a->config) &&
        ct_space_nearest(a->space, a->config, nearest, &ignored)) {
        say_invalid(a, &text);
        ct_str_puts(&text, "; the nearest valid one is ");
        ct_binding_values(a->binding, nearest, a->values);
        ct_binding_evaluate(a->binding, nearest, a->env);
        ct_binding_print(a->binding, a->values, a->env, &text);
        ct_report_warn("this configuration is not valid: %s", text.data);
    }
    ct_str_release(&text);
    free(nearest);
}

static int list_neighbours(struct answer *a, struct ct_err *err)
{
    const char *kind = a->options->listing.kind ? a->options->listing.kind : "one";
    struct ct_config_list list = {0};
    uint64_t start_ns;
    int exit_status = CT_EXIT_OK;

    if (read_config(a, "--neighbours", a->options->listing.neighbours, err))
        return CT_EXIT_OK;
    warn_invalid(a);
    start_ns = ct_clock_now_ns();
    if (!ct_space_neighbours(a->space, a->config,
                             strcmp(kind, "adjacent") == 0 ? CT_NEIGHBOURS_ADJACENT
                             : strcmp(kind, "two") == 0    ? CT_NEIGHBOURS_TWO
                                                           : CT_NEIGHBOURS_ONE,
                             &list, err)) {
        say_time(a, "neighbours", list.count, start_ns);
        print_list(a, &list);
        if (!list.count)
            exit_status = CT_EXIT_NOTHING;
    }
    ct_config_list_release(&list);
    return exit_status;
}

static int find_nearest(struct answer *a, struct ct_err *err)
{
    uint64_t start_ns;

    if (read_config(a, "--nearest", a->options->listing.nearest, err))
        return CT_EXIT_OK;
    start_ns = ct_clock_now_ns();
    if (ct_space_nearest(a->space, a->config, a->config, err)) {
        say_time(a, "found", 1, start_ns);
        ct_report_config(&a->printer, a->config);
    }
    return CT_EXIT_OK;
}

bool ct_space_asked(const struct ct_options *options)
{
    return options->listing.list || options->listing.sample ||
           options->listing.index_given || options->listing.neighbours ||
           options->listing.nearest;
}

static int answer_question(struct answer *a, struct ct_err *err)
{
    if (a->options->listing.list)
        return list_all(a, err);
    if (a->options->listing.sample)
        return draw_random(a, err);
    if (a->options->listing.index_given)
        return pick_one(a, err);
    return a->options->listing.neighbours ? list_neighbours(a, err)
                                          : find_nearest(a, err);
}

int ct_space_answer(const struct ct_space *space, const struct ct_options *options)
{
    const struct ct_binding *binding = ct_space_binding(space);
    struct answer a = {.space = space, .binding = binding, .options = options};
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    if (!ct_config_printer_init(&a.printer, space, options->output.json, &err)) {
        a.values = a.printer.values;
        a.env = a.printer.env;
        a.config = ct_mem_array(binding->spec->param_count, sizeof(*a.config));
        if (a.config)
            exit_status = answer_question(&a, &err);
        else
            ct_err_nomem(&err);
    }
    if (err.code)
        exit_status = ct_cli_error(&err);
    else if (exit_status != CT_EXIT_USAGE)
        ct_report_configs_end(&a.printer);
    ct_config_printer_release(&a.printer);
    free(a.config);
    return exit_status;
}
