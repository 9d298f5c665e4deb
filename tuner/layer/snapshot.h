// SPDX-License-Identifier: Apache-2.0
// Writes down one launch: its source, its arguments before it, and what it changed.
#ifndef CT_LAYER_SNAPSHOT_H
#define CT_LAYER_SNAPSHOT_H

#include "layer/launch.h"

struct ct_snapshot_settings {
    const char *folder; /* where each launch gets a folder of its own */
    uint64_t max_bytes; /* of the memory of one launch */
    int log;            /* for its line */
};

enum ct_snapshot_outcome {
    CT_SNAPSHOT_TAKEN,
    CT_SNAPSHOT_REFUSED, /* it cannot be written down; the log says why */
    CT_SNAPSHOT_LATER,   /* it waits for something that the program has yet to do */
    CT_SNAPSHOT_FULL,    /* the disk is full, or cannot be written to; the log says so */
};

/* Enqueues the launch, whatever else happens: `*code` and `*event` are those of that.  `group` is
 * its number in the log.  Waits until the launch is done, unless it is left for later. */
enum ct_snapshot_outcome ct_snapshot_take(const struct ct_layer_launch *launch,
                                          const struct ct_snapshot_settings *settings,
                                          size_t group, cl_event *event, cl_int *code);

#endif
