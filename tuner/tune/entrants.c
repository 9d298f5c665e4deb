// SPDX-License-Identifier: Apache-2.0
// Selects a play-off's entrants, and limits its time.
#include "tune/entrants.h"

#include "base/clock.h"
#include "schedule/interleaved.h"
#include "base/map.h"
#include "judge/chance.h"

#include <math.h>
#include <string.h>

/* --- selection --- */

static bool is_default(const struct ct_search *search, const struct ct_evaluated *entry)
{
    return entry->index == search->work.default_index;
}

/* Better ones first; among equals the last play-off's pick, the default, then results measured
 * themselves. */
static bool before(const struct ct_search *search, const struct ct_member *a,
                   const struct ct_member *b)
{
    if (a->cost != b->cost)
        return a->cost < b->cost;
    if ((a->entry->rank == 1) != (b->entry->rank == 1))
        return a->entry->rank == 1;
    if (is_default(search, a->entry) != is_default(search, b->entry))
        return is_default(search, a->entry);
    if (!*a->entry->duplicate_of.text != !*b->entry->duplicate_of.text)
        return !*a->entry->duplicate_of.text;
    return a->entry->index < b->entry->index;
}

/* Inserts a candidate into the best, which are in order and have no duplicates. */
static void consider(struct ct_team *team, const struct ct_member *candidate)
{
    size_t at;

    for (size_t i = 0; i < team->count; i++)
        if (strcmp(team->members[i].root.text, candidate->root.text) == 0) {
            if (!before(team->search, candidate, &team->members[i]))
                return;
            team->count--;
            memmove(&team->members[i], &team->members[i + 1],
                    (team->count - i) * sizeof(*candidate));
            break;
        }
    at = team->count;
    while (at && before(team->search, candidate, &team->members[at - 1]))
        at--;
    if (at == CT_POLICY_ENTRANTS)
        return;
    if (team->count == CT_POLICY_ENTRANTS)
        team->count--;
    memmove(&team->members[at + 1], &team->members[at],
            (team->count - at) * sizeof(*candidate));
    team->members[at] = *candidate;
    team->count++;
}

bool ct_team_is_steady(const struct ct_search *search)
{
    return search->noise.known && ct_noise_is_steady(&search->noise.result) &&
           !(search->playoff.spread > 0);
}

/* By which share a configuration's time in one process is taken to differ from that in others, besides what is
 * common to all configurations. */
static double deviation_of(const struct ct_search *search)
{
    double resolution =
        search->noise.known ? search->noise.result.resolution : CT_POLICY_RESOLUTION;

    /* A ratio is of two times. */
    return fmax(resolution / CT_POLICY_TWO_PROCESSES, search->playoff.spread / sqrt(2));
}

/* A smaller one is not relied on. */
static double least_deviation(const struct ct_search *search)
{
    return ct_team_is_steady(search) ? CT_POLICY_DEVIATION_STEADY
                                     : CT_POLICY_DEVIATION_LEAST;
}

static struct ct_estimate estimate_of(const struct ct_team *team,
                                      const struct ct_member *member)
{
    const struct ct_search *search = team->search;
    const struct ct_evaluated *entry = member->entry;
    double deviation = least_deviation(search);
    double low = entry->low_ns / entry->time_ns;
    double high = entry->high_ns / entry->time_ns;

    /* Their cost is the low end already (ct_search_corrected). */
    if (entry->stopped_early)
        low = 1;
    /* Times of a play-off come from several processes, and their intervals say so.  What these add to all
     * times is in them, too, but not in the ratios. */
    if (!entry->played) {
        deviation = fmax(deviation, deviation_of(search));
    } else if (search->playoff.spread > 0 && entry->to_best.low > 0) {
        low = entry->to_best.low / entry->to_best.middle;
        high = entry->to_best.high / entry->to_best.middle;
    }
    return ct_estimate_of(member->cost, member->cost * low, member->cost * high,
                          deviation);
}

