// SPDX-License-Identifier: Apache-2.0
// A Gaussian process in place of results that are missing.
#include "tune/importance_impl.h"

#include "base/mem.h"
#include "search/surrogate/gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRAINING_MOST = 300, /* results that the regression sees */
    FIT_STEPS = 30,
    SAMPLES = 1500, /* configurations for effects */
    BASES = 250,    /* of these, how many are varied in each factor */
    SWEEPS = 2,
};

struct model {
    const struct ct_factors *factors;
    struct ct_gp_param *params;
    struct ct_gp *gp;
    bool *together; /* by two levels: whether a result has both */
};

/* --- the regression --- */

static bool train(struct model *model, struct ct_rng *rng, double *explained)
{
    const struct ct_factors *factors = model->factors;
    size_t room = factors->rows < TRAINING_MOST ? factors->rows : TRAINING_MOST;
    double *mean = ct_mem_array(room, sizeof(*mean));
    double *variance = ct_mem_array(room, sizeof(*variance));
    struct ct_rows rows = {.factors = factors, .count = room};
    double squares = 0;
    bool enough = mean && variance;

    model->gp = ct_gp_new(model->params, factors->count, room);
    enough = enough && model->gp;
    /* Without replacement: each with the chance that the rest needs (Knuth, algorithm S). */
    for (size_t i = 0; enough && i < factors->rows && model->gp->count < room; i++)
        if (ct_rng_below(rng, factors->rows - i) < room - model->gp->count)
            ct_gp_add(model->gp, factors->codes + i * factors->count, factors->y[i]);
    enough = enough && ct_gp_fit(model->gp, FIT_STEPS, true) &&
             ct_gp_left_out(model->gp, mean, variance);
    if (enough) {
        rows.y = model->gp->y;
        for (size_t i = 0; i < room; i++)
            squares += (rows.y[i] - mean[i]) * (rows.y[i] - mean[i]) / (double)room;
        *explained = fmax(0, 1 - squares / ct_rows_variance(&rows));
    }
    free(mean);
    free(variance);
    return enough;
}

/* --- configurations that are plausible --- */

static void note_pairs(const struct model *model)
{
    const struct ct_factors *factors = model->factors;

    for (size_t i = 0; i < factors->rows; i++) {
        const uint16_t *codes = factors->codes + i * factors->count;

        for (size_t a = 0; a < factors->count; a++)
            for (size_t b = 0; b < factors->count; b++)
                model->together[(factors->items[a].first + codes[a]) * factors->levels +
                                factors->items[b].first + codes[b]] = true;
    }
}

/* Whether the level of a factor has occurred with each of the others of `codes`. */
static bool is_plausible(const struct model *model, const uint16_t *codes, size_t factor,
                         size_t level)
{
    const struct ct_factors *factors = model->factors;
    const bool *with =
        model->together + (factors->items[factor].first + level) * factors->levels;

    for (size_t f = 0; f < factors->count; f++)
        if (f != factor && !with[factors->items[f].first + codes[f]])
            return false;
    return true;
}

/* The plausible levels of a factor; at least its own if `codes` is plausible. */
static size_t plausible(const struct model *model, const uint16_t *codes, size_t factor,
                        uint16_t *levels)
{
    size_t count = 0;

    for (size_t v = 0; v < model->factors->items[factor].count; v++)
        if (is_plausible(model, codes, factor, v))
            levels[count++] = (uint16_t)v;
    return count;
}

/* Gibbs sampling from results: what a strategy preferred is forgotten as far as they reach. */
static void sample(const struct model *model, struct ct_rng *rng, uint16_t *codes)
{
    const struct ct_factors *factors = model->factors;

    for (size_t i = 0; i < SAMPLES; i++) {
        uint16_t *own = codes + i * factors->count;

        memcpy(own, factors->codes + ct_rng_below(rng, factors->rows) * factors->count,
               factors->count * sizeof(*own));
        for (size_t sweep = 0; sweep < SWEEPS; sweep++)
            for (size_t f = 0; f < factors->count; f++) {
                uint16_t levels[CT_FACTOR_LEVELS];
                size_t count = plausible(model, own, f, levels);

                own[f] = levels[ct_rng_below(rng, count)];
            }
    }
}

