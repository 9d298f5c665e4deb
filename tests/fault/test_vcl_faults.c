// SPDX-License-Identifier: Apache-2.0
// Tests of the virtual OpenCL driver: faults with numbers and conditions, lies, limits,
// a lost device.

#include "test_vcl.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static void numbers_choose_codes_and_statuses(void **state)
{
    struct bench *bench = *state;
    cl_mem mem = buffer(bench, 16);
    assert_int_equal(build_copy(bench, 1, "#pragma virtual fault * * build_error:-6", ""),
                     CL_OUT_OF_HOST_MEMORY);
    assert_non_null(strstr(bench->log, "the fault build_error"));
    assert_int_equal(build_copy(bench, 1,
                                "#pragma virtual fault * * launch_error:-54\n"
                                "#pragma virtual fault X 1 launch_error",
                                ""),
                     CL_SUCCESS);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(
        build_copy(bench, 1, "#pragma virtual fault * * finish_error:-5", ""),
        CL_SUCCESS);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[1]), CL_OUT_OF_RESOURCES);
    assert_int_equal(clFinish(bench->queues[1]), CL_SUCCESS); // once for each launch
    assert_int_equal(end_of_child(bench, "#pragma virtual fault * * exit:0", 1), 0);
    assert_int_equal(end_of_child(bench, "#pragma virtual fault * * build_exit:7", 1),
                     -7);
    assert_int_equal(end_of_child(bench, "#pragma virtual fault * * finish_exit:8", 1),
                     -8);
    assert_int_equal(end_of_child(bench, "#pragma virtual fault * * finish_exit", 1), -3);
    assert_int_equal(end_of_child(bench, "#pragma virtual fault * * finish_abort", 1),
                     SIGABRT);
    clReleaseMemObject(mem);
}

static void malformed_faults_fail_the_build(void **state)
{
    struct bench *bench = *state;
    static const char *const bad[] = {
        "wrong:3",           "launch_error:5",    "exit:256",    "leak:0",
        "wrong often:2",     "wrong every:0",     "wrong every", "wrong chance:1.5",
        "build_leak at:1",   "build_hang from:1", "wrong at:-1", "leak:x",
        "load_hang every:2", "wrong at:1 at:2",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[128];
        snprintf(line, sizeof line, "#pragma virtual fault X 1 %s", bad[i]);
        if (build_copy(bench, 1, line, "") != CL_BUILD_PROGRAM_FAILURE)
            fail_msg("'%s' builds", bad[i]);
    }
    unsetenv("VIRTUALCL_COUNTERS");
    assert_int_equal(build_copy(bench, 1, "#pragma virtual fault X 1 wrong until:1", ""),
                     CL_BUILD_PROGRAM_FAILURE);
    assert_non_null(strstr(bench->log, "VIRTUALCL_COUNTERS is not set"));
}

static void faults_choose_their_launches(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *condition;
        int fails[7]; // launches 1 to 6
    } rows[] = {
        {"", {0, 1, 1, 1, 1, 1, 1}},
        {"every:3", {0, 0, 0, 1, 0, 0, 1}},
        {"from:4", {0, 0, 0, 0, 1, 1, 1}},
        {"at:2", {0, 0, 1, 0, 0, 0, 0}},
        {"chance:0", {0}},
        {"chance:1", {0, 1, 1, 1, 1, 1, 1}},
    };
    cl_mem mem = buffer(bench, 16);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[128];
        snprintf(line, sizeof line, "#pragma virtual fault * * launch_error %s",
                 rows[i].condition);
        assert_int_equal(build_copy(bench, 1, line, ""), CL_SUCCESS);
        set_arguments(bench, mem, mem);
        for (int n = 1; n <= 6; n++)
            if ((launch(bench, 1, 4, 4, NULL) != 0) != rows[i].fails[n])
                fail_msg("%s: launch %d", rows[i].condition, n);
    }
    clReleaseMemObject(mem);
}

