// SPDX-License-Identifier: Apache-2.0
// The states of online tuning: trying, confirming, watching.
#include "online/trials.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint64_t index;
    double time_ns; /* INFINITY: failed */
};

struct ct_trials {
    struct ct_strategy *strategy;
    struct ct_trials_budget budget;
    unsigned regressions;
    enum ct_trials_phase phase;
    uint64_t launches; /* that were not the best's */
    double spent_ns;
    uint64_t measured; /* results of this process */
    size_t refused;    /* in a row */

    struct entry *results;
    size_t result_count;
    size_t result_capacity;
    struct ct_map places; /* of configurations in results */

    uint64_t *candidates;
    size_t candidate_count;
    size_t candidate_capacity;
    size_t candidate_next;

    struct {
        bool any;
        uint64_t index;
        bool warm;
        double ns[CT_TRIALS_SAMPLES];
        size_t count;
        double spent_ns; /* so far */
    } trial;

    struct {
        struct ct_trials_finalist of[CT_TRIALS_FINALISTS];
        size_t count;
        size_t turn;
    } final;
    unsigned again; /* how often in a row finalists turned out to have been lucky */

    struct {
        bool any;
        uint64_t index;
        double record_ns;
        bool warm;
        bool compared; /* once */
        size_t window;
        double ns[CT_TRIALS_WATCHED_MAX];
        size_t count;
        uint64_t launches;
    } best;
};

enum ct_status ct_trials_new(const struct ct_space *space, uint64_t seed,
                             const struct ct_trials_budget *budget, unsigned regressions,
                             struct ct_trials **out, struct ct_err *err)
{
    struct ct_trials *trials = ct_mem_array(1, sizeof(*trials));
    struct ct_limits limits = {0, true};
    enum ct_status status;

    *out = NULL;
    if (!trials)
        return ct_err_nomem(err);
    status = ct_strategy_new("surrogate", space, seed, &trials->strategy, err);
    if (status) {
        free(trials);
        return status;
    }
    trials->budget = *budget;
    trials->regressions = regressions;
    limits.evaluations = budget->launches / (CT_TRIALS_SAMPLES + 1);
    ct_strategy_limit(trials->strategy, &limits);
    *out = trials;
    return CT_OK;
}

void ct_trials_free(struct ct_trials *trials)
{
    if (!trials)
        return;
    ct_strategy_free(trials->strategy);
    ct_map_release(&trials->places);
    free(trials->results);
    free(trials->candidates);
    free(trials);
}

void ct_trials_transfer(struct ct_trials *trials, uint64_t index,
                        const struct ct_strategy_result *result, unsigned source)
{
    ct_strategy_transfer(trials->strategy, index, result, source);
}

enum ct_status ct_trials_candidate(struct ct_trials *trials, uint64_t index,
                                   struct ct_err *err)
{
    for (size_t i = 0; i < trials->candidate_count; i++)
        if (trials->candidates[i] == index)
            return CT_OK;
    if (!ct_mem_grow(&trials->candidates, &trials->candidate_capacity,
                     trials->candidate_count + 1, sizeof(*trials->candidates)))
        return ct_err_nomem(err);
    trials->candidates[trials->candidate_count++] = index;
    return CT_OK;
}

/* The result of a configuration, or NULL. */
static struct entry *find_result(const struct ct_trials *trials, uint64_t index)
{
    uint64_t place = ct_map_get(&trials->places, index, UINT64_MAX);

    return place == UINT64_MAX ? NULL : &trials->results[place];
}

/* Notes a result; the last one counts. */
static bool put_result(struct ct_trials *trials, uint64_t index, double time_ns)
{
    struct entry *entry = find_result(trials, index);

    if (entry) {
        entry->time_ns = time_ns;
        return true;
    }
    if (!ct_mem_grow(&trials->results, &trials->result_capacity, trials->result_count + 1,
                     sizeof(*trials->results)) ||
        !ct_map_put(&trials->places, index, trials->result_count))
        return false;
    trials->results[trials->result_count++] = (struct entry){index, time_ns};
    return true;
}

bool ct_trials_failed(const struct ct_trials *trials, uint64_t index)
{
    const struct entry *entry = find_result(trials, index);

    return entry && isinf(entry->time_ns);
}

enum ct_status ct_trials_known(struct ct_trials *trials, uint64_t index,
                               const struct ct_strategy_result *result,
                               struct ct_err *err)
{
    const struct entry *known = find_result(trials, index);
    bool dangerous = !result->ok && (result->failure == CT_FAILURE_WRONG ||
                                     result->failure == CT_FAILURE_CRASHED);

