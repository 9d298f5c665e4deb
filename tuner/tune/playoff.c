// SPDX-License-Identifier: Apache-2.0
// The play-off of a search: what it changes.
#include "tune/entrants.h"

#include "base/map.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An entry's quantities with these times and what was observed meanwhile. */
static struct ct_quantities known_of(const struct ct_evaluated *entry, double time_ns,
                                     double end_to_end_ns,
                                     const struct ct_quantities *observed)
{
    struct ct_quantities known = entry->observed;

    for (int i = 0; i < CT_QUANTITY_COUNT; i++)
        if (observed->known >> i & 1)
            ct_quantities_set(&known, (enum ct_quantity)i, observed->value[i]);
    ct_quantities_set(&known, CT_QUANTITY_TIME_NS, time_ns);
    if (end_to_end_ns > 0)
        ct_quantities_set(&known, CT_QUANTITY_END_TO_END_NS, end_to_end_ns);
    return known;
}

static enum ct_status plan_member(struct ct_search *search, struct ct_member *member,
                                  struct ct_err *err)
{
    ct_workload_values(&search->work, member->entry->index);
    for (size_t p = 0; p < search->work.spec->param_count; p++)
        member->unlike +=
            ct_value_equal(search->work.values[p], search->work.default_values[p]) ? 0
                                                                                   : 1;
    return ct_workload_plan(&search->work, search->objective.needs, &member->arena,
                            &member->plan, err);
}

/* An earlier play-off's pick, then the default, then the fewest differences from it. */
static bool member_preferred(const struct ct_member *a, const struct ct_member *b)
{
    if ((a->entry->rank == 1) != (b->entry->rank == 1))
        return a->entry->rank == 1;
    if (a->unlike != b->unlike)
        return a->unlike < b->unlike;
    return a->entry->index < b->entry->index;
}

enum ct_status ct_team_plan(struct ct_team *team, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < team->count && !status; i++) {
        status = plan_member(team->search, &team->members[i], err);
        team->entrants[i].plan = &team->members[i].plan;
    }
    for (size_t i = 0; i < team->count; i++)
        for (size_t k = 0; k < team->count; k++)
            team->preference[i] +=
                member_preferred(&team->members[k], &team->members[i]) ? 1 : 0;
    return status;
}

static double cost_of(void *user, size_t entrant, const struct ct_outcome *outcome)
{
    const struct ct_team *team = user;
    const struct ct_evaluated *entry = team->members[entrant].entry;
    /* What was not observed in this process is unknown. */
    struct ct_quantities known = ct_outcome_quantities(outcome);

    return ct_objective_positive(&team->search->objective,
                                 ct_search_value(team->search, entry, &known));
}

/* --- results --- */

/* The processes behind a time run within seconds of each other; the device's speed, known from the
 * default and others, shows what changes over minutes.  All times of a play-off rest on the winner's. */
static void widen(const struct ct_team *team, struct ct_evaluated *entry)
{
    const struct ct_search_drift *drift = &team->search->drift;
    double now_ns = drift->playoff > 0 ? drift->series.times_ns[0] * drift->playoff : 0;
    double spread = 1.96 * ct_drift_spread(&drift->series, now_ns);

    entry->low_ns =
        entry->time_ns * exp(-hypot(log(entry->time_ns / entry->low_ns), spread));
    entry->high_ns =
        entry->time_ns * exp(hypot(log(entry->high_ns / entry->time_ns), spread));
}

static struct ct_ratio to_best(const struct ct_entrant *entrant)
{
    const struct ct_ranking *ranking = &entrant->ranking;

    return (struct ct_ratio){ranking->ratio, ranking->ratio_low, ranking->ratio_high};
}

static void take_times(struct ct_team *team, size_t index)
{
    struct ct_search *search = team->search;
    const struct ct_entrant *from = &team->entrants[index];
    struct ct_evaluated *entry = team->members[index].entry;

    if (!entry->rounds)
        entry->raw_ns = entry->time_ns;
    entry->time_ns = from->time_ns;
    entry->low_ns = from->low_ns;
    entry->high_ns = from->high_ns;
    widen(team, entry);
    entry->rounds = from->processes;
    entry->played = true;
    entry->stopped_early = false;
    entry->tied = from->ranking.rank == CT_RANK_TIED;
    entry->to_best = to_best(from);
    entry->epoch = ct_search_epoch(search);
    entry->observed =
        known_of(entry, from->time_ns, from->end_to_end_ns, &from->observed);
    entry->value = ct_search_value(search, entry, &entry->observed);
}

