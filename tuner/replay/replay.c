// SPDX-License-Identifier: Apache-2.0
// The replay loop and its statistics.
#include "replay/replay.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"
#include "replay/islands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Processor time of this thread, independent of other programs. */
static uint64_t own_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One repeat in progress. */
struct repeat {
    struct ct_replay *replay;
    const struct ct_recorded *recorded;
    struct ct_strategy *strategy;
    size_t number;
    size_t count;
    double best_ns;
    double spent_ns;
};

struct ct_strategy_result ct_record_result(const struct ct_record *record)
{
    bool ok = record->failure == CT_FAILURE_NONE;

    return (struct ct_strategy_result){.ok = ok,
                                       .objective = ok ? record->time_ns : 0,
                                       .failure = record->failure,
                                       .spent_ns = record->compile_ns + record->bench_ns,
                                       .headroom = record->headroom};
}

static void tell_strategy(struct repeat *r, uint64_t index)
{
    const struct ct_record *record = &r->recorded->records[index];
    struct ct_strategy_result result = ct_record_result(record);
    size_t at = r->number * r->replay->evaluations + r->count;

    if (result.ok && record->time_ns < r->best_ns)
        r->best_ns = record->time_ns;
    r->spent_ns += result.spent_ns;
    r->replay->indices[at] = index;
    r->replay->best_ns[at] = r->best_ns;
    r->replay->spent_ns[at] = r->spent_ns;
    r->count++;
    ct_strategy_tell(r->strategy, index, &result);
}

/* Asks until there are `want`, like a search that keeps its builders busy. */
static size_t ask_strategy(struct repeat *r, size_t want, uint64_t *indices)
{
    size_t got = 0;

    while (got < want) {
        size_t more = ct_strategy_ask(r->strategy, want - got, indices + got);

        if (!more)
            break;
        got += more;
    }
    return got;
}

static void tell_transfers(struct repeat *r, const struct ct_replay_options *options)
{
    uint64_t start_ns = own_clock_ns();

    for (size_t i = 0; i < options->transfer_count; i++)
        ct_strategy_transfer(r->strategy, options->transfers[i].index,
                             &options->transfers[i].result, options->transfers[i].source);
    r->replay->own_ns += (double)(own_clock_ns() - start_ns);
}

const size_t ct_replay_chance_at[CT_REPLAY_CHANCES] = {20, 50, 100, 200, 400};

/* After an evaluation: compares the estimate with what really remains. */
static void note_chance(struct repeat *r)
{
    struct ct_replay_chance *chances = r->replay->chances;

    for (size_t i = 0; i < CT_REPLAY_CHANCES && chances; i++)
        if (ct_replay_chance_at[i] == r->count && r->best_ns < INFINITY)
            chances[r->number * CT_REPLAY_CHANCES + i] =
                (struct ct_replay_chance){ct_strategy_chance(r->strategy, 0.95),
                                          r->recorded->best_ns < 0.95 * r->best_ns};
}

static void run_one(struct repeat *r, size_t batch, uint64_t *indices)
{
    for (;;) {
        size_t left = r->replay->evaluations - r->count;
        uint64_t start_ns = own_clock_ns();
        size_t got = ask_strategy(r, left < batch ? left : batch, indices);

        for (size_t i = 0; i < got; i++)
            tell_strategy(r, indices[i]);
        r->replay->own_ns += (double)(own_clock_ns() - start_ns);
        note_chance(r);
        if (!got)
            return;
    }
}

enum ct_status ct_replay_run(const struct ct_recorded *recorded, const char *strategy,
                             const struct ct_replay_options *options,
                             struct ct_replay *out, struct ct_err *err)
{
    struct ct_limits limits = {options->evaluations, true};
    uint64_t *indices = ct_mem_array(options->batch, sizeof(*indices));
    struct ct_rng seeds;
    enum ct_status status = CT_OK;

