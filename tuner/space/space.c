// SPDX-License-Identifier: Apache-2.0
// Valid configurations as a sorted array of ranks: index to configuration is an access,
// configuration to index a binary search.
#include "space/space_impl.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>

/* Cuts the parameters into words, from the last one on, and computes strides. */
static bool lay_out(struct ct_space *space)
{
    const struct ct_domain *domains = space->binding->domains;
    uint64_t product = 1;
    size_t word = 0;

    space->word_of = ct_mem_array(space->param_count, sizeof(*space->word_of));
    space->stride = ct_mem_array(space->param_count, sizeof(*space->stride));
    if (!space->word_of || !space->stride)
        return false;
    for (size_t p = space->param_count; p-- > 0;) {
        uint64_t size = domains[p].count ? domains[p].count : 1;

        if (product > UINT64_MAX / size) {
            product = 1;
            word++;
        }
        space->stride[p] = product;
        space->word_of[p] = word;
        product *= size;
    }
    space->words = word + 1;
    for (size_t p = 0; p < space->param_count; p++)
        space->word_of[p] = word - space->word_of[p];
    return true;
}

enum ct_status ct_space_new(const struct ct_binding *binding, struct ct_space **out,
                            struct ct_err *err)
{
    uint64_t start_ns = ct_clock_now_ns();
    size_t constraint_count = binding->spec->constraint_count;
    struct ct_space *space = ct_mem_array(1, sizeof(*space));
    enum ct_status status;

    if (!space)
        return ct_err_nomem(err);
    space->binding = binding;
    space->param_count = binding->spec->param_count;
    space->constraints = ct_mem_array(constraint_count, sizeof(*space->constraints));
    if (!space->constraints || !lay_out(space)) {
        ct_space_free(space);
        return ct_err_nomem(err);
    }
    status = ct_space_build(space, err);
    if (status) {
        ct_space_free(space);
        return status;
    }
    space->stats.cartesian = 1;
    for (size_t p = 0; p < space->param_count; p++)
        space->stats.cartesian *= (double)binding->domains[p].count;
    space->stats.valid = space->count;
    space->stats.bytes =
        sizeof(*space) + space->count * space->words * sizeof(*space->ranks) +
        space->param_count * (sizeof(*space->stride) + sizeof(*space->word_of)) +
        constraint_count * sizeof(*space->constraints);
    space->stats.constraint_count = constraint_count;
    space->stats.constraints = space->constraints;
    space->stats.construct_ns = ct_clock_now_ns() - start_ns;
    *out = space;
    return CT_OK;
}

void ct_space_free(struct ct_space *space)
{
    if (!space)
        return;
    free(space->word_of);
    free(space->stride);
    free(space->ranks);
    free(space->constraints);
    free(space);
}

const struct ct_binding *ct_space_binding(const struct ct_space *space)
{
    return space->binding;
}

uint64_t ct_space_count(const struct ct_space *space)
{
    return space->count;
}

void ct_space_stats(const struct ct_space *space, struct ct_space_stats *stats)
{
    *stats = space->stats;
}

void ct_space_config(const struct ct_space *space, uint64_t index, uint32_t *config)
{
    const uint64_t *rank = space->ranks + index * space->words;

    for (size_t p = 0; p < space->param_count; p++)
        config[p] = (uint32_t)(rank[space->word_of[p]] / space->stride[p] %
                               space->binding->domains[p].count);
}

/* Word `w` of the rank of `config`. */
static uint64_t rank_word(const struct ct_space *space, const uint32_t *config, size_t w)
{
    uint64_t rank = 0;

    for (size_t p = 0; p < space->param_count; p++)
        if (space->word_of[p] == w)
            rank += config[p] * space->stride[p];
    return rank;
}

/* The first of the indices [low, high), between which word `w` ascends, where it is at
 * least `want`, or `high`. */
static uint64_t first_at_least(const struct ct_space *space, size_t w, uint64_t want,
                               uint64_t low, uint64_t high)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (space->ranks[middle * space->words + w] < want)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ct_space_index(const struct ct_space *space, const uint32_t *config, uint64_t *index)
{
    uint64_t low = 0;
    uint64_t high = space->count;

    for (size_t p = 0; p < space->param_count; p++)
        if (config[p] >= space->binding->domains[p].count)
            return false;
    /* Each word narrows [low, high) to the ranks that start alike. */
    for (size_t w = 0; w < space->words; w++) {
        uint64_t want = rank_word(space, config, w);

        low = first_at_least(space, w, want, low, high);
        if (want < UINT64_MAX)
            high = first_at_least(space, w, want + 1, low, high);
    }
    if (low >= high)
        return false;
    *index = low;
    return true;
}

bool ct_space_find(const struct ct_space *space, const struct ct_value *values,
                   uint64_t *index)
{
    uint32_t *config = ct_mem_array(space->param_count, sizeof(*config));
    bool found = config != NULL;

    for (size_t p = 0; p < space->param_count && found; p++) {
        const struct ct_domain *domain = &space->binding->domains[p];

        while (config[p] < domain->count &&
               !ct_value_equal(domain->values[config[p]], values[p]))
            config[p]++;
        found = config[p] < domain->count;
    }
    found = found && ct_space_index(space, config, index);
    free(config);
    return found;
}