/* An entrant that failed in some round no longer competes. */
static enum ct_status take_failure(struct ct_team *team, size_t index, struct ct_err *err)
{
    struct ct_search *search = team->search;
    const struct ct_entrant *from = &team->entrants[index];
    struct ct_member *member = &team->members[index];
    struct ct_outcome outcome = {.status = from->status,
                                 .phase = from->phase,
                                 .message = from->message,
                                 .build_log = ""};

    if (from->status == CT_RESULT_TIMEOUT)
        outcome.deadline_ns = search->options->deadlines.ns[from->phase];
    ct_observer_warn(search->observer,
                     "a configuration that worked before failed in the play-off (%s)%s%s",
                     ct_result_status_name(from->status), *from->message ? ": " : "",
                     from->message);
    if (member->entry->index == CT_OUTSIDE) {
        member->entry->status = from->status;
        return CT_OK;
    }
    search->results.status_counts[CT_RESULT_OK]--;
    search->results.status_counts[from->status]++;
    return ct_search_record(search, &member->plan, &outcome, NULL, member->entry, err);
}

void ct_search_note_best(struct ct_search *search, const struct ct_evaluated *pick)
{
    search->results.best_ns = 0;
    if (pick) {
        ct_results_note_best(&search->results, &search->objective, pick);
        return;
    }
    for (size_t i = 0; i < search->results.done_count; i++)
        ct_results_note_best(&search->results, &search->objective,
                             &search->results.done[i]);
}

/* --- entrants of an earlier play-off of this run --- */

/* The earlier pick, if it takes part again. */
struct link {
    size_t member; /* SIZE_MAX: none */
    double time_ns;
};

static struct link find_link(const struct ct_team *team)
{
    struct link link = {.member = SIZE_MAX};

    for (size_t i = 0; i < team->count; i++)
        if (ct_is_pick(team->members[i].entry))
            link = (struct link){i, team->members[i].entry->time_ns};
    return link;
}

static bool takes_part(const struct ct_team *team, const struct ct_evaluated *entry)
{
    for (size_t i = 0; i < team->count; i++)
        if (team->members[i].entry == entry)
            return true;
    return false;
}

/* The ratio to the earlier pick times that of it to the new one; their errors are independent. */
static struct ct_ratio chained(const struct ct_ratio *a, const struct ct_ratio *b)
{
    struct ct_ratio ratio = {.middle = a->middle * b->middle};

    ratio.low =
        ratio.middle * exp(-hypot(log(a->middle / a->low), log(b->middle / b->low)));
    ratio.high =
        ratio.middle * exp(hypot(log(a->high / a->middle), log(b->high / b->middle)));
    return ratio;
}

/* Times of those that lost to the earlier pick, and do not meet the new one, follow the earlier
 * pick's: else they would be of another time of the device than all others. */
static void carry_over(struct ct_team *team, const struct link *link)
{
    struct ct_search *search = team->search;
    const struct ct_evaluated *pick =
        link->member == SIZE_MAX ? NULL : team->members[link->member].entry;
    bool linked = pick && link->time_ns > 0 && pick->status == CT_RESULT_OK;

    for (size_t i = 0; i < search->results.done_count; i++) {
        struct ct_evaluated *entry = &search->results.done[i];

        if (!entry->played || entry->status != CT_RESULT_OK || takes_part(team, entry))
            continue;
        if (!linked) {
            entry->to_best = (struct ct_ratio){0};
            continue;
        }
        ct_search_scale(search, entry, pick->time_ns / link->time_ns);
        entry->to_best = chained(&entry->to_best, &pick->to_best);
        entry->epoch = pick->epoch;
    }
}

/* --- ranks --- */

