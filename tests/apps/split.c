// SPDX-License-Identifier: Apache-2.0
// Divides the work of a kernel between devices as the header says that `cltune split --format header` has
// written, and compares.  Built by the test with -DHEADER.
//
// app [PREDICTED_NS [ROUNDS [one]]]: with "one", the parts run one after the other.
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HEADER
#include HEADER
#else
/* As cltune would have written it. */
#define CLTUNE_SPLIT_SPLIT_TOTAL   4096
#define CLTUNE_SPLIT_SPLIT_DEVICES 2
#define CLTUNE_SPLIT_SPLIT_EACH(ROW)                                                     \
    ROW(0, "0:0", "", 0, 1024) ROW(1, "0:1", "", 1024, 3072)
#endif

enum {
    TOTAL = CLTUNE_SPLIT_SPLIT_TOTAL,
    DEVICES = CLTUNE_SPLIT_SPLIT_DEVICES,
    LOCAL = 16, /* as in the space file's best: any divisor of the grain works */
    RUNS = 5,
};

struct part {
    const char *index; /* "0:1" */
    size_t first;
    size_t size;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem in;
    cl_mem out;
};

#define ROW(number, index, device, first, size)                                          \
    {index, first, size, NULL, NULL, NULL, NULL},
static struct part parts[DEVICES] = {CLTUNE_SPLIT_SPLIT_EACH(ROW)};

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, status);
    exit(1);
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static cl_device_id find_device(const char *index)
{
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    char *end;
    unsigned long platform = strtoul(index, &end, 10);
    unsigned long device = strtoul(end + 1, NULL, 10);

    must(clGetPlatformIDs(16, platforms, NULL), "clGetPlatformIDs");
    must(clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, 64, devices, NULL),
         "clGetDeviceIDs");
    return devices[device];
}

static const char *const source =
    "__kernel void count(__global const uint *in, __global uint *out, uint rounds)\n"
    "{\n"
    "    uint i = get_global_id(0), x = in[i];\n"
    "    for (uint r = 0; r < rounds; r++) x = x * 1664525u + 1013904223u;\n"
    "    out[i] += x;\n"
    "}\n";

static void prepare(struct part *part, const unsigned *in, unsigned rounds)
{
    cl_device_id device = find_device(part->index);
    cl_int status;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    const char *text = source;
    cl_program program;

    must(status, "clCreateContext");
    part->queue = clCreateCommandQueue(context, device, 0, &status);
    must(status, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    must(status, "clCreateProgramWithSource");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    part->kernel = clCreateKernel(program, "count", &status);
    must(status, "clCreateKernel");
    part->in =
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                       part->size * sizeof(*in), (void *)(in + part->first), &status);
    must(status, "clCreateBuffer");
    part->out = clCreateBuffer(context, CL_MEM_READ_WRITE, part->size * sizeof(*in), NULL,
                               &status);
    must(status, "clCreateBuffer");
    must(clSetKernelArg(part->kernel, 0, sizeof(cl_mem), &part->in), "clSetKernelArg");
    must(clSetKernelArg(part->kernel, 1, sizeof(cl_mem), &part->out), "clSetKernelArg");
    must(clSetKernelArg(part->kernel, 2, sizeof(rounds), &rounds), "clSetKernelArg");
}

static void zero(const struct part *part, const unsigned *zeros)
{
    must(clEnqueueWriteBuffer(part->queue, part->out, CL_TRUE, 0,
                              part->size * sizeof(*zeros), zeros, 0, NULL, NULL),
         "clEnqueueWriteBuffer");
}

/* Whether one part waits for the other: PoCL's basic devices share a table of loaded kernels whose
   counts two threads at once can damage ("pocl_release_dlhandle_cache: Assertion"). */
static int one_at_a_time;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* One part on its device: a thread for each, since some drivers run kernels in the thread that waits. */
static void *run_part(void *argument)
{
    const struct part *part = argument;
    const size_t local = LOCAL;

    if (one_at_a_time)
        pthread_mutex_lock(&turn);
    must(clEnqueueNDRangeKernel(part->queue, part->kernel, 1, NULL, &part->size, &local,
                                0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    must(clFinish(part->queue), "clFinish");
    if (one_at_a_time)
        pthread_mutex_unlock(&turn);
    return NULL;
}

/* All parts at once; returns the wall time. */
static double run_parts(const unsigned *zeros)
{
    pthread_t threads[DEVICES];
    double start;

    for (int i = 0; i < DEVICES; i++)
        if (parts[i].size)
            zero(&parts[i], zeros);
    start = now_ns();
    for (int i = 0; i < DEVICES; i++)
        if (parts[i].size && pthread_create(&threads[i], NULL, run_part, &parts[i]))
            must(1, "pthread_create");
    for (int i = 0; i < DEVICES; i++)
        if (parts[i].size)
            pthread_join(threads[i], NULL);
    return now_ns() - start;
}

/* The parts follow each other without a gap, and every element was added to once. */
static int check(const unsigned *in, unsigned rounds)
{
    unsigned *out = calloc(TOTAL, sizeof(*out));
    size_t next = 0;
    int wrong = 0;

    for (int i = 0; i < DEVICES; i++) {
        wrong += parts[i].first != next;
        next += parts[i].size;
        if (parts[i].size)
            must(clEnqueueReadBuffer(parts[i].queue, parts[i].out, CL_TRUE, 0,
                                     parts[i].size * sizeof(*out), out + parts[i].first,
                                     0, NULL, NULL),
                 "clEnqueueReadBuffer");
    }
    wrong += next != TOTAL;
    for (size_t i = 0; i < TOTAL; i++) {
        unsigned x = in[i];

        for (unsigned r = 0; r < rounds; r++)
            x = x * 1664525u + 1013904223u;
        wrong += out[i] != x;
    }
    free(out);
    return wrong;
}

int main(int argc, char **argv)
{
    const double predicted_ns = argc > 1 ? strtod(argv[1], NULL) : 0;
    const unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100;
    unsigned *in = calloc(TOTAL, sizeof(*in));
    unsigned *zeros = calloc(TOTAL, sizeof(*zeros));
    double best_ns = 0;
    int wrong;

    one_at_a_time = argc > 3;
    for (unsigned i = 0; i < TOTAL; i++)
        in[i] = i;
    for (int i = 0; i < DEVICES; i++)
        if (parts[i].size)
            prepare(&parts[i], in, rounds);
    for (int run = 0; run < RUNS; run++) {
        double ns = run_parts(zeros);

        best_ns = !run || ns < best_ns ? ns : best_ns;
    }
    wrong = check(in, rounds);
    printf("predicted %.3f ms, measured %.3f ms, ratio %.2f, wrong %d\n",
           predicted_ns / 1e6, best_ns / 1e6,
           predicted_ns > 0 ? best_ns / predicted_ns : 0, wrong);
    free(in);
    free(zeros);
    return wrong != 0;
}
