// SPDX-License-Identifier: Apache-2.0
// How the work of one launch is best divided between several devices: each is measured with its own
// best configuration at several sizes (curve.h), and the shares are those with which all end together.
#ifndef CT_TUNE_SPLIT_H
#define CT_TUNE_SPLIT_H

#include "schedule/measure.h"
#include "tune/curve.h"
#include "tune/observer.h"
#include "tune/options.h"

#include "plan/binding.h"

/* What is divided. */
struct ct_split_task {
    const struct ct_spec *spec;
    const struct ct_setting *problem; /* of -p; borrowed */
    size_t problem_count;
    const char *by; /* the size that divides the work */
    bool guessed;   /* it was not named */
    int64_t total;  /* its value */
    int64_t grain;  /* shares are multiples of it */
};

struct ct_split_device {
    const struct ct_devinfo *device; /* borrowed */
    struct ct_setting *config;       /* its best */
    size_t config_count;
    const char *words; /* "WG=16 VEC=4" */
    bool searched;     /* now, for lack of a stored best */
    struct ct_runner *runner;
    struct ct_curve curve;     /* of the launches alone */
    struct ct_curve transfers; /* with the inputs' and outputs' transfers */
};

/* One of the two answers. */
struct ct_split_answer {
    bool known;
    int64_t *sizes; /* one for each device */
    struct ct_curve_division division;
};

/* Zeros: not opened. */
struct ct_split {
    const struct ct_tune_options *options;
    const struct ct_observer *observer;
    struct ct_split_task task;
    bool with_transfers;
    bool without_transfers;
    struct ct_arena arena;
    struct ct_split_device *devices;
    size_t count;
    struct ct_split_answer alone;     /* the launches alone */
    struct ct_split_answer transfers; /* with transfers */
};

/* Prepares: finds the size (task.by NULL: the one of the outermost dimension of the launch), and checks
 * that the launch depends on it.  Options, observer, devices (NULL-terminated) and what the task borrows
 * must outlive the split.  CT_E_USAGE: there is no such size, or it is no whole number above 1;
 * CT_E_SPEC: no launch depends on it, or a configuration cannot be planned.  Must always be released. */
enum ct_status ct_split_init(struct ct_split *split,
                             const struct ct_tune_options *options,
                             const struct ct_observer *observer,
                             const struct ct_split_task *task,
                             const struct ct_devinfo *const *devices, struct ct_err *err);
void ct_split_release(struct ct_split *split);

/* Finds the best of each device in the database, or by a search within the options' budget, whose
 * results are stored.  CT_E_NOT_FOUND: a device has none and there is no budget; errors as for
 * ct_search_run. */
enum ct_status ct_split_find_bests(struct ct_split *split, struct ct_err *err);

/* Measures and divides: three sizes of each device, then the shares that follow, until these are
 * known.  CT_E_SPEC: no division suits the constraints of all bests; CT_E_NOT_FOUND: a device's best does
 * not work at any of the sizes; errors as for ct_runner_evaluate. */
enum ct_status ct_split_measure(struct ct_split *split, struct ct_err *err);

#endif
