// SPDX-License-Identifier: Apache-2.0
// Evaluates plans on a device through worker processes, none of which can crash the main process.
//
// The main process calls this header.  It never loads OpenCL or user code: a worker (the program
// itself, re-executed with CT_WORKER_ARGUMENT) does, and communicates over a socket pair.
#ifndef CT_SCHEDULE_MEASURE_H
#define CT_SCHEDULE_MEASURE_H

#include "base/devinfo.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/overhead.h"
#include "plan/plan.h"
#include "protocol/describe.h"
#include "protocol/outcome.h"
#include "protocol/protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_measure_options {
    struct ct_deadlines deadlines;
    struct ct_race race;
    uint64_t seed;       /* of the inputs' random values */
    bool all_processors; /* of a baseline: all processors instead of one */
    /* Of a baseline: time after which it takes no sample more than it must have; 0: no limit. */
    uint64_t limit_ns;
    /* As in struct ct_request: wrong values to name, and a folder for the buffers' contents. */
    uint32_t differences;
    const char *dump;
    /* Called at most once per runner, when the user's own code (a reference, a fill) has been
     * running for `slow_after_ns`, since nothing else is reported while it runs.  `who` is "the
     * reference f in file.c", `limit_s` how long it may take.  May be NULL. */
    void (*slow)(void *user, const char *who, double limit_s);
    void *slow_user;
    uint64_t slow_after_ns;
};

/* All devices of all platforms, listed by a short-lived worker.  CT_E_NO_DEVICE with a remedy if
 * there is no loader, no platform or no device; CT_E_IO if that is because a driver has no place
 * to write its cache. */
enum ct_status ct_measure_devices(struct ct_arena *arena, struct ct_devinfo **out,
                                  size_t *count, struct ct_err *err);

/* Compiles a program on a device in a short-lived worker, and lists its kernels.  A program that
 * does not compile is no error.  CT_E_WORKER if the compiler crashes or hangs, CT_E_NO_DEVICE if the
 * device is no longer present, CT_E_DEVICE, CT_E_INTERRUPTED. */
enum ct_status ct_measure_describe(const struct ct_devinfo *device,
                                   const struct ct_plan_program *program,
                                   struct ct_arena *arena, struct ct_described *out,
                                   struct ct_err *err);

/* The overheads of launches and allocations on a device, measured by a short-lived worker.
 * CT_E_NO_DEVICE if it is no longer present, CT_E_DEVICE, CT_E_INTERRUPTED. */
enum ct_status ct_measure_overheads(const struct ct_devinfo *device,
                                    struct ct_overhead out[CT_OVERHEAD_COUNT],
                                    struct ct_err *err);

/* One device and the worker that uses it, replaced when it dies, when its context may be lost,
 * when a plan needs another environment, and after a kernel wrote outside its buffers.  A worker
 * dies with the thread whose call started it, however that thread ends. */
struct ct_runner;

enum ct_status ct_runner_new(const struct ct_devinfo *device, struct ct_runner **out,
                             struct ct_err *err);

/* Builds, checks and times one plan.  Failures of the configuration, including those that kill or
 * hang the worker, are outcomes with CT_OK; a worker that the system killed because memory was
 * short is replaced once, but not while it compiled; one that ended by another signal from
 * outside, or that is stopped again and again, twice.  Other failures are errors: CT_E_WORKER
 * (workers cannot be started; a device failed three times in a row with nothing to blame; three
 * workers ended from outside), CT_E_SPEC (a reference or a fill does not compile, crashes or does
 * not fit its buffer, a reference leaves compared elements unwritten, or `args` differ from the
 * kernel's in count or type: see the message), CT_E_IO (a fill's file cannot be read, or a failed
 * build or a crash while the disk of the driver's cache or of temporary files is full: try again
 * once there is space), CT_E_INTERRUPTED (ct_measure_interrupt was called; the worker has been
 * ended). */
enum ct_status ct_runner_evaluate(struct ct_runner *runner, const struct ct_plan *plan,
                                  const struct ct_measure_options *options,
                                  struct ct_outcome *outcome, struct ct_err *err);

/* Runs, checks and times the plan's baseline (host code, wall clock): bound to one processor, or
 * with `all_processors` on all of them: code that starts its own threads runs once, of other code
 * one copy runs on each processor, and the time is that of all copies divided by their number.
 * Code whose calls are long compared with the limit is called twice on one processor, four times
 * on all.  No device is opened unless the plan's reference needs one and its outputs are not
 * shared.
 * Errors as for ct_runner_evaluate, CT_E_SPEC also if the baseline does not compile, and
 * CT_E_NOT_FOUND if the plan has none. */
enum ct_status ct_runner_baseline(struct ct_runner *runner, const struct ct_plan *plan,
                                  const struct ct_measure_options *options,
                                  struct ct_outcome *outcome, struct ct_err *err);

/* Builds a plan's programs, runs nothing, and takes their binaries: those of `built` are borrowed
 * from the runner until its next request.  A program without a binary has size 0.  Failures of the
 * build are outcomes, of which `built` then has nothing.  Errors as for ct_runner_evaluate. */
struct ct_built;
enum ct_status ct_runner_build(struct ct_runner *runner, const struct ct_plan *plan,
                               const struct ct_deadlines *deadlines,
                               struct ct_arena *arena, struct ct_outcome *outcome,
                               struct ct_built *built, struct ct_err *err);

/* Wall time so far in each phase, and number of worker processes started. */
void ct_runner_spent(const struct ct_runner *runner, uint64_t spent_ns[CT_PHASE_COUNT],
                     unsigned *workers);

/* Ends the worker (gracefully, then with SIGKILL) and frees. */
void ct_runner_free(struct ct_runner *runner);

/* Makes the current blocking call, and all later ones, return CT_E_INTERRUPTED; busy workers are
 * killed.  The only function here that may be called from a signal handler. */
void ct_measure_interrupt(void);

#endif
