// SPDX-License-Identifier: Apache-2.0
// Who is given up, who gets more samples: decisions on made-up times.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/rng.h"
#include "worker/timing/sample.h"

#include <math.h>
#include <string.h>

enum { MS = 1000000, WANTED = 10 };

/* A device on which the leader takes 20 ms. */
static const double leader_ns = 20.0 * MS;

struct noise {
    double spread;      /* standard deviation, relative */
    double spike_share; /* of samples that take ten times as long */
    struct ct_rng rng;
};

/* A pipeline of the given length, as noise has it. */
static uint64_t noisy(struct noise *noise, double pipeline_ns)
{
    double ns = pipeline_ns * (1 + noise->spread * ct_rng_normal(&noise->rng));

    if (noise->spike_share > 0 && ct_rng_unit(&noise->rng) < noise->spike_share)
        ns *= 10;
    return (uint64_t)(ns > 1 ? ns : 1);
}

/* Runs one entrant to its end. */
static void race(double pipeline_ns, double resolution, bool off, struct noise *noise,
                 struct ct_outcome *outcome)
{
    struct ct_sampler sampler;
    uint32_t repeats;

    memset(outcome, 0, sizeof(*outcome));
    ct_sampler_init(&sampler, WANTED, leader_ns, (uint64_t)pipeline_ns);
    ct_sampler_race(&sampler, resolution, off);
    while ((repeats = ct_sampler_next(&sampler)) > 0) {
        uint64_t ns = noisy(noise, pipeline_ns) * repeats;
        struct ct_sample sample = {repeats, ns, ns + 1000, 0};

        assert_int_equal(ct_sampler_add(&sampler, &sample, NULL), CT_OK);
        assert_true(sampler.count <= (size_t)CT_SAMPLE_CONTENDER * WANTED);
    }
    assert_int_equal(ct_sampler_finish(&sampler, outcome, NULL), CT_OK);
    ct_sampler_release(&sampler);
}

static size_t samples(double pipeline_ns, double resolution, bool off, double spread)
{
    struct noise noise = {.spread = spread};
    struct ct_outcome outcome;
    size_t count;

    ct_rng_seed(&noise.rng, 3);
    race(pipeline_ns, resolution, off, &noise, &outcome);
    count = outcome.samples.count;
    ct_outcome_release(&outcome);
    return count;
}

/* Without noise: the resolution decides, and grows by the root of 10 / 3 for three. */
static void beyond_the_resolution_is_given_up(void **state)
{
    (void)state;
    /* 2%, of three samples 3.65%. */
    assert_int_equal(samples(1.04 * leader_ns, 0.02, false, 0), 3);
    /* 3.16% of four. */
    assert_int_equal(samples(1.035 * leader_ns, 0.02, false, 0), 4);
    assert_int_equal(samples(1.03 * leader_ns, 0.02, false, 0), 5);
    /* Within it nobody is. */
    assert_int_equal(samples(1.019 * leader_ns, 0.02, false, 0), 10);
    assert_int_equal(samples(1.0 * leader_ns, 0.02, false, 0), 10);
    assert_int_equal(samples(0.5 * leader_ns, 0.02, false, 0), 10);
    /* A coarse resolution keeps what the rule of 1.25 would give up. */
    assert_int_equal(samples(1.4 * leader_ns, 0.5, false, 0), 10);
}

/* On a steady device one sample is enough for those that are far behind. */
static void far_behind_one_sample_decides(void **state)
{
    struct ct_sampler sampler;
    const uint64_t slow_ns = (uint64_t)(3 * leader_ns);
    const struct ct_sample slow = {1, slow_ns, slow_ns, 0};

    (void)state;
    /* Four times the root of 10 times 0.2% is 2.5%: less than 3%; and times 0.5%. */
    assert_int_equal(samples(1.031 * leader_ns, 0.002, false, 0), 1);
    assert_int_equal(samples(1.029 * leader_ns, 0.002, false, 0), 3);
    assert_int_equal(samples(1.064 * leader_ns, 0.005, false, 0), 1);
    assert_int_equal(samples(1.062 * leader_ns, 0.005, false, 0), 2);
    /* 7.6% for 0.6%: less than a tenth. */
    assert_int_equal(samples(1.11 * leader_ns, 0.006, false, 0), 1);
    assert_int_equal(samples(1.09 * leader_ns, 0.006, false, 0), 3);
    /* 25.3% */
    assert_int_equal(samples(1.26 * leader_ns, 0.02, false, 0), 1);
    assert_int_equal(samples(1.25 * leader_ns, 0.02, false, 0), 2);
    assert_int_equal(samples(3 * leader_ns, 0.021, false, 0), 3);
    assert_int_equal(samples(3 * leader_ns, 0.002, true, 0), 10);
    /* The warm-up was as fast as the leader. */
    ct_sampler_init(&sampler, WANTED, leader_ns, (uint64_t)leader_ns);
    ct_sampler_race(&sampler, 0.002, false);
    assert_int_equal(ct_sampler_add(&sampler, &slow, NULL), CT_OK);
    assert_true(ct_sampler_next(&sampler) > 0);
    ct_sampler_release(&sampler);
}

