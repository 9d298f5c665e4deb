// SPDX-License-Identifier: Apache-2.0
// What a play-off says of its entrants.
#include "judge/playoff_impl.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

/* The paired ratios of the entrant that was timed beside the winner come from the confirmation, in
 * which the winner, once chosen, is no longer a lucky one. */
static bool is_confirmed(const struct ct_play *play, size_t entrant)
{
    size_t least = play->options.steady_rounds ? 1 : CT_PLAY_WORTH_CONFIRMING;

    return entrant == play->options.beside && play->confirmed[entrant].count >= least;
}

static void describe_entrant(struct ct_play *play, size_t entrant, double *scratch)
{
    struct ct_entrant *it = &play->entrants[entrant];
    bool confirmed = play->confirmed[entrant].count &&
                     (entrant == play->out->winner || entrant == play->options.beside);

    const struct ct_steadiness *steady = entrant == play->options.beside
                                             ? &play->options.beside_steady
                                             : &play->options.times;

    it->ranking = play->rankings[entrant];
    ct_tape_describe(confirmed ? &play->confirmed[entrant] : &play->contest[entrant],
                     steady, scratch, it);
}

/* After the winner's description. */
static void relate_entrant(struct ct_play *play, size_t entrant, double *scratch)
{
    const struct ct_tape *tapes =
        is_confirmed(play, entrant) ? play->confirmed : play->contest;
    const struct ct_steadiness *steady = ct_play_steady(play);
    struct ct_entrant *it = &play->entrants[entrant];
    size_t winner = play->out->winner;

    if (is_confirmed(play, entrant)) {
        struct ct_ratio ratio =
            ct_tape_cost_ratio(&tapes[entrant], &tapes[winner], steady, scratch);

        it->ranking.ratio = ratio.middle;
        it->ranking.ratio_low = ratio.low;
        it->ranking.ratio_high = ratio.high;
    }
    ct_tape_relate(&tapes[entrant], &tapes[winner], &play->entrants[winner], steady,
                   ct_play_competes(play, entrant), scratch, it);
}

void ct_play_conclude(struct ct_play *play)
{
    double *scratch = ct_arena_array(
        &play->out->arena, play->most + play->options.confirm_rounds, sizeof(*scratch));
    struct ct_playoff *out = play->out;

    out->spent_ns = ct_clock_now_ns() - play->start_ns;
    out->resolution = CT_PLAY_INDIFFERENCE;
    if (out->called_off)
        return;
    for (size_t e = 0; scratch && e < play->count; e++)
        describe_entrant(play, e, scratch);
    for (size_t e = 0; scratch && e < play->count; e++) {
        const struct ct_ranking *ranking = &play->rankings[e];

        if (e != out->winner && out->winner != SIZE_MAX && ranking->rank != CT_RANK_OUT)
            relate_entrant(play, e, scratch);
        if (ranking->rank != CT_RANK_TIED)
            continue;
        out->tied++;
        if (ranking->ratio_high - ranking->ratio_low > 2 * out->resolution)
            out->resolution = (ranking->ratio_high - ranking->ratio_low) / 2;
    }
}

static bool entrant_precedes(const struct ct_entrant *a, const struct ct_entrant *b)
{
    const struct ct_ranking *x = &a->ranking;
    const struct ct_ranking *y = &b->ranking;

    return x->rank != y->rank ? x->rank < y->rank : x->ratio < y->ratio;
}

size_t ct_playoff_order(const struct ct_playoff *playoff,
                        const struct ct_entrant *entrants, size_t count,
                        const struct ct_entrant **order)
{
    size_t ordered = 0;

    for (size_t i = 0; i < count && playoff->winner != SIZE_MAX; i++) {
        size_t at = ordered;

        if (!entrants[i].processes || entrants[i].ranking.rank == CT_RANK_OUT)
            continue;
        for (; at && entrant_precedes(&entrants[i], order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = &entrants[i];
        ordered++;
    }
    return ordered;
}
