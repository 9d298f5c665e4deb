// SPDX-License-Identifier: Apache-2.0
// Folders in which no other user can put, change or replace anything.
//
// What is loaded from a cache or removed from a temporary folder must be this user's own.
// A folder of ours is entered by descriptor and without following links, and it counts
// only when it belongs to this user and nobody else can write to it.  Above it are
// folders that the user or the system has chosen: these may be links, but others must not
// be able to rename what is in them.
#ifndef CT_BASE_PRIVATE_H
#define CT_BASE_PRIVATE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <sys/stat.h>

/* What is returned in place of a descriptor when there is a folder, but others could
 * change what is in it; any other fault is -1. */
enum { CT_PRIVATE_UNSAFE = -2 };

/* Opens the folder `path`, where links may lead, to make folders of ours in it; negative,
 * with an error (CT_E_IO), unless it belongs to this user or to the system (root, or
 * whoever owns "/"), and it and every folder above it is sticky or closed to other users'
 * writing.  A group counts as other users in `path` itself, unless it is the user's own;
 * above it the owner decides. */
int ct_private_base(const char *path, struct ct_err *err);

/* Makes the folder `name` in `parent` (a descriptor) when it is not there, with mode
 * 0700, and opens it; negative, with an error (CT_E_IO) that calls it `path`, unless it
 * is a folder, not a link, of this user with none of the permissions `forbidden`. */
int ct_private_enter(int parent, const char *name, mode_t forbidden, const char *path,
                     struct ct_err *err);

/* For folders where others may look, and for those where they may not.  Writing by the
 * user's own group (its number is the user's) is fine in the first. */
enum { CT_PRIVATE_WRITE = 0022, CT_PRIVATE_ALL = 0077 };

/* Reads all of an open file, when it is a regular one that belongs to this user and
 * nobody else can write to.  False, with whatever was read, when it is not or cannot be
 * read, or memory is short. */
bool ct_private_read(int fd, struct ct_str *out);

#endif
