// SPDX-License-Identifier: Apache-2.0
// Writes with write(2), and tells the system when the disk shall have what was written.
#define _GNU_SOURCE // sync_file_range
#include "layer/outflow.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* What is asked for at once, and what may wait for the disk. */
enum { STEP_BYTES = 8 << 20, WINDOW_BYTES = 64 << 20 };

int ct_outflow_open(struct ct_outflow *out, const char *path, uint64_t size_bytes)
{
    *out = (struct ct_outflow){
        .fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
        .is_large = size_bytes > CT_OUTFLOW_CACHED_BYTES};
    return out->fd < 0 ? errno : 0;
}

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t written = write(fd, bytes, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : ENOSPC;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Whether the disk did not take something.  File systems without the call have other errors. */
static int disk_error(int failed)
{
    bool lost = failed && (errno == EIO || errno == ENOSPC || errno == EDQUOT);

    return lost ? errno : 0;
}

/* Has the disk begin with what is new, and end with what is old. */
static int push(struct ct_outflow *out)
{
    const unsigned all =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    uint64_t until = out->written > WINDOW_BYTES ? out->written - WINDOW_BYTES : 0;
    int error = disk_error(sync_file_range(out->fd, (off_t)out->pushed,
                                           (off_t)(out->written - out->pushed),
                                           SYNC_FILE_RANGE_WRITE));

    out->pushed = out->written;
    if (error || until <= out->dropped)
        return error;
    error = disk_error(sync_file_range(out->fd, (off_t)out->dropped,
                                       (off_t)(until - out->dropped), all));
    posix_fadvise(out->fd, (off_t)out->dropped, (off_t)(until - out->dropped),
                  POSIX_FADV_DONTNEED);
    out->dropped = until;
    return error;
}

int ct_outflow_write(struct ct_outflow *out, const void *bytes, size_t length)
{
    int error = write_all(out->fd, bytes, length);

    out->written += length;
    if (error || !out->is_large || out->written - out->pushed < STEP_BYTES)
        return error;
    return push(out);
}

int ct_outflow_close(struct ct_outflow *out)
{
    return close(out->fd) ? errno : 0;
}
