// SPDX-License-Identifier: Apache-2.0
// Chooses, creates and finds the folder for temporary files.
#define _GNU_SOURCE // getrandom, ST_NOEXEC
#include "base/temporary.h"

#include "base/private.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Set and absolute: relative ones are ignored. */
static const char *variable_path(const char *name)
{
    const char *path = getenv(name);

    return path && *path == '/' ? path : NULL;
}

/* Often a small disk in memory, with too little space for compilers, or one from which no code
 * may be loaded. */
static bool runtime_fits(const char *path)
{
    const uint64_t least_bytes = (uint64_t)256 << 20;
    struct statvfs info;
    struct stat folder;

    return !lstat(path, &folder) && S_ISDIR(folder.st_mode) &&
           folder.st_uid == geteuid() && !(folder.st_mode & CT_PRIVATE_ALL) &&
           !statvfs(path, &info) && !(info.f_flag & (ST_NOEXEC | ST_RDONLY)) &&
           (uint64_t)info.f_bavail * info.f_frsize >= least_bytes;
}

/* NULL if there is no such place.  A user who sets TMPDIR means it. */
static const char *place_at(int place)
{
    const char *tmp = variable_path("TMPDIR");

    if (tmp)
        return place ? NULL : tmp;
    return place ? "/tmp" : variable_path("XDG_RUNTIME_DIR");
}

const char *ct_temporary_place(const char **variable)
{
    const char *first = place_at(0);
    bool tmp = variable_path("TMPDIR") != NULL;
    bool runtime = !tmp && first && runtime_fits(first);

    *variable = runtime ? "XDG_RUNTIME_DIR" : "TMPDIR";
    return tmp || runtime ? first : "/tmp";
}

/* --- names --- */

enum { NAME_SIZE = 48, TAIL = 6 };

static void our_name(char *name)
{
    snprintf(name, NAME_SIZE, "cltune-%lu", (unsigned long)geteuid());
}

/* NAME-XXXXXX. */
static bool is_alternative(const char *entry, const char *name)
{
    size_t length = strlen(name);

    return !strncmp(entry, name, length) && entry[length] == '-' &&
           strlen(entry + length + 1) == TAIL;
}

static bool make_alternative(char *alternative, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char random[TAIL];
    size_t length = strlen(name);

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return false;
    memcpy(alternative, name, length);
    alternative[length] = '-';
    for (size_t i = 0; i < TAIL; i++)
        alternative[length + 1 + i] = letters[random[i] % 32];
    alternative[length + 1 + TAIL] = '\0';
    return true;
}

/* Opens the folder `name` if it is cltune's own; `make`: creates it. */
static int enter_folder(int base, const char *name, bool make, struct ct_err *err)
{
    struct stat info;

    if (!make && fstatat(base, name, &info, AT_SYMLINK_NOFOLLOW))
        return -1;
    return ct_private_enter(base, name, CT_PRIVATE_ALL, name, err);
}

/* Of cltune's alternative folders the first by name: all processes must find the same one. */
static int find_alternative(int base, const char *name, char *found)
{
    int copy = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;

    if (copy >= 0 && !dir)
        close(copy);
    *found = '\0';
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        int fd;

        if (!is_alternative(entry->d_name, name) ||
            (*found && strcmp(entry->d_name, found) >= 0))
            continue;
        fd = enter_folder(base, entry->d_name, false, NULL);
        if (fd >= 0) {
            close(fd);
            memcpy(found, entry->d_name, strlen(entry->d_name) + 1);
        }
    }
    if (dir)
        closedir(dir);
    return *found ? enter_folder(base, found, false, NULL) : -1;
}

/* --- folders --- */

static int open_in(const char *place, bool make, struct ct_str *path, struct ct_err *err)
{
    char name[NAME_SIZE];
    char alternative[NAME_SIZE];
    struct stat info;
    int base = ct_private_base(place, err);
    int fd;

    if (base < 0)
        return -1;
    our_name(name);
    fd = enter_folder(base, name, make, err);
    /* Another user has taken the name. */
    if (fd < 0 && !fstatat(base, name, &info, AT_SYMLINK_NOFOLLOW)) {
        fd = find_alternative(base, name, alternative);
        if (fd < 0 && make && make_alternative(alternative, name))
            fd = enter_folder(base, alternative, true, err);
        memcpy(name, alternative, sizeof(name));
    }
    close(base);
    if (fd < 0)
        return -1;
    ct_str_addf(path, "%s/%s", place, name);
    if (path->failed) {
        close(fd);
        ct_err_nomem(err);
        return -1;
    }
    return fd;
}

int ct_temporary_open(struct ct_str *path, struct ct_err *err)
{
    const char *variable;
    const char *place = ct_temporary_place(&variable);
    struct ct_err why = CT_ERR_INIT;
    int fd = open_in(place, true, path, &why);

    /* A user who has set TMPDIR would look there: no other place is used silently. */
    if (fd < 0 && why.code != CT_E_NOMEM)
        ct_err_set(
            err, why.code,
            "cannot create a folder for temporary files in %s%s: %s; set TMPDIR to "
            "a writable folder",
            place, variable_path("TMPDIR") ? " (TMPDIR)" : "", why.message);
    else if (fd < 0)
        ct_err_nomem(err);
    return fd;
}

int ct_temporary_find(int place, struct ct_str *path)
{
    const char *folder = place_at(place);

    return folder ? open_in(folder, false, path, NULL) : -1;
}
