// SPDX-License-Identifier: Apache-2.0
// Cold caches: copies of a plan's buffers that take turns, so many that one pass over all
// of them moves more than twice what the last cache holds.  When a copy's turn comes
// again, nothing of it is cached any more, as with an application that touches its data
// once.
//
// The copy whose turn it is stands in the data set in place of the plan's own buffers, so
// that whatever restores, sets arguments or transfers need not know.
#ifndef CT_WORKER_TIMING_COLD_ROTATION_H
#define CT_WORKER_TIMING_COLD_ROTATION_H

#include "worker/data/dataset.h"

struct ct_cold_rotation;

enum {
    CT_COLD_ROTATION_MOST = 4096
}; /* copies: each is an allocation with guard bands */

/* How many copies, the plan's own buffers included: enough that `used_bytes` (what
 * launches touch of one) times that are more than twice `cache_bytes`, but not more than
 * what `room_bytes` has room for (the first is there already, each other one takes
 * `copy_bytes`), nor CT_COLD_ROTATION_MOST.  `*short_of` tells whether it would take
 * more. */
size_t ct_cold_rotation_count(uint64_t used_bytes, uint64_t copy_bytes,
                              uint64_t cache_bytes, uint64_t room_bytes, bool *short_of);

/* The size of the last cache: what the device tells; of a processor also what the system
 * tells, whichever is more; 64 MiB where nobody knows. */
uint64_t ct_cold_rotation_cache_bytes(const struct ct_devinfo *info, bool processor);

/* The data set's rotation for a plan, made or taken over from the last plan; it stays the
 * data set's.  Where device memory is short there are fewer copies
 * (ct_cold_rotation_short). CT_E_NOMEM, CT_E_DEVICE. */
enum ct_status ct_cold_rotation_get(struct ct_session *session,
                                    struct ct_dataset *dataset,
                                    const struct ct_plan *plan, struct ct_err *err);
void ct_cold_rotation_free(struct ct_cold_rotation *rotation);

/* At least 1. */
size_t ct_cold_rotation_copies(const struct ct_cold_rotation *rotation);
bool ct_cold_rotation_short(const struct ct_cold_rotation *rotation);

/* The next copy's turn. */
void ct_cold_rotation_turn(struct ct_dataset *dataset);

/* Gives every copy its contents again where they may have changed: of all buffers with
 * a fill, or with `each` of those alone that are restored before every run.  The first
 * copy's turn comes next.  Restored one by one before its turn, a copy would be
 * cached. */
enum ct_status ct_cold_rotation_restore(struct ct_dataset *dataset,
                                        const struct ct_plan *plan, bool each,
                                        struct ct_err *err);

/* Whether every copy has had its turn since then. */
bool ct_cold_rotation_stale(const struct ct_dataset *dataset);

/* The plan's own buffers' turn; does nothing without a rotation. */
void ct_cold_rotation_home(struct ct_dataset *dataset);

#endif
