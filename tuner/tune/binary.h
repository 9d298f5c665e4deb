// SPDX-License-Identifier: Apache-2.0
// The program binary of a stored best, built anew on the device that it was measured on: a search
// keeps no binaries but those in the cache, which is trimmed.
#ifndef CT_TUNE_BINARY_H
#define CT_TUNE_BINARY_H

#include "db/cltunedb.h"
#include "protocol/build.h"
#include "schedule/measure.h"
#include "tune/options.h"
#include "tune/workload.h"

#include <stdbool.h>

/* Which result is exported, and on which device it is built. */
struct ct_binary_choice {
    const cltunedb_answer *answer;
    const struct ct_devinfo *device;
    cltunedb_answers *own; /* holds `answer` if it was asked for again; may be NULL */
};

/* The only one of `answers` (from the database at `db_path`, NULL: the default) whose device is among `devices` (NULL at the end), measured with its present driver.  CT_E_NO_DEVICE
 * if none is here; CT_E_USAGE if several are; CT_E_NOT_FOUND if the device, its driver or the
 * queried problem was not measured; CT_E_DB.  The choice must always be released. */
enum ct_status ct_binary_choose(const char *db_path, const cltunedb_answers *answers,
                                const struct ct_devinfo **devices,
                                struct ct_binary_choice *out, struct ct_err *err);
void ct_binary_choice_release(struct ct_binary_choice *choice);

struct ct_binary {
    const cltunedb_answer *answer; /* borrowed */
    struct ct_workload work;
    struct ct_arena arena;
    struct ct_plan plan;
    struct ct_runner *runner; /* holds the bytes of `built` */
    struct ct_outcome outcome;
    bool measured;         /* the outcome is to be released */
    struct ct_built built; /* as many programs as the plan, each with a binary */
};

/* Plans the answer's configuration with its space file as it is now, makes sure that this is the
 * experiment that was measured, and builds its programs in a worker.  The binding (to the answer's
 * problem) is taken over, also on failure; all else is borrowed.  CT_E_NOT_FOUND if it is another
 * experiment; CT_E_DEVICE if it does not build or the driver gives no binary; errors as for
 * ct_binding_plan and ct_runner_build.  Must always be released. */
enum ct_status ct_binary_build(struct ct_binary *binary,
                               const struct ct_tune_options *options,
                               const struct ct_binary_choice *choice,
                               const struct ct_spec *spec, struct ct_binding *binding,
                               struct ct_err *err);
void ct_binary_release(struct ct_binary *binary);

#endif
