// SPDX-License-Identifier: Apache-2.0
// `cltune replay`: strategies against recorded results instead of a device.
#include "cli/cli.h"
#include "cli/replay_chance.h"
#include "cli/replay_db.h"

#include "base/mem.h"
#include "base/stats.h"
#include "report/format.h"
#include "report/table.h"
#include "replay/replay.h"

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 25, EVALUATIONS = 400, BATCH = 1 }; /* unless told otherwise */

static const double goals[] = {0.90, 0.95, 0.99};
static const size_t counts[] = {20, 50, 100, 200, 400};
enum { GOALS = 3, COUNTS = 5, MAIN_GOAL = 1 };

/* What a strategy did on one space. */
struct figures {
    double low[GOALS]; /* quartiles of the evaluations to each goal */
    double median[GOALS];
    double high[GOALS];
    double reach[GOALS]; /* share of the repeats */
    double fraction[COUNTS];
    double score;
    double spent_s; /* recorded seconds to the main goal, median */
    double saved_s; /* what random search would need on average, less that */
    double own_s;   /* the strategy's own time */
    double own_ms;  /* ... for each evaluation */
};

struct job {
    const struct ct_options *options;
    struct ct_replay_options replay;
    struct ct_recorded_list list;
    struct ct_recorded *transfer; /* of another device; NULL: none */
    const char **strategies;
    size_t strategy_count;
    struct ct_chance_bins *chances; /* strategy by strategy */
    struct figures *figures;        /* strategy by strategy, space by space */
    struct ct_arena arena;
};

/* Linear between order statistics; `values` ascending. */
static double quantile(const double *values, size_t count, double q)
{
    double at = q * (double)(count - 1);
    size_t below = (size_t)at;
    size_t above = below + 1 < count ? below + 1 : below;

    return values[below] + (at - (double)below) * (values[above] - values[below]);
}

static enum ct_status summarise(const struct ct_replay *replay,
                                const struct ct_recorded *space, struct figures *out,
                                struct ct_err *err)
{
    double *values = ct_mem_array(replay->repeats, sizeof(*values));

    if (!values)
        return ct_err_nomem(err);
    for (int g = 0; g < GOALS; g++) {
        size_t reached = ct_replay_reach(replay, space, goals[g], values);

        out->median[g] = ct_stats_median(values, replay->repeats); /* sorts */
        out->low[g] = quantile(values, replay->repeats, 0.25);
        out->high[g] = quantile(values, replay->repeats, 0.75);
        out->reach[g] = (double)reached / (double)replay->repeats;
    }
    for (int c = 0; c < COUNTS; c++)
        out->fraction[c] = ct_replay_fraction(replay, space, counts[c]);
    ct_replay_reach_ns(replay, space, goals[MAIN_GOAL], values);
    out->spent_s = ct_stats_median(values, replay->repeats) / 1e9;
    out->saved_s = ct_replay_random_ns(space, goals[MAIN_GOAL]) / 1e9 - out->spent_s;
    out->own_s = replay->own_ns / 1e9;
    out->own_ms = replay->asked ? replay->own_ns / 1e6 / (double)replay->asked : 0;
    free(values);
    return ct_replay_score(replay, space, &out->score, err);
}

static enum ct_status run_all(struct job *job, struct ct_err *err)
{
    for (size_t s = 0; s < job->strategy_count; s++)
        for (size_t d = 0; d < job->list.count; d++) {
            struct ct_replay replay;
            struct ct_replay_options how = job->replay;
            struct ct_replay_transfer *transfers = NULL;
            enum ct_status status = CT_OK;

            if (job->transfer)
                status = ct_replay_transfers(job->list.items[d], job->transfer,
                                             &transfers, &how.transfer_count, err);
            how.transfers = transfers;
            if (!status)
                status = ct_replay_run(job->list.items[d], job->strategies[s], &how,
                                       &replay, err);
            free(transfers);
            if (!status) {
                status = summarise(&replay, job->list.items[d],
                                   &job->figures[s * job->list.count + d], err);
                ct_chance_add(&job->chances[s], &replay);
                ct_replay_release(&replay);
            }
            if (status)
                return status;
            if (job->options->verbose)
                fprintf(stderr, "cltune: %s on %s done\n", job->strategies[s],
                        job->list.items[d]->name);
        }
    return CT_OK;
}

