// SPDX-License-Identifier: Apache-2.0
// Records, compares and removes PoCL's objects.
#define _DEFAULT_SOURCE // DT_DIR
#include "protocol/objects.h"

#include "protocol/cache.h"
#include "base/private.h"
#include "protocol/trim.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The first line of a checksum file, before the checksum of the lines that follow. */
#define FORM "cltune objects 1 "
enum { SUM = CT_HASH_TEXT_SIZE - 1, FILE_MAX = 64 << 20, SUMS_MAX = 1 << 20 };

static bool read_at(int folder, const char *path, size_t limit_bytes, struct ct_str *out)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char chunk[65536];
    ssize_t got = -1;
    struct stat info;
    int code;

    if (fd < 0)
        return false;
    if (!fstat(fd, &info) && S_ISREG(info.st_mode))
        while ((got = read(fd, chunk, sizeof(chunk))) > 0 && out->length <= limit_bytes)
            ct_str_add(out, chunk, (size_t)got);
    code = got < 0 ? EIO : 0;
    close(fd);
    errno = code;
    return !got && !out->failed;
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* --- names --- */

/* "XX/HASH" of "XX/HASH/...": a program's folder in PoCL's cache; 0 for anything else. */
static size_t program_length(const char *path)
{
    const char *slash = strchr(path, '/');

    if (!slash || slash - path != 2 || path[0] == '.')
        return 0;
    slash = strchr(slash + 1, '/');
    return slash && slash - path > 4 && slash[1] && !strstr(path, "/.")
               ? (size_t)(slash - path)
               : 0;
}

static void remove_program(int folder, const char *path, size_t length)
{
    char *program = ct_mem_copy(path, length);

    if (program)
        ct_trim_remove(folder, program);
    free(program);
}

/* Objects depend on more, which PoCL accounts for: the key only has to find them. */
static struct ct_hash key_of(const char *folder, const struct ct_plan *plan)
{
    struct ct_hash key = {""};
    struct ct_str text;

    ct_str_init(&text);
    ct_str_puts(&text, folder);
    for (size_t i = 0; i < plan->program_count; i++) {
        const struct ct_plan_program *program = &plan->programs[i];

        ct_str_putc(&text, '\0');
        ct_str_puts(&text, program->source);
        ct_str_putc(&text, '\0');
        if (!ct_plan_options(program, &text))
            text.failed = true;
    }
    if (!text.failed)
        key = ct_hash_bytes(text.data, text.length);
    ct_str_release(&text);
    return key;
}

static bool sums_path(const struct ct_hash *key, struct ct_str *path)
{
    if (!*key->text || ct_cache_folder("objects", path, NULL))
        return false;
    ct_str_addf(path, "/%s.sums", key->text);
    return !path->failed;
}

/* --- comparing --- */

/* Whether an object is unchanged; also if it is gone, which is no damage (`*there`). */
static bool compare_object(int folder, const char *sum, const char *path, bool *there)
{
    struct ct_str bytes;
    bool good;

    ct_str_init(&bytes);
    good = read_at(folder, path, FILE_MAX, &bytes);
    *there = good || (errno != ENOENT && errno != ENOTDIR);
    if (good)
        good = !strncmp(ct_hash_bytes(bytes.data, bytes.length).text, sum, SUM);
    ct_str_release(&bytes);
    return good || !*there;
}

/* Splits the lines, which it changes.  False if a program was removed: then none of them is valid
 * any more. */
static bool compare_all(int folder, char *lines, struct ct_str *known)
{
    char *next;
    bool good = true;

    for (char *line = lines; good && *line; line = next) {
        char *end = strchr(line, '\n');
        const char *path = line + SUM + 1;
        size_t length;
        bool there = false;

        if (!end || end - line <= SUM + 1)
            return false;
        *end = '\0';
        next = end + 1;
        length = program_length(path);
        if (!length)
            return false;
        good = compare_object(folder, line, path, &there);
        if (!good)
            remove_program(folder, path, length);
        else if (there)
            ct_str_addf(known, "%s\n", line);
    }
    return good;
}