/* Samples of what takes that many times as long as the leader, and so does its warm-up or not. */
static size_t with_second_look(double times, double resolution, double warm_times)
{
    const uint64_t ns = (uint64_t)(times * leader_ns);
    struct ct_sampler sampler;
    size_t count;

    ct_sampler_init(&sampler, WANTED, leader_ns, (uint64_t)(warm_times * leader_ns));
    ct_sampler_race(&sampler, resolution, false);
    ct_sampler_look_twice(&sampler, 2.6);
    while (ct_sampler_next(&sampler) > 0)
        assert_int_equal(
            ct_sampler_add(&sampler, &(struct ct_sample){1, ns, ns, 0}, NULL), CT_OK);
    count = sampler.count;
    ct_sampler_release(&sampler);
    return count;
}

/* On a noisy device, if it will be timed once more. */
static void before_a_second_look_one_sample_decides(void **state)
{
    (void)state;
    assert_int_equal(with_second_look(2.01, 0.06, 2.01), 1);
    assert_int_equal(with_second_look(1.99, 0.06, 1.99), 3);
    /* The root of 10 times 50% for one, that of 5 for two. */
    assert_int_equal(with_second_look(2.59, 0.5, 2.59), 1);
    assert_int_equal(with_second_look(2.57, 0.5, 2.57), 2);
    assert_int_equal(with_second_look(2.1, 0.5, 2.1), 3);
    /* The warm-up was as fast as the leader. */
    assert_int_equal(with_second_look(2.01, 0.06, 1), 3);
    /* There is none. */
    assert_int_equal(samples(2.01 * leader_ns, 0.06, false, 0), 3);
}

/* Of a launch of that many times the leader's 20 ms. */
struct look {
    double resolution;
    double second_look;
    bool off;
    double timer_ns;
    double leader_ns;
    double wall_times; /* the wall clock's time, in times of the device's */
};

static bool glance(const struct look *look, double times, enum ct_sampler_launch launch)
{
    double event_ns = times * look->leader_ns;
    const struct ct_sample sample = {1, (uint64_t)event_ns,
                                     (uint64_t)(event_ns * look->wall_times), 0};
    struct ct_sampler sampler;
    bool slow;

    ct_sampler_init(&sampler, WANTED, look->leader_ns, 0);
    ct_sampler_race(&sampler, look->resolution, look->off);
    ct_sampler_timer(&sampler, look->timer_ns);
    ct_sampler_look_twice(&sampler, look->second_look);
    slow = ct_sampler_glance(&sampler, &sample, launch);
    ct_sampler_release(&sampler);
    return slow;
}

/* A launch as long as a sample counts as one; what fetching code may have added is taken off. */
static void a_long_launch_is_a_sample(void **state)
{
    const struct look look = {.resolution = 0.005, .leader_ns = 20 * MS, .wall_times = 1};
    const struct look coarse = {
        .resolution = 0.02, .leader_ns = 20 * MS, .wall_times = 1};

    (void)state;
    assert_true(glance(&look, 1.07, CT_SAMPLER_WARM));
    assert_false(glance(&look, 1.06, CT_SAMPLER_WARM));
    assert_true(glance(&look, 1.16, CT_SAMPLER_FIRST));
    assert_false(glance(&look, 1.14, CT_SAMPLER_FIRST));
    assert_true(glance(&coarse, 1.26, CT_SAMPLER_WARM));
    assert_false(glance(&coarse, 1.24, CT_SAMPLER_WARM));
}

