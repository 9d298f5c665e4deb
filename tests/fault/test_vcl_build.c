// SPDX-License-Identifier: Apache-2.0
// Tests of the virtual OpenCL driver: building, binaries, what kernels do, faults.

#include "test_vcl.h"

static void mistakes_fail_the_build(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *lines, *options, *log;
    } rows[] = {
        {"#if WG == 8 && defined(VEC)\n#error eight is bad\n#endif", "-D WG=8 -D VEC",
         "virtual:2: error: #error eight is bad"},
        {"#if WG / ZERO\n#endif", "-D WG=8", "division by zero"},
        {"#ifdef WG", "", "#if without #endif"},
        {"#else", "", "#else without #if"},
        {"#include \"nowhere.h\"", "", "cannot include \"nowhere.h\""},
        {"#pragma virtual fault WG 8 nonsense", "", "bad value in #pragma virtual fault"},
        {"#pragma virtual factor WG 8", "", "expected #pragma virtual factor NAME"},
        {"#pragma virtual faktor WG 8 2", "", "unknown directive #pragma virtual faktor"},
        {"#pragma virtual fault WG 8 build_error", "-D WG=8", "the fault build_error"},
        {"#define B(x) x x x x x x x x\nB(B(B(B(B(B(B(WG)))))))", "-DWG=1",
         "expansion has no end"},
        {"__kernel void copy(void) {}", "", "defined twice"},
        {"__kernel void k(float *a) {}", "", "'a' has no address space"},
        {"__kernel int k(float a) {}", "", "not understood"},
        {"__kernel void k(double a) {}", "", "no double"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(build_copy(bench, 0, rows[i].lines, rows[i].options),
                         CL_BUILD_PROGRAM_FAILURE);
        if (!strstr(bench->log, rows[i].log))
            fail_msg("row %zu: '%s' is not in: %s", i, rows[i].log, bench->log);
    }
    cl_build_status status;
    assert_int_equal(clGetProgramBuildInfo(bench->program, bench->devices[0],
                                           CL_PROGRAM_BUILD_STATUS, sizeof status,
                                           &status, NULL),
                     CL_SUCCESS);
    assert_int_equal(status, CL_BUILD_ERROR);
    assert_int_equal(build_copy(bench, 0, "", "-D"), CL_INVALID_BUILD_OPTIONS);
    assert_int_equal(build_copy(bench, 0, "", "-D 8=9"), CL_INVALID_BUILD_OPTIONS);
}

