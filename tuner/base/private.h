// SPDX-License-Identifier: Apache-2.0
// Folders in which no other user can create, change or replace anything.
//
// Files loaded from a cache or removed from a temporary folder must be this user's own. A cltune
// folder is entered by descriptor and without following links, and only accepted if it belongs to
// this user and nobody else can write to it.  Above it are folders that the user or the system
// has chosen: these may be links, but others must not be able to rename their contents.
#ifndef CT_BASE_PRIVATE_H
#define CT_BASE_PRIVATE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Returned in place of a descriptor if there is a folder, but others could change its contents;
 * any other fault is -1. */
enum { CT_PRIVATE_UNSAFE = -2 };

/* Opens the folder `path`, which may be a link, to create cltune's folders in it; negative, with
 * an error (CT_E_IO), unless it belongs to this user or to the system (root, or the owner of
 * "/"), and it and every folder above it is sticky or not writable by others.  A group counts as
 * others in `path` itself, unless it is the user's own; above it the owner decides. */
int ct_private_base(const char *path, struct ct_err *err);

/* Creates the folder `name` in `parent` (a descriptor) if it is missing, with mode 0700, and
 * opens it; negative, with an error (CT_E_IO) that calls it `path`, unless it is a folder, not a
 * link, of this user without the permissions `forbidden`. */
int ct_private_enter(int parent, const char *name, mode_t forbidden, const char *path,
                     struct ct_err *err);

/* For folders that others may read, and for those they may not.  Writing by the user's own group
 * (its number is the user's) is allowed in the first. */
enum { CT_PRIVATE_WRITE = 0022, CT_PRIVATE_ALL = 0077 };

/* Reads an open file, if it is a regular one of this user's that nobody else can write to.
 * False, with whatever was read, if it is not or cannot be read, or memory is short. */
bool ct_private_read(int fd, struct ct_str *out);

#endif
