// SPDX-License-Identifier: Apache-2.0
// Shows a replay.
#include "report/replay.h"

#include "report/format.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/table.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

static void add_row(struct ct_table *table, const char *first,
                    const struct ct_replay_figures *f)
{
    ct_table_row(table);
    ct_table_cell(table, first);
    for (int g = 0; g < CT_REPLAY_GOALS; g++)
        ct_table_cellf(table, "%.0f (%.0f-%.0f)", f->median[g], f->low[g], f->high[g]);
    ct_table_cellf(table, "%.2f", f->reach[CT_REPLAY_MAIN_GOAL]);
    for (int c = 0; c < CT_REPLAY_COUNTS; c++)
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
    for (int g = 0; g < CT_REPLAY_GOALS; g++) {
        snprintf(name, sizeof(name), "TO %.0f%%", ct_replay_goals[g] * 100);
        ct_table_column(table, name, true);
    }
    ct_table_column(table, "REACH", true);
    for (int c = 0; c < CT_REPLAY_COUNTS; c++) {
        snprintf(name, sizeof(name), "AT %zu", ct_replay_counts[c]);
        ct_table_column(table, name, true);
    }
    ct_table_column(table, "SCORE", true);
    ct_table_column(table, "SPENT s", true);
    ct_table_column(table, "SAVED s", true);
    ct_table_column(table, "OWN ms", true);
    return table;
}

static void print_chance(const struct ct_chance_bins *bins, const char *strategy)
{
    struct ct_table *table = ct_table_new();

    ct_print("%s: estimated chance that a configuration more than 5%% faster remains\n",
             strategy);
    ct_table_column(table, "STATED", true);
    ct_table_column(table, "TIMES", true);
    ct_table_column(table, "MEAN", true);
    ct_table_column(table, "REMAINED", true);
    for (size_t b = 0; b < CT_CHANCE_BINS; b++) {
        double n = (double)bins->count[b];

        if (!bins->count[b])
            continue;
        ct_table_row(table);
        ct_table_cellf(table, "%.0f-%.0f%%", b ? 100 * ct_chance_ends[b - 1] : 0,
                       100 * ct_chance_ends[b]);
        ct_table_cellf(table, "%zu", bins->count[b]);
        ct_table_cellf(table, "%.1f%%", 100 * bins->stated[b] / n);
        ct_table_cellf(table, "%.1f%%", 100 * (double)bins->remained[b] / n);
    }
    ct_table_print(table, ct_screen_out());
    ct_table_free(table);
    ct_print_text("\n");
}

void ct_report_replay(const struct ct_replay_job *job, bool quiet)
{
    struct ct_table *table;

    for (size_t d = 0; d < job->list.count; d++) {
        const struct ct_recorded *space = job->list.items[d];
        char count[CT_FORMAT_SIZE];
        char time[CT_FORMAT_SIZE];

        ct_print("%s: %s configurations, best %s\n", space->name,
                 ct_format_count(count, ct_space_count(space->space)),
                 ct_format_time(time, space->best_ns));
        table = new_table("STRATEGY");
        for (size_t s = 0; s < job->strategy_count; s++)
            add_row(table, job->strategies[s], &job->figures[s * job->list.count + d]);
        ct_table_print(table, ct_screen_out());
        ct_table_free(table);
        ct_print_text("\n");
    }
    if (job->list.count > 1) {
        ct_print(
            "all %zu (geometric means of the medians and quartiles; sums of seconds)\n",
            job->list.count);
        table = new_table("STRATEGY");
        for (size_t s = 0; s < job->strategy_count; s++) {
            struct ct_replay_figures all = ct_replay_job_overall(job, s);

            add_row(table, job->strategies[s], &all);
        }
        ct_table_print(table, ct_screen_out());
        ct_table_free(table);
        ct_print_text("\n");
    }
    for (size_t s = 0; s < job->strategy_count && job->replay.chance; s++)
        print_chance(&job->chances[s], job->strategies[s]);
    if (quiet)
        return;
    ct_print("TO n%%: median (and quartiles) of the evaluations until the best "
             "found was within n%% of\n"
             "the best recorded (%zu if it never was), over %zu repeats; REACH: "
             "share of repeats that\n"
             "reached 95%%; AT n: mean of best recorded time / best time found "
             "after n evaluations;\n"
             "SCORE: 0 is random search, 1 finds the optimum at once; SPENT: median "
             "recorded seconds\n"
             "to 95%%; SAVED: average seconds of random search minus SPENT; OWN: "
             "the strategy's own\n"
             "time per evaluation.\n",
             2 * job->replay.evaluations, job->replay.repeats);
}