/* --- over all spaces: geometric means of the medians, means of the rest --- */

static struct figures overall(const struct job *job, size_t s)
{
    const struct figures *all = job->figures + s * job->list.count;
    double n = (double)job->list.count;
    struct figures sum = {.score = 0};

    for (size_t d = 0; d < job->list.count; d++) {
        for (int g = 0; g < GOALS; g++) {
            sum.low[g] += log(all[d].low[g]) / n;
            sum.median[g] += log(all[d].median[g]) / n;
            sum.high[g] += log(all[d].high[g]) / n;
            sum.reach[g] += all[d].reach[g] / n;
        }
        for (int c = 0; c < COUNTS; c++)
            sum.fraction[c] += all[d].fraction[c] / n;
        sum.score += all[d].score / n;
        sum.spent_s += all[d].spent_s;
        sum.saved_s += all[d].saved_s;
        sum.own_s += all[d].own_s;
        sum.own_ms += all[d].own_ms / n;
    }
    for (int g = 0; g < GOALS; g++) {
        sum.low[g] = exp(sum.low[g]);
        sum.median[g] = exp(sum.median[g]);
        sum.high[g] = exp(sum.high[g]);
    }
    return sum;
}

/* --- printing --- */

static void add_row(struct ct_table *table, const char *first, const struct figures *f)
{
    ct_table_row(table);
    ct_table_cell(table, first);
    for (int g = 0; g < GOALS; g++)
        ct_table_cellf(table, "%.0f (%.0f-%.0f)", f->median[g], f->low[g], f->high[g]);
    ct_table_cellf(table, "%.2f", f->reach[MAIN_GOAL]);
    for (int c = 0; c < COUNTS; c++)
        ct_table_cellf(table, "%.3f", f->fraction[c]);
    if (isnan(f->score))
        ct_table_cell(table, "-");
    else
        ct_table_cellf(table, "%.2f", f->score);
    ct_table_cellf(table, "%.0f", f->spent_s);
    ct_table_cellf(table, "%.0f", f->saved_s);
    ct_table_cellf(table, "%.3f", f->own_ms);
}

static struct ct_table *new_table(const char *first)
{
    struct ct_table *table = ct_table_new();
    char name[32];

    ct_table_column(table, first, false);
    for (int g = 0; g < GOALS; g++) {
        snprintf(name, sizeof(name), "TO %.0f%%", goals[g] * 100);
        ct_table_column(table, name, true);
    }
    ct_table_column(table, "REACH", true);
    for (int c = 0; c < COUNTS; c++) {
        snprintf(name, sizeof(name), "AT %zu", counts[c]);
        ct_table_column(table, name, true);
    }
    ct_table_column(table, "SCORE", true);
    ct_table_column(table, "SPENT s", true);
    ct_table_column(table, "SAVED s", true);
    ct_table_column(table, "OWN ms", true);
    return table;
}

