// SPDX-License-Identifier: Apache-2.0
// Capturing: counts and times launches, and writes down chosen ones.
//
// The environment of a captured program has CLTUNE_CAPTURE, a folder for what is found: a file
// PID.jsonl with a line for each kernel, captured launch and note, PID.counts with the counters of
// the groups (struct ct_capture_counter, mapped, so that a crash loses none), and a folder for each
// captured launch.  CLTUNE_CAPTURE_WRITE=1 captures; CLTUNE_CAPTURE_KERNEL names the one kernel,
// CLTUNE_CAPTURE_LAUNCH the number of its launch, CLTUNE_CAPTURE_MAX_BYTES the room.
#ifndef CT_LAYER_CAPTURE_H
#define CT_LAYER_CAPTURE_H

#include "layer/launch.h"

/* Opens the files; false, after a message, if that fails. */
bool ct_capture_begin(void);

/* Whether launches are written down, not only counted. */
bool ct_capture_writes(void);

/* Enqueues a launch of a known kernel, counted, and captured if it is chosen. */
cl_int ct_capture_launch(const struct ct_layer_launch *launch);

#endif
