// SPDX-License-Identifier: Apache-2.0
// From values of parameters to positions on a line.
#include "search/surrogate/features.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Positions of a domain's values, or NULL: unordered, or (`*failed`) out of memory. */
static double *place_values(const struct ct_domain *domain, bool *failed)
{
    double low = INFINITY;
    double high = -INFINITY;
    double *position;
    bool logarithmic;

    if (domain->count < 3)
        return NULL;
    for (size_t v = 0; v < domain->count; v++) {
        double value;

        if (domain->values[v].kind != CT_INT && domain->values[v].kind != CT_REAL)
            return NULL;
        value = ct_value_number(domain->values[v]);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    position = ct_mem_array(domain->count, sizeof(*position));
    if (!position) {
        *failed = true;
        return NULL;
    }
    logarithmic = low > 0 && high >= 4 * low;
    for (size_t v = 0; v < domain->count; v++) {
        double value = ct_value_number(domain->values[v]);

        position[v] = logarithmic ? log(value / low) / log(high / low)
                                  : (value - low) / (high - low);
    }
    return position;
}

/* Divides the many values of a parameter into CT_FEATURE_CODES groups: ordered ones by their
 * positions, others by their numbers.  The regression stores data for pairs of codes, whose
 * number must not grow with the square of the values. `*position` becomes that of the groups.
 * False if out of memory. */
static bool group(size_t values, double **position, uint16_t **codes)
{
    const double *fine = *position;
    double *coarse = fine ? ct_mem_array(CT_FEATURE_CODES, sizeof(*coarse)) : NULL;

    *codes = ct_mem_array(values, sizeof(**codes));
    if (!*codes || (fine && !coarse)) {
        free(coarse);
        return false;
    }
    for (size_t v = 0; v < values; v++) {
        double at = fine ? fine[v] : (double)v / (double)(values - 1);

        (*codes)[v] = (uint16_t)(at * (CT_FEATURE_CODES - 1) + 0.5);
    }
    for (size_t c = 0; coarse && c < CT_FEATURE_CODES; c++)
        coarse[c] = (double)c / (CT_FEATURE_CODES - 1);
    free(*position);
    *position = coarse;
    return true;
}

/* Parameter `p` becomes feature number features->count.  False if out of memory. */
static bool add_feature(struct ct_features *features, size_t p,
                        const struct ct_domain *domain)
{
    size_t f = features->count++;
    bool failed = false;

    features->source[f] = p;
    features->positions[f] = place_values(domain, &failed);
    features->params[f].count = domain->count;
    if (!failed && domain->count > CT_FEATURE_CODES) {
        features->params[f].count = CT_FEATURE_CODES;
        failed = !group(domain->count, &features->positions[f], &features->codes[f]);
    }
    features->params[f].position = features->positions[f];
    return !failed;
}

bool ct_features_init(struct ct_features *features, const struct ct_space *space)
{
    const struct ct_binding *binding = ct_space_binding(space);
    size_t all = binding->spec->param_count;
    bool failed = false;

    memset(features, 0, sizeof(*features));
    features->space = space;
    features->source = ct_mem_array(all, sizeof(*features->source));
    features->params = ct_mem_array(all, sizeof(*features->params));
    features->positions = ct_mem_array(all, sizeof(*features->positions));
    features->codes = ct_mem_array(all, sizeof(*features->codes));
    features->config = ct_mem_array(all, sizeof(*features->config));
    if (!features->source || !features->params || !features->positions ||
        !features->codes || !features->config)
        failed = true;
    for (size_t p = 0; p < all && !failed; p++) {
        const struct ct_domain *domain = &binding->domains[p];

        if (domain->count > 1)
            failed = !add_feature(features, p, domain);
    }
    if (failed)
        ct_features_release(features);
    return !failed;
}

void ct_features_release(struct ct_features *features)
{
    for (size_t f = 0; f < features->count && features->positions; f++)
        free(features->positions[f]);
    for (size_t f = 0; f < features->count && features->codes; f++)
        free(features->codes[f]);
    free(features->codes);
    free(features->positions);
    free(features->params);
    free(features->source);
    free(features->config);
    memset(features, 0, sizeof(*features));
}

void ct_features_of(const struct ct_features *features, const uint32_t *config,
                    uint16_t *codes)
{
    for (size_t f = 0; f < features->count; f++) {
        uint32_t value = config[features->source[f]];

        codes[f] = features->codes[f] ? features->codes[f][value] : (uint16_t)value;
    }
}

void ct_features_codes(const struct ct_features *features, uint64_t index,
                       uint16_t *codes)
{
    ct_space_config(features->space, index, features->config);
    ct_features_of(features, features->config, codes);
}

double ct_features_distance(const struct ct_features *features, const uint16_t *a,
                            const uint16_t *b)
{
    double sum = 0;

    for (size_t f = 0; f < features->count; f++) {
        const double *position = features->params[f].position;

        if (a[f] != b[f])
            sum += position ? 0.5 + 0.5 * fabs(position[a[f]] - position[b[f]]) : 1;
    }
    return sum;
}
