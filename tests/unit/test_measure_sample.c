// SPDX-License-Identifier: Apache-2.0
// Decisions on samples, fed with made-up times.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "worker/timing/sample.h"

enum { MS = 1000000 };

/* Takes samples from a device whose pipeline lasts `pipeline_ns`, with a little overhead,
 * until the sampler has enough or `most` were taken; returns how many. */
static size_t run(struct ct_sampler *sampler, uint64_t pipeline_ns, size_t most)
{
    struct ct_err err = CT_ERR_INIT;
    size_t taken = 0;
    uint32_t repeats;

    while (taken < most && (repeats = ct_sampler_next(sampler)) > 0) {
        struct ct_sample sample = {repeats, repeats * pipeline_ns,
                                   repeats * pipeline_ns + 50000, 0};

        assert_int_equal(ct_sampler_add(sampler, &sample, &err), CT_OK);
        taken++;
    }
    return taken;
}

static void samples_last_ten_milliseconds(void **state)
{
    static const struct {
        uint64_t estimate_ns;
        uint32_t repeats;
    } cases[] = {
        {0, 1},      {1, 100},     {100000, 100}, {100001, 100},     {1 * MS, 10},
        {3 * MS, 4}, {10 * MS, 1}, {9999999, 2},  {5000ull * MS, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_sampler sampler;

        ct_sampler_init(&sampler, 0, 0, cases[i].estimate_ns);
        assert_int_equal(ct_sampler_next(&sampler), cases[i].repeats);
        ct_sampler_release(&sampler);
    }
}

/* The estimate came from a cold launch: what follows is faster, and more is repeated. */
static void cold_estimates_are_corrected(void **state)
{
    struct ct_sampler sampler;

    (void)state;
    ct_sampler_init(&sampler, 10, 0, 50 * MS);
    assert_int_equal(ct_sampler_next(&sampler), 1);
    assert_int_equal(run(&sampler, 1 * MS, 1), 1);
    assert_int_equal(ct_sampler_next(&sampler), 10);
    ct_sampler_release(&sampler);
}

static void number_of_samples(void **state)
{
    struct ct_sampler sampler;
    struct ct_outcome outcome = {0};
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    ct_sampler_init(&sampler, 0, 0, 2 * MS);
    assert_int_equal(run(&sampler, 2 * MS, 1000), 10);
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, &err), CT_OK);
    assert_int_equal(outcome.samples.count, 10);
    assert_int_equal(outcome.samples.launches, 5);
    assert_false(outcome.stopped_early);
    assert_false(outcome.wall_clock);
    assert_true(outcome.time_ns == 2 * MS);
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
    ct_sampler_init(&sampler, 25, 0, 2 * MS);
    assert_int_equal(run(&sampler, 2 * MS, 1000), 25);
    ct_sampler_release(&sampler);
}

static void clearly_slower_stops_after_three(void **state)
{
    static const struct {
        uint64_t pipeline_ns;
        size_t samples;
    } cases[] = {{1260000, 3}, {1250000, 10}, {900000, 10}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct ct_sampler sampler;
        struct ct_outcome outcome = {0};

        ct_sampler_init(&sampler, 10, 1 * MS, 0);
        assert_int_equal(run(&sampler, cases[i].pipeline_ns, 1000), cases[i].samples);
        assert_int_equal(ct_sampler_finish(&sampler, &outcome, NULL), CT_OK);
        assert_int_equal(outcome.stopped_early, cases[i].samples == 3);
        ct_outcome_release(&outcome);
        ct_sampler_release(&sampler);
    }
}

/* One good sample among bad ones keeps a configuration in the race. */
static void best_sample_decides_on_stopping(void **state)
{
    struct ct_sampler sampler;

    (void)state;
    ct_sampler_init(&sampler, 10, 1 * MS, 0);
    assert_int_equal(run(&sampler, 1 * MS, 1), 1);
    assert_int_equal(run(&sampler, 9 * MS, 1000), 9);
    ct_sampler_release(&sampler);
}

