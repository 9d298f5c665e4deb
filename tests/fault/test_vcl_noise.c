// SPDX-License-Identifier: Apache-2.0
// Tests of the virtual OpenCL driver: noise that is the same every time, coarse clocks.

#include "test_vcl.h"

#include <math.h>
#include <stdbool.h>

enum { MANY = 4000 };

// A fresh file of counters, in which the next child of this process is the first one.
static void begin(char path[64], const char *noise)
{
    fresh_path(path);
    assert_int_equal(setenv("VIRTUALCL_COUNTERS", path, 1), 0);
    assert_int_equal(setenv("VIRTUALCL_NOISE", noise, 1), 0);
    assert_int_equal(setenv("VIRTUALCL_PACE", "0", 1), 0);
}

static void end(const char *path)
{
    char clocks[80];
    snprintf(clocks, sizeof clocks, "%s.clocks", path);
    unlink(clocks);
    drop_path(path);
    unsetenv("VIRTUALCL_COUNTERS");
    unsetenv("VIRTUALCL_NOISE");
}

// Durations of launches that would last 1 ms on device 0, behind one clFinish each 100.
static void run_program(struct bench *bench, int device, const char *options,
                        cl_ulong *out, int count)
{
    cl_mem mem = buffer(bench, 16);
    cl_event events[100];
    assert_int_equal(build_copy(bench, device,
                                "#pragma virtual base 1000000\n"
                                "#ifdef OTHER\nconstant int other = OTHER;\n#endif",
                                options),
                     0);
    set_arguments(bench, mem, mem);
    for (int done = 0; done < count;) {
        int part = count - done < 100 ? count - done : 100;
        for (int i = 0; i < part; i++)
            assert_int_equal(launch(bench, device, 8, 4, &events[i]), CL_SUCCESS);
        assert_int_equal(clFinish(bench->queues[device]), CL_SUCCESS);
        for (int i = 0; i < part; i++) {
            out[done++] = stamp(events[i], CL_PROFILING_COMMAND_END) -
                          stamp(events[i], CL_PROFILING_COMMAND_START);
            clReleaseEvent(events[i]);
        }
    }
    clReleaseMemObject(mem);
}

static void run(struct bench *bench, int device, cl_ulong *out, int count)
{
    run_program(bench, device, "", out, count);
}

// The same in a new process.
static void run_child(struct bench *bench, int device, cl_ulong *out, int count)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    size_t bytes = (size_t)count * sizeof *out, got = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run(bench, device, out, count);
        _exit(write(ends[1], out, bytes) != (ssize_t)bytes);
    }
    close(ends[1]);
    for (ssize_t part = 1; part > 0 && got < bytes; got += (size_t)part)
        part = read(ends[0], (char *)out + got, bytes - got);
    assert_int_equal(got, bytes);
    close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

struct moments {
    double mean, deviation;
};

static struct moments moments_of(const double *values, int count)
{
    struct moments m = {0};
    for (int i = 0; i < count; i++)
        m.mean += values[i] / count;
    for (int i = 0; i < count; i++)
        m.deviation += (values[i] - m.mean) * (values[i] - m.mean) / (count - 1);
    m.deviation = sqrt(m.deviation);
    return m;
}

static void launches_scatter_normally(void **state)
{
    char path[64];
    static cl_ulong times_ns[MANY];
    static double relative[MANY];
    int inside = 0, above = 0;
    begin(path, "normal:0.05,seed:1");
    run_child(*state, 0, times_ns, MANY);
    for (int i = 0; i < MANY; i++) {
        relative[i] = (double)times_ns[i] / 1e6;
        inside += fabs(relative[i] - 1) < 0.05;
        above += relative[i] > 1;
    }
    struct moments m = moments_of(relative, MANY);
    // Four standard errors: 0.05 / sqrt(4000), 0.05 / sqrt(8000), and of shares.
    assert_true(fabs(m.mean - 1) < 0.0032);
    assert_true(fabs(m.deviation - 0.05) < 0.0023);
    assert_true(fabs(inside / (double)MANY - 0.6827) < 0.03);
    assert_true(fabs(above / (double)MANY - 0.5) < 0.032);
    // One launch says nothing of the next.
    double product = 0;
    for (int i = 1; i < MANY; i++)
        product += (relative[i] - 1) * (relative[i - 1] - 1) / (0.05 * 0.05 * MANY);
    assert_true(fabs(product) < 0.064);
    end(path);
}