/* Entrants of this play-off, and of earlier ones of this run that do not meet the new pick. */
enum { RANKED = CT_POLICY_PLAYOFFS * (CT_POLICY_ENTRANTS + 1) };

struct order {
    struct ct_evaluated *entries[RANKED];
    const struct ct_entrant *entrants[RANKED]; /* NULL: of an earlier play-off */
    size_t count;
};

static void append_entrants(const struct ct_team *team, struct order *order)
{
    const struct ct_entrant *entrants[CT_POLICY_ENTRANTS + 1];
    size_t count =
        ct_playoff_order(&team->playoff, team->entrants, team->count, entrants);

    for (size_t i = 0; i < count; i++) {
        struct ct_evaluated *entry = team->members[entrants[i] - team->entrants].entry;

        /* A default outside a restricted space does not compete. */
        if (entry->index == CT_OUTSIDE)
            continue;
        entry->tied = entrants[i]->ranking.rank == CT_RANK_TIED;
        entry->to_best = to_best(entrants[i]);
        order->entries[order->count] = entry;
        order->entrants[order->count++] = entrants[i];
    }
}

/* Inserts one that was carried over behind the pick, among those tied with it or the others. */
static void insert_carried(struct order *order, struct ct_evaluated *entry)
{
    size_t at = order->count++;

    for (; at > 1; at--) {
        const struct ct_evaluated *before = order->entries[at - 1];

        if (before->tied != entry->tied ? before->tied
                                        : before->to_best.middle <= entry->to_best.middle)
            break;
        order->entries[at] = order->entries[at - 1];
        order->entrants[at] = order->entrants[at - 1];
    }
    order->entries[at] = entry;
    order->entrants[at] = NULL;
}

/* Adds those of earlier play-offs.  Duplicates get the rank of what they are duplicates of (ct_search_share):
 * else the pick would be tied with itself. */
static bool append_carried(const struct ct_team *team, struct order *order)
{
    struct ct_results *results = &team->search->results;
    struct ct_map experiments = {0};
    struct ct_map roots = {0};
    bool good = true;

    ct_search_map_experiments(team->search, &experiments);
    for (size_t i = 0; i < team->count && good; i++)
        good = ct_map_put_hash(&roots, &team->members[i].root, i);
    for (size_t i = 0; order->count && i < results->done_count && good; i++) {
        struct ct_evaluated *entry = &results->done[i];
        struct ct_hash root = ct_search_root(team->search, &experiments, entry);
        uint64_t at;

        if (!entry->played || entry->status != CT_RESULT_OK || takes_part(team, entry) ||
            !(entry->to_best.middle > 0) || order->count == RANKED ||
            ct_map_find_hash(&roots, &root, &at))
            continue;
        good = ct_map_put_hash(&roots, &root, i);
        entry->tied = entry->to_best.low <= 1;
        insert_carried(order, entry);
    }
    ct_map_release(&experiments);
    ct_map_release(&roots);
    return good;
}

/* Stores the order, and gives each entrant its rank. */
static enum ct_status rank(struct ct_team *team, struct ct_err *err)
{
    struct order order = {.count = 0};

    ct_results_forget_ranks(&team->search->results);
    append_entrants(team, &order);
    if (!append_carried(team, &order))
        return ct_err_nomem(err);
    for (size_t i = 0; i < order.count; i++)
        order.entries[i]->rank = i + 1;
    return ct_search_store_rankings(team->search, order.entries, order.entrants,
                                    order.count, err);
}

static enum ct_status take_over(struct ct_team *team, struct ct_err *err)
{
    struct ct_search *search = team->search;
    struct link link = find_link(team);
    size_t winner = team->playoff.winner;
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < team->count && !status; i++)
        if (team->entrants[i].status != CT_RESULT_OK)
            status = take_failure(team, i, err);
        else if (team->entrants[i].processes)
            take_times(team, i);
    if (!status)
        carry_over(team, &link);
    if (!status)
        status = rank(team, err);
    if (!status)
        ct_search_share(search);
    ct_search_note_best(search, winner == SIZE_MAX ? NULL : team->members[winner].entry);
    if (team->beside != SIZE_MAX &&
        team->members[team->beside].entry != &search->defaults.result)
        search->defaults.result = *team->members[team->beside].entry;
    return status ? status : ct_search_store_default(search, err);
}