static void print_text(const struct job *job)
{
    struct ct_table *table;

    for (size_t d = 0; d < job->list.count; d++) {
        const struct ct_recorded *space = job->list.items[d];
        char count[CT_FORMAT_SIZE];
        char time[CT_FORMAT_SIZE];

        printf("%s: %s configurations, best %s\n", space->name,
               ct_format_count(count, ct_space_count(space->space)),
               ct_format_time(time, space->best_ns));
        table = new_table("STRATEGY");
        for (size_t s = 0; s < job->strategy_count; s++)
            add_row(table, job->strategies[s], &job->figures[s * job->list.count + d]);
        ct_table_print(table, stdout);
        ct_table_free(table);
        putchar('\n');
    }
    if (job->list.count > 1) {
        printf(
            "all %zu (geometric means of the medians and quartiles; sums of seconds)\n",
            job->list.count);
        table = new_table("STRATEGY");
        for (size_t s = 0; s < job->strategy_count; s++) {
            struct figures all = overall(job, s);

            add_row(table, job->strategies[s], &all);
        }
        ct_table_print(table, stdout);
        ct_table_free(table);
        putchar('\n');
    }
    for (size_t s = 0; s < job->strategy_count && job->options->chance; s++)
        ct_chance_print(&job->chances[s], job->strategies[s]);
    if (job->options->quiet)
        return;
    printf(
        "Median evaluations (quartiles) until the best found was within 90, 95 and 99%%"
        " of the\nbest recorded, %zu where it never was, of %zu repeats; REACH: share "
        "of repeats that\nreached 95%%; AT n: mean of best recorded time / best found "
        "after n; SCORE: 0 is\nrandom search, 1 the optimum at once; SPENT: recorded "
        "seconds to 95%%, median; SAVED:\nwhat random search needs on average, less "
        "that; OWN: the strategy's own time, each\nevaluation.\n",
        2 * job->replay.evaluations, job->replay.repeats);
}

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *figures_json(const struct figures *f)
{
    json_t *object = json_object();
    char key[32];

    for (int g = 0; g < GOALS; g++) {
        int percent = (int)(goals[g] * 100 + 0.5);

        snprintf(key, sizeof(key), "to_%d", percent);
        json_object_set_new(object, key, real(f->median[g]));
        snprintf(key, sizeof(key), "to_%d_quartiles", percent);
        json_object_set_new(object, key,
                            json_pack("[o,o]", real(f->low[g]), real(f->high[g])));
        snprintf(key, sizeof(key), "reach_%d", percent);
        json_object_set_new(object, key, real(f->reach[g]));
    }
    for (int c = 0; c < COUNTS; c++) {
        snprintf(key, sizeof(key), "fraction_%zu", counts[c]);
        json_object_set_new(object, key, real(f->fraction[c]));
    }
    json_object_set_new(object, "score", real(f->score));
    json_object_set_new(object, "spent_s", real(f->spent_s));
    json_object_set_new(object, "saved_s", real(f->saved_s));
    json_object_set_new(object, "own_s", real(f->own_s));
    json_object_set_new(object, "own_ms", real(f->own_ms));
    return object;
}

static void print_json(const struct job *job)
{
    json_t *strategies = json_array();
    json_t *root;

    for (size_t s = 0; s < job->strategy_count; s++) {
        struct figures all = overall(job, s);
        json_t *spaces = json_array();
        json_t *one;

        for (size_t d = 0; d < job->list.count; d++) {
            json_t *space = figures_json(&job->figures[s * job->list.count + d]);

            json_object_set_new(space, "space", json_string(job->list.items[d]->name));
            json_array_append_new(spaces, space);
        }
        one = json_pack("{s:s, s:o, s:o}", "name", job->strategies[s], "overall",
                        figures_json(&all), "spaces", spaces);
        if (job->options->chance)
            json_object_set_new(one, "chance", ct_chance_json(&job->chances[s]));
        json_array_append_new(strategies, one);
    }
    root =
        json_pack("{s:I, s:I, s:I, s:I, s:o}", "repeats", (json_int_t)job->replay.repeats,
                  "evaluations", (json_int_t)job->replay.evaluations, "seed",
                  (json_int_t)job->replay.seed, "batch", (json_int_t)job->replay.batch,
                  "strategies", strategies);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(root);
}

/* --- what is asked for --- */

/* Cuts "a,b,c"; CT_E_USAGE for a name that is no strategy's. */
static enum ct_status list_strategies(struct job *job, struct ct_err *err)
{
    const char *text = job->options->strategy ? job->options->strategy : "auto";
    size_t most = 1;
    char *rest;

