// SPDX-License-Identifier: Apache-2.0
// Runs a launch both ways, and compares what they leave.
#ifndef CT_LAYER_VERIFY_H
#define CT_LAYER_VERIFY_H

#include "layer/launch.h"

enum ct_verify_outcome {
    CT_VERIFY_EQUAL,   /* the replacement's results stay */
    CT_VERIFY_DIFFER,  /* the program's own results stay */
    CT_VERIFY_UNKNOWN, /* cannot be compared: nothing but the program's own launch ran */
};

/* Runs `own`, then `other` (the same launch, replaced) on the same memory. `*code` and `*event` are
 * those of one of the launches.  `why`: a text for CT_VERIFY_DIFFER and CT_VERIFY_UNKNOWN, of `size`
 * bytes. */
enum ct_verify_outcome ct_verify(const struct ct_layer_launch *own,
                                 const struct ct_layer_launch *other, cl_event *event,
                                 cl_int *code, char *why, size_t size);

#endif
