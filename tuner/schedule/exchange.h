// SPDX-License-Identifier: Apache-2.0
// One request to a worker and its result, without blocking.
#ifndef CT_SCHEDULE_EXCHANGE_H
#define CT_SCHEDULE_EXCHANGE_H

#include "base/outside.h"
#include "protocol/shared_cache.h"
#include "schedule/worker.h"

struct ct_exchange {
    enum ct_phase phase; /* last one announced */
    enum ct_culprit culprit;
    char who[1024];    /* name of the culprit, if it has one */
    uint64_t begun_ns; /* when the request had been sent */
    uint64_t since_ns;
    uint64_t seen_ns;              /* when the worker was last looked at */
    uint64_t look_ns;              /* when to look at it next, at the latest */
    uint64_t calm_ns;              /* and at the earliest */
    uint64_t forgiven_ns;          /* of the phase: not charged to the worker */
    uint64_t excused_ns;           /* part of it: the worker waited for a processor */
    uint64_t waited_ns;            /* `excused_ns` of the phase before */
    bool busy;                     /* the phase was extended by an estimate */
    struct ct_outside_waits waits; /* the worker's, when last read */
    uint64_t waits_at_ns;          /* when that was; 0: not yet */
    /* Drivers that compile at the first launch map a shared object for each kernel then. */
    struct {
        size_t needed;      /* of the plan; 0: the driver compiles elsewhere */
        size_t before;      /* mapped when the phase began, as the worker has counted */
        size_t mapped;      /* since then, when last looked at */
        uint64_t at_ns;     /* when that number last grew, or the phase began */
        uint64_t looked_ns; /* when that was, or the phase began */
        uint64_t rest_ns;   /* in which it is not looked at again: the list is long */
        bool over;          /* compiling took longer than a build may */
    } compile;
    bool stopped; /* ended because the worker was stopped repeatedly */
    uint64_t spent_ns[CT_PHASE_COUNT]; /* by this process's clock: for workers that die */
    enum ct_worker_event end;
    enum ct_message reply;
};

/* Sends a request.  The exchange begins in the given phase. */
void ct_exchange_begin(struct ct_exchange *x, struct ct_worker *worker,
                       enum ct_message request, const struct ct_str *payload,
                       enum ct_phase phase, const struct ct_deadlines *deadlines);

/* When to step at the latest, by ct_clock_now_ns: when the current phase's time runs out, or
 * earlier, to check that the worker is still running.
 *
 * A phase is charged for the time in which both sides ran.  If this process wakes much later than
 * requested, it (a frozen process tree, Ctrl-Z) or the whole machine did not run; the time since
 * the last look is then excused, and so is the time for which the worker was stopped (SIGSTOP; it
 * is continued).  Time in which the worker waited for a processor is not charged either, up to
 * thirty times the deadline.
 *
 * While a driver compiles at the first launch (x->compile.needed), a kernel has the time of a
 * build, and the deadline begins when its code is mapped. */
uint64_t ct_exchange_deadline(const struct ct_exchange *x,
                              const struct ct_deadlines *deadlines);

/* Continues as far as possible without waiting.  True when the exchange has ended: with a reply
 * (x->end is CT_WORKER_MESSAGE; not yet examined), a death, a missed deadline or an interrupt; in
 * the last two cases the worker has been killed.  What the worker offers goes to `shared_cache`
 * (may be NULL). */
bool ct_exchange_step(struct ct_exchange *x, struct ct_worker *worker,
                      const struct ct_deadlines *deadlines,
                      struct ct_shared_cache *shared_cache);

/* Both together, blocking. */
void ct_exchange_run(struct ct_exchange *x, struct ct_worker *worker,
                     enum ct_message request, const struct ct_str *payload,
                     enum ct_phase phase, const struct ct_deadlines *deadlines);

/* The error that the worker replied with. */
enum ct_status ct_exchange_error(const struct ct_worker *worker, struct ct_err *err);

#endif
