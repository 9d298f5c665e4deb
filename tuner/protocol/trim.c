// SPDX-License-Identifier: Apache-2.0
// Measures cache folders and removes the oldest entries.
#include "protocol/trim.h"

#include "base/mem.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The size that a text states; false if it is invalid. */
static bool parse_size(const char *text, uint64_t *size_bytes)
{
    static const char units[] = "KMG";
    char *end;
    unsigned long long value;
    const char *unit;
    unsigned shift = 0;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    if (errno || *end || value > UINT64_MAX >> shift)
        return false;
    *size_bytes = (uint64_t)value << shift;
    return true;
}

uint64_t ct_trim_limit(void)
{
    const char *text = getenv("CLTUNE_CACHE_SIZE");
    uint64_t size_bytes;

    return text && parse_size(text, &size_bytes) ? size_bytes : (uint64_t)512 << 20;
}

/* --- entries --- */

struct entry {
    char *name; /* relative to the folder */
    struct timespec used;
    uint64_t size_bytes;
};

struct entries {
    struct entry *list;
    size_t count;
    size_t capacity;
    uint64_t total_bytes;
};

static void add_entry(struct entries *entries, const char *name, struct timespec used,
                      uint64_t size_bytes)
{
    struct entry *entry;

    /* Out of memory: what is not listed is not removed this time. */
    if (!ct_mem_grow(&entries->list, &entries->capacity, entries->count + 1,
                     sizeof(*entries->list)))
        return;
    entry = &entries->list[entries->count];
    entry->name = ct_mem_copy(name, strlen(name));
    if (!entry->name)
        return;
    entry->used = used;
    entry->size_bytes = size_bytes;
    entries->count++;
    entries->total_bytes += size_bytes;
}

static void release_entries(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        free(entries->list[i].name);
    free(entries->list);
}

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

/* Removes the oldest entries used before `until_s`. */
static void remove_oldest(struct entries *entries, int folder, uint64_t limit_bytes,
                          time_t until_s,
                          void (*remove_one)(int folder, const char *name))
{
    if (entries->total_bytes <= limit_bytes || !entries->count)
        return;
    qsort(entries->list, entries->count, sizeof(*entries->list), by_use);
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->list[i];

        if (entries->total_bytes <= limit_bytes - limit_bytes / 8 ||
            entry->used.tv_sec > until_s)
            return;
        remove_one(folder, entry->name);
        entries->total_bytes -= entry->size_bytes;
    }
}

/* --- files --- */

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name);
    size_t tail = strlen(suffix);

    return length >= tail && !strcmp(name + length - tail, suffix);
}

void ct_trim_host(char host[CT_TRIM_HOST_SIZE])
{
    if (gethostname(host, CT_TRIM_HOST_SIZE))
        host[0] = '\0';
    host[CT_TRIM_HOST_SIZE - 1] = '\0';
}

/* Whether NAME.@HOST.PID.part is another machine's, whose processes are not known here. */
static bool is_foreign(const char *name, const char *last_dot)
{
    const char *at = strstr(name, ".@");
    char host[CT_TRIM_HOST_SIZE];
    size_t length;

    if (!at || at + 2 > last_dot)
        return false;
    ct_trim_host(host);
    length = strlen(host);
    return (size_t)(last_dot - (at + 2)) != length || strncmp(at + 2, host, length) != 0;
}

/* NAME.PID.part or NAME.@HOST.PID.part of a process that is gone, or of another machine and so old
 * that nobody writes it any more. */
static bool is_orphan(int folder, const char *name)
{
    const time_t hour_s = 3600;
    const char *dot = NULL;
    struct stat info;
    long pid;

    if (!ends_in(name, ".part"))
        return false;
    for (const char *at = name; at + 5 < name + strlen(name); at++)
        if (*at == '.')
            dot = at;
    if (dot && is_foreign(name, dot))
        return !fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) &&
               info.st_mtime < time(NULL) - hour_s;
    pid = dot ? strtol(dot + 1, NULL, 10) : 0;
    return pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH;
}

static void remove_file(int folder, const char *name)
{
    unlinkat(folder, name, 0);
}

void ct_trim_files(const char *folder, const char *suffix, uint64_t limit_bytes)
{
    struct entries entries = {0};
    DIR *dir = opendir(folder);

    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct stat info;

        if (is_orphan(dirfd(dir), entry->d_name))
            remove_file(dirfd(dir), entry->d_name);
        else if (ends_in(entry->d_name, suffix) &&
                 !fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) &&
                 S_ISREG(info.st_mode))
            add_entry(&entries, entry->d_name, info.st_mtim, (uint64_t)info.st_size);
    }
    remove_oldest(&entries, dirfd(dir), limit_bytes, time(NULL), remove_file);
    closedir(dir);
    release_entries(&entries);
}

/* --- folders --- */

static DIR *open_at(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

    if (fd >= 0 && !dir)
        close(fd);
    return dir;
}

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

enum { DEPTH = 8 };

/* Sums up the files below `name`, or removes them with all folders. */
static uint64_t walk_folder(int folder, const char *name, bool removing, int depth)
{
    DIR *dir = depth ? open_at(folder, name) : NULL;
    uint64_t sum_bytes = 0;

    if (!dir)
        return 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct stat info;

        if (is_dots(entry->d_name) ||
            fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
            continue;
        if (S_ISDIR(info.st_mode)) {
            sum_bytes += walk_folder(dirfd(dir), entry->d_name, removing, depth - 1);
        } else {
            sum_bytes += (uint64_t)info.st_size;
            if (removing)
                unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    closedir(dir);
    if (removing)
        unlinkat(folder, name, AT_REMOVEDIR);
    return sum_bytes;
}

void ct_trim_remove(int folder, const char *name)
{
    walk_folder(folder, name, true, DEPTH);
}

/* Adds the programs of one folder XX. */
static void add_programs(struct entries *entries, int folder, const char *name)
{
    DIR *dir = open_at(folder, name);

    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct ct_str path;
        struct ct_str used;
        struct stat info;

        if (is_dots(entry->d_name))
            continue;
        ct_str_init(&path);
        ct_str_init(&used);
        ct_str_addf(&path, "%s/%s", name, entry->d_name);
        ct_str_addf(&used, "%s/last_accessed", path.data);
        if (!path.failed && !used.failed &&
            (!fstatat(folder, used.data, &info, 0) ||
             !fstatat(folder, path.data, &info, 0)))
            add_entry(entries, path.data, info.st_mtim,
                      walk_folder(folder, path.data, false, DEPTH));
        ct_str_release(&used);
        ct_str_release(&path);
    }
    closedir(dir);
}

void ct_trim_pocl(const char *folder, uint64_t limit_bytes)
{
    const time_t hour_s = 3600;
    struct entries entries = {0};
    DIR *dir = opendir(folder);

    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strlen(entry->d_name) == 2 && !is_dots(entry->d_name))
            add_programs(&entries, dirfd(dir), entry->d_name);
    remove_oldest(&entries, dirfd(dir), limit_bytes, time(NULL) - hour_s, ct_trim_remove);
    closedir(dir);
    release_entries(&entries);
}
