// SPDX-License-Identifier: Apache-2.0
// One search for several problems: one strategy proposes, the searches of all problems evaluate.
#include "tune/joint_impl.h"

#include "base/clock.h"
#include "judge/policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_MOST = 64 };

/* --- the strategy of a part: a queue --- */

struct feed_strategy {
    struct ct_strategy base;
    struct ct_joint *joint;
    bool passes; /* results from elsewhere are for the joint strategy, too */
    uint64_t queue[BATCH_MOST];
    size_t count;
    size_t next;
};

static size_t ask_feed(struct ct_strategy *self, size_t max, uint64_t *indices)
{
    struct feed_strategy *feed = (struct feed_strategy *)(void *)self;
    size_t count = 0;

    while (count < max && feed->next < feed->count)
        indices[count++] = feed->queue[feed->next++];
    return count;
}

static void tell_feed(struct ct_strategy *self, uint64_t index,
                      const struct ct_strategy_result *result)
{
    (void)self;
    (void)index;
    (void)result;
}

static void pass_on(struct ct_strategy *self, uint64_t index,
                    const struct ct_strategy_result *result, unsigned source)
{
    struct feed_strategy *feed = (struct feed_strategy *)(void *)self;

    if (feed->passes)
        ct_strategy_transfer(feed->joint->strategy, index, result, source);
}

static const char *name_of_feed(const struct ct_strategy *self)
{
    const struct feed_strategy *feed = (const struct feed_strategy *)(const void *)self;

    return ct_strategy_name(feed->joint->strategy);
}

static void free_feed(struct ct_strategy *self)
{
    free(self);
}

static const struct ct_strategy_class feed_class = {
    .name = "joint",
    .summary = "configurations that a joint search proposes",
    .ask = ask_feed,
    .tell = tell_feed,
    .destroy = free_feed,
    .prior = pass_on,
    .name_of = name_of_feed,
};

/* --- configurations and results --- */

int64_t ct_joint_index(const struct ct_joint *joint, size_t part, uint64_t index)
{
    const struct ct_workload *first = &joint->parts[0].search->work;
    uint64_t found;

    if (!part)
        return (int64_t)index;
    ct_workload_values(first, (int64_t)index);
    return ct_space_find(joint->parts[part].search->work.space, first->values, &found)
               ? (int64_t)found
               : CT_OUTSIDE;
}

const struct ct_evaluated *ct_joint_entry(struct ct_joint_part *part, int64_t index)
{
    const struct ct_results *results = &part->search->results;
    uint64_t place;

    for (; part->placed < results->done_count; part->placed++)
        if (results->done[part->placed].index != CT_OUTSIDE &&
            !ct_map_put(&part->places, (uint64_t)results->done[part->placed].index,
                        part->placed + 1))
            break;
    if (index == CT_OUTSIDE)
        return NULL;
    place = ct_map_get(&part->places, (uint64_t)index, 0);
    return place ? &results->done[place - 1] : NULL;
}

bool ct_joint_cost(struct ct_joint *joint, uint64_t index, double *cost, bool *known)
{
    double sum = 0;
    double weights = 0;

    *known = true;
    for (size_t p = 0; p < joint->count; p++) {
        struct ct_joint_part *part = &joint->parts[p];
        int64_t there = ct_joint_index(joint, p, index);
        const struct ct_evaluated *entry = ct_joint_entry(part, there);
        double value;

        value = entry && entry->status == CT_RESULT_OK
                    ? ct_objective_positive(&part->search->objective, entry->value)
                    : NAN;
        if (there == CT_OUTSIDE || (entry && !(value > 0))) {
            *known = true;
            return false;
        }
        *known = *known && entry;
        if (!entry)
            continue;
        sum += part->weight * log(value);
        weights += part->weight;
    }
    *cost = sum / weights;
    return *known;
}

/* --- telling the strategy --- */

static enum ct_failure failure_of(struct ct_joint *joint, uint64_t index)
{
    for (size_t p = 0; p < joint->count; p++) {
        const struct ct_evaluated *entry =
            ct_joint_entry(&joint->parts[p], ct_joint_index(joint, p, index));

        if (!entry || entry->status == CT_RESULT_OK)
            continue;
        return entry->status == CT_RESULT_BUILD_FAILED ? CT_FAILURE_BUILD
               : entry->status == CT_RESULT_WRONG      ? CT_FAILURE_WRONG
               : entry->status == CT_RESULT_CRASHED    ? CT_FAILURE_CRASHED
               : entry->status == CT_RESULT_TIMEOUT    ? CT_FAILURE_TIMEOUT
                                                       : CT_FAILURE_INVALID;
    }
    return CT_FAILURE_INVALID;
}

