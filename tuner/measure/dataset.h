// SPDX-License-Identifier: Apache-2.0
// The data that plans with equal data hashes share: contents, device buffers, reference.
#ifndef CT_MEASURE_DATASET_H
#define CT_MEASURE_DATASET_H

#include "base/hash.h"
#include "measure/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_dataset_buffer {
    size_t size_bytes;
    void *initial;  /* contents before a launch; NULL: every byte 0xFF.  Without a fill,
                       0xFF wherever that cannot pass for the expected value. */
    void *expected; /* by the reference; NULL when not to be compared */
    double rms;     /* of `expected` */
    struct ct_buffer *device;
    bool clean; /* the device's copy is believed to hold `initial` */
};

struct ct_dataset {
    struct ct_hash hash;
    uint64_t seed;
    size_t count; /* of buffers, as in the plan */
    struct ct_dataset_buffer *buffers;
    bool referenced; /* the reference ran: `expected` is there */
    void *scratch;   /* room for the largest buffer */
};

/* The session's data set for a plan, made when it is not there: contents generated, the
 * reference run, buffers allocated.  It stays the session's.  Fails as the
 * configuration's when the device cannot hold the data, as an error when the reference is
 * wrong (CT_E_SPEC) or memory is short. */
enum ct_step ct_dataset_get(struct ct_session *session, const struct ct_plan *plan,
                            uint64_t seed, struct ct_dataset **out,
                            struct ct_outcome *outcome, struct ct_err *err);
void ct_dataset_free(struct ct_dataset *dataset);

/* Gives every buffer that is not clean its contents again. */
enum ct_status ct_dataset_restore(struct ct_dataset *dataset, struct ct_err *err);

/* Whether the clean buffers really hold their contents; those that do not are no longer
 * clean.  A kernel may have written through a pointer to const, or beyond a buffer. */
enum ct_status ct_dataset_intact(struct ct_dataset *dataset, bool *intact,
                                 struct ct_err *err);

/* Compares one of the plan's buffers, `seen` being its contents after a run. */
bool ct_dataset_right(const struct ct_dataset *dataset, const struct ct_plan *plan,
                      size_t buffer, const void *seen, struct ct_mismatch *mismatch);

/* Fails an evaluation as wrong, with a sentence about `mismatch`. */
enum ct_step ct_dataset_wrong(const struct ct_session *session,
                              const struct ct_plan *plan,
                              const struct ct_mismatch *mismatch,
                              struct ct_outcome *outcome);

/* Arrays for host code, one a buffer of the plan with its contents, and the pointers that
 * ct_host_call wants. */
struct ct_hostrun {
    size_t count;
    size_t *size_bytes;
    void **arrays;
    void **args;
    struct ct_arena arena;
};
enum ct_status ct_hostrun_init(struct ct_hostrun *run, const struct ct_dataset *dataset,
                               const struct ct_plan_host *host, struct ct_err *err);
void ct_hostrun_release(struct ct_hostrun *run);

/* Gives all arrays their contents again. */
void ct_hostrun_restore(struct ct_hostrun *run, const struct ct_dataset *dataset);

/* The number of the first array beside which something was written, or `count`. */
size_t ct_hostrun_damaged(const struct ct_hostrun *run);

#endif
