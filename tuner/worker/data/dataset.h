// SPDX-License-Identifier: Apache-2.0
// The data that plans with equal data hashes share: contents, device buffers, expected outputs.
#ifndef CT_WORKER_DATA_DATASET_H
#define CT_WORKER_DATA_DATASET_H

#include "base/hash.h"
#include "worker/session.h"
#include "worker/reference/verify.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_host_code;

/* The expected contents of a buffer after a run (worker/reference/expected.h). */
struct ct_expected {
    void *bytes; /* in the host layout; NULL: not compared */
    size_t size_bytes;
    bool shared; /* `bytes` belong to the shared cache: not written or freed */
    /* One byte per scalar in memory, 1 if the reference did not write it; NULL: it wrote all. */
    unsigned char *unwritten;
    size_t unwritten_count; /* size of `unwritten`; 0 without it */
    /* Computed from `bytes` when first needed. */
    bool has_rms;
    uint64_t rms_compare; /* elements that `rms` covers */
    double rms;
    bool has_vacuous; /* for the check of the plan that was compared first */
    enum ct_vacuous vacuous;
    enum ct_reduce reduce; /* kind of `reduced`; CT_REDUCE_NONE: not computed */
    uint64_t reduce_compare;
    struct ct_reduced *reduced;   /* worker/reference/reduce.h */
    struct ct_host_code *checker; /* worker/reference/checker.h; NULL: not loaded */
    struct ct_hash checker_key;
    struct ct_buffer *device; /* a copy on the device; NULL: none yet */
    unsigned comparisons;     /* that the device could make (device_check.h) */
};

struct ct_dataset_buffer {
    size_t size_bytes;   /* in the host layout */
    size_t device_bytes; /* in the device layout: planes have no pad lanes */
    /* contents before a launch; NULL: every byte 0xFF.  Without a fill, 0xFF unless that could
     * pass for the expected value (poison.h) */
    void *initial;
    bool poisoned; /* `initial` is not a fill of the plan but poison */
    bool shared;   /* `initial` belongs to the shared cache: not written or freed */
    bool mapped;   /* and is a mapping of its own, not part of the data set's */
    /* the same in the device layout; `initial` itself unless the buffer has planes */
    void *packed;
    struct ct_expected expected;
    /* Clean: assumed to hold `packed`.  Other data sets may own it, too. */
    struct ct_buffer *device;
    /* A copy of `packed` on the device (worker/data/original.h); NULL: none yet. */
    struct ct_buffer *original;
    bool keep_original; /* it is worthwhile */
    bool restored;      /* from the host, at least once */
    enum ct_transfer transfer;
    /* Of what the device's copy holds at first, where and how, if other data sets may have the same;
     * else empty. */
    struct ct_hash device_key;
};

struct ct_dataset {
    struct ct_hash hash;
    uint64_t seed;
    bool host_only;   /* nothing of it is on the device */
    bool inputs_only; /* its expected contents are unknown */
    size_t count;     /* of buffers, as in the plan */
    struct ct_dataset_buffer *buffers;
    void *shared_cache; /* the mapping that contents are shared from; NULL: none */
    size_t shared_cache_bytes;
    void *scratch; /* size of the largest buffer on the device */
    void *records; /* size of the largest one with planes, in the host layout */
    struct ct_cold_rotation *rotation; /* worker/timing/cold_rotation.h; NULL: none yet */
};

/* The session's data set for a plan, created if missing: contents generated, references run,
 * buffers allocated.  Owned by the session.  Fails as the configuration's failure if the device
 * cannot hold the data, as an error if the space file is wrong (CT_E_SPEC: references, also what
 * they leave unwritten, fills) or memory is short. */
enum ct_step ct_dataset_get(struct ct_session *session, const struct ct_plan *plan,
                            uint64_t seed, struct ct_dataset **out,
                            struct ct_outcome *outcome, struct ct_err *err);

/* Offers a data set of the plan to other workers, if worthwhile.  Large contents are offered
 * separately: other data sets have the same ones. */
void ct_dataset_offer(struct ct_session *session, struct ct_dataset *dataset,
                      const struct ct_plan *plan);

/* Shares a buffer's contents with another data set's, whoever made it; false if there are none
 * that match. */
