// SPDX-License-Identifier: Apache-2.0
// Runs a captured launch again, on memory of the layer's own: does it always give the same, and
// does it when it starts with what it has left?
#ifndef CT_LAYER_REPEAT_H
#define CT_LAYER_REPEAT_H

#include "layer/arguments.h"
#include "layer/memory.h"

struct ct_repeat_argument {
    cl_uint owner; /* the first argument with the same memory */
    struct ct_memory_digest before;
    struct ct_hash after;
    bool changed;
};

enum ct_repeat_answer { CT_REPEAT_UNKNOWN, CT_REPEAT_YES, CT_REPEAT_NO };

struct ct_repeat_result {
    enum ct_repeat_answer deterministic; /* the same inputs give the same outputs */
    enum ct_repeat_answer repeatable;  /* so do its own outputs in place of the inputs */
    enum ct_repeat_answer independent; /* what it may write to, it does not read */
    size_t work_group_max; /* work-items that a work-group of the kernel can have */
    size_t required[3];    /* reqd_work_group_size; 0: none */
    bool stuck;            /* CT_MEMORY_STUCK: the launch's queue must not be released */
};

/* `folder` has the memory before the launch (argI.npy). Unknown where memory or size are in the
 * way. */
void ct_repeat_test(const struct ct_layer_launch *launch, const char *folder,
                    const struct ct_argument_info *infos,
                    const struct ct_repeat_argument *memory,
                    struct ct_repeat_result *result);

#endif
