// SPDX-License-Identifier: Apache-2.0
// The memory of a play-off.
#include "judge/playoff_impl.h"

#include "schedule/interleaved.h"

enum ct_status ct_play_make_room(struct ct_play *play, struct ct_err *err)
{
    struct ct_arena *arena = &play->out->arena;
    size_t confirm = play->options.confirm_rounds;
    bool good;

    /* A rematch adds rounds. */
    play->most = play->options.most_rounds + play->options.least_rounds;
    play->costs = ct_arena_array(arena, play->most * play->count, sizeof(double));
    play->order = ct_arena_array(arena, play->count, sizeof(*play->order));
    play->plans = ct_arena_array(arena, play->count, sizeof(struct ct_plan *));
    play->stays = ct_arena_array(arena, play->count, sizeof(*play->stays));
    play->vain = ct_arena_array(arena, play->count, sizeof(*play->vain));
    play->contest = ct_arena_array(arena, play->count, sizeof(*play->contest));
    play->confirmed = ct_arena_array(arena, play->count, sizeof(*play->confirmed));
    play->rankings = ct_arena_array(arena, play->count, sizeof(*play->rankings));
    good = play->costs && play->order && play->plans && play->stays && play->vain &&
           play->contest && play->confirmed && play->rankings;
    for (size_t e = 0; good && e < play->count; e++) {
        good = ct_tape_make(arena, play->most, &play->contest[e]) &&
               ct_tape_make(arena, confirm, &play->confirmed[e]);
        play->plans[e] = play->entrants[e].plan;
        play->stays[e] = ct_play_competes(play, e);
        play->entrants[e].status = CT_RESULT_OK;
        play->entrants[e].message = "";
    }
    if (good && play->options.interleaved)
        play->options.interleaved = ct_interleaved_possible(play->plans, play->count);
    return good ? CT_OK : ct_err_nomem(err);
}
