// SPDX-License-Identifier: Apache-2.0
// What the play-off's files share.
#ifndef CT_JUDGE_PLAYOFF_IMPL_H
#define CT_JUDGE_PLAYOFF_IMPL_H

#include "base/rng.h"
#include "judge/tape.h"

/* Processes and their memory layout cause this much; too little to base a choice on. */
#define CT_PLAY_INDIFFERENCE 0.005

/* After fewer rounds nothing can be significant. */
enum { CT_PLAY_WORTH_CONFIRMING = 3 };

struct ct_play {
    struct ct_scheduler *scheduler;
    struct ct_entrant *entrants;
    size_t count;
    const size_t *preference;
    struct ct_playoff_options options; /* defaults filled in */
    struct ct_playoff *out;
    uint64_t start_ns;
    uint64_t round_ns;  /* of the last round, with its share of preparing */
    size_t round_count; /* its entrants */
    uint64_t ready_ns;  /* that preparing one process took */
    struct ct_rng rng;
    size_t most;   /* most rounds possible */
    double *costs; /* of the contest: [round][entrant] */
    size_t *order;
    const struct ct_plan **plans; /* room for all */
    bool *stays;
    bool *vain; /* takes no more part: rounds would hardly show it to be the best */
    bool early; /* the contest has ended before all that is open was decided */
    struct ct_tape *contest; /* one per entrant */
    struct ct_tape *confirmed;
    size_t rival; /* takes part in the confirmation; SIZE_MAX: none */
    struct ct_ranking *rankings;
};

/* How ratios of entrants differ from process to process; all 0: unknown. */
static inline const struct ct_steadiness *ct_play_steady(const struct ct_play *play)
{
    return play->out->settled.freedom ? &play->out->settled : &play->options.steady;
}

/* Whether an entrant can win. */
static inline bool ct_play_competes(const struct ct_play *play, size_t entrant)
{
    return !(play->options.beside_only && entrant == play->options.beside);
}

/* Makes room for the rounds of all entrants, in the arena of the results, and for each entrant's: none has failed
 * yet.  Settles whether samples are interleaved.  CT_E_NOMEM. */
enum ct_status ct_play_make_room(struct ct_play *play, struct ct_err *err);

/* Sets the entrants' results. */
void ct_play_conclude(struct ct_play *play);

/* --- playoff_round.c --- */

/* What is known so far; borrows from `play`. */
struct ct_contest ct_play_contest(const struct ct_play *play);

/* The plans of the first `count` of play->order. */
void ct_play_order_plans(struct ct_play *play, size_t count);

/* Evaluates the `count` entrants of play->order in one fresh process, as round number `round`;
 * `costs` (NULL: not needed) has one per entrant. */
enum ct_status ct_play_round(struct ct_play *play, size_t round, size_t count,
                             struct ct_tape *tapes, double *costs, struct ct_err *err);

#endif
