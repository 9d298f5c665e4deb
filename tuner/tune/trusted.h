// SPDX-License-Identifier: Apache-2.0
// Which space files the user has run himself.  A space file can have C compiled and run;
// its path in a database may be anybody's.
#ifndef CT_TUNE_TRUSTED_H
#define CT_TUNE_TRUSTED_H

#include <stdbool.h>

/* Whether the user has run this very file before: ct_trust_space was told of it.  The
 * list is $XDG_DATA_HOME/cltune/spaces (else under ~/.local/share); one that others may
 * write to, or that is a link, does not count. */
bool ct_trusted_space(const char *space_path);

/* Adds the file to the list, because the user has named it.  That it cannot be added is
 * no failure: then `cltune recheck` wants it named again. */
void ct_trust_space(const char *space_path);

#endif