    if (known && !dangerous)
        return CT_OK;
    ct_strategy_tell(trials->strategy, index, result);
    return put_result(trials, index, result->ok ? result->objective : INFINITY)
               ? CT_OK
               : ct_err_nomem(err);
}

static double best_ns(const struct ct_trials *trials)
{
    double best = INFINITY;

    for (size_t i = 0; i < trials->result_count; i++)
        best = fmin(best, trials->results[i].time_ns);
    return best;
}

static bool is_enabled(const struct ct_trials *trials)
{
    return trials->budget.launches || trials->budget.spent_ns > 0;
}

void ct_trials_settle(struct ct_trials *trials, uint64_t index, double record_ns)
{
    size_t window = CT_TRIALS_WATCHED;

    for (unsigned i = 0; i < trials->regressions && window < CT_TRIALS_WATCHED_MAX; i++)
        window *= 2;
    trials->phase = CT_TRIALS_SETTLED;
    memset(&trials->best, 0, sizeof(trials->best));
    trials->best.any = true;
    trials->best.index = index;
    trials->best.record_ns = record_ns;
    trials->best.window = window;
}

/* --- choosing --- */

/* Whether the budget is used up but for a number of launches, and a share of its time. */
static bool is_used_up(const struct ct_trials *trials, uint64_t reserve, double share)
{
    const struct ct_trials_budget *budget = &trials->budget;

    return (budget->launches && trials->launches + reserve >= budget->launches) ||
           (budget->spent_ns > 0 && trials->spent_ns >= (1 - share) * budget->spent_ns);
}

/* Whether what is left is for confirming. */
static bool is_spent(const struct ct_trials *trials)
{
    const uint64_t confirm = CT_TRIALS_FINALISTS * CT_TRIALS_ROUNDS;
    uint64_t reserve = trials->budget.launches / 4;

    return is_used_up(trials, reserve > confirm ? confirm : reserve, 0.1);
}

/* Whether nothing is left, not even for confirming. */
static bool is_exhausted(const struct ct_trials *trials)
{
    return is_used_up(trials, 0, 0);
}

/* Whether a gain worth having is unlikely.  The estimate takes time: not after each result. */
static bool is_done(struct ct_trials *trials)
{
    return trials->measured >= CT_TRIALS_LEAST && trials->measured % 4 == 0 &&
           ct_strategy_chance(trials->strategy, CT_TRIALS_GAIN) < CT_TRIALS_UNLIKELY;
}

static bool pick_new(struct ct_trials *trials, uint64_t *index)
{
    while (trials->candidate_next < trials->candidate_count) {
        *index = trials->candidates[trials->candidate_next++];
        if (!find_result(trials, *index))
            return true;
    }
    /* The strategy may propose what was a candidate and has no result yet: not twice. */
    while (ct_strategy_ask(trials->strategy, 1, index))
        if (!find_result(trials, *index))
            return true;
    return false;
}

/* Adds the fastest that is no finalist yet, if it is near `best`. */
static bool add_finalist(struct ct_trials *trials, double best)
{
    const struct entry *next = NULL;

    for (size_t i = 0; i < trials->result_count; i++) {
        const struct entry *entry = &trials->results[i];
        bool taken = !(entry->time_ns <= best * CT_TRIALS_NEAR) ||
                     (next && next->time_ns <= entry->time_ns);

        for (size_t k = 0; k < trials->final.count; k++)
            taken |= trials->final.of[k].index == entry->index;
        if (!taken)
            next = entry;
    }
    if (next)
        trials->final.of[trials->final.count++] =
            (struct ct_trials_finalist){.index = next->index};
    return next;
}

static void begin_confirming(struct ct_trials *trials)
{
    double best = best_ns(trials);

    memset(&trials->final, 0, sizeof(trials->final));
    while (is_enabled(trials) && isfinite(best) &&
           trials->final.count < CT_TRIALS_FINALISTS && add_finalist(trials, best)) {
    }
    trials->phase = CT_TRIALS_CONFIRM;
}

/* Stays with the first candidate that has not failed. */
static bool pick_fallback(struct ct_trials *trials)
{
    for (size_t i = 0; i < trials->candidate_count; i++) {
        const struct entry *entry = find_result(trials, trials->candidates[i]);

        if (entry && isinf(entry->time_ns))
            continue;
        ct_trials_settle(trials, trials->candidates[i], entry ? entry->time_ns : NAN);
        return true;
    }
    return false;
}

