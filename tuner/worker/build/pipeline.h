// SPDX-License-Identifier: Apache-2.0
// A plan's launches on a device: built, checked against limits, run.
#ifndef CT_WORKER_BUILD_PIPELINE_H
#define CT_WORKER_BUILD_PIPELINE_H

#include "protocol/compile.h"
#include "worker/data/dataset.h"
#include "protocol/objects.h"
#include "worker/timing/sample.h"
#include "worker/session.h"

enum { CT_PIPELINE_SAMPLERS = 2 * 2 * (CT_ADDRESS_MIRRORED_REPEAT + 1) };

/* A kernel that one or more launches use.  Loops are thousands of launches of a few kernels: work
 * common to them is done once. */
struct ct_pipeline_kernel {
    uint32_t program;
    const char *name;
    struct ct_kernel *kernel;
    struct ct_kernel_limits limits;
    uint64_t registers;
    uint64_t spill_bytes;
    /* the last one whose kinds of arguments and requirement were checked */
    const struct ct_plan_launch *checked;
    const bool *is_const;             /* its arguments (worker/build/signature.h) */
    const struct ct_plan_launch *set; /* whose arguments it has; NULL: unknown */
    uint64_t set_turn;                /* and which turn its buffers belong to */
};

struct ct_pipeline;

/* Makes programs, instead of the compiler alone: sets pipeline->programs [index]; `options` is
 * the full text. */
struct ct_program_maker {
    enum ct_status (*make)(void *data, struct ct_pipeline *pipeline, size_t index,
                           const struct ct_compile *compile, struct ct_str *log,
                           struct ct_err *err);
    void *data;
};

/* Events of a sample: of its very first command, of the last one of each part, and of one more,
 * which is asked whether it was executed. Zeroed before; NULL if there is none, and for the first
 * part if it consists of that one command. */
struct ct_pipeline_marks {
    struct ct_event first;
    struct ct_event probe;
    uint64_t probe_at; /* counted over the commands of all pipelines of the sample */
    size_t count;      /* of parts */
    struct ct_event ends[CT_SAMPLE_PARTS];
    uint32_t runs[CT_SAMPLE_PARTS]; /* pipelines in each */
};

struct ct_pipeline {
    struct ct_session *session;
    const struct ct_plan *plan;
    const struct ct_program_maker *maker; /* while building */
    struct ct_outcome *outcome;           /* receives failures, log and facts */
    struct ct_dataset *data;      /* NULL until there is one; owned by the session */
    struct ct_program **programs; /* as in the plan */
    size_t *log_ends;             /* where each program's log ends */
    struct ct_pipeline_kernel *kernels;
    size_t kernel_count;
    size_t kernel_capacity;
    uint32_t *kernel_of; /* one per launch: index into `kernels` */
    bool *written;       /* one per buffer: a launch may write it */
    struct ct_texture_sampler *samplers[CT_PIPELINE_SAMPLERS];
    bool counting; /* samples read the device's counters from their first event */
    struct ct_quantities counters; /* their values */
    bool turning;              /* with cold caches: every pipeline uses the next copy */
    uint64_t turn;             /* number of turns */
    uint64_t taken;            /* number of samples, which selects their probes */
    struct ct_objects objects; /* checksums of objects the driver loads */
};

/* Makes the programs (`maker` NULL: compiles them), creates the kernels, checks their arguments
 * and limits, and evaluates the launches' requirements.  Always release. */
enum ct_step ct_pipeline_build(struct ct_pipeline *pipeline, struct ct_session *session,
                               const struct ct_plan *plan,
                               const struct ct_program_maker *maker,
                               struct ct_outcome *outcome, struct ct_err *err);
void ct_pipeline_release(struct ct_pipeline *pipeline);

/* Marks the buffers which launches write as no longer holding their contents: call before
 * anything runs on restored data. */
void ct_pipeline_touch(struct ct_pipeline *pipeline);

/* Cold caches: makes the data set's copies, with their contents, and records them in the outcome.
 * From then until ct_pipeline_warm, each pipeline uses the next copy.  CT_E_NOMEM, CT_E_DEVICE. */
enum ct_status ct_pipeline_cold(struct ct_pipeline *pipeline, struct ct_err *err);
void ct_pipeline_warm(struct ct_pipeline *pipeline);

/* Selects the next copy, if copies are used in turn. */
void ct_pipeline_turn(struct ct_pipeline *pipeline);

/* Enqueues the pipeline `repeats` times, if copies are used in turn the first time on the current
 * one.  `marks` (may be NULL) receives events. */
enum ct_status ct_pipeline_enqueue(struct ct_pipeline *pipeline, uint32_t repeats,
                                   struct ct_pipeline_marks *marks, struct ct_err *err);

/* After ct_device_finish: whether the commands that have an event were executed.  CT_E_DEVICE. */
enum ct_status ct_pipeline_executed(const struct ct_pipeline *pipeline,
                                    const struct ct_pipeline_marks *marks,
                                    struct ct_err *err);
void ct_pipeline_marks_free(const struct ct_pipeline *pipeline,
                            struct ct_pipeline_marks *marks);

/* Runs the pipeline once and adds up the device's counters for its launches, if the driver's
 * events report them (worker/timing/watch.h): pipeline->counters. CT_E_DEVICE, CT_E_NOMEM. */
enum ct_status ct_pipeline_count(struct ct_pipeline *pipeline, struct ct_err *err);

/* Runs the pipeline once, and asks each of its launches (of thousands: 1,024 of them) whether it
 * was executed.  `sample` (may be NULL) receives its times: it may have been the first time that
 * the device saw this code and these data.  CT_E_DEVICE with the launch and the driver's error,
 * CT_E_NOMEM. */
enum ct_status ct_pipeline_first(struct ct_pipeline *pipeline, struct ct_sample *sample,
                                 struct ct_err *err);

/* Takes one sample: `repeats` pipelines before one clFinish.  CT_E_DEVICE also if the first
 * launch, the last one of a part or one other, a different one in each sample, was not executed. */
enum ct_status ct_pipeline_take(struct ct_pipeline *pipeline, uint32_t repeats,
                                struct ct_sample *sample, struct ct_err *err);

#endif
