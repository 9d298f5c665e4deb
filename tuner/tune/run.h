// SPDX-License-Identifier: Apache-2.0
// One configuration, built, checked and timed: `cltune run`.
#ifndef CT_TUNE_RUN_H
#define CT_TUNE_RUN_H

#include "schedule/measure.h"
#include "tune/observer.h"
#include "tune/options.h"
#include "tune/workload.h"

struct ct_run {
    const struct ct_tune_options *options;
    const struct ct_observer *observer;
    struct ct_workload work; /* values: the configuration */
    struct ct_arena arena;   /* owns the plan */
    struct ct_plan plan;
    const char *dump; /* folder for the buffers' contents, absolute; NULL: not written */
    struct ct_runner *runner;
    struct ct_outcome outcome;
    bool measured;
};

/* Options, observer, device and spec are borrowed; the binding is taken over, also on failure.
 * Must always be released. */
enum ct_status ct_run_init(struct ct_run *run, const struct ct_tune_options *options,
                           const struct ct_observer *observer,
                           const struct ct_devinfo *device, const struct ct_spec *spec,
                           struct ct_binding *binding, struct ct_err *err);
void ct_run_release(struct ct_run *run);

/* Chooses the configuration: parameters not named have their defaults.  CT_E_USAGE, CT_E_SPEC. */
enum ct_status ct_run_choose(struct ct_run *run, const struct ct_setting *settings,
                             size_t count, struct ct_err *err);

/* Creates `folder`, unless it exists, for what the buffers hold after the launches: the outcome
 * lists the files.  CT_E_IO if it cannot be created or written to. */
enum ct_status ct_run_dump(struct ct_run *run, const char *folder, struct ct_err *err);

/* Measures it; a failure of the configuration is an outcome.  Errors as for ct_runner_evaluate,
 * CT_E_IO also if a file of ct_run_dump cannot be written. */
enum ct_status ct_run_measure(struct ct_run *run, struct ct_err *err);

#endif