/* Gives all their chances, and those with the best ones come first. */
static void order_by_chance(struct ct_team *team)
{
    struct ct_estimate estimates[CT_POLICY_ENTRANTS];
    double chances[CT_POLICY_ENTRANTS];

    for (size_t i = 0; i < team->count; i++)
        estimates[i] = estimate_of(team, &team->members[i]);
    ct_chance_best(estimates, team->count, chances);
    for (size_t i = 0; i < team->count; i++) {
        struct ct_member member = team->members[i];
        size_t at = i;

        member.chance = chances[i];
        for (; at && team->members[at - 1].chance < member.chance; at--)
            team->members[at] = team->members[at - 1];
        team->members[at] = member;
    }
    for (size_t i = 0; i < team->count; i++)
        chances[i] = team->members[i].chance;
    team->near = ct_chance_count(chances, team->count, CT_POLICY_CHANCE_LEFT);
    team->least = ct_chance_count(chances, team->count, CT_POLICY_CHANCE_LEFT_MOST);
}

bool ct_is_pick(const struct ct_evaluated *entry)
{
    return entry->rank == 1 && entry->played;
}

/* The pick of an earlier play-off of this run meets the new leader: the times of all that it has
 * beaten rest on its own. */
static void keep_pick(struct ct_team *team)
{
    size_t at = 0;
    struct ct_member pick;

    while (at < team->count && !ct_is_pick(team->members[at].entry))
        at++;
    if (at == team->count || at < 2)
        return;
    pick = team->members[at];
    memmove(&team->members[2], &team->members[1], (at - 1) * sizeof(pick));
    team->members[1] = pick;
    if (at >= team->near)
        team->near++;
    if (at >= team->least)
        team->least++;
}

static struct ct_evaluated *find_entry(const struct ct_search *search, int64_t index)
{
    for (size_t i = 0; i < search->results.done_count; i++)
        if (search->results.done[i].index == index)
            return &search->results.done[i];
    return NULL;
}

/* Makes room for one more where there is none; `near` and `least` count no one who is gone. */
static void make_room(struct ct_team *team)
{
    if (team->count < CT_POLICY_ENTRANTS)
        return;
    team->count--;
    if (team->near > team->count)
        team->near = team->count;
    if (team->least > team->count)
        team->least = team->count;
}

/* Adds those who take part in any case behind the leader: whoever else drops out for lack of time, they
 * stay.  Duplicates of entrants get their times. */
static void invite(struct ct_team *team, const struct ct_map *experiments)
{
    struct ct_search *search = team->search;

    for (size_t i = 0; i < search->playoff.invited_count; i++) {
        struct ct_evaluated *entry = find_entry(search, search->playoff.invited[i]);
        struct ct_member member = {.entry = entry};
        size_t at = 0;

        if (!entry || entry->status != CT_RESULT_OK)
            continue;
        member.cost = ct_search_corrected(search, entry);
        member.root = ct_search_root(search, experiments, entry);
        while (at < team->count &&
               strcmp(team->members[at].root.text, member.root.text) != 0)
            at++;
        if (at < team->count)
            continue;
        make_room(team);
        at = team->count ? 1 : 0;
        memmove(&team->members[at + 1], &team->members[at],
                (team->count - at) * sizeof(member));
        team->members[at] = member;
        team->count++;
        team->near++;
        team->least++;
    }
}

void ct_team_choose(struct ct_team *team)
{
    struct ct_search *search = team->search;
    struct ct_map experiments = {0};

    ct_search_map_experiments(search, &experiments);
    for (size_t i = 0; i < search->results.done_count; i++) {
        struct ct_evaluated *entry = &search->results.done[i];
        struct ct_member candidate = {.entry = entry};

        candidate.cost = ct_search_corrected(search, entry);
        if (entry->status != CT_RESULT_OK || isnan(entry->value))
            continue;
        /* Ratios have no meaning if a value may be 0 or negative: the best value wins. */
        if (isnan(candidate.cost) && !search->objective.maximize) {
            team->count = 0;
            break;
        }
        if (isnan(candidate.cost))
            continue;
        /* What was in no play-off yet meets those whose times are of another speed. */
        if (search->playoff.slower > 0 && !entry->played)
            candidate.cost *= search->playoff.slower;
        candidate.root = ct_search_root(search, &experiments, entry);
        consider(team, &candidate);
    }
    if (team->count) {
        order_by_chance(team);
        team->found = team->count;
    }
    /* Two if there are two: one alone has nothing to compete with. */
    if (team->count > 2) {
        keep_pick(team);
        team->count = team->near > 2 ? team->near : 2;
    }
    if (team->count)
        invite(team, &experiments);
    ct_map_release(&experiments);
}

