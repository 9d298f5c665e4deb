// SPDX-License-Identifier: Apache-2.0
// The posterior density of rates and noise, and its derivatives.
#include "search/surrogate/gp_posterior.h"

#include "base/mem.h"
#include "search/surrogate/dot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { ORDINAL, EQUAL, DERIVED, LOCAL, RATE, NOISE };

/* The variables are logarithms of rates and noise, and of local / (1 - local). Priors are normal
 * in these: with 1, the two ends of a parameter are clearly different and neighbours alike; a
 * factor of about three either way is ordinary.  A derived parameter is expected to matter less
 * than the one that it follows from. */
static const struct {
    double mean;
    double sd;
    double low;
    double high;
} priors[] = {
    [ORDINAL] = {0.5, 1.2, -5.0, 3.5},  [EQUAL] = {-0.5, 1.2, -6.0, 2.5},
    [DERIVED] = {-1.5, 1.2, -6.0, 2.5}, [LOCAL] = {0.5, 1.0, -5.0, 4.0},
    [RATE] = {-0.5, 0.7, -3.0, 1.5},    [NOISE] = {-6.0, 2.0, -14.0, -1.0},
};

struct variable {
    enum kind kind;
    size_t param;
};

/* One number for each of the two products. */
typedef double both __attribute__((vector_size(16), aligned(8)));
enum { BROAD, NEARBY };

/* For a pair of values of a parameter: its factors of both products, and derivatives of their
 * logarithms. */
struct cell {
    both factors;
    both by_ordinal; /* by log ordinal */
    both by_rest;    /* the first by log equal, the second by log rate */
};

struct ct_gp_posterior {
    struct ct_gp *gp;
    size_t n;
    size_t room; /* n, before observations are chosen */
    uint16_t *x; /* of the chosen observations: parameter p of i at [p * room + i] */
    double *y;
    struct variable *variables;
    size_t variable_count;
    both *products;  /* n * n, lower triangle: both, times their weights */
    double *factor;  /* n * n, lower triangle */
    double *columns; /* n * n: column j of factor^-1 at [j * n] */
    double *solved;  /* A^-1 (y - mean) */
    double *white_y;
    double *white_1;
    struct cell **cells; /* by parameter and pair of values */
    both *by_ordinal;    /* by parameter: sums of its cells' derivatives */
    both *by_rest;
};

static void list_variables(struct ct_gp_posterior *f, bool local)
{
    for (size_t p = 0; p < f->gp->param_count; p++) {
        if (f->gp->params[p].count < 2)
            continue;
        if (f->gp->params[p].position)
            f->variables[f->variable_count++] = (struct variable){ORDINAL, p};
        f->variables[f->variable_count++] =
            (struct variable){f->gp->params[p].derived ? DERIVED : EQUAL, p};
    }
    if (local) {
        f->variables[f->variable_count++] = (struct variable){LOCAL, 0};
        f->variables[f->variable_count++] = (struct variable){RATE, 0};
    }
    f->variables[f->variable_count++] = (struct variable){NOISE, 0};
}

static double *hyper_of(const struct ct_gp_posterior *f, size_t v)
{
    struct ct_gp_hyper *hyper = &f->gp->hyper;
    size_t p = f->variables[v].param;

    switch (f->variables[v].kind) {
    case ORDINAL:
        return &hyper->ordinal[p];
    case EQUAL:
    case DERIVED:
        return &hyper->equal[p];
    case LOCAL:
        return &hyper->local;
    case RATE:
        return &hyper->rate;
    case NOISE:
        break;
    }
    return &hyper->noise;
}

static double to_variable(enum kind kind, double value)
{
    return kind == LOCAL ? log(value / (1 - value)) : log(value);
}

static double from_variable(enum kind kind, double variable)
{
    return kind == LOCAL ? 1 / (1 + exp(-variable)) : exp(variable);
}

