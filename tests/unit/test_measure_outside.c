// SPDX-License-Identifier: Apache-2.0
// What is the machine's doing: signals, load.
#include "base/outside.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void foreign_signals_are_no_faults(void **state)
{
    static const int others[] = {SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGXFSZ, SIGXCPU};
    static const int own[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, 0};

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        assert_true(ct_outside_signal(others[i]));
        assert_non_null(ct_outside_remedy(others[i]));
    }
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        assert_false(ct_outside_signal(own[i]));
}

static double processor_ns(void)
{
    struct timespec now;

    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Each thread's time once. */
static void a_process_ran_as_long_as_its_threads(void **state)
{
    struct ct_outside_waits waits;
    volatile unsigned work = 0;

    (void)state;
    while (processor_ns() < 50e6)
        work++;
    waits = ct_outside_waits_of(getpid());
    /* A kernel that counts nothing says nothing. */
    assert_true((double)waits.ran_ns <= processor_ns());
}

/* Two ways to count the same. */
static void objects_are_counted_from_within(void **state)
{
    size_t before = ct_outside_objects_of(getpid());
    void *more;

    (void)state;
    if (!before) /* no /proc */
        skip();
    assert_int_equal(ct_outside_objects_here(), before);
    more = dlopen("libresolv.so.2", RTLD_NOW);
    if (!more || ct_outside_objects_of(getpid()) == before)
        skip();
    assert_int_equal(ct_outside_objects_of(getpid()), before + 1);
    assert_int_equal(ct_outside_objects_here(), before + 1);
    dlclose(more);
    assert_int_equal(ct_outside_objects_here(), ct_outside_objects_of(getpid()));
}

static void a_busy_machine_gives_time(void **state)
{
    (void)state;
    /* Up to two a processor may be ours. */
    assert_true(ct_outside_busy_share_ns(1000, "3.90 9.00 9.00 4/500 77\n", 2) == 0);
    assert_true(ct_outside_busy_share_ns(1000, "0.00 0.00 0.00 1/500 77\n", 2) == 0);
    assert_true(ct_outside_busy_share_ns(1000, "16.50 9.00 9.00 4/500 77\n", 2) == 7000);
    /* It has just begun. */
    assert_true(ct_outside_busy_share_ns(1000, "0.10 0.00 0.00 16/500 77\n", 2) == 7000);
    assert_true(ct_outside_busy_share_ns(1000, "900.0 0.00 0.00 4/500 77\n", 2) == 9000);
    assert_true(ct_outside_busy_share_ns(1000, "", 2) == 0);
    assert_true(ct_outside_busy_share_ns(1000, "nonsense", 2) == 0);
    assert_true(ct_outside_busy_share_ns(1000, "9.0 9.0 9.0 4/5 7\n", 0) == 0);
}

static uint64_t lost_ns(uint64_t ran_ns, uint64_t waited_ns, uint64_t elapsed_ns)
{
    const struct ct_outside_waits before = {500, 700};
    const struct ct_outside_waits after = {500 + ran_ns, 700 + waited_ns};

    return ct_outside_lost_ns(&before, &after, elapsed_ns);
}

static void waiting_for_processors_is_lost(void **state)
{
    const struct ct_outside_waits many = {500, 700};
    const struct ct_outside_waits few = {400, 300};

    (void)state;
    assert_true(lost_ns(1000, 0, 1000) == 0);
    assert_true(lost_ns(100, 900, 1000) == 900);
    /* Two threads side by side. */
    assert_true(lost_ns(200, 1800, 1000) == 900);
    /* The device had the rest of the time. */
    assert_true(lost_ns(10, 90, 1000) == 90);
    /* A thread has ended. */
    assert_true(ct_outside_lost_ns(&many, &few, 1000) == 0);
    assert_true(lost_ns(0, 0, 1000) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_signals_are_no_faults),
        cmocka_unit_test(objects_are_counted_from_within),
        cmocka_unit_test(a_busy_machine_gives_time),
        cmocka_unit_test(a_process_ran_as_long_as_its_threads),
        cmocka_unit_test(waiting_for_processors_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