/* A short one shows less. */
static void a_short_launch_shows_the_hopeless(void **state)
{
    const struct look look = {.resolution = 0.005, .leader_ns = 1 * MS, .wall_times = 1};

    (void)state;
    assert_true(glance(&look, 2.01, CT_SAMPLER_WARM));
    assert_false(glance(&look, 1.99, CT_SAMPLER_WARM));
    assert_true(glance(&look, 3.01, CT_SAMPLER_FIRST));
    assert_false(glance(&look, 2.99, CT_SAMPLER_FIRST));
}

static void a_glance_needs_a_steady_device_and_a_good_clock(void **state)
{
    struct look look = {.leader_ns = 1 * MS, .wall_times = 1};

    (void)state;
    /* Processors: however noisy. */
    look.resolution = 0.3;
    assert_true(glance(&look, 4.1, CT_SAMPLER_SHARED));
    assert_false(glance(&look, 3.9, CT_SAMPLER_SHARED));
    look.second_look = 2.6;
    assert_true(glance(&look, 2.7, CT_SAMPLER_SHARED));
    assert_false(glance(&look, 2.5, CT_SAMPLER_SHARED));
    look.second_look = 0;
    look.resolution = 0;
    /* Unknown noise: not of the first launch. */
    assert_true(glance(&look, 5, CT_SAMPLER_WARM));
    assert_false(glance(&look, 5, CT_SAMPLER_FIRST));
    look.resolution = 0.021;
    assert_true(glance(&look, 5, CT_SAMPLER_WARM));
    assert_false(glance(&look, 5, CT_SAMPLER_FIRST));
    look.resolution = 0.101;
    assert_false(glance(&look, 9, CT_SAMPLER_WARM));
    /* 1 + 4 * 6% times the root of 10 for one sample, and that of 10 ms / 2.5 ms: 2.52. */
    look.resolution = 0.06;
    look.leader_ns = 1 * MS;
    assert_true(glance(&look, 2.6, CT_SAMPLER_WARM));
    assert_false(glance(&look, 2.4, CT_SAMPLER_WARM));
    look.resolution = 0.02;
    assert_true(glance(&look, 5, CT_SAMPLER_FIRST));
    look.off = true;
    assert_false(glance(&look, 5, CT_SAMPLER_FIRST));
    look.off = false;
    /* Fifty steps of the clock; longer than by the wall clock, and far shorter. */
    look.timer_ns = 5.0 * MS / 50;
    assert_false(glance(&look, 5, CT_SAMPLER_WARM));
    look.timer_ns = 0;
    look.wall_times = 0.5;
    assert_false(glance(&look, 5, CT_SAMPLER_WARM));
    look.wall_times = 3;
    assert_false(glance(&look, 5, CT_SAMPLER_WARM));
    look.wall_times = 1;
    look.leader_ns = 0;
    assert_false(glance(&look, 5, CT_SAMPLER_WARM));
}

/* A sampler like that of `look`, which has seen `cold`. */
static void begin_look(struct ct_sampler *sampler, const struct look *look,
                       const struct ct_sampler_cold *cold)
{
    ct_sampler_init(sampler, WANTED, look->leader_ns, 0);
    ct_sampler_race(sampler, look->resolution, look->off);
    ct_sampler_timer(sampler, look->timer_ns);
    if (cold)
        ct_sampler_allow_cold(sampler, cold);
}

/* `launches` in a row, each so many times as slow as the leader. */
static bool probe_shows(const struct look *look, double times, uint32_t launches)
{
    uint64_t event_ns = (uint64_t)(times * look->leader_ns * launches);
    const struct ct_sample sample = {launches, event_ns, event_ns, 0};
    struct ct_sampler sampler;
    bool slow;

    begin_look(&sampler, look, NULL);
    slow = ct_sampler_glance(&sampler, &sample, CT_SAMPLER_PROBE);
    ct_sampler_release(&sampler);
    return slow;
}

static uint32_t probe_of(const struct look *look, double times)
{
    uint64_t event_ns = (uint64_t)(times * look->leader_ns);
    const struct ct_sample warm = {1, event_ns, event_ns, 0};
    struct ct_sampler sampler;
    uint32_t launches;

    begin_look(&sampler, look, NULL);
    launches = ct_sampler_probe(&sampler, &warm);
    ct_sampler_release(&sampler);
    return launches;
}

