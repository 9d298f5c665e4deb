// SPDX-License-Identifier: Apache-2.0
// Which samples are taken again: a made-up device under a made-up watch, which stands in
// the place of worker/timing/watch.c.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/clock.h"
#include "worker/timing/sampling_policy.h"

#include <math.h>
#include <string.h>

enum { MS = 1000000, MOST = 64 };

/* What the made-up world does and sees. */
static struct {
    const double *loads; /* others' processors in each block that is begun */
    size_t load_count;
    size_t begun;
    uint64_t block_ns; /* since ct_watch_begin */
    size_t ends;
    uint64_t pipelines;
    double pipeline_ns;
    double *slow; /* factor of each block's samples; NULL: 1 */
    size_t taken;
    uint64_t shortest_ns; /* of a block that its load was asked of */
} world;

struct ct_watch *ct_watch_new(struct ct_device *device)
{
    (void)device;
    return NULL;
}

void ct_watch_free(struct ct_watch *watch)
{
    (void)watch;
}

void ct_watch_reset(struct ct_watch *watch)
{
    (void)watch;
}

void ct_watch_begin(struct ct_watch *watch)
{
    (void)watch;
    world.begun++;
    world.block_ns = 0;
}

void ct_watch_end(struct ct_watch *watch, uint64_t pipelines, struct ct_quantities *out)
{
    (void)watch;
    world.ends++;
    world.pipelines += pipelines;
    ct_quantities_set(out, CT_QUANTITY_HOST_LOAD, 0.25);
    ct_quantities_set(out, CT_QUANTITY_OTHERS_LOAD, 9);
}

double ct_watch_others(const struct ct_watch *watch)
{
    (void)watch;
    if (world.block_ns < world.shortest_ns)
        world.shortest_ns = world.block_ns;
    return world.begun <= world.load_count ? world.loads[world.begun - 1] : 0;
}

void ct_watch_event(struct ct_watch *watch, struct ct_event event,
                    struct ct_quantities *out)
{
    (void)watch;
    (void)event;
    (void)out;
}

static enum ct_status take(void *user, uint32_t repeats, struct ct_sample *sample,
                           struct ct_err *err)
{
    double factor = world.slow ? world.slow[world.begun - 1] : 1;
    uint64_t ns = (uint64_t)(world.pipeline_ns * factor) * repeats;

    (void)user;
    (void)err;
    /* The wall's last digits tell which one it was. */
    *sample = (struct ct_sample){repeats, ns, ns + ++world.taken, 0};
    world.block_ns += ns;
    return CT_OK;
}

/* What is told to the sampler besides. */
static double second_look;
static double beat_ns;

/* Times something with others' loads as given. */
static void run(const double *loads, size_t count, bool retake, double leader_ns,
                struct ct_sampler *sampler, struct ct_sampling_policy *policy)
{
    static struct ct_session session;

    session.socket = -1;
    world.loads = loads;
    world.load_count = count;
    world.begun = world.ends = world.taken = 0;
    world.pipelines = 0;
    world.shortest_ns = UINT64_MAX;
    *policy = (struct ct_sampling_policy){.session = &session,
                                          .sampler = sampler,
                                          .patience_ns = 1000 * (uint64_t)MS,
                                          .retake = retake,
                                          .take = take};
    ct_sampler_init(sampler, 10, leader_ns, (uint64_t)world.pipeline_ns);
    ct_sampler_race(sampler, leader_ns > 0 ? 0.02 : 0, false);
    ct_sampler_look_twice(sampler, second_look);
    ct_sampler_beat(sampler, beat_ns);
    assert_int_equal(ct_sampling_policy_run(policy, NULL), CT_OK);
}

static double load_of(const struct ct_sampling_policy *policy)
{
    return ct_quantities_get(&policy->observed, CT_QUANTITY_OTHERS_LOAD);
}

/* Ten samples of 10 ms are two blocks. */
static void quiet_blocks_are_taken_once(void **state)
{
    static const double loads[] = {0.05, 0.1};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy;

    (void)state;
    world.pipeline_ns = 10 * MS;
    world.slow = NULL;
    run(loads, 2, true, 0, &sampler, &policy);
    assert_int_equal(world.begun, 2);
    assert_int_equal(world.ends, 2);
    assert_int_equal(world.taken, 10);
    assert_int_equal(world.pipelines, 10);
    assert_int_equal(policy.retaken, 0);
    assert_true(fabs(load_of(&policy) - 0.075) < 1e-6);
    assert_true(ct_quantities_get(&policy.observed, CT_QUANTITY_HOST_LOAD) == 0.25);
    ct_sampler_release(&sampler);
}

