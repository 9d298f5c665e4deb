// SPDX-License-Identifier: Apache-2.0
// The play-off of a search: who is in it, and what it changes.
#include "cli/search.h"

#include "base/clock.h"
#include "schedule/interleaved.h"
#include "schedule/keymap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ENTRANTS = 24,
    LEAST_ROUNDS = 5,
    CONFIRM_ROUNDS = 6,
    FEWEST_ROUNDS = 3, /* of either, where time is short */
    SAMPLES_MOST = 10,
    SAMPLES_LEAST = 3,
    ROUNDS_OF_ALL = 3, /* then those leave who are clearly slower */
    STAY = 4,          /* about so many stay */
    MOST_ROUNDS_NOISY = 30,
    CHAIN_MOST = 16, /* twins of twins */
    MOST_PLAYOFFS = 3,
};

static const double process_s = 0.1;         /* to start one */
static const double evaluation_s = 0.05;     /* of an entrant, beside its samples */
static const double sampling_s = 0.3;        /* of an entrant and round, about */
static const double interleave_s = 0.6;      /* the same at most, where they take turns */
static const double round_sampling_s = 1.5;  /* of all in a round, where there are many */
static const double usual_resolution = 0.05; /* where there was no A/A test */
static const double noisy = 0.05; /* resolution, from which on more rounds pay */

/* --- twins --- */

/* The experiment that stands for an entry and all its twins. */
static struct ct_hash root_of(const struct ct_search *search,
                              const struct ct_keymap *experiments,
                              const struct ct_evaluated *entry)
{
    struct ct_hash root = entry->experiment;
    size_t index;

    for (int i = 0; *entry->twin_of.text && i < CHAIN_MOST; i++) {
        root = entry->twin_of;
        if (!ct_keymap_find(experiments, &root, &index))
            break;
        entry = &search->done[index];
    }
    return root;
}

static void list_experiments(const struct ct_search *search, struct ct_keymap *out)
{
    for (size_t i = 0; i < search->done_count; i++)
        ct_keymap_put(out, &search->done[i].experiment, i);
}

/* What is known of an entry that has such times, with what was seen meanwhile. */
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

static double value_of(struct ct_search *search, const struct ct_evaluated *entry,
                       const struct ct_quantities *known)
{
    ct_search_values(search, entry->index);
    return ct_search_value(search, known);
}

static void share(struct ct_search *search, struct ct_evaluated *entry,
                  const struct ct_evaluated *from)
{
    if (!entry->rounds)
        entry->raw_ns = entry->time_ns;
    entry->time_ns = from->time_ns;
    entry->low_ns = from->low_ns;
    entry->high_ns = from->high_ns;
    entry->rounds = from->rounds;
    entry->place = from->place;
    entry->tied = from->tied;
    entry->stopped_early = from->stopped_early;
    entry->epoch = from->epoch;
    entry->played = from->played;
    entry->observed = from->observed;
    entry->value = value_of(search, entry, &entry->observed);
}

void ct_search_share(struct ct_search *search)
{
    struct ct_keymap experiments = {0};
    struct ct_keymap played = {0};

    list_experiments(search, &experiments);
    for (size_t i = 0; i < search->done_count; i++)
        if (search->done[i].place) {
            struct ct_hash root = root_of(search, &experiments, &search->done[i]);

            ct_keymap_put(&played, &root, i);
        }
    for (size_t i = 0; played.count && i < search->done_count; i++) {
        struct ct_evaluated *entry = &search->done[i];
        struct ct_hash root = root_of(search, &experiments, entry);
        size_t index;

        if (!entry->place && entry->status == CT_RESULT_OK &&
            ct_keymap_find(&played, &root, &index))
            share(search, entry, &search->done[index]);
    }
    ct_keymap_release(&experiments);
    ct_keymap_release(&played);
}

/* --- who is in it --- */

struct member {
    struct ct_evaluated *entry;
    struct ct_hash root;
    double cost;           /* as at the beginning of the search */
    size_t unlike;         /* parameters that differ from the default */
    struct ct_arena arena; /* owns the plan */
    struct ct_plan plan;
};

struct team {
    struct ct_search *search;
    struct member members[MOST_ENTRANTS + 1];
    struct ct_entrant entrants[MOST_ENTRANTS + 1];
    size_t preference[MOST_ENTRANTS + 1];
    size_t near;   /* as near_enough has it */
    size_t count;  /* with the default */
    size_t beside; /* the default; SIZE_MAX: it did not work */
    bool beside_only;
    struct ct_playoff playoff;
};