static void samples_are_kept_in_order(void **state)
{
    static const uint64_t times_ns[] = {5 * MS, 1 * MS, 4 * MS, 2 * MS, 3 * MS};
    struct ct_sampler sampler;
    struct ct_outcome outcome = {0};

    (void)state;
    ct_sampler_init(&sampler, 5, 0, 0);
    for (size_t i = 0; i < 5; i++) {
        struct ct_sample sample = {2, 2 * times_ns[i], 2 * times_ns[i], 0};

        assert_int_equal(ct_sampler_add(&sampler, &sample, NULL), CT_OK);
    }
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, NULL), CT_OK);
    for (size_t i = 0; i < 5; i++)
        assert_true(outcome.samples.ns[i] == (double)times_ns[i]);
    assert_true(outcome.time_ns == 3 * MS);
    assert_true(outcome.low_ns == 1 * MS && outcome.high_ns == 5 * MS);
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
}

/* What a sample implies about the device's clock. */
enum clock { CLOCK_FINE, CLOCK_SHORT, CLOCK_WRONG };

static enum clock clock_of(const struct ct_sample *sample, double timer_ns)
{
    struct ct_sampler sampler;
    enum clock clock;

    ct_sampler_init(&sampler, 10, 0, MS);
    ct_sampler_timer(&sampler, timer_ns);
    assert_int_equal(ct_sampler_add(&sampler, sample, NULL), CT_OK);
    assert_int_equal(sampler.count, 1);
    clock = sampler.clock_wrong ? CLOCK_WRONG : sampler.shorts ? CLOCK_SHORT : CLOCK_FINE;
    ct_sampler_release(&sampler);
    return clock;
}

