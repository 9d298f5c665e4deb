// SPDX-License-Identifier: Apache-2.0
// Results as levels of factors.
#include "tune/importance_impl.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- values in order --- */

static bool is_number(struct ct_value value)
{
    return value.kind == CT_INT || value.kind == CT_REAL;
}

/* Numbers come first, then texts, then none. */
static int rank_of(struct ct_value value)
{
    return is_number(value) ? 0 : value.kind == CT_TEXT ? 1 : 2;
}

static int compare_values(const void *a, const void *b)
{
    const struct ct_value *left = a;
    const struct ct_value *right = b;
    int ranks = rank_of(*left) - rank_of(*right);

    if (ranks)
        return ranks;
    if (left->kind == CT_TEXT)
        return strcmp(left->u.s, right->u.s);
    if (!is_number(*left))
        return 0;
    return (ct_value_number(*left) > ct_value_number(*right)) -
           (ct_value_number(*left) < ct_value_number(*right));
}

/* Sorts values and leaves each once; returns how many. */
static size_t sort_distinct(struct ct_value *values, size_t count)
{
    size_t kept = 0;

    qsort(values, count, sizeof(*values), compare_values);
    for (size_t i = 0; i < count; i++)
        if (!kept || compare_values(&values[kept - 1], &values[i]) != 0)
            values[kept++] = values[i];
    return kept;
}

/* --- levels --- */

static void place_levels(struct ct_factor *factor)
{
    double low = INFINITY;
    double high = -INFINITY;
    size_t numbers = 0;
    bool texts = false;
    bool logarithmic;

    for (size_t i = 0; i < factor->count; i++) {
        factor->position[i] = NAN;
        texts = texts || factor->levels[i].low.kind == CT_TEXT;
        if (!is_number(factor->levels[i].low) || !is_number(factor->levels[i].high))
            continue;
        factor->position[i] = (ct_value_number(factor->levels[i].low) +
                               ct_value_number(factor->levels[i].high)) /
                              2;
        low = fmin(low, factor->position[i]);
        high = fmax(high, factor->position[i]);
        numbers++;
    }
    factor->ordered = numbers >= 3 && !texts && isfinite(low) && isfinite(high);
    logarithmic = low > 0 && high >= 4 * low;
    for (size_t i = 0; i < factor->count && factor->ordered; i++)
        factor->position[i] = logarithmic
                                  ? log(factor->position[i] / low) / log(high / low)
                                  : (factor->position[i] - low) / (high - low);
}

/* The level of the number `at` among `distinct` values. */
static size_t level_of(size_t at, size_t distinct)
{
    return distinct <= CT_FACTOR_LEVELS ? at : at * CT_FACTOR_LEVELS / distinct;
}

static void make_levels(struct ct_factor *factor, const struct ct_value *values,
                        size_t distinct)
{
    factor->count = distinct < CT_FACTOR_LEVELS ? distinct : CT_FACTOR_LEVELS;
    for (size_t i = distinct; i-- > 0;)
        factor->levels[level_of(i, distinct)].low = values[i];
    for (size_t i = 0; i < distinct; i++)
        factor->levels[level_of(i, distinct)].high = values[i];
    place_levels(factor);
}

static uint16_t find_level(const struct ct_value *values, size_t distinct,
                           struct ct_value value)
{
    const struct ct_value *found =
        bsearch(&value, values, distinct, sizeof(*values), compare_values);

    return found ? (uint16_t)level_of((size_t)(found - values), distinct)
                 : (uint16_t)CT_FACTOR_NONE;
}

/* --- interface --- */

/* The row of the input that is row `i` here. */
static size_t source_row(const struct ct_factors *factors,
                         const struct ct_importance_input *input, size_t i)
{
    return factors->rows == input->count ? i : i * input->count / factors->rows;
}

/* Makes parameter `p` a factor if it varies; `values` has room for a value of each row, `codes` gets
 * a level for each. */
static void add_factor(struct ct_factors *factors,
                       const struct ct_importance_input *input, size_t p,
                       struct ct_value *values, uint16_t *codes)
{
    struct ct_factor *factor = &factors->items[factors->count];
    size_t distinct;

    for (size_t i = 0; i < factors->rows; i++)
        values[i] = input->values[source_row(factors, input, i) * input->width + p];
    distinct = sort_distinct(values, factors->rows);
    if (distinct < 2)
        return;
    factor->param = p;
    factor->first = factors->levels;
    make_levels(factor, values, distinct);
    factor->standard = input->standard ? find_level(values, distinct, input->standard[p])
                                       : (uint16_t)CT_FACTOR_NONE;
    for (size_t i = 0; i < factors->rows; i++)
        codes[i] =
            find_level(values, distinct,
                       input->values[source_row(factors, input, i) * input->width + p]);
    factors->levels += factor->count;
    factors->count++;
}

/* From column by column to row by row. */
static bool turn_codes(struct ct_factors *factors, const uint16_t *columns)
{
    factors->codes =
        ct_mem_array(factors->rows * factors->count, sizeof(*factors->codes));
    for (size_t i = 0; i < factors->rows && factors->codes; i++)
        for (size_t f = 0; f < factors->count; f++)
            factors->codes[i * factors->count + f] = columns[f * factors->rows + i];
    return factors->codes != NULL;
}

bool ct_factors_init(struct ct_factors *factors, const struct ct_importance_input *input)
{
    struct ct_value *values;
    uint16_t *columns;
    bool enough;

    factors->rows = input->count < CT_FACTOR_ROWS ? input->count : CT_FACTOR_ROWS;
    factors->items = ct_mem_array(input->width, sizeof(*factors->items));
    factors->y = ct_mem_array(factors->rows, sizeof(*factors->y));
    values = ct_mem_array(factors->rows, sizeof(*values));
    columns = ct_mem_array(factors->rows * input->width, sizeof(*columns));
    enough = factors->items && factors->y && values && columns;
    for (size_t i = 0; enough && i < factors->rows; i++)
        factors->y[i] = log(input->cost[source_row(factors, input, i)]);
    for (size_t p = 0; enough && p < input->width; p++)
        add_factor(factors, input, p, values, columns + factors->count * factors->rows);
    enough = enough && turn_codes(factors, columns);
    free(values);
    free(columns);
    return enough;
}

void ct_factors_release(struct ct_factors *factors)
{
    free(factors->items);
    free(factors->codes);
    free(factors->y);
    *factors = (struct ct_factors){0};
}
