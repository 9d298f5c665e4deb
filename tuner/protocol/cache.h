// SPDX-License-Identifier: Apache-2.0
// cltune's folder for data that can be recreated.
#ifndef CT_PROTOCOL_CACHE_H
#define CT_PROTOCOL_CACHE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* Appends the path of the folder `name` under $XDG_CACHE_HOME/cltune (else ~/.cache/cltune) and
 * creates it, for this user only.  CT_E_IO if there is no such place, it cannot be written, or it
 * is not safe: the last two folders must be this user's, no links and not writable by others; for
 * those above see ct_private_base. */
enum ct_status ct_cache_folder(const char *name, struct ct_str *out, struct ct_err *err);

/* Whether there is such a place but it is not safe, and why: then nothing is kept there, or only
 * temporarily. */
bool ct_cache_unsafe(struct ct_err *err);

/* As ct_cache_folder, among this user's temporary files (base/temporary.h): for drivers, some of
 * which find no device if they cannot write a cache. */
enum ct_status ct_cache_fallback(const char *name, struct ct_str *out,
                                 struct ct_err *err);

/* Appends the folder in which PoCL caches its compilations, as passed to workers: that of
 * POCL_CACHE_DIR (`*chosen` becomes true; it may not exist), else cltune's own, else the
 * fallback.  CT_E_IO with the reasons if there is none. */
enum ct_status ct_cache_driver(struct ct_str *out, bool *chosen, struct ct_err *err);

/* The same if cltune owns it and may clean and repair it: false if there is none, or the user has
 * chosen it (POCL_CACHE_DIR). */
bool ct_cache_driver_own(struct ct_str *out);

/* Writes a file through PATH.@HOST.PID.part, so that no reader sees half of it, and machines that share
 * the folder do not meet; ct_trim_files removes that file once its process is gone.  CT_E_IO, CT_E_NOMEM; the previous file then remains. */
enum ct_status ct_cache_write(const char *path, const char *bytes, size_t length,
                              struct ct_err *err);

/* Whether drivers and compilers can write to that folder and to that of temporary files. CT_E_IO,
 * naming the folder, if its disk has less than 1 MiB (a disk that does not report it has space)
 * or no file can be created in it. */
enum ct_status ct_cache_room(struct ct_err *err);

/* Marks the driver's cache in `folder` as in use by this process, for as long as it lives. */
void ct_cache_hold(const char *folder);

/* Removes the files tempfile_* that PoCL left in `folder`: each of its processes creates one and
 * none removes it, and one that is killed leaves more.  While another process holds the folder,
 * only those older than an hour. */
void ct_cache_sweep(const char *folder);

/* The same for the folder passed to workers, unless the user has chosen it. */
void ct_cache_sweep_driver(void);

#endif
