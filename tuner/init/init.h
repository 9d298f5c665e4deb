// SPDX-License-Identifier: Apache-2.0
// Makes a space file for a kernel: reads it, has it compiled, guesses, tries the guess, writes.
#ifndef CT_INIT_INIT_H
#define CT_INIT_INIT_H

#include "base/devinfo.h"
#include "init/guess.h"
#include "init/t1.h"
#include "protocol/outcome.h"

struct ct_init_options {
    char *const
        *paths;        /* the kernel's file, the last of those that are put together; with
                             `from_cpp`, all are in front of the kernel's string */
    size_t path_count; /* 0: only with one of the next two */
    const char *from_cpp; /* a C++ file with kernels in its strings; NULL: none */
    const char *from_t1;  /* a T1 description; NULL: none */
    const char *output;   /* the space file; NULL: NAME.ini in the current folder */
    const char *kernel;   /* NULL: the only one */
    const char *options;  /* for the compiler; NULL: none */
    bool may_exist;       /* the space file: ct_init_save decides */
};

/* What became of the default configuration. */
struct ct_init_trial {
    bool tried;
    bool ran;
    double time_ns;      /* of one launch */
    const char *failure; /* why it did not run; NULL if it did */
};

struct ct_init {
    struct ct_arena arena; /* owns the texts */
    struct ct_init_options options;
    const char *output; /* the space file */
    const char *path;   /* of the kernel's file, the last of several */
    const char *title;  /* of all files, for messages: "common.cl + kernel.cl" */
    const char
        *label; /* the files from the space file's folder: "common.cl, kernel.cl" */
    struct ct_parts parts;
    struct ct_str source;
    struct ct_code code;
    struct ct_kernel_code *kernels;
    size_t kernel_count;
    struct ct_str folders; /* for #include, with commas between */
    const char *include;   /* the same from the space file's folder */
    struct ct_str rest;    /* of the options */
    struct ct_described described;
    const char **names; /* of kernels */
    size_t name_count;
    size_t name_room;
    struct ct_subject subject;
    size_t undefined_room;
    struct ct_guess guess;
    bool has_size; /* the user's, which trials keep */
    struct ct_draft draft;
    struct ct_str text; /* of the space file */
    struct ct_init_trial trial;
    struct ct_t1 *t1;
    const char *
        *created; /* kernel files that were written, removed unless the space file is */
    size_t created_count;
    size_t created_room;
    bool saved;
};

/* Reads the kernel's files.  Always release `out`.  CT_E_USAGE: a file is missing or is no text,
 * the output exists; CT_E_IO, also if the output's folder does not; CT_E_NOMEM. */
enum ct_status ct_init_open(const struct ct_init_options *options, struct ct_init *out,
                            struct ct_err *err);
void ct_init_release(struct ct_init *init);

/* Compiles it, with guesses for macros that nothing defines.  CT_E_DEVICE with the compiler's
 * messages; CT_E_USAGE if there are too many such macros; errors of ct_measure_describe. */
enum ct_status ct_init_compile(struct ct_init *init, const struct ct_devinfo *device,
                               struct ct_err *err);

/* Lists the kernels in init->names.  CT_E_NOT_FOUND if there are none. */
enum ct_status ct_init_list(struct ct_init *init, struct ct_err *err);

/* Selects one; NULL: the only one.  CT_E_NOT_FOUND, CT_E_USAGE with their names. */
enum ct_status ct_init_choose(struct ct_init *init, const char *name, struct ct_err *err);

/* Reads "4096", "1024x768" or "64x64x64"; K and M stand for 1024 and its square.  CT_E_USAGE. */
enum ct_status ct_init_read_size(struct ct_init *init, const char *text,
                                 struct ct_err *err);

/* Appends the size that is used if none is given, in the form of ct_init_read_size. */
void ct_init_put_size(const struct ct_init *init, struct ct_str *out);

/* Makes the text of the space file.  `device` may be NULL; else it tries the default configuration,
 * and changes guesses until it runs.  Errors of ct_guess_all; CT_E_INTERRUPTED. */
enum ct_status ct_init_make(struct ct_init *init, const struct ct_devinfo *device,
                            struct ct_err *err);

/* Writes the space file; with `replace` in the place of another one.  CT_E_USAGE if there is one;
 * CT_E_IO. */
enum ct_status ct_init_save(struct ct_init *init, bool replace, struct ct_err *err);

#endif
