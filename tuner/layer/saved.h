// SPDX-License-Identifier: Apache-2.0
// What injection saves: times of launches both ways, summed up by kernel and shape.
#ifndef CT_LAYER_SAVED_H
#define CT_LAYER_SAVED_H

#include "layer/launch.h"

/* Launches of one kind; lives until the end of the process. */
struct ct_saved {
    struct ct_saved *next;
    char *text;           /* kernel, size and configuration */
    uint64_t launches[2]; /* as the program asks for them, and replaced */
    uint64_t timed[2];
    uint64_t time_ns[2];
};

/* A new one; NULL if out of memory. */
struct ct_saved *ct_saved_new(const struct ct_layer_launch *launch,
                              const char *configuration);

/* Times a launch; `event` is a reference that belongs to this module from now on. */
void ct_saved_await(struct ct_saved *saved, bool replaced, cl_event event);

/* Takes the times of launches that are done. */
void ct_saved_harvest(void);

/* Says on standard error what was replaced, and what that saved. */
void ct_saved_report(void);

#endif
