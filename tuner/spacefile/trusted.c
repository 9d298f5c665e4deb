// SPDX-License-Identifier: Apache-2.0
// Which space files the user has run: a list of their paths, one per line, beside the default
// database.
#define _XOPEN_SOURCE 700 /* realpath */
#include "spacefile/trusted.h"

#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIST_BYTES = 1 << 20 }; /* a longer list is ignored and not extended */

/* It was once called "spaces", which is where `make install PREFIX=~/.local` puts space files. */
static void take_old_list(const char *folder, const char *path)
{
    struct ct_str old;
    struct stat info;

    ct_str_init(&old);
    ct_str_addf(&old, "%s/spaces", folder);
    if (!old.failed && !lstat(old.data, &info) && S_ISREG(info.st_mode) &&
        lstat(path, &info) && errno == ENOENT)
        (void)rename(old.data, path);
    ct_str_release(&old);
}

/* The list's folder and path; false if there is no place for it. */
static bool list_path(struct ct_str *folder, struct ct_str *path)
{
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");

    if (data && *data == '/')
        ct_str_addf(folder, "%s/cltune", data);
    else if (home && *home == '/')
        ct_str_addf(folder, "%s/.local/share/cltune", home);
    else
        return false;
    ct_str_addf(path, "%s/searched", folder->data);
    if (folder->failed || path->failed)
        return false;
    take_old_list(folder->data, path->data);
    return true;
}

/* Opens the list, which only its owner may write to; -1: none, or not trusted. */
static int open_list(const char *path, int flags)
{
    int file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    struct stat info;

    if (file >= 0 &&
        (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
         info.st_mode & 022 || info.st_size > LIST_BYTES)) {
        close(file);
        return -1;
    }
    return file;
}

/* Whether the open list has the line `name`. */
static bool has_line(int file, const char *name)
{
    char *text = malloc(LIST_BYTES + 1);
    size_t length = 0;
    bool found = false;
    ssize_t n = 1;

    while (text && n > 0 && length < LIST_BYTES) {
        n = read(file, text + length, LIST_BYTES - length);
        length += n > 0 ? (size_t)n : 0;
    }
    if (text)
        text[length] = '\0';
    for (char *line = text, *end; line && *line && !found; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        found = strcmp(line, name) == 0;
    }
    free(text);
    return found;
}

/* The resolved path, without links; NULL: none, or not storable in a line. */
static char *real_name(const char *space_path)
{
    char *name = realpath(space_path, NULL);

    if (name && strchr(name, '\n')) {
        free(name);
        name = NULL;
    }
    return name;
}

bool ct_trusted_space(const char *space_path)
{
    char *name = real_name(space_path);
    struct ct_str folder;
    struct ct_str path;
    bool found = false;

    ct_str_init(&folder);
    ct_str_init(&path);
    if (name && list_path(&folder, &path)) {
        int file = open_list(path.data, O_RDONLY);

        if (file >= 0) {
            found = has_line(file, name);
            close(file);
        }
    }
    ct_str_release(&folder);
    ct_str_release(&path);
    free(name);
    return found;
}

/* Whether a folder is the user's own: nothing is created in other users' folders, as under sudo,
 * nor where there is none. */
static bool is_own(const char *folder)
{
    struct stat info;

    return stat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

/* Creates the folder, and missing parents below a folder of the user's own. */
static bool make_folder(char *folder)
{
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");

    if (is_own(folder))
        return true;
    if (data && *data == '/' ? access(data, F_OK) == 0 && !is_own(data)
                             : !home || !is_own(home))
        return false;
    for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return false;
        *at = '/';
    }
    return mkdir(folder, 0700) == 0 || errno == EEXIST;
}

void ct_trust_space(const char *space_path)
{
    char *name = real_name(space_path);
    struct ct_str folder;
    struct ct_str path;
    struct ct_str line;

    ct_str_init(&folder);
    ct_str_init(&path);
    ct_str_init(&line);
    if (name && list_path(&folder, &path) && make_folder(folder.data)) {
        int file = open_list(path.data, O_RDWR | O_CREAT | O_APPEND);

        if (file >= 0) {
            ct_str_addf(&line, "%s\n", name);
            /* A single write: lines of two processes do not mix. */
            if (!has_line(file, name) && !line.failed &&
                write(file, line.data, line.length) < 0)
                errno = 0; /* it has to be confirmed later */
            close(file);
        }
    }
    ct_str_release(&folder);
    ct_str_release(&path);
    ct_str_release(&line);
    free(name);
}
