// SPDX-License-Identifier: Apache-2.0
// What a play-off says of its entrants.
#include "judge/playoff_impl.h"

#include "base/clock.h"
#include "base/stats.h"

#include <math.h>
#include <string.h>

void ct_play_interval(const struct ct_play *play, const double *values, size_t count,
                      double *scratch, double *middle, double *low, double *high)
{
    double half;

    *middle = *low = *high = 0;
    if (!count || !scratch)
        return;
    memcpy(scratch, values, count * sizeof(*values));
    *middle = ct_stats_median(scratch, count);
    ct_stats_median_interval(scratch, count, 0.95, low, high);
    half = ct_steadiness_half(&play->options.steady, count);
    *low = fmin(*low, *middle * (1 - half));
    *high = fmax(*high, *middle * (1 + half));
}

static void median_quantities(struct ct_tape *tape, double *scratch,
                              struct ct_quantities *out)
{
    memset(out, 0, sizeof(*out));
    for (int q = 0; q < CT_QUANTITY_COUNT; q++) {
        size_t count = 0;

        for (size_t i = 0; i < tape->count; i++) {
            double value = ct_quantities_get(&tape->observed[i], (enum ct_quantity)q);

            if (!isnan(value))
                scratch[count++] = value;
        }
        if (count)
            ct_quantities_set(out, (enum ct_quantity)q, ct_stats_median(scratch, count));
    }
}

static void describe_entrant(struct ct_play *play, size_t entrant, double *scratch)
{
    struct ct_entrant *it = &play->entrants[entrant];
    struct ct_tape *tape = &play->contest[entrant];
    bool own = play->confirmed[entrant].count > 0;

    if (own)
        tape = &play->confirmed[entrant];
    it->ranking = play->rankings[entrant];
    it->processes = tape->count;
    it->costs = tape->costs;
    it->times_ns = tape->times_ns;
    ct_play_interval(play, tape->times_ns, tape->count, scratch, &it->time_ns,
                     &it->low_ns, &it->high_ns);
    ct_play_interval(play, tape->ends_ns, tape->count, scratch, &it->end_to_end_ns,
                     &it->end_to_end_low_ns, &it->end_to_end_high_ns);
    if (own && !isnan(tape->costs[0]))
        ct_play_interval(play, tape->costs, tape->count, scratch, &it->ranking.cost,
                         &it->ranking.low, &it->ranking.high);
    median_quantities(tape, scratch, &it->observed);
}

void ct_play_conclude(struct ct_play *play)
{
    double *scratch = ct_arena_array(
        &play->out->arena, play->most + play->options.confirm_rounds, sizeof(*scratch));
    struct ct_playoff *out = play->out;

    out->resolution = CT_PLAY_INDIFFERENCE;
    for (size_t e = 0; scratch && e < play->count; e++) {
        const struct ct_ranking *ranking = &play->rankings[e];

        describe_entrant(play, e, scratch);
        if (ranking->rank != CT_RANK_TIED)
            continue;
        out->tied++;
        if (ranking->ratio_high - ranking->ratio_low > 2 * out->resolution)
            out->resolution = (ranking->ratio_high - ranking->ratio_low) / 2;
    }
    out->spent_ns = ct_clock_now_ns() - play->start_ns;
}

static bool entrant_precedes(const struct ct_entrant *a, const struct ct_entrant *b)
{
    const struct ct_ranking *x = &a->ranking;
    const struct ct_ranking *y = &b->ranking;

    return x->rank != y->rank ? x->rank < y->rank : x->cost < y->cost;
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
