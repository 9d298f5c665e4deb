// SPDX-License-Identifier: Apache-2.0
// Captures the launches of a program: runs it under the layer, and makes experiments of what the layer
// has written down.
#ifndef CT_CAPTURE_CAPTURE_H
#define CT_CAPTURE_CAPTURE_H

#include "base/err.h"
#include "capture/found.h"
#include "capture/start.h"

#include <stdbool.h>

struct ct_capture_options {
    const char *output; /* the folder to create; NULL: only count and time */
    const char *kernel; /* the only kernel to write down; NULL: all */
    uint64_t launch;    /* the number of its launch, from 1; 0: the first of each shape */
    uint64_t max_bytes; /* of the memory of one launch; 0: 1 GiB */
    char *const *argv;  /* the program and its arguments, NULL at the end */
};

struct ct_capture_result {
    struct ct_program_file program;
    struct ct_program_end end;
    struct ct_found found;
    size_t written; /* experiments in the output folder, which exists if there are any */
    struct ct_arena arena;
};

/* Runs the program.  All but a result that is complete leaves no folder behind: the output is made
 * under another name beside its place.
 * CT_E_USAGE: the output exists, or there is no such program; CT_E_IO: no layer, or the output cannot
 * be written; CT_E_NOMEM.  `result` is valid if `result->end` is: a program that ran has an exit status
 * even if its capture failed. */
enum ct_status ct_capture_run(const struct ct_capture_options *options,
                              struct ct_capture_result *result, struct ct_err *err);

void ct_capture_release(struct ct_capture_result *result);

#endif
