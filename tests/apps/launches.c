// SPDX-License-Identifier: Apache-2.0
// An OpenCL application that is all calls: scripts/bench-layer measures with it what the layer costs.
//
//     launches [LAUNCHES [ITEMS [BYTES [GROUP]]]]
//
// Sets an argument and launches a small kernel LAUNCHES times on a buffer of BYTES, in work-groups
// of GROUP.  Prints in ns the processor time that a call of clSetKernelArg takes this thread, and
// that a launch does (medians of batches of 1000, as other programs disturb some), and the time that
// passes for both.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char source[] = "__kernel void tick(__global float *data, float value)\n"
                             "{\n"
                             "    data[get_global_id(0)] = value;\n"
                             "}\n";

static double now_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check(cl_int code)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "launches: code %d\n", code);
    exit(1);
}

enum { BATCH = 1000, BATCHES_MOST = 10000 };

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median_ns(double *batches_s, int count)
{
    qsort(batches_s, (size_t)count, sizeof(*batches_s), by_value);
    return batches_s[count / 2] / BATCH * 1e9;
}

struct launched {
    cl_command_queue queue;
    cl_kernel kernel;
    size_t items;
    size_t group;
};

static void run_batch(const struct launched *launched, int count, double *set_s,
                      double *launch_s)
{
    double begun = now_s(CLOCK_THREAD_CPUTIME_ID);
    double set;

    for (int i = 0; i < count; i++) {
        float value = (float)i;

        check(clSetKernelArg(launched->kernel, 1, sizeof(value), &value));
    }
    set = now_s(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < count; i++)
        check(clEnqueueNDRangeKernel(launched->queue, launched->kernel, 1, NULL,
                                     &launched->items, &launched->group, 0, NULL, NULL));
    *launch_s = now_s(CLOCK_THREAD_CPUTIME_ID) - set;
    *set_s = set - begun;
    check(clFinish(launched->queue));
}

int main(int argc, char **argv)
{
    static double set_s[BATCHES_MOST];
    static double launch_s[BATCHES_MOST];
    const char *text = source;
    int launches = argc > 1 ? atoi(argv[1]) : 100000;
    size_t items = argc > 2 ? (size_t)atoi(argv[2]) : 1024;
    size_t bytes = argc > 3 ? (size_t)strtoull(argv[3], NULL, 10) : items * sizeof(float);
    const size_t group = argc > 4 ? (size_t)atoi(argv[4]) : 32;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem mem;
    cl_int code;
    float value = 0;
    double wall;
    int batches;
    struct launched launched;

    check(clGetPlatformIDs(1, &platform, NULL));
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code);
    queue = clCreateCommandQueue(context, device, 0, &code);
    check(code);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(code);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL));
    kernel = clCreateKernel(program, "tick", &code);
    check(code);
    mem = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    check(code);
    check(clSetKernelArg(kernel, 0, sizeof(cl_mem), (const void *)&mem));
    check(
        clEnqueueFillBuffer(queue, mem, &value, sizeof(value), 0, bytes, 0, NULL, NULL));
    check(clSetKernelArg(kernel, 1, sizeof(value), &value));
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    check(clFinish(queue));
    launched = (struct launched){queue, kernel, items, group};
    batches = (launches + BATCH - 1) / BATCH;
    batches = batches < BATCHES_MOST ? batches : BATCHES_MOST;
    wall = now_s(CLOCK_MONOTONIC);
    for (int batch = 0; batch < batches; batch++) {
        int rest = launches - batch * BATCH < BATCH ? launches - batch * BATCH : BATCH;

        run_batch(&launched, rest, &set_s[batch], &launch_s[batch]);
    }
    wall = now_s(CLOCK_MONOTONIC) - wall;
    printf("%.1f %.1f %.1f\n", median_ns(set_s, batches), median_ns(launch_s, batches),
           wall / launches * 1e9);
    return 0;
}