static bool next_settled(struct ct_trials *trials, struct ct_trial *out)
{
    if (!trials->best.any && !pick_fallback(trials))
        return false;
    out->index = trials->best.index;
    out->phase = CT_TRIALS_SETTLED;
    out->measure =
        is_enabled(trials) && trials->best.record_ns > 0 &&
        (!trials->best.compared || trials->best.launches % CT_TRIALS_WATCH_EVERY == 0);
    trials->best.launches++;
    return true;
}

bool ct_trials_next(struct ct_trials *trials, struct ct_trial *out)
{
    *out = (struct ct_trial){.measure = true};
    if (trials->phase == CT_TRIALS_EXPLORE && !trials->trial.any) {
        memset(&trials->trial, 0, sizeof(trials->trial));
        trials->trial.any = is_enabled(trials) && trials->refused < CT_TRIALS_REFUSED &&
                            !is_spent(trials) && !is_done(trials) &&
                            pick_new(trials, &trials->trial.index);
        if (!trials->trial.any)
            begin_confirming(trials);
    }
    if (trials->phase == CT_TRIALS_CONFIRM && !trials->final.count)
        trials->phase = CT_TRIALS_SETTLED;
    if (trials->phase == CT_TRIALS_SETTLED)
        return next_settled(trials, out);
    out->phase = trials->phase;
    out->index = trials->phase == CT_TRIALS_EXPLORE
                     ? trials->trial.index
                     : trials->final.of[trials->final.turn].index;
    out->fresh = trials->phase == CT_TRIALS_EXPLORE && !trials->trial.warm;
    return true;
}

/* --- reports --- */

static void end_trial(struct ct_trials *trials, enum ct_failure failure,
                      struct ct_trials_news *news)
{
    double sorted[CT_TRIALS_SAMPLES];
    struct ct_strategy_result result = {.ok = failure == CT_FAILURE_NONE,
                                        .failure = failure,
                                        .spent_ns = trials->trial.spent_ns};

    memcpy(sorted, trials->trial.ns, sizeof(sorted));
    if (result.ok)
        result.objective = ct_stats_median(sorted, trials->trial.count);
    *news = (struct ct_trials_news){.result = true,
                                    .index = trials->trial.index,
                                    .failure = failure,
                                    .samples_ns = trials->trial.ns,
                                    .sample_count = trials->trial.count};
    ct_strategy_tell(trials->strategy, trials->trial.index, &result);
    put_result(trials, trials->trial.index, result.ok ? result.objective : INFINITY);
    trials->measured++;
    trials->trial.any = false;
}

static void report_trial(struct ct_trials *trials, double time_ns,
                         enum ct_failure failure, struct ct_trials_news *news)
{
    if (failure) {
        end_trial(trials, failure, news);
        return;
    }
    if (!trials->trial.warm) {
        trials->trial.warm = true;
        return;
    }
    trials->trial.ns[trials->trial.count++] = time_ns;
    if (trials->trial.count == CT_TRIALS_SAMPLES ||
        time_ns > CT_TRIALS_SLOW * best_ns(trials))
        end_trial(trials, CT_FAILURE_NONE, news);
}

static int by_median(const void *a, const void *b)
{
    const struct ct_trials_finalist *x = a;
    const struct ct_trials_finalist *y = b;

    return (x->median_ns > y->median_ns) - (x->median_ns < y->median_ns);
}

static void end_confirming(struct ct_trials *trials, struct ct_trials_news *news)
{
    for (size_t i = 0; i < trials->final.count; i++) {
        struct ct_trials_finalist *of = &trials->final.of[i];
        double sorted[CT_TRIALS_ROUNDS];

        memcpy(sorted, of->ns, sizeof(sorted));
        of->median_ns = ct_stats_median(sorted, of->count);
        ct_stats_median_interval(sorted, of->count, 0.95, &of->low_ns, &of->high_ns);
        put_result(trials, of->index, of->median_ns);
    }
    qsort(trials->final.of, trials->final.count, sizeof(trials->final.of[0]), by_median);
    /* What looked best was lucky: those that were not near it may be better. */
    if (best_ns(trials) < trials->final.of[0].median_ns && !is_exhausted(trials) &&
        ++trials->again < CT_TRIALS_FINALISTS) {
        begin_confirming(trials);
        return;
    }
    trials->again = 0;
    ct_trials_settle(trials, trials->final.of[0].index, trials->final.of[0].median_ns);
    news->settled = true;
}

/* Stays with what would run without tuning, as what looked best works no more and nothing else was
 * confirmed; with the fastest result only if all candidates have failed.  False without one. */
