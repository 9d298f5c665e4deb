// SPDX-License-Identifier: Apache-2.0
// Copies a database with its log, unless they change meanwhile.
#include "db/snapshot.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LOG_HEAD_BYTES = 32, /* with the salts, which are new when the log begins anew */
    CHUNK_BYTES = 1 << 16,
};
#define MOST_BYTES ((uint64_t)1 << 40)

static struct ct_db_seen_file seen_of(const struct stat *info)
{
    return (struct ct_db_seen_file){
        .inode = (uint64_t)info->st_ino,
        .size_bytes = (uint64_t)info->st_size,
        .changed_ns = (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec};
}

static bool is_same(const struct ct_db_seen_file *a, const struct ct_db_seen_file *b)
{
    return a->inode == b->inode && a->size_bytes == b->size_bytes &&
           a->changed_ns == b->changed_ns;
}

/* A file that is not there has zeros. */
static struct ct_db_seen_file look_at(const char *path)
{
    const struct ct_db_seen_file none = {0};
    struct stat info;

    return stat(path, &info) ? none : seen_of(&info);
}

/* The beginning of a log; zeros if there is none. */
static void read_head(const char *path, char head[LOG_HEAD_BYTES])
{
    FILE *in;

    memset(head, 0, LOG_HEAD_BYTES);
    if (ct_file_open(path, MOST_BYTES, &in, NULL))
        return;
    if (fread(head, 1, LOG_HEAD_BYTES, in) != LOG_HEAD_BYTES)
        memset(head, 0, LOG_HEAD_BYTES);
    fclose(in);
}

/* 0, or an errno. */
static int write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t put = write(fd, bytes, length);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? errno : EIO;
        bytes += put;
        length -= (size_t)put;
    }
    return 0;
}

/* Replaces `to`.  0, or as for ct_file_open; `*writing`: the error is the copy's. */
static int copy_file(const char *from, const char *to, bool *writing)
{
    char *chunk = malloc(CHUNK_BYTES);
    FILE *in = NULL;
    int out = -1;
    int error = chunk ? ct_file_open(from, MOST_BYTES, &in, NULL) : ENOMEM;

    *writing = false;
    if (!error) {
        out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        error = out < 0 ? errno : 0;
        *writing = out < 0;
    }
    while (!error) {
        size_t got = fread(chunk, 1, CHUNK_BYTES, in);

        error = write_all(out, chunk, got);
        *writing = error != 0;
        if (!error && got < CHUNK_BYTES) {
            error = ferror(in) ? EIO : 0;
            break;
        }
    }
    if (in)
        fclose(in);
    if (out >= 0 && close(out) && !error) {
        error = errno;
        *writing = true;
    }
    free(chunk);
    return error;
}

static enum ct_status say(const char *path, const char *copy, int error, bool writing,
                          struct ct_err *err)
{
    char why[CT_FILE_WHY_SIZE];

    if (error == ENOMEM)
        return ct_err_nomem(err);
    ct_file_why(why, error, MOST_BYTES);
    return writing ? ct_err_set(err, CT_E_IO, "cannot copy %s to %s: %s", path, copy, why)
           : error == ENOENT
               ? ct_err_set(err, CT_E_NOT_FOUND, "there is no database at %s", path)
               : ct_err_set(err, CT_E_DB, "cannot read %s: %s", path, why);
}

/* Copies both files; `*copied`: they had changed, and did not change meanwhile but for what was added to
 * the log. */
static enum ct_status copy_both(const char *path, const char *copy,
                                struct ct_db_seen *seen, bool *copied, struct ct_err *err)
{
    char head[LOG_HEAD_BYTES];
    char head_after[LOG_HEAD_BYTES];
    struct ct_db_seen before = {{0}, {0}};
    struct ct_db_seen_file after;
    struct ct_str log;
    struct ct_str log_copy;
    bool writing = false;
    int error;

    *copied = false;
    ct_str_init(&log);
    ct_str_init(&log_copy);
    ct_str_addf(&log, "%s-wal", path);
    ct_str_addf(&log_copy, "%s-wal", copy);
    error = log.failed || log_copy.failed ? ENOMEM : 0;
    if (error)
        goto out;
    before = (struct ct_db_seen){look_at(path), look_at(log.data)};
    if (before.file.inode && is_same(&before.file, &seen->file) &&
        is_same(&before.log, &seen->log))
        goto out;
    read_head(log.data, head);
    error = copy_file(path, copy, &writing);
    if (!error) {
        error = copy_file(log.data, log_copy.data, &writing);
        /* No log: the copy of an earlier one goes, too. */
        if (error == ENOENT && !writing)
            error = unlink(log_copy.data) && errno != ENOENT ? errno : 0;
    }
    if (error)
        goto out;
    after = look_at(path);
    read_head(log.data, head_after);
    *copied =
        is_same(&before.file, &after) && memcmp(head, head_after, sizeof(head)) == 0;
    if (*copied)
        *seen = before;
out:
    ct_str_release(&log);
    ct_str_release(&log_copy);
    return error ? say(path, copy, error, writing, err) : CT_OK;
}

enum ct_status ct_db_snapshot_open(const char *path, const char *folder,
                                   struct ct_db_seen *seen, struct ct_db **out,
                                   struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    struct ct_str copy;
    struct ct_err own = CT_ERR_INIT;
    bool copied = false;
    enum ct_status status;

    *out = NULL;
    ct_str_init(&copy);
    ct_str_addf(&copy, "%s/copy.db", folder);
    status =
        copy.failed ? ct_err_nomem(err) : copy_both(path, copy.data, seen, &copied, err);
    if (!status && copied) {
        status = ct_db_open(copy.data, &reading, out, &own);
        if (status && ct_str_starts(own.message, copy.data))
            ct_err_set(err, status, "%s%s", path, own.message + copy.length);
        else if (status)
            *err = own;
    }
    ct_str_release(&copy);
    return status;
}