static void faults_choose_their_processes(void **state)
{
    struct bench *bench = *state;
    char path[64];
    fresh_path(path);
    assert_int_equal(setenv("VIRTUALCL_COUNTERS", path, 1), 0);
    const char until[] = "#pragma virtual fault * * segfault until:2";
    for (int i = 1; i <= 4; i++)
        assert_int_equal(end_of_child(bench, until, 3), i <= 2 ? SIGSEGV : 0);
    const char third[] = "#pragma virtual fault * * build_abort process:3";
    for (int i = 1; i <= 4; i++)
        assert_int_equal(end_of_child(bench, third, 1), i == 3 ? SIGABRT : 0);
    // Another program counts by itself.
    assert_int_equal(end_of_child(bench,
                                  "#pragma virtual fault * * segfault until:2\n"
                                  "#pragma virtual base 7",
                                  1),
                     SIGSEGV);
    // Launches of all processes count together.
    const char first[] = "#pragma virtual fault * * abort first:2";
    for (int i = 1; i <= 3; i++)
        assert_int_equal(end_of_child(bench, first, 1), i <= 2 ? SIGABRT : 0);
    const char beyond[] = "#pragma virtual fault * * abort beyond:2";
    for (int i = 1; i <= 3; i++)
        assert_int_equal(end_of_child(bench, beyond, 1), i <= 2 ? 0 : SIGABRT);
    // What a process knows of itself is not what a process that it forks is.
    const char own[] = "#pragma virtual fault * * launch_error until:2";
    cl_mem mem = buffer(bench, 16);
    assert_int_equal(build_copy(bench, 1, own, ""), CL_SUCCESS);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_OUT_OF_RESOURCES);
    assert_int_equal(end_of_child(bench, own, 1), -51);
    assert_int_equal(end_of_child(bench, own, 1), 0);
    assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_OUT_OF_RESOURCES);
    clReleaseMemObject(mem);
    unsetenv("VIRTUALCL_COUNTERS");
    drop_path(path);
}

// Two runs with one seed agree in each of 40 processes, with another seed or another
// program they do not, and the share is about what was asked for.
static void chance_follows_the_seed(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *seed, *base;
    } runs[] = {{"one", "1"}, {"one", "1"}, {"two", "1"}, {"one", "2"}};
    enum { RUNS = sizeof runs / sizeof *runs, PROCESSES = 40 };
    int failed[RUNS][PROCESSES];
    for (int run = 0; run < RUNS; run++) {
        char path[64], lines[128];
        int sum = 0;
        fresh_path(path);
        assert_int_equal(setenv("VIRTUALCL_COUNTERS", path, 1), 0);
        assert_int_equal(setenv("VIRTUALCL_SEED", runs[run].seed, 1), 0);
        snprintf(lines, sizeof lines,
                 "#pragma virtual fault * * launch_error chance:0.5\n"
                 "#pragma virtual base %s",
                 runs[run].base);
        for (int i = 0; i < PROCESSES; i++) {
            failed[run][i] = end_of_child(bench, lines, 2) == -51;
            sum += failed[run][i];
        }
        assert_in_range(sum, 10, 30);
        drop_path(path);
    }
    assert_memory_equal(failed[0], failed[1], sizeof failed[0]);
    assert_memory_not_equal(failed[0], failed[2], sizeof failed[0]);
    assert_memory_not_equal(failed[0], failed[3], sizeof failed[0]);
    unsetenv("VIRTUALCL_COUNTERS");
    unsetenv("VIRTUALCL_SEED");
}

// Launches twice on fresh data between guards: what became of it.
struct ran {
    float values[2][4];
    unsigned char whole[1536];
    float input[4];
};

static void run_twice(struct bench *bench, const char *lines, struct ran *ran)
{
    const float input[4] = {0.5f, -1, 0, 2};
    const unsigned char guard = 0xA5;
    cl_buffer_region region = {512, sizeof input};
    cl_int status;
    assert_int_equal(build_copy(bench, 1, lines, ""), CL_SUCCESS);
    cl_mem in = clCreateBuffer(bench->context, CL_MEM_COPY_HOST_PTR, sizeof input,
                               (void *)(uintptr_t)input, &status);
    cl_mem parent = buffer(bench, 1536);
    cl_mem out = clCreateSubBuffer(parent, CL_MEM_READ_WRITE,
                                   CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    assert_int_equal(status, CL_SUCCESS);
    clEnqueueFillBuffer(bench->queues[1], parent, &guard, 1, 0, 1536, 0, NULL, NULL);
    set_arguments(bench, in, out);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_SUCCESS);
        assert_int_equal(clEnqueueReadBuffer(bench->queues[1], out, CL_TRUE, 0, 16,
                                             ran->values[i], 0, NULL, NULL),
                         CL_SUCCESS);
    }
    clEnqueueReadBuffer(bench->queues[1], parent, CL_TRUE, 0, 1536, ran->whole, 0, NULL,
                        NULL);
    clEnqueueReadBuffer(bench->queues[1], in, CL_TRUE, 0, 16, ran->input, 0, NULL, NULL);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(parent);
}

