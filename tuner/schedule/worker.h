// SPDX-License-Identifier: Apache-2.0
// A worker process as the main process sees it: started, talked to, watched, ended.
#ifndef CT_SCHEDULE_WORKER_H
#define CT_SCHEDULE_WORKER_H

#include "protocol/protocol.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { CT_WORKER_TAIL = 4096 };

struct ct_worker {
    pid_t pid;  /* 0: none */
    int socket; /* -1: none */
    int output; /* what it prints to stdout and stderr; -1: closed */
    struct ct_frame frame;
    char tail[CT_WORKER_TAIL]; /* the last of its output, as a ring */
    uint64_t tail_total;       /* bytes ever printed */
    int wait_status;           /* of waitpid, once it is dead */
    bool reaped;
    bool killed;           /* SIGKILL is ours, not somebody else's */
    uint64_t memory_kills; /* ct_outside_memory_kills when it was started */
    unsigned stops;        /* how often somebody has stopped it (SIGSTOP) */
};

/* Starts a process that runs ct_worker_main: this program again (/proc/self/exe), in a
 * process group of its own, so that Ctrl-C at the terminal reaches only the main process.
 * Its environment is ours with `env` (of `env_count`; may be NULL for none) on top.  It
 * dies with the thread that called this.  CT_E_WORKER, CT_E_NOMEM. */
enum ct_status ct_worker_start(struct ct_worker *worker, const struct ct_plan_env *env,
                               size_t env_count, struct ct_err *err);

enum ct_worker_event {
    CT_WORKER_MESSAGE, /* *type and worker->frame.payload */
    CT_WORKER_DEAD,    /* gone, or talking nonsense; ended and reaped */
    CT_WORKER_LATE,    /* the deadline has passed; still running */
    CT_WORKER_STOP,    /* ct_measure_interrupt; still running */
    CT_WORKER_QUIET,   /* nothing yet (ct_worker_peek) */
};

/* So many workers can be waited for at once. */
enum { CT_WORKER_POLL_MAX = 300 };

/* Sends a message, with a descriptor when `passed` is not -1; CT_WORKER_MESSAGE stands
 * for success.  `deadline_ns` by ct_clock_now_ns.  Short memory also counts as
 * CT_WORKER_DEAD. */
enum ct_worker_event ct_worker_send(struct ct_worker *worker, enum ct_message type,
                                    const struct ct_str *payload, int passed,
                                    uint64_t deadline_ns);

/* Looks for a message without waiting for one, and collects output. */
enum ct_worker_event ct_worker_peek(struct ct_worker *worker, uint64_t deadline_ns,
                                    enum ct_message *type);

/* Waits until one of at most CT_WORKER_POLL_MAX workers has something to say, the
 * deadline has passed or ct_measure_interrupt was called. */
void ct_worker_poll(struct ct_worker *const *workers, size_t count, uint64_t deadline_ns);

/* Ends the process and everything it started, and frees what belongs to it; with
 * `kindly` it gets a moment to leave by itself.  Harmless when there is none. */
void ct_worker_end(struct ct_worker *worker, bool kindly);

/* Appends how a dead worker died and what it said last: "killed by SIGSEGV (Segmentation
 * fault)", "exited with status 1: LLVM ERROR: ...". */
void ct_worker_death(const struct ct_worker *worker, struct ct_str *out);

/* Whether somebody else killed a dead worker with SIGKILL, and that may have been the
 * system because memory was short. */
bool ct_worker_killed(const struct ct_worker *worker);

/* The signal from outside (base/outside.h) that ended a dead worker; 0 when it ended
 * otherwise, by our own SIGKILL, or perhaps because memory was short. */
int ct_worker_outside(const struct ct_worker *worker);

/* Lets a worker that somebody has stopped (SIGSTOP) go on.  True when it was stopped
 * since the last call; worker->stops counts that. */
bool ct_worker_go_on(struct ct_worker *worker);

/* Makes the wake-up pipe, once. */
enum ct_status ct_worker_prepare(struct ct_err *err);

/* Whether ct_measure_interrupt has been called. */
bool ct_worker_interrupted(void);

#endif
