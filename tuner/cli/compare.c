// SPDX-License-Identifier: Apache-2.0
// cltune compare: configurations against each other, over fresh processes.
#include "cli/cli.h"

#include "base/rng.h"
#include "base/stats.h"
#include "cli/json.h"
#include "schedule/scheduler.h"
#include "schedule/interleaved.h"
#include "report/format.h"
#include "report/table.h"
#include "spacefile/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 10 };

/* Middle and 95% interval of a median; 0: not known. */
struct range {
    double middle;
    double low;
    double high;
};

struct rival {
    struct ct_value *values;
    struct ct_plan plan;
    double *times_ns; /* one a round */
    size_t count; /* rounds that it worked in: all of them, or those before it failed */
    struct range time;
    struct range ratio; /* to the first one */
    enum ct_result_status status;
    const char *message;
};

struct comparison {
    const struct ct_options *options;
    struct ct_arena arena;
    struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_source_cache *sources;
    const struct ct_devinfo *device;
    struct ct_scheduler *scheduler;
    struct rival *rivals;
    size_t count;
    size_t rounds;
    const struct ct_plan **plans; /* of those that still work, */
    size_t *of;                   /* which those are */
    struct ct_outcome *outcomes;
};

/* --- the configurations --- */

static enum ct_status choose(struct comparison *c, struct rival *rival, const char *text,
                             struct ct_err *err)
{
    struct ct_settings settings = {0};
    char *copy = ct_arena_copy(&c->arena, text, strlen(text));
    enum ct_status status;

    rival->message = "";
    rival->values =
        ct_arena_array(&c->arena, c->spec->param_count, sizeof(*rival->values));
    rival->times_ns = ct_arena_array(&c->arena, c->rounds, sizeof(*rival->times_ns));
    if (!copy || !rival->values || !rival->times_ns)
        return ct_err_nomem(err);
    status = ct_binding_start(c->binding, rival->values, err);
    if (!status)
        status = ct_settings_split(copy, &settings, "configuration", err);
    if (!status)
        status = ct_binding_parse(c->binding, settings.items, settings.count,
                                  rival->values, err);
    ct_settings_release(&settings);
    if (!status && !c->options->quiet)
        ct_cli_warn_violated(c->binding, rival->values);
    if (!status)
        status = ct_binding_plan(c->binding, rival->values, c->sources, &c->arena,
                                 &rival->plan, err);
    return status;
}

static enum ct_status choose_all(struct comparison *c, struct ct_err *err)
{
    char **texts = c->options->operands + 1;
    size_t named = (size_t)c->options->operand_count - 1;
    size_t beside = named < 2 ? 1 : 0; /* the default */
    enum ct_status status = CT_OK;

    c->count = named + beside;
    c->rounds = c->options->rounds ? (size_t)c->options->rounds : ROUNDS;
    c->rivals = ct_arena_array(&c->arena, c->count, sizeof(*c->rivals));
    c->plans = ct_arena_array(&c->arena, c->count, sizeof(struct ct_plan *));
    c->of = ct_arena_array(&c->arena, c->count, sizeof(*c->of));
    c->outcomes = ct_arena_array(&c->arena, c->count, sizeof(*c->outcomes));
    c->sources = ct_source_cache_new();
    if (!c->rivals || !c->plans || !c->of || !c->outcomes || !c->sources)
        return ct_err_nomem(err);
    for (size_t i = 0; i < c->count && !status; i++)
        status = choose(c, &c->rivals[i], i < beside ? "" : texts[i - beside], err);
    return status;
}

/* --- timing --- */

/* Everybody that works, in one fresh process; `*left`: how many do. */
static enum ct_status meet(struct comparison *c, struct ct_rng *rng, size_t *left,
                           struct ct_err *err)
{
    struct ct_interleaved how = {
        .plans = c->plans, .least = CT_INTERLEAVED_LEAST, .most = CT_INTERLEAVED_MOST};
    enum ct_status status;