static void clocks_are_judged(void **state)
{
    static const struct {
        struct ct_sample sample;
        enum clock clock;
    } cases[] = {
        {{1, 10 * MS, 10 * MS, 0}, CLOCK_FINE},
        {{1, 10 * MS, 10 * MS + 500000, 0}, CLOCK_FINE},
        {{1, 10 * MS + 100000, 10 * MS, 0}, CLOCK_FINE}, /* clocks drift */
        {{1, 0, 10 * MS, 0}, CLOCK_WRONG},
        {{1, 11 * MS, 10 * MS, 0}, CLOCK_WRONG},
        {{1, 100000, 50000, 0}, CLOCK_WRONG},
        {{1, 192000, 10 * MS, 0}, CLOCK_SHORT}, /* ticks of 52 ns */
        {{1, 5000, 900000, 0}, CLOCK_FINE},     /* all overhead: cannot tell */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(clock_of(&cases[i].sample, 0), cases[i].clock);
}

/* A clock is right to one step: 1 ms too long is no lie of one that goes in 1 ms. */
static void coarse_clocks_are_no_lie(void **state)
{
    static const struct ct_sample longer = {50, 71 * MS, 70 * MS - 700000, 0};

    (void)state;
    assert_int_equal(clock_of(&longer, 1), CLOCK_WRONG);
    assert_int_equal(clock_of(&longer, 1 * MS), CLOCK_FINE);
}

/* A hundred steps of the clock, whichever of the two clocks saw less of a pipeline. */
static void samples_outlast_the_clocks_steps(void **state)
{
    static const struct {
        uint64_t estimate_ns;
        double timer_ns;
        uint32_t repeats;
    } cases[] = {
        {1000, 0, 100},          /* 100 of them, 0.1 ms */
        {1000, 1000, 100},       /* just enough */
        {1000, 1001, 101},       /* 100.1 us */
        {1000, 1000000, 100000}, /* steps of 1 ms: 100 ms */
        {1, 1000000, 1000000},   /* there is a bound */
        {30 * MS, 1000000, 4},   /* 100 ms */
        {500ull * MS, 1000000, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_sampler sampler;

        ct_sampler_init(&sampler, 0, 0, cases[i].estimate_ns);
        ct_sampler_timer(&sampler, cases[i].timer_ns);
        assert_int_equal(ct_sampler_next(&sampler), cases[i].repeats);
        ct_sampler_release(&sampler);
    }
}

/* Wall time is all overhead here: what has to be long is what the device's clock sees. */
static void overhead_does_not_count_as_steps(void **state)
{
    struct ct_sample sample = {100, 100000, 900000, 0};
    struct ct_sampler sampler;

    (void)state;
    ct_sampler_init(&sampler, 0, 0, 9000);
    ct_sampler_timer(&sampler, 10000);
    assert_int_equal(ct_sampler_next(&sampler), 112);
    assert_int_equal(ct_sampler_add(&sampler, &sample, NULL), CT_OK);
    assert_int_equal(ct_sampler_next(&sampler), 1000);
    ct_sampler_release(&sampler);
}

/* The estimate came while the host was held up: the clock does not lie, it could not see
 * anything. */
static void samples_too_short_for_the_clock_are_passed_over(void **state)
{
    static const struct ct_sample blind = {1, 0, 100000, 0};
    static const struct ct_sample fine = {50, 5 * MS, 5 * MS, 0};
    static const struct ct_sample lie = {50, 0, 5 * MS, 0};
    struct ct_sampler sampler;

    (void)state;
    ct_sampler_init(&sampler, 3, 0, 20 * MS);
    ct_sampler_timer(&sampler, 50000);
    assert_int_equal(ct_sampler_next(&sampler), 1);
    assert_int_equal(ct_sampler_add(&sampler, &blind, NULL), CT_OK);
    assert_int_equal(sampler.count, 0);
    assert_false(sampler.clock_wrong);
    assert_int_equal(ct_sampler_next(&sampler), 100);
    assert_int_equal(ct_sampler_add(&sampler, &fine, NULL), CT_OK);
    assert_int_equal(sampler.count, 1);
    /* Long enough to be seen, and not seen. */
    assert_int_equal(ct_sampler_add(&sampler, &lie, NULL), CT_OK);
    assert_int_equal(sampler.count, 2);
    assert_true(sampler.clock_wrong);
    ct_sampler_release(&sampler);
}

/* Runs that must be single are as long as they are. */
static void single_runs_are_taken_as_they_are(void **state)
{
    static const struct ct_sample single = {1, 50000, 100000, 0};
    struct ct_sampler sampler;

    (void)state;
    ct_sampler_init(&sampler, 3, 0, 100000);
    ct_sampler_timer(&sampler, 50000);
    assert_int_equal(ct_sampler_next(&sampler), 100);
    assert_int_equal(ct_sampler_add(&sampler, &single, NULL), CT_OK);
    assert_int_equal(sampler.count, 1);
    ct_sampler_release(&sampler);
}

/* What is forgotten takes with it what it said of the clock. */
static void rewinding_forgets(void **state)
{
    static const struct ct_sample fine = {1, 10 * MS, 10 * MS, 0};
    static const struct ct_sample wrong = {1, 0, 10 * MS, 0};
    struct ct_sampler sampler;
    struct ct_outcome outcome = {0};

    (void)state;
    ct_sampler_init(&sampler, 3, 0, 0);
    assert_int_equal(ct_sampler_add(&sampler, &fine, NULL), CT_OK);
    assert_int_equal(ct_sampler_add(&sampler, &wrong, NULL), CT_OK);
    assert_int_equal(ct_sampler_add(&sampler, &wrong, NULL), CT_OK);
    assert_int_equal(ct_sampler_next(&sampler), 0);
    ct_sampler_rewind(&sampler, 1);
    assert_int_not_equal(ct_sampler_next(&sampler), 0);
    assert_int_equal(ct_sampler_rest_ns(&sampler), 20 * MS);
    assert_int_equal(ct_sampler_add(&sampler, &fine, NULL), CT_OK);
    assert_int_equal(ct_sampler_add(&sampler, &fine, NULL), CT_OK);
    assert_int_equal(ct_sampler_next(&sampler), 0);
    assert_int_equal(ct_sampler_rest_ns(&sampler), 0);
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, NULL), CT_OK);
    assert_int_equal(outcome.samples.count, 3);
    assert_false(outcome.wall_clock);
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
}