/* Three launches of a millisecond show more than one, and take less time than ten. */
static void a_probe_is_a_short_sample(void **state)
{
    struct look look = {.resolution = 0.005, .leader_ns = 1 * MS, .wall_times = 1};

    (void)state;
    assert_int_equal(probe_of(&look, 1.2), 3);
    assert_int_equal(probe_of(&look, 1.4), 3);
    assert_int_equal(probe_of(&look, 1.1), 0); /* not that much slower */
    assert_int_equal(probe_of(&look, 1.6), 0); /* two are as long as a probe */
    assert_true(probe_shows(&look, 1.16, 3));
    assert_false(probe_shows(&look, 1.14, 3));
    /* 1 + 4 * 1% times the root of 10 for one sample, and that of 10 ms / 3.6 ms: 1.211. */
    look.resolution = 0.01;
    assert_true(probe_shows(&look, 1.23, 3));
    assert_false(probe_shows(&look, 1.19, 3));
    look.resolution = 0.021;
    assert_int_equal(probe_of(&look, 1.4), 0);
    assert_false(probe_shows(&look, 1.9, 3));
    look.resolution = 0;
    assert_int_equal(probe_of(&look, 1.4), 0);
    look.resolution = 0.005;
    look.off = true;
    assert_int_equal(probe_of(&look, 1.4), 0);
    look.off = false;
    look.leader_ns = 0;
    assert_int_equal(probe_of(&look, 1.4), 0);
}

/* A first launch of that many times the leader's 20 ms, after others have shown what being the
 * first costs. */
static bool first_shows(const struct ct_sampler_cold *cold, double times)
{
    const struct look look = {.resolution = 0.002, .leader_ns = 20 * MS, .wall_times = 1};
    uint64_t event_ns = (uint64_t)(times * look.leader_ns);
    const struct ct_sample first = {1, event_ns, event_ns, 0};
    struct ct_sampler sampler;
    bool slow;

    begin_look(&sampler, &look, cold);
    slow = ct_sampler_glance(&sampler, &first, CT_SAMPLER_FIRST);
    ct_sampler_release(&sampler);
    return slow;
}

static void first_launches_are_known_by_others(void **state)
{
    struct ct_sampler_cold cold = {CT_SAMPLE_COLD_KNOWN - 1, 0.004};

    (void)state;
    /* A millisecond and a tenth. */
    assert_false(first_shows(&cold, 1.14));
    assert_true(first_shows(&cold, 1.16));
    cold.count++;
    /* 3%, and twice 0.4%. */
    assert_false(first_shows(&cold, 1.037));
    assert_true(first_shows(&cold, 1.039));
    cold.most = 0.1;
    assert_false(first_shows(&cold, 1.22));
    assert_true(first_shows(&cold, 1.24));
}

static void others_show_what_being_the_first_costs(void **state)
{
    const struct ct_sample first = {1, 21 * MS, 21 * MS, 0};
    const struct ct_sample cold_short = {1, 9 * MS, 9 * MS, 0};
    const struct ct_sample taken = {1, 20 * MS, 20 * MS, 0};
    struct ct_sampler_cold cold = {0, 0};
    struct ct_sampler sampler;

    (void)state;
    ct_sampler_init(&sampler, WANTED, 0, 0);
    ct_sampler_note_cold(&sampler, &first, &cold);
    assert_int_equal(cold.count, 0); /* it had no sample */
    assert_int_equal(ct_sampler_add(&sampler, &taken, NULL), CT_OK);
    ct_sampler_note_cold(&sampler, &cold_short, &cold);
    assert_int_equal(cold.count, 0);
    ct_sampler_note_cold(&sampler, &first, &cold);
    assert_int_equal(cold.count, 1);
    assert_float_equal(cold.most, 0.05, 1e-9);
    /* What disturbed it is over after a while. */
    ct_sampler_note_cold(&sampler, &taken, &cold);
    assert_int_equal(cold.count, 2);
    assert_true(cold.most < 0.05 && cold.most > 0.03);
    for (int i = 0; i < 10; i++)
        ct_sampler_note_cold(&sampler, &taken, &cold);
    assert_true(cold.most < 0.01);
    ct_sampler_note_cold(&sampler, &first, &cold);
    assert_float_equal(cold.most, 0.05, 1e-9);
    ct_sampler_release(&sampler);
}

