// SPDX-License-Identifier: Apache-2.0
// One round of a play-off: all that still take part, in one process.
#include "judge/playoff_impl.h"

#include "base/clock.h"
#include "judge/policy.h"
#include "schedule/interleaved.h"
#include "protocol/protocol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double cost_of(const struct ct_play *play, size_t entrant,
                      const struct ct_outcome *outcome)
{
    double cost = play->options.cost
                      ? play->options.cost(play->options.user, entrant, outcome)
                      : outcome->time_ns;

    return cost > 0 && isfinite(cost) ? cost : NAN;
}

/* Records one entrant's outcome; NAN if it did not work. */
static double record(struct ct_play *play, struct ct_tape *tape, size_t round,
                     size_t entrant, const struct ct_outcome *outcome)
{
    struct ct_entrant *it = &play->entrants[entrant];
    double cost;

    if (outcome->status != CT_RESULT_OK) {
        it->status = outcome->status;
        it->phase = outcome->phase;
        it->message =
            ct_arena_copy(&play->out->arena, outcome->message, strlen(outcome->message));
        it->message = it->message ? it->message : "";
        play->stays[entrant] = false;
        play->rankings[entrant].rank = CT_RANK_OUT;
        return NAN;
    }
    cost = cost_of(play, entrant, outcome);
    ct_tape_add(tape, round, cost, outcome);
    return cost;
}

static uint32_t least_samples(const struct ct_playoff_options *options)
{
    uint32_t least = options->samples ? options->samples : CT_SAMPLE_DEFAULT;

    /* Where processes agree, so do the samples of one: more would add nothing. */
    return options->steady_rounds && least > CT_POLICY_SAMPLES_STEADY
               ? CT_POLICY_SAMPLES_STEADY
               : least;
}

uint32_t ct_playoff_samples(const struct ct_playoff_options *options, size_t count)
{
    uint32_t least = least_samples(options);
    size_t most = options->most_samples;

    if (options->round_samples && most > options->round_samples / count)
        most = options->round_samples / count;
    return most > least ? (uint32_t)most : least;
}

struct ct_contest ct_play_contest(const struct ct_play *play)
{
    return (struct ct_contest){
        .entrants = play->count,
        .rounds = play->out->rounds,
        .costs = play->costs,
        .preference = play->preference,
        .indifference = CT_PLAY_INDIFFERENCE,
        .steady = *ct_play_steady(play),
        .strict = play->options.only_worth || play->early,
        .times = play->options.times,
    };
}

/* How uncertain a ratio in one process may be. */
static double precise_enough(const struct ct_play *play)
{
    struct ct_contest now = ct_play_contest(play);
    double spread = play->out->rounds < 2 ? 0 : ct_ranking_spread(&now, play->stays);

    return CT_POLICY_OWN_SHARE * (spread > 0 ? spread : play->options.spread);
}

void ct_play_order_plans(struct ct_play *play, size_t count)
{
    for (size_t i = 0; i < count; i++)
        play->plans[i] = play->entrants[play->order[i]].plan;
}

enum ct_status ct_play_round(struct ct_play *play, size_t round, size_t count,
                             struct ct_tape *tapes, double *costs, struct ct_err *err)
{
    const struct ct_playoff_options *options = &play->options;
    struct ct_interleaved how = {
        .plans = play->plans,
        .count = count,
        .least = least_samples(options),
        .most = ct_playoff_samples(options, count),
        .precise = precise_enough(play),
        /* The evaluation's own do not count. */
        .first = 1,
        .whole = !options->interleaved,
    };
    struct ct_outcome *outcomes = ct_mem_array(count, sizeof(*outcomes));
    uint64_t begun_ns = ct_clock_now_ns();
    enum ct_status status;

    if (!outcomes)
        return ct_err_nomem(err);
    ct_play_order_plans(play, count);
    status = ct_interleaved_run(play->scheduler, &how, &play->rng, outcomes, err);
    for (size_t i = 0; i < count && !status; i++) {
        size_t entrant = play->order[i];
        double cost = record(play, &tapes[entrant], round, entrant, &outcomes[i]);

        if (costs)
            costs[entrant] = cost;
        ct_outcome_release(&outcomes[i]);
    }
    free(outcomes);
    play->round_ns = ct_clock_now_ns() - begun_ns + play->ready_ns;
    play->round_count = count;
    return status;
}
