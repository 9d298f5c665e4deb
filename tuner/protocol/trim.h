// SPDX-License-Identifier: Apache-2.0
// Keeps cache folders within a limit: the least recently used entries go first.
#ifndef CT_PROTOCOL_TRIM_H
#define CT_PROTOCOL_TRIM_H

#include <stdbool.h>
#include <stdint.h>

/* The name of this machine, as in names of files that are being written; "" if it has none. */
enum { CT_TRIM_HOST_SIZE = 256 };
void ct_trim_host(char host[CT_TRIM_HOST_SIZE]);

/* The limit of one cache folder in bytes: $CLTUNE_CACHE_SIZE, a whole number, optionally followed
 * by K, M or G; else, or if that is invalid, 512 MiB. */
uint64_t ct_trim_limit(void);

/* Removes the files of `folder` whose names end in `suffix`, least recently used (by modification
 * time) first, until the rest takes at most seven eighths of the limit; nothing if it is within
 * the limit.  Also files NAME.PID.part and NAME.@HOST.PID.part whose process is gone, or, of another
 * machine, that are older than an hour. */
void ct_trim_files(const char *folder, const char *suffix, uint64_t limit_bytes);

/* The same for PoCL's cache: folders XX/HASH with a file last_accessed.  Those of the
 * last hour are left alone: another process may be about to read or extend them. */
void ct_trim_pocl(const char *folder, uint64_t limit_bytes);

/* Removes the folder `name` in `folder` (a descriptor, or AT_FDCWD) with all that is in
 * it, at most eight levels deep. */
void ct_trim_remove(int folder, const char *name);

#endif