static bool is_default(const struct ct_search *search, const struct ct_evaluated *entry)
{
    return entry->index == search->default_index;
}

/* Better ones first; of those that are alike the pick of the last play-off, the default,
 * and who was measured itself. */
static bool before(const struct ct_search *search, const struct member *a,
                   const struct member *b)
{
    if (a->cost != b->cost)
        return a->cost < b->cost;
    if ((a->entry->place == 1) != (b->entry->place == 1))
        return a->entry->place == 1;
    if (is_default(search, a->entry) != is_default(search, b->entry))
        return is_default(search, a->entry);
    if (!*a->entry->twin_of.text != !*b->entry->twin_of.text)
        return !*a->entry->twin_of.text;
    return a->entry->index < b->entry->index;
}

/* Puts a candidate among the best, which are in order and have no twins. */
static void consider(struct team *team, const struct member *candidate)
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
    if (at == MOST_ENTRANTS)
        return;
    if (team->count == MOST_ENTRANTS)
        team->count--;
    memmove(&team->members[at + 1], &team->members[at],
            (team->count - at) * sizeof(*candidate));
    team->members[at] = *candidate;
    team->count++;
}

/* Those whose value lies so near the leader's that they may be better in truth: within
 * one and a half times what one process each can tell (the leader is the luckiest of
 * many), or with intervals that overlap. */
static size_t near_enough(const struct team *team)
{
    const struct ct_search *search = team->search;
    double resolution = search->has_noise ? search->noise.resolution : usual_resolution;
    const struct member *leader = &team->members[0];
    double high = leader->cost * leader->entry->high_ns / leader->entry->time_ns;
    double most = leader->cost * (1 + 1.5 * fmax(resolution, 0.02));
    size_t count = 1;

    while (count < team->count) {
        const struct member *m = &team->members[count];

        if (m->cost > most && !(m->cost * m->entry->low_ns / m->entry->time_ns <= high))
            break;
        count++;
    }
    return count;
}

static void choose(struct team *team)
{
    struct ct_search *search = team->search;
    struct ct_keymap experiments = {0};

    list_experiments(search, &experiments);
    for (size_t i = 0; i < search->done_count; i++) {
        struct ct_evaluated *entry = &search->done[i];
        struct member candidate = {.entry = entry};

        candidate.cost = ct_search_corrected(search, entry);
        if (entry->status != CT_RESULT_OK || isnan(entry->value))
            continue;
        /* Ratios say nothing of values that may be 0 or negative: who has the best one
         * stays the best. */
        if (isnan(candidate.cost) && !search->maximize) {
            team->count = 0;
            break;
        }
        if (isnan(candidate.cost))
            continue;
        candidate.root = root_of(search, &experiments, entry);
        consider(team, &candidate);
    }
    ct_keymap_release(&experiments);
    if (!team->count)
        return;
    team->near = near_enough(team);
    /* Two where there are two: one alone tells nothing. */
    if (team->count > 2)
        team->count = team->near > 2 ? team->near : 2;
}

/* Whether there is anything to decide: new results, no pick yet, or results that came
 * after the last play-off (of a search that was interrupted). */
static bool needed(const struct team *team)
{
    const struct ct_search *search = team->search;
    const struct ct_evaluated *pick = NULL;

    for (size_t i = 0; i < search->done_count; i++)
        if (search->done[i].place == 1 && search->done[i].status == CT_RESULT_OK &&
            (!pick || !*search->done[i].twin_of.text))
            pick = &search->done[i];
    if (!team->count)
        return false;
    if (search->evaluated || !pick)
        return true;
    for (size_t i = 0; i < team->count; i++)
        if (!team->members[i].entry->place &&
            team->members[i].entry->measured_unix_s > pick->measured_unix_s)
            return true;
    return false;
}

/* The default stands beside the winner, whether it competes or not. */
static void add_default(struct team *team)
{
    struct ct_search *search = team->search;
    struct ct_evaluated *entry = &search->default_result;

    team->beside = SIZE_MAX;
    if (!(ct_search_default_ns(search) > 0))
        return;
    for (size_t i = 0; i < team->count; i++)
        if (is_default(search, team->members[i].entry)) {
            team->beside = i;
            return;
        }
    for (size_t i = 0; i < search->done_count; i++)
        if (is_default(search, &search->done[i]))
            entry = &search->done[i];
    team->beside = team->count;
    team->beside_only = true;
    team->members[team->count++] =
        (struct member){.entry = entry,
                        .root = entry->experiment,
                        .cost = ct_search_corrected(search, entry)};
}

