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

/* Adds the time of a launch (ct_times_taker). */
void ct_saved_add_time(void *of, bool replaced, uint64_t time_ns);

/* Says on standard error what was replaced, and what that saved. */
void ct_saved_report(void);

#endif