    memset(out, 0, sizeof(*out));
    out->repeats = options->repeats;
    out->evaluations = options->evaluations;
    out->counts = ct_mem_array(out->repeats, sizeof(*out->counts));
    if (out->evaluations <= SIZE_MAX / (out->repeats + 1)) {
        out->best_ns =
            ct_mem_array(out->repeats * out->evaluations, sizeof(*out->best_ns));
        out->indices =
            ct_mem_array(out->repeats * out->evaluations, sizeof(*out->indices));
        out->spent_ns =
            ct_mem_array(out->repeats * out->evaluations, sizeof(*out->spent_ns));
    }
    if (options->chance) {
        out->chances =
            ct_mem_array(out->repeats * CT_REPLAY_CHANCES, sizeof(*out->chances));
        for (size_t i = 0; i < out->repeats * CT_REPLAY_CHANCES && out->chances; i++)
            out->chances[i].stated = NAN;
    }
    if (!indices || !out->counts || (options->chance && !out->chances) || !out->best_ns ||
        !out->spent_ns || !out->indices)
        status = ct_err_nomem(err);
    ct_rng_seed(&seeds, options->seed);
    for (size_t i = 0; i < out->repeats && indices && !status; i++) {
        struct repeat r = {.replay = out, .recorded = recorded, .number = i};

        if (options->islands > 1) {
            status = ct_replay_islands(recorded, strategy, options, ct_rng_next(&seeds),
                                       i, out, err);
            continue;
        }
        r.best_ns = INFINITY;
        status = ct_strategy_new(strategy, recorded->space, ct_rng_next(&seeds),
                                 &r.strategy, err);
        if (status)
            break;
        ct_strategy_limit(r.strategy, &limits);
        tell_transfers(&r, options);
        run_one(&r, options->batch, indices);
        ct_strategy_free(r.strategy);
        out->counts[i] = r.count;
        out->asked += r.count;
    }
    free(indices);
    if (status)
        ct_replay_release(out);
    return status;
}

void ct_replay_release(struct ct_replay *replay)
{
    free(replay->counts);
    free(replay->indices);
    free(replay->best_ns);
    free(replay->spent_ns);
    free(replay->chances);
    memset(replay, 0, sizeof(*replay));
}

/* Number of evaluations of repeat `r` until the fraction was reached; 0: not. */
static size_t first_at(const struct ct_replay *replay, size_t r, double limit_ns)
{
    const double *best = replay->best_ns + r * replay->evaluations;

    for (size_t k = 0; k < replay->counts[r]; k++)
        if (best[k] <= limit_ns)
            return k + 1;
    return 0;
}

size_t ct_replay_reach(const struct ct_replay *replay, const struct ct_recorded *recorded,
                       double fraction, double *evaluations)
{
    size_t reached = 0;

    for (size_t r = 0; r < replay->repeats; r++) {
        size_t at = first_at(replay, r, recorded->best_ns / fraction);

        evaluations[r] = at ? (double)at : 2.0 * (double)replay->evaluations;
        reached += at > 0;
    }
    return reached;
}

void ct_replay_reach_ns(const struct ct_replay *replay,
                        const struct ct_recorded *recorded, double fraction,
                        double *spent_ns)
{
    for (size_t r = 0; r < replay->repeats; r++) {
        const double *spent = replay->spent_ns + r * replay->evaluations;
        size_t at = first_at(replay, r, recorded->best_ns / fraction);

        spent_ns[r] = at                  ? spent[at - 1]
                      : replay->counts[r] ? 2 * spent[replay->counts[r] - 1]
                                          : 0;
    }
}

double ct_replay_fraction(const struct ct_replay *replay,
                          const struct ct_recorded *recorded, size_t count)
{
    double sum = 0;

    for (size_t r = 0; r < replay->repeats; r++) {
        size_t made = count < replay->counts[r] ? count : replay->counts[r];

        if (made)
            sum +=
                recorded->best_ns / replay->best_ns[r * replay->evaluations + made - 1];
    }
    return sum / (double)replay->repeats;
}

double ct_replay_random_ns(const struct ct_recorded *recorded, double fraction)
{
    uint64_t count = ct_space_count(recorded->space);
    double limit_ns = recorded->best_ns / fraction;
    double good = 0;
    double spent_ns = 0;

    for (uint64_t i = 0; i < count; i++) {
        const struct ct_record *record = &recorded->records[i];

        good += record->failure == CT_FAILURE_NONE && record->time_ns <= limit_ns;
        spent_ns += record->compile_ns + record->bench_ns;
    }
    return ((double)count + 1) / (good + 1) * spent_ns / (double)count;
}

