// SPDX-License-Identifier: Apache-2.0
// Starts a program of the user's under the layer, and waits for it.
#ifndef CT_CAPTURE_START_H
#define CT_CAPTURE_START_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

/* A program as it was found. */
struct ct_program_file {
    const char *path;   /* of the file; in an arena */
    const char *loader; /* the OpenCL loader that it would load; "" if none was found */
    bool preload;       /* that loader knows no layers: LD_PRELOAD is used */
    const char *
        doubt; /* why the layer may not see anything, as part of a sentence; NULL: none */
};

/* Finds a program as a shell would, and looks at it and at the loader that it would load, without
 * running it.  CT_E_USAGE if there is no such program; CT_E_NOMEM. */
enum ct_status ct_start_find(struct ct_arena *arena, const char *name,
                             struct ct_program_file *out, struct ct_err *err);

/* The layer's file, beside this program or in the folder of libraries next to its own. CT_E_IO if it
 * is not there. */
enum ct_status ct_start_layer(struct ct_arena *arena, const char **out,
                              struct ct_err *err);

/* An environment variable for a program; a value of NULL unsets it. */
struct ct_variable {
    const char *name;
    const char *value;
};

struct ct_program_end {
    int status; /* of the program; 128 + the signal that ended it, as shells have it */
    int signal; /* 0: none */
    double seconds;
};

/* Runs `argv` with the layer and the variables, and waits for its end.  Signals that ask this
 * process to end go to the program: it decides. CT_E_USAGE if it cannot be started; CT_E_NOMEM. */
enum ct_status ct_start_run(const struct ct_program_file *program, const char *layer,
                            char *const *argv, const struct ct_variable *variables,
                            size_t variable_count, struct ct_program_end *end,
                            struct ct_err *err);

/* Runs it in this process's place, with the layer unless that is NULL.  Returns only if it cannot be
 * started: CT_E_USAGE; CT_E_NOMEM. */
enum ct_status ct_start_replace(const struct ct_program_file *program, const char *layer,
                                char *const *argv, const struct ct_variable *variables,
                                size_t variable_count, struct ct_err *err);

#endif
