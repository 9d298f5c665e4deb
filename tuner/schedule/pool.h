// SPDX-License-Identifier: Apache-2.0
// Several schedulers on one machine, each on a thread of its own: they share the builders, and give
// way to whoever times the host.
//
// A scheduler may have any number of builders at work while the others have no use for theirs; as
// soon as another waits, whoever has fewer comes first.  What devices do is theirs alone: runners
// need no permission, except while one scheduler has the machine for itself.
#ifndef CT_SCHEDULE_POOL_H
#define CT_SCHEDULE_POOL_H

#include "base/err.h"

#include <stdbool.h>

struct ct_pool;
struct ct_pool_member;

/* A pool of that many builders; 0: one for each processor this process may use.  CT_E_NOMEM. */
enum ct_status ct_pool_new(unsigned builders, struct ct_pool **out, struct ct_err *err);

/* All members must have left. */
void ct_pool_free(struct ct_pool *pool);

/* A new member, which counts as idle.  CT_E_NOMEM, CT_E_WORKER (no descriptor left). */
enum ct_status ct_pool_join(struct ct_pool *pool, struct ct_pool_member **out,
                            struct ct_err *err);

/* Gives back what a member has, and frees it.  NULL: nothing. */
void ct_pool_leave(struct ct_pool_member *member);

/* Whether one more of the member's builders may work.  If not, and with `waits`, the member is
 * woken when that may have changed. */
bool ct_pool_take(struct ct_pool_member *member, bool waits);

/* `count` of its builders have ended their work. */
void ct_pool_give(struct ct_pool_member *member, unsigned count);

/* Called before a member gives work to any of its workers: false while another one has, or is about
 * to have, the machine for itself.  The member is woken when that is over. */
bool ct_pool_enter(struct ct_pool_member *member);

/* None of the member's workers works any longer. */
void ct_pool_rest(struct ct_pool_member *member);

/* The same, but waits.  CT_E_INTERRUPTED. */
enum ct_status ct_pool_enter_wait(struct ct_pool_member *member, struct ct_err *err);

/* Has the machine for itself, while none of its own workers works: waits until those of all other
 * members rest, which begin nothing new before ct_pool_share.  CT_E_INTERRUPTED. */
enum ct_status ct_pool_alone(struct ct_pool_member *member, struct ct_err *err);
void ct_pool_share(struct ct_pool_member *member);

/* Whether the member waits to be woken, and a descriptor that becomes readable then; until
 * ct_pool_woken. */
bool ct_pool_waits(const struct ct_pool_member *member);
int ct_pool_descriptor(const struct ct_pool_member *member);
void ct_pool_woken(struct ct_pool_member *member);

#endif
