// SPDX-License-Identifier: Apache-2.0
// A process that runs a program's commands for a worker and outlives it: whatever the commands
// start dies when they end, when the worker asks for it, and when the worker dies.
//
// The keeper is a child of the worker's, in a session of its own, so that signals to the worker do
// not reach it, and a subreaper (prctl), so that processes that leave their parents become its
// children instead of init's.  A closed socket tells it that the worker is gone: then it kills what
// is running, runs the clean-up commands and removes the temporary folder.
#ifndef CT_WORKER_COMMAND_KEEPER_H
#define CT_WORKER_COMMAND_KEEPER_H

#include "base/err.h"
#include "plan/plan.h"
#include "protocol/scratch.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a command runs with. */
struct ct_keeper_job {
    const struct ct_plan_command *command;
    const char *folder;     /* to run in, absolute */
    struct ct_scratch *own; /* the folder for temporary files, watched and removed */
    int output;             /* descriptor of a file for what commands print */
};

struct ct_keeper {
    pid_t pid;  /* 0: none */
    int socket; /* to it */
};

enum ct_keeper_request { CT_KEEPER_SETUP = 1, CT_KEEPER_RUN, CT_KEEPER_CLEANUP };

enum ct_keeper_result {
    CT_KEEPER_ENDED,     /* by itself: `wait_status` */
    CT_KEEPER_NOT_BEGUN, /* `error`: why it could not be run */
    CT_KEEPER_LATE,      /* it took longer than its limit */
    CT_KEEPER_FULL,      /* it wrote more than it may */
    CT_KEEPER_KILLED,    /* the keeper was, most likely by the command */
};

struct ct_keeper_report {
    enum ct_keeper_result end;
    int wait_status; /* as of waitpid() */
    int error;       /* an errno */
    uint32_t failed; /* index of the command's first word */
    uint32_t left;   /* processes that it left behind, which were killed */
    uint64_t wall_ns;
};

/* Starts a keeper; the job, with its plan, is copied with the process.  CT_E_WORKER. */
enum ct_status ct_keeper_start(struct ct_keeper *keeper, const struct ct_keeper_job *job,
                               struct ct_err *err);

/* Runs a request's commands, without returning before all is dead that they started. */
void ct_keeper_run(struct ct_keeper *keeper, enum ct_keeper_request request,
                   struct ct_keeper_report *report);

/* The same in two steps: others may be asked meanwhile.  Whether there is an answer by that time
 * (UINT64_MAX: waits for ever). */
void ct_keeper_ask(struct ct_keeper *keeper, enum ct_keeper_request request);
bool ct_keeper_answer(struct ct_keeper *keeper, uint64_t until_ns,
                      struct ct_keeper_report *report);

/* Has it clean up, remove the folder, and end. */
void ct_keeper_end(struct ct_keeper *keeper);

#endif