static size_t damaged(const struct ran *ran, size_t from, size_t to)
{
    size_t count = 0;
    for (size_t i = from; i < to; i++)
        count += ran->whole[i] != 0xA5;
    return count;
}

static void results_go_wrong_in_many_ways(void **state)
{
    struct bench *bench = *state;
    const float right[4] = {0.5f, -1, 0, 2};
    struct ran ran;
    run_twice(bench, "#pragma virtual fault * * wrong every:2", &ran);
    assert_memory_equal(ran.values[0], right, sizeof right);
    assert_true(ran.values[1][3] != 2);
    run_twice(bench, "#pragma virtual fault * * unwritten", &ran);
    assert_int_equal(damaged(&ran, 0, 1536), 0);
    run_twice(bench, "#pragma virtual fault * * underrun:2", &ran);
    assert_int_equal(damaged(&ran, 0, 504), 0);
    assert_int_equal(damaged(&ran, 504, 512), 8);
    assert_int_equal(damaged(&ran, 528, 1536), 0);
    run_twice(bench, "#pragma virtual fault * * overrun:3", &ran);
    assert_int_equal(damaged(&ran, 0, 512), 0);
    assert_int_equal(damaged(&ran, 528, 540), 12);
    assert_int_equal(damaged(&ran, 540, 1536), 0);
    run_twice(bench, "#pragma virtual fault * * taint at:1", &ran);
    assert_memory_equal(ran.values[0], right, sizeof right);
    assert_memory_not_equal(ran.input, right, sizeof right);
    assert_int_equal(damaged(&ran, 0, 512), 0);
}

static void clocks_go_in_steps(void **state)
{
    struct bench *bench = *state;
    cl_mem mem = buffer(bench, 16);
    cl_event events[5];
    assert_int_equal(build_copy(bench, 0, "#pragma virtual base 700", ""), CL_SUCCESS);
    set_arguments(bench, mem, mem);
    for (int n = 0; n < 5; n++)
        assert_int_equal(launch(bench, 0, 4, 4, &events[n]), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[0]), CL_SUCCESS);
    cl_ulong start_ns = stamp(events[0], CL_PROFILING_COMMAND_START);
    assert_int_equal(setenv("VIRTUALCL_TIMER", "1000", 1), 0);
    for (cl_ulong n = 0; n < 5; n++) {
        cl_ulong end_ns = start_ns + 700 * (n + 1);
        assert_int_equal(stamp(events[n], CL_PROFILING_COMMAND_END),
                         end_ns - end_ns % 1000);
    }
    assert_int_equal(unsetenv("VIRTUALCL_TIMER"), 0);
    assert_int_equal(stamp(events[4], CL_PROFILING_COMMAND_END), start_ns + 3500);
    for (int n = 0; n < 5; n++)
        clReleaseEvent(events[n]);
    clReleaseMemObject(mem);
}

static void launches_are_slow(void **state)
{
    struct bench *bench = *state;
    char path[64];
    cl_event events[3];
    cl_mem mem = buffer(bench, 16);
    fresh_path(path);
    assert_int_equal(setenv("VIRTUALCL_COUNTERS", path, 1), 0);
    assert_int_equal(build_copy(bench, 0,
                                "#pragma virtual base 2000000\n"
                                "#pragma virtual fault * * slow:50 first:2",
                                ""),
                     CL_SUCCESS);
    set_arguments(bench, mem, mem);
    for (int n = 0; n < 3; n++)
        assert_int_equal(launch(bench, 0, 4, 4, &events[n]), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[0]), CL_SUCCESS);
    for (int n = 0; n < 3; n++) {
        assert_int_equal(stamp(events[n], CL_PROFILING_COMMAND_END) -
                             stamp(events[n], CL_PROFILING_COMMAND_START),
                         n < 2 ? 3000000 : 2000000);
        clReleaseEvent(events[n]);
    }
    clReleaseMemObject(mem);
    unsetenv("VIRTUALCL_COUNTERS");
    drop_path(path);
}