    for (size_t i = 0; i < c->count; i++) {
        if (c->rivals[i].status != CT_RESULT_OK)
            continue;
        c->plans[how.count] = &c->rivals[i].plan;
        c->of[how.count++] = i;
    }
    *left = how.count;
    if (!how.count)
        return CT_OK;
    how.whole = !ct_interleaved_possible(c->plans, how.count);
    status = ct_interleaved_run(c->scheduler, &how, rng, c->outcomes, err);
    for (size_t i = 0; i < how.count && !status; i++) {
        struct rival *rival = &c->rivals[c->of[i]];
        const struct ct_outcome *outcome = &c->outcomes[i];

        rival->status = outcome->status;
        if (outcome->status == CT_RESULT_OK)
            rival->times_ns[rival->count++] = outcome->time_ns;
        else
            rival->message =
                ct_arena_copy(&c->arena, outcome->message, strlen(outcome->message));
        if (!rival->message)
            rival->message = "";
        ct_outcome_release(&c->outcomes[i]);
    }
    return status;
}

static enum ct_status meet_all(struct comparison *c, struct ct_err *err)
{
    const struct ct_scheduler_options scheduler = {
        .jobs = c->options->jobs,
        .deadlines = ct_cli_deadlines(c->options),
        .seed = CT_INPUT_SEED,
        .expected = c->count,
        .slow = c->options->quiet ? NULL : ct_cli_tell_slow,
        .slow_after_ns = CT_CLI_SLOW_NS,
    };
    enum ct_status status = ct_scheduler_new(c->device, &scheduler, &c->scheduler, err);
    size_t left = c->count;
    struct ct_rng rng;

    if (!c->options->quiet)
        fprintf(stderr, "%zu configurations in %zu fresh processes\n", c->count,
                c->rounds);
    ct_rng_seed(&rng, 1);
    for (size_t round = 0; round < c->rounds && left && !status; round++)
        status = meet(c, &rng, &left, err);
    return status;
}

/* --- what it comes to --- */

static struct range range_of(double *values, size_t count)
{
    struct range range = {0};

    if (!count)
        return range;
    ct_stats_median_interval(values, count, 0.95, &range.low, &range.high);
    range.middle = ct_stats_median(values, count);
    return range;
}

/* Round by round, so that what a process has in common cancels out. */
static enum ct_status run_play_off(struct comparison *c, struct ct_err *err)
{
    double *scratch = ct_arena_array(&c->arena, c->rounds, sizeof(*scratch));
    const struct rival *first = &c->rivals[0];

    if (!scratch)
        return ct_err_nomem(err);
    for (size_t i = 0; i < c->count; i++) {
        struct rival *rival = &c->rivals[i];
        size_t both = rival->count < first->count ? rival->count : first->count;

        if (rival->status != CT_RESULT_OK)
            continue;
        memcpy(scratch, rival->times_ns, rival->count * sizeof(*scratch));
        rival->time = range_of(scratch, rival->count);
        for (size_t r = 0; r < both; r++)
            scratch[r] = rival->times_ns[r] / first->times_ns[r];
        if (first->status == CT_RESULT_OK)
            rival->ratio = range_of(scratch, both);
    }
    return CT_OK;
}

/* Fewer rounds than six do not reach 95%. */
static const char *verdict(const struct rival *rival)
{
    return rival->ratio.low > 1    ? "slower"
           : rival->ratio.high < 1 ? "faster"
                                   : "cannot be told apart";
}

/* --- printing --- */

static void print_rival(const struct comparison *c, size_t index, struct ct_table *table)
{
    const struct rival *rival = &c->rivals[index];
    bool good = rival->status == CT_RESULT_OK;
    bool related = good && index && rival->ratio.middle > 0;
    char time[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];
    struct ct_str config;

    ct_str_init(&config);
    ct_binding_print(c->binding, rival->values, NULL, &config);
    ct_table_row(table);
    ct_table_cellf(table, "%zu", index + 1);
    ct_table_cell(table, good ? ct_format_time(time, rival->time.middle)
                              : ct_result_status_name(rival->status));
    if (good)
        ct_table_cellf(table, "%s - %s", ct_format_time(low, rival->time.low),
                       ct_format_time(high, rival->time.high));
    else
        ct_table_cell(table, "");
    if (related) {
        ct_table_cellf(table, "%.3f", rival->ratio.middle);
        ct_table_cellf(table, "%.3f - %.3f", rival->ratio.low, rival->ratio.high);
        ct_table_cell(table, verdict(rival));
    } else {
        for (int i = 0; i < 3; i++)
            ct_table_cell(table, "");
    }
    ct_table_cell(table, config.failed ? "" : config.data);
    ct_str_release(&config);
}

static enum ct_status print_text(const struct comparison *c, struct ct_err *err)
{
    struct ct_table *table = ct_table_new();
    bool printed;

