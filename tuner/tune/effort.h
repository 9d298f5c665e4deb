// SPDX-License-Identifier: Apache-2.0
// Levels of effort: names for budgets, numbers of samples and shares of the play-off.
#ifndef CT_TUNE_EFFORT_H
#define CT_TUNE_EFFORT_H

#include "base/err.h"
#include "spacefile/spec.h"
#include "tune/options.h"

/* What the levels stand for (doc/using.md). */
enum {
    CT_EFFORT_QUICK_EVALUATIONS = 50,
    CT_EFFORT_QUICK_S = 60,
    CT_EFFORT_QUICK_SAMPLES = 5,
    CT_EFFORT_THOROUGH_TIMES = 4, /* the space file's budgets */
    CT_EFFORT_THOROUGH_SAMPLES = 30,
};
#define CT_EFFORT_THOROUGH_PLAYOFF 0.5 /* of the search, at most */

/* Completes options by a level ("quick", "normal" or "thorough", borrowed): what they have already
 * stays.  A budget of theirs replaces that of the level, a share of the play-off makes a quick
 * search one with a play-off.  The level replaces the space file's budgets and samples.
 * CT_E_USAGE: unknown. */
enum ct_status ct_effort_apply(const char *name, const struct ct_spec *spec,
                               struct ct_tune_options *options, struct ct_err *err);

#endif
