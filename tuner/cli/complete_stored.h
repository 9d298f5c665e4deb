// SPDX-License-Identifier: Apache-2.0
// Names in the database, for the completion of shells.
#ifndef CT_CLI_COMPLETE_STORED_H
#define CT_CLI_COMPLETE_STORED_H

#include "base/str.h"

#include <stdbool.h>

/* Appends the names of all kernels, or devices, with results, each once and ended by a line feed.
 * `path` NULL: the default database.  Nothing if it cannot be read. */
void ct_complete_stored(const char *path, bool devices, struct ct_str *out);

#endif
