// SPDX-License-Identifier: Apache-2.0
// What the results of a search allow to be said of its parameters.
#include "tune/importance_impl.h"

#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEED = 22,
    RESAMPLES = 100,       /* of the bootstrap */
    RESAMPLED_MOST = 2000, /* rows of each */
    SHUFFLES = 60,
    LEVEL_LEAST = 3, /* results of a level, of a part of the space */
};

/* What one analysis needs. */
struct analysis {
    const struct ct_importance_input *input;
    struct ct_importance *out;
    struct ct_factors factors;
    struct ct_reference reference; /* unless out->whole */
    struct ct_rng rng;
    double *effects;                    /* by level; of the results */
    double *rest;                       /* by row of the results or of the reference */
    double *scratch;                    /* likewise */
    struct ct_importance_param *params; /* by factor */
};

static struct ct_rows results_of(const struct analysis *a)
{
    return (struct ct_rows){.factors = &a->factors,
                            .codes = a->factors.codes,
                            .y = a->factors.y,
                            .count = a->factors.rows};
}

/* What shares are computed of. */
static struct ct_rows ground_of(const struct analysis *a)
{
    struct ct_rows rows = results_of(a);

    if (!a->out->whole) {
        rows.codes = a->reference.codes;
        rows.y = a->reference.y;
        rows.count = a->reference.count;
    }
    return rows;
}

