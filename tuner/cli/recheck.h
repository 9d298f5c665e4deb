// SPDX-License-Identifier: Apache-2.0
// What the files of `cltune recheck` know of each other.
#ifndef CT_CLI_RECHECK_H
#define CT_CLI_RECHECK_H

#include "cli/search.h"
#include "judge/playoff.h"

#include <jansson.h>

enum { CT_RECHECK_AGAINST = 5 }; /* runners-up without --runners-up */

/* A stored configuration that is measured again. */
struct ct_rechecked {
    const struct ct_db_result *then; /* as it is stored */
    struct ct_value *values;         /* param_count of them */
    struct ct_plan plan;
    struct ct_hash experiment; /* as it is today */
    /* What the processes told beside the times. */
    bool verified;
    bool wall_clock;
    uint64_t binary_bytes;
};

enum ct_recheck_verdict {
    CT_RECHECK_HOLDS,  /* the stored pick won, or is tied with the winner */
    CT_RECHECK_BEATEN, /* another one is better, beyond doubt */
    CT_RECHECK_FAILED, /* the pick does not work now */
};

/* The recheck of one subject. */
struct ct_recheck {
    const struct ct_db_subject_best *subject;
    struct ct_options options; /* the command line's, with the subject's objective */
    struct ct_spec *spec;
    struct ct_search search; /* what is shared with searches: binding, plans, storing */
    struct ct_arena arena;
    size_t count;
    struct ct_rechecked *ones;   /* the stored pick first */
    struct ct_entrant *entrants; /* one each */
    struct ct_playoff playoff;
    bool played;
    const char *refused; /* why the pick cannot be planned; NULL: it can */
    enum ct_recheck_verdict verdict;
};

/* --- recheck_run.c --- */

/* Measures a subject's best ones on `device`, as it is now, and stores what came of it.
 * CT_E_SPEC and CT_E_USAGE after a message of their own (err->code is CT_OK then); errors
 * as those of ct_scheduler_wait and the database. */
enum ct_status ct_recheck_run(struct ct_recheck *recheck,
                              const struct ct_options *options,
                              const struct ct_db_subject_best *subject,
                              const struct ct_devinfo *device, struct ct_err *err);

void ct_recheck_release(struct ct_recheck *recheck);

/* Stores results and standings under the device's present driver. */
enum ct_status ct_recheck_store(struct ct_recheck *recheck, struct ct_err *err);

/* --- recheck_print.c --- */

/* On standard output, for people. */
void ct_recheck_print(struct ct_recheck *recheck);

/* The same as an object. */
json_t *ct_recheck_json(struct ct_recheck *recheck);

#endif
