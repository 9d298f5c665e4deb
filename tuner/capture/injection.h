// SPDX-License-Identifier: Apache-2.0
// What the database knows about a launch of a program: the configuration to use instead.
#ifndef CT_CAPTURE_INJECTION_H
#define CT_CAPTURE_INJECTION_H

#include "base/err.h"
#include "base/mem.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A launch; unknown texts are "". */
struct ct_injection_question {
    struct ct_arena arena; /* holds the texts */
    const char *kernel;    /* NAME@HASH (capture/experiment.h) */
    const char *device_name;
    const char *device_vendor;
    const char *device_type;
    const char *driver_version;
    uint32_t compute_units;
    size_t dimensions;
    uint64_t sizes[3];      /* work-items */
    const char *experiment; /* of ct_injection_store_wrong */
};

void ct_injection_question_init(struct ct_injection_question *question);

/* A configuration; what it points to is in the question's arena. */
struct ct_injection {
    const char *experiment;
    const char *text; /* "LOCAL_X=64 TILE=8" */
    bool has_local;
    uint64_t local[3]; /* all 0: the driver chooses */
    bool has_global;
    uint64_t global[3];
    size_t option_count;
    const char **options; /* words of build options */
    size_t macro_count;
    struct ct_plan_macro *macros;
    double time_ns;
    double default_time_ns;
    int evidence;    /* cltunedb_evidence */
    double distance; /* of the problem that was measured */
};

/* Looks up the best for the device and the nearest problem, as `cltune best` does.  Where the space
 * file that was searched is still there, work-group, global size, options and macros are computed
 * from it for this problem; else they are read off the configuration.  CT_E_NOT_FOUND: nothing is
 * known; CT_E_DB: the database cannot be used. */
enum ct_status ct_injection_find(struct ct_injection_question *question,
                                 struct ct_injection *out, struct ct_err *err);

/* Stores the result `experiment` of this very device as wrong; a failure is ignored, since the
 * program has said what it found. */
void ct_injection_store_wrong(struct ct_injection_question *question);

#endif
