// SPDX-License-Identifier: Apache-2.0
// This user's own folder for temporary files.
//
// It is called cltune-UID, in the folder that $TMPDIR names; else in $XDG_RUNTIME_DIR,
// which is this user's alone, when programs may run there and 256 MiB are free; else in
// /tmp.  Whoever can write there may have taken the name before us: then it is
// cltune-UID-XXXXXX, and found again by its owner.
#ifndef CT_BASE_TEMPORARY_H
#define CT_BASE_TEMPORARY_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* Places for it, the best one first. */
enum { CT_TEMPORARY_PLACES = 2 };

/* Opens the folder, made when it is not there, and appends its path; -1 with an error
 * (CT_E_IO, which names TMPDIR where that is at fault, CT_E_NOMEM) when there is none. */
int ct_temporary_open(struct ct_str *path, struct ct_err *err);

/* The same for one place, and -1 when there is no folder of ours yet. */
int ct_temporary_find(int place, struct ct_str *path);

/* The folder in which ct_temporary_open makes ours, and where it says so: "TMPDIR",
 * "XDG_RUNTIME_DIR".  Borrowed from the environment. */
const char *ct_temporary_place(const char **variable);

#endif
