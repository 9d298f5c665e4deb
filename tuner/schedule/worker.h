// SPDX-License-Identifier: Apache-2.0
// A worker process from the main process's side: started, communicated with, watched, ended.
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
    int output; /* its stdout and stderr; -1: closed */
    struct ct_frame frame;
    char tail[CT_WORKER_TAIL]; /* end of its output, as a ring */
    uint64_t tail_total;       /* bytes of output in total */
    int wait_status;           /* of waitpid, once dead */
    bool reaped;
    bool killed;           /* SIGKILL came from this process */
    uint64_t memory_kills; /* ct_outside_memory_kills at its start */
    unsigned stops;        /* how often it was stopped (SIGSTOP) */
    bool quiet;            /* it had sent nothing when it was last waited for */
    bool silent;           /* nor printed anything that has not been collected */
};

/* Starts a process that runs ct_worker_main: this program again (/proc/self/exe), in its own
 * process group, so that Ctrl-C at the terminal reaches only the main process.  Its environment
 * is this process's with `env` (of `env_count`; may be NULL for none) on top.  It dies with the
 * calling thread.  CT_E_WORKER, CT_E_NOMEM. */
enum ct_status ct_worker_start(struct ct_worker *worker, const struct ct_plan_env *env,
                               size_t env_count, struct ct_err *err);

enum ct_worker_event {
    CT_WORKER_MESSAGE, /* *type and worker->frame.payload */
    CT_WORKER_DEAD,    /* gone, or its messages are invalid; ended and reaped */
    CT_WORKER_LATE,    /* the deadline has passed; still running */
    CT_WORKER_STOP,    /* ct_measure_interrupt; still running */
    CT_WORKER_QUIET,   /* nothing yet (ct_worker_peek) */
};

/* Most workers that can be waited for at once. */
enum { CT_WORKER_POLL_MAX = 300 };

/* Sends a message, with a descriptor unless `passed` is -1; CT_WORKER_MESSAGE means success.
 * `deadline_ns` by ct_clock_now_ns.  Out of memory also counts as CT_WORKER_DEAD. */
enum ct_worker_event ct_worker_send(struct ct_worker *worker, enum ct_message type,
                                    const struct ct_str *payload, int passed,
                                    uint64_t deadline_ns);

/* Checks for a message without waiting, and collects output. */
enum ct_worker_event ct_worker_peek(struct ct_worker *worker, uint64_t deadline_ns,
                                    enum ct_message *type);

/* The same where it is known that there is none. */
enum ct_worker_event ct_worker_without_message(struct ct_worker *worker,
                                               uint64_t deadline_ns);

/* Whether a worker had sent nothing when it was waited for just now.  It is asked once: afterwards false until
 * it is waited for again. */
bool ct_worker_was_quiet(struct ct_worker *worker);

/* Waits until one of at most CT_WORKER_POLL_MAX workers has sent something, the deadline has
 * passed or ct_measure_interrupt was called. */
void ct_worker_poll(struct ct_worker *const *workers, size_t count, uint64_t deadline_ns);

/* The same, also until `descriptor` is readable; -1: none. */
void ct_worker_poll_with(struct ct_worker *const *workers, size_t count, int descriptor,
                         uint64_t deadline_ns);

/* Ends the process and everything it started, and frees its resources; with `kindly` it gets a
 * moment to exit by itself.  Harmless if there is none. */
void ct_worker_end(struct ct_worker *worker, bool kindly);

/* Asks the process to exit by itself, without waiting: nothing more can be sent or received. */
void ct_worker_let_go(struct ct_worker *worker);

/* Whether a process that was let go has ended; ct_worker_end still frees its resources. */
bool ct_worker_has_left(struct ct_worker *worker);

/* Appends how a dead worker died and its last output: "killed by SIGSEGV (Segmentation fault)",
 * "exited with status 1: LLVM ERROR: ...". */
void ct_worker_death(const struct ct_worker *worker, struct ct_str *out);

/* Whether another process killed a dead worker with SIGKILL, which may have been the system
 * because memory was short. */
bool ct_worker_killed(const struct ct_worker *worker);

/* The signal from outside (base/outside.h) that ended a dead worker; 0 if it ended otherwise, by
 * our own SIGKILL, or perhaps because memory was short. */
int ct_worker_outside(const struct ct_worker *worker);

/* Continues a worker that was stopped (SIGSTOP).  True if it was stopped since the last call;
 * worker->stops counts that. */
bool ct_worker_go_on(struct ct_worker *worker);

/* Makes the wake-up pipe, once. */
enum ct_status ct_worker_prepare(struct ct_err *err);

/* Whether ct_measure_interrupt has been called. */
bool ct_worker_interrupted(void);

#endif