static void events_lie(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *line;
        cl_ulong event_ns; // of 5 launches of 2 ms
    } rows[] = {
        {"#pragma virtual fault * * event_scale", 0},
        {"#pragma virtual fault * * event_scale:10", 1000000},
        {"#pragma virtual fault * * event_scale:1000", 100000000},
        {"", 10000000},
    };
    cl_mem mem = buffer(bench, 16);
    cl_event events[5];
    assert_int_equal(setenv("VIRTUALCL_PACE", "1", 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char lines[128];
        struct timespec from, to;
        snprintf(lines, sizeof lines, "#pragma virtual base 20000000\n%s", rows[i].line);
        assert_int_equal(build_copy(bench, 1, lines, ""), CL_SUCCESS);
        set_arguments(bench, mem, mem);
        clock_gettime(CLOCK_MONOTONIC, &from);
        for (int n = 0; n < 5; n++)
            assert_int_equal(launch(bench, 1, 4, 4, &events[n]), CL_SUCCESS);
        assert_int_equal(clFinish(bench->queues[1]), CL_SUCCESS);
        clock_gettime(CLOCK_MONOTONIC, &to);
        // The wall knows better: a lower limit only, as sleeping longer is no fault.
        assert_true((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec >=
                    10000000);
        assert_int_equal(stamp(events[4], CL_PROFILING_COMMAND_END) -
                             stamp(events[0], CL_PROFILING_COMMAND_START),
                         rows[i].event_ns);
        for (int n = 0; n < 5; n++)
            clReleaseEvent(events[n]);
    }
    clReleaseMemObject(mem);
}

static void limits_may_be_wrong(void **state)
{
    struct bench *bench = *state;
    size_t group;
    cl_ulong local;
    cl_mem mem = buffer(bench, 16);
    assert_int_equal(build_copy(bench, 1, "#pragma virtual fault * * group_limit:64", ""),
                     CL_SUCCESS);
    set_arguments(bench, mem, mem);
    assert_int_equal(clGetKernelWorkGroupInfo(bench->kernel, bench->devices[1],
                                              CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                              &group, NULL),
                     CL_SUCCESS);
    assert_int_equal(group, 1024);
    assert_int_equal(launch(bench, 1, 128, 64, NULL), CL_SUCCESS);
    assert_int_equal(launch(bench, 1, 128, 128, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(launch(bench, 1, 128, 0, NULL), CL_SUCCESS);
    const char tile[] = "__kernel void k(__local float *a) {}\n";
    char source[256];
    snprintf(source, sizeof source, "#pragma virtual fault * * local_limit:1024\n%s",
             tile);
    assert_int_equal(build(bench, 1, source, ""), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(bench->kernel, 0, 1024, NULL), CL_SUCCESS);
    assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(bench->kernel, 0, 1028, NULL), CL_SUCCESS);
    assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_OUT_OF_RESOURCES);
    assert_int_equal(setenv("VIRTUALCL_LIMITS", "local:98304,group:4096", 1), 0);
    clGetDeviceInfo(bench->devices[1], CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local,
                    NULL);
    assert_int_equal(local, 98304);
    clGetDeviceInfo(bench->devices[1], CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group,
                    &group, NULL);
    assert_int_equal(group, 4096);
    assert_int_equal(build_copy(bench, 1, "", ""), CL_SUCCESS);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 1, 2048, 2048, NULL), CL_INVALID_WORK_GROUP_SIZE);
    unsetenv("VIRTUALCL_LIMITS");
    clReleaseMemObject(mem);
}

// An assertion of the driver, as PoCL has one for local memory.
static void local_memory_may_abort(void **state)
{
    struct bench *bench = *state;
    const char form[] = "#pragma virtual fault * * local_abort:%d\n"
                        "__kernel void k(__global const float *a, __global float *b, "
                        "uint n) { __local float tile[64]; }\n";
    char source[512];
    snprintf(source, sizeof source, form, 256);
    assert_int_equal(end_of_source(bench, source, 1), 0);
    snprintf(source, sizeof source, form, 255);
    assert_int_equal(end_of_source(bench, source, 1), SIGABRT);
}

