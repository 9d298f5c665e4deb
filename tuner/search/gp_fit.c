// SPDX-License-Identifier: Apache-2.0
// What the regression learns: rates and noise by the largest posterior density.
#include "search/gp.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { ORDINAL, EQUAL, LOCAL, RATE, NOISE };

/* Rates and noise are looked for as logarithms, `local` as that of local / (1 - local).
 * Priors are normal in these: with 1, the two ends of a parameter are clearly different
 * and neighbours alike; a factor of about three either way is ordinary. */
static const struct {
    double mean;
    double sd;
    double low;
    double high;
} priors[] = {
    [ORDINAL] = {0.5, 1.2, -5.0, 3.5},  [EQUAL] = {-0.5, 1.2, -6.0, 2.5},
    [LOCAL] = {0.5, 1.0, -5.0, 4.0},    [RATE] = {-0.5, 0.7, -3.0, 1.5},
    [NOISE] = {-6.0, 2.0, -14.0, -1.0},
};

struct variable {
    enum kind kind;
    size_t param;
};

struct fit {
    struct ct_gp *gp;
    size_t n;
    uint16_t *x; /* of the observations looked at */
    double *y;
    struct variable *variables;
    size_t variable_count;
    double *at;       /* values of the variables */
    double *gradient; /* of the log posterior */
    double *best_at;
    double *step;
    double *last_gradient;
    double *broad;   /* n * n, lower triangle: the first product, times its weight */
    double *nearby;  /* the second */
    double *factor;  /* n * n, lower triangle */
    double *columns; /* n * n: column j of factor^-1 at [j * n] */
    double *solved;  /* A^-1 (y - mean) */
    double *white_y;
    double *white_1;
    /* By parameter and pair of values: logarithms of the factors of both products, and
     * derivatives of these by log ordinal and log equal. */
    struct cell {
        double broad;
        double nearby;
        double broad_ordinal;
        double nearby_ordinal;
        double broad_equal;
        double different;
    } * *cells;
};

