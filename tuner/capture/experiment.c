// SPDX-License-Identifier: Apache-2.0
// Writes the files of an experiment; capture/space_text.c writes the space file's text.
#define _GNU_SOURCE // O_CLOEXEC
#include "capture/experiment.h"

#include "base/create.h"
#include "base/file.h"
#include "base/str.h"
#include "capture/space_text.h"
#include "layer/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IDENTITY_DIGITS = 16 };

void ct_experiment_put_name(struct ct_str *out, const char *function, const char *program)
{
    ct_str_addf(out, "%s@%.*s", function, (int)IDENTITY_DIGITS, program);
}

/* --- data --- */

/* Writes the head of a NumPy file into the room in front of the bytes. */
static int write_head(const char *path, const char *npy, size_t scalar_bytes)
{
    char head[CT_CAPTURE_HEAD_BYTES + 1];
    struct stat facts = {0};
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int error = fd < 0 || fstat(fd, &facts) ? errno : 0;
    int length;

    if (!error) {
        memset(head, ' ', sizeof(head));
        memcpy(head, "\x93NUMPY\x01\x00", 8);
        head[8] = (char)(CT_CAPTURE_HEAD_BYTES - 10);
        head[9] = 0;
        length = snprintf(
            head + 10, sizeof(head) - 10,
            "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ",), }", npy,
            ((uint64_t)facts.st_size - CT_CAPTURE_HEAD_BYTES) / scalar_bytes);
        head[10 + length] = ' ';
        head[CT_CAPTURE_HEAD_BYTES - 1] = '\n';
        if (pwrite(fd, head, CT_CAPTURE_HEAD_BYTES, 0) != CT_CAPTURE_HEAD_BYTES)
            error = errno ? errno : ENOSPC;
    }
    if (fd >= 0 && close(fd) && !error)
        error = errno;
    return error;
}

/* Gives a file its head and its name; what it was called before no argument can be called. */
static enum ct_status finish_array(const char *folder, size_t index, const char *suffix,
                                   const struct ct_space_argument *argument,
                                   struct ct_err *err)
{
    enum ct_status status = CT_OK;
    struct ct_str from;
    struct ct_str to;
    int error;

    ct_str_init(&from);
    ct_str_init(&to);
    ct_str_addf(&from, "%s/%zu-raw%s.npy", folder, index, suffix);
    ct_str_addf(&to, "%s/%s%s.npy", folder, argument->name, suffix);
    if (from.failed || to.failed) {
        status = ct_err_nomem(err);
    } else {
        error = write_head(from.data, argument->type.npy, argument->type.size_bytes);
        if (!error && rename(from.data, to.data))
            error = errno;
        if (error)
            status =
                ct_err_set(err, CT_E_IO, "cannot write %s: %s", to.data, strerror(error));
    }
    ct_str_release(&from);
    ct_str_release(&to);
    return status;
}

static enum ct_status finish_arrays(const char *folder, const struct ct_space_text *space,
                                    struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < space->argument_count && status == CT_OK; i++) {
        const struct ct_space_argument *argument = &space->arguments[i];

        if (!argument->is_memory || argument->owner != i)
            continue;
        status = finish_array(folder, i, "", argument, err);
        if (status == CT_OK && argument->changed)
            status = finish_array(folder, i, ".after", argument, err);
    }
    return status;
}

/* --- texts --- */

static enum ct_status write_text(const char *folder, const char *name,
                                 const struct ct_str *text, struct ct_err *err)
{
    struct ct_str path;
    int error;

    ct_str_init(&path);
    ct_str_addf(&path, "%s/%s", folder, name);
    unlink(path.data);
    error = path.failed || text->failed
                ? ENOMEM
                : ct_file_create(path.data, text->data, text->length);
    if (error)
        ct_err_set(err, CT_E_IO, "cannot write %s: %s", path.data, strerror(error));
    ct_str_release(&path);
    return error ? CT_E_IO : CT_OK;
}

static enum ct_status read_source(const char *folder, struct ct_str *out,
                                  struct ct_err *err)
{
    struct ct_str path;
    int error;
    char why[CT_FILE_WHY_SIZE];

    ct_str_init(&path);
    ct_str_addf(&path, "%s/kernel.cl", folder);
    error = ct_file_read(path.data, CT_FILE_SOURCE_MAX, out, NULL);
    if (error)
        ct_err_set(err, CT_E_IO, "cannot read %s: %s", path.data,
                   ct_file_why(why, error, CT_FILE_SOURCE_MAX));
    ct_str_release(&path);
    return error ? CT_E_IO : CT_OK;
}

enum ct_status ct_experiment_write(const char *folder, const struct ct_found_group *group,
                                   const char *command, struct ct_err *err)
{
    struct ct_space_text space = {.group = group, .command = command, .folder = folder};
    struct ct_str source;
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&source);
    ct_str_init(&text);
    status = read_source(folder, &source, err);
    if (status == CT_OK)
        status = ct_space_text_make(&space, source.data, &text, err);
    if (status == CT_OK)
        status = finish_arrays(folder, &space, err);
    if (status == CT_OK)
        status = write_text(folder, "SPACE.ini", &text, err);
    ct_space_text_release(&space);
    ct_str_release(&source);
    ct_str_release(&text);
    return status;
}