    for (const char *c = text; *c; c++)
        most += *c == ',';
    job->strategies = ct_mem_array(most, sizeof(*job->strategies));
    rest = ct_arena_copy(&job->arena, text, strlen(text));
    if (!job->strategies || !rest)
        return ct_err_nomem(err);
    while (rest) {
        char *comma = strchr(rest, ',');
        struct ct_strategy *probe;
        enum ct_status status;

        if (comma)
            *comma++ = '\0';
        status = ct_strategy_new(rest, job->list.items[0]->space, 1, &probe, err);
        if (status)
            return status;
        ct_strategy_free(probe);
        job->strategies[job->strategy_count++] = rest;
        rest = comma;
    }
    return CT_OK;
}

/* The spaces of one file: one, or all that a database of ours has. */
static enum ct_status add_spaces(struct job *job, const char *path, struct ct_err *err)
{
    struct ct_recorded *one = NULL;
    enum ct_status status;

    if (ct_replay_is_db(path))
        return ct_replay_read_db(path, &job->list, err);
    status = ct_recorded_read(path, &one, err);
    if (!status && !ct_mem_grow(&job->list.items, &job->list.capacity,
                                job->list.count + 1, sizeof(struct ct_recorded *))) {
        ct_recorded_free(one);
        status = ct_err_nomem(err);
    }
    if (!status)
        job->list.items[job->list.count++] = one;
    return status;
}

static enum ct_status prepare(struct job *job, struct ct_err *err)
{
    const struct ct_options *options = job->options;

    job->replay.repeats = options->repeats ? (size_t)options->repeats : REPEATS;
    job->replay.evaluations =
        options->evaluations ? (size_t)options->evaluations : EVALUATIONS;
    job->replay.chance = options->chance;
    job->replay.seed = options->seed;
    job->replay.batch = options->batch ? (size_t)options->batch : BATCH;
    for (int i = 0; i < options->operand_count; i++) {
        enum ct_status status = add_spaces(job, options->operands[i], err);

        if (status)
            return status;
    }
    if (options->transfer) {
        enum ct_status status = ct_recorded_read(options->transfer, &job->transfer, err);

        if (status)
            return status;
    }
    return list_strategies(job, err);
}

static int run_command(const struct ct_options *options)
{
    struct job job = {.options = options};
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;
    int exit_status = CT_EXIT_OK;

    if (options->operand_count < 1)
        return ct_cli_usage("replay", "name at least one file of recorded results");
    status = prepare(&job, &err);
    if (!status) {
        job.figures =
            ct_mem_array(job.strategy_count * job.list.count, sizeof(*job.figures));
        job.chances = ct_mem_array(job.strategy_count, sizeof(*job.chances));
        status = job.figures && job.chances ? run_all(&job, &err) : ct_err_nomem(&err);
    }
    if (status || !job.figures)
        exit_status = ct_cli_error(&err);
    else if (options->json)
        print_json(&job);
    else
        print_text(&job);
    for (size_t d = 0; d < job.list.count; d++)
        ct_recorded_free(job.list.items[d]);
    ct_recorded_free(job.transfer);
    free(job.list.items);
    free(job.strategies);
    free(job.figures);
    free(job.chances);
    ct_arena_release(&job.arena);
    return exit_status;
}

const struct ct_command ct_cli_command_replay = {
    .name = "replay",
    .operands = "DATA...",
    .summary = "run strategies against recorded results instead of a device",
    .details =
        "DATA: recorded spaces, packed with gzip or not: tab-separated values, cache files of\n"
        "Kernel Tuner, T4 results.  Every repeat starts a fresh strategy; a configuration that\n"
        "failed costs an evaluation too.\n",
    .options = "batch chance evaluations prior repeats seed strategy",
    .run = run_command,
};