static void correct_sources_build(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *lines, *options;
    } rows[] = {
        {"// #error no\n/* #error no\n #error no */ #define A '\"' // \"", ""},
        {"#if 0\n#error no\n#if 1\n#error no\n#else\n#error no\n#endif\n#endif", ""},
        {"#if WG >= 8 && (VEC % 4 == 0 || 1/0)\n#elif 1\n#error no\n#endif",
         "-DWG=0x10u -D 'VEC=4'"},
        {"#define TWICE(x) ((x) * 2)\n#if TWICE(WG + 1) != 10 ? 1 : 0\n#error no\n#endif",
         "-DWG=4 -cl-std=CL1.2 -Werror -cl-fast-relaxed-math"},
        {"#ifndef B\n#define B \\\n 3\n#endif\n#if B << 2 != 12 || !~-1 != 1\n#error "
         "no\n#endif",
         ""},
        {"#if defined WG || !defined(__OPENCL_VERSION__)\n#error no\n#endif\n#warning w",
         ""},
        {"kernel void k(void); typedef struct { int kernel_size; } s;", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (build_copy(bench, 0, rows[i].lines, rows[i].options))
            fail_msg("row %zu: %s", i, bench->log);
}

static void expect_argument(struct bench *bench, cl_uint place, const char *type,
                            const char *name, cl_kernel_arg_address_qualifier address,
                            cl_kernel_arg_type_qualifier qualifiers)
{
    char text[64];
    cl_kernel_arg_address_qualifier space;
    cl_kernel_arg_type_qualifier found;
    assert_int_equal(clGetKernelArgInfo(bench->kernel, place, CL_KERNEL_ARG_TYPE_NAME,
                                        sizeof text, text, NULL),
                     CL_SUCCESS);
    assert_string_equal(text, type);
    assert_int_equal(clGetKernelArgInfo(bench->kernel, place, CL_KERNEL_ARG_NAME,
                                        sizeof text, text, NULL),
                     CL_SUCCESS);
    assert_string_equal(text, name);
    assert_int_equal(clGetKernelArgInfo(bench->kernel, place,
                                        CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                        &space, NULL),
                     CL_SUCCESS);
    assert_int_equal(space, address);
    assert_int_equal(clGetKernelArgInfo(bench->kernel, place,
                                        CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof found,
                                        &found, NULL),
                     CL_SUCCESS);
    assert_int_equal(found, qualifiers);
}

static void arguments_are_described(void **state)
{
    struct bench *bench = *state;
    const char source[] =
        "#define CAT_(a, b) a ## b\n#define CAT(a, b) CAT_(a, b)\n"
        "#define VECTOR CAT(float, VEC)\ntypedef VECTOR pixel;\n"
        "__kernel void k(const __global VECTOR *restrict in,\n"
        "                __constant float coefficients[], local int *tile,\n"
        "                const unsigned int count, pixel value,\n"
        "                global pixel *const out) { {} }\n";
    char text[8];
    cl_uint count;
    float value[16] = {0};
    assert_int_equal(build(bench, 1, source, "-DVEC=4"), CL_SUCCESS);
    assert_int_equal(
        clGetKernelArgInfo(bench->kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL),
        CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    assert_int_equal(build(bench, 1, source, "-DVEC=4 -cl-kernel-arg-info"), CL_SUCCESS);
    assert_int_equal(
        clGetKernelInfo(bench->kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL),
        CL_SUCCESS);
    assert_int_equal(count, 6);
    expect_argument(bench, 0, "float4*", "in", CL_KERNEL_ARG_ADDRESS_GLOBAL,
                    CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT);
    expect_argument(bench, 1, "float*", "coefficients", CL_KERNEL_ARG_ADDRESS_CONSTANT,
                    CL_KERNEL_ARG_TYPE_CONST);
    expect_argument(bench, 2, "int*", "tile", CL_KERNEL_ARG_ADDRESS_LOCAL, 0);
    expect_argument(bench, 3, "uint", "count", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0);
    expect_argument(bench, 4, "pixel", "value", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0);
    expect_argument(bench, 5, "pixel*", "out", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0);
    assert_int_equal(clSetKernelArg(bench->kernel, 4, 16, value), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(bench->kernel, 4, 12, value), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(bench->kernel, 2, 12, value), CL_INVALID_ARG_VALUE);
}

static void binaries_load_again(void **state)
{
    struct bench *bench = *state;
    const char lines[] = "#pragma virtual base 30000\n#pragma virtual add WG 8 5000";
    size_t sizes[2];
    cl_int status, loaded = 1;
    assert_int_equal(build_copy(bench, 1, lines, "-D WG=8 -cl-kernel-arg-info"),
                     CL_SUCCESS);
    assert_int_equal(clGetProgramInfo(bench->program, CL_PROGRAM_BINARY_SIZES,
                                      sizeof sizes, sizes, NULL),
                     CL_SUCCESS);
    assert_int_equal(sizes[0], 0); // not built for device 0
    assert_true(sizes[1] > 0);
    unsigned char *binary = malloc(sizes[1] + 1), *binaries[2] = {NULL, binary};
    assert_int_equal(clGetProgramInfo(bench->program, CL_PROGRAM_BINARIES,
                                      sizeof binaries, binaries, NULL),
                     CL_SUCCESS);
    drop_program(bench);
    const unsigned char *const_binary = binary;
    bench->program =
        clCreateProgramWithBinary(bench->context, 1, &bench->devices[1], &sizes[1],
                                  &const_binary, &loaded, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(loaded, CL_SUCCESS);
    assert_null(clCreateKernel(bench->program, "copy", &status));
    assert_int_equal(status, CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(clBuildProgram(bench->program, 0, NULL, "", NULL, NULL), CL_SUCCESS);
    assert_null(clCreateKernel(bench->program, "copi", &status));
    assert_int_equal(status, CL_INVALID_KERNEL_NAME);
    bench->kernel = clCreateKernel(bench->program, "copy", &status);
    assert_int_equal(launch_ns(bench, 1), 3500);
    assert_int_equal(clBuildProgram(bench->program, 0, NULL, "", NULL, NULL),
                     CL_INVALID_OPERATION); // a kernel of it exists
    sizes[1]--;
    assert_null(clCreateProgramWithBinary(bench->context, 1, &bench->devices[1],
                                          &sizes[1], &const_binary, &loaded, &status));
    assert_int_equal(status, CL_INVALID_BINARY);
    assert_int_equal(loaded, CL_INVALID_BINARY);
    sizes[1]++;
    assert_null(clCreateProgramWithBinary(bench->context, 1, &bench->devices[0],
                                          &sizes[1], &const_binary, NULL, &status));
    assert_int_equal(status, CL_INVALID_BINARY); // for the other device
    free(binary);
}

// Runs the built copy kernel on 4 floats inside guarded buffers; the output's whole
// buffer.
static void run_guarded(struct bench *bench, float values[4], unsigned char whole[1536])
{
    const float input[4] = {0.5f, -1, 0, 2};
    const unsigned char guard = 0xA5;
    cl_int status;
    cl_buffer_region region = {512, sizeof input};
    cl_mem in = clCreateBuffer(bench->context, CL_MEM_COPY_HOST_PTR, sizeof input,
                               (void *)(uintptr_t)input, &status);
    cl_mem parent = buffer(bench, 1536);
    cl_mem out = clCreateSubBuffer(parent, CL_MEM_READ_WRITE,
                                   CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(
        clEnqueueFillBuffer(bench->queues[1], parent, &guard, 1, 0, 1536, 0, NULL, NULL),
        CL_SUCCESS);
    set_arguments(bench, in, out);
    assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_SUCCESS);
    assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(bench->queues[1], parent, CL_TRUE, 0, 1536,
                                         whole, 0, NULL, NULL),
                     CL_SUCCESS);
    memcpy(values, whole + 512, sizeof input);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(parent);
}

static size_t damaged_guards(const unsigned char whole[1536])
{
    size_t damaged = 0;
    for (size_t i = 0; i < 1536; i++)
        damaged += (i < 512 || i >= 528) && whole[i] != 0xA5;
    return damaged;
}

static void outputs_are_copies(void **state)
{
    struct bench *bench = *state;
    float values[4];
    unsigned char whole[1536];
    const char lines[] = "#pragma virtual fault BAD 1 wrong\n"
                         "#pragma virtual fault BAD 2 overrun";
    assert_int_equal(build_copy(bench, 1, lines, "-D BAD=0"), CL_SUCCESS);
    run_guarded(bench, values, whole);
    assert_true(values[0] == 0.5f && values[1] == -1 && values[2] == 0 && values[3] == 2);
    assert_int_equal(damaged_guards(whole), 0);
    assert_int_equal(build_copy(bench, 1, lines, "-D BAD=1"), CL_SUCCESS);
    run_guarded(bench, values, whole);
    assert_true(values[0] == 0.5f && values[1] == -1 && values[2] == 0 && values[3] != 2);
    assert_int_equal(damaged_guards(whole), 0);
    assert_int_equal(build_copy(bench, 1, lines, "-D BAD=2"), CL_SUCCESS);
    run_guarded(bench, values, whole);
    assert_true(values[3] == 2);
    assert_int_equal(damaged_guards(whole), 4);
    assert_true(whole[528] != 0xA5);
}

static void faults_return_errors(void **state)
{
    struct bench *bench = *state;
    cl_mem mem = buffer(bench, 16);
    cl_event event;
    assert_int_equal(
        build_copy(bench, 0, "#pragma virtual fault F 1 launch_error", "-DF"),
        CL_SUCCESS);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 0, 4, 4, NULL), CL_OUT_OF_RESOURCES);
    assert_int_equal(
        build_copy(bench, 0, "#pragma virtual fault F 1 finish_error", "-DF"),
        CL_SUCCESS);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 0, 4, 4, NULL), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[0]), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(build_copy(bench, 0, "#pragma virtual fault F 1 backwards", "-DF"),
                     CL_SUCCESS);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 0, 4, 4, &event), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[0]), CL_SUCCESS);
    assert_true(stamp(event, CL_PROFILING_COMMAND_END) <
                stamp(event, CL_PROFILING_COMMAND_START));
    clReleaseEvent(event);
    clReleaseMemObject(mem);
}