    ct_table_column(table, "#", true);
    ct_table_column(table, "TIME", true);
    ct_table_column(table, "INTERVAL", false);
    ct_table_column(table, "TO #1", true);
    ct_table_column(table, "INTERVAL", false);
    ct_table_column(table, "", false);
    ct_table_column(table, "CONFIGURATION", false);
    for (size_t i = 0; i < c->count; i++)
        print_rival(c, i, table);
    printf("%s on %s, %zu processes\n", c->spec->name,
           ct_devinfo_text(c->device, CT_DEVICE_NAME), c->rounds);
    printed = ct_table_print(table, stdout);
    ct_table_free(table);
    return printed ? CT_OK : ct_err_nomem(err);
}

static json_t *rival_json(const struct comparison *c, const struct rival *rival)
{
    json_t *times = json_array();

    for (size_t i = 0; i < rival->count; i++)
        json_array_append_new(times, json_real(rival->times_ns[i]));
    return json_pack(
        "{so ss so so so so so so so so}", "configuration",
        ct_json_values(c->spec, rival->values), "status",
        ct_result_status_name(rival->status), "message", ct_json_text(rival->message),
        "time_ns", ct_json_time(rival->time.middle), "low_ns",
        ct_json_time(rival->time.low), "high_ns", ct_json_time(rival->time.high), "ratio",
        ct_json_time(rival->ratio.middle), "ratio_low", ct_json_time(rival->ratio.low),
        "ratio_high", ct_json_time(rival->ratio.high), "times_ns", times);
}

static enum ct_status print_json(const struct comparison *c, struct ct_err *err)
{
    json_t *list = json_array();
    json_t *whole;
    int failed;

    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(list, rival_json(c, &c->rivals[i]));
    whole = json_pack("{so so so si so}", "kernel", ct_json_text(c->spec->name), "device",
                      ct_json_text(ct_devinfo_text(c->device, CT_DEVICE_NAME)), "problem",
                      ct_json_problem(c->binding), "rounds", (int)c->rounds,
                      "configurations", list);
    failed = !whole || json_dumpf(whole, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(whole);
    return failed ? ct_err_nomem(err) : CT_OK;
}

/* What failed is said with its reason; returns the exit status. */
static int tell_failures(const struct comparison *c)
{
    int exit_status = CT_EXIT_OK;

    for (size_t i = 0; i < c->count; i++)
        if (c->rivals[i].status != CT_RESULT_OK) {
            fprintf(stderr, "cltune: configuration %zu: %s: %s\n", i + 1,
                    ct_result_status_name(c->rivals[i].status), c->rivals[i].message);
            exit_status = CT_EXIT_FAILED;
        }
    return exit_status;
}

/* --- the whole --- */

static int compare(struct comparison *c)
{
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = choose_all(c, &err);

    if (!status)
        status = meet_all(c, &err);
    if (!status)
        status = run_play_off(c, &err);
    if (!status)
        status = c->options->json ? print_json(c, &err) : print_text(c, &err);
    if (status) {
        ct_cli_place_launch(c->spec, &err);
        return ct_cli_error(&err);
    }
    return tell_failures(c);
}

static int open_all(struct comparison *c)
{
    const struct ct_devinfo **devices;
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    c->spec = ct_cli_load(c->options->operands[0], c->options, &exit_status);
    if (!c->spec)
        return exit_status;
    if (ct_cli_devices_match(&c->arena, c->options->device, &devices, &err))
        return ct_cli_error(&err);
    if (devices[1])
        return ct_cli_usage("compare", "one device at a time: name it by its index");
    c->device = devices[0];
    c->binding = ct_cli_bind(c->spec, c->options, c->device, NULL, &exit_status);
    return exit_status;
}

int ct_cli_compare(const struct ct_options *options)
{
    struct comparison c = {.options = options};
    int exit_status;

    if (options->operand_count < 2)
        return ct_cli_usage("compare", "which configurations? (cltune compare SPACE.ini "
                                       "\"NAME=VALUE...\"...)");
    ct_cli_catch_signals();
    exit_status = open_all(&c);
    if (!exit_status && c.binding)
        exit_status = compare(&c);
    if (c.scheduler)
        ct_scheduler_free(c.scheduler);
    if (c.sources)
        ct_source_cache_free(c.sources);
    if (c.binding)
        ct_binding_free(c.binding);
    if (c.spec)
        ct_spec_free(c.spec);
    ct_arena_release(&c.arena);
    return exit_status;
}