static void fill_cells(struct ct_gp_posterior *f, size_t p)
{
    const struct ct_gp *gp = f->gp;
    const double *position = gp->params[p].position;
    bool derived = gp->params[p].derived;
    size_t count = gp->params[p].count;
    double equal = gp->hyper.equal[p];
    double floor_ = exp(-equal);

    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            struct cell *cell = &f->cells[p][a * count + b];
            double m = a == b;
            double log_m = 0;
            double slope = 0; /* d log m / d log ordinal */
            double k;
            double near;

            if (position && !isnan(position[a] + position[b])) {
                double v =
                    sqrt(5) * gp->hyper.ordinal[p] * fabs(position[a] - position[b]);
                double q = 1 + v + v * v / 3;

                log_m = log(q) - v;
                m = exp(log_m);
                slope = -v * v * (1 + v) / (3 * q);
            }
            k = floor_ + (1 - floor_) * m;
            near = a == b || derived ? 1 : exp(log_m - gp->hyper.rate);
            cell->factors = (both){k, near};
            cell->by_ordinal = (both){(1 - floor_) * m * slope / k, derived ? 0 : slope};
            cell->by_rest = (both){-equal * floor_ * (1 - m) / k,
                                   a == b || derived ? 0 : -gp->hyper.rate};
        }
}

/* Cells of parameter `p` for its values combined with that of observation i. */
static const struct cell *cells_of(const struct ct_gp_posterior *f, size_t p, size_t i)
{
    return f->cells[p] + f->x[p * f->room + i] * f->gp->params[p].count;
}

/* Both products for all pairs. */
static void fill_covariance(struct ct_gp_posterior *f)
{
    double local = f->gp->hyper.local;
    const both start = {1 - local, local};

    for (size_t p = 0; p < f->gp->param_count; p++)
        fill_cells(f, p);
    for (size_t i = 0; i < f->n; i++) {
        both *products = f->products + i * f->n;

        for (size_t j = 0; j < i; j++)
            products[j] = start;
        for (size_t p = 0; p < f->gp->param_count; p++) {
            const struct cell *cells = cells_of(f, p, i);
            const uint16_t *x = f->x + p * f->room;

            for (size_t j = 0; j < i; j++)
                products[j] *= cells[x[j]].factors;
        }
    }
}

/* Factor of A = covariance + noise, column by column: the elements of a column do not depend on
 * each other.  False if rounding makes A look singular. */
static bool factorise_chosen(struct ct_gp_posterior *f)
{
    size_t n = f->n;

    for (size_t j = 0; j < n; j++) {
        double *row = f->factor + j * n;
        double left = 1 + f->gp->hyper.noise - ct_dot(row, row, j);

        if (left < 1e-10)
            return false;
        row[j] = sqrt(left);
        for (size_t i = j + 1; i < n; i++) {
            both products = f->products[i * n + j];
            double *below = f->factor + i * n;

            below[j] =
                (products[BROAD] + products[NEARBY] - ct_dot(below, row, j)) / row[j];
        }
    }
    return true;
}

/* Columns of the factor's inverse, row by row for the same reason. */
static void invert(struct ct_gp_posterior *f)
{
    size_t n = f->n;

    for (size_t i = 0; i < n; i++) {
        const double *row = f->factor + i * n;

        for (size_t j = 0; j < i; j++) {
            double *column = f->columns + j * n;

            column[i] = -ct_dot(row + j, column + j, i - j) / row[i];
        }
        f->columns[i * n + i] = 1 / row[i];
    }
}

/* solved = A^-1 (y - mean); returns the scale s^2. */
static double solve_chosen(struct ct_gp_posterior *f)
{
    size_t n = f->n;
    double sum_y1 = 0;
    double sum_11 = 0;
    double sum_yy = 0;
    double mean;
    double left;

    for (size_t i = 0; i < n; i++) {
        const double *row = f->factor + i * n;

        f->white_y[i] = (f->y[i] - ct_dot(row, f->white_y, i)) / row[i];
        f->white_1[i] = (1 - ct_dot(row, f->white_1, i)) / row[i];
        sum_y1 += f->white_y[i] * f->white_1[i];
        sum_11 += f->white_1[i] * f->white_1[i];
        sum_yy += f->white_y[i] * f->white_y[i];
    }
    mean = sum_y1 / sum_11;
    left = sum_yy - sum_y1 * mean;
    for (size_t i = 0; i < n; i++)
        f->white_y[i] -= mean * f->white_1[i];
    for (size_t j = 0; j < n; j++)
        f->solved[j] = ct_dot(f->columns + j * n + j, f->white_y + j, n - j);
    return left > 1e-12 * (1 + sum_yy) ? left / (double)n : 1e-12;
}