static void any_call_can_fail(void **state)
{
    struct bench *bench = *state;
    cl_int status;
    assert_int_equal(setenv("VIRTUALCL_FAIL", "clCreateBuffer:3:-4,clFinish:2+:-5", 1),
                     0);
    for (int i = 1; i <= 4; i++) {
        cl_mem mem = clCreateBuffer(bench->context, 0, 8, NULL, &status);
        assert_int_equal(status, i == 3 ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS);
        assert_true(!mem == (i == 3));
        if (mem)
            clReleaseMemObject(mem);
        assert_int_equal(clFinish(bench->queues[0]), i == 1 ? 0 : CL_OUT_OF_RESOURCES);
    }
    unsetenv("VIRTUALCL_FAIL");
    assert_int_equal(clFinish(bench->queues[0]), CL_SUCCESS);
}

// What happens to a process that builds, launches and finishes with a fault.
static pid_t start_faulty(struct bench *bench, const char *kind)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    char line[128];
    snprintf(line, sizeof line, "#pragma virtual fault F 1 %s", kind);
    signal(SIGSEGV, SIG_DFL);
    alarm(2);
    cl_mem mem = buffer(bench, 16);
    if (build_copy(bench, 0, line, "-D F=1"))
        _exit(98);
    set_arguments(bench, mem, mem);
    launch(bench, 0, 4, 4, NULL);
    clFinish(bench->queues[0]);
    _exit(99);
}

