// SPDX-License-Identifier: Apache-2.0
// Which space files the user has run.  A space file can compile and run C code; its path in a
// database may come from anyone.
#ifndef CT_SPACEFILE_TRUSTED_H
#define CT_SPACEFILE_TRUSTED_H

#include <stdbool.h>

/* Whether ct_trust_space was called for this very file before.  The list is
 * $XDG_DATA_HOME/cltune/searched (else under ~/.local/share); a list that others may write to, or
 * that is a link, does not count. */
bool ct_trusted_space(const char *space_path);

/* Adds the file to the list, because the user has named it.  A failure is ignored: `cltune
 * recheck` then requires the user to name it again. */
void ct_trust_space(const char *space_path);

#endif