/* How much slower the entrants are than when they were timed first, in one process; NAN: unknown.  What that
 * adds to each launch is nothing of a long default, but much of a short kernel.  One that was lucky then
 * seems slower now, so of two the lower counts, and one alone does not. */
static double entrants_slower(const struct ct_team *team)
{
    const struct ct_search *search = team->search;
    double speed = ct_drift_speed(&search->drift.series, ct_search_epoch(search));
    double ratios[CT_POLICY_ENTRANTS + 1];
    size_t count = 0;

    for (size_t i = 0; i < team->count; i++) {
        const struct ct_evaluated *entry = team->members[i].entry;
        const struct ct_entrant *now = &team->entrants[i];
        double ratio = now->time_ns / speed / ct_search_corrected(search, entry);

        if (entry->played || entry->stored || i == team->beside ||
            now->status != CT_RESULT_OK || !(ratio > 0) || !isfinite(ratio))
            continue;
        ratios[count++] = ratio;
    }
    ct_stats_median(ratios, count); /* which sorts */
    return count > 1 ? ratios[(count - 1) / 2] : NAN;
}

/* Only for costs that are times. */
static double slower_by(const struct ct_team *team)
{
    const struct ct_search *search = team->search;
    const struct ct_drift *series = &search->drift.series;
    double entrants;
    double slower;

    if (!(search->drift.playoff > 0) || search->objective.kind != CT_OBJECTIVE_TIME)
        return 0;
    slower =
        search->drift.playoff * series->times_ns[0] / series->times_ns[series->count - 1];
    entrants = entrants_slower(team);
    if ((search->playoff.spread > 0 || ct_team_is_steady(search)) && entrants > 0)
        slower = entrants;
    return fabs(slower - 1) > series->threshold ? slower : 0;
}

static void note_speed(const struct ct_team *team)
{
    size_t winner = team->playoff.winner;
    bool known = winner != SIZE_MAX;

    ct_search_note_playoff_speed(
        team->search,
        team->beside == SIZE_MAX ? NAN : team->entrants[team->beside].time_ns,
        known ? team->members[winner].entry : NULL,
        known ? team->entrants[winner].time_ns : NAN);
}

static void note_playoff(const struct ct_team *team)
{
    struct ct_search_playoff *noted = &team->search->playoff;

    /* The first one's share is that of all. */
    if (!noted->played)
        noted->limit_s = fmax(noted->limit_s, team->share_s);
    noted->played = true;
    noted->hard = team->hard;
    noted->slower = slower_by(team);
    noted->planned_s += team->planned_s;
    noted->limit_s = fmax(noted->limit_s, noted->planned_s);
    noted->planned += team->planned;
    for (size_t i = 0; i < team->count; i++)
        noted->entrants +=
            !team->members[i].entry->played && !(team->beside_only && i == team->beside);
    noted->processes += team->playoff.rounds + team->playoff.confirmed;
    noted->tied = team->playoff.tied;
    noted->resolution = team->playoff.resolution;
    noted->doubtful = team->playoff.doubtful;
    noted->cut = noted->cut || team->playoff.cut;
    noted->spent_ns += team->playoff.spent_ns;
    if (team->playoff.settled.freedom)
        noted->settled = team->playoff.settled;
    /* More rounds tell more. */
    if (noted->spread > 0 && team->playoff.spread > 0)
        noted->spread = team->playoff.spread;
}

/* Without a play-off, times come from single processes. */
static void tell_no_time(const struct ct_team *team)
{
    if (!team->search->playoff.played)
        ct_observer_warn(team->search->observer,
                         "no play-off: it takes at least %.1f s and has %.1f s, so each "
                         "time comes from a single process; use --playoff SHARE or a "
                         "longer --time",
                         team->planned_s, team->share_s);
}

static enum ct_status observe_round(void *user, size_t round, const bool *stays)
{
    const struct ct_team *team = user;
    int64_t still[CT_POLICY_ENTRANTS + 1];
    size_t count = 0;