static double dot(const double *a, const double *b, size_t n)
{
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

static void list_variables(struct fit *f, bool local)
{
    for (size_t p = 0; p < f->gp->param_count; p++) {
        if (f->gp->params[p].count < 2)
            continue;
        if (f->gp->params[p].position)
            f->variables[f->variable_count++] = (struct variable){ORDINAL, p};
        f->variables[f->variable_count++] = (struct variable){EQUAL, p};
    }
    if (local) {
        f->variables[f->variable_count++] = (struct variable){LOCAL, 0};
        f->variables[f->variable_count++] = (struct variable){RATE, 0};
    }
    f->variables[f->variable_count++] = (struct variable){NOISE, 0};
}

static double *place(const struct fit *f, size_t v)
{
    struct ct_gp_hyper *hyper = &f->gp->hyper;
    size_t p = f->variables[v].param;

    switch (f->variables[v].kind) {
    case ORDINAL:
        return &hyper->ordinal[p];
    case EQUAL:
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

static double within(enum kind kind, double variable)
{
    return variable < priors[kind].low    ? priors[kind].low
           : variable > priors[kind].high ? priors[kind].high
                                          : variable;
}

static void fill_cells(struct fit *f, size_t p)
{
    const struct ct_gp *gp = f->gp;
    const double *position = gp->params[p].position;
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

            if (position) {
                double v =
                    sqrt(5) * gp->hyper.ordinal[p] * fabs(position[a] - position[b]);
                double q = 1 + v + v * v / 3;

                log_m = log(q) - v;
                m = exp(log_m);
                slope = -v * v * (1 + v) / (3 * q);
            }
            k = floor_ + (1 - floor_) * m;
            cell->broad = log(k);
            cell->broad_ordinal = (1 - floor_) * m * slope / k;
            cell->broad_equal = -equal * floor_ * (1 - m) / k;
            cell->different = a != b;
            cell->nearby = log_m - (a != b ? gp->hyper.rate : 0);
            cell->nearby_ordinal = slope;
        }
}

/* Both products for all pairs. */
static void fill_covariance(struct fit *f)
{
    const struct ct_gp *gp = f->gp;
    double local = gp->hyper.local;
    size_t n = f->n;

    for (size_t i = 0; i < n * n; i++) {
        f->broad[i] = 0; /* logarithms first */
        f->nearby[i] = 0;
    }
    for (size_t p = 0; p < gp->param_count; p++) {
        fill_cells(f, p);
        for (size_t i = 0; i < n; i++) {
            const struct cell *row =
                f->cells[p] + f->x[i * gp->param_count + p] * gp->params[p].count;

            for (size_t j = 0; j < i; j++) {
                const struct cell *cell = &row[f->x[j * gp->param_count + p]];

                f->broad[i * n + j] += cell->broad;
                f->nearby[i * n + j] += cell->nearby;
            }
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            f->broad[i * n + j] = (1 - local) * exp(f->broad[i * n + j]);
            f->nearby[i * n + j] = local * exp(f->nearby[i * n + j]);
        }
}

/* Factor of A = covariance + noise, columns of its inverse; false where rounding makes A
 * look singular. */
static bool factorise(struct fit *f)
{
    size_t n = f->n;

    for (size_t i = 0; i < n; i++) {
        double *row = f->factor + i * n;
        double left;

        for (size_t j = 0; j < i; j++)
            row[j] = (f->broad[i * n + j] + f->nearby[i * n + j] -
                      dot(row, f->factor + j * n, j)) /
                     f->factor[j * n + j];
        left = 1 + f->gp->hyper.noise - dot(row, row, i);
        if (left < 1e-10)
            return false;
        row[i] = sqrt(left);
    }
    for (size_t j = 0; j < n; j++) {
        double *column = f->columns + j * n;

        column[j] = 1 / f->factor[j * n + j];
        for (size_t i = j + 1; i < n; i++)
            column[i] =
                -dot(f->factor + i * n + j, column + j, i - j) / f->factor[i * n + i];
    }
    return true;
}

/* solved = A^-1 (y - mean); returns the scale s^2. */
static double solve(struct fit *f)
{
    size_t n = f->n;
    double sum_y1 = 0;
    double sum_11 = 0;
    double sum_yy = 0;
    double mean;
    double left;

    for (size_t i = 0; i < n; i++) {
        const double *row = f->factor + i * n;

        f->white_y[i] = (f->y[i] - dot(row, f->white_y, i)) / row[i];
        f->white_1[i] = (1 - dot(row, f->white_1, i)) / row[i];
        sum_y1 += f->white_y[i] * f->white_1[i];
        sum_11 += f->white_1[i] * f->white_1[i];
        sum_yy += f->white_y[i] * f->white_y[i];
    }
    mean = sum_y1 / sum_11;
    left = sum_yy - sum_y1 * mean;
    for (size_t i = 0; i < n; i++)
        f->white_y[i] -= mean * f->white_1[i];
    for (size_t j = 0; j < n; j++)
        f->solved[j] = dot(f->columns + j * n + j, f->white_y + j, n - j);
    return left > 1e-12 * (1 + sum_yy) ? left / (double)n : 1e-12;
}

/* weights[i][j] = (A^-1 r r^T A^-1 / s^2 - A^-1)[i][j], half of it on the diagonal, over
 * the lower triangle, in place of the factor, which is not needed any more. */
static void weigh(struct fit *f, double scale)
{
    size_t n = f->n;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double inverse = dot(f->columns + i * n + i, f->columns + j * n + i, n - i);
            double weight = f->solved[i] * f->solved[j] / scale - inverse;

            f->factor[i * n + j] = i == j ? weight / 2 : weight;
        }
}

/* Sum over the pairs of weight * d cov / d rate, for the rates of parameter `p`. */
static void slopes_of_rates(const struct fit *f, size_t p, double *ordinal, double *equal)
{
    const struct ct_gp *gp = f->gp;
    size_t n = f->n;

    *ordinal = 0;
    *equal = 0;
    for (size_t i = 0; i < n; i++) {
        const struct cell *row =
            f->cells[p] + f->x[i * gp->param_count + p] * gp->params[p].count;

        for (size_t j = 0; j < i; j++) {
            const struct cell *cell = &row[f->x[j * gp->param_count + p]];
            double broad = f->factor[i * n + j] * f->broad[i * n + j];
            double nearby = f->factor[i * n + j] * f->nearby[i * n + j];

            *ordinal += broad * cell->broad_ordinal + nearby * cell->nearby_ordinal;
            *equal += broad * cell->broad_equal;
        }
    }
}

/* The same for what all parameters share. */
static void slopes_of_rest(const struct fit *f, double *local, double *rate,
                           double *noise)
{
    const struct ct_gp *gp = f->gp;
    double share = gp->hyper.local;
    size_t n = f->n;

    *local = 0;
    *rate = 0;
    *noise = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double weight = f->factor[i * n + j];
            double different = 0;

            for (size_t p = 0; p < gp->param_count; p++)
                different +=
                    f->x[i * gp->param_count + p] != f->x[j * gp->param_count + p];
            *local += weight *
                      (f->nearby[i * n + j] * (1 - share) - f->broad[i * n + j] * share);
            *rate -= weight * f->nearby[i * n + j] * different * gp->hyper.rate;
        }
        *noise += f->factor[i * n + i] * gp->hyper.noise;
    }
}

