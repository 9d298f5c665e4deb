// SPDX-License-Identifier: Apache-2.0
// Parses a .npy file's header, and reads its data.
#include "protocol/npy.h"

#include "base/file.h"
#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEADER_MAX = 65536 };

/* --- the dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } --- */

/* The contents of the header; `text` is its dictionary, zero-terminated. */
struct npy_header {
    char descr[16];
    bool fortran;
    uint64_t count; /* product of the shape */
};

static const char *skip(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* What follows `'key':`, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = text; (at = strpbrk(at, "'\"")); at++) {
        const char quote = *at;

        if (!strncmp(at + 1, key, length) && at[1 + length] == quote) {
            at = skip(at + length + 2);
            return *at == ':' ? skip(at + 1) : NULL;
        }
    }
    return NULL;
}

static bool parse_shape(const char *at, uint64_t *count)
{
    *count = 1;
    if (*at++ != '(')
        return false;
    for (at = skip(at); *at != ')'; at = skip(at)) {
        char *end;
        unsigned long long size;

        if (!isdigit((unsigned char)*at))
            return false;
        errno = 0;
        size = strtoull(at, &end, 10);
        if (errno || (size && *count > UINT64_MAX / size))
            return false;
        *count *= size;
        at = skip(*end == 'L' ? end + 1 : end);
        if (*at == ',')
            at++;
        else if (*at != ')')
            return false;
    }
    return true;
}

/* Parses the dictionary; false if it is not NumPy's for a plain array. */
static bool parse_header(const char *text, struct npy_header *header)
{
    const char *descr = value_of(text, "descr");
    const char *fortran = value_of(text, "fortran_order");
    const char *shape = value_of(text, "shape");
    size_t length;

    if (!descr || !fortran || !shape || (*descr != '\'' && *descr != '"'))
        return false;
    length = strcspn(descr + 1, "'\"");
    if (!length || length >= sizeof(header->descr))
        return false;
    memcpy(header->descr, descr + 1, length);
    header->descr[length] = '\0';
    header->fortran = !strncmp(fortran, "True", 4);
    if (!header->fortran && strncmp(fortran, "False", 5) != 0)
        return false;
    return parse_shape(shape, &header->count);
}

/* --- mapping to OpenCL's scalars --- */

