// SPDX-License-Identifier: Apache-2.0
// Compares configurations over fresh processes, relative to the first one.  Nothing is stored.
#ifndef CT_TUNE_COMPARE_H
#define CT_TUNE_COMPARE_H

#include "base/stats.h"
#include "tune/observer.h"
#include "tune/options.h"
#include "tune/workload.h"

struct ct_rival {
    struct ct_value *values;
    struct ct_plan plan;
    double *times_ns; /* one per round */
    size_t count;     /* rounds in which it worked: all, or those before it failed */
    struct ct_range time;
    struct ct_range ratio; /* to the first one */
    enum ct_result_status status;
    const char *message;
};

struct ct_compare {
    const struct ct_tune_options *options;
    const struct ct_observer *observer;
    struct ct_workload work;
    struct ct_arena arena;
    struct ct_rival *rivals;
    size_t count;
    size_t rounds;
};

/* Allocates space for so many configurations and rounds (0: ten; at
 * least six, else CT_E_USAGE).  Options, observer, device and
 * spec are borrowed; the binding is taken over, also on failure.  Must always be released. */
enum ct_status ct_compare_init(struct ct_compare *compare,
                               const struct ct_tune_options *options,
                               const struct ct_observer *observer,
                               const struct ct_devinfo *device,
                               const struct ct_spec *spec, struct ct_binding *binding,
                               size_t count, size_t rounds, struct ct_err *err);
void ct_compare_release(struct ct_compare *compare);

/* Configuration number `index`: parameters that are not named have their defaults.  CT_E_USAGE,
 * CT_E_SPEC, CT_E_NOMEM. */
enum ct_status ct_compare_choose(struct ct_compare *compare, size_t index,
                                 const struct ct_setting *settings, size_t setting_count,
                                 struct ct_err *err);

/* Times all of them, round by round.  Errors as for ct_scheduler_wait. */
enum ct_status ct_compare_run(struct ct_compare *compare, struct ct_err *err);

#endif
