// SPDX-License-Identifier: Apache-2.0
// Names and values of a space file, for the completion of shells.
#ifndef CT_CLI_COMPLETE_SPACE_H
#define CT_CLI_COMPLETE_SPACE_H

#include "base/str.h"

#include <stdbool.h>

/* Appends a line "WORD\tDESCRIPTION" for each value of --problem, or with `params` of --param, that may
 * continue `typed`: "NAME=" while no name is complete, then "NAME=VALUE" with the file's value of a
 * problem size, or the values of a parameter, after the last comma of a list.  `path`: the space file
 * as on the command line, maybe quoted for a shell.  A file with errors adds nothing. */
void ct_complete_space(const char *path, const char *typed, bool params,
                       struct ct_str *out);

#endif