static void durations_stay_positive(void **state)
{
    char path[64];
    static cl_ulong times_ns[MANY];
    begin(path, "normal:1");
    run_child(*state, 1, times_ns, MANY);
    for (int i = 0; i < MANY; i++)
        assert_true(times_ns[i] >= 10000); // a tenth of what it would be
    end(path);
}

// A hundred launches each are behind one clFinish.
static void samples_scatter_as_a_whole(void **state)
{
    enum { EACH = 100, BLOCKS = 200 };
    char path[64];
    static cl_ulong times_ns[EACH * BLOCKS];
    double relative[BLOCKS];
    begin(path, "block:0.05");
    run_child(*state, 0, times_ns, EACH * BLOCKS);
    for (int i = 0; i < EACH * BLOCKS; i++)
        assert_int_equal(times_ns[i], times_ns[i - i % EACH]);
    for (int i = 0; i < BLOCKS; i++)
        relative[i] = (double)times_ns[EACH * i] / 1e6;
    struct moments m = moments_of(relative, BLOCKS);
    assert_true(fabs(m.mean - 1) < 0.0142);
    assert_true(fabs(m.deviation - 0.05) < 0.01);
    end(path);
}

static void processes_differ_by_a_factor(void **state)
{
    enum { PROCESSES = 100 };
    char path[64];
    cl_ulong times_ns[3];
    double logarithms[PROCESSES];
    begin(path, "process:0.02,seed:5");
    for (int i = 0; i < PROCESSES; i++) {
        run_child(*state, 0, times_ns, 3);
        assert_int_equal(times_ns[0], times_ns[1]);
        assert_int_equal(times_ns[0], times_ns[2]);
        logarithms[i] = log((double)times_ns[0] / 1e6);
    }
    struct moments m = moments_of(logarithms, PROCESSES);
    assert_true(fabs(m.mean) < 0.008);
    assert_true(fabs(m.deviation - 0.02) < 0.0057);
    end(path);
}

// Device 1 takes a tenth of the time of device 0 and as much for a launch.
static void launches_cost_more_in_some_processes(void **state)
{
    enum { PROCESSES = 100 };
    char path[64];
    cl_ulong times_ns[3];
    double added_ns[PROCESSES];
    for (int device = 0; device < 2; device++) {
        cl_ulong base_ns = device ? 100000 : 1000000;
        begin(path, "launch:2000,seed:5");
        for (int i = 0; i < PROCESSES; i++) {
            run_child(*state, device, times_ns, 3);
            assert_int_equal(times_ns[0], times_ns[1]);
            assert_int_equal(times_ns[0], times_ns[2]);
            added_ns[i] = (double)times_ns[0] - (double)base_ns;
        }
        struct moments m = moments_of(added_ns, PROCESSES);
        assert_true(fabs(m.mean) < 800);
        assert_true(fabs(m.deviation - 2000) < 570);
        end(path);
    }
    // What is taken off leaves a tenth.
    begin(path, "launch:100000000,seed:5");
    int least = 0;
    for (int i = 0; i < 20; i++) {
        run_child(*state, 1, times_ns, 1);
        assert_true(times_ns[0] >= 10000);
        least += times_ns[0] == 10000;
    }
    assert_true(least > 1 && least < 19);
    end(path);
}

// Another one for each program: the launches of one agree, those of another differ from them.
// The process's own noise is a fiftieth of 1 ms; by that much times `apart` two programs differ in it.
static void differ_by_program(void **state, const char *noise, double apart)
{
    enum { PROCESSES = 100 };
    char path[64];
    cl_ulong first_ns[2], other_ns[2];
    double differences[PROCESSES], logarithms[PROCESSES];
    begin(path, noise);
    for (int i = 0; i < PROCESSES; i++) {
        int ends[2];
        cl_ulong both[4];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            run_program(*state, 0, "", first_ns, 2);
            run_program(*state, 0, "-D OTHER=1", other_ns, 2);
            memcpy(both, first_ns, sizeof first_ns);
            memcpy(both + 2, other_ns, sizeof other_ns);
            _exit(write(ends[1], both, sizeof both) != (ssize_t)sizeof both);
        }
        close(ends[1]);
        assert_int_equal(read(ends[0], both, sizeof both), sizeof both);
        close(ends[0]);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(both[0], both[1]);
        assert_int_equal(both[2], both[3]);
        logarithms[i] = log((double)both[0] / 1e6);
        differences[i] = log((double)both[0] / (double)both[2]);
    }
    struct moments m = moments_of(logarithms, PROCESSES);
    assert_true(fabs(m.mean) < 0.008);
    assert_true(fabs(m.deviation - 0.02) < 0.0057);
    m = moments_of(differences, PROCESSES);
    assert_true(fabs(m.deviation - 0.02 * apart) < 0.008 * apart + 1e-9);
    end(path);
}