static void what_a_glance_showed_is_the_only_sample(void **state)
{
    const uint64_t slow_ns = (uint64_t)(2.1 * leader_ns);
    const struct ct_sample sample = {1, slow_ns, slow_ns, 0};
    struct ct_outcome outcome = {0};
    struct ct_sampler sampler;

    (void)state;
    ct_sampler_init(&sampler, WANTED, leader_ns, 0);
    ct_sampler_race(&sampler, 0.01, false);
    assert_int_equal(ct_sampler_accept(&sampler, &sample, NULL), CT_OK);
    assert_int_equal(ct_sampler_next(&sampler), 0);
    assert_int_equal(ct_sampler_finish(&sampler, &outcome, NULL), CT_OK);
    assert_int_equal(outcome.samples.count, 1);
    assert_float_equal(outcome.time_ns, (double)slow_ns, 0);
    assert_true(outcome.stopped_early);
    assert_int_equal(outcome.race.saved, WANTED - 1);
    ct_outcome_release(&outcome);
    ct_sampler_release(&sampler);
}

static void without_a_resolution_the_old_rule_holds(void **state)
{
    (void)state;
    assert_int_equal(samples(1.26 * leader_ns, 0, false, 0), 3);
    assert_int_equal(samples(1.24 * leader_ns, 0, false, 0), 10);
    /* Nobody gets more, however uncertain. */
    assert_int_equal(samples(1.0 * leader_ns, 0, false, 0.1), 10);
}

static void everybody_gets_all_when_it_is_off(void **state)
{
    (void)state;
    assert_int_equal(samples(9 * leader_ns, 0.02, true, 0), 10);
    assert_int_equal(samples(9 * leader_ns, 0, true, 0), 10);
    assert_int_equal(samples(leader_ns, 0.02, true, 0.1), 10);
}

/* Contenders whose time is uncertain get up to twice as many. */
static void contenders_get_more(void **state)
{
    (void)state;
    assert_int_equal(samples(1.0 * leader_ns, 0.02, false, 0.05), 20);
    assert_int_equal(samples(0.8 * leader_ns, 0.02, false, 0.05), 20);
    /* No more than tells them apart from other processes. */
    assert_int_equal(samples(1.0 * leader_ns, 0.02, false, 0.002), 10);
    assert_in_range(samples(1.0 * leader_ns, 0.02, false, 0.01), 11, 19);
}

/* One that a spike made slow is no loser, and one that a lucky sample made fast is none
 * that must be kept for long. */
static void one_sample_decides_nothing(void **state)
{
    static const double slow[] = {10, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const double lucky[] = {0.9, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5};
    struct ct_sampler sampler;

    (void)state;
    for (int k = 0; k < 2; k++) {
        size_t taken = 0;

        ct_sampler_init(&sampler, 10, leader_ns, (uint64_t)leader_ns);
        ct_sampler_race(&sampler, 0.05, false);
        while (taken < 10 && ct_sampler_next(&sampler)) {
            uint64_t ns = (uint64_t)((k ? lucky : slow)[taken++] * leader_ns);

            assert_int_equal(
                ct_sampler_add(&sampler, &(struct ct_sample){1, ns, ns, 0}, NULL), CT_OK);
        }
        /* Nine of them leave out one at each end at 95%. */
        assert_int_equal(taken, k ? 9 : 10);
        assert_int_equal(sampler.beyond, k == 1);
        ct_sampler_release(&sampler);
    }
}

/* How often so many entrants of that speed are given up; `resolution` is what an A/A test
 * would find with ten samples of that spread each (1.96 standard errors of the difference
 * of two medians). */
static unsigned given_up(double speed, double spread, double spikes, unsigned entrants,
                         uint64_t *taken)
{
    double resolution = 1.96 * sqrt(2) * 1.2533 * spread / sqrt(WANTED);
    struct noise noise = {.spread = spread, .spike_share = spikes};
    unsigned count = 0;

    ct_rng_seed(&noise.rng, 17);
    *taken = 0;
    for (unsigned i = 0; i < entrants; i++) {
        struct ct_outcome outcome;

        race(speed * leader_ns, resolution, false, &noise, &outcome);
        count += outcome.stopped_early;
        *taken += outcome.samples.count;
        ct_outcome_release(&outcome);
    }
    return count;
}

/* What the header promises, over 2000 entrants each, with and without spikes. */
static void mistakes_are_rare(void **state)
{
    static const double spreads[] = {0.01, 0.05, 0.2};
    static const double spikes[] = {0, 0.05};
    enum { ENTRANTS = 2000 };
    uint64_t taken;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            double resolution = 1.96 * sqrt(2) * 1.2533 * spreads[i] / sqrt(WANTED);

            /* As fast as the leader, and a little slower than that. */
            assert_in_range(given_up(1, spreads[i], spikes[k], ENTRANTS, &taken), 0, 2);
            assert_true(taken > (uint64_t)ENTRANTS * WANTED);
            assert_in_range(
                given_up(1 + resolution, spreads[i], spikes[k], ENTRANTS, &taken), 0,
                ENTRANTS / 15);
            /* Those that have lost lose early: four times the resolution. */
            assert_in_range(
                given_up(1 + 4 * resolution, spreads[i], spikes[k], ENTRANTS, &taken),
                ENTRANTS * 9 / 10, ENTRANTS);
            assert_true(taken < (uint64_t)ENTRANTS * WANTED * 6 / 10);
        }
}