static json_t *json_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *figures_json(const struct ct_replay_figures *f)
{
    json_t *object = json_object();
    char key[32];

    for (int g = 0; g < CT_REPLAY_GOALS; g++) {
        int percent = (int)(ct_replay_goals[g] * 100 + 0.5);

        snprintf(key, sizeof(key), "to_%d", percent);
        json_object_set_new(object, key, json_or_null(f->median[g]));
        snprintf(key, sizeof(key), "to_%d_quartiles", percent);
        json_object_set_new(
            object, key,
            json_pack("[o,o]", json_or_null(f->low[g]), json_or_null(f->high[g])));
        snprintf(key, sizeof(key), "reach_%d", percent);
        json_object_set_new(object, key, json_or_null(f->reach[g]));
    }
    for (int c = 0; c < CT_REPLAY_COUNTS; c++) {
        snprintf(key, sizeof(key), "fraction_%zu", ct_replay_counts[c]);
        json_object_set_new(object, key, json_or_null(f->fraction[c]));
    }
    json_object_set_new(object, "score", json_or_null(f->score));
    json_object_set_new(object, "spent_s", json_or_null(f->spent_s));
    json_object_set_new(object, "saved_s", json_or_null(f->saved_s));
    json_object_set_new(object, "own_s", json_or_null(f->own_s));
    json_object_set_new(object, "own_ms", json_or_null(f->own_ms));
    return object;
}

static json_t *chance_json(const struct ct_chance_bins *bins)
{
    json_t *array = json_array();

    for (size_t b = 0; b < CT_CHANCE_BINS; b++)
        if (bins->count[b])
            json_array_append_new(
                array, json_pack("{s:f, s:f, s:I, s:f, s:f}", "from",
                                 b ? ct_chance_ends[b - 1] : 0.0, "to", ct_chance_ends[b],
                                 "times", (json_int_t)bins->count[b], "stated",
                                 bins->stated[b] / (double)bins->count[b], "remained",
                                 (double)bins->remained[b] / (double)bins->count[b]));
    return array;
}

void ct_report_replay_json(const struct ct_replay_job *job)
{
    json_t *strategies = json_array();
    json_t *root;

    for (size_t s = 0; s < job->strategy_count; s++) {
        struct ct_replay_figures all = ct_replay_job_overall(job, s);
        json_t *spaces = json_array();
        json_t *one;

        for (size_t d = 0; d < job->list.count; d++) {
            json_t *space = figures_json(&job->figures[s * job->list.count + d]);

            json_object_set_new(space, "space", json_string(job->list.items[d]->name));
            json_array_append_new(spaces, space);
        }
        one = json_pack("{s:s, s:o, s:o}", "name", job->strategies[s], "overall",
                        figures_json(&all), "spaces", spaces);
        if (job->replay.chance)
            json_object_set_new(one, "chance", chance_json(&job->chances[s]));
        json_array_append_new(strategies, one);
    }
    root =
        json_pack("{s:I, s:I, s:I, s:I, s:o}", "repeats", (json_int_t)job->replay.repeats,
                  "evaluations", (json_int_t)job->replay.evaluations, "seed",
                  (json_int_t)job->replay.seed, "batch", (json_int_t)job->replay.batch,
                  "strategies", strategies);
    /* Means of logarithms: more digits would show how they were rounded. */
    json_dumpf(root, ct_screen_out(), JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    ct_print_text("\n");
    json_decref(root);
}