static void programs_differ_in_each_process(void **state)
{
    differ_by_program(state, "layout:0.02,seed:5", sqrt(2));
}

static void launches_of_programs_do(void **state)
{
    differ_by_program(state, "place:20000,seed:5", sqrt(2));
    differ_by_program(state, "launch:20000,seed:5", 0);
}

static void some_launches_are_spikes(void **state)
{
    char path[64];
    static cl_ulong times_ns[MANY];
    int spikes = 0;
    begin(path, "spike:0.02:10");
    run_child(*state, 0, times_ns, MANY);
    for (int i = 0; i < MANY; i++) {
        assert_true(times_ns[i] == 1000000 || times_ns[i] == 10000000);
        spikes += times_ns[i] == 10000000;
    }
    assert_true(spikes > 44 && spikes < 116); // 80, four standard errors of 8.9
    end(path);
}

// Stretches of 20 ms, half of them slow; a launch is as slow as its beginning.
static void bursts_last(void **state)
{
    char path[64];
    static cl_ulong times_ns[MANY];
    cl_ulong clock_ns = 0, stretch = (cl_ulong)-1, slow = 0, seen = 0, within = 0;
    begin(path, "burst:0.5:3:0.02");
    for (int process = 0; process < 2; process++) {
        run_child(*state, 0, times_ns, MANY / 2);
        for (int i = 0; i < MANY / 2; i++) {
            assert_true(times_ns[i] == 1000000 || times_ns[i] == 3000000);
            bool is_slow = times_ns[i] == 3000000;
            if (clock_ns / 20000000 != stretch) {
                stretch = clock_ns / 20000000;
                seen++;
                slow += within = is_slow;
            }
            assert_int_equal(is_slow, within);
            clock_ns += times_ns[i];
        }
    }
    // Of about 400 half, within four standard errors.
    assert_true(seen > 200);
    assert_true(fabs((double)slow / (double)seen - 0.5) < 2 / sqrt((double)seen));
    end(path);
}

// A tenth more over 20 ms of launches, in whatever process, and no more behind that.
static void devices_drift(void **state)
{
    char path[64];
    cl_ulong times_ns[15], clock_ns = 0;
    begin(path, "drift:0.1:0.02");
    for (int process = 0; process < 2; process++) {
        run_child(*state, 0, times_ns, 15);
        for (int i = 0; i < 15; i++) {
            double share = clock_ns < 20000000 ? (double)clock_ns / 20e6 : 1;
            assert_int_equal(times_ns[i], (cl_ulong)(1e6 * (1 + 0.1 * share) + 0.5));
            clock_ns += times_ns[i];
        }
    }
    assert_int_equal(times_ns[14], 1100000);
    // The other device has not been used yet.
    run_child(*state, 1, times_ns, 2);
    assert_int_equal(times_ns[0], 100000);
    assert_int_equal(times_ns[1], 100050);
    // Without the file every process starts cold.
    assert_int_equal(unsetenv("VIRTUALCL_COUNTERS"), 0);
    for (int process = 0; process < 2; process++) {
        run_child(*state, 0, times_ns, 2);
        assert_int_equal(times_ns[0], 1000000);
        assert_int_equal(times_ns[1], 1005000);
    }
    end(path);
}

static void noise_is_the_same_for_a_seed(void **state)
{
    static const char all[] =
        "normal:0.2,block:0.1,process:0.05,spike:0.1:3,drift:0.15:1,seed:7";
    static const char other[] =
        "normal:0.2,block:0.1,process:0.05,spike:0.1:3,drift:0.15:1,seed:8";
    char path[64];
    cl_ulong first_ns[50], second_ns[50], again_ns[50];
    begin(path, all);
    run_child(*state, 0, first_ns, 50);
    run_child(*state, 0, second_ns, 50);
    end(path);
    begin(path, all);
    run_child(*state, 0, again_ns, 50);
    assert_memory_equal(first_ns, again_ns, sizeof again_ns);
    run_child(*state, 0, again_ns, 50);
    assert_memory_equal(second_ns, again_ns, sizeof again_ns);
    end(path);
    begin(path, other);
    run_child(*state, 0, again_ns, 50);
    end(path);
    int same = 0, same_seed = 0;
    for (int i = 0; i < 50; i++) {
        same += first_ns[i] == second_ns[i];
        same_seed += first_ns[i] == again_ns[i];
    }
    assert_true(same < 5 && same_seed < 5);
}

