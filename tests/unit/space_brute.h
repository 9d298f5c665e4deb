// SPDX-License-Identifier: Apache-2.0
// A space compared with its definition, combination by combination, for tests.
#ifndef CT_TESTS_SPACE_BRUTE_H
#define CT_TESTS_SPACE_BRUTE_H

#include "binding_canonical.h"
#include "space_text.h"

#include <stdlib.h>

enum { BRUTE_PARAMS_MAX = 20 };

/* Counts through the Cartesian product in lexicographic order; false after the last. */
static inline bool brute_next(const struct ct_binding *binding, uint32_t *config)
{
    for (size_t p = binding->spec->param_count; p-- > 0;) {
        if (++config[p] < binding->domains[p].count)
            return true;
        config[p] = 0;
    }
    return false;
}

struct brute_truth {
    bool canonical;
    bool valid;
    bool undecided[BRUTE_PARAMS_MAX]; /* by constraint */
};

static inline struct brute_truth brute_judge(const struct ct_binding *binding,
                                             const uint32_t *config)
{
    struct ct_value *env = ct_mem_array(binding->spec->slots.count, sizeof(*env));
    struct brute_truth truth = {0};

    assert_non_null(env);
    ct_binding_evaluate(binding, config, env);
    truth.canonical = binding_canonical(binding, config, env);
    truth.valid = truth.canonical;
    for (size_t c = 0; c < binding->spec->constraint_count; c++) {
        enum ct_verdict verdict = ct_binding_decide(binding, c, env);

        truth.valid = truth.valid && verdict != CT_VIOLATED && verdict != CT_FAILED;
        truth.undecided[c] = verdict == CT_UNDECIDED;
    }
    free(env);
    return truth;
}

/* Checks the space's answers about one valid configuration; `seen`: indices found so far. */
static inline void brute_member(const struct ct_space *space, const uint32_t *config,
                                bool *seen)
{
    const struct ct_binding *binding = ct_space_binding(space);
    struct ct_value values[BRUTE_PARAMS_MAX];
    uint32_t back[BRUTE_PARAMS_MAX];
    uint64_t index = UINT64_MAX;
    uint64_t found = UINT64_MAX;

    assert_true(ct_space_contains(space, config));
    assert_true(ct_space_index(space, config, &index));
    assert_true(index < ct_space_count(space));
    assert_false(seen[index]);
    seen[index] = true;
    ct_space_config(space, index, back);
    if (binding->spec->param_count)
        assert_memory_equal(back, config, binding->spec->param_count * sizeof(*back));
    ct_binding_values(binding, config, values);
    assert_true(ct_space_find(space, values, &found));
    assert_true(found == index);
}

static inline void brute_stats(const struct ct_space *space, uint64_t all,
                               uint64_t canonical, uint64_t valid, const bool *seen,
                               const bool *met)
{
    struct ct_space_stats stats;

    ct_space_stats_get(space, &stats);
    assert_true(stats.cartesian == (double)all);
    assert_true(stats.canonical == canonical);
    assert_true(stats.valid == valid);
    assert_true(ct_space_count(space) == valid);
    assert_true(stats.bytes > 0 && stats.peak_bytes > 0);
    for (size_t c = 0; c < stats.constraint_count; c++) {
        const struct ct_constraint_stats *one = &stats.constraints[c];

        assert_true(one->failed <= one->removed && one->removed <= one->tried);
        assert_true(one->tried <= stats.cartesian);
        assert_true(!one->vacuous || (one->removed == 0 && one->component == SIZE_MAX));
        /* Undecided for a valid configuration: must be reported.  Never: must not be. */
        assert_true(one->undecided || !met[c]);
        assert_true(!one->undecided || seen[c]);
    }
}

/* Compares a space with its definition; returns the number of valid configurations. */
static inline uint64_t brute_check(const struct space_text *t)
{
    const struct ct_binding *binding = t->binding;
    uint64_t count = ct_space_count(t->space);
    bool *numbers = ct_mem_array((size_t)count, sizeof(*numbers));
    uint32_t config[BRUTE_PARAMS_MAX] = {0};
    bool seen[BRUTE_PARAMS_MAX] = {false};
    bool met[BRUTE_PARAMS_MAX] = {false};
    uint64_t all = 0;
    uint64_t canonical = 0;
    uint64_t valid = 0;

    assert_non_null(numbers);
    assert_true(binding->spec->param_count <= BRUTE_PARAMS_MAX);
    do {
        struct brute_truth truth = brute_judge(binding, config);
        uint64_t at;

        all++;
        canonical += truth.canonical;
        valid += truth.valid;
        for (size_t c = 0; c < binding->spec->constraint_count; c++) {
            seen[c] = seen[c] || truth.undecided[c];
            met[c] = met[c] || (truth.valid && truth.undecided[c]);
        }
        if (truth.valid) {
            brute_member(t->space, config, numbers);
        } else {
            assert_false(ct_space_contains(t->space, config));
            assert_false(ct_space_index(t->space, config, &at));
        }
    } while (brute_next(binding, config));
    brute_stats(t->space, all, canonical, valid, seen, met);
    free(numbers);
    return valid;
}

#endif