/* Multiplies the products of observations i and j by the derivative of the log likelihood
 * by their covariance, (A^-1 r r^T A^-1 / s^2 - A^-1)[i][j].  Returns that by the noise,
 * where i is j. */
static double weigh_products(struct ct_gp_posterior *f, double scale)
{
    size_t n = f->n;
    double noise = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double inverse =
                ct_dot(f->columns + i * n + i, f->columns + j * n + i, n - i);
            double weight = f->solved[i] * f->solved[j] / scale - inverse;

            if (i == j)
                noise += weight / 2;
            else
                f->products[i * n + j] *= (both){weight, weight};
        }
    return noise;
}

/* Sums the results of `weigh_products` over the pairs: by itself, which is returned, and times the
 * cells' derivatives. */
static both sum_slopes(struct ct_gp_posterior *f)
{
    both sum = {0, 0};

    memset(f->by_ordinal, 0, f->gp->param_count * sizeof(*f->by_ordinal));
    memset(f->by_rest, 0, f->gp->param_count * sizeof(*f->by_rest));
    for (size_t i = 0; i < f->n; i++) {
        const both *products = f->products + i * f->n;

        for (size_t j = 0; j < i; j++)
            sum += products[j];
        for (size_t p = 0; p < f->gp->param_count; p++) {
            const struct cell *cells = cells_of(f, p, i);
            const uint16_t *x = f->x + p * f->room;
            both by_ordinal = {0, 0};
            both by_rest = {0, 0};

            for (size_t j = 0; j < i; j++) {
                const struct cell *cell = &cells[x[j]];

                by_ordinal += products[j] * cell->by_ordinal;
                by_rest += products[j] * cell->by_rest;
            }
            f->by_ordinal[p] += by_ordinal;
            f->by_rest[p] += by_rest;
        }
    }
    return sum;
}

/* The derivative of the log likelihood by a variable, from what the two functions above
 * returned. */
static double slope_by(const struct ct_gp_posterior *f, const struct variable *variable,
                       both sum, double noise)
{
    const struct ct_gp_hyper *hyper = &f->gp->hyper;
    size_t p = variable->param;
    double rate = 0;

    switch (variable->kind) {
    case ORDINAL:
        return f->by_ordinal[p][BROAD] + f->by_ordinal[p][NEARBY];
    case EQUAL:
    case DERIVED:
        return f->by_rest[p][BROAD];
    case LOCAL:
        return sum[NEARBY] * (1 - hyper->local) - sum[BROAD] * hyper->local;
    case RATE:
        for (p = 0; p < f->gp->param_count; p++)
            rate += f->by_rest[p][NEARBY];
        return rate;
    case NOISE:
        break;
    }
    return noise * hyper->noise;
}

/* --- observations, memory --- */