/* The first `wrongs` samples have event times of `event_ns`, the others are fine at 10
 * ms; so many are taken as the sampler wants. */
static bool uses_wall(size_t wrongs, uint64_t event_ns)
{
    struct ct_sampler sampler;
    struct ct_outcome outcome = {0};
    bool wall;

    ct_sampler_init(&sampler, 10, 0, 0);
    for (size_t i = 0; ct_sampler_next(&sampler); i++) {
        struct ct_sample sample = {1, i < wrongs ? event_ns : 10 * MS, 12 * MS, 0};

        assert_int_equal(ct_sampler_add(&sampler, &sample, NULL), CT_OK);
    }
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, NULL), CT_OK);
    wall = outcome.wall_clock;
    /* All samples by the same clock. */
    assert_true(outcome.samples.ns[outcome.samples.count - 1] ==
                (wall ? 12 * MS : 10 * MS));
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
    return wall;
}

static void lying_clocks_are_replaced(void **state)
{
    (void)state;
    assert_false(uses_wall(0, 0));
    assert_true(uses_wall(1, 0));
    assert_true(uses_wall(1, 20 * MS));
    assert_false(uses_wall(9, 1000));
    /* One fine sample is enough to clear it, and is waited for. */
    assert_false(uses_wall(10, 1000));
    assert_false(uses_wall(29, 1000));
    assert_true(uses_wall(SIZE_MAX, 1000));
}

/* A host that is held up makes wall time of short samples long: that is no fault of the
 * device's clock, and longer samples show it. */
static void busy_hosts_are_no_lie(void **state)
{
    struct ct_sampler sampler;
    struct ct_outcome outcome = {0};

    (void)state;
    ct_sampler_init(&sampler, 10, 0, 5 * MS / 2);
    for (uint64_t i = 0; ct_sampler_next(&sampler); i++) {
        uint32_t repeats = ct_sampler_next(&sampler);
        struct ct_sample sample = {repeats, repeats * MS, (repeats + 15) * MS, 0};

        assert_int_equal(clock_of(&sample, 0), i < 10 ? CLOCK_SHORT : CLOCK_FINE);
        assert_int_equal(ct_sampler_add(&sampler, &sample, NULL), CT_OK);
    }
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, NULL), CT_OK);
    assert_false(outcome.wall_clock);
    assert_int_equal(outcome.samples.count, 11);
    assert_true(outcome.time_ns == MS);
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
}

/* Nor is a wrong clock cleared by a sample that is mostly overhead, as the first one is if the host was
 * held up while its length was estimated. */
static void short_samples_clear_no_clock(void **state)
{
    struct ct_sampler sampler;
    struct ct_outcome outcome = {0};

    (void)state;
    ct_sampler_init(&sampler, 2, 0, MS / 2);
    while (ct_sampler_next(&sampler)) {
        uint32_t repeats = ct_sampler_next(&sampler);
        struct ct_sample sample = {repeats, 2880ULL * repeats, 28800ULL * repeats, 0};

        assert_int_equal(clock_of(&sample, 0), sampler.count ? CLOCK_SHORT : CLOCK_FINE);
        assert_int_equal(ct_sampler_add(&sampler, &sample, NULL), CT_OK);
    }
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, NULL), CT_OK);
    assert_true(outcome.wall_clock);
    assert_true(outcome.time_ns == 28800);
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
}