void ct_team_keep_new(struct ct_team *team)
{
    size_t kept = 0;
    size_t near = 0;
    size_t least = 0;
    bool linked = false;

    for (size_t i = 0; i < team->count; i++)
        linked |= ct_is_pick(team->members[i].entry);
    if (!linked)
        return;
    for (size_t i = 0; i < team->count; i++) {
        const struct ct_evaluated *entry = team->members[i].entry;

        if (entry->played && !ct_is_pick(entry))
            continue;
        near += i < team->near;
        least += i < team->least;
        team->members[kept++] = team->members[i];
    }
    team->count = kept;
    team->near = near;
    team->least = least;
}

bool ct_team_is_needed(const struct ct_team *team)
{
    const struct ct_search *search = team->search;
    const struct ct_evaluated *pick = NULL;

    for (size_t i = 0; i < search->results.done_count; i++)
        if (search->results.done[i].rank == 1 &&
            search->results.done[i].status == CT_RESULT_OK &&
            (!pick || !*search->results.done[i].duplicate_of.text))
            pick = &search->results.done[i];
    if (!team->count)
        return false;
    if (search->results.evaluated || !pick || search->options->playoff_only)
        return true;
    for (size_t i = 0; i < search->playoff.invited_count; i++) {
        const struct ct_evaluated *entry = find_entry(search, search->playoff.invited[i]);

        if (entry && entry->status == CT_RESULT_OK && !entry->rank)
            return true;
    }
    for (size_t i = 0; i < team->count; i++)
        if (!team->members[i].entry->rank &&
            team->members[i].entry->measured_unix_s > pick->measured_unix_s)
            return true;
    return false;
}

void ct_team_add_default(struct ct_team *team)
{
    struct ct_search *search = team->search;
    struct ct_evaluated *entry = &search->defaults.result;

    team->beside = SIZE_MAX;
    if (!(ct_search_default_ns(search) > 0))
        return;
    for (size_t i = 0; i < team->count; i++)
        if (is_default(search, team->members[i].entry)) {
            team->beside = i;
            return;
        }
    for (size_t i = 0; i < search->results.done_count; i++)
        if (is_default(search, &search->results.done[i]))
            entry = &search->results.done[i];
    team->beside = team->count;
    team->beside_only = true;
    team->members[team->count++] =
        (struct ct_member){.entry = entry,
                           .root = entry->experiment,
                           .cost = ct_search_corrected(search, entry)};
}

/* --- duration --- */

static double sample_cost_ns(const struct ct_team *team, size_t member)
{
    return ct_search_sample_cost_ns(team->members[member].entry);
}

/* What an entrant takes in a process besides its samples: programs are set up and run once in each, kernels
 * are loaded. */
static double fixed_s(const struct ct_team *team, size_t member)
{
    double known_s = team->members[member].entry->timing.fixed_ns / 1e9;

    return team->search->work.spec->command.present
               ? fmax(known_s, CT_POLICY_EVALUATION_S)
               : CT_POLICY_EVALUATION_S;
}

static uint32_t samples_of(const struct ct_team *team, size_t member)
{
    const struct ct_search *search = team->search;
    double sample_ns = sample_cost_ns(team, member);
    double most = CT_POLICY_SAMPLING_S * 1e9 / sample_ns;
    double wanted =
        search->noise.samples ? search->noise.samples : CT_POLICY_SAMPLES_MOST;

    if (!search->options->samples && wanted > CT_POLICY_SAMPLES_MOST)
        wanted = CT_POLICY_SAMPLES_MOST;
    if (wanted > most && !search->options->samples)
        wanted = most;
    return wanted < CT_POLICY_SAMPLES_LEAST ? CT_POLICY_SAMPLES_LEAST : (uint32_t)wanted;
}

/* Whether samples of one process, taken in turns and as many as cltune likes, differ by no more than
 * processes that are the same. */
static bool samples_agree(const struct ct_search *search)
{
    return ct_objective_is_time(&search->objective) && !search->options->samples &&
           search->noise.known && search->noise.result.within <= CT_POLICY_STEADY;
}

/* Whether one of them tells as much as several. */
static bool samples_are_same(const struct ct_search *search)
{
    return samples_agree(search) && search->noise.result.within <= CT_POLICY_SAME;
}

