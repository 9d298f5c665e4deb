// SPDX-License-Identifier: Apache-2.0
// The counters of launches that the layer shares with the program that started it, by a file.
#ifndef CT_LAYER_COUNTERS_H
#define CT_LAYER_COUNTERS_H

#include <stdint.h>

/* Groups of launches that a process can have; further ones are not counted. */
enum { CT_COUNTERS_MOST = 16384 };

/* Room for a NumPy header in front of captured bytes (.npy files, version 1.0). */
enum { CT_CAPTURE_HEAD_BYTES = 128 };

struct ct_capture_counter {
    uint64_t launches;
    uint64_t timed;   /* those whose times are known */
    uint64_t time_ns; /* their sum */
};

#endif
