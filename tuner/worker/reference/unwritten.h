// SPDX-License-Identifier: Apache-2.0
// What a reference leaves unwritten: nothing can be judged by that.
#ifndef CT_WORKER_REFERENCE_UNWRITTEN_H
#define CT_WORKER_REFERENCE_UNWRITTEN_H

#include "worker/data/dataset.h"

#include <stdbool.h>

/* Whether some scalar of the array (in host memory, of the buffer's whole size) has all
 * bits set, as every scalar of a buffer without fill has before a run: perhaps it was
 * never written.  Pad lanes of three-vectors are not looked at. */
bool ct_unwritten_unsure(const struct ct_plan_buffer *buffer, const void *array);

/* Marks the scalars that two runs left as they were: `ones` is the array of a run that
 * began with all bits set, `zeros` that of one that began with none.  `*marks` (one byte
 * a scalar in memory, 1: not written) is the caller's to free; NULL when all scalars were
 * written.  CT_E_NOMEM. */
enum ct_status ct_unwritten_mark(const struct ct_plan_buffer *buffer, const void *ones,
                                 const void *zeros, unsigned char **marks,
                                 struct ct_err *err);

/* CT_E_SPEC with what to do when the plan compares what its reference leaves unwritten:
 * a kernel that leaves it too would pass, and one that writes it would not. */
enum ct_status ct_unwritten_check(const struct ct_dataset *dataset,
                                  const struct ct_plan *plan, struct ct_err *err);

#endif