static void a_lost_device_stays_lost(void **state)
{
    struct bench *bench = *state;
    static const char *const lines[] = {"#pragma virtual fault * * lost",
                                        "#pragma virtual fault * * finish_lost"};
    for (int late = 0; late < 2; late++) {
        pid_t child = fork();
        if (child == 0) {
            cl_int status;
            cl_mem mem = buffer(bench, 16);
            int bad = build_copy(bench, 1, lines[late], "") != CL_SUCCESS;
            set_arguments(bench, mem, mem);
            bad |= launch(bench, 1, 4, 4, NULL) != (late ? 0 : CL_OUT_OF_RESOURCES);
            bad |= clFinish(bench->queues[1]) != CL_INVALID_COMMAND_QUEUE;
            bad |= clFinish(bench->queues[0]) != CL_INVALID_COMMAND_QUEUE;
            bad |= launch(bench, 1, 4, 4, NULL) != CL_INVALID_COMMAND_QUEUE;
            clCreateBuffer(bench->context, 0, 4, NULL, &status);
            bad |= status != CL_OUT_OF_RESOURCES;
            clCreateContext(NULL, 1, bench->devices, NULL, NULL, &status);
            bad |= status != CL_DEVICE_NOT_AVAILABLE;
            clCreateCommandQueue(bench->context, bench->devices[0], 0, &status);
            bad |= status != CL_DEVICE_NOT_AVAILABLE;
            bad |= clReleaseMemObject(mem) != CL_SUCCESS;
            _exit(bad);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_int_equal(clFinish(bench->queues[0]), CL_SUCCESS); // this process's is not
}

// Memory grows by what was asked for, and a limit on it ends the process.
static void leaks_are_seen_by_a_memory_limit(void **state)
{
    struct bench *bench = *state;
    pid_t child = fork();
    if (child == 0) {
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        if (build_copy(bench, 1, "#pragma virtual fault * * build_leak:48", ""))
            _exit(1);
        cl_mem mem = buffer(bench, 16);
        set_arguments(bench, mem, mem);
        getrusage(RUSAGE_SELF, &after);
        if (after.ru_maxrss - before.ru_maxrss < 47 * 1024)
            _exit(2);
        if (build_copy(bench, 1, "#pragma virtual fault * * leak:32 at:2", ""))
            _exit(3);
        set_arguments(bench, mem, mem);
        for (int i = 0; i < 5; i++)
            launch(bench, 1, 4, 4, NULL);
        getrusage(RUSAGE_SELF, &before);
        long grown = before.ru_maxrss - after.ru_maxrss;
        _exit(grown < 31 * 1024 ? 4 : grown > 60 * 1024 ? 5 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
#ifndef __SANITIZE_ADDRESS__   // which needs address space for itself
    if (getenv("CT_EMULATOR")) // QEMU sets no limits
        return;
    child = fork();
    if (child == 0) {
        struct rlimit limit = {512 << 20, 512 << 20};
        if (setrlimit(RLIMIT_AS, &limit) || !freopen("/dev/null", "w", stderr))
            _exit(1);
        build_copy(bench, 1, "#pragma virtual fault * * build_leak:4096", "");
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
#endif
}

// Both standard streams get what was asked for; the build goes on.
static void compilers_may_talk(void **state)
{
    struct bench *bench = *state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        close(pipes[0]);
        close(pipes[1]);
        _exit(build_copy(bench, 1, "#pragma virtual fault * * build_chatter:100", ""));
    }
    close(pipes[1]);
    char block[4096];
    ssize_t got, sum = 0;
    while ((got = read(pipes[0], block, sizeof block)) > 0)
        sum += got;
    close(pipes[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(sum, 2 * 100 * 1024);
}

// A compiler's own process belongs to the same group, so that ending the group ends it.
static void compilers_may_start_processes(void **state)
{
    struct bench *bench = *state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        close(pipes[0]);
        if (write(pipes[1], "", 1) != 1)
            _exit(1);
        build_copy(bench, 1, "#pragma virtual fault * * build_spawn", "");
        _exit(2);
    }
    close(pipes[1]);
    char byte;
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    struct timespec moment = {0, 100000000};
    nanosleep(&moment,
              NULL); // for the second process to come; if it does not, nothing is proved
    assert_int_equal(kill(-child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(read(pipes[0], &byte, 1), 0); // nobody holds the pipe any more
    close(pipes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(numbers_choose_codes_and_statuses),
        TEST(malformed_faults_fail_the_build),
        TEST(faults_choose_their_launches),
        TEST(faults_choose_their_processes),
        TEST(chance_follows_the_seed),
        TEST(results_go_wrong_in_many_ways),
        TEST(clocks_go_in_steps),
        TEST(launches_are_slow),
        TEST(events_lie),
        TEST(limits_may_be_wrong),
        TEST(local_memory_may_abort),
        TEST(a_lost_device_stays_lost),
        TEST(leaks_are_seen_by_a_memory_limit),
        TEST(compilers_may_talk),
        TEST(compilers_may_start_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
