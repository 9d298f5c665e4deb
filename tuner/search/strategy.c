// SPDX-License-Identifier: Apache-2.0
// The table of strategies, and calls through it.
#include "search/strategies.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>

const struct ct_strategy_class *const ct_strategies[] = {
#define CT_STRATEGY(name) &ct_strategy_##name,
#include "search/strategies.def"
#undef CT_STRATEGY
};
const size_t ct_strategy_count = sizeof(ct_strategies) / sizeof(ct_strategies[0]);

void ct_strategy_put_names(struct ct_str *out)
{
    for (size_t i = 0; i < ct_strategy_count; i++)
        ct_str_addf(out, "%s%s",
                    !i                           ? ""
                    : i + 1 == ct_strategy_count ? " or "
                                                 : ", ",
                    ct_strategies[i]->name);
}

static enum ct_status unknown(const char *name, struct ct_err *err)
{
    const char *names[sizeof(ct_strategies) / sizeof(ct_strategies[0])];
    const char *near;
    struct ct_str all;
    enum ct_status status;

    ct_str_init(&all);
    ct_strategy_put_names(&all);
    for (size_t i = 0; i < ct_strategy_count; i++)
        names[i] = ct_strategies[i]->name;
    near = ct_str_suggest(name, names, ct_strategy_count);
    if (near)
        status = ct_err_set(err, CT_E_USAGE, "unknown strategy '%s'; did you mean '%s'?",
                            name, near);
    else
        status =
            ct_err_set(err, CT_E_USAGE, "unknown strategy '%s': use %s", name, all.data);
    ct_str_release(&all);
    return status;
}

enum ct_status ct_strategy_new(const char *name, const struct ct_space *space,
                               uint64_t seed, struct ct_strategy **out,
                               struct ct_err *err)
{
    for (size_t i = 0; i < ct_strategy_count; i++) {
        struct ct_strategy *made;

        if (!ct_str_equal(name, ct_strategies[i]->name))
            continue;
        made = ct_strategies[i]->create(space, seed);
        if (!made)
            return ct_err_nomem(err);
        made->class = ct_strategies[i];
        *out = made;
        return CT_OK;
    }
    return unknown(name, err);
}

void ct_strategy_limit(struct ct_strategy *strategy, const struct ct_limits *limits)
{
    if (strategy->class->limit)
        strategy->class->limit(strategy, limits);
}

bool ct_strategy_why(struct ct_strategy *strategy, uint64_t index, struct ct_why *out)
{
    return strategy->class->why && strategy->class->why(strategy, index, out);
}

double ct_strategy_chance(struct ct_strategy *strategy, double factor)
{
    return strategy->class->chance ? strategy->class->chance(strategy, factor) : NAN;
}

void ct_strategy_transfer(struct ct_strategy *strategy, uint64_t index,
                          const struct ct_strategy_result *result, unsigned source)
{
    if (strategy->class->prior)
        strategy->class->prior(strategy, index, result, source);
}

const char *ct_strategy_name(const struct ct_strategy *strategy)
{
    return strategy->class->name_of ? strategy->class->name_of(strategy)
                                    : strategy->class->name;
}

/* The class of the strategy that does the work. */
static const struct ct_strategy_class *working_class(const struct ct_strategy *strategy)
{
    const char *name = ct_strategy_name(strategy);

    for (size_t i = 0; i < ct_strategy_count; i++)
        if (ct_str_equal(name, ct_strategies[i]->name))
            return ct_strategies[i];
    return strategy->class;
}

bool ct_strategy_has_transfer(const struct ct_strategy *strategy)
{
    return working_class(strategy)->prior != NULL;
}

bool ct_strategy_has_chance(const struct ct_strategy *strategy)
{
    return working_class(strategy)->chance != NULL;
}

size_t ct_strategy_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices)
{
    return strategy->class->ask(strategy, max, indices);
}

void ct_strategy_tell(struct ct_strategy *strategy, uint64_t index,
                      const struct ct_strategy_result *result)
{
    strategy->class->tell(strategy, index, result);
}

void ct_strategy_free(struct ct_strategy *strategy)
{
    if (strategy)
        strategy->class->destroy(strategy);
}
