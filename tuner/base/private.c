// SPDX-License-Identifier: Apache-2.0
// Owners of folders and permission to write to them.
#define _XOPEN_SOURCE 700 // realpath
#include "base/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Many systems give each user a group with the same number, and let it write. */
static mode_t writers(const struct stat *info)
{
    bool own_group = info->st_gid == getegid() && info->st_gid == geteuid();

    return info->st_mode & (own_group ? 0002 : CT_PRIVATE_WRITE);
}

/* Root, and the owner of "/": in a user namespace the system's files belong to nobody. */
static bool trusted_owner(uid_t owner)
{
    struct stat info;

    return owner == geteuid() || owner == 0 ||
           (!stat("/", &info) && owner == info.st_uid);
}

/* The folders above the last component, all of them real. */
static enum ct_status check_above(char *path, struct ct_err *err)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat info;
        bool open;

        *slash = '\0';
        open = !stat(path, &info) && (info.st_mode & 0002) && !(info.st_mode & S_ISVTX);
        if (open)
            ct_err_set(err, CT_E_IO, "%s is not safe: other users can write to it", path);
        *slash = '/';
        if (open)
            return CT_E_IO;
    }
    return CT_OK;
}

int ct_private_base(const char *path, struct ct_err *err)
{
    char *real = realpath(path, NULL);
    struct stat info;
    int fd = -1;
    int fault = CT_PRIVATE_UNSAFE;

    if (!real) {
        ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (!check_above(real, err)) {
        fd = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &info)) {
            ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
            fault = -1;
        } else if (!trusted_owner(info.st_uid)) {
            ct_err_set(err, CT_E_IO, "%s is not safe: it belongs to user %lu", path,
                       (unsigned long)info.st_uid);
        } else if (writers(&info) && !(info.st_mode & S_ISVTX)) {
            ct_err_set(err, CT_E_IO, "%s is not safe: other users can write to it", path);
        } else {
            free(real);
            return fd;
        }
    }
    if (fd >= 0)
        close(fd);
    free(real);
    return fault;
}

int ct_private_enter(int parent, const char *name, mode_t forbidden, const char *path,
                     struct ct_err *err)
{
    struct stat info;
    int fd;
    int fault = CT_PRIVATE_UNSAFE;

    if (mkdirat(parent, name, 0700) && errno != EEXIST) {
        ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
        return -1;
    }
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR)) {
        ct_err_set(err, CT_E_IO, "%s is not safe: it is a link or a file, not a folder",
                   path);
        return CT_PRIVATE_UNSAFE;
    }
    if (fd < 0 || fstat(fd, &info)) {
        ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
        fault = -1;
    } else if (info.st_uid != geteuid()) {
        ct_err_set(err, CT_E_IO, "%s is not safe: it belongs to user %lu", path,
                   (unsigned long)info.st_uid);
    } else if ((writers(&info) | (info.st_mode & ~(mode_t)CT_PRIVATE_WRITE)) &
               forbidden) {
        ct_err_set(err, CT_E_IO, "%s is not safe: other users can %s", path,
                   writers(&info) ? "write to it" : "enter it");
    } else {
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return fault;
}

bool ct_private_read(int fd, struct ct_str *out)
{
    struct stat info;
    char chunk[65536];
    ssize_t got;

    if (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
        writers(&info))
        return false;
    while ((got = read(fd, chunk, sizeof(chunk))) > 0)
        ct_str_add(out, chunk, (size_t)got);
    return !got && !out->failed;
}