/* If the cost follows from the device time alone, samples are interleaved: then more samples give
 * more precision, because what they have in common cancels out. */
static void choose_samples(const struct ct_team *team, struct ct_playoff_options *options)
{
    const struct ct_search *search = team->search;
    double sample_ns = sample_cost_ns(team, 0);
    double least = fmin(CT_INTERLEAVED_LEAST, CT_POLICY_SAMPLING_S * 1e9 / sample_ns);
    double most = fmin(CT_INTERLEAVED_MOST, CT_POLICY_INTERLEAVED_S * 1e9 / sample_ns);
    uint32_t fewest = CT_POLICY_SAMPLES_LEAST;

    options->samples = samples_of(team, 0);
    options->interleaved = ct_objective_is_time(&search->objective);
    if (!options->interleaved || search->options->samples)
        return;
    /* Where samples agree, fewer of them show that they do; where processes differ by more than samples,
     * fewer show as much. */
    if (samples_agree(search) ||
        (search->noise.known &&
         search->noise.result.within <= search->noise.result.between))
        least = fmin(least, CT_POLICY_SAMPLES_LEAST);
    /* Two of them show whether that goes for the entrants, too. */
    if (samples_are_same(search) && !(search->playoff.spread > 0))
        least = fewest = CT_POLICY_SAMPLES_STEADY;
    /* What processes have in common cancels out of ratios. */
    if (search->noise.known)
        options->spread = fmax(CT_POLICY_RATIO_SHARE * search->noise.result.between,
                               search->playoff.spread);
    options->samples = (uint32_t)fmax(least, fewest);
    options->most_samples = (uint32_t)fmax(most, options->samples);
    options->round_samples =
        (uint32_t)fmax(CT_POLICY_ROUND_SAMPLING_S * 1e9 / sample_ns, 1);
}

/* Samples of each of `count` entrants in a round of a noisy device: as many as their ratios need in order
 * to be as precise as is asked for, about. */
static double noisy_samples(const struct ct_search *search, size_t count,
                            const struct ct_playoff_options *options)
{
    /* Of a ratio of two medians, relative to the deviation of a sample. */
    const double ratio_cost = 1.2533141 * 1.4142136;
    double most = ct_playoff_samples(options, count);
    double precise = CT_POLICY_OWN_SHARE * options->spread;

    return precise > 0
               ? fmin(fmax(pow(ratio_cost * search->noise.result.within / precise, 2),
                           options->samples),
                      most)
               : most;
}

/* One of `count` entrants in a round. */
static double evaluation_of(const struct ct_team *team, size_t member, size_t count,
                            const struct ct_playoff_options *options)
{
    const struct ct_search *search = team->search;
    double sample_ns = sample_cost_ns(team, member);
    bool noisy = search->noise.known && !ct_team_is_steady(search);
    double samples = noisy ? noisy_samples(search, count, options) : options->samples;

    return fixed_s(team, member) + (samples + 1) * sample_ns / 1e9;
}

/* One round of the first `count`. */
static double round_s(const struct ct_team *team, size_t count,
                      const struct ct_playoff_options *options)
{
    double sum = CT_POLICY_PROCESS_S;

    for (size_t i = 0; i < count; i++)
        sum += evaluation_of(team, i, count, options);
    return sum;
}

/* Of the contest and of the confirmation. */
static size_t rounds_of(const struct ct_playoff_options *options)
{
    return options->least_rounds +
           (options->steady_rounds ? options->steady_rounds : options->confirm_rounds);
}

/* With the rounds of the options; the last ones are of few entrants. */
static double playoff_s(const struct ct_team *team,
                        const struct ct_playoff_options *options)
{
    size_t stay = team->count < CT_POLICY_STAY ? team->count : CT_POLICY_STAY;

    return CT_POLICY_ROUNDS_OF_ALL * round_s(team, team->count, options) +
           (double)(rounds_of(options) - CT_POLICY_ROUNDS_OF_ALL) *
               round_s(team, stay, options);
}

/* Where processes hardly differ few of them suffice.  The A/A test knows of times alone. */
static void choose_rounds(const struct ct_search *search,
                          struct ct_playoff_options *options)
{
    bool known = search->noise.known && search->objective.kind == CT_OBJECTIVE_TIME;

