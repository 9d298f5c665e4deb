// SPDX-License-Identifier: Apache-2.0
// Whether what the surrogate says of the rest of a space comes true.
#include "strategy_space.h"

#include "base/rng.h"
#include "search/surrogate/surrogate.h"

#include <math.h>
#include <stdlib.h>

enum { A = 12, B = 10, C = 6, D = 3, COUNT = A * B * C * D, SEARCHES = 60 };

static const char text[] = "[param]\nA = 1..12\nB = 1..10\nC = 0..5\nD = 0, 1, 2\n";

/* Times with a bowl in the parameters, effects of pairs of values, and some of single
 * configurations, which nothing foretells; INFINITY for what fails, which is a share of the triples of the
 * first three parameters.  Returns the best. */
static double draw_times(const struct space_text *t, struct ct_rng *rng, double failing,
                         double *times)
{
    bool fails[A * B * C];
    double pairs[A * C + B * D];
    double best = INFINITY;
    double slope[3];
    double at[3];

    for (size_t i = 0; i < A * C + B * D; i++)
        pairs[i] = 0.08 * ct_rng_normal(rng);
    for (size_t i = 0; i < A * B * C; i++)
        fails[i] = failing > 0 && ct_rng_unit(rng) < failing;
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
        times[i] = fails[(c[0] * B + c[1]) * C + c[2]] ? INFINITY : exp(sum);
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

static void note(struct group *groups, int count, double stated, bool remained)
{
    int g = count - 1;

    while (stated < groups[g].from)
        g--;
    groups[g].stated += stated;
    groups[g].remained += remained;
    groups[g].count++;
}

/* The statements of searches of 60 evaluations, after 20, 40 and 60. */
static void search_some(double failing, uint64_t seed, struct group *groups, int count)
{
    double *times = calloc(COUNT, sizeof(*times));
    struct space_text t;
    struct ct_rng rng;

    assert_non_null(times);
    ct_rng_seed(&rng, seed);
    space_text_open(&t, text, NULL);
    assert_int_equal(ct_space_count(t.space), COUNT);
    for (uint64_t s = 0; s < SEARCHES; s++) {
        struct ct_strategy *strategy = make("surrogate", &t, s);
        double least = draw_times(&t, &rng, failing, times);
        double best = INFINITY;

        for (int i = 1; i <= 60; i++) {
            struct ct_strategy_result told = {.failure = CT_FAILURE_WRONG};
            uint64_t index;
            double stated;

            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
            if (times[index] < INFINITY)
                told = (struct ct_strategy_result){.ok = true, .objective = times[index]};
            best = times[index] < best ? times[index] : best;
            ct_strategy_tell(strategy, index, &told);
            stated = i % 20 ? NAN : ct_strategy_chance(strategy, 0.95);
            if (!isnan(stated)) /* enough of it worked */
                note(groups, count, stated, least < 0.95 * best);
        }
        ct_strategy_free(strategy);
    }
    space_text_close(&t);
    free(times);
}

/* Of statements of about p, about p come true. */
static void check(const struct group *groups, int count)
{
    for (int g = 0; g < count; g++) {
        const struct group *of = &groups[g];

        print_message("of %d: %.2f stated, %.2f remained\n", of->count,
                      of->stated / of->count, of->remained / of->count);
        assert_true(of->count >= 20);
        assert_true(fabs(of->stated - of->remained) / of->count < 0.2);
    }
}

/* The standard error is 0.05 to 0.08. */
static void test_calibrated(void **state)
{
    struct group groups[] = {{.from = 0}, {.from = 0.2}, {.from = 0.6}};

    (void)state;
    search_some(0, 5, groups, 3);
    check(groups, 3);
}

/* Where a third fails for no reason, a search finds less, and more remains. */
static void test_calibrated_with_failures(void **state)
{
    struct group groups[] = {{.from = 0}, {.from = 0.6}};

    (void)state;
    search_some(0.35, 6, groups, 2);
    check(groups, 2);
}

/* What the results since the best had promised is summed up: that of results which nobody predicted is
 * small, and a new best begins again. */
static void test_promises(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    const struct ct_surrogate *self;
    double before = 0;
    double best = INFINITY;
    int bests = 0;

    (void)state;
    space_text_open(&t, text, NULL);
    strategy = make("surrogate", &t, 1);
    self = (const struct ct_surrogate *)strategy;
    for (int i = 0; i < 60; i++) {
        struct ct_strategy_result told = {.ok = true};
        const struct ct_surrogate_sample *sample;
        uint64_t index;

        if (i < 20)
            index = (uint64_t)i * 100; /* of an earlier search */
        else
            assert_int_equal(ct_strategy_ask(strategy, 1, &index), 1);
        told.objective = 1e3 + fabs((double)index - 1234);
        ct_strategy_tell(strategy, index, &told);
        sample = &self->data.samples[self->data.count - 1];
        assert_int_equal(sample->index, index);
        assert_true(sample->promise >= 0 && sample->promise <= 1);
        assert_true(i >= 20 || (sample->promise > 0 && sample->promise < 0.02));
        if (told.objective < best) {
            best = told.objective;
            before = 0;
            bests += i >= 20;
        } else {
            before += sample->promise;
        }
        assert_true(fabs(self->fit.promised - before) < 1e-12);
    }
    assert_true(bests > 0 && before > 0);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

/* The further the best is ahead of all others, the more may remain; bounds and failures are none of
 * them. */
static void test_lead(void **state)
{
    struct space_text t;
    struct ct_strategy *strategy;
    struct ct_surrogate *self;
    double before;
    double after;

    (void)state;
    space_text_open(&t, text, NULL);
    strategy = make("surrogate", &t, 1);
    self = (struct ct_surrogate *)strategy;
    for (uint64_t i = 0; i < 30; i++)
        ct_strategy_tell(strategy, i * 70,
                         &(struct ct_strategy_result){.ok = true,
                                                      .objective = 1e3 + (double)(i % 7),
                                                      .censored = i == 5});
    ct_strategy_tell(strategy, 1,
                     &(struct ct_strategy_result){.failure = CT_FAILURE_BUILD});
    ct_strategy_chance(strategy, 0.95);
    before = ct_strategy_chance(strategy, 0.95);
    self->data.samples[5].cost = 500;
    assert_true(ct_strategy_chance(strategy, 0.95) == before);
    for (size_t s = 0; s < self->data.count; s++)
        self->data.samples[s].cost *= self->data.samples[s].cost > 1e3 ? 1.2 : 1;
    after = ct_strategy_chance(strategy, 0.95);
    assert_true(after == before); /* there are three as good as the best */
    for (size_t s = 1; s < self->data.count; s++)
        self->data.samples[s].cost *= self->data.samples[s].cost == 1e3 ? 1.2 : 1;
    after = ct_strategy_chance(strategy, 0.95);
    print_message("%.3f, with a lead %.3f\n", before, after);
    assert_true(after > before + 0.02);
    ct_strategy_free(strategy);
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calibrated),
        cmocka_unit_test(test_calibrated_with_failures),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_lead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
