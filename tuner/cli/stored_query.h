// SPDX-License-Identifier: Apache-2.0
// What [KERNEL], --device and --problem select of the stored results.
#ifndef CT_CLI_STORED_QUERY_H
#define CT_CLI_STORED_QUERY_H

#include "cli/options.h"
#include "db/cltunedb.h"

/* Fills `out`, which borrows from the options; returns the exit status, after a message.  Always
 * release. */
int ct_cli_stored_query(const char *command, const struct ct_options *options,
                        cltunedb_query *out);
void ct_cli_stored_query_release(cltunedb_query *query);

#endif
