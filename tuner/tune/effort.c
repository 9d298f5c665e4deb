// SPDX-License-Identifier: Apache-2.0
// From a level of effort to options.
#include "tune/effort.h"

#include <math.h>
#include <string.h>

/* Whether the user has set what ends the search. */
static bool has_budget(const struct ct_budget_options *budget)
{
    return budget->evaluations || budget->seconds > 0 || budget->target ||
           budget->no_progress || budget->fraction > 0 || budget->until_chance > 0;
}

/* The smaller of two limits, of which 0 is none. */
static double lesser(double limit, double other)
{
    return limit > 0 ? fmin(limit, other) : other;
}

static void be_quick(const struct ct_spec *spec, struct ct_tune_options *options)
{
    struct ct_budget_options *budget = &options->budget;

    if (!has_budget(budget)) {
        budget->evaluations = (uint64_t)lesser((double)spec->measure.evaluations,
                                               CT_EFFORT_QUICK_EVALUATIONS);
        budget->seconds = lesser(spec->measure.duration_s, CT_EFFORT_QUICK_S);
    }
    if (!options->samples)
        options->samples = CT_EFFORT_QUICK_SAMPLES;
    if (!(budget->playoff > 0))
        options->rough = true;
}

static void be_thorough(const struct ct_spec *spec, struct ct_tune_options *options)
{
    struct ct_budget_options *budget = &options->budget;
    const double times = CT_EFFORT_THOROUGH_TIMES;

    if (!has_budget(budget)) {
        if (spec->measure.evaluations < UINT64_MAX / CT_EFFORT_THOROUGH_TIMES)
            budget->evaluations = spec->measure.evaluations * CT_EFFORT_THOROUGH_TIMES;
        budget->seconds = spec->measure.duration_s * times;
        if (spec->measure.no_progress < UINT64_MAX / CT_EFFORT_THOROUGH_TIMES)
            budget->no_progress = spec->measure.no_progress * CT_EFFORT_THOROUGH_TIMES;
        budget->fraction = fmin(spec->measure.fraction * times, 1);
        budget->until_chance = spec->measure.until_chance / times;
    }
    if (!options->samples)
        options->samples = CT_EFFORT_THOROUGH_SAMPLES;
    if (!(budget->playoff > 0) && !options->rough)
        budget->playoff = CT_EFFORT_THOROUGH_PLAYOFF;
}

enum ct_status ct_effort_apply(const char *name, const struct ct_spec *spec,
                               struct ct_tune_options *options, struct ct_err *err)
{
    options->effort = name;
    if (strcmp(name, "quick") == 0)
        be_quick(spec, options);
    else if (strcmp(name, "thorough") == 0)
        be_thorough(spec, options);
    else if (strcmp(name, "normal") != 0)
        return ct_err_set(err, CT_E_USAGE,
                          "--effort requires quick, normal or thorough, not '%s'", name);
    return CT_OK;
}
