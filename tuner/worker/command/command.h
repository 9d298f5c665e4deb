// SPDX-License-Identifier: Apache-2.0
// Evaluates programs: set-up, runs, what they print, what is right.
#ifndef CT_WORKER_COMMAND_COMMAND_H
#define CT_WORKER_COMMAND_COMMAND_H

#include "worker/evaluate.h"

struct ct_command_state;

/* As ct_evaluation_run and ct_evaluation_more, for a plan with a command. */
enum ct_step ct_command_evaluate(struct ct_evaluation *ev, struct ct_err *err);
enum ct_step ct_command_more(struct ct_evaluation *ev, struct ct_err *err);

/* Runs the clean-up commands and removes the temporary folder.  NULL is allowed. */
void ct_command_free(struct ct_command_state *run);

/* Frees what runs are compared with. */
void ct_command_forget(struct ct_session *session);

#endif