/* How many scalars of that type one of the file's is; 0 if the types do not match. */
static unsigned scalars_of(const char *descr, enum ct_scalar scalar)
{
    static const struct {
        const char *descr; /* without the byte order */
        enum ct_scalar scalar;
        unsigned count;
    } known[] = {
        {"b1", CT_T_UCHAR, 1}, {"i1", CT_T_CHAR, 1},    {"u1", CT_T_UCHAR, 1},
        {"i2", CT_T_SHORT, 1}, {"u2", CT_T_USHORT, 1},  {"i4", CT_T_INT, 1},
        {"u4", CT_T_UINT, 1},  {"i8", CT_T_LONG, 1},    {"u8", CT_T_ULONG, 1},
        {"f2", CT_T_HALF, 1},  {"f4", CT_T_FLOAT, 1},   {"f8", CT_T_DOUBLE, 1},
        {"c8", CT_T_FLOAT, 2}, {"c16", CT_T_DOUBLE, 2},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (known[i].scalar == scalar && !strcmp(descr + 1, known[i].descr))
            return known[i].count;
    return 0;
}

static enum ct_status match_header(const char *path, const struct npy_header *header,
                                   struct ct_type type, uint64_t count,
                                   struct ct_err *err)
{
    struct ct_type scalar = {type.scalar, 1};
    unsigned each = scalars_of(header->descr, type.scalar);
    char name[16];

    ct_type_name(scalar, name);
    if (header->descr[0] == '>')
        return ct_err_set(
            err, CT_E_SPEC,
            "%s contains big-endian numbers (%s); save it with array.astype('<%s')", path,
            header->descr, header->descr + 1);
    if (!each)
        return ct_err_set(
            err, CT_E_SPEC,
            "%s contains numbers of NumPy type %s, but the buffer is of type %s", path,
            header->descr, name);
    if (header->fortran)
        return ct_err_set(
            err, CT_E_SPEC,
            "%s is in Fortran order; save it with numpy.ascontiguousarray(array)", path);
    if (header->count > UINT64_MAX / each || header->count * each != count * type.width)
        return ct_err_set(err, CT_E_SPEC,
                          "%s holds %" PRIu64 " numbers of type %s%s, the buffer %" PRIu64
                          " of type %s",
                          path, header->count, header->descr,
                          each > 1 ? " (two parts each)" : "", count * type.width, name);
    return CT_OK;
}

/* --- reading --- */

/* A file in memory, and the part still to be read. */
struct contents {
    unsigned char *bytes; /* owned */
    size_t length;
    size_t at;
};

/* Reads the whole file at once: what is hashed must be what is used, even if the file is written
 * to meanwhile. */
static enum ct_status load_contents(const char *path, uint64_t limit_bytes,
                                    struct contents *file, struct ct_err *err)
{
    char why[CT_FILE_WHY_SIZE];
    size_t capacity = 0;
    size_t got = 1;
    struct stat facts;
    FILE *in = NULL;
    enum ct_status status = CT_OK;
    int error = ct_file_open(path, limit_bytes, &in, &facts);

    /* One byte more than its size, so that its end is found without growing. */
    if (!error && facts.st_size > 0 &&
        !ct_mem_grow(&file->bytes, &capacity, (size_t)facts.st_size + 1, 1))
        status = ct_err_nomem(err);
    while (!error && !status && got) {
        if (file->length == capacity &&
            !ct_mem_grow(&file->bytes, &capacity, capacity + 1, 1)) {
            status = ct_err_nomem(err);
            break;
        }
        got = fread(file->bytes + file->length, 1, capacity - file->length, in);
        file->length += got;
        if (ferror(in))
            error = errno ? errno : EIO;
        else if (file->length > limit_bytes)
            error = CT_FILE_TOO_LARGE;
    }
    if (in)
        fclose(in);
    if (error)
        status = ct_err_set(err, CT_E_IO, "%s: %s", path,
                            ct_file_why(why, error, limit_bytes));
    return status;
}

/* The next `size` bytes; NULL if there are fewer. */
static const unsigned char *next_bytes(struct contents *file, size_t size)
{
    const unsigned char *bytes = file->bytes + file->at;

    if (size > file->length - file->at)
        return NULL;
    file->at += size;
    return bytes;
}

static enum ct_status not_npy(const char *path, struct ct_err *err)
{
    return ct_err_set(err, CT_E_SPEC,
                      "%s is not a .npy file of a plain array, as numpy.save writes it",
                      path);
}

static enum ct_status read_header(struct contents *file, const char *path,
                                  struct npy_header *header, struct ct_err *err)
{
    const unsigned char *head = next_bytes(file, 10);
    const unsigned char *dictionary;
    size_t length;
    char *text;
    bool good;

    if (!head || memcmp(head, "\x93NUMPY", 6) != 0 || head[6] < 1 || head[6] > 3)
        return not_npy(path, err);
    length = head[8] | (size_t)head[9] << 8;
    if (head[6] > 1) {
        const unsigned char *more = next_bytes(file, 2);

        if (!more)
            return not_npy(path, err);
        length |= (size_t)more[0] << 16 | (size_t)more[1] << 24;
    }
    dictionary = length <= HEADER_MAX ? next_bytes(file, length) : NULL;
    if (!dictionary)
        return not_npy(path, err);
    text = calloc(1, length + 1);
    if (!text)
        return ct_err_nomem(err);
    memcpy(text, dictionary, length);
    good = parse_header(text, header);
    free(text);
    return good ? CT_OK : not_npy(path, err);
}

/* Inserts the pad lanes of three-vectors, from the end on. */
static void spread_vectors(unsigned char *bytes, uint64_t count, size_t size)
{
    for (size_t e = (size_t)count; e-- > 0;) {
        memmove(bytes + e * 4 * size, bytes + e * 3 * size, 3 * size);
        memset(bytes + e * 4 * size + 3 * size, 0, size);
    }
}

enum ct_status ct_npy_read(const char *path, const struct ct_hash *hash,
                           struct ct_type type, uint64_t count, void *bytes,
                           struct ct_err *err)
{
    struct contents file = {0};
    struct npy_header header = {0};
    size_t size = ct_scalar_size(type.scalar);
    size_t wanted = (size_t)count * type.width * size;
    const unsigned char *data;
    enum ct_status status = load_contents(path, wanted + CT_FILE_FILL_EXTRA, &file, err);

    if (!status && hash &&
        strcmp(ct_hash_bytes(file.bytes, file.length).text, hash->text) != 0)
        status = ct_err_set(
            err, CT_E_IO, "%s was changed after it was first read; run the search again",
            path);
    if (!status)
        status = read_header(&file, path, &header, err);
    if (!status)
        status = match_header(path, &header, type, count, err);
    if (!status) {
        data = next_bytes(&file, wanted);
        if (!data)
            status = ct_err_set(err, CT_E_SPEC, "%s ends after %zu of %zu bytes of data",
                                path, file.length - file.at, wanted);
        else
            memcpy(bytes, data, wanted);
        if (data && type.width == 3)
            spread_vectors(bytes, count, size);
    }
    free(file.bytes);
    return status;
}
