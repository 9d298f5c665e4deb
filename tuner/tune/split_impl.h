// SPDX-License-Identifier: Apache-2.0
// What the files of a split share.
#ifndef CT_TUNE_SPLIT_IMPL_H
#define CT_TUNE_SPLIT_IMPL_H

#include "tune/split.h"

/* Binds a device to the problem with `size` instead of the total; 0: the file's own. */
enum ct_status ct_split_bind(const struct ct_split_task *task,
                             const struct ct_devinfo *device, int64_t size,
                             struct ct_binding **out, struct ct_err *err);

/* Finds task->by, or checks it, and its value. */
enum ct_status ct_split_choose_size(struct ct_split_task *task,
                                    const struct ct_devinfo *device, struct ct_err *err);

/* The smallest size that all shares can be multiples of: of about a 256th of the total, a divisor of it
 * at which the constraints of every device's best hold. */
enum ct_status ct_split_choose_grain(struct ct_split *split, struct ct_err *err);

#endif
