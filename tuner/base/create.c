// SPDX-License-Identifier: Apache-2.0
// Writes beside the place, and then gives the file its name unless there is one already.
#include "base/create.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or an errno. */
static int write_new(const char *path, const char *bytes, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    int error = fd < 0 ? errno : 0;
    size_t at = 0;

    while (!error && at < length) {
        ssize_t put = write(fd, bytes + at, length - at);

        if (put > 0)
            at += (size_t)put;
        else if (put == 0 || errno != EINTR)
            error = put < 0 ? errno : EIO;
    }
    if (fd >= 0 && close(fd) && !error)
        error = errno;
    return error;
}

/* Some file systems have no links: there, somebody else's file of this very moment is lost. */
static int give_name(const char *part, const char *path)
{
    struct stat info;

    if (!link(part, path))
        return 0;
    if (errno == EEXIST)
        return EEXIST;
    if (!lstat(path, &info))
        return EEXIST;
    return rename(part, path) ? errno : 0;
}

int ct_file_create(const char *path, const void *bytes, size_t length)
{
    struct ct_str part;
    int error;

    ct_str_init(&part);
    ct_str_addf(&part, "%s.%ld.part", path, (long)getpid());
    if (part.failed) {
        error = ENOMEM;
    } else {
        /* Left by an earlier process of this number. */
        unlink(part.data);
        error = write_new(part.data, bytes, length);
        if (!error)
            error = give_name(part.data, path);
        unlink(part.data);
    }
    ct_str_release(&part);
    return error;
}
