// SPDX-License-Identifier: Apache-2.0
// This user's own folder for temporary files.
//
// It is called cltune-UID, in the folder named by $TMPDIR; else in $XDG_RUNTIME_DIR, which is
// this user's alone, if programs may run there and 256 MiB are free; else in /tmp.  Others who
// can write there may have taken the name: then it is cltune-UID-XXXXXX, and found again by its
// owner.
#ifndef CT_BASE_TEMPORARY_H
#define CT_BASE_TEMPORARY_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* Places for it, the best one first. */
enum { CT_TEMPORARY_PLACES = 2 };

/* Opens the folder, created if missing, and appends its path; -1 with an error (CT_E_IO, which
 * names TMPDIR if that is at fault, CT_E_NOMEM) if there is none. */
int ct_temporary_open(struct ct_str *path, struct ct_err *err);

/* The same for one place, and -1 if cltune has no folder there yet. */
int ct_temporary_find(int place, struct ct_str *path);

/* The folder in which ct_temporary_open creates cltune's, and what defines it: "TMPDIR",
 * "XDG_RUNTIME_DIR".  Borrowed from the environment. */
const char *ct_temporary_place(const char **variable);

#endif
