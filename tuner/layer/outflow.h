// SPDX-License-Identifier: Apache-2.0
// Files that are on their way to the disk while they grow.
#ifndef CT_LAYER_OUTFLOW_H
#define CT_LAYER_OUTFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files up to this size are left to the system's cache, since whoever captures reads them soon. */
enum { CT_OUTFLOW_CACHED_BYTES = 256 << 20 };

struct ct_outflow {
    int fd;
    bool is_large;    /* more than CT_OUTFLOW_CACHED_BYTES */
    uint64_t written; /* bytes */
    uint64_t pushed;  /* that the disk was asked to take */
    uint64_t dropped; /* that are on the disk and no longer in the cache */
};

/* Creates a file that will have so many bytes, or empties it.  0, or an errno, after which there is
 * nothing to close. */
int ct_outflow_open(struct ct_outflow *out, const char *path, uint64_t size_bytes);

/* Appends bytes.  A large file takes no more than 64 MiB of the cache: what is further back is waited
 * for, so that the memory of the program stays where it is and the disk begins early.  0, or an errno,
 * also of what the disk did not take. */
int ct_outflow_write(struct ct_outflow *out, const void *bytes, size_t length);

/* 0, or an errno. */
int ct_outflow_close(struct ct_outflow *out);

#endif
