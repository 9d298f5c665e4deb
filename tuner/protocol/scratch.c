// SPDX-License-Identifier: Apache-2.0
// Locked folders.
#define _GNU_SOURCE // getrandom, flock
#include "protocol/scratch.h"

#include "base/private.h"
#include "base/temporary.h"
#include "protocol/trim.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* cltune's folders are called run-, with this many hexadecimal digits; nothing else is touched. */
#define NAME_START "run-"
enum { NAME_DIGITS = 16, NAME_SIZE = sizeof(NAME_START) + NAME_DIGITS };

static bool make_name(char *name)
{
    uint64_t random;

    if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return false;
    snprintf(name, NAME_SIZE, NAME_START "%016" PRIx64, random);
    return true;
}

static bool is_name(const char *name)
{
    if (!ct_str_starts(name, NAME_START) || strlen(name) != NAME_SIZE - 1)
        return false;
    for (const char *at = name + strlen(NAME_START); *at; at++)
        if (!isdigit((unsigned char)*at) && !(*at >= 'a' && *at <= 'f'))
            return false;
    return true;
}

/* Opens one of cltune's folders in `parent` and locks it; -1 if it is locked already. */
static int lock_folder(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat info;

    if (fd >= 0 &&
        (fstat(fd, &info) || info.st_uid != geteuid() || flock(fd, LOCK_EX | LOCK_NB))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Whether the name still refers to the opened folder: it may have been removed between its
 * creation and its locking. */
static bool still_there(int parent, const char *name, int fd)
{
    struct stat by_name;
    struct stat by_fd;

    return !fstatat(parent, name, &by_name, AT_SYMLINK_NOFOLLOW) && !fstat(fd, &by_fd) &&
           by_name.st_ino == by_fd.st_ino && by_name.st_dev == by_fd.st_dev;
}

/* Removes the two folders above `path`, if they are empty. */
static void remove_parents(char *path)
{
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');

        if (!slash || slash == path)
            return;
        *slash = '\0';
        if (rmdir(path))
            return;
    }
}

/* Creates one folder below cltune's own.  If another process removed it meanwhile, there is
 * neither an error nor a lock. */
static enum ct_status try_open(struct ct_scratch *scratch, struct ct_err *err)
{
    char name[NAME_SIZE];
    int own = ct_temporary_open(&scratch->path, err);
    int parent;

    if (own < 0)
        return err->code;
    ct_str_puts(&scratch->path, "/scratch");
    parent = ct_private_enter(own, "scratch", CT_PRIVATE_ALL, scratch->path.data, err);
    close(own);
    if (parent < 0)
        return CT_E_IO;
    if (!make_name(name)) {
        close(parent);
        return ct_err_set(err, CT_E_IO, "getrandom: %s", strerror(errno));
    }
    ct_str_addf(&scratch->path, "/%s", name);
    if (!scratch->path.failed && !mkdirat(parent, name, 0700)) {
        scratch->lock = lock_folder(parent, name);
        if (scratch->lock >= 0 && !still_there(parent, name, scratch->lock)) {
            close(scratch->lock);
            scratch->lock = -1;
        }
    } else if (!scratch->path.failed && errno != ENOENT && errno != EEXIST) {
        ct_err_set(err, CT_E_IO, "%s: %s", scratch->path.data, strerror(errno));
        close(parent);
        return CT_E_IO;
    }
    close(parent);
    return scratch->path.failed ? ct_err_nomem(err) : CT_OK;
}

enum ct_status ct_scratch_open(struct ct_scratch *scratch, struct ct_err *err)
{
    enum { TRIES = 100 };
    struct ct_err why = CT_ERR_INIT;
    enum ct_status status = CT_OK;

    ct_scratch_sweep();
    ct_str_init(&scratch->path);
    scratch->lock = -1;
    for (int i = 0; scratch->lock < 0 && i < TRIES; i++) {
        ct_str_reset(&scratch->path);
        status = try_open(scratch, &why);
        if (status == CT_E_NOMEM)
            break;
    }
    if (!status && scratch->lock < 0)
        status = ct_err_set(&why, CT_E_IO, "%s: cannot be locked", scratch->path.data);
    if (status) {
        if (err)
            *err = why;
        ct_str_release(&scratch->path);
    }
    return status;
}

void ct_scratch_close(struct ct_scratch *scratch)
{
    if (scratch->path.length)
        ct_trim_remove(AT_FDCWD, scratch->path.data);
    if (scratch->lock >= 0)
        close(scratch->lock);
    remove_parents(scratch->path.data);
    ct_str_release(&scratch->path);
    scratch->lock = -1;
}

/* --- sweeping --- */

/* Removes unlocked folders in this folder, which is the user's alone and was reached without
 * links. */
static void sweep_folder(DIR *dir)
{
    for (struct dirent *entry; (entry = readdir(dir));) {
        int lock = is_name(entry->d_name) ? lock_folder(dirfd(dir), entry->d_name) : -1;

        if (lock < 0)
            continue;
        ct_trim_remove(dirfd(dir), entry->d_name);
        close(lock);
    }
}

static void sweep_place(int place)
{
    struct ct_str path;
    struct stat info;
    DIR *dir = NULL;
    int own;
    int fd = -1;

    ct_str_init(&path);
    own = ct_temporary_find(place, &path);
    if (own >= 0 && !fstatat(own, "scratch", &info, AT_SYMLINK_NOFOLLOW))
        fd = ct_private_enter(own, "scratch", CT_PRIVATE_ALL, "scratch", NULL);
    if (fd >= 0)
        dir = fdopendir(fd);
    if (dir) {
        sweep_folder(dir);
        closedir(dir);
        ct_str_puts(&path, "/scratch/");
        remove_parents(path.data);
    } else if (fd >= 0) {
        close(fd);
    }
    if (own >= 0)
        close(own);
    ct_str_release(&path);
}

void ct_scratch_sweep(void)
{
    for (int i = 0; i < CT_TEMPORARY_PLACES; i++)
        sweep_place(i);
}
