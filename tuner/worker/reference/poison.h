// SPDX-License-Identifier: Apache-2.0
// Contents for outputs that no right result can be mistaken for.
#ifndef CT_WORKER_REFERENCE_POISON_H
#define CT_WORKER_REFERENCE_POISON_H

#include "worker/data/dataset.h"

/* Gives every buffer without fill, whose truth is known and compared element by element,
 * initial contents that differ from the truth where all bits set would not: a kernel that
 * writes nothing must not pass.  What a reference leaves unwritten (truth.unwritten)
 * stays as it is.  Buffers that are apart already are left alone.  CT_E_NOMEM. */
enum ct_status ct_poison_set(struct ct_dataset *dataset, const struct ct_plan *plan,
                             struct ct_err *err);

#endif
