// SPDX-License-Identifier: Apache-2.0
// The probability that a configuration works: that it builds, that its launches are accepted, and
// that its outputs are right.
#include "search/surrogate/surrogate.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 10, /* of a fit of margins */
    /* Margins in the regression, and how many of the latest are kept when it is full: they are a
     * smooth function of the parameters, of which more would take time and teach little. */
    MARGINS = 128,
    MARGINS_KEPT = 64,
};

bool ct_surrogate_works_init(struct ct_surrogate_works *works)
{
    bool enough = true;

    for (int s = 0; s < CT_SURROGATE_STAGES; s++) {
        struct ct_surrogate_failures *stage = &works->stages[s];

        stage->failed = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*stage->failed));
        stage->reached = ct_mem_array(CT_SURROGATE_ROOM, sizeof(*stage->reached));
        enough = enough && stage->failed && stage->reached;
    }
    return enough;
}

static void stages_release(struct ct_surrogate_failures stages[CT_SURROGATE_STAGES])
{
    for (int s = 0; s < CT_SURROGATE_STAGES; s++) {
        free(stages[s].failed);
        free(stages[s].reached);
        free(stages[s].failed_sums);
        free(stages[s].reached_sums);
    }
}

void ct_surrogate_works_release(struct ct_surrogate_works *works)
{
    ct_gp_panel_release(&works->panel);
    ct_gp_free(works->gp);
    stages_release(works->stages);
    free(works->told);
    free(works->codes);
}

void ct_surrogate_works_forget(struct ct_surrogate_works *works)
{
    works->rows = 0;
}

/* Whether a sample was refused for a reason that its margin shows. */
static bool is_refused(const struct ct_surrogate_sample *sample)
{
    return sample->margin < 0 && sample->stage == CT_SURROGATE_LAUNCH;
}

/* --- margins --- */

bool ct_surrogate_works_note(struct ct_surrogate *self, size_t s)
{
    struct ct_surrogate_works *works = &self->works;
    const struct ct_surrogate_sample *sample = &self->data.samples[s];

    if (isnan(sample->margin))
        return true;
    if (!ct_mem_grow(&works->told, &works->told_room, works->told_count + 1,
                     sizeof(*works->told)))
        return false;
    works->told[works->told_count++] = s;
    works->refused_count += is_refused(sample);
    return true;
}

/* Adds margins that are not in the regression yet; a full one begins again with the latest. */
static void enter_margins(struct ct_surrogate *self)
{
    struct ct_surrogate_works *works = &self->works;

    while (works->entered < works->told_count) {
        const struct ct_surrogate_sample *sample;

        if (works->gp->count == MARGINS) {
            works->entered -= MARGINS_KEPT;
            ct_gp_clear(works->gp);
            ct_gp_panel_release(&works->panel);
        }
        sample = &self->data.samples[works->told[works->entered++]];
        ct_features_codes(&self->features, sample->index, self->codes);
        ct_gp_add(works->gp, self->codes, sample->margin);
    }
}

bool ct_surrogate_works_set(struct ct_surrogate *self, const uint16_t *codes,
                            size_t count)
{
    struct ct_surrogate_works *works = &self->works;
    size_t size = count * self->features.count;

    ct_gp_panel_release(&works->panel);
    free(works->codes);
    works->codes = ct_mem_array(size, sizeof(*works->codes));
    works->count = count;
    if (works->codes && size)
        memcpy(works->codes, codes, size * sizeof(*codes));
    return works->codes != NULL;
}

bool ct_surrogate_works_fit(struct ct_surrogate *self)
{
    struct ct_surrogate_works *works = &self->works;

    if (!works->refused_count)
        return true;
    if (!works->gp)
        works->gp = ct_gp_new(self->features.params, self->features.count, MARGINS);
    if (!works->gp)
        return false;
    enter_margins(self);
    return ct_gp_fit(works->gp, STEPS, false) &&
           (!works->panel.count || ct_gp_panel_renew(&works->panel));
}

static bool follow_margins(struct ct_surrogate *self)
{
    struct ct_surrogate_works *works = &self->works;

    enter_margins(self);
    if (!works->panel.count)
        return ct_gp_panel_set(&works->panel, works->gp, works->codes, works->count);
    return ct_gp_panel_follow(&works->panel);
}