    for (size_t i = 0; stays && i < team->count; i++)
        if (stays[i])
            still[count++] = team->members[i].entry->index;
    ct_observer_event(team->search->observer, &(struct ct_event){.kind = CT_EVENT_ROUND,
                                                                 .search = team->search,
                                                                 .rounds = round,
                                                                 .count = count,
                                                                 .still = still});
    return CT_OK;
}

/* What a play-off that was called off has shown; nothing but failures is taken over. */
static enum ct_status call_off(struct ct_team *team, struct ct_err *err)
{
    struct ct_search_playoff *noted = &team->search->playoff;
    enum ct_status status = CT_OK;

    noted->spread = team->playoff.spread;
    noted->processes += team->playoff.rounds;
    noted->spent_ns += team->playoff.spent_ns;
    noted->limit_s = fmax(noted->limit_s, team->share_s);
    for (size_t i = 0; i < team->count && !status; i++)
        if (team->entrants[i].status != CT_RESULT_OK)
            status = take_failure(team, i, err);
    return status;
}

static enum ct_status play_team(struct ct_team *team, struct ct_err *err)
{
    struct ct_search *search = team->search;
    struct ct_playoff_options options = {.seed = search->options->seed,
                                         .cost = cost_of,
                                         .round = observe_round,
                                         .user = team};
    enum ct_status status;

    if (!ct_team_fit(team, &options)) {
        tell_no_time(team);
        return CT_OK;
    }
    ct_team_add_default(team);
    options.beside = team->beside;
    options.beside_only = team->beside_only;
    status = ct_team_plan(team, err);
    if (status)
        return status;
    ct_observer_event(search->observer,
                      &(struct ct_event){.kind = CT_EVENT_PLAYOFF,
                                         .search = search,
                                         .count = team->count,
                                         .seconds = fmax(team->share_s, team->planned_s),
                                         .hard = team->hard,
                                         .rounds = team->planned,
                                         .planned_s = team->planned_s});
    status = ct_playoff_run(search->jobs.scheduler, team->entrants, team->count,
                            team->preference, &options, &team->playoff, err);
    if (status)
        return status;
    status = ct_workload_check_sources(&search->work, err);
    if (status)
        return status;
    if (team->playoff.called_off)
        return call_off(team, err);
    note_speed(team);
    note_playoff(team);
    return take_over(team, err);
}

/* The leader may have been so lucky that better ones had no chance: once its time is known, they
 * have. */
static bool overlooked(const struct ct_team *team)
{
    double chance = 0;

    for (size_t i = 0; i < team->near; i++)
        if (!team->members[i].entry->played)
            chance += team->members[i].chance;
    return chance > CT_POLICY_CHANCE_OVERLOOKED;
}

enum ct_status ct_search_play(struct ct_search *search, struct ct_err *err)
{
    struct ct_team *team = ct_mem_array(1, sizeof(*team));
    /* All play-offs together share the time that one may take now. */
    double share_s = ct_team_share_s(search);
    uint64_t before_ns = search->playoff.spent_ns;
    enum ct_status status = CT_OK;
    int time = 0;

    if (!team)
        return ct_err_nomem(err);
    while (time < CT_POLICY_PLAYOFFS && !status) {
        double left_s = share_s - (double)(search->playoff.spent_ns - before_ns) / 1e9;
        bool wanted;

        memset(team, 0, sizeof(*team));
        team->search = search;
        team->hard = ct_budget_playoff_is_hard(&search->budget);
        team->share_s = fmax(left_s, 0);
        ct_team_choose(team);
        wanted = time ? overlooked(team) : ct_team_is_needed(team);
        /* Only the first one may take longer, for the intervals that it states. */
        if (time && wanted && !(left_s > 0)) {
            search->playoff.cut = true;
            wanted = false;
        }
        if (wanted && time)
            ct_team_keep_new(team);
        if (wanted)
            status = play_team(team, err);
        /* One that was called off has decided nothing: the next is the first again.  Since what it has
         * shown is known now, no other will be. */
        time += !team->playoff.called_off;
        for (size_t i = 0; i < team->count; i++)
            ct_arena_release(&team->members[i].arena);
        ct_playoff_release(&team->playoff);
        if (!wanted)
            break;
    }
    free(team);
    return status;
}
