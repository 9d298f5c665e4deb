// SPDX-License-Identifier: Apache-2.0
// Locked folders.
#define _GNU_SOURCE // mkdtemp, flock
#include "measure/scratch.h"

#include "measure/cache.h"
#include "measure/trim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int lock_folder(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Whether the path still leads to what was opened: somebody may have swept it away
 * between its making and its locking. */
static bool still_there(const char *path, int fd)
{
    struct stat by_path;
    struct stat by_fd;

    return !stat(path, &by_path) && !fstat(fd, &by_fd) &&
           by_path.st_ino == by_fd.st_ino && by_path.st_dev == by_fd.st_dev;
}

/* Removes the two folders above `path`, unless something else is in them. */
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

enum ct_status ct_scratch_open(struct ct_scratch *scratch, struct ct_err *err)
{
    enum { TRIES = 100 };
    enum ct_status status = CT_OK;

    ct_scratch_sweep();
    ct_str_init(&scratch->path);
    scratch->lock = -1;
    /* Others sweep while this is made: what is gone again is made again. */
    for (int i = 0; !status && scratch->lock < 0; i++) {
        ct_str_reset(&scratch->path);
        status = ct_cache_fallback("scratch", &scratch->path, err);
        if (status == CT_E_IO && i < TRIES) {
            status = CT_OK;
            continue;
        }
        ct_str_puts(&scratch->path, "/XXXXXX");
        if (!status && scratch->path.failed)
            status = ct_err_nomem(err);
        if (!status && !mkdtemp(scratch->path.data)) {
            if (errno == ENOENT && i < TRIES)
                continue;
            status =
                ct_err_set(err, CT_E_IO, "%s: %s", scratch->path.data, strerror(errno));
        }
        if (status)
            break;
        scratch->lock = lock_folder(AT_FDCWD, scratch->path.data);
        if (scratch->lock >= 0 && !still_there(scratch->path.data, scratch->lock)) {
            close(scratch->lock);
            scratch->lock = -1;
        }
    }
    if (status)
        ct_str_release(&scratch->path);
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

/* Whether what is in the folder is ours to remove. */
static bool owned(const char *path)
{
    struct stat info;

    return !lstat(path, &info) && S_ISDIR(info.st_mode) && info.st_uid == getuid();
}

void ct_scratch_sweep(void)
{
    const char *tmp = getenv("TMPDIR");
    struct ct_str path;
    DIR *dir = NULL;

    ct_str_init(&path);
    ct_str_addf(&path, "%s/cltune-%lu/scratch", tmp && *tmp == '/' ? tmp : "/tmp",
                (unsigned long)getuid());
    if (!path.failed && owned(path.data))
        dir = opendir(path.data);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        int lock = entry->d_name[0] != '.' ? lock_folder(dirfd(dir), entry->d_name) : -1;

        if (lock < 0)
            continue;
        ct_trim_remove(dirfd(dir), entry->d_name);
        close(lock);
    }
    if (dir) {
        closedir(dir);
        ct_str_puts(&path, "/");
        remove_parents(path.data);
    }
    ct_str_release(&path);
}