static int by_target(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

/* Copies the observations to use. */
static bool choose_observations(struct ct_gp_posterior *f)
{
    const struct ct_gp *gp = f->gp;
    size_t others = gp->count - f->n / 2;
    double *sorted = ct_mem_array(gp->count, sizeof(*sorted));
    size_t taken = 0;
    size_t passed = 0;
    size_t good = 0;
    double limit;

    if (!sorted)
        return false;
    memcpy(sorted, gp->y, gp->count * sizeof(*sorted));
    qsort(sorted, gp->count, sizeof(*sorted), by_target);
    limit = sorted[f->n / 2 - (f->n > 1)];
    free(sorted);
    for (size_t i = 0; i < gp->count && taken < f->n; i++) {
        bool best = gp->y[i] <= limit && good < f->n / 2;
        size_t room = f->n - f->n / 2;

        good += best;
        /* Of the others, those for which passed * room / others reaches a new number. */
        if (!best && f->n < gp->count) {
            passed++;
            if (passed * room / others == (passed - 1) * room / others)
                continue;
        }
        for (size_t p = 0; p < gp->param_count; p++)
            f->x[p * f->room + taken] = gp->x[i * gp->param_count + p];
        f->y[taken++] = gp->y[i];
    }
    f->n = taken;
    return true;
}

static bool allocate_arrays(struct ct_gp_posterior *f)
{
    bool enough;

    f->variables = ct_mem_array(2 * f->gp->param_count + 3, sizeof(*f->variables));
    f->products = ct_mem_array(f->n * f->n, sizeof(*f->products));
    f->factor = ct_mem_array(f->n * f->n * 2, sizeof(*f->factor));
    f->solved = ct_mem_array(f->n * 3, sizeof(*f->solved));
    f->cells = ct_mem_array(f->gp->param_count, sizeof(*f->cells));
    f->by_ordinal = ct_mem_array(f->gp->param_count * 2, sizeof(*f->by_ordinal));
    f->x = ct_mem_array(f->n * f->gp->param_count, sizeof(*f->x));
    f->y = ct_mem_array(f->n, sizeof(*f->y));
    enough = f->variables && f->products && f->factor && f->solved && f->cells &&
             f->by_ordinal && f->x && f->y;
    for (size_t p = 0; p < f->gp->param_count && enough; p++) {
        size_t count = f->gp->params[p].count;

        f->cells[p] = ct_mem_array(count * count, sizeof(**f->cells));
        enough = f->cells[p] != NULL;
    }
    if (!enough)
        return false;
    f->by_rest = f->by_ordinal + f->gp->param_count;
    f->columns = f->factor + f->n * f->n;
    f->white_y = f->solved + f->n;
    f->white_1 = f->solved + 2 * f->n;
    return true;
}

void ct_gp_posterior_free(struct ct_gp_posterior *f)
{
    if (!f)
        return;
    for (size_t p = 0; p < f->gp->param_count && f->cells; p++)
        free(f->cells[p]);
    free(f->cells);
    free(f->variables);
    free(f->products);
    free(f->factor);
    free(f->by_ordinal);
    free(f->solved);
    free(f->x);
    free(f->y);
    free(f);
}

struct ct_gp_posterior *ct_gp_posterior_new(struct ct_gp *gp, bool local)
{
    struct ct_gp_posterior *f = calloc(1, sizeof(*f));

    if (!f)
        return NULL;
    f->gp = gp;
    f->n = gp->count < CT_GP_FIT_MAX ? gp->count : CT_GP_FIT_MAX;
    f->room = f->n;
    if (!allocate_arrays(f) || !choose_observations(f)) {
        ct_gp_posterior_free(f);
        return NULL;
    }
    list_variables(f, local);
    if (!local)
        gp->hyper.local = 0;
    return f;
}

size_t ct_gp_posterior_count(const struct ct_gp_posterior *f)
{
    return f->variable_count;
}

double ct_gp_posterior_within(const struct ct_gp_posterior *f, size_t v, double value)
{
    enum kind kind = f->variables[v].kind;

    return value < priors[kind].low    ? priors[kind].low
           : value > priors[kind].high ? priors[kind].high
                                       : value;
}

void ct_gp_posterior_get(const struct ct_gp_posterior *f, double *at)
{
    for (size_t v = 0; v < f->variable_count; v++)
        at[v] = ct_gp_posterior_within(
            f, v, to_variable(f->variables[v].kind, *hyper_of(f, v)));
}

void ct_gp_posterior_set(const struct ct_gp_posterior *f, const double *at)
{
    for (size_t v = 0; v < f->variable_count; v++)
        *hyper_of(f, v) = from_variable(f->variables[v].kind, at[v]);
}

double ct_gp_posterior_at(struct ct_gp_posterior *f, const double *at, double *gradient)
{
    size_t n = f->n;
    double value = 0;
    double scale;
    double noise;
    both sum;

    ct_gp_posterior_set(f, at);
    fill_covariance(f);
    if (!factorise_chosen(f))
        return -INFINITY;
    invert(f);
    scale = solve_chosen(f);
    for (size_t i = 0; i < n; i++)
        value -= log(f->factor[i * n + i]);
    value -= (double)n * log(scale) / 2;
    noise = weigh_products(f, scale);
    sum = sum_slopes(f);
    for (size_t v = 0; v < f->variable_count; v++) {
        enum kind kind = f->variables[v].kind;
        double off = (at[v] - priors[kind].mean) / priors[kind].sd;

        value -= off * off / 2;
        gradient[v] = slope_by(f, &f->variables[v], sum, noise) - off / priors[kind].sd;
    }
    return value;
}
