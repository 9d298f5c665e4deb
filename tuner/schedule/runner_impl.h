// SPDX-License-Identifier: Apache-2.0
// A worker that is replaced when it dies, as a state machine, for handling several at once.
// schedule/measure.h has the blocking interface for one.
#ifndef CT_SCHEDULE_RUNNER_IMPL_H
#define CT_SCHEDULE_RUNNER_IMPL_H

#include "schedule/exchange.h"

enum ct_runner_state {
    CT_RUNNER_IDLE,
    CT_RUNNER_STARTING, /* its worker is to be started, or only checked */
    CT_RUNNER_OPENING,
    CT_RUNNER_WORKING,
};

struct ct_runner {
    struct ct_str device; /* struct ct_devinfo, payload of CT_MSG_OPEN */
    char device_name[128];
    bool late_compiler; /* the driver compiles at the first launch: PoCL */
    bool
        only_builds; /* nothing that counts is timed in its workers, which are lent to nobody */
    struct ct_str env; /* of the running worker: put_env */
    struct ct_worker worker;
    bool running;
    bool used; /* the running worker has served a request */
    /* a worker of this request was killed from outside, and not while it compiled, or was refused
     * memory */
    bool killed;
    unsigned
        outside;     /* workers of this request that ended for reasons no kernel can cause
                       * (base/outside.h) */
    bool mended;     /* PoCL's cache was checked after a death */
    unsigned deaths; /* in a row, with no configuration to blame */
    unsigned workers;
    uint64_t spent_ns[CT_PHASE_COUNT];
    /* what workers offered; own unless a scheduler shares it */
    struct ct_shared_cache *shared_cache;
    struct ct_shared_cache own_shared_cache;
    uint64_t given; /* serial of the last item that the running worker got */
    /* The current request. */
    enum ct_runner_state state;
    enum ct_message type;
    const struct ct_plan *plan;
    struct ct_str payload;
    struct ct_deadlines deadlines;
    struct ct_exchange x;
    uint64_t start_ns;     /* spent on starting before this request */
    uint64_t memory_bytes; /* a limit that its worker has exceeded; 0: none */
    struct ct_str extra;   /* what followed the outcome in the reply */
    struct {               /* of struct ct_measure_options */
        void (*report)(void *user, const char *who, double limit_s); /* NULL once done */
        void *user;
        uint64_t after_ns;
        bool reported;
    } slow;
};

/* --- listing.c --- */

/* Starts `worker`, sends it one request and waits.  CT_OK: worker->frame.payload is the reply, a
 * message of type `wanted`.  `purpose` names the task for errors: "listing the devices".  The
 * caller ends the worker if `*started`. */
enum ct_status ct_ask_worker(struct ct_worker *worker, bool *started,
                             enum ct_message request, const struct ct_str *payload,
                             enum ct_phase phase, enum ct_message wanted,
                             const char *purpose, struct ct_err *err);

/* --- runner_process.c --- */

/* Starts runner->worker with the environment of runner->plan and what suits its work.  CT_E_WORKER,
 * CT_E_NOMEM. */
enum ct_status ct_runner_start_process(struct ct_runner *runner, struct ct_err *err);

/* --- runner_host.c --- */

/* To a worker that has just been started: sends it the plan, whose host code it compiles while it
 * opens the device; nothing if the request needs none of it, or the data are known already. */
void ct_runner_send_host_code(struct ct_runner *runner);

/* --- runner_loss.c --- */

/* After the worker was lost during a request: gives the outcome that is to blame, or requests
 * another try (`*again`).  CT_E_INTERRUPTED, CT_E_WORKER, CT_E_DEVICE, CT_E_SPEC. */
enum ct_status ct_runner_lost(struct ct_runner *runner, struct ct_outcome *outcome,
                              bool *again, struct ct_err *err);

/* A worker died with no configuration to blame: CT_E_WORKER after the third in a row. */
enum ct_status ct_runner_died_unexplained(struct ct_runner *runner, struct ct_err *err);

/* Whether the worker ended for a reason no kernel can cause (base/outside.h): then it is
 * replaced, `*again`, or CT_E_WORKER the third time. */
bool ct_runner_ended_outside(const struct ct_runner *runner);
enum ct_status ct_runner_blame_outside(struct ct_runner *runner, bool *again,
                                       struct ct_err *err);

/* An outcome without texts, samples and facts. */
void ct_runner_empty_outcome(struct ct_outcome *outcome);

/* --- runner.c --- */

/* Begins a request: CT_MSG_EVALUATE, CT_MSG_BASELINE or CT_MSG_BUILD; CT_MSG_PREPARE, whose
 * failures are nobody's; or CT_MSG_OPEN, which only starts a worker for the plan's environment and
 * gives no outcome.  Takes over the payload;
 * `plan` is borrowed until the request is done. */
void ct_runner_begin(struct ct_runner *runner, enum ct_message type,
                     const struct ct_plan *plan, struct ct_str *payload,
                     const struct ct_deadlines *deadlines);

/* Continues as far as possible without waiting.  `*done` becomes true when the request has ended:
 * CT_OK and the outcome, or an error as for ct_runner_evaluate. */
enum ct_status ct_runner_step(struct ct_runner *runner, bool *done,
                              struct ct_outcome *outcome, struct ct_err *err);

/* When to step at the latest, by ct_clock_now_ns. */
uint64_t ct_runner_deadline(const struct ct_runner *runner);

/* Whether the worker runs the configuration's own code: its memory use is the configuration's. */
bool ct_runner_compiles(const struct ct_runner *runner);

/* Ends a worker that has exceeded `limit_bytes`; the next step reports it. */
void ct_runner_too_large(struct ct_runner *runner, uint64_t limit_bytes);

/* Between requests: the next one is served by a new process. */
void ct_runner_renew(struct ct_runner *runner);

/* The same without waiting for the old process: it leaves by itself.  False if there is none; else
 * `leaving` is the caller's, who ends it. */
bool ct_runner_part(struct ct_runner *runner, struct ct_worker *leaving);

/* Between requests: gives the worker to a runner without one, if it has opened the device in the
 * plan's environment. */
bool ct_runner_lend(struct ct_runner *runner, const struct ct_plan *plan,
                    struct ct_runner *to);

/* Gives up the current request, if any, and its worker. */
void ct_runner_abandon(struct ct_runner *runner);

/* Asks its worker, if there is one, to end, without waiting; before ct_runner_free. */
void ct_runner_let_go(struct ct_runner *runner);

/* Gives up the request as ct_runner_abandon does, and ends an idle worker at once, too. */
void ct_runner_dismiss(struct ct_runner *runner);

/* Whether a worker that has opened the device waits for a request; one that has died meanwhile is
 * put away. */
bool ct_runner_is_ready(struct ct_runner *runner);

/* Between requests: takes over the worker of `from`, which is ready, with what it has
 * spent.  A plan that needs another environment ends it. */
void ct_runner_take(struct ct_runner *runner, struct ct_runner *from);

/* "interrupted"; returns CT_E_INTERRUPTED. */
enum ct_status ct_runner_interrupted(struct ct_err *err);

#endif
