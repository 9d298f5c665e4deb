// SPDX-License-Identifier: Apache-2.0
// Opens files without blocking, and reads up to a limit.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Whether a file of this kind and size may be read: 0, or why not. */
static int file_refusal(const struct stat *facts, uint64_t limit_bytes)
{
    if (S_ISDIR(facts->st_mode))
        return EISDIR;
    if (!S_ISREG(facts->st_mode))
        return CT_FILE_IRREGULAR;
    return (uint64_t)facts->st_size > limit_bytes ? CT_FILE_TOO_LARGE : 0;
}

int ct_file_open(const char *path, uint64_t limit_bytes, FILE **out, struct stat *facts)
{
    /* Opening a FIFO without a writer would block, and a terminal might become the controlling
     * one. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat own;
    int error = 0;

    if (!facts)
        facts = &own;
    if (fd < 0)
        return errno == ENXIO ? CT_FILE_IRREGULAR : errno;
    if (fstat(fd, facts))
        error = errno;
    else
        error = file_refusal(facts, limit_bytes);
    *out = error ? NULL : fdopen(fd, "rb");
    if (!error && !*out)
        error = errno;
    if (error)
        close(fd);
    return error;
}

size_t ct_file_glance(const char *path, char *bytes, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;

    if (fd >= 0) {
        got = read(fd, bytes, room - 1);
        close(fd);
    }
    if (got < 0)
        got = 0;
    bytes[got] = '\0';
    return (size_t)got;
}

/* Passes a file on in pieces; `take` returns 0 or an errno. */
static int read_pieces(const char *path, uint64_t limit_bytes, struct stat *facts,
                       int (*take)(void *to, const void *bytes, size_t length), void *to)
{
    unsigned char chunk[16384];
    uint64_t total = 0;
    FILE *in = NULL;
    size_t got;
    int error = ct_file_open(path, limit_bytes, &in, facts);

    if (error)
        return error;
    errno = 0;
    while (!error && (got = fread(chunk, 1, sizeof(chunk), in)) > 0) {
        total += got;
        /* Some files in /proc, and growing ones, are larger than reported. */
        error = total > limit_bytes ? CT_FILE_TOO_LARGE : take(to, chunk, got);
    }
    if (!error && ferror(in))
        error = errno ? errno : EIO;
    fclose(in);
    return error;
}

static int take_text(void *to, const void *bytes, size_t length)
{
    struct ct_str *out = to;

    ct_str_add(out, bytes, length);
    return out->failed ? ENOMEM : 0;
}

int ct_file_read(const char *path, uint64_t limit_bytes, struct ct_str *out,
                 struct stat *facts)
{
    return read_pieces(path, limit_bytes, facts, take_text, out);
}

static int take_hash(void *to, const void *bytes, size_t length)
{
    ct_hasher_add(to, bytes, length);
    return 0;
}

int ct_file_hash_of(const char *path, uint64_t limit_bytes, struct ct_hash *out)
{
    struct ct_hasher *hasher = ct_hasher_new();
    int error = hasher ? read_pieces(path, limit_bytes, NULL, take_hash, hasher) : ENOMEM;

    if (!error)
        *out = ct_hasher_text(hasher);
    ct_hasher_free(hasher);
    return error;
}

const char *ct_file_why(char *text, int error, uint64_t limit_bytes)
{
    if (error == CT_FILE_IRREGULAR)
        snprintf(text, CT_FILE_WHY_SIZE, "it is not a regular file");
    else if (error == CT_FILE_TOO_LARGE && limit_bytes % (1 << 20) == 0)
        snprintf(text, CT_FILE_WHY_SIZE, "it is too large: more than %" PRIu64 " MiB",
                 limit_bytes >> 20);
    else if (error == CT_FILE_TOO_LARGE)
        snprintf(text, CT_FILE_WHY_SIZE, "it is too large: more than %" PRIu64 " bytes",
                 limit_bytes);
    else
        snprintf(text, CT_FILE_WHY_SIZE, "%s", strerror(error));
    return text;
}

enum ct_status ct_file_status(int error)
{
    switch (error) {
    case 0:
        return CT_OK;
    case CT_FILE_IRREGULAR:
    case CT_FILE_TOO_LARGE:
    case EACCES:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOENT:
    case ENOTDIR:
    case EOVERFLOW: /* too large for this system */
    case EPERM:
        return CT_E_USAGE;
    case ENOMEM:
        return CT_E_NOMEM;
    default:
        return CT_E_IO;
    }
}

bool ct_file_is_same(const char *a, const char *b)
{
    struct stat x;
    struct stat y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}
