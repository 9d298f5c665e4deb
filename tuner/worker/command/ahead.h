// SPDX-License-Identifier: Apache-2.0
// Programs that are set up side by side, ahead of their turns.
//
// A request names the configurations that will be asked for next ([program] parallel_setup).  When
// the one that it is about has to be set up, theirs run beside it; nothing is timed before all of
// them have ended.  Each has a folder and a keeper of its own, as ever.
#ifndef CT_WORKER_COMMAND_AHEAD_H
#define CT_WORKER_COMMAND_AHEAD_H

#include "base/err.h"
#include "base/wire.h"
#include "plan/plan.h"

#include <stdbool.h>

struct ct_command_ahead;
struct ct_command_state;

/* Reads `count` plans from a request; those that are known already stay.  `*ahead` is created when
 * the first is there.  CT_E_WORKER if the request is damaged, CT_E_NOMEM. */
enum ct_status ct_command_ahead_read(struct ct_command_ahead **ahead, uint32_t count,
                                     struct ct_wire_reader *in, struct ct_err *err);

/* A plan's program that has been set up, which is the caller's now; NULL: there is none.  `ahead`
 * may be NULL here and below. */
struct ct_command_state *ct_command_ahead_take(struct ct_command_ahead *ahead,
                                               const struct ct_plan *plan);

/* Begins the set-ups of those that have none; whether there are any. */
bool ct_command_ahead_begin(struct ct_command_ahead *ahead);

/* Waits for all set-ups; those that last longer are stopped, and no others are begun any more: each
 * will have the processors for itself. */
void ct_command_ahead_finish(struct ct_command_ahead *ahead, uint64_t until_ns);
void ct_command_ahead_stop(struct ct_command_ahead *ahead);

void ct_command_ahead_free(struct ct_command_ahead *ahead);

#endif
