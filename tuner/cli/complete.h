// SPDX-License-Identifier: Apache-2.0
// What may come next in an unfinished command line, for the completion of shells.
#ifndef CT_CLI_COMPLETE_H
#define CT_CLI_COMPLETE_H

#include "base/str.h"
#include "cli/cli.h"

/* Appends a line "VALUE\tDESCRIPTION" for each word that may stand at words[at] (from 0, the
 * program's name) and begins as that one does, which may be missing; or "@files SUFFIX", "@folders"
 * and "@command N" (a command line of its own begins at words[N]).  Kernels and devices come from the
 * database, problem sizes and parameters from the space file on the line; both are only read, and what
 * cannot be read is left out.  A VALUE that ends with "=" is to be continued without a blank. */
void ct_complete(const struct ct_command *const *commands, char *const *words,
                 size_t count, size_t at, struct ct_str *out);

#endif