/* What was not taken, and what it would have lasted. */
static void savings_are_reported(void **state)
{
    struct noise noise = {.spread = 0};
    struct ct_outcome outcome;

    (void)state;
    ct_rng_seed(&noise.rng, 1);
    race(3 * leader_ns, 0.02, false, &noise, &outcome);
    assert_true(outcome.stopped_early);
    assert_int_equal(outcome.race.saved, 9);
    assert_int_equal(outcome.race.saved_ns, 9 * (60 * MS + 1000));
    assert_int_equal(outcome.race.added, 0);
    assert_int_equal(outcome.race.added_ns, 0);
    ct_outcome_release(&outcome);
    noise.spread = 0.05;
    race(leader_ns, 0.02, false, &noise, &outcome);
    assert_false(outcome.stopped_early);
    assert_int_equal(outcome.race.saved, 0);
    assert_int_equal(outcome.race.saved_ns, 0);
    assert_int_equal(outcome.race.added, 10);
    assert_in_range(outcome.race.added_ns, 180 * MS, 220 * MS);
    ct_outcome_release(&outcome);
}

/* Twice the leader in every sample: nothing explains that but the entrant itself. */
static void hopeless_is_twice_the_leader(void **state)
{
    static const struct {
        double first;
        double second;
        bool hopeless;
    } cases[] = {{2.1, 2.1, true}, {2.1, 1.9, false}, {2, 2, false}};
    struct ct_sampler sampler;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct ct_sample first = {1, (uint64_t)(cases[i].first * leader_ns), 0, 0};
        struct ct_sample second = {1, (uint64_t)(cases[i].second * leader_ns), 0, 0};

        first.wall_ns = first.event_ns;
        second.wall_ns = second.event_ns;
        ct_sampler_init(&sampler, 10, leader_ns, 0);
        assert_false(ct_sampler_hopeless(&sampler));
        assert_int_equal(ct_sampler_add(&sampler, &first, NULL), CT_OK);
        assert_int_equal(ct_sampler_add(&sampler, &second, NULL), CT_OK);
        assert_int_equal(ct_sampler_hopeless(&sampler), cases[i].hopeless);
        sampler.leader_ns = 0;
        assert_false(ct_sampler_hopeless(&sampler));
        ct_sampler_release(&sampler);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_the_resolution_is_given_up),
        cmocka_unit_test(far_behind_one_sample_decides),
        cmocka_unit_test(before_a_second_look_one_sample_decides),
        cmocka_unit_test(a_long_launch_is_a_sample),
        cmocka_unit_test(a_short_launch_shows_the_hopeless),
        cmocka_unit_test(a_glance_needs_a_steady_device_and_a_good_clock),
        cmocka_unit_test(a_probe_is_a_short_sample),
        cmocka_unit_test(first_launches_are_known_by_others),
        cmocka_unit_test(others_show_what_being_the_first_costs),
        cmocka_unit_test(what_a_glance_showed_is_the_only_sample),
        cmocka_unit_test(without_a_resolution_the_old_rule_holds),
        cmocka_unit_test(everybody_gets_all_when_it_is_off),
        cmocka_unit_test(contenders_get_more),
        cmocka_unit_test(one_sample_decides_nothing),
        cmocka_unit_test(mistakes_are_rare),
        cmocka_unit_test(savings_are_reported),
        cmocka_unit_test(hopeless_is_twice_the_leader),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
