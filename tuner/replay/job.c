// SPDX-License-Identifier: Apache-2.0
// Strategies on recorded spaces.
#include "replay/job.h"

#include "base/mem.h"
#include "base/stats.h"
#include "replay/traces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double ct_replay_goals[CT_REPLAY_GOALS] = {0.90, 0.95, 0.99};
const size_t ct_replay_counts[CT_REPLAY_COUNTS] = {20, 50, 100, 200, 400};

enum ct_status ct_replay_job_strategies(struct ct_replay_job *job, const char *names,
                                        struct ct_err *err)
{
    size_t most = 1;
    char *rest;

    for (const char *c = names; *c; c++)
        most += *c == ',';
    job->strategies = ct_mem_array(most, sizeof(*job->strategies));
    rest = ct_arena_copy(&job->arena, names, strlen(names));
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

enum ct_status ct_replay_job_add(struct ct_replay_job *job, const char *path,
                                 struct ct_err *err)
{
    return ct_recorded_list_add(&job->list, path, err);
}

enum ct_status ct_replay_job_add_source(struct ct_replay_job *job, const char *path,
                                        struct ct_err *err)
{
    return ct_replay_sources_add(&job->sources, path, err);
}

/* Linear between order statistics; `values` ascending. */
static double quantile(const double *values, size_t count, double q)
{
    double at = q * (double)(count - 1);
    size_t below = (size_t)at;
    size_t above = below + 1 < count ? below + 1 : below;

    return values[below] + (at - (double)below) * (values[above] - values[below]);
}

static enum ct_status summarise_runs(const struct ct_replay *replay,
                                     const struct ct_recorded *space,
                                     struct ct_replay_figures *out, struct ct_err *err)
{
    double *values = ct_mem_array(replay->repeats, sizeof(*values));

    if (!values)
        return ct_err_nomem(err);
    for (int g = 0; g < CT_REPLAY_GOALS; g++) {
        size_t reached = ct_replay_reach(replay, space, ct_replay_goals[g], values);

        out->median[g] = ct_stats_median(values, replay->repeats); /* sorts */
        out->low[g] = quantile(values, replay->repeats, 0.25);
        out->high[g] = quantile(values, replay->repeats, 0.75);
        out->reach[g] = (double)reached / (double)replay->repeats;
    }
    for (int c = 0; c < CT_REPLAY_COUNTS; c++)
        out->fraction[c] = ct_replay_fraction(replay, space, ct_replay_counts[c]);
    ct_replay_reach_ns(replay, space, ct_replay_goals[CT_REPLAY_MAIN_GOAL], values);
    out->spent_s = ct_stats_median(values, replay->repeats) / 1e9;
    out->saved_s =
        ct_replay_random_ns(space, ct_replay_goals[CT_REPLAY_MAIN_GOAL]) / 1e9 -
        out->spent_s;
    out->own_s = replay->own_ns / 1e9;
    out->own_ms = replay->asked ? replay->own_ns / 1e6 / (double)replay->asked : 0;
    free(values);
    return ct_replay_score(replay, space, &out->score, err);
}

/* One strategy on one space. */
static enum ct_status run_one(struct ct_replay_job *job, size_t s, size_t d,
                              struct ct_err *err)
{
    const struct ct_recorded *space = job->list.items[d];
    struct ct_replay replay;
    struct ct_replay_options how = job->replay;
    struct ct_replay_transfer *transfers = NULL;
    enum ct_status status = ct_replay_sources_collect(&job->sources, space, &transfers,
                                                      &how.transfer_count, err);

    how.transfers = transfers;
    if (!status)
        status = ct_replay_run(space, job->strategies[s], &how, &replay, err);
    free(transfers);
    if (status)
        return status;
    status = summarise_runs(&replay, space, &job->figures[s * job->list.count + d], err);
    ct_chance_add(&job->chances[s], &replay);
    if (!status && job->traces)
        status =
            ct_replay_traces_runs(job->traces, job->strategies[s], space, &replay, err);
    ct_replay_release(&replay);
    return status;
}

static enum ct_status run_all(struct ct_replay_job *job,
                              void (*done)(const char *strategy, const char *space),
                              struct ct_err *err)
{
    for (size_t d = 0; d < job->list.count && job->traces; d++) {
        enum ct_status status =
            ct_replay_traces_space(job->traces, job->list.items[d], err);

        if (status)
            return status;
    }
    for (size_t s = 0; s < job->strategy_count; s++)
        for (size_t d = 0; d < job->list.count; d++) {
            enum ct_status status = run_one(job, s, d, err);

            if (status)
                return status;
            if (done)
                done(job->strategies[s], job->list.items[d]->name);
        }
    return CT_OK;
}

enum ct_status ct_replay_job_run(struct ct_replay_job *job,
                                 void (*done)(const char *strategy, const char *space),
                                 struct ct_err *err)
{
    job->figures =
        ct_mem_array(job->strategy_count * job->list.count, sizeof(*job->figures));
    job->chances = ct_mem_array(job->strategy_count, sizeof(*job->chances));
    return job->figures && job->chances ? run_all(job, done, err) : ct_err_nomem(err);
}

struct ct_replay_figures ct_replay_job_overall(const struct ct_replay_job *job, size_t s)
{
    const struct ct_replay_figures *all = job->figures + s * job->list.count;
    double n = (double)job->list.count;
    struct ct_replay_figures sum = {.score = 0};

    for (size_t d = 0; d < job->list.count; d++) {
        for (int g = 0; g < CT_REPLAY_GOALS; g++) {
            sum.low[g] += log(all[d].low[g]) / n;
            sum.median[g] += log(all[d].median[g]) / n;
            sum.high[g] += log(all[d].high[g]) / n;
            sum.reach[g] += all[d].reach[g] / n;
        }
        for (int c = 0; c < CT_REPLAY_COUNTS; c++)
            sum.fraction[c] += all[d].fraction[c] / n;
        sum.score += all[d].score / n;
        sum.spent_s += all[d].spent_s;
        sum.saved_s += all[d].saved_s;
        sum.own_s += all[d].own_s;
        sum.own_ms += all[d].own_ms / n;
    }
    for (int g = 0; g < CT_REPLAY_GOALS; g++) {
        sum.low[g] = exp(sum.low[g]);
        sum.median[g] = exp(sum.median[g]);
        sum.high[g] = exp(sum.high[g]);
    }
    return sum;
}

void ct_replay_job_release(struct ct_replay_job *job)
{
    ct_recorded_list_release(&job->list);
    ct_replay_sources_release(&job->sources);
    free(job->strategies);
    free(job->figures);
    free(job->chances);
    ct_arena_release(&job->arena);
}
