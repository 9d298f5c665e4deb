// SPDX-License-Identifier: Apache-2.0
// Reads the user's files within limits.
#ifndef CT_BASE_FILE_H
#define CT_BASE_FILE_H

#include "base/err.h"
#include "base/hash.h"
#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

/* The largest files that are read, in bytes (doc/space-file.md, "Files and limits").  A fill's file may be
 * as large as its buffer requires, and CT_FILE_FILL_EXTRA for its header. */
#define CT_FILE_SPACE_MAX    ((uint64_t)16 << 20)  /* a space file */
#define CT_FILE_SOURCE_MAX   ((uint64_t)64 << 20)  /* a kernel's source or include */
#define CT_FILE_SOURCES_MAX  ((uint64_t)256 << 20) /* all of these together */
#define CT_FILE_HOST_MAX     ((uint64_t)64 << 20)  /* C code of a reference or fill */
#define CT_FILE_FILL_EXTRA   ((uint64_t)1 << 20)
#define CT_FILE_RECORDED_MAX ((uint64_t)256 << 20) /* recorded results, unpacked */

/* Besides errno, why a file is not read. */
enum {
    CT_FILE_IRREGULAR = -1, /* a FIFO, a device, a socket: it may block or never end */
    CT_FILE_TOO_LARGE = -2,
};

enum { CT_FILE_WHY_SIZE = 128 };

/* Opens a regular file for reading, without ever blocking.  Returns 0 and the stream,
 * which the caller closes; else an errno (EISDIR for a folder) or one of the above.
 * `facts` may be NULL. */
int ct_file_open(const char *path, uint64_t limit_bytes, FILE **out, struct stat *facts);

/* Appends a whole regular file to `out`, or fails as above; also if it grows beyond the limit
 * meanwhile.  ENOMEM if memory is short. */
int ct_file_read(const char *path, uint64_t limit_bytes, struct ct_str *out,
                 struct stat *facts);

/* Reads the beginning of a file that the system makes while it is read (/proc), in one piece.  Returns how
 * many bytes were read, less than `room`; they are terminated.  0 if there are none. */
size_t ct_file_glance(const char *path, char *bytes, size_t room);

/* The hash of a regular file's bytes (that of ct_hash_bytes), in little memory. */
int ct_file_hash_of(const char *path, uint64_t limit_bytes, struct ct_hash *out);

/* The reason in words, in `text` (CT_FILE_WHY_SIZE bytes); returns it. */
const char *ct_file_why(char *text, int error, uint64_t limit_bytes);

/* The kind of that failure for a file that the user has named.  CT_E_USAGE if another name or file
 * would do: it is missing, a folder, too large, or not for this user; CT_E_NOMEM; CT_E_IO if the
 * system fails. */
enum ct_status ct_file_status(int error);

/* Whether two paths name one file; false if either is missing. */
bool ct_file_is_same(const char *a, const char *b);

#endif
