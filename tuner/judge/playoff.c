// SPDX-License-Identifier: Apache-2.0
// The rounds of a play-off.
#include "judge/playoff_impl.h"

#include "base/clock.h"
#include "judge/policy.h"
#include "protocol/protocol.h"

#include <math.h>
#include <string.h>

static enum ct_status tell_round(const struct ct_play *play, size_t round,
                                 const bool *stays)
{
    return play->options.round ? play->options.round(play->options.user, round, stays)
                               : CT_OK;
}

/* --- the contest --- */

static size_t staying(struct ct_play *play)
{
    size_t count = 0;

    for (size_t e = 0; e < play->count; e++)
        if (play->stays[e])
            play->order[count++] = e;
    return count;
}

static size_t fewer(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rounds of the confirmation, if processes differ as little as they should. */
static size_t expected_confirmation(const struct ct_play *play)
{
    size_t few = play->out->settled.freedom ? play->options.settled_rounds
                                            : play->options.steady_rounds;

    /* Of fewer than six, the interval of the winner's time is as wide as the A/A test says. */
    return few && ct_steadiness_half(&play->options.times, few) <= CT_POLICY_TIME_KNOWN
               ? fewer(few, play->options.confirm_rounds)
               : play->options.confirm_rounds;
}

/* How long a round of `count` takes, by the last one; a process has costs of its own. */
static uint64_t expected_ns(const struct ct_play *play, size_t count)
{
    return play->round_ns * (count + 1) / (play->round_count + 1);
}

/* How long the confirmation of a winner takes. */
static uint64_t confirmation_ns(const struct ct_play *play)
{
    size_t with_winner = play->options.steady_rounds ? 2 : 3;

    return expected_confirmation(play) * expected_ns(play, with_winner);
}

/* Whether the time allowed is over once a winner is confirmed. */
static bool out_of_time(const struct ct_play *play)
{
    return play->options.limit_ns &&
           ct_clock_now_ns() - play->start_ns + confirmation_ns(play) >
               play->options.limit_ns;
}

/* Whether `rounds` of `count` and the confirmation of a winner, if wanted, end in time. */
static bool in_time(const struct ct_play *play, size_t rounds, size_t count, bool confirm)
{
    uint64_t ns =
        rounds * expected_ns(play, count) + (confirm ? confirmation_ns(play) : 0);

    return !play->options.hard || !play->options.limit_ns || !play->round_count ||
           ct_clock_now_ns() - play->start_ns + ns <= play->options.limit_ns;
}

/* What starting a process took on average, before a round has told. */
static uint64_t start_ns(const struct ct_play *play)
{
    struct ct_scheduler_stats stats;

    ct_scheduler_stats_get(play->scheduler, &stats);
    return stats.spent_ns[CT_PHASE_START] /
           (stats.runners_started + stats.builders_started + 1);
}

/* Makes the processes of the next `rounds` of `count` ready, but not more than have time. */
static enum ct_status prepare(struct ct_play *play, size_t rounds, size_t count,
                              struct ct_err *err)
{
    uint64_t begun_ns = ct_clock_now_ns();
    uint64_t spent_ns = begun_ns - play->start_ns;
    uint64_t limit_ns = play->options.hard ? play->options.limit_ns : 0;
    uint64_t each_ns = play->round_count ? expected_ns(play, count) : start_ns(play);
    enum ct_status status;

    if (ct_scheduler_prepared(play->scheduler))
        return CT_OK;
    if (limit_ns && spent_ns >= limit_ns)
        rounds = 0;
    else if (limit_ns && each_ns && (limit_ns - spent_ns) / each_ns < rounds)
        rounds = (size_t)((limit_ns - spent_ns) / each_ns);
    ct_play_order_plans(play, count);
    status = ct_scheduler_prepare(play->scheduler, play->plans, count, rounds, err);
    rounds = ct_scheduler_prepared(play->scheduler);
    play->ready_ns = rounds ? (ct_clock_now_ns() - begun_ns) / rounds : 0;
    return status;
}

/* Three rounds may use the confirmation's time. */
static bool next_is_too_late(const struct ct_play *play, size_t count)
{
    return !in_time(play, 1, count, play->out->rounds >= CT_PLAY_WORTH_CONFIRMING);
}

/* Rounds of the contest and the confirmation that take place if nothing fails. */
static size_t sure_rounds(const struct ct_play *play, size_t least)
{
    size_t left = least > play->out->rounds ? least - play->out->rounds : 1;

    return left + expected_confirmation(play);
}

/* Whether ratios differ by more than was thought: the A/A test knows of launches of the default, and what
 * processes add to each launch is a larger share of a shorter one. */
static bool calls_off(struct ct_play *play, const struct ct_contest *now)
{
    double most = play->options.most_spread;
    double spread = ct_ranking_spread(now, play->stays);

    /* Nothing is seen of one that is left alone. */
    play->out->spread = spread > 0 ? spread : play->out->spread;
    play->out->called_off = most > 0 && !play->out->confirmed && spread > most;
    return play->out->called_off;
}

/* Judges anew, after each round, whether ratios differ so little that few rounds are enough, though the A/A test
 * saw times that do not agree.  A contradiction says that they do differ. */
static void settle(struct ct_play *play, struct ct_contest *now)
{
    struct ct_steadiness shown;

    if (!play->options.settled_rounds || play->options.steady_rounds ||
        play->out->confirmed)
        return;
    shown = ct_ranking_steadiness(now);
    if (CT_POLICY_TWO_PROCESSES * shown.deviation > CT_POLICY_STEADY)
        shown = (struct ct_steadiness){0};
    if (shown.freedom)
        shown.deviation = fmax(shown.deviation, CT_POLICY_DEVIATION_STEADY);
    play->out->settled = shown;
    now->steady = *ct_play_steady(play);
}

static size_t failures(const struct ct_play *play)
{
    size_t count = 0;

    for (size_t e = 0; e < play->count; e++)
        count += play->rankings[e].rank == CT_RANK_OUT;
    return count;
}

/* Whom they were compared with may have failed since. */
static void call_back_vain(struct ct_play *play)
{
    for (size_t e = 0; e < play->count; e++)
        if (play->vain[e] && play->rankings[e].rank != CT_RANK_OUT) {
            play->vain[e] = false;
            play->stays[e] = true;
        }
}

/* How many more rounds there is time for, up to number `most`. */
static size_t rounds_left(struct ct_play *play, size_t most)
{
    uint64_t limit_ns = play->options.limit_ns;
    uint64_t gone_ns = ct_clock_now_ns() - play->start_ns + confirmation_ns(play);
    uint64_t left_ns = limit_ns > gone_ns ? limit_ns - gone_ns : 0;
    uint64_t fit = left_ns / (expected_ns(play, staying(play)) + 1);
    size_t more = most - play->out->rounds;

    return limit_ns && fit < more ? (size_t)fit : more;
}

/* Whether all the rounds that there is time for are not worth it. */
static bool is_vain(struct ct_play *play, const struct ct_contest *now, size_t most)
{
    return ct_ranking_gain(now, play->stays, rounds_left(play, most)) <
           play->options.worth;
}

/* Those who will most likely not win need no more rounds, though they may not have lost beyond doubt. */
static void drop_vain(struct ct_play *play, const struct ct_contest *now, size_t least,
                      size_t most)
{
    size_t more = rounds_left(play, most);

    if (play->out->rounds < least && more < least - play->out->rounds)
        more = least - play->out->rounds;
    if (play->options.worth > 0)
        ct_ranking_drop_vain(now, more, play->options.worth, play->stays, play->vain);
}

/* Whether there are more rounds, of which some could change the result if it is `open`, and are worth it. */
static bool goes_on(struct ct_play *play, const struct ct_contest *now, bool open,
                    size_t least, size_t most)
{
    bool vain;

    if (play->out->rounds < least)
        return open;
    if (out_of_time(play))
        return false;
    vain = play->options.worth > 0 && is_vain(play, now, most);
    play->early = open && vain;
    return (open || play->options.only_worth) && !vain;
}

/* Rounds up to number `most` while they can change the result, but at least up to `least`. */
static enum ct_status contest(struct ct_play *play, size_t least, size_t most,
                              struct ct_err *err)
{
    while (play->out->rounds < most) {
        double *costs = &play->costs[play->out->rounds * play->count];
        size_t count = staying(play);
        size_t failed = failures(play);
        struct ct_contest now;
        enum ct_status status;
        size_t enough;
        bool off;
        bool open;

        /* Rounds alone tell nothing that the confirmation does not. */
        if (!count || (count == 1 && play->out->rounds))
            return CT_OK;
        if (next_is_too_late(play, count)) {
            play->out->cut = true;
            return CT_OK;
        }
        for (size_t e = 0; e < play->count; e++)
            costs[e] = NAN;
        status = prepare(play, sure_rounds(play, least), count, err);
        if (!status)
            status =
                ct_play_round(play, play->out->rounds, count, play->contest, costs, err);
        if (status)
            return status;
        play->out->rounds++;
        if (failures(play) > failed)
            call_back_vain(play);
        now = ct_play_contest(play);
        off = calls_off(play, &now);
        settle(play, &now);
        enough = play->out->settled.freedom ? fewer(least, play->options.settled_rounds)
                                            : least;
        open = ct_ranking_open(&now, enough, play->stays);
        if (off || !goes_on(play, &now, open, enough, most))
            return CT_OK;
        drop_vain(play, &now, enough, most);
        status = tell_round(play, play->out->rounds, play->stays);
        if (status)
            return status;
    }
    return CT_OK;
}

/* No undefeated entrant is left, because the better ones have failed since: the others are judged
 * by the rounds they had.  Returns whether there are any. */
static bool call_back(struct ct_play *play)
{
    bool any = false;

    for (size_t e = 0; e < play->count; e++)
        if (play->rankings[e].rank == CT_RANK_LOST && ct_play_competes(play, e)) {
            play->rankings[e].rank = CT_RANK_TIED;
            play->stays[e] = any = true;
            play->vain[e] = false;
        }
    return any;
}

static void eliminate(struct ct_play *play)
{
    struct ct_contest now = ct_play_contest(play);

    for (size_t e = 0; e < play->count; e++)
        if (play->rankings[e].rank != CT_RANK_OUT)
            play->rankings[e].rank = play->stays[e] ? CT_RANK_TIED : CT_RANK_LOST;
    play->out->winner = ct_ranking_judge(&now, play->rankings);
    if (play->out->winner == SIZE_MAX && call_back(play))
        play->out->winner = ct_ranking_judge(&now, play->rankings);
}

/* --- the confirmation --- */

/* How much slower the device is now, by the one that is timed beside the winner; 1 if unknown. */
static double change_of_speed(const struct ct_play *play, double *scratch)
{
    size_t beside = play->options.beside;
    double before;
    double now;
    double low;
    double high;

    if (beside >= play->count || beside == play->out->winner)
        return 1;
    ct_tape_median(play->contest[beside].costs, play->contest[beside].count,
                   &play->options.times, scratch, &before, &low, &high);
    ct_tape_median(play->confirmed[beside].costs, play->confirmed[beside].count,
                   &play->options.times, scratch, &now, &low, &high);
    return before > 0 && now > 0 ? now / before : 1;
}

/* Whether an entrant tied with the winner is faster than the winner's confirmed time. */
static bool is_slower_now(const struct ct_play *play, double *scratch)
{
    const struct ct_tape *tape = &play->confirmed[play->out->winner];
    double speed = change_of_speed(play, scratch);
    double cost;
    double low;
    double high;

    ct_tape_median(tape->costs, tape->count, &play->options.times, scratch, &cost, &low,
                   &high);
    for (size_t e = 0; e < play->count; e++)
        if (play->rankings[e].rank == CT_RANK_TIED &&
            low > play->rankings[e].high * speed * (1 + CT_PLAY_INDIFFERENCE))
            return true;
    return false;
}

/* Whether the confirmation contradicts the choice.  Where processes differ, so does the device from minute
 * to minute: there the rival decides, which was in the same processes. */
static bool contradicted(const struct ct_play *play, double *scratch)
{
    size_t rival = play->rival;

    if (play->options.steady_rounds)
        return is_slower_now(play, scratch);
    if (rival == SIZE_MAX || play->rankings[rival].rank == CT_RANK_OUT)
        return false;
    return ct_tape_cost_ratio(&play->confirmed[rival],
                              &play->confirmed[play->out->winner], ct_play_steady(play),
                              scratch)
                   .high *
               (1 + CT_PLAY_INDIFFERENCE) <
           1;
}

/* The best of those tied with the winner; none where processes hardly differ. */
static size_t find_rival(const struct ct_play *play)
{
    size_t rival = SIZE_MAX;

    for (size_t e = 0; e < play->count && !play->options.steady_rounds; e++)
        if (play->rankings[e].rank == CT_RANK_TIED &&
            (rival == SIZE_MAX || play->rankings[e].ratio < play->rankings[rival].ratio))
            rival = e;
    return rival;
}

/* Whether the costs of an entrant in the confirmation lie close together. */
static bool is_steady(const struct ct_play *play, size_t entrant)
{
    const struct ct_tape *tape = &play->confirmed[entrant];
    double least = tape->count ? tape->costs[0] : NAN;
    double most = least;

    for (size_t i = 1; i < tape->count; i++) {
        least = fmin(least, tape->costs[i]);
        most = fmax(most, tape->costs[i]);
    }
    return most <= least * (1 + CT_POLICY_STEADY);
}

/* How many rounds the confirmation has: fewer while those of the winner and of the one beside it
 * show what the A/A test has shown. */
static size_t rounds_to_confirm(const struct ct_play *play)
{
    size_t few = expected_confirmation(play);
    bool steady =
        play->out->confirmed < few || (is_steady(play, play->out->winner) &&
                                       (play->options.beside >= play->count ||
                                        !play->confirmed[play->options.beside].count ||
                                        is_steady(play, play->options.beside)));

    return steady ? few : play->options.confirm_rounds;
}

/* Whether the one that is timed beside the winner takes part in the next round of the confirmation:
 * where processes hardly differ, one of them shows as much as three. */
static bool is_beside(const struct ct_play *play)
{
    size_t beside = play->options.beside;

    if (beside >= play->count || beside == play->out->winner ||
        play->rankings[beside].rank == CT_RANK_OUT)
        return false;
    if (!play->options.steady_rounds)
        return beside == play->rival || !play->options.beside_rounds ||
               play->confirmed[beside].count < play->options.beside_rounds;
    return !play->confirmed[beside].count ||
           rounds_to_confirm(play) > play->options.steady_rounds;
}

static enum ct_status confirm(struct ct_play *play, struct ct_err *err)
{
    for (size_t e = 0; e < play->count; e++)
        play->confirmed[e].count = 0;
    play->out->confirmed = 0;
    play->rival = find_rival(play);
    while (play->out->confirmed < rounds_to_confirm(play)) {
        size_t count = 0;
        enum ct_status status;

        play->order[count++] = play->out->winner;
        if (is_beside(play))
            play->order[count++] = play->options.beside;
        if (play->rival != SIZE_MAX && play->rival != play->options.beside &&
            play->rankings[play->rival].rank != CT_RANK_OUT)
            play->order[count++] = play->rival;
        if (!in_time(play, 1, count, false)) {
            play->out->cut = true;
            return CT_OK;
        }
        status =
            prepare(play, rounds_to_confirm(play) - play->out->confirmed, count, err);
        if (!status)
            status = ct_play_round(play, play->out->confirmed, count, play->confirmed,
                                   NULL, err);
        if (status || play->rankings[play->out->winner].rank == CT_RANK_OUT)
            return status;
        play->out->confirmed++;
        status = tell_round(play, play->out->rounds + play->out->confirmed, NULL);
        if (status)
            return status;
    }
    return CT_OK;
}

/* A rematch of the winner and those tied with it. */
static enum ct_status meet_again(struct ct_play *play, struct ct_err *err)
{
    size_t rounds = play->out->rounds + play->options.least_rounds;

    play->out->settled = (struct ct_steadiness){0};
    for (size_t e = 0; e < play->count; e++)
        play->stays[e] = play->rankings[e].rank == CT_RANK_TIED ||
                         play->rankings[e].rank == CT_RANK_WINNER;
    return contest(play, rounds, rounds < play->most ? rounds : play->most, err);
}

/* From the contest to a confirmed winner. */
static enum ct_status decide_winner(struct ct_play *play, struct ct_err *err)
{
    double *scratch = ct_arena_array(
        &play->out->arena, play->most + play->options.confirm_rounds, sizeof(*scratch));
    enum ct_status status = scratch ? CT_OK : ct_err_nomem(err);
    bool met = false;

    /* All may fail, one after the other; there is at most one rematch. */
    for (size_t tries = 0; !status && tries <= play->count + 1; tries++) {
        eliminate(play);
        if (play->out->winner == SIZE_MAX)
            return CT_OK;
        status = confirm(play, err);
        if (status)
            return status;
        if (play->rankings[play->out->winner].rank == CT_RANK_OUT)
            continue;
        play->out->doubtful = met && contradicted(play, scratch);
        if (met || !contradicted(play, scratch))
            return CT_OK;
        if ((out_of_time(play) && (play->options.hard || !play->options.rematch)) ||
            !in_time(play, play->options.least_rounds, play->count, true)) {
            play->out->doubtful = true;
            return CT_OK;
        }
        met = true;
        status = meet_again(play, err);
    }
    return status;
}

static size_t or_else(size_t value, size_t otherwise)
{
    return value ? value : otherwise;
}

enum ct_status ct_playoff_run(struct ct_scheduler *scheduler, struct ct_entrant *entrants,
                              size_t count, const size_t *preference,
                              const struct ct_playoff_options *options,
                              struct ct_playoff *out, struct ct_err *err)
{
    struct ct_play play = {
        .scheduler = scheduler,
        .entrants = entrants,
        .count = count,
        .preference = preference,
        .options = *options,
        .out = out,
        .start_ns = ct_clock_now_ns(),
    };
    size_t rivals;
    enum ct_status status;

    memset(out, 0, sizeof(*out));
    out->winner = SIZE_MAX;
    play.options.least_rounds = or_else(options->least_rounds, 5);
    play.options.most_rounds = or_else(options->most_rounds, 15);
    play.options.confirm_rounds = or_else(options->confirm_rounds, 6);
    ct_rng_seed(&play.rng, options->seed);
    status = ct_play_make_room(&play, err);
    rivals = options->beside_only && options->beside < count ? count - 1 : count;
    /* A single entrant has no rivals; one round shows whether it works. */
    if (!status)
        status = contest(&play, rivals > 1 ? play.options.least_rounds : 1,
                         rivals > 1 ? play.options.most_rounds : 1, err);
    if (!status && !out->called_off)
        status = decide_winner(&play, err);
    ct_scheduler_dismiss(scheduler);
    if (status) {
        out->winner = SIZE_MAX;
        return status;
    }
    ct_play_conclude(&play);
    return CT_OK;
}

void ct_playoff_release(struct ct_playoff *playoff)
{
    ct_arena_release(&playoff->arena);
}