/* Gives the strategy what is known of a configuration; returns whether its fate is decided. */
static bool tell_result(struct ct_joint *joint, uint64_t index)
{
    struct ct_strategy_result result = {0};
    bool known;
    double cost;

    if (ct_joint_cost(joint, index, &cost, &known)) {
        result.ok = true;
        result.objective = exp(cost);
        joint->worked++;
    } else if (known) {
        result.failure = failure_of(joint, index);
        joint->failed++;
    } else {
        return false;
    }
    ct_strategy_tell(joint->strategy, index, &result);
    return true;
}

/* Whether no result of a configuration is of this run. */
static bool is_stored(struct ct_joint *joint, uint64_t index)
{
    for (size_t p = 0; p < joint->count; p++) {
        const struct ct_evaluated *entry =
            ct_joint_entry(&joint->parts[p], ct_joint_index(joint, p, index));

        if (entry && !entry->stored)
            return false;
    }
    return true;
}

static void note_progress(struct ct_joint *joint, uint64_t index, bool is_new)
{
    bool known;
    double cost;

    if (ct_joint_cost(joint, index, &cost, &known) &&
        cost < joint->budget.progress_best) {
        joint->budget.progress_best = cost;
        joint->budget.fruitless = 0;
    } else if (is_new) {
        joint->budget.fruitless++;
    }
}

/* Stored results, and the defaults that were measured first. */
static void tell_known(struct ct_joint *joint)
{
    const struct ct_results *first = &joint->parts[0].search->results;

    for (size_t i = 0; i < first->done_count; i++) {
        uint64_t index = (uint64_t)first->done[i].index;

        if (first->done[i].index == CT_OUTSIDE || !tell_result(joint, index))
            continue;
        note_progress(joint, index, false);
        if (is_stored(joint, index))
            joint->known++;
        else
            joint->evaluated++;
    }
}

/* --- the loop --- */

/* A search counts only its own time: that of the others is booked nowhere. */
static void resume_meter(struct ct_joint_part *part)
{
    part->search->meter.since_ns = ct_clock_now_ns();
}

static void pause_meter(struct ct_joint_part *part)
{
    ct_meter_turn(&part->search->meter, part->search->meter.now);
}

/* Evaluates what has not failed yet for the problems before this one; `news` counts new results. */
static enum ct_status evaluate_part(struct ct_joint *joint, size_t number,
                                    const uint64_t *indices, size_t count, bool *news,
                                    struct ct_err *err)
{
    struct ct_joint_part *part = &joint->parts[number];
    struct feed_strategy *feed = (struct feed_strategy *)(void *)part->feed;
    enum ct_status status;

    feed->count = feed->next = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t there = ct_joint_index(joint, number, indices[i]);
        bool known;
        double cost;

        if (there == CT_OUTSIDE || ct_joint_entry(part, there))
            continue;
        /* What failed elsewhere needs no time here. */
        if (!ct_joint_cost(joint, indices[i], &cost, &known) && known)
            continue;
        feed->queue[feed->count++] = (uint64_t)there;
        news[i] = true;
    }
    if (!feed->count)
        return CT_OK;
    resume_meter(part);
    status = ct_search_loop(part->search, err);
    pause_meter(part);
    return status;
}

static size_t batch_size(const struct ct_joint *joint)
{
    const struct ct_search *first = joint->parts[0].search;
    struct ct_scheduler_stats stats;
    size_t wanted = BATCH_MOST;

    ct_scheduler_stats_get(first->jobs.scheduler, &stats);
    if (ct_search_learns(first) && 2 * stats.jobs + 2 < wanted)
        wanted = 2 * stats.jobs + 2;
    return ct_budget_room(&joint->budget, joint->evaluated, wanted);
}

static double spent_s(const struct ct_joint *joint)
{
    return (double)(ct_clock_now_ns() - joint->parts[0].search->pace.start_ns) / 1e9;
}

/* The target as ct_joint_cost states it. */
static double target_cost(const struct ct_joint *joint)
{
    return log(
        ct_objective_positive(&joint->parts[0].search->objective, joint->budget.target));
}

/* Which limit is reached; CT_SEARCH_WHOLE: none. */
static enum ct_search_end find_end(struct ct_joint *joint)
{
    struct ct_budget *budget = &joint->budget;
    double reserved_s = joint->parts[0].search->budget.reserved_s;