/* False if a program was removed. */
static bool compare_known(struct ct_objects *objects)
{
    static const size_t head = sizeof(FORM) - 1 + SUM + 1;
    struct ct_str path;
    struct ct_str sums;
    int folder = -1;
    bool good = true;

    ct_str_init(&path);
    ct_str_init(&sums);
    if (sums_path(&objects->key, &path) &&
        read_at(AT_FDCWD, path.data, SUMS_MAX, &sums)) {
        bool whole = sums.length > head && ct_str_starts(sums.data, FORM) &&
                     !strncmp(ct_hash_bytes(sums.data + head, sums.length - head).text,
                              sums.data + sizeof(FORM) - 1, SUM);

        folder = open_folder(objects->folder);
        if (whole && folder >= 0)
            good = compare_all(folder, sums.data + head, &objects->known);
        if (!whole || folder < 0 || !good) {
            ct_str_reset(&objects->known);
            unlink(path.data);
        }
    }
    if (folder >= 0)
        close(folder);
    ct_str_release(&sums);
    ct_str_release(&path);
    return good;
}

bool ct_objects_begin(struct ct_objects *objects, const char *folder,
                      const struct ct_plan *plan)
{
    bool good;

    memset(objects, 0, sizeof(*objects));
    ct_str_init(&objects->known);
    if (!folder)
        return true;
    objects->folder = folder;
    objects->key = key_of(folder, plan);
    good = compare_known(objects);
    ct_mapped_note(&objects->before);
    return good;
}

/* --- recording --- */

static bool is_known(const struct ct_str *lines, const char *path)
{
    size_t length = strlen(path);

    for (const char *at = strstr(lines->data, path); at; at = strstr(at + 1, path))
        if (at > lines->data && at[-1] == ' ' && at[length] == '\n')
            return true;
    return false;
}

static bool note_object(int folder, const char *path, struct ct_str *lines)
{
    struct ct_str bytes;
    bool good;

    if (is_known(lines, path) || lines->length > SUMS_MAX / 2)
        return false;
    ct_str_init(&bytes);
    good = read_at(folder, path, FILE_MAX, &bytes);
    if (good)
        ct_str_addf(lines, "%s %s\n", ct_hash_bytes(bytes.data, bytes.length).text, path);
    ct_str_release(&bytes);
    return good;
}

/* Records an object, and the program that it was made of. */
static bool note_mapped(const char *cache, int folder, const char *path,
                        struct ct_str *lines)
{
    size_t prefix = strlen(cache);
    struct ct_str program;
    size_t length;
    bool noted;

    if (strncmp(path, cache, prefix) != 0 || path[prefix] != '/')
        return false;
    path += prefix + 1;
    length = program_length(path);
    if (!length || strchr(path, '\n'))
        return false;
    ct_str_init(&program);
    ct_str_addf(&program, "%.*s/program.bc", (int)length, path);
    noted = note_object(folder, path, lines);
    if (!program.failed)
        noted |= note_object(folder, program.data, lines);
    ct_str_release(&program);
    return noted;
}

static void write_sums(const struct ct_objects *objects)
{
    struct ct_str path;
    struct ct_str file;

    ct_str_init(&path);
    ct_str_init(&file);
    ct_str_addf(&file, FORM "%s\n%s",
                ct_hash_bytes(objects->known.data, objects->known.length).text,
                objects->known.data);
    if (!file.failed && sums_path(&objects->key, &path))
        ct_cache_write(path.data, file.data, file.length, NULL);
    ct_str_release(&file);
    ct_str_release(&path);
}

void ct_objects_end(struct ct_objects *objects)
{
    struct ct_mapped now;
    struct ct_mapped_walk walk = {&objects->before, &now, 0, 0};
    bool noted = false;
    const char *path;
    int folder;

    if (!objects->folder)
        return;
    ct_mapped_note(&now);
    folder = open_folder(objects->folder);
    while (folder >= 0 && (path = ct_mapped_next(&walk)))
        noted |= note_mapped(objects->folder, folder, path, &objects->known);
    if (folder >= 0)
        close(folder);
    if (noted && !objects->known.failed && !now.names.failed &&
        !objects->before.names.failed)
        write_sums(objects);
    ct_mapped_release(&now);
    ct_mapped_release(&objects->before);
    ct_str_release(&objects->known);
    memset(objects, 0, sizeof(*objects));
}

