// SPDX-License-Identifier: Apache-2.0
// Runs a launch both ways on copies of its memory, and compares what they leave.
//
// The program's memory is only read: other queues may write to other parts of it meanwhile.  The copies are
// filled and used in a queue of the layer's own, as another thread may put commands into the program's that
// wait for something which this one does later.
#ifndef CT_LAYER_VERIFY_H
#define CT_LAYER_VERIFY_H

#include "layer/launch.h"

enum ct_verify_outcome {
    CT_VERIFY_EQUAL,
    CT_VERIFY_DIFFER,
    CT_VERIFY_UNKNOWN, /* they cannot be compared */
};

/* Compares `own`, which is not enqueued yet, with `other`, the same launch replaced.  `why`: a text for
 * CT_VERIFY_DIFFER and CT_VERIFY_UNKNOWN, of `size` bytes.  The caller holds no lock, and enqueues one of
 * them afterwards. */
enum ct_verify_outcome ct_verify(const struct ct_layer_launch *own,
                                 const struct ct_layer_launch *other, char *why,
                                 size_t size);

#endif
