// SPDX-License-Identifier: Apache-2.0
// Which of the jobs that are built runs next.
#include "schedule/scheduler_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 6 };

static struct ct_scheduler_job jobs[COUNT];
static struct ct_scheduler_job *items[COUNT];
static struct ct_scheduler scheduler;

/* Six jobs, with tickets 100 to 105; number 3 is not built. */
static int set_up(void **state)
{
    (void)state;
    memset(jobs, 0, sizeof(jobs));
    memset(&scheduler, 0, sizeof(scheduler));
    for (size_t i = 0; i < COUNT; i++) {
        jobs[i].job.ticket = 100 + i;
        jobs[i].stage = i == 3 ? CT_STAGE_BUILDING : CT_STAGE_BUILT;
        items[i] = &jobs[i];
    }
    scheduler.jobs.items = items;
    scheduler.jobs.count = COUNT;
    return 0;
}

static double later_first(void *user, uint64_t ticket)
{
    assert_ptr_equal(user, jobs);
    return 100 - (double)ticket;
}

/* Runs all that are built; returns their order as digits. */
static unsigned run_all(void)
{
    unsigned order = 0;
    size_t index;

    while (ct_scheduler_find_built(&scheduler, &index)) {
        order = 10 * order + (unsigned)index + 1;
        jobs[index].stage = CT_STAGE_DONE;
    }
    return order;
}

static void without_promises_the_oldest_runs(void **state)
{
    (void)state;
    assert_int_equal(ct_scheduler_built_count(&scheduler), 5);
    assert_int_equal(run_all(), 12356);
    assert_int_equal(ct_scheduler_built_count(&scheduler), 0);
}

static void the_most_promising_runs(void **state)
{
    (void)state;
    items[0] = NULL; /* reported */
    ct_scheduler_rank(&scheduler, later_first, jobs);
    assert_int_equal(run_all(), 6532);
}

/* What is built later counts as promising as an average one; equals keep their order. */
static void later_ones_are_average(void **state)
{
    (void)state;
    ct_scheduler_rank(&scheduler, later_first, jobs);
    jobs[3].stage = CT_STAGE_BUILT;
    jobs[1].promise = 1;
    assert_int_equal(run_all(), 653142);
}

/* Samples of a pass, and what runs alone, have their turns. */
static void others_keep_their_turns(void **state)
{
    (void)state;
    jobs[0].job.again = jobs[5].job.again = true;
    ct_scheduler_rank(&scheduler, later_first, jobs);
    assert_float_equal(jobs[5].promise, 0, 0);
    assert_int_equal(run_all(), 15326);
    set_up(NULL);
    jobs[0].job.alone = jobs[0].second_try = true;
    ct_scheduler_rank(&scheduler, later_first, jobs);
    assert_int_equal(run_all(), 16532);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_promises_the_oldest_runs, set_up),
        cmocka_unit_test_setup(the_most_promising_runs, set_up),
        cmocka_unit_test_setup(later_ones_are_average, set_up),
        cmocka_unit_test_setup(others_keep_their_turns, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