/* --- failures --- */

/* Starts the sums without observations. */
static bool restart(struct ct_surrogate *self)
{
    size_t stride = self->pool.panel.stride;

    for (int s = 0; s < CT_SURROGATE_STAGES; s++) {
        struct ct_surrogate_failures *stage = &self->works.stages[s];

        free(stage->failed_sums);
        free(stage->reached_sums);
        stage->failed_sums = ct_mem_array(stride, sizeof(*stage->failed_sums));
        stage->reached_sums = ct_mem_array(stride, sizeof(*stage->reached_sums));
        stage->reached_count = stage->failed_count = 0;
        if (!stage->failed_sums || !stage->reached_sums)
            return false;
    }
    return true;
}

/* Counts what the observations from number `from` on say of a stage, and sets their indicators. */
static void note_stage(const struct ct_surrogate *self, int number, size_t from,
                       struct ct_surrogate_failures *stage)
{
    for (size_t i = from; i < self->gp->count; i++) {
        const struct ct_surrogate_sample *sample = &self->data.samples[self->fit.rows[i]];
        bool reached = sample->has_result && (int)sample->stage >= number;
        bool failed = reached && (int)sample->stage == number && !is_refused(sample);

        stage->reached[i] = reached;
        stage->failed[i] = failed;
        stage->reached_count += reached;
        stage->failed_count += failed;
    }
}

static void follow_stage(struct ct_surrogate *self, int number, size_t from)
{
    struct ct_surrogate_failures *stage = &self->works.stages[number];

    note_stage(self, number, from, stage);
    ct_gp_whiten(self->gp, from, stage->failed, stage->failed);
    ct_gp_whiten(self->gp, from, stage->reached, stage->reached);
    ct_gp_panel_sum(&self->pool.panel, from, stage->failed, stage->failed_sums);
    ct_gp_panel_sum(&self->pool.panel, from, stage->reached, stage->reached_sums);
}

bool ct_surrogate_works_follow(struct ct_surrogate *self)
{
    struct ct_surrogate_works *works = &self->works;

    if (!works->rows && !restart(self))
        return false;
    for (int s = 0; s < CT_SURROGATE_STAGES; s++)
        follow_stage(self, s, works->rows);
    works->rows = self->gp->count;
    return !works->gp || follow_margins(self);
}

/* The probability that a configuration does not fail at a stage that it reaches, and at which something
 * has failed, from the regressions' sums at it. */
static double chance_to_pass(const struct ct_surrogate_failures *stage, double failed,
                             double reached)
{
    const double least = 0.01; /* never excluded: a regression is no proof */
    double share;
    double works;

    /* One failure and one success more, so that the first results do not decide. */
    share = ((double)stage->failed_count + 1) / ((double)stage->reached_count + 2);
    works = 1 - share - failed + share * reached;
    return works < least ? least : works < 1 ? works : 1;
}

/* A linear model stays between the share and the truth, while failures have sharp borders. */
static double sharpen(double works)
{
    double square = works * works;

    return square * square;
}

/* The probability that the driver accepts a margin, predicted with this mean and variance. */
static double accepted(double mean, double variance)
{
    const double least = 1e-3;
    double works = erfc(-(mean + 0.01) / sqrt(variance + 1e-4) / sqrt(2)) / 2;

    return works > least ? works : least;
}

/* The same of a configuration's margin. */
static double admitted(const struct ct_surrogate *self, double mean, double variance)
{
    double noise = self->works.gp->hyper.noise * self->works.gp->scale;

    return accepted(mean, variance + noise);
}

/* How certainly what has the sums number `c` passes all stages. */
static double certain_to_pass(const struct ct_surrogate_failures *stages, size_t c)
{
    double certain = 1;

    for (int s = 0; s < CT_SURROGATE_STAGES; s++)
        if (stages[s].failed_count)
            certain *= chance_to_pass(&stages[s], (double)stages[s].failed_sums[c],
                                      (double)stages[s].reached_sums[c]);
    return sharpen(certain);
}

double ct_surrogate_chance_to_work(const struct ct_surrogate *self, size_t c)
{
    const struct ct_surrogate_works *works = &self->works;
    double certain = certain_to_pass(works->stages, c);

    if (works->panel.count) {
        double mean;
        double variance;

        ct_gp_panel_at(&works->panel, c, &mean, &variance);
        certain *= admitted(self, mean, variance);
    }
    return certain;
}

