// SPDX-License-Identifier: Apache-2.0
// Shared by the test programs of the virtual OpenCL driver: devices, queues, builds.
//
// OCL_ICD_VENDORS must name a folder with the driver's .icd file before they start.

#ifndef TEST_VCL_H
#define TEST_VCL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The start of every test, with one built kernel.
struct bench {
    cl_platform_id platform;
    cl_device_id devices[2];
    cl_context context;
    cl_command_queue queues[2];
    cl_program program;
    cl_kernel kernel;
    char log[2048];
};

static const char copy_source[] =
    "// a copy\n"
    "#define REAL float\n"
    "__kernel void copy(__global const REAL *restrict in, __global REAL *out, uint n)\n"
    "{\n    out[get_global_id(0)] = in[get_global_id(0)];\n}\n";

static inline int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    *state = bench;
    cl_uint count = 0;
    cl_platform_id platforms[8];
    if (!bench || clGetPlatformIDs(8, platforms, &count))
        return -1;
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "cltune virtual platform") == 0)
            bench->platform = platforms[i];
    }
    if (!bench->platform)
        return -1;
    cl_int status =
        clGetDeviceIDs(bench->platform, CL_DEVICE_TYPE_ALL, 2, bench->devices, &count);
    if (status || count != 2)
        return -1;
    bench->context = clCreateContext(NULL, 2, bench->devices, NULL, NULL, &status);
    for (int i = 0; i < 2 && !status; i++)
        bench->queues[i] = clCreateCommandQueue(bench->context, bench->devices[i],
                                                CL_QUEUE_PROFILING_ENABLE, &status);
    return status;
}

static inline void drop_program(struct bench *bench)
{
    if (bench->kernel)
        assert_int_equal(clReleaseKernel(bench->kernel), CL_SUCCESS);
    if (bench->program)
        assert_int_equal(clReleaseProgram(bench->program), CL_SUCCESS);
    bench->kernel = NULL;
    bench->program = NULL;
}

static inline int tear_down(void **state)
{
    struct bench *bench = *state;
    unsetenv("VIRTUALCL_FAIL");
    unsetenv("VIRTUALCL_PACE");
    drop_program(bench);
    for (int i = 0; i < 2; i++)
        clReleaseCommandQueue(bench->queues[i]);
    clReleaseContext(bench->context);
    free(bench);
    return 0;
}

// Builds for one device, keeps the log, and makes the first kernel if that succeeded.
static inline cl_int build(struct bench *bench, int device, const char *source,
                           const char *options)
{
    cl_int status;
    drop_program(bench);
    bench->program = clCreateProgramWithSource(bench->context, 1, &source, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    status =
        clBuildProgram(bench->program, 1, &bench->devices[device], options, NULL, NULL);
    assert_int_equal(clGetProgramBuildInfo(bench->program, bench->devices[device],
                                           CL_PROGRAM_BUILD_LOG, sizeof bench->log,
                                           bench->log, NULL),
                     CL_SUCCESS);
    cl_uint count;
    if (!status && clCreateKernelsInProgram(bench->program, 1, &bench->kernel, &count))
        bench->kernel = NULL;
    return status;
}

// The same with lines in front of the copy kernel.
static inline cl_int build_copy(struct bench *bench, int device, const char *lines,
                                const char *options)
{
    char source[2048];
    int length = snprintf(source, sizeof source, "%s\n%s", lines, copy_source);
    assert_true(length > 0 && (size_t)length < sizeof source);
    return build(bench, device, source, options);
}

static inline cl_mem buffer(struct bench *bench, size_t bytes)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(bench->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

static inline void set_arguments(struct bench *bench, cl_mem in, cl_mem out)
{
    cl_uint n = 4;
    assert_int_equal(clSetKernelArg(bench->kernel, 0, sizeof in, &in), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(bench->kernel, 1, sizeof out, &out), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(bench->kernel, 2, sizeof n, &n), CL_SUCCESS);
}

static inline cl_int launch(struct bench *bench, int device, size_t global, size_t local,
                            cl_event *event)
{
    return clEnqueueNDRangeKernel(bench->queues[device], bench->kernel, 1, NULL, &global,
                                  local ? &local : NULL, 0, NULL, event);
}

static inline cl_ulong stamp(cl_event event, cl_profiling_info name)
{
    cl_ulong time_ns = 0;
    assert_int_equal(clGetEventProfilingInfo(event, name, sizeof time_ns, &time_ns, NULL),
                     CL_SUCCESS);
    return time_ns;
}

// The time of one launch of a built copy kernel on the device.
static inline cl_ulong launch_ns(struct bench *bench, int device)
{
    cl_mem in = buffer(bench, 16), out = buffer(bench, 16);
    cl_event event;
    set_arguments(bench, in, out);
    assert_int_equal(launch(bench, device, 8, 4, &event), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[device]), CL_SUCCESS);
    cl_ulong time_ns =
        stamp(event, CL_PROFILING_COMMAND_END) - stamp(event, CL_PROFILING_COMMAND_START);
    clReleaseEvent(event);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    return time_ns;
}

// A folder for one test, and a file in it that does not exist yet.
static inline void fresh_path(char path[64])
{
    char folder[] = "/tmp/test-vcl-XXXXXX";
    assert_non_null(mkdtemp(folder));
    snprintf(path, 64, "%s/file", folder);
}

static inline void drop_path(const char *path)
{
    char folder[64];
    unlink(path);
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(rmdir(folder), 0);
}

// How a child process that builds, launches and finishes ends: its signal, or minus its exit
// status. 0 if all went well, -50 if the build failed, -51 a launch, -52 a finish.
static inline int end_of_source(struct bench *bench, const char *source, int launches)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        alarm(20);
        if (build(bench, 1, source, ""))
            _exit(50);
        cl_mem mem = buffer(bench, 16);
        set_arguments(bench, mem, mem);
        for (int i = 0; i < launches; i++) {
            if (launch(bench, 1, 4, 4, NULL))
                _exit(51);
            if (clFinish(bench->queues[1]))
                _exit(52);
        }
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

// The same for the copy kernel behind some lines.
static inline int end_of_child(struct bench *bench, const char *lines, int launches)
{
    char source[2048];
    snprintf(source, sizeof source, "%s\n%s", lines, copy_source);
    return end_of_source(bench, source, launches);
}

#endif
