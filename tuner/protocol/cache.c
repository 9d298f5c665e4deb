// SPDX-License-Identifier: Apache-2.0
// Finds and creates the cache folder.
#define _GNU_SOURCE // flock, AT_EACCESS
#include "protocol/cache.h"

#include "base/private.h"
#include "base/temporary.h"
#include "protocol/trim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* mkdir -p, one component after the other; an existing folder is fine. */
static enum ct_status make_path(char *path, struct ct_err *err)
{
    for (char *p = path + 1;; p++) {
        char old = *p;

        if (old && old != '/')
            continue;
        *p = '\0';
        if (mkdir(path, 0700) && errno != EEXIST) {
            ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
            *p = old;
            return CT_E_IO;
        }
        *p = old;
        if (!old)
            return CT_OK;
    }
}

/* Appends the base folder of the user's caches: a relative path is ignored, as specified. */
static enum ct_status add_base(struct ct_str *out, struct ct_err *err)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");

    if (cache && *cache == '/')
        ct_str_puts(out, cache);
    else if (home && *home == '/')
        ct_str_addf(out, "%s/.cache", home);
    else
        return ct_err_set(err, CT_E_IO,
                          "no cache folder: neither XDG_CACHE_HOME nor HOME is set");
    return out->failed ? ct_err_nomem(err) : CT_OK;
}

/* Opens the folder `name` below `*fd`, which it closes, and appends it to the path. */
static enum ct_status enter_below(int *fd, const char *name, mode_t forbidden,
                                  struct ct_str *out, size_t start, struct ct_err *err)
{
    int parent = *fd;

    ct_str_addf(out, "/%s", name);
    *fd = out->failed ? -1
                      : ct_private_enter(parent, name, forbidden, out->data + start, err);
    close(parent);
    if (out->failed)
        return ct_err_nomem(err);
    return *fd < 0 ? CT_E_IO : CT_OK;
}

enum ct_status ct_cache_folder(const char *name, struct ct_str *out, struct ct_err *err)
{
    size_t start = out->length;
    enum ct_status status = add_base(out, err);
    int fd = -1;

    if (!status)
        status = make_path(out->data + start, err);
    if (!status) {
        fd = ct_private_base(out->data + start, err);
        status = fd < 0 ? CT_E_IO : CT_OK;
    }
    if (!status)
        status = enter_below(&fd, "cltune", CT_PRIVATE_WRITE, out, start, err);
    if (!status)
        status = enter_below(&fd, name, CT_PRIVATE_WRITE, out, start, err);
    if (!status && faccessat(fd, ".", W_OK | X_OK, AT_EACCESS))
        status = ct_err_set(err, CT_E_IO, "%s: %s", out->data + start, strerror(errno));
    if (fd >= 0)
        close(fd);
    return status;
}

bool ct_cache_unsafe(struct ct_err *err)
{
    struct ct_str path;
    int base = -1;
    int fd = -1;

    ct_str_init(&path);
    if (!add_base(&path, NULL))
        fd = base = ct_private_base(path.data, err);
    ct_str_puts(&path, "/cltune");
    if (base >= 0 && !path.failed)
        fd = ct_private_enter(base, "cltune", CT_PRIVATE_WRITE, path.data, err);
    if (fd >= 0 && fd != base)
        close(fd);
    if (base >= 0)
        close(base);
    ct_str_release(&path);
    return fd == CT_PRIVATE_UNSAFE;
}

enum ct_status ct_cache_fallback(const char *name, struct ct_str *out, struct ct_err *err)
{
    enum { TRIES = 10 };
    size_t start = out->length;
    struct ct_err why = CT_ERR_INIT;

    /* A finishing process removes the parent folder once it is empty: try again. */
    for (int i = 0; i < TRIES; i++) {
        int fd = ct_temporary_open(out, &why);

        if (fd >= 0 && !enter_below(&fd, name, CT_PRIVATE_ALL, out, start, &why)) {
            close(fd);
            return CT_OK;
        }
        if (out->failed)
            return ct_err_nomem(err);
        out->length = start;
        out->data[start] = '\0';
    }
    if (err)
        *err = why;
    return why.code;
}

enum ct_status ct_cache_driver(struct ct_str *out, bool *chosen, struct ct_err *err)
{
    const char *set = getenv("POCL_CACHE_DIR");
    size_t start = out->length;
    struct ct_err own = CT_ERR_INIT;
    struct ct_err fallback = CT_ERR_INIT;

    *chosen = set != NULL;
    if (set) {
        ct_str_puts(out, set);
        return out->failed ? ct_err_nomem(err) : CT_OK;
    }
    if (!ct_cache_folder("pocl", out, &own))
        return CT_OK;
    /* Truncated again: what failed is not part of the path. */
    if (!out->failed) {
        out->length = start;
        out->data[start] = '\0';
    }
    if (!ct_cache_fallback("pocl", out, &fallback))
        return CT_OK;
    return ct_err_set(err, CT_E_IO, "cannot write a cache for the driver: %s; %s",
                      own.message, fallback.message);
}