/* Log posterior at `at`, and its gradient. */
static double evaluate(struct fit *f)
{
    size_t n = f->n;
    double value = 0;
    double scale;
    double local;
    double rate;
    double noise;

    for (size_t v = 0; v < f->variable_count; v++)
        *place(f, v) = from_variable(f->variables[v].kind, f->at[v]);
    fill_covariance(f);
    if (!factorise(f))
        return -INFINITY;
    scale = solve(f);
    for (size_t i = 0; i < n; i++)
        value -= log(f->factor[i * n + i]);
    value -= (double)n * log(scale) / 2;
    weigh(f, scale);
    slopes_of_rest(f, &local, &rate, &noise);
    for (size_t v = 0; v < f->variable_count; v++) {
        enum kind kind = f->variables[v].kind;
        double off = (f->at[v] - priors[kind].mean) / priors[kind].sd;
        double ordinal;
        double equal;

        /* Both rates of a parameter follow each other in the list. */
        if (kind == ORDINAL) {
            slopes_of_rates(f, f->variables[v].param, &ordinal, &equal);
            f->gradient[v] = ordinal;
            f->gradient[v + 1] = equal;
        } else if (kind == EQUAL && !f->gp->params[f->variables[v].param].position) {
            slopes_of_rates(f, f->variables[v].param, &ordinal, &equal);
            f->gradient[v] = equal;
        } else if (kind == LOCAL) {
            f->gradient[v] = local;
        } else if (kind == RATE) {
            f->gradient[v] = rate;
        } else if (kind == NOISE) {
            f->gradient[v] = noise;
        }
        value -= off * off / 2;
        f->gradient[v] -= off / priors[kind].sd;
    }
    return value;
}

/* Climbs by the signs of the gradient (Rprop without weight-backtracking: Igel and
 * Husken, 2003), which needs no line search. */
static void climb(struct fit *f, size_t steps)
{
    double best = -INFINITY;

    for (size_t v = 0; v < f->variable_count; v++) {
        enum kind kind = f->variables[v].kind;

        f->at[v] = within(kind, to_variable(kind, *place(f, v)));
        f->best_at[v] = f->at[v];
        f->step[v] = 0.4;
        f->last_gradient[v] = 0;
    }
    for (size_t s = 0; s < steps; s++) {
        double value = evaluate(f);

        if (value > best) {
            best = value;
            memcpy(f->best_at, f->at, f->variable_count * sizeof(*f->at));
        }
        if (!(value > -INFINITY)) /* back towards what worked, with more noise */
            memset(f->gradient, 0, f->variable_count * sizeof(*f->gradient));
        for (size_t v = 0; v < f->variable_count; v++) {
            enum kind kind = f->variables[v].kind;
            double turn = f->gradient[v] * f->last_gradient[v];

            if (turn > 0)
                f->step[v] = f->step[v] * 1.2 < 1 ? f->step[v] * 1.2 : 1;
            else if (turn < 0)
                f->step[v] = f->step[v] / 2 > 0.01 ? f->step[v] / 2 : 0.01;
            f->last_gradient[v] = turn < 0 ? 0 : f->gradient[v];
            if (!(value > -INFINITY))
                f->at[v] = f->best_at[v] + (kind == NOISE ? 1 : 0);
            else if (turn >= 0 && f->gradient[v] != 0)
                f->at[v] += f->gradient[v] > 0 ? f->step[v] : -f->step[v];
            f->at[v] = within(kind, f->at[v]);
        }
    }
    for (size_t v = 0; v < f->variable_count; v++)
        *place(f, v) = from_variable(f->variables[v].kind, f->best_at[v]);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

/* Copies the observations to look at. */
static bool choose(struct fit *f)
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
    qsort(sorted, gp->count, sizeof(*sorted), ascending);
    limit = sorted[f->n / 2 - (f->n > 1)];
    free(sorted);
    for (size_t i = 0; i < gp->count && taken < f->n; i++) {
        bool best = gp->y[i] <= limit && good < f->n / 2;
        size_t room = f->n - f->n / 2;

        good += best;
        /* Of the others, those where passed * room / others reaches a new number. */
        if (!best && f->n < gp->count) {
            passed++;
            if (passed * room / others == (passed - 1) * room / others)
                continue;
        }
        memcpy(f->x + taken * gp->param_count, gp->x + i * gp->param_count,
               gp->param_count * sizeof(*f->x));
        f->y[taken++] = gp->y[i];
    }
    f->n = taken;
    return true;
}