    options->most_rounds =
        search->noise.known &&
                CT_POLICY_TWO_PROCESSES * deviation_of(search) > CT_POLICY_NOISY
            ? CT_POLICY_MOST_ROUNDS_NOISY
            : 0;
    options->worth = CT_POLICY_WORTH;
    options->only_worth = search->playoff.spread > 0;
    options->least_rounds = CT_POLICY_LEAST_ROUNDS;
    options->confirm_rounds = CT_POLICY_CONFIRM_ROUNDS;
    options->beside_rounds = CT_POLICY_BESIDE_ROUNDS;
    if (known) {
        options->beside_steady = options->times = search->noise.result.steady;
        /* Where ratios were seen to differ, few rounds that agree do so by chance. */
        options->settled_rounds =
            search->playoff.spread > 0 ? 0 : CT_POLICY_STEADY_ROUNDS;
    }
    if (!known || !ct_team_is_steady(search))
        return;
    options->steady = search->noise.result.steady;
    if (samples_agree(search))
        options->samples = CT_POLICY_SAMPLES_STEADY;
    if (samples_are_same(search))
        options->samples = options->most_samples = CT_POLICY_SAMPLES_SAME;
    options->least_rounds = options->steady_rounds = CT_POLICY_STEADY_ROUNDS;
}

double ct_team_share_s(const struct ct_search *search)
{
    double spent_s = (double)(ct_clock_now_ns() - search->pace.start_ns) / 1e9;

    return ct_budget_playoff_s(&search->budget, spent_s,
                               (double)search->playoff.spent_ns / 1e9);
}

/* The spread of ratios at which a play-off is called off, since others should take part; 0: none is.  It
 * happens once at most, and only if there is time for another one. */
static double most_spread(const struct ct_team *team)
{
    const struct ct_search *search = team->search;
    double relied = fmax(least_deviation(search), deviation_of(search));

    if (!search->noise.known || search->objective.kind != CT_OBJECTIVE_TIME ||
        search->playoff.spread > 0 ||
        (team->hard && CT_POLICY_CALLED_OFF_WORTH * team->planned_s > team->share_s))
        return 0;
    return fmax(CT_POLICY_STEADY, CT_POLICY_SPREAD_OVER * sqrt(2) * relied);
}

/* Lowers the most samples of an entrant in a round, at most to `fewest`, to keep to the time allowed; not where
 * the plan does not rest on them, as without an A/A test. */
static void lower_samples(const struct ct_team *team, uint32_t fewest,
                          struct ct_playoff_options *options)
{
    double before_s = playoff_s(team, options);
    uint32_t most = options->most_samples;

    if (fewest < options->samples)
        fewest = options->samples;
    while (options->most_samples > fewest && playoff_s(team, options) > team->share_s)
        options->most_samples--;
    if (!(playoff_s(team, options) < before_s))
        options->most_samples = most;
}

bool ct_team_fit(struct ct_team *team, struct ct_playoff_options *options)
{
    const struct ct_search *search = team->search;
    double share_s = team->share_s;
    size_t least = team->hard || team->least < 2 ? 2 : team->least;

    choose_samples(team, options);
    choose_rounds(search, options);
    lower_samples(team, CT_POLICY_SAMPLES_FIT, options);
    while (team->count > least && playoff_s(team, options) > share_s)
        team->count--;
    lower_samples(team, CT_POLICY_SAMPLES_LEAST, options);
    /* Zero would be no limit. */
    options->limit_ns =
        (uint64_t)(share_s * 1e9 *
                   (options->only_worth && !team->hard ? CT_POLICY_SPREAD_SHARE : 1)) +
        1;
    options->hard = team->hard;
    options->rematch = true;
    if (team->hard && playoff_s(team, options) > share_s)
        options->least_rounds = options->confirm_rounds = CT_POLICY_FEWEST_ROUNDS;
    team->planned_s = playoff_s(team, options);
    team->planned = rounds_of(options);
    options->most_spread = most_spread(team);
    if (!team->hard)
        return true;
    /* Three rounds may use the time of a confirmation. */
    if (team->planned_s > share_s) {
        team->planned_s = CT_POLICY_ROUNDS_WORTH * round_s(team, team->count, options);
        team->planned = CT_POLICY_ROUNDS_WORTH;
    }
    return team->planned_s <= share_s;
}
