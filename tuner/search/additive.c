// SPDX-License-Identifier: Apache-2.0
#include "search/additive.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUES_MOST = 1 << 16, /* of all parameters */
    SWEEPS = 4,
};

bool ct_additive_init(struct ct_additive *model, const struct ct_binding *binding,
                      size_t most)
{
    memset(model, 0, sizeof(*model));
    model->most = most;
    model->params = binding->spec->param_count;
    model->offsets = ct_mem_array(model->params + 1, sizeof(*model->offsets));
    if (!model->offsets)
        return false;
    for (size_t p = 0; p < model->params; p++)
        model->offsets[p + 1] = model->offsets[p] + binding->domains[p].count;
    model->values = model->offsets[model->params];
    if (model->values > VALUES_MOST)
        return false;
    model->effect = ct_mem_array(model->values + 1, sizeof(*model->effect));
    model->sums = ct_mem_array(model->values + 1, sizeof(*model->sums));
    model->counts = ct_mem_array(model->values + 1, sizeof(*model->counts));
    model->configs = ct_mem_array(most, (model->params + 1) * sizeof(*model->configs));
    model->costs = ct_mem_array(most, sizeof(*model->costs));
    model->rest = ct_mem_array(most, sizeof(*model->rest));
    return model->effect && model->sums && model->counts && model->configs &&
           model->costs && model->rest;
}

void ct_additive_release(struct ct_additive *model)
{
    free(model->offsets);
    free(model->effect);
    free(model->sums);
    free(model->counts);
    free(model->configs);
    free(model->costs);
    free(model->rest);
    memset(model, 0, sizeof(*model));
}

void ct_additive_add(struct ct_additive *model, const uint32_t *config, double log_cost)
{
    size_t row = model->next;

    for (size_t p = 0; p < model->params; p++)
        model->configs[row * model->params + p] = config[p];
    model->costs[row] = log_cost;
    model->next = (row + 1) % model->most;
    if (model->rows < model->most)
        model->rows++;
}

/* One parameter's effects anew, given those of the others. */
static void fit_param(struct ct_additive *model, size_t p)
{
    size_t from = model->offsets[p];
    size_t to = model->offsets[p + 1];

    memset(model->sums + from, 0, (to - from) * sizeof(*model->sums));
    memset(model->counts + from, 0, (to - from) * sizeof(*model->counts));
    for (size_t i = 0; i < model->rows; i++) {
        size_t value = from + model->configs[i * model->params + p];

        model->rest[i] += model->effect[value];
        model->sums[value] += model->rest[i];
        model->counts[value]++;
    }
    for (size_t value = from; value < to; value++)
        model->effect[value] = model->sums[value] / (double)(model->counts[value] + 1);
    for (size_t i = 0; i < model->rows; i++)
        model->rest[i] -= model->effect[from + model->configs[i * model->params + p]];
}

/* The logarithms less their mean; failures count as the highest. */
static void find_rest(struct ct_additive *model)
{
    double worst = -INFINITY;
    double mean = 0;

    for (size_t i = 0; i < model->rows; i++)
        if (isfinite(model->costs[i]) && model->costs[i] > worst)
            worst = model->costs[i];
    for (size_t i = 0; i < model->rows; i++) {
        model->rest[i] = isfinite(model->costs[i]) ? model->costs[i]
                         : isfinite(worst)         ? worst
                                                   : 0;
        mean += model->rest[i] / (double)model->rows;
    }
    for (size_t i = 0; i < model->rows; i++)
        model->rest[i] -= mean;
}

bool ct_additive_fit(struct ct_additive *model)
{
    memset(model->effect, 0, model->values * sizeof(*model->effect));
    if (model->rows < CT_ADDITIVE_LEAST)
        return false;
    find_rest(model);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t p = 0; p < model->params; p++)
            fit_param(model, p);
    return true;
}

double ct_additive_of(const struct ct_additive *model, const uint32_t *config)
{
    double sum = 0;

    for (size_t p = 0; p < model->params; p++)
        sum += model->effect[model->offsets[p] + config[p]];
    return sum;
}