static int compare_reals(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Relative differences up to this one are nothing. */
static double nothing(const struct analysis *a)
{
    return fmax(CT_IMPORTANCE_NOTHING, a->input->noise);
}

/* Effects of a few results of many levels are drawn towards 0. */
static double ridge(const struct analysis *a)
{
    return a->out->whole ? 0 : 0.5;
}

/* --- shares --- */

static bool find_shares(struct analysis *a)
{
    struct ct_rows ground = ground_of(a);
    double variance = ct_rows_variance(&ground);
    double scale = variance > 0 ? a->out->explained / variance : 0;

    ct_effects_fit(&ground, 0, a->effects, a->rest);
    for (size_t f = 0; f < a->factors.count; f++) {
        double total = NAN;

        if (a->out->whole) {
            struct ct_within within;

            if (!ct_effects_within(&ground, f, &within))
                return false;
            total = within.witnesses ? within.variance : NAN;
        } else {
            total = a->reference.total[f];
        }
        a->params[f].main =
            fmin(fmax(scale * ct_effects_covariance(&ground, a->effects, f), 0), 1);
        a->params[f].total =
            isnan(total) || !(variance > 0) ? NAN : fmin(total / variance, 1);
    }
    return true;
}

/* --- worth of values --- */

static void choose_levels(const struct analysis *a, size_t f, size_t *best,
                          size_t *versus)
{
    const struct ct_factor *factor = &a->factors.items[f];
    const double *effects = a->effects + factor->first;
    size_t counts[CT_FACTOR_LEVELS] = {0};
    size_t least = a->out->whole ? 1 : LEVEL_LEAST;
    size_t worst = SIZE_MAX;

    for (size_t i = 0; i < a->factors.rows; i++)
        counts[a->factors.codes[i * a->factors.count + f]]++;
    *best = SIZE_MAX;
    for (size_t v = 0; v < factor->count; v++) {
        if (counts[v] < least)
            continue;
        *best = *best == SIZE_MAX || effects[v] < effects[*best] ? v : *best;
        worst = worst == SIZE_MAX || effects[v] > effects[worst] ? v : worst;
    }
    *versus = worst;
    if (factor->standard != CT_FACTOR_NONE && factor->standard != *best &&
        counts[factor->standard] >= least)
        *versus = factor->standard;
}

/* Effects of rows drawn with replacement: `worth` gets the difference of each factor's two levels. */
static void resample(struct analysis *a, const size_t *best, const size_t *versus,
                     uint16_t *codes, double *y, size_t count, double *worth)
{
    struct ct_rows rows = {
        .factors = &a->factors, .codes = codes, .y = y, .count = count};

    for (size_t i = 0; i < count; i++) {
        size_t from = (size_t)ct_rng_below(&a->rng, a->factors.rows);

        memcpy(codes + i * a->factors.count, a->factors.codes + from * a->factors.count,
               a->factors.count * sizeof(*codes));
        y[i] = a->factors.y[from];
    }
    ct_effects_fit(&rows, ridge(a), a->scratch, a->rest);
    for (size_t f = 0; f < a->factors.count; f++) {
        const double *effects = a->scratch + a->factors.items[f].first;

        worth[f * RESAMPLES] =
            best[f] == versus[f] ? NAN : effects[versus[f]] - effects[best[f]];
    }
}

/* Whether a difference of effects is beyond chance, although its levels were chosen by their
 * effects, among those of all parameters (Bonferroni). */
static bool is_sure(const struct analysis *a, const struct ct_importance_param *param,
                    const double *worths)
{
    size_t pairs = param->versus_default ? param->levels - 1
                                         : param->levels * (param->levels - 1) / 2;
    double chance = 0.05 / (double)(pairs * a->factors.count);
    size_t rows = a->factors.rows < RESAMPLED_MOST ? a->factors.rows : RESAMPLED_MOST;
    size_t freedom = rows > a->factors.levels ? rows - a->factors.levels : 1;
    double mean = 0;
    double squares = 0;

    for (size_t r = 0; r < RESAMPLES; r++)
        mean += worths[r] / RESAMPLES;
    for (size_t r = 0; r < RESAMPLES; r++)
        squares += (worths[r] - mean) * (worths[r] - mean) / RESAMPLES;
    return log(param->worth) > sqrt(squares) * ct_stats_student_quantile(chance, freedom);
}

/* Completes a parameter with the levels and the interval of their difference. */
static void note_worth(struct analysis *a, size_t f, size_t best, size_t versus,
                       double *worths)
{
    const struct ct_factor *factor = &a->factors.items[f];
    struct ct_importance_param *param = &a->params[f];

    param->worth = param->low = param->high = NAN;
    if (best == versus)
        return;
    qsort(worths, RESAMPLES, sizeof(*worths), compare_reals);
    param->best = factor->levels[best];
    param->versus = factor->levels[versus];
    param->versus_default = versus == factor->standard;
    param->worth =
        exp(a->effects[factor->first + versus] - a->effects[factor->first + best]);
    param->low = exp(worths[RESAMPLES / 40]);
    param->high = exp(worths[RESAMPLES - 1 - RESAMPLES / 40]);
    param->matters = param->low > 1 + nothing(a) && param->worth > 1 + nothing(a) &&
                     is_sure(a, param, worths);
}

static bool find_worth(struct analysis *a)
{
    size_t width = a->factors.count;
    size_t count = a->factors.rows < RESAMPLED_MOST ? a->factors.rows : RESAMPLED_MOST;
    size_t *best = ct_mem_array(width, sizeof(*best));
    size_t *versus = ct_mem_array(width, sizeof(*versus));
    uint16_t *codes = ct_mem_array(count * width, sizeof(*codes));
    double *y = ct_mem_array(count, sizeof(*y));
    double *worths = ct_mem_array(width * RESAMPLES, sizeof(*worths));
    struct ct_rows rows = results_of(a);
    bool enough = best && versus && codes && y && worths;

    if (enough) {
        ct_effects_fit(&rows, ridge(a), a->effects, a->rest);
        for (size_t f = 0; f < width; f++)
            choose_levels(a, f, &best[f], &versus[f]);
        for (size_t r = 0; r < RESAMPLES; r++)
            resample(a, best, versus, codes, y, count, worths + r);
        for (size_t f = 0; f < width; f++)
            note_worth(a, f, best[f], versus[f], worths + f * RESAMPLES);
    }
    free(best);
    free(versus);
    free(codes);
    free(y);
    free(worths);
    return enough;
}

/* --- what makes no difference --- */

/* A search has its witnesses where it looked most: the model has to agree for the rest. */
static bool is_little(const struct analysis *a, const struct ct_importance_param *param)
{
    return a->out->whole || (a->out->explained >= CT_IMPORTANCE_EXPLAINED &&
                             param->total <= CT_IMPORTANCE_LITTLE);
}

static bool find_witnesses(struct analysis *a)
{
    struct ct_rows rows = results_of(a);

    for (size_t f = 0; f < a->factors.count; f++) {
        struct ct_importance_param *param = &a->params[f];
        struct ct_within within;

        if (!ct_effects_within(&rows, f, &within))
            return false;
        param->witnesses = within.witnesses;
        param->within = expm1(within.range);
        param->no_difference =
            within.witnesses >= CT_IMPORTANCE_WITNESSES && within.all_levels &&
            param->within <= fmin(nothing(a), CT_IMPORTANCE_VAGUE) && is_little(a, param);
        param->matters = param->matters && !param->no_difference;
    }
    return true;
}

/* --- pairs --- */

/* How many standard deviations the pair's variance is beyond that of shuffled residuals. */
static double surprise(struct analysis *a, const double *rest, size_t f, size_t g)
{
    struct ct_rows rows = results_of(a);
    double own = ct_effects_pair(&rows, rest, f, g);
    double sum = 0;
    double squares = 0;

    memcpy(a->scratch, rest, rows.count * sizeof(*rest));
    for (size_t s = 0; s < SHUFFLES; s++) {
        double chance;

        for (size_t i = rows.count; i > 1; i--) {
            size_t other = (size_t)ct_rng_below(&a->rng, i);
            double value = a->scratch[i - 1];

            a->scratch[i - 1] = a->scratch[other];
            a->scratch[other] = value;
        }
        chance = ct_effects_pair(&rows, a->scratch, f, g);
        sum += chance;
        squares += chance * chance;
    }
    sum /= SHUFFLES;
    squares = squares / SHUFFLES - sum * sum;
    return squares > 0 ? (own - sum) / sqrt(squares) : 0;
}

/* Whether the results show the pair by themselves: beyond chance, or, where each cell of a whole
 * space has one result and shuffling shows nothing, beyond the noise. */
static bool is_shown(struct analysis *a, size_t f, size_t g)
{
    struct ct_rows rows = results_of(a);

    ct_effects_fit(&rows, ridge(a), a->effects, a->rest);
    if (a->out->whole && a->input->noise > 0 &&
        sqrt(ct_effects_pair(&rows, a->rest, f, g)) > 3 * a->input->noise)
        return true;
    return surprise(a, a->rest, f, g) > CT_IMPORTANCE_SURE;
}

/* Keeps the strongest; `pairs` is sorted. */
static void keep_pair(struct ct_importance_pair *pairs, size_t (*factors)[2],
                      struct ct_importance_pair pair, size_t f, size_t g)
{
    size_t at = CT_IMPORTANCE_PAIRS;

    while (at > 0 && pairs[at - 1].share < pair.share)
        at--;
    for (size_t i = CT_IMPORTANCE_PAIRS; i-- > at + 1;) {
        pairs[i] = pairs[i - 1];
        memcpy(factors[i], factors[i - 1], sizeof(factors[i]));
    }
    if (at < CT_IMPORTANCE_PAIRS) {
        pairs[at] = pair;
        factors[at][0] = f;
        factors[at][1] = g;
    }
}

static void find_pairs(struct analysis *a)
{
    struct ct_rows ground = ground_of(a);
    double variance = ct_rows_variance(&ground);
    double scale = variance > 0 ? a->out->explained / variance : 0;
    struct ct_importance_pair pairs[CT_IMPORTANCE_PAIRS] = {0};
    size_t factors[CT_IMPORTANCE_PAIRS][2] = {{0}};

    if (!(variance > 0))
        return;
    ct_effects_fit(&ground, 0, a->effects, a->rest);
    for (size_t f = 0; f < a->factors.count; f++)
        for (size_t g = f + 1; g < a->factors.count; g++)
            keep_pair(pairs, factors,
                      (struct ct_importance_pair){
                          .names = {a->params[f].name, a->params[g].name},
                          .share = scale * ct_effects_pair(&ground, a->rest, f, g)},
                      f, g);
    for (size_t i = 0; i < CT_IMPORTANCE_PAIRS; i++)
        if (pairs[i].share >= CT_IMPORTANCE_PAIR &&
            is_shown(a, factors[i][0], factors[i][1]))
            a->out->pairs[a->out->pair_count++] = pairs[i];
}

/* --- conclusions --- */

/* What a parameter explains in all. */
static double weight_of(const struct ct_importance_param *param)
{
    return fmax(param->main, isnan(param->total) ? 0 : param->total);
}

static int compare_params(const void *a, const void *b)
{
    double left = weight_of(a);
    double right = weight_of(b);

    return (left < right) - (left > right);
}

/* The first parameters without which less than a tenth is left.  What the model does not predict
 * may be due to any of the others. */
static void count_deciding(struct ct_importance *out)
{
    double left = 1 - out->explained;

    out->deciding = 0;
    for (size_t p = out->param_count; p-- > 0;) {
        left += weight_of(&out->params[p]);
        if (left > 1 - CT_IMPORTANCE_DECIDING) {
            out->deciding = p + 1;
            return;
        }
    }
}

/* Cost of the 95th percentile relative to the least. */
static double spread_of(const struct analysis *a, double *sorted)
{
    size_t count = a->factors.rows;

    memcpy(sorted, a->factors.y, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_reals);
    return expm1(sorted[(count - 1) * 95 / 100] - sorted[0]);
}

static bool analyse(struct analysis *a)
{
    struct ct_importance *out = a->out;

    if (!out->whole && !ct_reference_init(&a->reference, &a->factors, &a->rng))
        return false;
    out->explained = out->whole ? 1 : a->reference.explained;
    if (!find_shares(a) || !find_worth(a) || !find_witnesses(a))
        return false;
    out->state = out->explained >= CT_IMPORTANCE_EXPLAINED ? CT_IMPORTANCE_KNOWN
                                                           : CT_IMPORTANCE_UNCLEAR;
    if (out->state == CT_IMPORTANCE_KNOWN)
        find_pairs(a);
    qsort(out->params, out->param_count, sizeof(*out->params), compare_params);
    if (out->explained >= CT_IMPORTANCE_DECIDING)
        count_deciding(out);
    return true;
}

/* Space for the rows of the results and of a reference; and the parameters. */
static bool prepare(struct analysis *a)
{
    const size_t rows = a->factors.rows > 4096 ? a->factors.rows : 4096;

    a->effects = ct_mem_array(a->factors.levels, sizeof(*a->effects));
    a->rest = ct_mem_array(rows, sizeof(*a->rest));
    a->scratch = ct_mem_array(rows + a->factors.levels, sizeof(*a->scratch));
    a->params = ct_mem_array(a->factors.count, sizeof(*a->params));
    a->out->params = a->params;
    a->out->param_count = a->factors.count;
    if (!a->effects || !a->rest || !a->scratch || !a->params)
        return false;
    for (size_t f = 0; f < a->factors.count; f++) {
        a->params[f].name = a->input->names[a->factors.items[f].param];
        a->params[f].levels = a->factors.items[f].count;
        a->params[f].within = NAN;
        a->params[f].total = NAN;
        a->params[f].worth = a->params[f].low = a->params[f].high = NAN;
    }
    return true;
}

enum ct_status ct_importance_find(const struct ct_importance_input *input,
                                  struct ct_importance *out, struct ct_err *err)
{
    struct analysis a = {.input = input, .out = out};
    bool enough;

    *out = (struct ct_importance){.results = input->count, .failed = input->failed};
    out->whole = input->valid > 0 && (double)(input->count + input->failed) >=
                                         CT_IMPORTANCE_WHOLE * (double)input->valid;
    out->needed = out->whole ? CT_IMPORTANCE_RESULTS_WHOLE : CT_IMPORTANCE_RESULTS;
    if (input->count < out->needed)
        return CT_OK;
    ct_rng_seed(&a.rng, SEED);
    enough = ct_factors_init(&a.factors, input) && prepare(&a);
    if (enough) {
        out->spread = spread_of(&a, a.scratch);
        out->state = CT_IMPORTANCE_ALIKE;
        if (a.factors.count && out->spread > nothing(&a))
            enough = analyse(&a);
    }
    ct_reference_release(&a.reference);
    ct_factors_release(&a.factors);
    free(a.effects);
    free(a.rest);
    free(a.scratch);
    if (enough)
        return CT_OK;
    ct_importance_release(out);
    return ct_err_nomem(err);
}

void ct_importance_release(struct ct_importance *importance)
{
    free(importance->params);
    importance->params = NULL;
    importance->param_count = 0;
}
