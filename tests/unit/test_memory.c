// SPDX-License-Identifier: Apache-2.0
// What processes take, and when it is looked at.
#include "protocol/memory.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void children_count(void **state)
{
    const size_t more_bytes = (size_t)64 << 20;
    uint64_t alone_bytes = ct_memory_of(getpid());
    char ready = 0;
    int fds[2];
    pid_t child;

    (void)state;
    assert_true(alone_bytes > 0);
    assert_int_equal(pipe(fds), 0);
    child = fork();
    if (!child) {
        volatile char *bytes = malloc(more_bytes);

        for (size_t i = 0; bytes && i < more_bytes; i++)
            bytes[i] = 1;
        ready = bytes ? bytes[more_bytes - 1] : 0;
        if (write(fds[1], &ready, 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(fds[0], &ready, 1), 1);
    assert_int_equal(ready, 1);
    assert_true(ct_memory_of(child) >= more_bytes);
    assert_true(ct_memory_of(getpid()) >= alone_bytes / 2 + more_bytes);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(ct_memory_of(child), 0);
    close(fds[0]);
    close(fds[1]);
}

/* What could reach its limit is looked at before. */
static void looks_follow_the_room(void **state)
{
    const uint64_t gib = (uint64_t)1 << 30;

    (void)state;
    assert_int_equal(ct_memory_pause_ns(0, 100 * gib), 1000000000);
    assert_int_equal(ct_memory_pause_ns(96 * gib, 100 * gib), 500000000);
    assert_int_equal(ct_memory_pause_ns(0, 2 * gib), 250000000);
    assert_int_equal(ct_memory_pause_ns(gib, 2 * gib), 125000000);
    assert_int_equal(ct_memory_pause_ns(2 * gib, 2 * gib), 100000000);
    assert_int_equal(ct_memory_pause_ns(3 * gib, 2 * gib), 100000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_count),
        cmocka_unit_test(looks_follow_the_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
