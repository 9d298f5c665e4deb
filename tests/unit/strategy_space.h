// SPDX-License-Identifier: Apache-2.0
// What the tests of strategies share: spaces, objectives, and a strategy by its name.
#ifndef CT_TESTS_STRATEGY_SPACE_H
#define CT_TESTS_STRATEGY_SPACE_H

#include "search/strategy.h"
#include "space_text.h"

/* A space of `count` configurations. */
static inline void open_space(struct space_text *t, unsigned count)
{
    char text[100];

    snprintf(text, sizeof(text), "[param]\nA = 0..%u\n[constraint]\nc = A < %u\n",
             count ? count - 1 : 0, count);
    space_text_open(t, text, NULL);
    assert_int_equal(ct_space_count(t->space), count);
}

static inline struct ct_strategy *make(const char *name, const struct space_text *t,
                                       uint64_t seed)
{
    struct ct_strategy *strategy = NULL;
    struct ct_err err = CT_ERR_INIT;

    assert_int_equal(ct_strategy_new(name, t->space, seed, &strategy, &err), CT_OK);
    assert_non_null(strategy);
    assert_string_equal(strategy->class->name, name);
    return strategy;
}

/* A bowl whose bottom is at `at` in each of three parameters with 20 values. */
static inline double bowl(const struct space_text *t, uint64_t index, double at)
{
    uint32_t config[3];
    double sum = 1;

    ct_space_config(t->space, index, config);
    for (int p = 0; p < 3; p++)
        sum += (config[p] - at) * (config[p] - at) / 10;
    return sum;
}

#endif