/* --- the score --- */

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return x < y ? 1 : x > y ? -1 : 0;
}

/* Random search on a recorded space. */
struct random_search {
    double *times; /* of what worked, the slowest first */
    size_t count;
    double evaluation_ns; /* median duration of an evaluation */
    double budget_ns;
    double median_ns;
};

/* Expected order statistic: with n draws of N without replacement, the best has rank
 * n (N + 1) / (n + 1) counted from the slowest. */
static double random_best(const struct random_search *random, double draws)
{
    double rank = round(draws * ((double)random->count + 1) / (draws + 1));
    size_t at = (size_t)rank;

    return random->times[at < random->count ? at : random->count - 1];
}

static enum ct_status replay_random(const struct ct_recorded *recorded,
                                    struct random_search *random, struct ct_err *err)
{
    uint64_t count = ct_space_count(recorded->space);
    double *spent = ct_mem_array(count, sizeof(*spent));
    double target;
    size_t at = 0;

    random->count = 0;
    random->times = ct_mem_array(count, sizeof(*random->times));
    if (!random->times || !spent) {
        free(spent);
        free(random->times);
        random->times = NULL;
        return ct_err_nomem(err);
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct ct_record *record = &recorded->records[i];

        spent[i] = record->compile_ns + record->bench_ns;
        if (record->failure == CT_FAILURE_NONE)
            random->times[random->count++] = record->time_ns;
    }
    random->evaluation_ns = ct_stats_median(spent, (size_t)count);
    random->median_ns = ct_stats_median(random->times, random->count);
    qsort(random->times, random->count, sizeof(*random->times), descending);
    target = recorded->best_ns + 0.05 * (random->median_ns - recorded->best_ns);
    while (at + 1 < random->count && random->times[at] > target)
        at++;
    random->budget_ns = ceil((double)at / ((double)random->count + 1 - (double)at)) *
                        random->evaluation_ns;
    free(spent);
    return CT_OK;
}

/* Best time of a repeat after `spent` nanoseconds; INFINITY: none yet. */
static double best_after(const struct ct_replay *replay, size_t r, double spent_ns)
{
    const double *spent = replay->spent_ns + r * replay->evaluations;
    size_t low = 0;
    size_t high = replay->counts[r];

    while (low < high) { /* number of evaluations that were done by then */
        size_t middle = low + (high - low) / 2;

        if (spent[middle] <= spent_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? replay->best_ns[r * replay->evaluations + low - 1] : INFINITY;
}

enum ct_status ct_replay_score(const struct ct_replay *replay,
                               const struct ct_recorded *recorded, double *score,
                               struct ct_err *err)
{
    struct random_search random = {0};
    double *all = ct_mem_array(replay->repeats, sizeof(*all));
    enum ct_status status =
        all ? replay_random(recorded, &random, err) : ct_err_nomem(err);
    double sum = 0;

    if (status || !random.times) {
        free(all);
        return status;
    }
    for (int k = 1; k <= CT_REPLAY_POINTS; k++) {
        double at_ns = random.budget_ns * k / CT_REPLAY_POINTS;
        double draws = round(at_ns / random.evaluation_ns);
        double base = random_best(&random, draws > 1 ? draws : 1);
        double found;

        for (size_t r = 0; r < replay->repeats; r++) {
            all[r] = best_after(replay, r, at_ns);
            if (!(all[r] < INFINITY))
                all[r] = base;
        }
        found = ct_stats_median(all, replay->repeats);
        if (base > recorded->best_ns)
            sum += (base - found) / (base - recorded->best_ns);
        else /* random search is expected to have found it */
            sum += found > recorded->best_ns ? 0 : 1;
    }
    free(random.times);
    free(all);
    *score = random.evaluation_ns > 0 && random.median_ns > recorded->best_ns
                 ? sum / CT_REPLAY_POINTS
                 : NAN;
    return CT_OK;
}
