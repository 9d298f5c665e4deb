// SPDX-License-Identifier: Apache-2.0
// Records rounds of a play-off, and relates an entrant's times to the winner's.
#include "judge/tape.h"

#include "base/stats.h"

#include <math.h>
#include <string.h>

bool ct_tape_make(struct ct_arena *arena, size_t rounds, struct ct_tape *tape)
{
    tape->rounds = ct_arena_array(arena, rounds, sizeof(*tape->rounds));
    tape->costs = ct_arena_array(arena, rounds, sizeof(double));
    tape->times_ns = ct_arena_array(arena, rounds, sizeof(double));
    tape->ends_ns = ct_arena_array(arena, rounds, sizeof(double));
    tape->observed = ct_arena_array(arena, rounds, sizeof(*tape->observed));
    return tape->rounds && tape->costs && tape->times_ns && tape->ends_ns &&
           tape->observed;
}

void ct_tape_add(struct ct_tape *tape, size_t round, double cost,
                 const struct ct_outcome *outcome)
{
    size_t at = tape->count++;

    tape->rounds[at] = round;
    tape->costs[at] = cost;
    tape->times_ns[at] = outcome->time_ns;
    tape->ends_ns[at] = outcome->end_to_end.time_ns;
    tape->observed[at] = outcome->observed;
}

/* --- an entrant's own rounds --- */

void ct_tape_median(const double *values, size_t count,
                    const struct ct_steadiness *steady, double *scratch, double *middle,
                    double *low, double *high)
{
    size_t known = 0;
    double half;

    *middle = *low = *high = 0;
    for (size_t i = 0; scratch && i < count; i++)
        if (!isnan(values[i]))
            scratch[known++] = values[i];
    if (!known)
        return;
    *middle = ct_stats_median(scratch, known);
    ct_stats_median_interval(scratch, known, 0.95, low, high);
    half = ct_steadiness_half(steady, known);
    *low = fmin(*low, *middle * exp(-half));
    *high = fmax(*high, *middle * exp(half));
}