/* --- how long it may take --- */

static uint32_t samples_of(const struct team *team, size_t member)
{
    const struct ct_search *search = team->search;
    double sample_ns = ct_search_sample_ns(team->members[member].entry->time_ns);
    double most = sampling_s * 1e9 / sample_ns;
    double wanted = search->samples ? search->samples : SAMPLES_MOST;

    if (!search->options->samples && wanted > SAMPLES_MOST)
        wanted = SAMPLES_MOST;
    if (wanted > most && !search->options->samples)
        wanted = most;
    return wanted < SAMPLES_LEAST ? SAMPLES_LEAST : (uint32_t)wanted;
}

/* Where the cost follows from the device time alone, samples take turns: then more of
 * them tell more, because what they have in common cancels out. */
static void sampling(const struct team *team, struct ct_playoff_options *options)
{
    const struct ct_search *search = team->search;
    double sample_ns = ct_search_sample_ns(team->members[0].entry->time_ns);
    double least = fmin(CT_INTERLEAVED_LEAST, sampling_s * 1e9 / sample_ns);
    double most = fmin(CT_INTERLEAVED_MOST, interleave_s * 1e9 / sample_ns);

    options->samples = samples_of(team, 0);
    options->interleaved = ct_search_by_time(search);
    if (!options->interleaved || search->options->samples)
        return;
    options->samples = (uint32_t)fmax(least, SAMPLES_LEAST);
    options->most_samples = (uint32_t)fmax(most, options->samples);
    options->round_samples = (uint32_t)fmax(round_sampling_s * 1e9 / sample_ns, 1);
}

/* One of `count` in a round. */
static double evaluation_of(const struct team *team, size_t member, size_t count,
                            const struct ct_playoff_options *options)
{
    const struct ct_search *search = team->search;
    double sample_ns = ct_search_sample_ns(team->members[member].entry->time_ns);
    bool noise = search->has_noise && search->noise.resolution > noisy;
    uint32_t samples = noise ? ct_playoff_samples(options, count) : options->samples;

    return evaluation_s + (samples + 1) * sample_ns / 1e9;
}

/* One round of the first `count`. */
static double round_s(const struct team *team, size_t count,
                      const struct ct_playoff_options *options)
{
    double sum = process_s;

    for (size_t i = 0; i < count; i++)
        sum += evaluation_of(team, i, count, options);
    return sum;
}

static double playoff_s(const struct team *team, const struct ct_playoff_options *options)
{
    size_t stay = team->count < STAY ? team->count : STAY;

    return ROUNDS_OF_ALL * round_s(team, team->count, options) +
           (LEAST_ROUNDS + CONFIRM_ROUNDS - ROUNDS_OF_ALL) * round_s(team, stay, options);
}

/* A quarter of the budget; else half of what the search took so far, unless that is
 * little: where processes differ much, only many of them tell anything. */
static double share_of(const struct ct_search *search)
{
    double spent_s = (double)(ct_clock_now_ns() - search->start_ns) / 1e9;

    return search->budget_s > 0 ? fmax(search->budget_s / 4, 2) : fmax(spent_s / 2, 30);
}

/* So that it does not take much longer than its share: the farthest entrants stay away,
 * and then there are fewer rounds. */
static void fit(struct team *team, struct ct_playoff_options *options)
{
    const struct ct_search *search = team->search;
    bool budget = search->budget_s > 0;
    double share_s = share_of(search);

    while (team->count > 2 && playoff_s(team, options) > share_s)
        team->count--;
    options->limit_ns = (uint64_t)(share_s * 1e9);
    options->most_rounds =
        search->has_noise && search->noise.resolution > noisy ? MOST_ROUNDS_NOISY : 0;
    options->least_rounds = LEAST_ROUNDS;
    options->confirm_rounds = CONFIRM_ROUNDS;
    if (budget && playoff_s(team, options) > share_s)
        options->least_rounds = options->confirm_rounds = FEWEST_ROUNDS;
}

/* --- preparing --- */

static enum ct_status plan_member(struct ct_search *search, struct member *member,
                                  struct ct_err *err)
{
    ct_search_values(search, member->entry->index);
    for (size_t p = 0; p < search->spec->param_count; p++)
        member->unlike +=
            ct_value_equal(search->values[p], search->default_values[p]) ? 0 : 1;
    return ct_search_plan(search, &member->arena, &member->plan, err);
}

