// SPDX-License-Identifier: Apache-2.0
// What a reference leaves unwritten: nothing can be judged by it.
#ifndef CT_WORKER_REFERENCE_UNWRITTEN_H
#define CT_WORKER_REFERENCE_UNWRITTEN_H

#include "worker/data/dataset.h"

#include <stdbool.h>

/* Whether some scalar of the array (in host memory, of the buffer's whole size) has all bits set,
 * as every scalar of a buffer without fill has before a run: it may never have been written.  Pad
 * lanes of three-vectors are ignored. */
bool ct_unwritten_unsure(const struct ct_plan_buffer *buffer, const void *array);

/* Marks the scalars that two runs left unchanged: `ones` is the array of a run that began with
 * all bits set, `zeros` that of one that began with none.  `*marks` (one byte per scalar in
 * memory, 1: not written) is the caller's to free; NULL if all scalars were written.
 * CT_E_NOMEM. */
enum ct_status ct_unwritten_mark(const struct ct_plan_buffer *buffer, const void *ones,
                                 const void *zeros, unsigned char **marks,
                                 struct ct_err *err);

/* CT_E_SPEC with advice if the plan compares elements that its reference leaves unwritten: a
 * kernel that leaves them too would pass, and one that writes them would not. */
enum ct_status ct_unwritten_check(const struct ct_dataset *dataset,
                                  const struct ct_plan *plan, struct ct_err *err);

#endif
