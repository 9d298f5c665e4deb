// SPDX-License-Identifier: Apache-2.0
// Tunes before it works, by repeating one launch of a kernel that overwrites its input:
// online_user FOLDER BUDGET [DIE].  Prints what it tried and whether the data are right; with DIE it
// kills itself while its DIE-th new configuration runs.  With CARRIED it reads no file: carried.h has
// the texts of the space file and its source; with VIRTUAL it leaves the data unchecked, since the virtual driver
// computes nothing.
#define CL_TARGET_OPENCL_VERSION 120
#define _POSIX_C_SOURCE          200809L
#include <CL/cl.h>

#include "cltunedb-cl.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef CARRIED
#include "carried.h"
#endif

enum { N = 5000 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_mem buffer;
static char source[4096];

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, (int)error);
        exit(1);
    }
}

static void read_source(const char *folder)
{
#ifdef CARRIED
    (void)folder;
    snprintf(source, sizeof(source), "%s", carried_cl);
#else
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/inplace.cl", folder);
    file = fopen(path, "r");
    if (!file || !fread(source, 1, sizeof(source) - 1, file))
        exit(1);
    fclose(file);
#endif
}

static void open_device(void)
{
    static int x[N];
    cl_platform_id platform;
    cl_int error;

    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
          "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    for (int i = 0; i < N; i++)
        x[i] = i;
    buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(x), x, &error);
    check(error, "clCreateBuffer");
}

static double launch(const cltunedb_tune_config *config, cltunedb_tune_outcome *outcome)
{
    const cltunedb_binary_launch *how = &config->launches[0];
    const char *text = source;
    const cl_uint n = N;
    cl_event event;
    cl_kernel kernel;
    cl_program program;
    double time_ns = 0;
    cl_int error;

    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, config->flags, NULL, NULL),
          "clBuildProgram");
    kernel = clCreateKernel(program, how->kernel, &error);
    check(error, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof(n), &n), "clSetKernelArg");
    error = clEnqueueNDRangeKernel(queue, kernel, how->dims, NULL, how->global,
                                   how->local[0] ? how->local : NULL, 0, NULL, &event);
    *outcome = cltunedb_cl_outcome(error);
    if (!error) {
        time_ns = cltunedb_cl_event_ns(event, outcome);
        clReleaseEvent(event);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return time_ns;
}

static cltunedb_tune *begin(const char *folder, unsigned long budget)
{
    static cltunedb_cl_device facts;
    static char path[4096];
    cltunedb_tune_request request = CLTUNEDB_TUNE_REQUEST_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_tune *tune;

    cltunedb_cl_facts(device, &facts);
    snprintf(path, sizeof(path), "%s/inplace.ini", folder);
    request.space_file = path;
#ifdef CARRIED
    const cltunedb_tune_file files[] = {{path, carried_ini, 0},
                                        {"inplace.cl", carried_cl, 0}};

    request.files = files;
    request.file_count = 2;
#endif
    request.device = facts.values;
    request.device_count = facts.count;
    request.budget_launches = budget;
    if (cltunedb_tune_begin(&request, &tune, message, sizeof(message)) != CLTUNEDB_OK) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
    return tune;
}

#ifndef VIRTUAL
static void check_data(void)
{
    static int x[N];

    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(x), x, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < N; i++)
        if (x[i] != 2 * i + 1) {
            printf("wrong at %d: %d\n", i, x[i]);
            exit(1);
        }
    puts("right");
}
#endif

int main(int argc, char **argv)
{
    unsigned long budget = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    unsigned long die = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    const cltunedb_tune_config *config = NULL;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    unsigned long tried = 0;
    uint64_t last = UINT64_MAX;
    cltunedb_tune *tune;
    cl_mem saved;

    if (argc < 3)
        return 2;
    read_source(argv[1]);
    open_device();
    tune = begin(argv[1], budget);
    check(cltunedb_cl_save(context, queue, buffer, N * sizeof(int), &saved), "save");
    for (;;) {
        cltunedb_tune_outcome outcome;
        double time_ns;

        check(cltunedb_cl_restore(queue, saved, buffer, N * sizeof(int)), "restore");
        if (cltunedb_tune_next(tune, &config, message, sizeof(message)) != CLTUNEDB_OK) {
            fprintf(stderr, "%s\n", message);
            return 1;
        }
        if (config->phase == CLTUNEDB_TUNE_TRYING && config->number != last) {
            last = config->number;
            printf("trying %s\n", config->flags);
            fflush(stdout);
            if (++tried == die)
                kill(getpid(), SIGKILL);
        }
        time_ns = launch(config, &outcome);
        if (config->phase == CLTUNEDB_TUNE_SETTLED)
            break;
        cltunedb_tune_report(tune, outcome, time_ns);
    }
#ifndef VIRTUAL
    check_data();
#endif
    printf("tried %lu, then %s\n", tried, config->flags);
    if (cltunedb_tune_done(tune, message, sizeof(message)) != CLTUNEDB_OK)
        printf("not stored: %s\n", message);
    clReleaseMemObject(saved);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