/* The pick of an earlier play-off, then the default, then what differs least from it. */
static bool preferred(const struct member *a, const struct member *b)
{
    if ((a->entry->place == 1) != (b->entry->place == 1))
        return a->entry->place == 1;
    if (a->unlike != b->unlike)
        return a->unlike < b->unlike;
    return a->entry->index < b->entry->index;
}

static enum ct_status prepare(struct team *team, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < team->count && !status; i++) {
        status = plan_member(team->search, &team->members[i], err);
        team->entrants[i].plan = &team->members[i].plan;
    }
    for (size_t i = 0; i < team->count; i++)
        for (size_t k = 0; k < team->count; k++)
            team->preference[i] +=
                preferred(&team->members[k], &team->members[i]) ? 1 : 0;
    return status;
}

static double cost_of(void *user, size_t entrant, const struct ct_outcome *outcome)
{
    const struct team *team = user;
    const struct ct_evaluated *entry = team->members[entrant].entry;
    /* What was not seen in this process is not known of it. */
    struct ct_quantities known = ct_outcome_quantities(outcome);

    return ct_search_positive(team->search, value_of(team->search, entry, &known));
}

/* --- what comes of it --- */

/* The processes that confirm a time run within seconds of each other; the default, timed
 * all along, tells what minutes change. */
static void widen(const struct team *team, struct ct_evaluated *entry)
{
    double now_ns = team->beside == SIZE_MAX ? 0 : team->entrants[team->beside].time_ns;
    double spread = 1.96 * ct_drift_spread(&team->search->drift, now_ns);

    entry->low_ns =
        entry->time_ns * exp(-hypot(log(entry->time_ns / entry->low_ns), spread));
    entry->high_ns =
        entry->time_ns * exp(hypot(log(entry->high_ns / entry->time_ns), spread));
}

static void take_times(struct team *team, size_t index)
{
    struct ct_search *search = team->search;
    const struct ct_entrant *from = &team->entrants[index];
    struct ct_evaluated *entry = team->members[index].entry;

    if (!entry->rounds)
        entry->raw_ns = entry->time_ns;
    entry->time_ns = from->time_ns;
    entry->low_ns = from->low_ns;
    entry->high_ns = from->high_ns;
    if (index == team->playoff.winner || index == team->beside)
        widen(team, entry);
    entry->rounds = from->processes;
    entry->played = true;
    entry->stopped_early = false;
    entry->tied = from->standing.place == CT_PLACE_TIED;
    entry->epoch = ct_drift_epoch(&search->drift);
    entry->observed =
        known_of(entry, from->time_ns, from->end_to_end_ns, &from->observed);
    entry->value = value_of(search, entry, &entry->observed);
}

/* One that failed in some round does not compete any more. */
static enum ct_status take_failure(struct team *team, size_t index, struct ct_err *err)
{
    struct ct_search *search = team->search;
    const struct ct_entrant *from = &team->entrants[index];
    struct member *member = &team->members[index];
    struct ct_outcome outcome = {.status = from->status,
                                 .phase = from->phase,
                                 .message = from->message,
                                 .build_log = ""};

    if (from->status == CT_RESULT_TIMEOUT)
        outcome.deadline_ns = ct_cli_deadlines(search->options).ns[from->phase];
    ct_cli_warn("a configuration that had worked was %s in the play-off%s%s",
                ct_result_status_name(from->status), *from->message ? ": " : "",
                from->message);
    if (member->entry->index == CT_OUTSIDE) {
        member->entry->status = from->status;
        return CT_OK;
    }
    search->status_counts[CT_RESULT_OK]--;
    search->status_counts[from->status]++;
    return ct_search_record(search, &member->plan, &outcome, NULL, member->entry, err);
}

/* The pick first, then those that are tied with it, then the others. */
static bool stands_before(const struct team *team, size_t a, size_t b)
{
    const struct ct_ranking *x = &team->entrants[a].standing;
    const struct ct_ranking *y = &team->entrants[b].standing;

    if (x->place != y->place)
        return x->place < y->place;
    return x->cost != y->cost ? x->cost < y->cost : a < b;
}

/* Stores the order, and gives everybody a place in it. */
static enum ct_status rank(struct team *team, struct ct_err *err)
{
    struct ct_search *search = team->search;
    struct ct_evaluated *order[MOST_ENTRANTS + 1];
    const struct ct_entrant *entrants[MOST_ENTRANTS + 1];
    size_t indices[MOST_ENTRANTS + 1];
    size_t count = 0;

