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

/* One more value for a feature that can be switched off.  False if out of memory. */
static bool add_off(struct ct_features *features, size_t f)
{
    size_t count = features->params[f].count;

    if (!features->switches[features->source[f]].off)
        return true;
    features->params[f].count++;
    if (!features->positions[f])
        return true;
    if (!ct_mem_grow(&features->positions[f], &count, count + 1,
                     sizeof(*features->positions[f])))
        return false;
    features->positions[f][features->params[f].count - 1] = NAN;
    features->params[f].position = features->positions[f];
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
    return !failed && add_off(features, f);
}

/* A number without its factors of 2; 1 for numbers that are not positive. */
static int64_t odd_part(int64_t value)
{
    while (value > 0 && value % 2 == 0)
        value /= 2;
    return value > 0 ? value : 1;
}

/* A feature for whether a number has the smallest odd part of its parameter (0) or another one (1),
 * if some of the values share the smallest one and others do not.  False if out of memory. */
static bool add_odd_part(struct ct_features *features, size_t p,
                         const struct ct_domain *domain)
{
    int64_t least = INT64_MAX;
    size_t f = features->count;
    size_t sharing = 0;

    for (size_t v = 0; v < domain->count; v++) {
        int64_t part;

        if (domain->values[v].kind != CT_INT)
            return true;
        part = odd_part(domain->values[v].u.i);
        sharing = part < least ? 1 : sharing + (part == least);
        least = part < least ? part : least;
    }
    if (sharing < 2 || sharing == domain->count)
        return true;
    features->codes[f] = ct_mem_array(domain->count, sizeof(**features->codes));
    if (!features->codes[f])
        return false;
    for (size_t v = 0; v < domain->count; v++)
        features->codes[f][v] = odd_part(domain->values[v].u.i) != least;
    features->count++;
    features->source[f] = p;
    features->params[f].count = 2;
    features->params[f].derived = true;
    return add_off(features, f);
}

/* The parameter that switches most others; not a flag with its only option. */
static size_t find_arms(const struct ct_binding *binding,
                        const struct ct_feature_switch *switches, size_t *options)
{
    size_t params = binding->spec->param_count;
    size_t arms = SIZE_MAX;

    *options = 0;
    for (size_t by = 0; by < params; by++) {
        size_t count = 0;

        for (size_t p = 0; p < params; p++)
            count += switches[p].off && switches[p].by == by;
        if (count > *options && (count > 1 || binding->domains[by].count > 2)) {
            *options = count;
            arms = by;
        }
    }
    return arms;
}

bool ct_features_init(struct ct_features *features, const struct ct_space *space)
{
    const struct ct_binding *binding = ct_space_binding(space);
    size_t params = binding->spec->param_count;
    size_t all = 2 * params;
    bool failed = false;

    memset(features, 0, sizeof(*features));
    features->space = space;
    features->source = ct_mem_array(all, sizeof(*features->source));
    features->params = ct_mem_array(all, sizeof(*features->params));
    features->positions = ct_mem_array(all, sizeof(*features->positions));
    features->codes = ct_mem_array(all, sizeof(*features->codes));
    features->switches = ct_mem_array(params, sizeof(*features->switches));
    features->config = ct_mem_array(params, sizeof(*features->config));
    if (!features->source || !features->params || !features->positions ||
        !features->codes || !features->switches || !features->config ||
        !ct_feature_switches(space, features->switches))
        failed = true;
    for (size_t p = 0; p < params && !failed; p++) {
        const struct ct_domain *domain = &binding->domains[p];

        if (domain->count > 1)
            failed =
                !add_feature(features, p, domain) || !add_odd_part(features, p, domain);
    }
    if (failed)
        ct_features_release(features);
    else
        features->arms = find_arms(binding, features->switches, &features->options);
    return !failed;
}

void ct_features_release(struct ct_features *features)
{
    for (size_t f = 0; f < features->count && features->positions; f++)
        free(features->positions[f]);
    for (size_t f = 0; f < features->count && features->codes; f++)
        free(features->codes[f]);
    free(features->codes);
    free(features->switches);
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
        const struct ct_feature_switch *off = &features->switches[features->source[f]];
        uint32_t value = config[features->source[f]];

        if (off->off && !value && off->off >> config[off->by] & 1)
            codes[f] = (uint16_t)(features->params[f].count - 1);
        else
            codes[f] = features->codes[f] ? features->codes[f][value] : (uint16_t)value;
    }
}

void ct_features_codes(const struct ct_features *features, uint64_t index,
                       uint16_t *codes)
{
    ct_space_config(features->space, index, features->config);
    ct_features_of(features, features->config, codes);
}

unsigned ct_features_odd(const struct ct_features *features, const uint16_t *codes)
{
    unsigned odd = 0;

    for (size_t f = 0; f < features->count; f++)
        odd += features->params[f].derived && codes[f] == 1;
    return odd;
}

double ct_features_distance(const struct ct_features *features, const uint16_t *a,
                            const uint16_t *b)
{
    double sum = 0;

    for (size_t f = 0; f < features->count; f++) {
        const double *position = features->params[f].position;

        if (a[f] != b[f] && !features->params[f].derived)
            sum += !position ? 1
                   : isnan(position[a[f]] + position[b[f]])
                       ? 0.5
                       : 0.5 + 0.5 * fabs(position[a[f]] - position[b[f]]);
    }
    return sum;
}