static bool settle_unconfirmed(struct ct_trials *trials)
{
    double best = best_ns(trials);

    if (pick_fallback(trials))
        return true;
    for (size_t i = 0; i < trials->result_count && isfinite(best); i++)
        if (trials->results[i].time_ns == best) {
            ct_trials_settle(trials, trials->results[i].index, best);
            return true;
        }
    return false;
}

static void drop_finalist(struct ct_trials *trials, enum ct_failure failure,
                          struct ct_trials_news *news)
{
    size_t turn = trials->final.turn;
    size_t after = trials->final.count - turn - 1;

    *news = (struct ct_trials_news){
        .result = true, .index = trials->final.of[turn].index, .failure = failure};
    put_result(trials, news->index, INFINITY);
    memmove(&trials->final.of[turn], &trials->final.of[turn + 1],
            after * sizeof(trials->final.of[0]));
    trials->final.count--;
    if (trials->final.count)
        trials->final.turn %= trials->final.count;
    else if (!is_exhausted(trials) || !settle_unconfirmed(trials))
        begin_confirming(trials);
    else
        news->settled = true;
}

static void report_final(struct ct_trials *trials, double time_ns,
                         enum ct_failure failure, struct ct_trials_news *news)
{
    struct ct_trials_finalist *of = &trials->final.of[trials->final.turn];
    const size_t rounds = is_exhausted(trials) ? 1 : CT_TRIALS_ROUNDS;

    if (failure)
        drop_finalist(trials, failure, news);
    else {
        of->ns[of->count++] = time_ns;
        trials->final.turn = (trials->final.turn + 1) % trials->final.count;
    }
    /* After a round that all have had. */
    for (size_t i = 0; i < trials->final.count; i++)
        if (trials->final.of[i].count < rounds) {
            trials->final.turn = trials->final.of[trials->final.turn].count < rounds
                                     ? trials->final.turn
                                     : i;
            return;
        }
    if (trials->final.count)
        end_confirming(trials, news);
}

static void report_best(struct ct_trials *trials, double time_ns, enum ct_failure failure,
                        struct ct_trials_news *news)
{
    double low_ns;
    double high_ns;

    if (failure) {
        *news = (struct ct_trials_news){.result = true,
                                        .index = trials->best.index,
                                        .failure = failure,
                                        .regressed = is_enabled(trials)};
        put_result(trials, trials->best.index, INFINITY);
        trials->best.any = false;
        return;
    }
    if (!is_enabled(trials) || !(trials->best.record_ns > 0))
        return;
    if (!trials->best.warm) {
        trials->best.warm = true;
        return;
    }
    trials->best.ns[trials->best.count++] = time_ns;
    if (trials->best.count < trials->best.window)
        return;
    trials->best.count = 0;
    trials->best.compared = true;
    /* Beyond doubt: a disturbed machine is no reason. */
    ct_stats_median_interval(trials->best.ns, trials->best.window, 0.95, &low_ns,
                             &high_ns);
    news->regressed = low_ns > CT_TRIALS_GUARD * trials->best.record_ns;
}

static void report_any(struct ct_trials *trials, double time_ns, enum ct_failure failure,
                       struct ct_trials_news *news)
{
    *news = (struct ct_trials_news){0};
    if (trials->phase == CT_TRIALS_EXPLORE && trials->trial.any)
        report_trial(trials, time_ns, failure, news);
    else if (trials->phase == CT_TRIALS_CONFIRM && trials->final.count)
        report_final(trials, time_ns, failure, news);
    else if (trials->phase == CT_TRIALS_SETTLED && trials->best.any)
        report_best(trials, time_ns, failure, news);
}

void ct_trials_report(struct ct_trials *trials, double time_ns, enum ct_failure failure,
                      double spent_ns, struct ct_trials_news *news)
{
    *news = (struct ct_trials_news){0};
    if (!failure && !(time_ns > 0 && isfinite(time_ns)))
        return;
    if (trials->phase != CT_TRIALS_SETTLED) {
        trials->launches++;
        trials->spent_ns += spent_ns;
        trials->trial.spent_ns += spent_ns;
    }
    trials->refused = 0;
    report_any(trials, time_ns, failure, news);
}

void ct_trials_refuse(struct ct_trials *trials, enum ct_failure failure,
                      struct ct_trials_news *news)
{
    trials->refused++;
    report_any(trials, 0, failure, news);
}

size_t ct_trials_finalists(const struct ct_trials *trials,
                           const struct ct_trials_finalist **out)
{
    *out = trials->final.of;
    return trials->phase == CT_TRIALS_SETTLED ? trials->final.count : 0;
}
