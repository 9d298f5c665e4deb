// SPDX-License-Identifier: Apache-2.0
// What counts within a batch: a scheduler on a virtual device that is a processor, where reports come
// between batches.
#define _GNU_SOURCE // folder.h
#include "copy_reference.h"
#include "worker/worker_main.h"

enum { COUNT = 6, SAMPLES = 8 };

/* 5 ms, and with each higher PACE 1 ms more. */
static const char source[] =
    "#pragma virtual base 5000000\n"
    "#pragma virtual add PACE 1 1000000\n"
    "#pragma virtual add PACE 2 2000000\n"
    "#pragma virtual add PACE 3 3000000\n"
    "#pragma virtual add PACE 4 4000000\n"
    "#pragma virtual add PACE 5 5000000\n"
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n"
    "    /* PACE */\n"
    "}\n";

static char paces[COUNT][8];
static struct ct_plan_macro macros[COUNT][1];

static void plan_of(struct plan *p, int pace)
{
    snprintf(paces[pace], sizeof(paces[pace]), "%d", pace);
    macros[pace][0] = (struct ct_plan_macro){"PACE", paces[pace]};
    copy_plan_init(p, source, macros[pace], 1);
}

static struct {
    struct ct_scheduler *scheduler;
    struct ct_report reports[COUNT];
    size_t calls;        /* of `rank` */
    size_t seen[COUNT];  /* how many had ended at each */
    double times[COUNT]; /* of those, by ticket; 0: it has not ended */
} batch;

static void look(void *user, uint64_t ticket, const struct ct_outcome *outcome)
{
    (void)user;
    assert_in_range(ticket, 0, COUNT - 1);
    assert_int_equal(outcome->status, CT_RESULT_OK);
    batch.times[ticket] = outcome->time_ns;
    batch.seen[batch.calls]++;
}

/* The opposite of the order in which they were submitted. */
static double last_first(void *user, uint64_t ticket)
{
    (void)user;
    return -(double)ticket;
}

static void rank(void *user)
{
    (void)user;
    assert_in_range(batch.calls, 0, COUNT - 1);
    ct_scheduler_unreported(batch.scheduler, look, NULL);
    ct_scheduler_rank(batch.scheduler, last_first, NULL);
    batch.calls++;
}

/* Job 0 is `full`, as the default is, and the fastest; the others become slower, or else faster. */
static void run_batch(bool races, bool ranks, bool slower)
{
    struct ct_scheduler_options options = scheduler_options(2, 60);
    struct plan p[COUNT];

    memset(&batch, 0, sizeof(batch));
    options.samples = SAMPLES;
    options.no_cache = true;
    options.rank = ranks ? rank : NULL;
    batch.scheduler = new_scheduler(&options);
    ct_scheduler_sampling(batch.scheduler, SAMPLES, 0.001);
    if (races)
        ct_scheduler_leader(batch.scheduler, 0);
    for (int i = 0; i < COUNT; i++) {
        struct ct_job job = {.ticket = (uint64_t)i, .full = i == 0};

        plan_of(&p[i], i && !slower ? COUNT - i : i);
        job.plan = &p[i].plan;
        submit_job(batch.scheduler, &job);
    }
    wait_all(batch.scheduler, batch.reports, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_status(&batch.reports[i], CT_RESULT_OK);
    ct_scheduler_free(batch.scheduler);
    assert_int_equal(children(NULL, 0), 0);
}

static size_t samples_of(int ticket)
{
    return batch.reports[ticket].outcome.samples.count;
}

/* The caller has announced no best time yet, but job 1 has one.  That of job 0 does not count, since the
 * default may not be what is searched. */
static void the_first_batch_is_raced(void **state)
{
    (void)state;
    run_batch(true, false, true);
    for (int i = 0; i < 2; i++)
        assert_int_equal(samples_of(i), SAMPLES);
    for (int i = 2; i < COUNT; i++)
        assert_in_range(samples_of(i), 1, SAMPLES - 1);
    release_all(batch.reports, COUNT);
}

/* The last one is the fastest, and runs second: then others are stopped early. */
static void a_batch_is_ranked_by_its_own_results(void **state)
{
    (void)state;
    run_batch(true, true, false);
    /* Not before one has ended, nor when there is no choice left. */
    assert_int_equal(batch.calls, COUNT - 2);
    for (size_t i = 0; i < batch.calls; i++)
        assert_int_equal(batch.seen[i], i + 1);
    assert_true(batch.times[0] == 5e6 && batch.times[COUNT - 1] == 6e6);
    assert_int_equal(samples_of(0), SAMPLES);
    assert_int_equal(samples_of(COUNT - 1), SAMPLES);
    for (int i = 1; i < COUNT - 1; i++)
        assert_in_range(samples_of(i), 1, SAMPLES - 1);
    release_all(batch.reports, COUNT);
}

/* Where no leader counts, as for objectives that are no times, none is stopped. */
static void without_a_race_all_have_their_samples(void **state)
{
    (void)state;
    run_batch(false, false, true);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(samples_of(i), SAMPLES);
    release_all(batch.reports, COUNT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_batch_is_raced),
        cmocka_unit_test(a_batch_is_ranked_by_its_own_results),
        cmocka_unit_test(without_a_race_all_have_their_samples),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    if (setenv("VIRTUALCL_TYPE", "cpu", 1))
        return 1;
    return cmocka_run_group_tests(tests, set_up_virtual, remove_folder);
}