/* Of a launch of a few microseconds all samples are mostly overhead: that the host was held up in one of
 * them says nothing of the clock. */
static void held_up_samples_blame_no_clock(void **state)
{
    struct ct_sampler sampler;
    struct ct_outcome outcome = {0};

    (void)state;
    ct_sampler_init(&sampler, 10, 0, 0);
    for (size_t i = 0; ct_sampler_next(&sampler); i++) {
        struct ct_sample sample = {1, 5000, i % 2 ? 50000 : 5 * MS, 0};

        assert_int_equal(clock_of(&sample, 0), i % 2 ? CLOCK_FINE : CLOCK_SHORT);
        assert_int_equal(ct_sampler_add(&sampler, &sample, NULL), CT_OK);
    }
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, NULL), CT_OK);
    assert_false(outcome.wall_clock);
    assert_int_equal(outcome.samples.count, 10);
    assert_true(outcome.time_ns == 5000);
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
}

static void no_sample_is_an_error(void **state)
{
    struct ct_sampler sampler;
    struct ct_outcome outcome = {0};
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    ct_sampler_init(&sampler, 0, 0, 0);
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, &err), CT_E_INTERNAL);
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
}

/* Parts of 10 pipelines of 1 ms each, of which those before the last, `disturbed` of
 * them, take `longer` more. */
static struct ct_sample_parts parts_of(size_t count, size_t disturbed, uint64_t longer)
{
    struct ct_sample_parts parts = {.count = count, .start_ns = 7};
    uint64_t end_ns = parts.start_ns;

    for (size_t i = 0; i < count; i++) {
        /* A little noise. */
        end_ns += 10 * MS + (i % 3) * (MS / 10);
        if (i + 1 < count && i + 1 + disturbed >= count)
            end_ns += longer;
        parts.ends_ns[i] = end_ns;
        parts.runs[i] = 10;
    }
    return parts;
}

static void accidents_are_left_out(void **state)
{
    struct ct_sample_parts parts = parts_of(16, 0, 0);
    struct ct_sample sample = {.repeats = 160, .wall_ns = 400 * MS};
    struct ct_sampler sampler;
    struct ct_outcome outcome = {0};
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    assert_true(ct_sample_accidents(&parts) == 0);
    parts = parts_of(16, 1, 90 * MS);
    assert_in_range(ct_sample_accidents(&parts), 89 * MS, 91 * MS);
    parts = parts_of(16, 3, 90 * MS);
    assert_in_range(ct_sample_accidents(&parts), 3 * 89 * MS, 3 * 91 * MS);
    /* What happens to a quarter is no accident, ... */
    parts = parts_of(16, 4, 90 * MS);
    assert_true(ct_sample_accidents(&parts) == 0);
    /* ... nor is what is less than a tenth. */
    parts = parts_of(16, 1, MS / 2);
    assert_true(ct_sample_accidents(&parts) == 0);
    /* Too few to know, and what cannot be. */
    parts = parts_of(7, 1, 90 * MS);
    assert_true(ct_sample_accidents(&parts) == 0);
    parts = parts_of(16, 1, 90 * MS);
    parts.ends_ns[4] = parts.ends_ns[3] - 1;
    assert_true(ct_sample_accidents(&parts) == 0);
    /* The time is without them. */
    sample.event_ns = 250 * MS;
    sample.accidents_ns = 90 * MS;
    ct_sampler_init(&sampler, 3, 0, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ct_sampler_add(&sampler, &sample, &err), CT_OK);
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, &err), CT_OK);
    assert_true(outcome.time_ns == MS);
    assert_false(outcome.wall_clock);
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
}

