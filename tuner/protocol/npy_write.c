// SPDX-License-Identifier: Apache-2.0
// Writes .npy files.
#include "protocol/npy.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PREFIX = 10,              /* magic, version and the dictionary's length */
    ALIGNMENT = 64,           /* of the data */
    PIECE = 16 * 1024 * 1024, /* bytes between two signs of life */
    PACKED = 4096,            /* three-vectors packed at a time */
};

struct target {
    int fd;
    void (*alive)(void *user);
    void *user;
};

/* NumPy's name of the type on this machine. */
static void put_descr(struct ct_str *out, enum ct_scalar scalar)
{
    static const char kinds[CT_T_COUNT] = {
        [CT_T_CHAR] = 'i', [CT_T_UCHAR] = 'u', [CT_T_SHORT] = 'i',  [CT_T_USHORT] = 'u',
        [CT_T_INT] = 'i',  [CT_T_UINT] = 'u',  [CT_T_LONG] = 'i',   [CT_T_ULONG] = 'u',
        [CT_T_HALF] = 'f', [CT_T_FLOAT] = 'f', [CT_T_DOUBLE] = 'f',
    };
    const uint16_t one = 1;
    unsigned char first;
    size_t size = ct_scalar_size(scalar);

    memcpy(&first, &one, 1);
    ct_str_addf(out, "%c%c%zu", size == 1 ? '|' : first ? '<' : '>', kinds[scalar], size);
}

/* Everything before the data. */
static void put_header(struct ct_str *out, enum ct_scalar scalar,
                       const struct ct_shape *shape)
{
    struct ct_str text;
    size_t length;

    ct_str_init(&text);
    ct_str_puts(&text, "{'descr': '");
    put_descr(&text, scalar);
    ct_str_puts(&text, "', 'fortran_order': False, 'shape': (");
    for (unsigned d = 0; d < shape->dims; d++)
        ct_str_addf(&text, "%s%" PRIu64, d ? ", " : "", shape->size[d]);
    ct_str_puts(&text, shape->dims == 1 ? ",), }" : "), }");
    while ((PREFIX + text.length + 1) % ALIGNMENT)
        ct_str_putc(&text, ' ');
    ct_str_putc(&text, '\n');
    length = text.length;
    ct_str_add(out, "\x93NUMPY\x01", 7);
    ct_str_putc(out, '\0');
    ct_str_putc(out, (char)(length & 0xFF));
    ct_str_putc(out, (char)(length >> 8));
    ct_str_add(out, text.data, length);
    out->failed = out->failed || text.failed;
    ct_str_release(&text);
}

/* Returns 0 or an errno. */
static int put_bytes(const struct target *to, const void *bytes, size_t length)
{
    const char *at = bytes;

    while (length) {
        ssize_t wrote = write(to->fd, at, length < PIECE ? length : PIECE);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return wrote ? errno : EIO;
        at += wrote;
        length -= (size_t)wrote;
        if (length && to->alive)
            to->alive(to->user);
    }
    return 0;
}

/* Three of every four scalars. */
static int put_threes(const struct target *to, const void *bytes, size_t count,
                      size_t size)
{
    unsigned char packed[PACKED * 3];
    const unsigned char *from = bytes;
    size_t most = PACKED / size;
    uint64_t since = 0;
    int error = 0;

    while (count && !error) {
        size_t now = count < most ? count : most;

        for (size_t i = 0; i < now; i++)
            memcpy(packed + i * 3 * size, from + i * 4 * size, 3 * size);
        error = put_bytes(to, packed, now * 3 * size);
        from += now * 4 * size;
        count -= now;
        since += now * 3 * size;
        if (since >= PIECE && to->alive) {
            to->alive(to->user);
            since = 0;
        }
    }
    return error;
}

static int put_array(const struct target *to, struct ct_type type,
                     const struct ct_shape *shape, const void *bytes)
{
    size_t size = ct_scalar_size(type.scalar);
    size_t count = 1;
    struct ct_str header;
    int error;

    for (unsigned d = 0; d < shape->dims; d++)
        count *= (size_t)shape->size[d];
    ct_str_init(&header);
    put_header(&header, type.scalar, shape);
    error = header.failed ? ENOMEM : put_bytes(to, header.data, header.length);
    ct_str_release(&header);
    if (error)
        return error;
    return type.width == 3 ? put_threes(to, bytes, count / 3, size)
                           : put_bytes(to, bytes, count * size);
}

/* Opens a file for its new contents, but not through a link, which others may have put into a
 * folder that they can write to; and no FIFO without a reader, which would block. */
static int open_target(const char *path, int *error)
{
    int fd = open(
        path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0666);
    struct stat facts = {0};

    *error = 0;
    if (fd >= 0 && !fstat(fd, &facts) && S_ISREG(facts.st_mode) && facts.st_nlink > 1)
        *error = ELOOP;
    else if (fd < 0 || (S_ISREG(facts.st_mode) && ftruncate(fd, 0)))
        *error = errno;
    if (*error && fd >= 0)
        close(fd);
    return *error ? -1 : fd;
}

/* Removes what has become of a regular file. */
static void remove_part(const char *path)
{
    struct stat facts;

    if (!lstat(path, &facts) && S_ISREG(facts.st_mode))
        unlink(path);
}

enum ct_status ct_npy_write(const char *path, struct ct_type type,
                            const struct ct_shape *shape, const void *bytes,
                            void (*alive)(void *user), void *user, struct ct_err *err)
{
    int error;
    struct target to = {open_target(path, &error), alive, user};

    if (!error) {
        error = put_array(&to, type, shape, bytes);
        /* Some file systems report a full disk only now. */
        if (close(to.fd) && !error)
            error = errno;
        if (error)
            remove_part(path);
    }
    if (!error)
        return CT_OK;
    return ct_err_set(err, CT_E_IO, "cannot write %s: %s", path,
                      error == ELOOP ? "it is a link to another file" : strerror(error));
}
