// SPDX-License-Identifier: Apache-2.0
// A plan's launches on a device: built, checked against limits, run.
#ifndef CT_WORKER_BUILD_PIPELINE_H
#define CT_WORKER_BUILD_PIPELINE_H

#include "worker/data/dataset.h"
#include "protocol/objects.h"
#include "worker/timing/sample.h"
#include "worker/session.h"

enum { CT_PIPELINE_SAMPLERS = 2 * 2 * (CT_ADDRESS_MIRRORED_REPEAT + 1) };

/* A kernel that one or more launches use.  Loops are thousands of launches of a few
 * kernels: what is the same for all of them is done once. */
struct ct_pipeline_kernel {
    uint32_t program;
    const char *name;
    struct ct_kernel *kernel;
    struct ct_kernel_limits limits;
    uint64_t registers;
    uint64_t spill_bytes;
    const struct ct_plan_launch *checked; /* the last one whose kinds of arguments and
                                             requirement were looked at */
    const bool *is_const;                 /* its arguments (worker/build/signature.h) */
    const struct ct_plan_launch *set;     /* whose arguments it holds; NULL: unknown */
    uint64_t set_turn;                    /* and of which turn its buffers are */
};

struct ct_pipeline;

/* Who makes programs, where that is not the compiler alone: sets pipeline->programs
 * [index]; `options` is the full text. */
struct ct_program_maker {
    enum ct_status (*make)(void *data, struct ct_pipeline *pipeline, size_t index,
                           const char *options, struct ct_str *log, struct ct_err *err);
    void *data;
};

/* Events of a sample: of its very first command, and of the last one of each part. Zeroed
 * before; events are NULL where there is none, as that of the first part is when it is
 * that one command. */
struct ct_pipeline_marks {
    struct ct_event first;
    size_t count; /* of parts */
    struct ct_event ends[CT_SAMPLE_PARTS];
    uint32_t runs[CT_SAMPLE_PARTS]; /* pipelines in each */
};

struct ct_pipeline {
    struct ct_session *session;
    const struct ct_plan *plan;
    const struct ct_program_maker *maker; /* while building */
    struct ct_outcome *outcome;           /* failures, log and facts go here */
    struct ct_dataset *data;              /* NULL until there is one; the session's */
    struct ct_program **programs;         /* as in the plan */
    size_t *log_ends;                     /* where each program's log ends */
    struct ct_pipeline_kernel *kernels;
    size_t kernel_count;
    size_t kernel_capacity;
    uint32_t *kernel_of; /* one a launch: index into `kernels` */
    bool *written;       /* one a buffer: a launch may write it */
    struct ct_texture_sampler *samplers[CT_PIPELINE_SAMPLERS];
    bool counting; /* samples ask their first event for the device's counters */
    struct ct_quantities counters; /* what they said */
    bool turning;  /* with cold caches: every pipeline takes the next copy's turn */
    uint64_t turn; /* counts them */
    struct ct_objects objects; /* checksums of what the driver loads */
};

/* Makes the programs (`maker` NULL: compiles them), creates the kernels, compares their
 * arguments and limits, and asks what launches require.  Release in any case. */
enum ct_step ct_pipeline_build(struct ct_pipeline *pipeline, struct ct_session *session,
                               const struct ct_plan *plan,
                               const struct ct_program_maker *maker,
                               struct ct_outcome *outcome, struct ct_err *err);
void ct_pipeline_release(struct ct_pipeline *pipeline);

/* Notes that the buffers which launches write no longer hold their contents: to be called
 * before anything runs on restored data. */
void ct_pipeline_touch(struct ct_pipeline *pipeline);

/* Cold caches: makes the data set's copies, with their contents, and tells the outcome of
 * them.  Their turns begin, one a pipeline, until ct_pipeline_warm.  CT_E_NOMEM,
 * CT_E_DEVICE. */
enum ct_status ct_pipeline_cold(struct ct_pipeline *pipeline, struct ct_err *err);
void ct_pipeline_warm(struct ct_pipeline *pipeline);

/* The next copy's turn, where copies take turns. */
void ct_pipeline_turn(struct ct_pipeline *pipeline);

/* Enqueues the pipeline `repeats` times, where copies take turns the first time on that
 * whose turn it is.  `marks` (may be NULL) receives events. */
enum ct_status ct_pipeline_enqueue(struct ct_pipeline *pipeline, uint32_t repeats,
                                   struct ct_pipeline_marks *marks, struct ct_err *err);

/* Runs the pipeline once and adds up what the device's counters say of its launches,
 * where the driver's events tell (worker/timing/watch.h): pipeline->counters.
 * CT_E_DEVICE, CT_E_NOMEM. */
enum ct_status ct_pipeline_count(struct ct_pipeline *pipeline, struct ct_err *err);

/* One sample: `repeats` pipelines behind one clFinish. */
enum ct_status ct_pipeline_take(struct ct_pipeline *pipeline, uint32_t repeats,
                                struct ct_sample *sample, struct ct_err *err);

#endif
