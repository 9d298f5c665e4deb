// SPDX-License-Identifier: Apache-2.0
// Effects of factors, of their pairs, and what varies when all others are fixed.
#include "tune/importance_impl.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { PASSES_MOST = 200 };

double ct_rows_variance(const struct ct_rows *rows)
{
    double mean = 0;
    double sum = 0;

    for (size_t i = 0; i < rows->count; i++)
        mean += rows->y[i] / (double)rows->count;
    for (size_t i = 0; i < rows->count; i++)
        sum += (rows->y[i] - mean) * (rows->y[i] - mean);
    return rows->count ? sum / (double)rows->count : 0;
}

static uint16_t code_at(const struct ct_rows *rows, size_t row, size_t factor)
{
    return rows->codes[row * rows->factors->count + factor];
}

/* Moves the effects of one factor to what is best while the others stay; returns the largest
 * change. */
static double refit(const struct ct_rows *rows, size_t factor, double ridge,
                    double *effects, double *rest)
{
    double sum[CT_FACTOR_LEVELS] = {0};
    double count[CT_FACTOR_LEVELS] = {0};
    double most = 0;
    size_t levels = rows->factors->items[factor].count;

    for (size_t i = 0; i < rows->count; i++) {
        uint16_t code = code_at(rows, i, factor);

        sum[code] += rest[i] + effects[code];
        count[code]++;
    }
    for (size_t v = 0; v < levels; v++) {
        double now = count[v] > 0 ? sum[v] / (count[v] + ridge) : 0;

        sum[v] = now - effects[v];
        most = fmax(most, fabs(sum[v]));
        effects[v] = now;
    }
    for (size_t i = 0; i < rows->count; i++)
        rest[i] -= sum[code_at(rows, i, factor)];
    return most;
}

/* Backfitting (Buja, Hastie and Tibshirani, "Linear Smoothers and Additive Models", 1989). */
void ct_effects_fit(const struct ct_rows *rows, double ridge, double *effects,
                    double *rest)
{
    const double enough = 1e-5;
    double change = INFINITY;
    double mean = 0;

    for (size_t v = 0; v < rows->factors->levels; v++)
        effects[v] = 0;
    for (size_t i = 0; i < rows->count; i++)
        mean += rows->y[i] / (double)rows->count;
    for (size_t i = 0; i < rows->count; i++)
        rest[i] = rows->y[i] - mean;
    for (int pass = 0; pass < PASSES_MOST && change > enough; pass++) {
        change = 0;
        for (size_t f = 0; f < rows->factors->count; f++)
            change = fmax(change, refit(rows, f, ridge,
                                        effects + rows->factors->items[f].first, rest));
    }
}

double ct_effects_covariance(const struct ct_rows *rows, const double *effects,
                             size_t factor)
{
    const double *own = effects + rows->factors->items[factor].first;
    double mean_y = 0;
    double mean = 0;
    double sum = 0;

    for (size_t i = 0; i < rows->count; i++) {
        mean_y += rows->y[i] / (double)rows->count;
        mean += own[code_at(rows, i, factor)] / (double)rows->count;
    }
    for (size_t i = 0; i < rows->count; i++)
        sum += (own[code_at(rows, i, factor)] - mean) * (rows->y[i] - mean_y);
    return rows->count ? sum / (double)rows->count : 0;
}

double ct_effects_pair(const struct ct_rows *rows, const double *rest, size_t a, size_t b)
{
    double sum[CT_FACTOR_LEVELS * CT_FACTOR_LEVELS] = {0};
    double count[CT_FACTOR_LEVELS * CT_FACTOR_LEVELS] = {0};
    double total = 0;

    for (size_t i = 0; i < rows->count; i++) {
        size_t cell =
            (size_t)code_at(rows, i, a) * CT_FACTOR_LEVELS + code_at(rows, i, b);

        sum[cell] += rest[i];
        count[cell]++;
    }
    for (size_t c = 0; c < CT_FACTOR_LEVELS * CT_FACTOR_LEVELS; c++)
        total += count[c] > 0 ? sum[c] * sum[c] / count[c] : 0;
    return rows->count ? total / (double)rows->count : 0;
}

/* --- groups that differ in one factor alone --- */

struct keyed {
    uint64_t key; /* of the levels of all other factors */
    size_t row;
};

/* Vigna's SplitMix64. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int compare_keys(const void *a, const void *b)
{
    const struct keyed *left = a;
    const struct keyed *right = b;

    return (left->key > right->key) - (left->key < right->key);
}

static int compare_reals(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

static void make_keys(const struct ct_rows *rows, size_t factor, struct keyed *keys)
{
    for (size_t i = 0; i < rows->count; i++) {
        keys[i] = (struct keyed){.row = i};
        for (size_t f = 0; f < rows->factors->count; f++)
            if (f != factor)
                keys[i].key += mix(rows->factors->items[f].first + code_at(rows, i, f));
    }
    qsort(keys, rows->count, sizeof(*keys), compare_keys);
}

/* Adds the squares of a group of `count` rows to `*squares`; returns its range. */
static double add_group(const struct ct_rows *rows, const struct keyed *keys,
                        size_t count, double *squares)
{
    double mean = 0;
    double low = INFINITY;
    double high = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        double y = rows->y[keys[i].row];

        mean += y / (double)count;
        low = fmin(low, y);
        high = fmax(high, y);
    }
    for (size_t i = 0; i < count; i++)
        *squares += (rows->y[keys[i].row] - mean) * (rows->y[keys[i].row] - mean);
    return high - low;
}

bool ct_effects_within(const struct ct_rows *rows, size_t factor, struct ct_within *out)
{
    struct keyed *keys = ct_mem_array(rows->count, sizeof(*keys));
    double *ranges = ct_mem_array(rows->count, sizeof(*ranges));
    size_t seen[CT_FACTOR_LEVELS] = {0};
    double squares = 0;
    size_t groups = 0;
    bool enough = keys && ranges;

    *out = (struct ct_within){.range = NAN, .all_levels = true};
    if (enough)
        make_keys(rows, factor, keys);
    for (size_t i = 0, end; enough && i < rows->count; i = end) {
        for (end = i + 1; end < rows->count && keys[end].key == keys[i].key;)
            end++;
        if (end - i < 2)
            continue;
        ranges[groups++] = add_group(rows, keys + i, end - i, &squares);
        out->witnesses += end - i - 1;
        for (size_t k = i; k < end; k++)
            seen[code_at(rows, keys[k].row, factor)]++;
    }
    if (enough && groups) {
        qsort(ranges, groups, sizeof(*ranges), compare_reals);
        out->range = ranges[(groups - 1) * 9 / 10];
        out->variance = squares / (double)rows->count;
    }
    for (size_t v = 0; v < rows->factors->items[factor].count; v++)
        out->all_levels = out->all_levels && seen[v] >= 2;
    free(keys);
    free(ranges);
    return enough;
}
