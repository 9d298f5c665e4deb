// SPDX-License-Identifier: Apache-2.0
// cltune's folder for things that can be made again.
#ifndef CT_PROTOCOL_CACHE_H
#define CT_PROTOCOL_CACHE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* Appends the path of the folder `name` under $XDG_CACHE_HOME/cltune (else
 * ~/.cache/cltune) and makes it, for this user only.  CT_E_IO when there is no such
 * place, it cannot be written, or it is not safe: the last two folders must be this
 * user's, no links and closed to others' writing, those above them as ct_private_base
 * says. */
enum ct_status ct_cache_folder(const char *name, struct ct_str *out, struct ct_err *err);

/* Whether there is such a place but it is not safe, and why: then nothing is kept there,
 * or only for the time being. */
bool ct_cache_unsafe(struct ct_err *err);

/* As ct_cache_folder, in the folder of this user's temporary files (base/temporary.h):
 * for drivers, some of which find no device when they cannot write a cache. */
enum ct_status ct_cache_fallback(const char *name, struct ct_str *out,
                                 struct ct_err *err);

/* Appends the folder in which PoCL keeps what it compiles, as its workers are told: that
 * of POCL_CACHE_DIR (`*chosen` becomes true; it may not exist), else our own, else the
 * fallback.  CT_E_IO with the reasons when there is none. */
enum ct_status ct_cache_driver(struct ct_str *out, bool *chosen, struct ct_err *err);

/* The same where it is cltune's own to sweep and mend: false when there is none, or the
 * user has chosen it (POCL_CACHE_DIR). */
bool ct_cache_driver_own(struct ct_str *out);

/* Writes a file by way of PATH.PID.part, so that nobody ever reads half of it, which
 * ct_trim_files removes when its process is no more.  CT_E_IO, CT_E_NOMEM; what was there
 * before stays then. */
enum ct_status ct_cache_write(const char *path, const char *bytes, size_t length,
                              struct ct_err *err);

/* Whether drivers and compilers can write where they do: in that folder and in that of
 * temporary files.  CT_E_IO, naming the folder, when its disk has less than 1 MiB (a disk
 * that does not tell has room) or no file can be made in it. */
enum ct_status ct_cache_room(struct ct_err *err);

/* Says that this process uses the driver's cache in `folder`, for as long as it lives. */
void ct_cache_hold(const char *folder);

/* Removes the files tempfile_* that PoCL left in `folder`: each of its processes makes
 * one and none removes it, and one that is killed leaves more.  As long as another
 * process holds the folder only those that are older than an hour. */
void ct_cache_sweep(const char *folder);

/* The same for the folder that workers are told to use, unless the user has chosen it. */
void ct_cache_sweep_driver(void);

#endif