/* Multiplies chances by those to pass a stage. */
static void pass_at(const struct ct_surrogate_failures *stage, const float *white,
                    size_t rows, double *chances)
{
    double failed[CT_GP_TOGETHER];
    double reached[CT_GP_TOGETHER];

    if (!stage->failed_count)
        return;
    ct_gp_predict_others(white, stage->failed, rows, failed);
    ct_gp_predict_others(white, stage->reached, rows, reached);
    for (size_t c = 0; c < CT_GP_TOGETHER; c++)
        chances[c] *= chance_to_pass(stage, failed[c], reached[c]);
}

void ct_surrogate_works_at(const struct ct_surrogate *self, const uint16_t *codes,
                           size_t count, float *white, double *out)
{
    const struct ct_surrogate_works *works = &self->works;
    double mean[CT_GP_TOGETHER];
    double variance[CT_GP_TOGETHER];

    for (size_t c = 0; c < CT_GP_TOGETHER; c++)
        out[c] = 1;
    for (int s = 0; s < CT_SURROGATE_STAGES; s++)
        pass_at(&works->stages[s], white, works->rows, out);
    for (size_t c = 0; c < count; c++)
        out[c] = sharpen(out[c]);
    if (!works->panel.count)
        return;
    ct_gp_predict(works->gp, codes, count, white, mean, variance);
    for (size_t c = 0; c < count; c++)
        out[c] *= admitted(self, mean[c], variance[c]);
}

/* Sums of those stages at which something has failed, for `count` configurations at once. */
static bool scan_stages(const struct ct_surrogate *self, const uint16_t *codes,
                        size_t count,
                        struct ct_surrogate_failures stages[CT_SURROGATE_STAGES])
{
    double *indicators[2 * CT_SURROGATE_STAGES];
    float *sums[2 * CT_SURROGATE_STAGES];
    size_t used = 0;

    for (int s = 0; s < CT_SURROGATE_STAGES; s++) {
        struct ct_surrogate_failures *stage = &stages[s];

        stage->failed = ct_mem_array(self->gp->count, sizeof(*stage->failed));
        stage->reached = ct_mem_array(self->gp->count, sizeof(*stage->reached));
        if (!stage->failed || !stage->reached)
            return false;
        note_stage(self, s, 0, stage);
        if (!stage->failed_count)
            continue;
        stage->failed_sums = ct_mem_array(count, sizeof(*stage->failed_sums));
        stage->reached_sums = ct_mem_array(count, sizeof(*stage->reached_sums));
        if (!stage->failed_sums || !stage->reached_sums)
            return false;
        indicators[used] = stage->failed;
        sums[used++] = stage->failed_sums;
        indicators[used] = stage->reached;
        sums[used++] = stage->reached_sums;
    }
    return !used || ct_gp_scan_others(self->gp, codes, count, indicators, used, sums);
}

/* Multiplies chances by those that the driver accepts the margins. */
static bool scan_margins(const struct ct_surrogate *self, const uint16_t *codes,
                         size_t count, float *chances)
{
    const struct ct_surrogate_works *works = &self->works;
    float *mean;
    float *variance;
    bool enough;

    if (!works->gp || !works->gp->count)
        return true;
    mean = ct_mem_array(count, sizeof(*mean));
    variance = ct_mem_array(count, sizeof(*variance));
    enough = mean && variance && ct_gp_scan(works->gp, codes, count, mean, variance);
    for (size_t c = 0; c < count && enough; c++)
        chances[c] *= (float)admitted(self, (double)mean[c], (double)variance[c]);
    free(mean);
    free(variance);
    return enough;
}

bool ct_surrogate_works_scan(const struct ct_surrogate *self, const uint16_t *codes,
                             size_t count, float *chances)
{
    struct ct_surrogate_failures stages[CT_SURROGATE_STAGES] = {0};
    bool enough = scan_stages(self, codes, count, stages);

    for (size_t c = 0; c < count && enough; c++)
        chances[c] = (float)certain_to_pass(stages, c);
    stages_release(stages);
    return enough && scan_margins(self, codes, count, chances);
}
