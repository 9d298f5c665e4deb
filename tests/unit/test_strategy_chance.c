// SPDX-License-Identifier: Apache-2.0
// Whether what the surrogate says of the rest of a space comes true.
#include "strategy_space.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { A = 12, B = 10, C = 6, D = 3, COUNT = A * B * C * D, SEARCHES = 60 };

static const char text[] = "[param]\nA = 1..12\nB = 1..10\nC = 0..5\nD = 0, 1, 2\n";

/* Times with a bowl in the parameters, effects of pairs of values, and some of single
 * configurations, which nothing foretells.  Returns the best. */
static double draw_times(const struct space_text *t, struct ct_rng *rng, double *times)
{
    double pairs[A * C + B * D];
    double best = INFINITY;
    double slope[3];
    double at[3];

    for (size_t i = 0; i < A * C + B * D; i++)
        pairs[i] = 0.08 * ct_rng_normal(rng);
    for (int p = 0; p < 3; p++) {
        slope[p] = 0.2 + ct_rng_unit(rng);
        at[p] = ct_rng_unit(rng);
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        uint32_t c[4];
        double away[3];
        double sum = 0.02 * ct_rng_normal(rng);

        ct_space_config(t->space, i, c);
        away[0] = c[0] / (A - 1.0) - at[0];
        away[1] = c[1] / (B - 1.0) - at[1];
        away[2] = c[2] / (C - 1.0) - at[2];
        for (int p = 0; p < 3; p++)
            sum += slope[p] * away[p] * away[p];
        sum += pairs[c[0] * C + c[2]] + pairs[A * C + c[1] * D + c[3]];
        times[i] = exp(sum);
        best = times[i] < best ? times[i] : best;
    }
    return best;
}

/* Statements of about the same chance. */
struct group {
    double from;
    double stated;
    double remained;
    int count;
};

static void note(struct group *groups, double stated, bool remained)
{
    size_t g = 2;

    while (stated < groups[g].from)
        g--;
    groups[g].stated += stated;
    groups[g].remained += remained;
    groups[g].count++;
}

/* Of statements of about p, about p come true: the standard error is 0.05 to 0.08. */
static void test_calibrated(void **state)
{
    struct group groups[3] = {{.from = 0}, {.from = 0.2}, {.from = 0.6}};
    double *times = calloc(COUNT, sizeof(*times));
    struct space_text t;
    struct ct_rng rng;

    (void)state;
    assert_non_null(times);
    ct_rng_seed(&rng, 5);
    space_text_open(&t, text, NULL);
    assert_int_equal(ct_space_count(t.space), COUNT);
    for (uint64_t s = 0; s < SEARCHES; s++) {
        struct ct_strategy *strategy = make("surrogate", &t, s);
        double least = draw_times(&t, &rng, times);
        double best = INFINITY;

        for (int i = 1; i <= 60; i++) {
            struct ct_strategy_result told = {.ok = true};
            uint64_t index;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            told.objective = times[index];
            best = told.objective < best ? told.objective : best;
            ct_strategy_tell(strategy, index, &told);
            if (i % 20 == 0)
                note(groups, ct_strategy_chance(strategy, 0.95), least < 0.95 * best);
        }
        ct_strategy_free(strategy);
    }
    for (int g = 0; g < 3; g++) {
        struct group *of = &groups[g];
        assert_true(of->count >= 20);
        assert_true(fabs(of->stated - of->remained) / of->count < 0.2);
    }
    space_text_close(&t);
    free(times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calibrated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
