// SPDX-License-Identifier: Apache-2.0
// The data that plans with equal data hashes share: contents, device buffers, what is
// expected.
#ifndef CT_WORKER_DATA_DATASET_H
#define CT_WORKER_DATA_DATASET_H

#include "base/hash.h"
#include "worker/session.h"
#include "worker/reference/verify.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a buffer must hold in the end (worker/reference/expected.h). */
struct ct_expected {
    void *bytes; /* as host code sees it; NULL: not to be compared */
    size_t size_bytes;
    bool shared; /* `bytes` are the shared cache's: not to be written or freed */
    /* One byte a scalar in memory, 1 where the reference did not write it; NULL: it wrote
     * all. */
    unsigned char *unwritten;
    size_t unwritten_count; /* of those bytes; 0 without them */
    /* Computed from `bytes` when they are first needed. */
    bool has_rms;
    uint64_t rms_compare; /* elements that `rms` is of */
    double rms;
    bool has_vacuous; /* by the check of the plan that was compared first */
    enum ct_vacuous vacuous;
    enum ct_reduce reduce; /* what `folded` is; CT_REDUCE_NONE: not there */
    uint64_t reduce_compare;
    struct ct_reduced *reduced; /* worker/reference/reduce.h */
};

struct ct_dataset_buffer {
    size_t size_bytes;   /* as host code sees it */
    size_t device_bytes; /* as the device does: planes have no pad lanes */
    void *initial; /* contents before a launch; NULL: every byte 0xFF.  Without a fill,
                      0xFF wherever that cannot pass for the truth (apart.h) */
    bool apart;    /* `initial` is no fill of the plan's, but set apart */
    bool shared;   /* `initial` is the shared cache's: not to be written or freed */
    bool mapped;   /* and a mapping of its own, not a part of the data set's */
    void *packed;  /* the same as the device sees them; `initial` itself unless the
                      buffer has planes */
    struct ct_expected expected;
    struct ct_buffer *device;
    enum ct_transfer transfer;
    bool clean; /* the device's copy is believed to hold `packed` */
};

struct ct_dataset {
    struct ct_hash hash;
    uint64_t seed;
    size_t count; /* of buffers, as in the plan */
    struct ct_dataset_buffer *buffers;
    void *shared_cache; /* what contents are shared from, a mapping; NULL: nothing is */
    size_t shared_cache_bytes;
    void *scratch; /* room for the largest buffer on the device */
    void *records; /* and for the largest one with planes, as host code sees it */
    struct ct_cold_rotation *rotation; /* worker/timing/cold_rotation.h; NULL: none yet */
};

/* The session's data set for a plan, made when it is not there: contents generated,
 * references run, buffers allocated.  It stays the session's.  Fails as the
 * configuration's when the device cannot hold the data, as an error when the space file
 * is wrong (CT_E_SPEC: references, also what they leave unwritten, fills) or memory is
 * short. */
enum ct_step ct_dataset_get(struct ct_session *session, const struct ct_plan *plan,
                            uint64_t seed, struct ct_dataset **out,
                            struct ct_outcome *outcome, struct ct_err *err);

/* Makes a data set of the plan known to other workers, where it is worth it.  Large
 * contents go by themselves: other data sets have the same ones. */
void ct_dataset_offer(struct ct_session *session, struct ct_dataset *dataset,
                      const struct ct_plan *plan);

/* Shares a buffer's contents with another data set's, whoever made it; false when there
 * are none like them. */
bool ct_dataset_take_fill(const struct ct_session *session,
                          const struct ct_dataset *dataset,
                          const struct ct_plan_buffer *planned,
                          struct ct_dataset_buffer *buffer);

/* Fills a data set, whose buffers have their sizes, from what another worker has made;
 * `*taken` tells whether there was such a one.  `truth`: what is expected too.  Nothing
 * large is copied: contents stay where all workers share them.  CT_E_NOMEM. */
enum ct_status ct_dataset_take(struct ct_session *session, struct ct_dataset *dataset,
                               const struct ct_plan *plan, bool expected, bool *taken,
                               struct ct_err *err);

/* The same, but always a new one, and the caller's to free. */
enum ct_step ct_dataset_new(struct ct_session *session, const struct ct_plan *plan,
                            uint64_t seed, struct ct_dataset **out,
                            struct ct_outcome *outcome, struct ct_err *err);
void ct_dataset_free(struct ct_dataset *dataset);

/* Brings a buffer's contents into the device's layout: buffer->packed, which is the
 * contents themselves where the layouts are the same.  CT_E_NOMEM. */
enum ct_status ct_dataset_pack(struct ct_dataset_buffer *buffer,
                               const struct ct_plan_buffer *planned, struct ct_err *err);

/* Lets go of what the data set shares with other workers; its buffers' contents are gone
 * then. */
void ct_dataset_unshare(struct ct_dataset *dataset);

/* Whether the device has the plan's images; fails as the configuration's when not. */
enum ct_step ct_dataset_images(struct ct_session *session, const struct ct_plan *plan,
                               struct ct_outcome *outcome, struct ct_err *err);

/* Allocates a buffer or image of the plan on the device: buffer->device. */
enum ct_status ct_dataset_allocate(struct ct_session *session,
                                   const struct ct_plan_buffer *planned,
                                   struct ct_dataset_buffer *buffer, struct ct_err *err);

/* Gives a buffer that is not clean its contents again. */
enum ct_status ct_dataset_renew(struct ct_dataset_buffer *buffer, struct ct_err *err);

/* Gives every buffer that is not clean its contents again. */
enum ct_status ct_dataset_restore(struct ct_dataset *dataset, struct ct_err *err);

/* The same for those alone that are restored before every run (CT_RESTORE_EACH). */
enum ct_status ct_dataset_restore_each(struct ct_dataset *dataset,
                                       const struct ct_plan *plan, struct ct_err *err);

/* The same for those that have contents to begin with: what is left in others is nobody's
 * input. */
enum ct_status ct_dataset_restore_filled(struct ct_dataset *dataset,
                                         const struct ct_plan *plan, struct ct_err *err);

/* Reads a buffer; `*seen` is the data set's, as host code would see it, and valid until
 * the next call. */
enum ct_status ct_dataset_read(struct ct_dataset *dataset, const struct ct_plan *plan,
                               size_t buffer, const void **seen, struct ct_err *err);

/* Whether nothing was written beside buffers; fails as wrong when something was, and
 * blames the buffer that the write most likely went past: one that launches write (that
 * are not clean, that is) before one that they only read, then the nearest damage. */
enum ct_step ct_dataset_guards(struct ct_session *session, const struct ct_plan *plan,
                               struct ct_dataset *dataset, struct ct_outcome *outcome,
                               struct ct_err *err);

/* Whether the clean buffers really hold their contents; those that do not are no longer
 * clean.  A kernel may have written through a pointer to const, or beyond a buffer. */
enum ct_status ct_dataset_intact(struct ct_dataset *dataset, bool *intact,
                                 struct ct_err *err);

#endif