/* --- truncated files --- */

/* Linkers put the section table last: a truncated shared object has lost it. */
static bool whole_object(int fd, uint64_t size_bytes)
{
    ElfW(Ehdr) head;
    uint64_t sections_bytes;

    if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    sections_bytes = (uint64_t)head.e_shnum * head.e_shentsize;
    return sections_bytes <= size_bytes && head.e_shoff <= size_bytes - sections_bytes;
}

/* The size of LLVM bitcode is a multiple of a word. */
static bool whole_bitcode(int fd, uint64_t size_bytes)
{
    char head[2];

    return size_bytes && size_bytes % 4 == 0 && pread(fd, head, 2, 0) == 2 &&
           (!memcmp(head, "BC", 2) || !memcmp(head, "\xDE\xC0", 2));
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name);
    size_t tail = strlen(suffix);

    return length > tail && !strcmp(name + length - tail, suffix);
}

static bool whole_file(int folder, const char *name)
{
    bool object = ends_in(name, ".so");
    struct stat info;
    bool good = true;
    int fd;

    if (!object && strcmp(name, "program.bc") != 0)
        return true;
    fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT;
    if (!fstat(fd, &info))
        good = object ? whole_object(fd, (uint64_t)info.st_size)
                      : whole_bitcode(fd, (uint64_t)info.st_size);
    close(fd);
    return good;
}

static DIR *open_dir(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

    if (fd >= 0 && !dir)
        close(fd);
    return dir;
}

/* PoCL records each use of a program. */
static bool used_since(int program, time_t since_s)
{
    struct stat info;

    return fstatat(program, "last_accessed", &info, AT_SYMLINK_NOFOLLOW) ||
           info.st_mtime >= since_s;
}

/* Whether all files below a folder are complete.  Program folders, two levels below the first,
 * with an incomplete file are removed and counted. */
static bool mend(int folder, const char *name, int level, time_t since_s, size_t *removed)
{
    enum { PROGRAM = 2, DEPTH = 5 };
    DIR *dir = level < DEPTH ? open_dir(folder, name) : NULL;
    bool good = true;

    if (!dir)
        return true;
    if (level == PROGRAM && !used_since(dirfd(dir), since_s)) {
        closedir(dir);
        return true;
    }
    for (struct dirent *entry; good && (entry = readdir(dir));) {
        struct stat info;

        if (entry->d_name[0] == '.')
            continue;
        if (entry->d_type == DT_UNKNOWN &&
            !fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
            entry->d_type = S_ISDIR(info.st_mode) ? DT_DIR : DT_REG;
        if (entry->d_type == DT_DIR)
            good = mend(dirfd(dir), entry->d_name, level + 1, since_s, removed);
        else if (level >= PROGRAM)
            good = whole_file(dirfd(dir), entry->d_name);
    }
    closedir(dir);
    if (good || level != PROGRAM)
        return good;
    ct_trim_remove(folder, name);
    ++*removed;
    return true;
}

size_t ct_objects_mend(const char *folder)
{
    const time_t hour_s = 3600; /* margin for files still being written the last time */
    time_t now_s = time(NULL);
    time_t since_s = 0;
    struct ct_str mark;
    struct stat info;
    size_t removed = 0;

    ct_str_init(&mark);
    ct_str_addf(&mark, "%s/cltune-mended", folder);
    if (!mark.failed && !lstat(mark.data, &info) && info.st_mtime <= now_s)
        since_s = info.st_mtime - hour_s;
    mend(AT_FDCWD, folder, 0, since_s, &removed);
    if (!mark.failed)
        ct_cache_write(mark.data, "", 0, NULL);
    ct_str_release(&mark);
    return removed;
}
