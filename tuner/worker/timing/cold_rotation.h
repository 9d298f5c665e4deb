// SPDX-License-Identifier: Apache-2.0
// Cold caches: copies of a plan's buffers that are used in turn, so many that one pass over all
// of them moves more than twice the size of the last-level cache.  When a copy is used again,
// nothing of it is cached any more, as in an application that touches its data once.
//
// The copy in use replaces the plan's own buffers in the data set, so that restoring, setting
// arguments and transfers need not know about it.
#ifndef CT_WORKER_TIMING_COLD_ROTATION_H
#define CT_WORKER_TIMING_COLD_ROTATION_H

#include "worker/data/dataset.h"

struct ct_cold_rotation;

/* The data set's rotation for a plan, created or taken over from the last plan; owned by the data
 * set.  If device memory is short there are fewer copies (ct_cold_rotation_short). CT_E_NOMEM,
 * CT_E_DEVICE. */
enum ct_status ct_cold_rotation_get(struct ct_session *session,
                                    struct ct_dataset *dataset,
                                    const struct ct_plan *plan, struct ct_err *err);
void ct_cold_rotation_free(struct ct_cold_rotation *rotation);

/* At least 1. */
size_t ct_cold_rotation_copies(const struct ct_cold_rotation *rotation);
bool ct_cold_rotation_short(const struct ct_cold_rotation *rotation);

/* Selects the next copy. */
void ct_cold_rotation_turn(struct ct_dataset *dataset);

/* Restores every copy that may have changed: all buffers with a fill, or with `each` only those
 * that are restored before every run.  The first copy comes next.  A copy restored just before
 * its turn would be cached. */
enum ct_status ct_cold_rotation_restore(struct ct_dataset *dataset,
                                        const struct ct_plan *plan, bool each,
                                        struct ct_err *err);

/* Whether every copy has been used since then. */
bool ct_cold_rotation_stale(const struct ct_dataset *dataset);

/* Clears the outputs that are compared in every copy, and selects the copy that was in use. */
enum ct_status ct_cold_rotation_clear(struct ct_dataset *dataset,
                                      const struct ct_plan *plan, struct ct_err *err);

/* Selects the plan's own buffers; does nothing without a rotation. */
void ct_cold_rotation_home(struct ct_dataset *dataset);

#endif
