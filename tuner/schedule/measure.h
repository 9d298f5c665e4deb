// SPDX-License-Identifier: Apache-2.0
// Evaluating plans on a device through worker processes that nothing can take down with
// the main process.
//
// The main process calls this header.  It never loads OpenCL or user code: a worker (the
// program itself, re-executed with CT_WORKER_ARGUMENT) does, and talks over a socket
// pair.
#ifndef CT_SCHEDULE_MEASURE_H
#define CT_SCHEDULE_MEASURE_H

#include "base/devinfo.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/overhead.h"
#include "plan/plan.h"
#include "protocol/outcome.h"
#include "protocol/protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_measure_options {
    struct ct_deadlines deadlines;
    struct ct_race race;
    uint64_t seed;       /* of the inputs' random values */
    bool all_processors; /* of a baseline: on all processors instead of one */
    /* Told, at most once a runner, when the user's own code (a reference, a fill) has
     * been running for `slow_after_ns`: nothing else is said while it runs.  `who` is
     * "the reference f in file.c", `limit_s` how long it may take.  NULL: nobody is told. */
    void (*slow)(void *user, const char *who, double limit_s);
    void *slow_user;
    uint64_t slow_after_ns;
};

/* All devices of all platforms, asked of a short-lived worker.  CT_E_NO_DEVICE with a
 * remedy when there is no loader, no platform or no device; CT_E_IO when that is because
 * a driver can write its cache nowhere. */
enum ct_status ct_measure_devices(struct ct_arena *arena, struct ct_devinfo **out,
                                  size_t *count, struct ct_err *err);

/* What launches and allocations cost on a device, measured by a short-lived worker.
 * CT_E_NO_DEVICE when it is no longer there, CT_E_DEVICE, CT_E_INTERRUPTED. */
enum ct_status ct_measure_overheads(const struct ct_devinfo *device,
                                    struct ct_overhead out[CT_OVERHEAD_COUNT],
                                    struct ct_err *err);

/* One device and the worker that uses it, respawned when it dies, when its context may be
 * lost, when a plan wants another environment, and after a kernel wrote outside its
 * buffers.  A worker dies with the thread that made the call that started it, however
 * that ends. */
struct ct_runner;

enum ct_status ct_runner_new(const struct ct_devinfo *device, struct ct_runner **out,
                             struct ct_err *err);

/* Builds, checks and times one plan.  Failures of the configuration, also those that kill
 * or hang the worker, are outcomes with CT_OK; a worker that the system killed
 * because memory was short is replaced once, but not while it compiled; one that ended by
 * another signal from outside, or that is stopped again and again, twice.  Errors are
 * about us: CT_E_WORKER (workers cannot be started; a device that failed three times in a
 * row with nothing to blame; three workers that ended from outside), CT_E_SPEC (a
 * reference or a fill does not compile, crashes or does not fit its buffer, a reference
 * leaves unwritten what is compared, or `args` differ from the kernel's in count or type:
 * the message says so), CT_E_IO (a fill's file cannot be read, or a failed build or a
 * crash while the disk of the driver's cache or of temporary files is full: worth another
 * try once there is room), CT_E_INTERRUPTED (ct_measure_interrupt was called; the worker
 * has been ended). */
enum ct_status ct_runner_evaluate(struct ct_runner *runner, const struct ct_plan *plan,
                                  const struct ct_measure_options *options,
                                  struct ct_outcome *outcome, struct ct_err *err);

/* Runs, checks and times the plan's baseline (host code, wall clock): bound to one
 * processor, or with `all_processors` on all of them: code that starts threads of its own
 * is left to itself, of other code one copy runs on each processor, and the time is that
 * of all copies divided by their number.  Errors
 * as ct_runner_evaluate's, CT_E_SPEC also when the baseline does not compile, and
 * CT_E_NOT_FOUND when the plan has none. */
enum ct_status ct_runner_baseline(struct ct_runner *runner, const struct ct_plan *plan,
                                  const struct ct_measure_options *options,
                                  struct ct_outcome *outcome, struct ct_err *err);

/* Wall time so far in each phase, and worker processes started. */
void ct_runner_spent(const struct ct_runner *runner, uint64_t spent_ns[CT_PHASE_COUNT],
                     unsigned *workers);

/* Ends the worker (kindly, then with SIGKILL) and frees. */
void ct_runner_free(struct ct_runner *runner);

/* Asks whatever call is waiting, and every later one, to return CT_E_INTERRUPTED; workers
 * that are busy are killed.  The only function here that may be called from a signal
 * handler. */
void ct_measure_interrupt(void);

#endif
