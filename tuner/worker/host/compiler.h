// SPDX-License-Identifier: Apache-2.0
// Running the system's C compiler, without a shell.
#ifndef CT_WORKER_HOST_COMPILER_H
#define CT_WORKER_HOST_COMPILER_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* A command line: words owned by it, ended by NULL. */
struct ct_command {
    char **words;
    size_t count;
    size_t capacity;
    bool failed; /* memory was short */
};

/* Adds words, split at blanks; NULL adds nothing. */
void ct_command_add(struct ct_command *command, const char *words);

/* Adds one word as it is. */
void ct_command_word(struct ct_command *command, const char *word);

void ct_command_release(struct ct_command *command);

/* Runs the command with `input` (less than 64 KiB) as standard input, and collects what
 * it writes to standard output and, up to 64 KiB of it, standard error (both
 * initialised).  Its temporary files go to a folder that is removed (protocol/scratch.h).
 * `*exit_status` is 0 for success, 128 + signal when it was killed.  CT_E_IO when it
 * cannot be started, CT_E_NOMEM. */
enum ct_status ct_command_run(struct ct_command *command, const struct ct_str *input,
                              struct ct_str *output, struct ct_str *errors,
                              int *exit_status, struct ct_err *err);

#endif