static void transfers_have_no_noise(void **state)
{
    struct bench *bench = *state;
    char path[64], bytes[1000];
    cl_mem mem = buffer(bench, sizeof bytes);
    cl_event event;
    begin(path, "normal:0.5,process:0.5,spike:1:7");
    assert_int_equal(clEnqueueReadBuffer(bench->queues[0], mem, CL_TRUE, 0, sizeof bytes,
                                         bytes, 0, NULL, &event),
                     CL_SUCCESS);
    assert_int_equal(stamp(event, CL_PROFILING_COMMAND_END) -
                         stamp(event, CL_PROFILING_COMMAND_START),
                     1000);
    clReleaseEvent(event);
    clReleaseMemObject(mem);
    // No process came to it: there is no file yet.
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    end(path);
}

static void clocks_can_have_steps(void **state)
{
    struct bench *bench = *state;
    cl_mem mem = buffer(bench, 16);
    cl_event events[3];
    assert_int_equal(build_copy(bench, 0, "#pragma virtual base 1300", ""), CL_SUCCESS);
    set_arguments(bench, mem, mem);
    assert_int_equal(setenv("VIRTUALCL_PACE", "0", 1), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(launch(bench, 0, 8, 4, &events[i]), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[0]), CL_SUCCESS);
    cl_ulong start_ns = stamp(events[0], CL_PROFILING_COMMAND_START);
    assert_int_equal(setenv("VIRTUALCL_TIMER", "1000", 1), 0);
    for (cl_ulong i = 0; i < 3; i++) {
        cl_ulong from_ns = start_ns + i * 1300, to_ns = from_ns + 1300;
        assert_int_equal(stamp(events[i], CL_PROFILING_COMMAND_START),
                         from_ns - from_ns % 1000);
        assert_int_equal(stamp(events[i], CL_PROFILING_COMMAND_END),
                         to_ns - to_ns % 1000);
        assert_int_equal(stamp(events[i], CL_PROFILING_COMMAND_QUEUED),
                         from_ns - from_ns % 1000);
        clReleaseEvent(events[i]);
    }
    unsetenv("VIRTUALCL_TIMER");
    clReleaseMemObject(mem);
}

// A misspelt word must not pass as silence.
static void nonsense_ends_the_process(void **state)
{
    static const struct {
        const char *variable, *value;
    } rows[] = {
        {"VIRTUALCL_NOISE", "loud:0.1"},    {"VIRTUALCL_NOISE", "normal"},
        {"VIRTUALCL_NOISE", "normal:"},     {"VIRTUALCL_NOISE", "normal:x"},
        {"VIRTUALCL_NOISE", "normal:nan"},  {"VIRTUALCL_NOISE", "normal:1.5"},
        {"VIRTUALCL_NOISE", "normal:-0.1"}, {"VIRTUALCL_NOISE", "normal:0.1,"},
        {"VIRTUALCL_NOISE", "normal:0.1;"}, {"VIRTUALCL_NOISE", "seed:1:2"},
        {"VIRTUALCL_NOISE", "spike:0.1"},   {"VIRTUALCL_NOISE", "drift:0.1"},
        {"VIRTUALCL_NOISE", ",normal:0.1"}, {"VIRTUALCL_NOISE", "spike:2:10"},
        {"VIRTUALCL_NOISE", "burst:0.1:2"}, {"VIRTUALCL_NOISE", "launch:2e9"},
        {"VIRTUALCL_NOISE", "place"},
    };
    assert_int_equal(setenv("VIRTUALCL_PACE", "0", 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(setenv(rows[i].variable, rows[i].value, 1), 0);
        if (end_of_child(*state, "", 1) != SIGABRT)
            fail_msg("%s=%s is accepted", rows[i].variable, rows[i].value);
        unsetenv(rows[i].variable);
    }
    assert_int_equal(setenv("VIRTUALCL_NOISE", "normal:0.1,spike:0:1", 1), 0);
    assert_int_equal(end_of_child(*state, "", 1), 0);
    unsetenv("VIRTUALCL_NOISE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(launches_scatter_normally),
        TEST(durations_stay_positive),
        TEST(samples_scatter_as_a_whole),
        TEST(processes_differ_by_a_factor),
        TEST(launches_cost_more_in_some_processes),
        TEST(programs_differ_in_each_process),
        TEST(launches_of_programs_do),
        TEST(some_launches_are_spikes),
        TEST(bursts_last),
        TEST(devices_drift),
        TEST(noise_is_the_same_for_a_seed),
        TEST(transfers_have_no_noise),
        TEST(clocks_can_have_steps),
        TEST(nonsense_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