static void faults_kill_or_hang(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *kind;
        int signal, status; // how the process ends: alarm means that it hung
    } rows[] = {
        {"build_hang", SIGALRM, 0},  {"launch_hang", SIGALRM, 0},
        {"finish_hang", SIGALRM, 0}, {"build_segfault", SIGSEGV, 0},
        {"segfault", SIGSEGV, 0},    {"finish_segfault", SIGSEGV, 0},
        {"build_abort", SIGABRT, 0}, {"abort", SIGABRT, 0},
        {"build_exit", 0, 3},        {"exit", 0, 3},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    pid_t children[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        children[i] = start_faulty(bench, rows[i].kind);
    for (size_t i = 0; i < ROWS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        int killed = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        int left = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        if (killed != rows[i].signal || left != rows[i].status)
            fail_msg("%s: signal %d, status %d", rows[i].kind, killed, left);
    }
}

// A misspelt call in VIRTUALCL_FAIL must not pass unnoticed.
static void a_rule_that_cannot_fire_aborts(void **state)
{
    struct bench *bench = *state;
    static const char *const rules[] = {"clFinnish:1:-5", "clFinish:0:-5", "clFinish:1:5",
                                        "clFinish:1", "clFinish"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        pid_t child = fork();
        if (child == 0) {
            setenv("VIRTUALCL_FAIL", rules[i], 1);
            if (!freopen("/dev/null", "w", stderr))
                _exit(98);
            clFinish(bench->queues[0]);
            _exit(99);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(mistakes_fail_the_build),
        TEST(correct_sources_build),
        TEST(arguments_are_described),
        TEST(binaries_load_again),
        TEST(outputs_are_copies),
        TEST(faults_return_errors),
        TEST(any_call_can_fail),
        TEST(faults_kill_or_hang),
        TEST(a_rule_that_cannot_fire_aborts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
