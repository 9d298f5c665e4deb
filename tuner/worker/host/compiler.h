// SPDX-License-Identifier: Apache-2.0
// Runs the system's C compiler, without a shell.
#ifndef CT_WORKER_HOST_COMPILER_H
#define CT_WORKER_HOST_COMPILER_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* A command line: owns its words, terminated by NULL. */
struct ct_command {
    char **words;
    size_t count;
    size_t capacity;
    bool failed; /* out of memory */
};

/* Adds words, split at blanks; NULL adds nothing. */
void ct_command_add(struct ct_command *command, const char *words);

/* Adds one word unchanged. */
void ct_command_word(struct ct_command *command, const char *word);

void ct_command_release(struct ct_command *command);

/* Runs the command with `input` (less than 64 KiB) as standard input, and collects its standard
 * output and, up to 64 KiB, standard error (both initialised).  Its temporary files go to a
 * folder that is removed (protocol/scratch.h). `*exit_status` is 0 for success, 128 + signal if
 * it was killed.  CT_E_IO if it cannot be started, CT_E_NOMEM. */
enum ct_status ct_command_run(struct ct_command *command, const struct ct_str *input,
                              struct ct_str *output, struct ct_str *errors,
                              int *exit_status, struct ct_err *err);

#endif
