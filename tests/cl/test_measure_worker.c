// SPDX-License-Identifier: Apache-2.0
// Worker processes that hang, crash, are killed or lose their parent, on device 0.
#define _GNU_SOURCE // folder.h
#include "children.h"
#include "worker/worker_main.h"
#include "measure_plan.h"

#include "base/clock.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static size_t children(void)
{
    pid_t ignored[8];

    return children_of(getpid(), ignored, 8);
}

static void sleep_ms(long ms)
{
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

static void endless_kernel_is_a_timeout(void **state)
{
    struct ct_runner *runner = runner_new();
    struct ct_measure_options how = options(2);
    struct ct_outcome outcome;
    struct plan p;
    uint64_t spent_ns[CT_PHASE_COUNT];
    unsigned workers;

    (void)state;
    plan_init(&p, "endless");
    expect(runner, &p, &how, CT_RESULT_TIMEOUT, &outcome);
    assert_int_equal(outcome.phase, CT_PHASE_FIRST);
    assert_int_equal(outcome.deadline_ns, 2000000000);
    assert_contains(outcome.message, "2 s");
    assert_true(outcome.spent_ns[CT_PHASE_FIRST] >= 2000000000);
    ct_outcome_release(&outcome);
    assert_int_equal(children(), 0);
    plan_init(&p, "");
    expect_only(runner, &p, CT_RESULT_OK);
    ct_runner_spent(runner, spent_ns, &workers);
    assert_int_equal(workers, 2);
    ct_runner_free(runner);
    assert_int_equal(children(), 0);
}

static void wild_store_is_a_crash(void **state)
{
    struct ct_runner *runner = runner_new();
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct plan p;

    (void)state;
    plan_init(&p, "wild");
    expect(runner, &p, &how, CT_RESULT_CRASHED, &outcome);
    assert_int_equal(outcome.phase, CT_PHASE_FIRST);
    /* A processor's worker dies of it (AddressSanitizer turns the signal into an exit
     * status); a graphics card loses its context. */
    if (!strstr(outcome.message, "clFinish: CL_")) {
#ifndef __SANITIZE_ADDRESS__
        assert_contains(outcome.message, "SIGSEGV");
#endif
    }
    ct_outcome_release(&outcome);
    plan_init(&p, "");
    expect_only(runner, &p, CT_RESULT_OK);
    ct_runner_free(runner);
    assert_int_equal(children(), 0);
}

static void idle_worker_may_die(void **state)
{
    struct ct_runner *runner = runner_new();
    struct plan p;
    pid_t worker;
    uint64_t spent_ns[CT_PHASE_COUNT];
    unsigned workers;

    (void)state;
    plan_init(&p, "");
    expect_only(runner, &p, CT_RESULT_OK);
    assert_int_equal(children_of(getpid(), &worker, 1), 1);
    assert_int_equal(kill(worker, SIGKILL), 0);
    expect_only(runner, &p, CT_RESULT_OK);
    ct_runner_spent(runner, spent_ns, &workers);
    assert_int_equal(workers, 2);
    ct_runner_free(runner);
    assert_int_equal(children(), 0);
}

static pid_t busy_worker_of(pid_t parent);

/* One after the other: no kernel does that to its worker. */
static void *kill_children(void *data)
{
    pid_t last = 0;

    (void)data;
    for (int i = 0; i < 3; i++) {
        pid_t next;

        do
            next = busy_worker_of(getpid());
        while (next == last);
        kill(next, SIGKILL);
        last = next;
    }
    return NULL;
}

static void busy_worker_may_be_killed(void **state)
{
    struct ct_runner *runner = runner_new();
    struct ct_measure_options how = options(300);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;
    struct plan p;
    pthread_t killer;
    uint64_t spent_ns[CT_PHASE_COUNT];
    unsigned workers;

    (void)state;
    plan_init(&p, "endless");
    assert_int_equal(pthread_create(&killer, NULL, kill_children, NULL), 0);
    assert_int_equal(ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err),
                     CT_E_WORKER);
    pthread_join(killer, NULL);
    assert_contains(err.message, "SIGKILL");
    assert_contains(err.message, "through no fault of the kernel");
    ct_runner_spent(runner, spent_ns, &workers);
    assert_int_equal(workers, 3);
    ct_runner_free(runner);
    assert_int_equal(children(), 0);
}

/* A driver that nobody can use: every worker dies on opening the device. */
static void three_deaths_are_enough(void **state)
{
    struct ct_runner *runner = runner_new();
    struct plan p;

    (void)state;
    setenv("CT_TEST_DIE", "1", 1);
    plan_init(&p, "");
    expect_error(runner, &p, CT_E_WORKER,
                 (const char *[]){"3 worker processes in a row", "start", "status 77",
                                  "famous last words", NULL});
    unsetenv("CT_TEST_DIE");
    assert_int_equal(children(), 0);
    ct_runner_free(runner);
}

/* Runs `body` in a process of its own, which becomes a zombie of ours when it is done. */
static pid_t in_child(void (*body)(void))
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        body();
        _exit(0);
    }
    return pid;
}

