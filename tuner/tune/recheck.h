// SPDX-License-Identifier: Apache-2.0
// A recheck: the stored best of one kernel and problem, measured against its runners-up on the
// device as it is now.
#ifndef CT_TUNE_RECHECK_H
#define CT_TUNE_RECHECK_H

#include "db/store.h"
#include "judge/playoff.h"
#include "tune/objective.h"
#include "tune/observer.h"
#include "tune/options.h"
#include "tune/store.h"
#include "tune/workload.h"

/* --- recheck_choice.c: what is stored, and which of it concerns this machine --- */

/* Zeros: nothing. */
struct ct_recheck_stock {
    struct ct_arena arena;
    struct ct_db_subject_best *listed;
    size_t count;
    const struct ct_devinfo **devices; /* of this machine, NULL at the end; borrowed */
};

/* Lists what the database at `path` (NULL: the default one) has for a query.  CT_E_NOT_FOUND,
 * CT_E_DB, CT_E_NOMEM. */
enum ct_status ct_recheck_list(const char *path, const cltunedb_query *query,
                               struct ct_recheck_stock *stock, struct ct_err *err);

/* This machine's device for stored entry `index`, if that is the one to recheck among all with
 * the same question: the current source, the present driver, the latest measurement.  NULL: it is
 * not. */
const struct ct_devinfo *ct_recheck_device(const struct ct_recheck_stock *stock,
                                           size_t index);

/* The error if nothing is to be rechecked: CT_E_NOT_FOUND if the user has named a device, else
 * CT_E_NO_DEVICE. */
enum ct_status ct_recheck_nothing(const struct ct_recheck_stock *stock, bool named,
                                  struct ct_err *err);
void ct_recheck_stock_release(struct ct_recheck_stock *stock);

/* A stored problem or configuration (a JSON object) as settings for a binding, owned by `arena`. */
enum ct_status ct_recheck_settings(const char *json, struct ct_arena *arena,
                                   struct ct_setting **out, size_t *count,
                                   struct ct_err *err);

/* --- recheck.c --- */

/* A stored configuration that is measured again. */
struct ct_rechecked {
    const struct ct_db_result *then; /* as stored */
    struct ct_value *values;         /* param_count of them */
    struct ct_plan plan;
    struct ct_hash experiment; /* as planned today */
    /* Observed besides the times. */
    bool verified;
    bool wall_clock;
    uint64_t binary_bytes;
};

enum ct_recheck_verdict {
    CT_RECHECK_HOLDS,  /* the stored pick won, or is statistically tied with the winner */
    CT_RECHECK_BEATEN, /* another one is significantly better */
    CT_RECHECK_FAILED, /* the pick does not work now */
};

struct ct_recheck {
    const struct ct_tune_options *options;
    const struct ct_observer *observer;
    const struct ct_db_subject_best *subject;
    struct ct_workload work;
    struct ct_objective objective;
    struct ct_store store;
    struct ct_arena arena;
    size_t count;
    struct ct_rechecked *ones;   /* the stored pick first */
    struct ct_entrant *entrants; /* one for each */
    struct ct_playoff playoff;
    bool played;
    const char *refused; /* why the pick cannot be planned; NULL: it can be */
    enum ct_recheck_verdict verdict;
};

/* Measures a subject's best against up to `runners_up` (0: five) others on `device`, as it is
 * now, and stores the results.  The subject's objective replaces options->objective.  Options,
 * observer, subject, spec and device are borrowed until ct_recheck_release; the binding is taken
 * over, also on failure.  Errors as for ct_scheduler_wait and the database; CT_E_SPEC if the
 * stored pick cannot be compared. */
enum ct_status ct_recheck_run(struct ct_recheck *recheck,
                              const struct ct_tune_options *options,
                              const struct ct_observer *observer,
                              const struct ct_db_subject_best *subject,
                              const struct ct_devinfo *device, const struct ct_spec *spec,
                              struct ct_binding *binding, size_t runners_up,
                              struct ct_err *err);
void ct_recheck_release(struct ct_recheck *recheck);

/* Stores results and ranking under the device's present driver. */
enum ct_status ct_recheck_store(struct ct_recheck *recheck, struct ct_err *err);

#endif