/* Whether files can be created in a folder, by creating one. */
static enum ct_status check_usable(const char *folder, const char *variable,
                                   struct ct_err *err)
{
    struct ct_str path;
    struct stat info;
    int code = 0;
    int fd;

    /* Drivers create it when they need it. */
    if (stat(folder, &info) && errno == ENOENT)
        return CT_OK;
    ct_str_init(&path);
    ct_str_addf(&path, "%s/cltune-probe-XXXXXX", folder);
    if (!path.failed) {
        fd = mkstemp(path.data);
        if (fd < 0) {
            code = errno;
        } else {
            close(fd);
            unlink(path.data);
        }
    }
    ct_str_release(&path);
    /* Among errors that say nothing about the folder: descriptors are short. */
    if (!code || code == EMFILE || code == ENFILE || code == EROFS)
        return CT_OK;
    return ct_err_set(
        err, CT_E_IO,
        "drivers and compilers cannot write to %s: %s; correct this or set %s "
        "to another folder, then run the search again to continue",
        folder, strerror(code), variable);
}

bool ct_cache_driver_own(struct ct_str *out)
{
    bool chosen = false;

    return !ct_cache_driver(out, &chosen, NULL) && !chosen;
}

static enum ct_status check_room(const char *folder, const char *variable,
                                 struct ct_err *err)
{
    const uint64_t least_bytes = 1 << 20;
    struct statvfs info;
    uint64_t free_bytes;

    /* Some file systems report no sizes; a read-only one cannot be written to by anyone. */
    if (statvfs(folder, &info))
        return check_usable(folder, variable, err);
    if (info.f_flag & ST_RDONLY)
        return CT_OK;
    if (!info.f_blocks)
        return check_usable(folder, variable, err);
    free_bytes = (uint64_t)info.f_bavail * info.f_frsize;
    if (free_bytes >= least_bytes)
        return check_usable(folder, variable, err);
    return ct_err_set(err, CT_E_IO,
                      "the disk of %s is full: %" PRIu64
                      " KiB are left; make room or set %s to another folder",
                      folder, free_bytes / 1024, variable);
}

enum ct_status ct_cache_room(struct ct_err *err)
{
    const char *variable;
    const char *place = ct_temporary_place(&variable);
    struct ct_str folder;
    bool chosen = false;
    enum ct_status status = CT_OK;

    ct_str_init(&folder);
    if (!ct_cache_driver(&folder, &chosen, NULL))
        status =
            check_room(folder.data, chosen ? "POCL_CACHE_DIR" : "XDG_CACHE_HOME", err);
    if (!status)
        status = check_room(place, "TMPDIR", err);
    ct_str_release(&folder);
    return status;
}

void ct_cache_hold(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    /* Never closed: the lock lasts as long as the process. */
    if (fd >= 0)
        flock(fd, LOCK_SH);
}

void ct_cache_sweep(const char *folder)
{
    const time_t hour_s = 3600;
    time_t until_s = time(NULL) - hour_s;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    /* No process holds it: its files have no owner. */
    if (!flock(dirfd(dir), LOCK_EX | LOCK_NB))
        until_s += 2 * hour_s;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct stat info;

        if (ct_str_starts(entry->d_name, "tempfile_") &&
            !fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) &&
            S_ISREG(info.st_mode) && info.st_mtime < until_s)
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
}

void ct_cache_sweep_driver(void)
{
    struct ct_str path;

    ct_str_init(&path);
    if (ct_cache_driver_own(&path))
        ct_cache_sweep(path.data);
    ct_str_release(&path);
}

/* --- files --- */

static bool write_all(const char *path, const char *bytes, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    size_t at = 0;

    if (fd < 0)
        return false;
    while (at < length) {
        ssize_t put = write(fd, bytes + at, length - at);

        if (put <= 0)
            break;
        at += (size_t)put;
    }
    return !close(fd) && at == length;
}

enum ct_status ct_cache_write(const char *path, const char *bytes, size_t length,
                              struct ct_err *err)
{
    struct ct_str part;
    enum ct_status status = CT_OK;
    char host[CT_TRIM_HOST_SIZE];

    ct_str_init(&part);
    ct_trim_host(host);
    ct_str_addf(&part, "%s.@%s.%ld.part", path, host, (long)getpid());
    if (part.failed) {
        status = ct_err_nomem(err);
    } else if (!write_all(part.data, bytes, length) || rename(part.data, path)) {
        status = ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
        unlink(part.data);
    }
    ct_str_release(&part);
    return status;
}