/* Evaluates a kernel that never ends; exits with 0 when that was interrupted. */
static void evaluate_endlessly(void)
{
    struct ct_measure_options how = options(300);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;
    struct ct_runner *runner = runner_new();
    struct ct_arena arena = {0};
    struct ct_devinfo *devices;
    size_t count;
    struct plan p;
    pid_t ignored[1];

    plan_init(&p, "endless");
    if (ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err) != CT_E_INTERRUPTED)
        _exit(1);
    /* Neither does any later call go on. */
    if (ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err) != CT_E_INTERRUPTED)
        _exit(2);
    if (ct_measure_devices(&arena, &devices, &count, &err) != CT_E_INTERRUPTED)
        _exit(3);
    if (children_of(getpid(), ignored, 1))
        _exit(4);
    ct_runner_free(runner);
}

static void on_signal(int number)
{
    (void)number;
    ct_measure_interrupt(); // NOLINT(bugprone-signal-handler,cert-sig30-c): made for it
}

static void evaluate_until_signalled(void)
{
    signal(SIGINT, on_signal);
    evaluate_endlessly();
}

static void *interrupt_later(void *data)
{
    (void)data;
    busy_worker_of(getpid());
    ct_measure_interrupt();
    return NULL;
}

/* The waiting thread gets no signal: something else has to wake it. */
static void evaluate_until_interrupted(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, interrupt_later, NULL))
        _exit(5);
    evaluate_endlessly();
    pthread_join(thread, NULL);
}

/* Waits for a process to have a worker that is busy: it has used one and a half seconds of
 * processor, which compiling does not. */
static pid_t busy_worker_of(pid_t parent)
{
    for (;;) {
        pid_t worker = 0;
        char path[64];
        char line[512] = "";
        unsigned long user = 0;

        if (children_of(parent, &worker, 1) == 1) {
            FILE *file;

            snprintf(path, sizeof(path), "/proc/%d/stat", (int)worker);
            file = fopen(path, "r");
            if (file && fgets(line, sizeof(line), file) && strrchr(line, ')'))
                sscanf(strrchr(line, ')') + 1,
                       " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &user);
            if (file)
                fclose(file);
            if (user > 150)
                return worker;
        }
        sleep_ms(20);
    }
}

static void interrupt_ends_the_wait(void **state)
{
    pid_t child = in_child(evaluate_until_signalled);
    int status;

    (void)state;
    busy_worker_of(child);
    assert_int_equal(kill(child, SIGINT), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void interrupt_may_come_from_a_thread(void **state)
{
    pid_t child = in_child(evaluate_until_interrupted);
    int status;

    (void)state;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void workers_die_with_their_parent(void **state)
{
    pid_t child = in_child(evaluate_endlessly);
    pid_t worker = busy_worker_of(child);
    int status;

    (void)state;
    assert_int_equal(getpgid(worker), worker);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    /* It is nobody's we could wait for; a test that never ends would tell. */
    while (!kill(worker, 0))
        sleep_ms(10);
}

/* What kernels and drivers print is not for the user's terminal. */
static void output_is_kept_from_the_terminal(void **state)
{
    static const char source[] =
        "kernel void scale(global const float *in, global float *out, uint n, float f)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    if (i < n) { out[i] = f * in[i]; printf(\"garbage %u\\n\", (uint)i); }\n"
        "}\n";
    struct plan p;
    int saved[2] = {dup(1), dup(2)};
    char path[96];
    FILE *file;
    long length;

    (void)state;
    plan_init(&p, "");
    p.program.source = source;
    p.program.source_hash = ct_hash_bytes(source, sizeof(source));
    snprintf(path, sizeof(path), "%s/terminal", test_folder);
    fflush(NULL);
    file = fopen(path, "w+");
    assert_non_null(file);
    dup2(fileno(file), 1);
    dup2(fileno(file), 2);
    {
        struct ct_runner *runner = runner_new();
        struct ct_measure_options how = options(60);
        struct ct_outcome outcome;
        struct ct_err err = CT_ERR_INIT;
        enum ct_status status = ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err);

        ct_runner_free(runner);
        fflush(NULL);
        dup2(saved[0], 1);
        dup2(saved[1], 2);
        assert_int_equal(status, CT_OK);
        assert_int_equal(outcome.status, CT_RESULT_OK);
        ct_outcome_release(&outcome);
    }
    fseek(file, 0, SEEK_END);
    length = ftell(file);
    fclose(file);
    close(saved[0]);
    close(saved[1]);
    assert_int_equal(length, 0);
}

static void drivers_cache_under_our_folder(void **state)
{
    struct ct_runner *runner;
    struct plan p;
    char path[160];

    (void)state;
    own_driver_cache();
    runner = runner_new();
    plan_init(&p, "");
    expect_only(runner, &p, CT_RESULT_OK);
    ct_runner_free(runner);
    snprintf(path, sizeof(path), "%s/cache/cltune/pocl", test_folder);
    assert_int_equal(access(path, W_OK), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_kernel_is_a_timeout),
        cmocka_unit_test(wild_store_is_a_crash),
        cmocka_unit_test(idle_worker_may_die),
        cmocka_unit_test(busy_worker_may_be_killed),
        cmocka_unit_test(three_deaths_are_enough),
        cmocka_unit_test(interrupt_ends_the_wait),
        cmocka_unit_test(interrupt_may_come_from_a_thread),
        cmocka_unit_test(workers_die_with_their_parent),
        cmocka_unit_test(output_is_kept_from_the_terminal),
        cmocka_unit_test(drivers_cache_under_our_folder),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT)) {
        if (getenv("CT_TEST_DIE")) {
            fputs("famous last words\n", stderr);
            _exit(77);
        }
        return ct_worker_main();
    }
    return cmocka_run_group_tests(tests, set_up_folder, remove_folder);
}
