// SPDX-License-Identifier: Apache-2.0
// Runs a command of a batch system, and reads its answer.
#ifndef CT_CLI_SUBMIT_H
#define CT_CLI_SUBMIT_H

#include "base/err.h"
#include "base/str.h"

/* Runs `words` (words[0] is looked up in PATH; NULL ends them) and appends what it prints, errors
 * included, without the line break at the end.  `*status`: its exit status, or 128 and the signal that
 * ended it.  CT_E_NOT_FOUND: there is no such program.  CT_E_IO, CT_E_NOMEM. */
enum ct_status ct_cli_submit(const char *const *words, struct ct_str *answer, int *status,
                             struct ct_err *err);

#endif
