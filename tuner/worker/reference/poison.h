// SPDX-License-Identifier: Apache-2.0
// Initial contents for outputs that cannot be mistaken for a right result.
#ifndef CT_WORKER_REFERENCE_POISON_H
#define CT_WORKER_REFERENCE_POISON_H

#include "worker/data/dataset.h"

/* Gives every buffer without fill, whose expected contents are known and compared element by
 * element, initial contents that differ from them where all bits set would not: a kernel that
 * writes nothing must not pass.  What a reference leaves unwritten (expected.unwritten) stays as it
 * is.  Buffers that are poisoned already are skipped.  CT_E_NOMEM. */
enum ct_status ct_poison_set(struct ct_dataset *dataset, const struct ct_plan *plan,
                             struct ct_err *err);

#endif