    for (size_t p = 0; p < joint->count; p++)
        if (joint->parts[p].search->budget.end == CT_SEARCH_ALL_WRONG)
            return CT_SEARCH_ALL_WRONG;
    if (budget->has_target && budget->progress_best <= target_cost(joint))
        return CT_SEARCH_TARGET;
    if (budget->evaluations && joint->evaluated >= budget->evaluations)
        return budget->is_share ? CT_SEARCH_FRACTION : CT_SEARCH_EVALUATIONS;
    if (budget->seconds > 0 && spent_s(joint) >= budget->seconds - reserved_s)
        return CT_SEARCH_TIME;
    if (budget->no_progress && budget->fruitless >= budget->no_progress)
        return CT_SEARCH_NO_PROGRESS;
    if (ct_budget_asks_chance(budget, joint->evaluated) &&
        ct_strategy_chance(joint->strategy, 1 / 1.05) < budget->until_chance)
        return CT_SEARCH_CHANCE;
    return CT_SEARCH_WHOLE;
}

static enum ct_status run_batch(struct ct_joint *joint, bool *more, struct ct_err *err)
{
    uint64_t indices[BATCH_MOST];
    bool news[BATCH_MOST] = {false};
    size_t count = ct_strategy_ask(joint->strategy, batch_size(joint), indices);
    enum ct_status status = CT_OK;

    *more = count > 0;
    for (size_t p = 0; p < joint->count && !status; p++)
        status = evaluate_part(joint, p, indices, count, news, err);
    for (size_t i = 0; i < count; i++) {
        if (!tell_result(joint, indices[i]))
            continue;
        joint->evaluated += news[i];
        joint->known += !news[i];
        note_progress(joint, indices[i], news[i]);
    }
    return status;
}

static enum ct_status run_loop(struct ct_joint *joint, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    bool more = true;

    while (!status && more) {
        joint->budget.end = find_end(joint);
        if (joint->budget.end != CT_SEARCH_WHOLE)
            break;
        status = run_batch(joint, &more, err);
    }
    for (size_t p = 0; p < joint->count; p++) {
        struct ct_search *search = joint->parts[p].search;

        /* The target is none of a single problem. */
        if (search->budget.end == CT_SEARCH_WHOLE &&
            joint->budget.end != CT_SEARCH_TARGET)
            search->budget.end = joint->budget.end;
        ct_observer_event(search->observer, &(struct ct_event){.kind = CT_EVENT_LOOP_END,
                                                               .search = search});
    }
    return status;
}

/* --- the play-offs --- */

/* Those who lead by single processes may have been lucky.  If one that was in no play-off then has a
 * smaller cost than all that were, it gets its chance. */
static enum ct_status play_all(struct ct_joint *joint, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    bool more = true;

    for (int time = 0; time < CT_POLICY_PLAYOFFS && !status; time++) {
        status = ct_joint_invite(joint, &more, err);
        if (!status && time && !more)
            break;
        for (size_t p = 0; p < joint->count && !status; p++) {
            resume_meter(&joint->parts[p]);
            status = ct_search_contest(joint->parts[p].search, err);
            pause_meter(&joint->parts[p]);
        }
        if (joint->options->rough ||
            ct_budget_playoff_is_hard(&joint->parts[0].search->budget))
            break;
    }
    return status;
}

/* The search and its play-offs.  If the target was reached by times of single processes but not in the
 * play-offs, the search continues. */
static enum ct_status search_and_play(struct ct_joint *joint, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (int missed = 0; !status; missed++) {
        double pick;

        status = run_loop(joint, err);
        if (!status)
            status = play_all(joint, err);
        if (status || joint->budget.end != CT_SEARCH_TARGET)
            break;
        status = ct_joint_least(joint, &joint->budget.progress_best, &pick, err);
        if (status || missed == CT_POLICY_TARGETS_MISSED || pick <= target_cost(joint))
            break;
        ct_observer_event(joint->parts[0].search->observer,
                          &(struct ct_event){.kind = CT_EVENT_TARGET_MISSED,
                                             .search = joint->parts[0].search});
    }
    return status;
}

bool ct_joint_target_reached(const struct ct_joint *joint)
{
    return joint->budget.has_target && joint->best_count &&
           log(ct_objective_positive(&joint->parts[0].search->objective,
                                     joint->best[0].value)) <= target_cost(joint);
}

/* --- beginning and end --- */

/* As for a single search: command line before space file before what suits the budget. */
static enum ct_status choose_strategy(struct ct_joint *joint, struct ct_err *err)
{
    const struct ct_search *first = joint->parts[0].search;
    uint64_t count = ct_space_count(first->work.space);
    struct ct_limits limits;
    enum ct_status status =
        ct_budget_choose(&joint->budget, &joint->options->budget, first->work.spec,
                         &first->objective, count, err);
    bool limited;
    const char *name;

