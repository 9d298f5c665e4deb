// SPDX-License-Identifier: Apache-2.0
// What the layer has found in a program: kernels, their launches, and what it has written down.
#ifndef CT_CAPTURE_FOUND_H
#define CT_CAPTURE_FOUND_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Launches of one kernel with one shape.  Texts are borrowed from `record`. */
struct ct_found_group {
    const char *kernel;
    const char *program; /* hash of its source and options */
    const char *options;
    const char *device;
    size_t dimensions;
    uint64_t global[3];
    uint64_t local[3]; /* 0: the driver chooses */
    uint64_t launches;
    uint64_t timed; /* of them, those whose times are known */
    uint64_t time_ns;
    const char
        *refused; /* why it was not written down; NULL: it was not tried, or it was */
    const json_t *captured; /* what was written down, or NULL */
    char folder[256];       /* of it, for the user: relative to the output; "" if none */
    json_t *record;
};

struct ct_found {
    struct ct_found_group *groups; /* by time, the longest first */
    size_t count;
    size_t processes; /* that used OpenCL */
    uint64_t time_ns;
    json_t *records; /* the lines of refusals and captures */
};

/* Reads what the processes of a program have left in a folder.  Lines that cannot be read are left
 * out: the program may have died while writing.  CT_E_IO; CT_E_NOMEM. */
enum ct_status ct_found_read(const char *folder, struct ct_found *out,
                             struct ct_err *err);
void ct_found_release(struct ct_found *found);

#endif