/* Adds samples of these times, in tenths of a percent of 10 ms; whether they are enough of ten. */
static bool enough_of(double agreeing, const int *tenths, size_t count)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_sampler sampler;
    bool enough;

    ct_sampler_init(&sampler, 10, 0, 10 * MS);
    ct_sampler_agree(&sampler, agreeing);
    for (size_t i = 0; i < count; i++) {
        uint64_t ns = 10 * (uint64_t)MS + (uint64_t)tenths[i] * (MS / 100);
        struct ct_sample sample = {1, ns, ns + 50000, 0};

        assert_int_equal(ct_sampler_add(&sampler, &sample, &err), CT_OK);
    }
    enough = !ct_sampler_next(&sampler);
    ct_sampler_release(&sampler);
    return enough;
}

static void samples_that_agree_are_enough(void **state)
{
    static const int same[] = {0, 1, 0, 1};
    static const int late[] = {0, 3, 0, 1};

    (void)state;
    assert_false(enough_of(0.002, same, 1));
    assert_true(enough_of(0.002, same, 2));
    assert_true(enough_of(0.002, same, 3));
    assert_false(enough_of(0, same, 4)); /* nobody has asked */
    assert_false(enough_of(0.002, late, 3));
    assert_false(enough_of(0.002, late, 4)); /* one that differs counts for good */
    assert_true(enough_of(0.004, late, 3));
}

/* Launches of 20 ms plus so many tenths of a percent. */
static bool same(double resolution, int first, int second)
{
    struct ct_sampler sampler;
    uint64_t ns[2] = {20 * (uint64_t)MS + (uint64_t)first * (MS / 50),
                      20 * (uint64_t)MS + (uint64_t)second * (MS / 50)};
    struct ct_sample launches[2] = {{1, ns[0], ns[0] + 50000, 0},
                                    {1, ns[1], ns[1] + 50000, 0}};
    bool is;

    ct_sampler_init(&sampler, 2, 0, 0);
    ct_sampler_race(&sampler, resolution, false);
    is = ct_sampler_same(&sampler, &launches[0], &launches[1]);
    ct_sampler_release(&sampler);
    return is;
}

static void first_launches_that_agree_are_samples(void **state)
{
    struct ct_sampler sampler;
    struct ct_sample right = {1, 20 * MS, 20 * MS + 50000, 0};
    struct ct_sample none = {1, 0, 20 * MS, 0};

    (void)state;
    assert_true(same(0, 2, 0));
    assert_true(same(0, 0, 2));
    assert_false(same(0, 3, 0));
    assert_true(same(0.005, 5, 0));
    assert_false(same(0.005, 6, 0));
    ct_sampler_init(&sampler, 2, 0, 0);
    assert_false(ct_sampler_same(&sampler, &none, &none)); /* no clock, no sample */
    assert_false(ct_sampler_same(&sampler, &right, &none));
    ct_sampler_release(&sampler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_last_ten_milliseconds),
        cmocka_unit_test(cold_estimates_are_corrected),
        cmocka_unit_test(number_of_samples),
        cmocka_unit_test(clearly_slower_stops_after_three),
        cmocka_unit_test(best_sample_decides_on_stopping),
        cmocka_unit_test(samples_are_kept_in_order),
        cmocka_unit_test(clocks_are_judged),
        cmocka_unit_test(coarse_clocks_are_no_lie),
        cmocka_unit_test(samples_outlast_the_clocks_steps),
        cmocka_unit_test(overhead_does_not_count_as_steps),
        cmocka_unit_test(samples_too_short_for_the_clock_are_passed_over),
        cmocka_unit_test(single_runs_are_taken_as_they_are),
        cmocka_unit_test(rewinding_forgets),
        cmocka_unit_test(busy_hosts_are_no_lie),
        cmocka_unit_test(short_samples_clear_no_clock),
        cmocka_unit_test(held_up_samples_blame_no_clock),
        cmocka_unit_test(lying_clocks_are_replaced),
        cmocka_unit_test(no_sample_is_an_error),
        cmocka_unit_test(accidents_are_left_out),
        cmocka_unit_test(samples_that_agree_are_enough),
        cmocka_unit_test(first_launches_that_agree_are_samples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