    /* Without a winner nobody has a place. */
    for (size_t i = 0; i < team->count && team->playoff.winner != SIZE_MAX; i++) {
        size_t at = count;

        /* A default outside a restricted space does not compete. */
        if (!team->entrants[i].processes ||
            team->entrants[i].standing.place == CT_PLACE_OUT ||
            team->members[i].entry->index == CT_OUTSIDE)
            continue;
        while (at && stands_before(team, i, indices[at - 1])) {
            indices[at] = indices[at - 1];
            at--;
        }
        indices[at] = i;
        count++;
    }
    for (size_t i = 0; i < search->done_count; i++) {
        search->done[i].place = 0;
        search->done[i].tied = false;
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = team->members[indices[i]].entry;
        entrants[i] = &team->entrants[indices[i]];
        order[i]->place = i + 1;
        order[i]->tied = entrants[i]->standing.place == CT_PLACE_TIED;
    }
    return ct_search_store_rankings(search, order, entrants, count, err);
}

/* The best is the pick, whatever others' single processes said. */
static void note_best(struct ct_search *search, const struct ct_evaluated *pick)
{
    search->best_ns = 0;
    if (pick) {
        ct_search_competes(search, pick);
        return;
    }
    for (size_t i = 0; i < search->done_count; i++)
        ct_search_competes(search, &search->done[i]);
}

static enum ct_status take_over(struct team *team, struct ct_err *err)
{
    struct ct_search *search = team->search;
    size_t winner = team->playoff.winner;
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < team->count && !status; i++)
        if (team->entrants[i].status != CT_RESULT_OK)
            status = take_failure(team, i, err);
        else if (team->entrants[i].processes)
            take_times(team, i);
    if (!status)
        status = rank(team, err);
    if (!status)
        ct_search_share(search);
    note_best(search, winner == SIZE_MAX ? NULL : team->members[winner].entry);
    if (team->beside != SIZE_MAX &&
        team->members[team->beside].entry != &search->default_result)
        search->default_result = *team->members[team->beside].entry;
    return status ? status : ct_search_store_default(search, err);
}

static void note_playoff(const struct team *team)
{
    struct ct_search_playoff *noted = &team->search->playoff;

    noted->played = true;
    for (size_t i = 0; i < team->count; i++)
        noted->entrants +=
            !team->members[i].entry->played && !(team->beside_only && i == team->beside);
    noted->processes += team->playoff.rounds + team->playoff.confirmed;
    noted->tied = team->playoff.tied;
    noted->resolution = team->playoff.resolution;
    noted->doubtful = team->playoff.doubtful;
    noted->spent_ns += team->playoff.spent_ns;
}

static enum ct_status play(struct team *team, struct ct_err *err)
{
    struct ct_search *search = team->search;
    struct ct_playoff_options options = {
        .seed = search->options->seed, .cost = cost_of, .user = team};
    enum ct_status status;

    sampling(team, &options);
    fit(team, &options);
    add_default(team);
    options.beside = team->beside;
    options.beside_only = team->beside_only;
    status = prepare(team, err);
    if (status)
        return status;
    if (!search->options->quiet)
        fprintf(stderr, "play-off: %zu configuration%s over fresh processes\n",
                team->count, team->count == 1 ? "" : "s");
    status = ct_playoff_run(search->scheduler, team->entrants, team->count,
                            team->preference, &options, &team->playoff, err);
    if (status)
        return status;
    status = ct_search_check_sources(search, err);
    if (status)
        return status;
    note_playoff(team);
    return take_over(team, err);
}

/* The leader may have been so lucky that better ones did not come near it: once its time
 * is known, they do. */
static bool overlooked(const struct team *team)
{
    for (size_t i = 0; i < team->near; i++)
        if (!team->members[i].entry->played)
            return true;
    return false;
}

enum ct_status ct_search_play(struct ct_search *search, struct ct_err *err)
{
    struct team *team = ct_mem_array(1, sizeof(*team));
    int most = search->options->rough ? 0 : MOST_PLAYOFFS;
    /* All play-offs together keep to what one may take now. */
    double share_s = share_of(search);
    enum ct_status status = CT_OK;

    if (!team)
        return ct_err_nomem(err);
    for (int time = 0; time < most && !status; time++) {
        bool wanted;

        memset(team, 0, sizeof(*team));
        team->search = search;
        choose(team);
        wanted =
            time ? overlooked(team) && (double)search->playoff.spent_ns / 1e9 < share_s
                 : needed(team);
        if (wanted)
            status = play(team, err);
        for (size_t i = 0; i < team->count; i++)
            ct_arena_release(&team->members[i].arena);
        ct_playoff_release(&team->playoff);
        if (!wanted)
            break;
    }
    free(team);
    return status;
}
