// SPDX-License-Identifier: Apache-2.0
// One request to a worker and what became of it, without waiting for it.
#ifndef CT_SCHEDULE_EXCHANGE_H
#define CT_SCHEDULE_EXCHANGE_H

#include "base/outside.h"
#include "protocol/shared_cache.h"
#include "schedule/worker.h"

struct ct_exchange {
    enum ct_phase phase; /* the last one announced */
    enum ct_culprit culprit;
    char who[1024]; /* the culprit is, where it has a name */
    uint64_t since_ns;
    uint64_t seen_ns;              /* when the worker was looked at last */
    uint64_t look_ns;              /* when to look at it next, at the latest */
    uint64_t forgiven_ns;          /* of the phase: not charged to the worker */
    uint64_t excused_ns;           /* of these: the worker waited for a processor */
    bool busy;                     /* the phase was given more time by an estimate */
    struct ct_outside_waits waits; /* of the worker, when they were last read ... */
    uint64_t waits_at_ns;          /* ... and when that was */
    bool stopped; /* it ended because somebody kept stopping the worker */
    uint64_t spent_ns[CT_PHASE_COUNT]; /* by our clock: for workers that die */
    enum ct_worker_event end;
    enum ct_message reply;
};

/* Sends a request.  The exchange begins in the given phase. */
void ct_exchange_begin(struct ct_exchange *x, struct ct_worker *worker,
                       enum ct_message request, const struct ct_str *payload,
                       enum ct_phase phase, const struct ct_deadlines *deadlines);

/* When to step at the latest, by ct_clock_now_ns: when the current phase's time is over,
 * or earlier, to see whether the worker is still running.
 *
 * A phase is charged for the time in which both sides ran.  When we come a good deal
 * later than we asked to be woken, this process (a frozen process tree, Ctrl-Z) or the
 * whole machine did not run; what passed since the last look is then forgiven, as is the
 * time for which the worker was stopped (SIGSTOP; it is continued).  The time in which the
 * worker waited for a processor is not charged either, up to thirty times the deadline. */
uint64_t ct_exchange_deadline(const struct ct_exchange *x,
                              const struct ct_deadlines *deadlines);

/* Goes on as far as that needs no waiting.  True when the exchange has ended: with a
 * reply (x->end is CT_WORKER_MESSAGE; not yet looked at), a death, a passed deadline or
 * an interrupt; in the last two cases the worker has been killed.  What the worker offers
 * goes to `shared_cache` (may be NULL). */
bool ct_exchange_step(struct ct_exchange *x, struct ct_worker *worker,
                      const struct ct_deadlines *deadlines,
                      struct ct_shared_cache *shared_cache);

/* The two together, waiting. */
void ct_exchange_run(struct ct_exchange *x, struct ct_worker *worker,
                     enum ct_message request, const struct ct_str *payload,
                     enum ct_phase phase, const struct ct_deadlines *deadlines);

/* The error that the worker replied with. */
enum ct_status ct_exchange_error(const struct ct_worker *worker, struct ct_err *err);

#endif