static void disturbed_blocks_are_taken_again(void **state)
{
    static const double loads[] = {0.05, 0.8, 0.02};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy;

    (void)state;
    world.pipeline_ns = 10 * MS;
    world.slow = NULL;
    run(loads, 3, true, 0, &sampler, &policy);
    assert_int_equal(world.begun, 3);
    assert_int_equal(world.ends, 2);
    assert_int_equal(world.taken, 15);
    assert_int_equal(policy.retaken, 5);
    assert_int_equal(sampler.count, 10);
    /* The first block, then the one that came last. */
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(sampler.taken[i].wall_ns - 10 * MS, i < 5 ? i + 1 : i + 6);
    assert_true(fabs(load_of(&policy) - 0.035) < 1e-6);
    ct_sampler_release(&sampler);
}

/* Three times in all, and the least disturbed one counts: here the second. */
static void the_least_disturbed_block_is_kept(void **state)
{
    static const double loads[] = {0.9, 0.35, 0.5, 0};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy;

    (void)state;
    world.pipeline_ns = 10 * MS;
    world.slow = NULL;
    run(loads, 4, true, 0, &sampler, &policy);
    assert_int_equal(world.begun, 4);
    assert_int_equal(world.taken, 20);
    assert_int_equal(policy.retaken, 10);
    assert_int_equal(sampler.count, 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(sampler.taken[i].wall_ns - 10 * MS, i < 5 ? i + 6 : i + 11);
    assert_true(fabs(load_of(&policy) - 0.175) < 1e-6);
    ct_sampler_release(&sampler);
}

/* Time is counted in steps of 10 ms: in a block of 50 ms one more says nothing, in a longer one it does. */
static void a_step_is_no_disturbance(void **state)
{
    static const double loads[] = {0.25, 0.25, 0.25, 0.25};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy;

    (void)state;
    world.slow = NULL;
    world.pipeline_ns = 10 * MS;
    run(loads, 4, true, 0, &sampler, &policy);
    assert_int_equal(policy.retaken, 0);
    ct_sampler_release(&sampler);
    world.pipeline_ns = 80 * MS;
    run(loads, 1, true, 0, &sampler, &policy);
    assert_int_equal(policy.retaken, 1);
    ct_sampler_release(&sampler);
}

/* On a device of its own others are in nobody's way, and all is one block. */
static void other_devices_are_not_disturbed(void **state)
{
    static const double loads[] = {1.5};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy;

    (void)state;
    world.pipeline_ns = 10 * MS;
    world.slow = NULL;
    run(loads, 1, false, 0, &sampler, &policy);
    assert_int_equal(world.begun, 1);
    assert_int_equal(world.taken, 10);
    assert_int_equal(policy.retaken, 0);
    assert_true(load_of(&policy) == 1.5);
    ct_sampler_release(&sampler);
}

static void what_is_not_known_is_not_taken_again(void **state)
{
    static const double loads[] = {NAN, NAN};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy;

    (void)state;
    world.pipeline_ns = 10 * MS;
    world.slow = NULL;
    run(loads, 2, true, 0, &sampler, &policy);
    assert_int_equal(world.taken, 10);
    assert_true(load_of(&policy) == 9);
    ct_sampler_release(&sampler);
}

/* No block is shorter than 50 ms, where there is that much to be taken: not even the
 * last. */
static void blocks_are_long_enough(void **state)
{
    static const double lengths_ns[] = {6 * MS, 10 * MS, 12 * MS, 18 * MS, 27 * MS};
    static const double none[] = {0};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy;

    (void)state;
    world.slow = NULL;
    for (size_t i = 0; i < 5; i++) {
        world.pipeline_ns = lengths_ns[i];
        run(none, 1, true, 0, &sampler, &policy);
        assert_true(world.shortest_ns >= CT_SAMPLING_POLICY_BLOCK_NS);
        assert_int_equal(sampler.count, 10);
        ct_sampler_release(&sampler);
    }
}

/* Given up after one sample: with a leader at half the time because nothing else
 * explains that; otherwise only after a look at the others. */
static void losers_are_looked_at_too(void **state)
{
    static const double loads[] = {0.9, 0, 0};
    static double slow[] = {1.5, 1, 1, 1, 1, 1, 1, 1};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy;

    (void)state;
    world.pipeline_ns = 10 * MS;
    world.slow = NULL;
    run(loads, 3, true, 4.9 * MS, &sampler, &policy);
    assert_int_equal(world.taken, 1);
    assert_true(sampler.beyond);
    ct_sampler_release(&sampler);
    /* Others made it look slower than the leader; it is none the slower. */
    world.slow = slow;
    run(loads, 3, true, 10 * MS, &sampler, &policy);
    assert_false(sampler.beyond);
    assert_true(sampler.count >= 10);
    assert_int_equal(policy.retaken, 4);
    ct_sampler_release(&sampler);
    /* Slower by itself: five samples, not ten. */
    world.slow = NULL;
    run(loads + 1, 2, true, 8 * MS, &sampler, &policy);
    assert_true(sampler.beyond);
    assert_int_equal(sampler.count, 5);
    ct_sampler_release(&sampler);
    /* Or as many as show that, if it is timed once more later. */
    second_look = 2.6;
    run(loads + 1, 2, true, 8 * MS, &sampler, &policy);
    second_look = 0;
    assert_true(sampler.beyond);
    assert_int_equal(sampler.count, 2);
    ct_sampler_release(&sampler);
}

/* What was timed before is timed once more: one sample shows that it takes as long. */
static void as_slow_as_before(void **state)
{
    static const double loads[] = {0, 0, 0};
    struct ct_sampler sampler;
    struct ct_sampling_policy policy;

    (void)state;
    world.pipeline_ns = 10 * MS;
    world.slow = NULL;
    beat_ns = 10 * MS;
    run(loads, 3, true, 0, &sampler, &policy);
    assert_int_equal(sampler.count, 1);
    assert_true(sampler.beyond);
    ct_sampler_release(&sampler);
    /* Faster than before, it gets what all get. */
    beat_ns = 10.1 * MS;
    run(loads, 3, true, 0, &sampler, &policy);
    beat_ns = 0;
    assert_int_equal(sampler.count, 10);
    ct_sampler_release(&sampler);
}

static enum ct_status refuse(void *user, uint32_t repeats, struct ct_sample *sample,
                             struct ct_err *err)
{
    (void)user;
    (void)repeats;
    memset(sample, 0, sizeof(*sample));
    return ct_err_set(err, CT_E_DEVICE, "refused");
}

static void failures_end_it(void **state)
{
    struct ct_session session = {.socket = -1};
    struct ct_err err = CT_ERR_INIT;
    struct ct_sampler sampler;
    struct ct_sampling_policy policy = {
        .session = &session, .sampler = &sampler, .retake = true, .take = refuse};

    (void)state;
    ct_sampler_init(&sampler, 10, 0, 0);
    assert_int_equal(ct_sampling_policy_run(&policy, &err), CT_E_DEVICE);
    ct_sampler_release(&sampler);
}

static void steps_of_clocks(void **state)
{
    uint64_t times_ns[] = {3000, 1000, 1000, 9000, 3000, 12000};
    uint64_t same_ns[] = {7, 7, 7};
    size_t distinct;

    (void)state;
    assert_int_equal(ct_clock_step_ns(times_ns, 6, &distinct), 2000);
    assert_int_equal(distinct, 4);
    assert_int_equal(ct_clock_step_ns(same_ns, 3, &distinct), 0);
    assert_int_equal(distinct, 1);
    assert_int_equal(ct_clock_step_ns(same_ns, 0, &distinct), 0);
    assert_int_equal(distinct, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_blocks_are_taken_once),
        cmocka_unit_test(disturbed_blocks_are_taken_again),
        cmocka_unit_test(the_least_disturbed_block_is_kept),
        cmocka_unit_test(a_step_is_no_disturbance),
        cmocka_unit_test(other_devices_are_not_disturbed),
        cmocka_unit_test(what_is_not_known_is_not_taken_again),
        cmocka_unit_test(blocks_are_long_enough),
        cmocka_unit_test(losers_are_looked_at_too),
        cmocka_unit_test(as_slow_as_before),
        cmocka_unit_test(failures_end_it),
        cmocka_unit_test(steps_of_clocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
