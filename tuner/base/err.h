// SPDX-License-Identifier: Apache-2.0
// The result of a function that can fail, and the text with the reason.
#ifndef CT_BASE_ERR_H
#define CT_BASE_ERR_H

#include <stddef.h>

/* Outcome of a function that can fail.  Zero is success.  The code is the kind of failure; only
 * tuner/cli turns it into an exit status. */
enum ct_status {
    CT_OK = 0,
    CT_E_NOMEM,       /* out of memory, or an allocation size that overflows */
    CT_E_USAGE,       /* the command line or another request is wrong */
    CT_E_SPEC,        /* the space file is wrong */
    CT_E_IO,          /* reading or writing a file failed */
    CT_E_DB,          /* the database cannot be used */
    CT_E_NOT_FOUND,   /* nothing matches the query */
    CT_E_NO_DEVICE,   /* no such device, or no OpenCL at all */
    CT_E_DEVICE,      /* the device or its driver failed */
    CT_E_WORKER,      /* a worker process could not be started, died or broke protocol */
    CT_E_INTERRUPTED, /* the user asked to stop */
    CT_E_INTERNAL,    /* a bug in cltune */
};

enum { CT_ERR_MESSAGE_SIZE = 2048, CT_ERR_FILE_SIZE = 512 };

/* A failure, complete enough to print as it is.  Callers pass one set to CT_ERR_INIT; functions
 * leave it untouched on success. */
struct ct_err {
    enum ct_status code;
    char message[CT_ERR_MESSAGE_SIZE]; /* one sentence: what, where, what to do */
    char file[CT_ERR_FILE_SIZE];       /* "" if the failure has no place in a file */
    int line;                          /* 1-based; 0 when unknown */
    int column;                        /* 1-based; 0 when unknown */
};

#define CT_ERR_INIT                                                                      \
    {                                                                                    \
        0, "", "", 0, 0                                                                  \
    }

/* Fills `err` (may be NULL) from a printf format and returns `code`, so that a caller can write
 * `return ct_err_set(...)`.  Too long messages are cut. */
enum ct_status ct_err_set(struct ct_err *err, enum ct_status code, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

/* Like ct_err_set, with a place in a file.  `file` is copied. */
enum ct_status ct_err_at(struct ct_err *err, enum ct_status code, const char *file,
                         int line, int column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Gives the failure that `err` (may be NULL) holds a place in a file, which is copied. */
void ct_err_place(struct ct_err *err, const char *file, int line, int column);

/* Out of memory, with the common message.  Returns CT_E_NOMEM. */
enum ct_status ct_err_nomem(struct ct_err *err);

/* Puts "`prefix`: " before the message that `err` already holds; `err` may be NULL. */
void ct_err_prefix(struct ct_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