static bool predict(const struct model *model, const uint16_t *codes, size_t count,
                    double *y)
{
    float *mean = ct_mem_array(count, sizeof(*mean));
    float *variance = ct_mem_array(count, sizeof(*variance));
    bool enough = mean && variance && ct_gp_scan(model->gp, codes, count, mean, variance);

    for (size_t i = 0; i < count && enough; i++)
        y[i] = (double)mean[i];
    free(mean);
    free(variance);
    return enough;
}

/* --- total effects --- */

/* Varies the first samples in one factor; the mean of the variance, NAN if nothing can vary. */
static bool vary(const struct model *model, const struct ct_reference *reference,
                 size_t factor, uint16_t *codes, double *y, double *total)
{
    size_t width = model->factors->count;
    size_t sizes[BASES];
    size_t count = 0;
    double sum = 0;

    for (size_t b = 0; b < BASES; b++) {
        uint16_t levels[CT_FACTOR_LEVELS];

        sizes[b] = plausible(model, reference->codes + b * width, factor, levels);
        for (size_t v = 0; v < sizes[b]; v++, count++) {
            memcpy(codes + count * width, reference->codes + b * width,
                   width * sizeof(*codes));
            codes[count * width + factor] = levels[v];
        }
    }
    if (!predict(model, codes, count, y))
        return false;
    for (size_t b = 0, at = 0; b < BASES; at += sizes[b++]) {
        struct ct_rows group = {.y = y + at, .count = sizes[b]};

        sum += ct_rows_variance(&group);
    }
    *total = count > BASES ? sum / BASES : NAN;
    return true;
}

static bool vary_all(const struct model *model, struct ct_reference *reference)
{
    const size_t most = (size_t)BASES * CT_FACTOR_LEVELS;
    uint16_t *codes = ct_mem_array(most * model->factors->count, sizeof(*codes));
    double *y = ct_mem_array(most, sizeof(*y));
    bool enough = codes && y;

    for (size_t f = 0; f < model->factors->count && enough; f++)
        enough = vary(model, reference, f, codes, y, &reference->total[f]);
    free(codes);
    free(y);
    return enough;
}

/* --- interface --- */

static bool model_init(struct model *model)
{
    const struct ct_factors *factors = model->factors;

    model->params = ct_mem_array(factors->count, sizeof(*model->params));
    model->together =
        ct_mem_array(factors->levels * factors->levels, sizeof(*model->together));
    if (!model->params || !model->together)
        return false;
    for (size_t f = 0; f < factors->count; f++)
        model->params[f] = (struct ct_gp_param){
            .count = factors->items[f].count,
            .position = factors->items[f].ordered ? factors->items[f].position : NULL};
    note_pairs(model);
    return true;
}

bool ct_reference_init(struct ct_reference *reference, const struct ct_factors *factors,
                       struct ct_rng *rng)
{
    struct model model = {.factors = factors};
    bool enough = model_init(&model);

    reference->count = SAMPLES;
    reference->codes = ct_mem_array(SAMPLES * factors->count, sizeof(*reference->codes));
    reference->y = ct_mem_array(SAMPLES, sizeof(*reference->y));
    reference->total = ct_mem_array(factors->count, sizeof(*reference->total));
    enough = enough && reference->codes && reference->y && reference->total &&
             train(&model, rng, &reference->explained);
    if (enough) {
        sample(&model, rng, reference->codes);
        enough = predict(&model, reference->codes, SAMPLES, reference->y) &&
                 vary_all(&model, reference);
    }
    ct_gp_free(model.gp);
    free(model.params);
    free(model.together);
    return enough;
}

void ct_reference_release(struct ct_reference *reference)
{
    free(reference->codes);
    free(reference->y);
    free(reference->total);
    *reference = (struct ct_reference){0};
}