bool ct_dataset_take_fill(const struct ct_session *session,
                          const struct ct_dataset *dataset,
                          const struct ct_plan_buffer *planned,
                          struct ct_dataset_buffer *buffer);

/* The same contents as an array of its own for host code, from ct_data_map: nothing is copied that
 * is not written.  NULL if nobody has made them. */
void *ct_dataset_map_fill(const struct ct_session *session,
                          const struct ct_dataset *dataset,
                          const struct ct_plan_buffer *planned, size_t size_bytes);

/* Fills a data set, whose buffers have their sizes, from another worker's; `*taken`: whether
 * there was one.  `expected`: expected outputs too.  Nothing large is copied: contents stay in the
 * shared memory.  CT_E_NOMEM. */
enum ct_status ct_dataset_take(struct ct_session *session, struct ct_dataset *dataset,
                               const struct ct_plan *plan, bool expected, bool *taken,
                               struct ct_err *err);

/* The same, but always a new one, owned by the caller. */
enum ct_step ct_dataset_new(struct ct_session *session, const struct ct_plan *plan,
                            uint64_t seed, struct ct_dataset **out,
                            struct ct_outcome *outcome, struct ct_err *err);
void ct_dataset_free(struct ct_dataset *dataset);

/* Converts a buffer's contents to the device's layout: buffer->packed, which is the contents
 * themselves if the layouts are equal.  CT_E_NOMEM. */
enum ct_status ct_dataset_pack(struct ct_dataset_buffer *buffer,
                               const struct ct_plan_buffer *planned, struct ct_err *err);

/* Releases what the data set shares with other workers, including its buffers' contents. */
void ct_dataset_unshare(struct ct_dataset *dataset);

/* Whether the device supports the plan's images; fails as the configuration's failure if not. */
enum ct_step ct_dataset_images(struct ct_session *session, const struct ct_plan *plan,
                               struct ct_outcome *outcome, struct ct_err *err);

/* Allocates a buffer or image of the plan on the device: buffer->device. */
enum ct_status ct_dataset_allocate(struct ct_session *session,
                                   const struct ct_plan_buffer *planned,
                                   struct ct_dataset_buffer *buffer, struct ct_err *err);

/* Lets a buffer of a new data set use the device's copy of an equal one of another data set of this
 * worker: inputs do not change with the size of an output.  False if there is none. */
bool ct_dataset_share_device(const struct ct_session *session,
                             const struct ct_dataset *dataset,
                             const struct ct_plan_buffer *planned,
                             struct ct_dataset_buffer *buffer);

/* Restores the contents of a buffer that is not clean. */
enum ct_status ct_dataset_renew(struct ct_dataset_buffer *buffer, struct ct_err *err);

/* Restores the contents of every buffer that is not clean. */
enum ct_status ct_dataset_restore(struct ct_dataset *dataset, struct ct_err *err);

/* The same only for buffers that are restored before every run (CT_RESTORE_EACH). */
enum ct_status ct_dataset_restore_each(struct ct_dataset *dataset,
                                       const struct ct_plan *plan, struct ct_err *err);

/* The same only for buffers with initial contents: what others hold is no input. */
enum ct_status ct_dataset_restore_filled(struct ct_dataset *dataset,
                                         const struct ct_plan *plan, struct ct_err *err);

/* The same only for outputs that are compared and have no initial contents. */
enum ct_status ct_dataset_clear_outputs(struct ct_dataset *dataset,
                                        const struct ct_plan *plan, struct ct_err *err);

/* Reads a buffer; `*actual` is the data set's, in the host layout, valid until the next call. */
enum ct_status ct_dataset_read(struct ct_dataset *dataset, const struct ct_plan *plan,
                               size_t buffer, const void **actual, struct ct_err *err);

/* Whether nothing was written outside buffers; otherwise fails as wrong, and blames the buffer
 * that the write most likely went past: one that launches write (one that is not clean) before
 * one that they only read, then the nearest damage. */
enum ct_step ct_dataset_guards(struct ct_session *session, const struct ct_plan *plan,
                               struct ct_dataset *dataset, struct ct_outcome *outcome,
                               struct ct_err *err);

/* Whether the clean buffers really hold their contents; those that do not are no longer clean.  A
 * kernel may have written through a pointer to const, or beyond a buffer. */
enum ct_status ct_dataset_intact(struct ct_dataset *dataset, bool *intact,
                                 struct ct_err *err);

#endif
