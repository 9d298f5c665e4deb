// SPDX-License-Identifier: Apache-2.0
// The population that several strategies keep.
#include "search/herd.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool ct_herd_init(struct ct_herd *herd, size_t size, size_t param_count)
{
    herd->size = size;
    herd->count = 0;
    herd->param_count = param_count;
    herd->configs = ct_mem_array(size * param_count, sizeof(*herd->configs));
    herd->costs = ct_mem_array(size, sizeof(*herd->costs));
    return herd->configs && herd->costs;
}

void ct_herd_release(struct ct_herd *herd)
{
    free(herd->configs);
    free(herd->costs);
}

uint32_t *ct_herd_at(const struct ct_herd *herd, size_t i)
{
    return herd->configs + i * herd->param_count;
}

bool ct_herd_has(const struct ct_herd *herd, const uint32_t *config)
{
    for (size_t i = 0; i < herd->count; i++)
        if (memcmp(ct_herd_at(herd, i), config, herd->param_count * sizeof(*config)) == 0)
            return true;
    return false;
}

size_t ct_herd_best(const struct ct_herd *herd)
{
    size_t best = 0;

    for (size_t i = 1; i < herd->count; i++)
        if (herd->costs[i] < herd->costs[best])
            best = i;
    return best;
}

size_t ct_herd_worst(const struct ct_herd *herd)
{
    size_t worst = 0;

    for (size_t i = 1; i < herd->count; i++)
        if (herd->costs[i] > herd->costs[worst])
            worst = i;
    return worst;
}

void ct_herd_set(struct ct_herd *herd, size_t i, const uint32_t *config, double cost)
{
    memcpy(ct_herd_at(herd, i), config, herd->param_count * sizeof(*config));
    herd->costs[i] = cost;
    herd->count += i == herd->count;
}