static void median_quantities(const struct ct_tape *tape, double *scratch,
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

void ct_tape_describe(const struct ct_tape *tape, const struct ct_steadiness *steady,
                      double *scratch, struct ct_entrant *out)
{
    double cost;
    double low;
    double high;

    out->processes = tape->count;
    out->costs = tape->costs;
    out->times_ns = tape->times_ns;
    ct_tape_median(tape->times_ns, tape->count, steady, scratch, &out->time_ns,
                   &out->low_ns, &out->high_ns);
    ct_tape_median(tape->ends_ns, tape->count, steady, scratch, &out->end_to_end_ns,
                   &out->end_to_end_low_ns, &out->end_to_end_high_ns);
    ct_tape_median(tape->costs, tape->count, steady, scratch, &cost, &low, &high);
    if (cost > 0) {
        out->ranking.cost = cost;
        out->ranking.low = low;
        out->ranking.high = high;
    }
    median_quantities(tape, scratch, &out->observed);
}

/* --- relative to the winner --- */

/* The logarithms of the ratios of `values`, one per entry of `own`, to `others`, one per entry of `winner`, in the
 * rounds that both have; returns how many. */
static size_t log_ratios(const struct ct_tape *own, const double *values,
                         const struct ct_tape *winner, const double *others, double *out)
{
    size_t count = 0;

    for (size_t i = 0, k = 0; i < own->count; i++) {
        while (k < winner->count && winner->rounds[k] < own->rounds[i])
            k++;
        if (k < winner->count && winner->rounds[k] == own->rounds[i] && values[i] > 0 &&
            others[k] > 0)
            out[count++] = log(values[i] / others[k]);
    }
    return count;
}

static struct ct_ratio ratio_of(const struct ct_tape *own, const double *values,
                                const struct ct_tape *winner, const double *others,
                                const struct ct_steadiness *steady, double *scratch)
{
    return ct_ranking_ratio(scratch, log_ratios(own, values, winner, others, scratch),
                            steady);
}

struct ct_ratio ct_tape_cost_ratio(const struct ct_tape *own,
                                   const struct ct_tape *winner,
                                   const struct ct_steadiness *steady, double *scratch)
{
    return ratio_of(own, own->costs, winner, winner->costs, steady, scratch);
}

static struct ct_ratio at_least_one(struct ct_ratio ratio)
{
    ratio.middle = fmax(ratio.middle, 1);
    /* NAN stays. */
    ratio.high = ratio.high < 1 ? 1 : ratio.high;
    return ratio;
}

/* To the picosecond: less is rounding of logarithms. */
static double whole_ps(double ns)
{
    return round(ns * 1e3) / 1e3;
}

/* The winner's value and interval times the ratio, whose errors are independent. */
static void scale(double middle, double low, double high, struct ct_ratio ratio,
                  double out[3])
{
    double down = isnan(ratio.low) ? 0 : log(ratio.middle / ratio.low);
    double up = isnan(ratio.high) ? 0 : log(ratio.high / ratio.middle);

    out[0] = middle * ratio.middle;
    out[1] = out[0] * exp(-hypot(log(middle / low), down));
    out[2] = out[0] * exp(hypot(log(high / middle), up));
}

/* What a changing device changes besides the time. */
static void relate_energy(const struct ct_tape *own, const struct ct_tape *winner,
                          const struct ct_entrant *reported,
                          const struct ct_steadiness *steady, double *scratch,
                          struct ct_entrant *out)
{
    double winner_j = ct_quantities_get(&reported->observed, CT_QUANTITY_ENERGY_J);
    size_t count = 0;

    for (size_t i = 0, k = 0; i < own->count; i++) {
        double ratio;

        while (k < winner->count && winner->rounds[k] < own->rounds[i])
            k++;
        if (k == winner->count || winner->rounds[k] != own->rounds[i])
            continue;
        ratio = ct_quantities_get(&own->observed[i], CT_QUANTITY_ENERGY_J) /
                ct_quantities_get(&winner->observed[k], CT_QUANTITY_ENERGY_J);
        if (ratio > 0 && isfinite(ratio))
            scratch[count++] = log(ratio);
    }
    if (count && winner_j > 0)
        ct_quantities_set(&out->observed, CT_QUANTITY_ENERGY_J,
                          winner_j * ct_ranking_ratio(scratch, count, steady).middle);
}

/* Whether the entrant's costs vary so much less than their ratios to the winner's in the same rounds that the
 * two have nothing in common: what changes from process to process with each launch, a microsecond or two, is
 * much of a short kernel and nothing of a long one. */
static bool stands_apart(const struct ct_tape *own, const struct ct_tape *winner,
                         double *scratch)
{
    const double times = 2;
    size_t count = log_ratios(own, own->costs, winner, winner->costs, scratch);
    double of_ratios;

    if (count < 2)
        return false;
    of_ratios = ct_stats_deviation(scratch, count);
    count = 0;
    for (size_t i = 0; i < own->count; i++)
        if (own->costs[i] > 0)
            scratch[count++] = log(own->costs[i]);
    return of_ratios > times * ct_stats_deviation(scratch, count);
}

/* Of the two costs, whose errors are independent. */
static void relate_apart(const struct ct_entrant *reported, struct ct_entrant *out)
{
    const struct ct_ranking *winner = &reported->ranking;
    struct ct_ranking *own = &out->ranking;

    own->ratio = own->cost / winner->cost;
    own->ratio_low = own->ratio * exp(-hypot(log(own->cost / own->low),
                                             log(winner->high / winner->cost)));
    own->ratio_high = own->ratio * exp(hypot(log(own->high / own->cost),
                                             log(winner->cost / winner->low)));
}

void ct_tape_relate(const struct ct_tape *own, const struct ct_tape *winner,
                    const struct ct_entrant *reported, const struct ct_steadiness *steady,
                    bool limited, double *scratch, struct ct_entrant *out)
{
    struct ct_ratio cost = ct_tape_cost_ratio(own, winner, steady, scratch);
    struct ct_ratio time =
        ratio_of(own, own->times_ns, winner, winner->times_ns, steady, scratch);
    struct ct_ratio end =
        ratio_of(own, own->ends_ns, winner, winner->ends_ns, steady, scratch);
    /* Where the cost is another than the time, a winner may well be slower. */
    bool by_time = fabs(cost.middle - time.middle) < 1e-9;
    bool by_end = fabs(cost.middle - end.middle) < 1e-9;
    double scaled[3];

    if (!limited && stands_apart(own, winner, scratch)) {
        relate_apart(reported, out);
        return;
    }
    /* The ranking's, of the same rounds, may rest on what others show. */
    if (fabs(cost.middle - out->ranking.ratio) < 1e-9) {
        cost.low = out->ranking.ratio_low;
        cost.high = out->ranking.ratio_high;
    }
    if (by_time)
        time = cost;
    if (by_end)
        end = cost;
    if (time.middle > 0 && reported->low_ns > 0) {
        scale(reported->time_ns, reported->low_ns, reported->high_ns,
              limited && by_time ? at_least_one(time) : time, scaled);
        out->time_ns = whole_ps(scaled[0]);
        out->low_ns = whole_ps(scaled[1]);
        out->high_ns = whole_ps(scaled[2]);
    }
    if (end.middle > 0 && reported->end_to_end_low_ns > 0) {
        scale(reported->end_to_end_ns, reported->end_to_end_low_ns,
              reported->end_to_end_high_ns, limited && by_end ? at_least_one(end) : end,
              scaled);
        out->end_to_end_ns = whole_ps(scaled[0]);
        out->end_to_end_low_ns = whole_ps(scaled[1]);
        out->end_to_end_high_ns = whole_ps(scaled[2]);
    }
    if (cost.middle > 0 && reported->ranking.low > 0) {
        scale(reported->ranking.cost, reported->ranking.low, reported->ranking.high,
              limited ? at_least_one(cost) : cost, scaled);
        out->ranking.cost = scaled[0];
        out->ranking.low = scaled[1];
        out->ranking.high = scaled[2];
    }
    relate_energy(own, winner, reported, steady, scratch, out);
}
