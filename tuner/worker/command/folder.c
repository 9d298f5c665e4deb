// SPDX-License-Identifier: Apache-2.0
// Files of a program's folder.
#define _DEFAULT_SOURCE
#include "worker/command/folder.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEVELS = 16 };

/* --- size --- */

static uint64_t size_of(int parent, const char *name, int levels)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    uint64_t size = 0;

    if (fd >= 0 && !dir)
        close(fd);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat info;
        uint64_t taken;

        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
            fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
            continue;
        /* Empty files and folders take room, too; a file with holes takes less than its length. */
        taken = (uint64_t)info.st_blocks * 512;
        size += taken < (uint64_t)info.st_size && S_ISREG(info.st_mode)
                    ? (uint64_t)info.st_size
                    : taken;
        if (S_ISDIR(info.st_mode) && levels)
            size += size_of(dirfd(dir), entry->d_name, levels - 1);
    }
    if (dir)
        closedir(dir);
    return size;
}

uint64_t ct_folder_size(const char *path)
{
    return size_of(AT_FDCWD, path, LEVELS);
}

/* --- writing --- */

static char *join(const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);

    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    return path;
}

/* Creates the folders above a file. */
static void make_parents(char *path, size_t from)
{
    for (char *at = path + from + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0777);
        *at = '/';
    }
}

static int copy_bytes(int from, int to)
{
    char chunk[65536];
    ssize_t got;

    while ((got = read(from, chunk, sizeof(chunk))) > 0)
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(to, chunk + done, (size_t)(got - done));

            if (put < 0)
                return errno;
            done += put;
        }
    return got < 0 ? errno : 0;
}

static int copy_file(const char *from, const char *to)
{
    struct stat info = {0};
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = -1;
    int error = in < 0 || fstat(in, &info) ? errno : 0;

    if (!error) {
        unlink(to);
        out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                   (info.st_mode & 0777) | 0600);
        error = out < 0 ? errno : copy_bytes(in, out);
    }
    if (out >= 0 && close(out) && !error)
        error = errno;
    if (in >= 0)
        close(in);
    return error;
}

static int write_text(const char *text, const char *to)
{
    FILE *file = fopen(to, "we");
    bool good = file && fputs(text, file) >= 0;
    int error = good ? 0 : errno;

    if (file && fclose(file) && !error)
        error = errno;
    return error;
}

static enum ct_status put_files(const char *folder, const struct ct_plan_command *command,
                                bool texts, struct ct_err *err)
{
    for (size_t i = 0; i < command->file_count; i++) {
        const struct ct_plan_file *file = &command->files[i];
        char *path;
        int error;

        if ((file->text != NULL) != texts)
            continue;
        path = join(folder, file->name);
        if (!path)
            return ct_err_nomem(err);
        make_parents(path, strlen(folder));
        error = texts ? write_text(file->text, path) : copy_file(file->path, path);
        free(path);
        if (error)
            return ct_err_set(err, CT_E_IO, "cannot write '%s' for the program: %s",
                              file->name, strerror(error));
    }
    return CT_OK;
}

enum ct_status ct_folder_copy_files(const char *folder,
                                    const struct ct_plan_command *command,
                                    struct ct_err *err)
{
    return put_files(folder, command, false, err);
}

enum ct_status ct_folder_write_texts(const char *folder,
                                     const struct ct_plan_command *command,
                                     struct ct_err *err)
{
    return put_files(folder, command, true, err);
}

/* --- reading --- */

static enum ct_status read_all(int fd, uint64_t most_bytes, char **text, size_t *length,
                               struct ct_err *err)
{
    size_t room = 0;
    ssize_t got = 1;

    *text = NULL;
    *length = 0;
    while (got > 0 && *length < most_bytes) {
        size_t want =
            most_bytes - *length < 65536 ? (size_t)(most_bytes - *length) : 65536;

        if (!ct_mem_grow(text, &room, *length + want + 1, 1))
            return ct_err_nomem(err);
        got = pread(fd, *text + *length, want, (off_t)*length);
        *length += got > 0 ? (size_t)got : 0;
    }
    if (!*text && !ct_mem_grow(text, &room, 1, 1))
        return ct_err_nomem(err);
    (*text)[*length] = '\0';
    return CT_OK;
}

enum ct_status ct_folder_read(const char *folder, const char *name, int fd,
                              uint64_t most_bytes, char **text, size_t *length,
                              struct ct_err *err)
{
    char *path = fd < 0 && *name != '/' ? join(folder, name) : NULL;
    /* A pipe that a program leaves under the name would never end. */
    int opened =
        fd >= 0 ? fd : open(path ? path : name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    enum ct_status status;

    *text = NULL;
    if (opened < 0 || (fd < 0 && !fstat(opened, &info) && !S_ISREG(info.st_mode)))
        status = ct_err_set(err, CT_E_NOT_FOUND, "there is no file '%s': %s", name,
                            opened < 0 ? strerror(errno) : "it is no regular file");
    else
        status = read_all(opened, most_bytes, text, length, err);
    if (fd < 0 && opened >= 0)
        close(opened);
    free(path);
    if (status) {
        free(*text);
        *text = NULL;
    }
    return status;
}