    if (status)
        return status;
    if (!joint->options->budget.target)
        joint->budget.has_target = false;
    if (joint->budget.has_target && isnan(target_cost(joint)))
        return ct_err_set(err, CT_E_USAGE,
                          "--target %s: a target for weighted problems must be positive",
                          joint->options->budget.target);
    limited = ct_budget_is_limited(&joint->budget, count);
    name = joint->options->strategy ? joint->options->strategy
           : first->work.spec->measure.strategy.text
               ? first->work.spec->measure.strategy.text
           : limited ? "auto"
                     : "exhaustive";
    status = ct_strategy_new(name, first->work.space, joint->options->seed,
                             &joint->strategy, err);
    if (status)
        return status;
    limits =
        (struct ct_limits){.evaluations = joint->budget.evaluations, .limited = limited};
    ct_strategy_limit(joint->strategy, &limits);
    snprintf(joint->name, sizeof(joint->name), "joint (%s)",
             ct_strategy_name(joint->strategy));
    return CT_OK;
}

/* A part proposes nothing of its own, and ends when all do. */
static enum ct_status attach(struct ct_joint *joint, size_t number, struct ct_err *err)
{
    struct ct_joint_part *part = &joint->parts[number];
    struct ct_search *search = part->search;
    struct feed_strategy *feed = ct_mem_array(1, sizeof(*feed));

    part->invited = ct_mem_array(CT_JOINT_LEADERS, sizeof(*part->invited));
    if (!feed || !part->invited) {
        free(feed);
        return ct_err_nomem(err);
    }
    feed->base.class = &feed_class;
    feed->joint = joint;
    feed->passes = !number;
    part->feed = &feed->base;
    ct_strategy_free(search->proposer.strategy);
    search->proposer.strategy = &feed->base;
    snprintf(search->proposer.name, sizeof(search->proposer.name), "%s", joint->name);
    search->budget.evaluations = search->budget.no_progress = 0;
    search->budget.until_chance = 0;
    search->budget.has_target = false;
    search->budget.reserved_s = fmin(search->budget.reserved_s * (double)joint->count,
                                     0.5 * search->budget.seconds);
    return CT_OK;
}

struct ct_tune_options ct_joint_part_options(const struct ct_tune_options *options,
                                             size_t number, size_t count)
{
    struct ct_tune_options part = *options;
    double playoff =
        part.budget.playoff > 0 ? part.budget.playoff : CT_POLICY_CONTEST_SHARE;

    /* All play-offs together have the share of one. */
    if (part.budget.playoff > 0 || part.budget.seconds > 0)
        part.budget.playoff = playoff / (double)count;
    part.no_transfer = part.no_transfer || number > 0;
    return part;
}

static enum ct_status open_all(struct ct_joint *joint, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t p = 0; p < joint->count && !status; p++) {
        resume_meter(&joint->parts[p]);
        status = ct_search_open(joint->parts[p].search, err);
        pause_meter(&joint->parts[p]);
    }
    if (!status)
        tell_known(joint);
    return status;
}

static enum ct_status conclude_all(struct ct_joint *joint, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t p = 0; p < joint->count && !status; p++) {
        resume_meter(&joint->parts[p]);
        status = ct_search_conclude(joint->parts[p].search, err);
        pause_meter(&joint->parts[p]);
    }
    return status;
}

enum ct_status ct_joint_run(struct ct_joint *joint, struct ct_err *err)
{
    enum ct_status status = choose_strategy(joint, err);

    for (size_t p = 0; p < joint->count && !status; p++)
        status = attach(joint, p, err);
    if (status)
        return status;
    status = open_all(joint, err);
    if (!status)
        status = search_and_play(joint, err);
    if (!status)
        status = conclude_all(joint, err);
    for (size_t p = 0; p < joint->count; p++) {
        resume_meter(&joint->parts[p]);
        status = ct_search_close(joint->parts[p].search, status, err);
    }
    if (!status || status == CT_E_INTERRUPTED)
        if (ct_joint_rank(joint, NULL))
            return ct_err_nomem(err);
    return status;
}

enum ct_status ct_joint_found(const struct ct_joint *joint, struct ct_err *err)
{
    if (joint->best_count)
        return CT_OK;
    for (size_t p = 0; p < joint->count; p++)
        if (ct_search_found(joint->parts[p].search, err))
            return CT_E_NOT_FOUND;
    return ct_err_set(err, CT_E_NOT_FOUND,
                      "no configuration worked for all %zu problems; each has some that "
                      "do: search for them one by one, without weights",
                      joint->count);
}

void ct_joint_release(struct ct_joint *joint)
{
    for (size_t p = 0; p < joint->count; p++) {
        ct_map_release(&joint->parts[p].places);
        free(joint->parts[p].invited);
    }
    if (joint->strategy)
        ct_strategy_free(joint->strategy);
    joint->strategy = NULL;
    ct_arena_release(&joint->arena);
}