static bool allocate(struct fit *f)
{
    size_t most = 2 * f->gp->param_count + 3;
    bool enough;

    f->variables = ct_mem_array(most, sizeof(*f->variables));
    f->at = ct_mem_array(most * 5, sizeof(*f->at));
    f->broad = ct_mem_array(f->n * f->n * 4, sizeof(*f->broad));
    f->solved = ct_mem_array(f->n * 3, sizeof(*f->solved));
    f->cells = ct_mem_array(f->gp->param_count, sizeof(*f->cells));
    f->x = ct_mem_array(f->n * f->gp->param_count, sizeof(*f->x));
    f->y = ct_mem_array(f->n, sizeof(*f->y));
    enough = f->variables && f->at && f->broad && f->solved && f->cells && f->x && f->y;
    for (size_t p = 0; p < f->gp->param_count && enough; p++) {
        size_t count = f->gp->params[p].count;

        f->cells[p] = ct_mem_array(count * count, sizeof(**f->cells));
        enough = f->cells[p] != NULL;
    }
    if (!enough)
        return false;
    f->gradient = f->at + most;
    f->best_at = f->at + 2 * most;
    f->step = f->at + 3 * most;
    f->last_gradient = f->at + 4 * most;
    f->nearby = f->broad + f->n * f->n;
    f->factor = f->broad + 2 * f->n * f->n;
    f->columns = f->broad + 3 * f->n * f->n;
    f->white_y = f->solved + f->n;
    f->white_1 = f->solved + 2 * f->n;
    return true;
}

static void release(struct fit *f)
{
    for (size_t p = 0; p < f->gp->param_count && f->cells; p++)
        free(f->cells[p]);
    free(f->cells);
    free(f->variables);
    free(f->at);
    free(f->broad);
    free(f->solved);
    free(f->x);
    free(f->y);
}

static size_t looked_at(const struct ct_gp *gp)
{
    return gp->count < CT_GP_FIT_MAX ? gp->count : CT_GP_FIT_MAX;
}

bool ct_gp_fit(struct ct_gp *gp, size_t steps, bool local)
{
    struct fit f = {.gp = gp, .n = looked_at(gp)};
    bool enough = allocate(&f) && (gp->count < 2 || choose(&f));

    if (enough && gp->count > 1) {
        list_variables(&f, local);
        if (!local)
            gp->hyper.local = 0;
        climb(&f, steps);
        ct_gp_refresh(gp);
    }
    release(&f);
    return enough;
}

size_t ct_gp_posterior(struct ct_gp *gp, bool local, const double *at, double *value,
                       double *gradient)
{
    struct fit f = {.gp = gp, .n = looked_at(gp)};
    bool enough = allocate(&f) && gp->count > 1 && choose(&f);

    if (enough) {
        list_variables(&f, local);
        if (!local)
            gp->hyper.local = 0;
        if (at) {
            memcpy(f.at, at, f.variable_count * sizeof(*at));
            *value = evaluate(&f);
            memcpy(gradient, f.gradient, f.variable_count * sizeof(*gradient));
        }
    }
    release(&f);
    return enough ? f.variable_count : 0;
}
