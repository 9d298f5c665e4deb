// SPDX-License-Identifier: Apache-2.0
// An OpenCL application, as others write them: it knows nothing of cltune.  A pipeline of three
// kernels runs in a loop, on data that change in every round; it prints a checksum of the result.
//
//     pipeline [ROUNDS [SAMPLES]]
//
// Words in PIPELINE make it do what applications do, too: `threads` (two threads with a context
// each), `unordered` (an out-of-order queue with events), `user` (a user event holds the launches
// back until all are enqueued), `sub` (sub-buffers), `binary` (programs from binaries), `null` (no
// work-group sizes), `crash` (it dies after half of the rounds), `fail` (exit status 7), `fork` (a
// child that does nothing), `leave` (one that ends by exit), `wrong` (a launch that must fail, whose
// code is printed), `same` (one buffer is what collect reads and what it writes), `ticks` (signals all the
// time), `beside` (a thread writes to the other half of what smooth writes to, through a queue of its own, and
// reads it again), `gate` (such a write waits for a user event while smooth is launched), `barge` (a thread puts
// a command into the queue that waits until a launch which takes long has returned).
#define _DEFAULT_SOURCE // usleep
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct pipeline {
    cl_context context;
    cl_command_queue queue, beside;
    cl_program program;
    cl_kernel prepare, smooth, collect;
    cl_mem whole; /* the parent of the first two with `sub` */
    cl_mem samples, prepared, smoothed, state;
    size_t count;
    int rounds;
    unsigned seed;
    uint64_t checksum;
};

static const char *behaviour = "";
static int rounds = 50;
static size_t count = 1 << 14;

static int does(const char *word)
{
    return strstr(behaviour, word) != NULL;
}

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "pipeline: %s failed: %d\n", what, code);
    exit(1);
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);

    if (!file || !text) {
        fprintf(stderr, "pipeline: cannot read %s\n", path);
        exit(1);
    }
    *length = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    return text;
}

static cl_program from_binary(cl_context context, cl_device_id device, cl_program built)
{
    size_t size = 0;
    unsigned char *binary;
    cl_program program;
    cl_int code;

    check(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL),
          "size");
    binary = malloc(size);
    check(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL),
          "binary");
    program = clCreateProgramWithBinary(context, 1, &device, &size,
                                        (const unsigned char **)&binary, NULL, &code);
    check(code, "clCreateProgramWithBinary");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    clReleaseProgram(built);
    free(binary);
    return program;
}

static void build(struct pipeline *p, cl_device_id device)
{
    size_t length;
    const char *path = getenv("PIPELINE_SOURCE");
    const char *options = getenv("PIPELINE_OPTIONS");
    char *source = read_file(path ? path : "pipeline.cl", &length);
    cl_int code;

    p->program =
        clCreateProgramWithSource(p->context, 1, (const char **)&source, &length, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(p->program, 1, &device, options ? options : "-D CHUNK=1", NULL,
                         NULL),
          "clBuildProgram");
    if (does("binary"))
        p->program = from_binary(p->context, device, p->program);
    p->prepare = clCreateKernel(p->program, "prepare", &code);
    check(code, "clCreateKernel");
    p->smooth = clCreateKernel(p->program, "smooth", &code);
    check(code, "clCreateKernel");
    p->collect = clCreateKernel(p->program, "collect", &code);
    check(code, "clCreateKernel");
    free(source);
}

/* One of samples; `beside` and `gate` write behind them. */
static cl_mem buffer(struct pipeline *p, size_t index)
{
    size_t times = does("beside") || does("gate") ? 2 : 1;
    cl_buffer_region region = {index * p->count * sizeof(float),
                               times * p->count * sizeof(float)};
    cl_int code;
    cl_mem mem;

    if (does("sub") && p->whole)
        mem = clCreateSubBuffer(p->whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                &region, &code);
    else
        mem = clCreateBuffer(p->context, CL_MEM_READ_WRITE, region.size, NULL, &code);
    check(code, "clCreateBuffer");
    return mem;
}

static void open_pipeline(struct pipeline *p)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    float first = does("same") ? 1 : 0;

    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
          "clGetDeviceIDs");
    p->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    p->queue = clCreateCommandQueue(
        p->context, device,
        does("unordered") ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
    check(code, "clCreateCommandQueue");
    if (does("beside") || does("gate"))
        p->beside = clCreateCommandQueue(p->context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    build(p, device);
    if (does("sub")) {
        p->whole = clCreateBuffer(p->context, CL_MEM_READ_WRITE,
                                  2 * p->count * sizeof(float), NULL, &code);
        check(code, "clCreateBuffer");
    }
    p->samples = buffer(p, 0);
    p->prepared = buffer(p, 1);
    p->whole = NULL;
    p->smoothed = buffer(p, 2);
    p->state = buffer(p, 3);
    check(clEnqueueFillBuffer(p->queue, p->state, &first, sizeof(first), 0,
                              p->count * sizeof(float), 0, NULL, NULL),
          "clEnqueueFillBuffer");
    check(clFinish(p->queue), "clFinish");
}

/* Calls and returns of launches: odd while there is one. */
static atomic_uint calls;

/* One launch that waits for another, if there is one. */
static cl_event enqueue(struct pipeline *p, cl_kernel kernel, cl_event after)
{
    const size_t global = p->count;
    const size_t local = 1; /* nobody has thought about it */
    cl_event done;

    calls++;
    check(clEnqueueNDRangeKernel(p->queue, kernel, 1, NULL, &global,
                                 does("null") ? NULL : &local, after ? 1 : 0,
                                 after ? &after : NULL, &done),
          "clEnqueueNDRangeKernel");
    calls++;
    if (after)
        clReleaseEvent(after);
    return done;
}

/* Writes behind what smooth writes, once the event is set. */
static void write_behind(struct pipeline *p, cl_event user)
{
    const float value = 2;

    check(clEnqueueFillBuffer(p->beside, p->smoothed, &value, sizeof(value),
                              p->count * sizeof(float), p->count * sizeof(float), 1,
                              &user, NULL),
          "clEnqueueFillBuffer");
    check(clFlush(p->beside), "clFlush");
}

static void run_round(struct pipeline *p, int round, float *data)
{
    cl_float gain = 1.0f + 0.01f * (float)(round % 7);
    cl_float offset = 0.5f;
    cl_float keep = 0.75f;
    cl_int all = (cl_int)p->count;
    cl_event user = NULL;
    cl_event last;
    cl_int code;

    for (size_t i = 0; i < p->count; i++) {
        p->seed = p->seed * 1664525u + 1013904223u;
        data[i] = (float)(p->seed >> 8) / (float)(1 << 24);
    }
    check(clEnqueueWriteBuffer(p->queue, p->samples, CL_TRUE, 0, p->count * sizeof(float),
                               data, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    clSetKernelArg(p->prepare, 0, sizeof(cl_mem), &p->samples);
    clSetKernelArg(p->prepare, 1, sizeof(cl_mem), &p->prepared);
    clSetKernelArg(p->prepare, 2, sizeof(gain), &gain);
    clSetKernelArg(p->prepare, 3, sizeof(offset), &offset);
    clSetKernelArg(p->smooth, 0, sizeof(cl_mem), &p->prepared);
    clSetKernelArg(p->smooth, 1, sizeof(cl_mem), &p->smoothed);
    clSetKernelArg(p->smooth, 2, sizeof(all), &all);
    clSetKernelArg(p->collect, 0, sizeof(cl_mem),
                   does("same") ? &p->state : &p->smoothed);
    clSetKernelArg(p->collect, 1, sizeof(cl_mem), &p->state);
    clSetKernelArg(p->collect, 2, sizeof(keep), &keep);
    if (does("user") || does("gate")) {
        user = clCreateUserEvent(p->context, &code);
        check(code, "clCreateUserEvent");
        clRetainEvent(user);
    }
    if (does("gate"))
        write_behind(p, user);
    last = enqueue(p, p->prepare, does("user") ? user : NULL);
    last = enqueue(p, p->smooth, last);
    last = enqueue(p, p->collect, last);
    if (user) {
        check(clSetUserEventStatus(user, CL_COMPLETE), "clSetUserEventStatus");
        clReleaseEvent(user);
    }
    if (does("gate")) {
        clReleaseEvent(user);
        check(clFinish(p->beside), "clFinish");
    }
    check(clWaitForEvents(1, &last), "clWaitForEvents");
    clReleaseEvent(last);
}

/* Whether run has ended. */
static atomic_bool done;

/* Writes all the time behind what smooth writes, and reads it again; prints how often it was lost. */
static void *run_beside(void *given)
{
    const struct pipeline *p = given;
    size_t offset = p->count * sizeof(float);
    cl_int lost = 0;

    for (cl_int written = 1; !done; written++) {
        cl_int got = 0;

        check(clEnqueueWriteBuffer(p->beside, p->smoothed, CL_TRUE, offset,
                                   sizeof(written), &written, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
        for (int again = 0; again < 20; again++) {
            check(clEnqueueReadBuffer(p->beside, p->smoothed, CL_TRUE, offset,
                                      sizeof(got), &got, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
            lost += got != written;
        }
    }
    printf("lost: %s\n", lost ? "some" : "none");
    return NULL;
}

/* Lets the queue wait for the return of a launch that takes more than two milliseconds. */
static void *run_barge(void *given)
{
    const struct pipeline *p = given;

    while (!done) {
        unsigned seen = calls;
        cl_event user;
        cl_int code;

        usleep(seen % 2 ? 2000 : 100);
        if (!(seen % 2) || calls != seen)
            continue;
        user = clCreateUserEvent(p->context, &code);
        check(code, "clCreateUserEvent");
        check(clEnqueueMarkerWithWaitList(p->queue, 1, &user, NULL),
              "clEnqueueMarkerWithWaitList");
        check(clFlush(p->queue), "clFlush");
        while (calls == seen)
            usleep(100);
        check(clSetUserEventStatus(user, CL_COMPLETE), "clSetUserEventStatus");
        clReleaseEvent(user);
    }
    return NULL;
}

static void *run(void *given)
{
    struct pipeline *p = given;
    size_t size = count * sizeof(float);
    unsigned char *data = malloc(size);

    if (!data)
        exit(1);
    for (int round = 0; round < p->rounds; round++) {
        run_round(p, round, (float *)(void *)data);
        if (does("crash") && round == p->rounds / 2)
            abort();
    }
    check(clEnqueueReadBuffer(p->queue, p->state, CL_TRUE, 0, size, data, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    p->checksum = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        p->checksum = (p->checksum ^ data[i]) * 1099511628211u;
    free(data);
    return NULL;
}

static void close_pipeline(struct pipeline *p)
{
    clReleaseMemObject(p->samples);
    clReleaseMemObject(p->prepared);
    clReleaseMemObject(p->smoothed);
    clReleaseMemObject(p->state);
    clReleaseKernel(p->prepare);
    clReleaseKernel(p->smooth);
    clReleaseKernel(p->collect);
    clReleaseProgram(p->program);
    clReleaseCommandQueue(p->queue);
    if (p->beside)
        clReleaseCommandQueue(p->beside);
    clReleaseContext(p->context);
}

/* What OpenCL says to a launch that it must refuse. */
static void launch_wrongly(struct pipeline *p)
{
    const size_t global = p->count;
    const size_t local = (size_t)1 << 20;

    printf("refused: %d\n", clEnqueueNDRangeKernel(p->queue, p->prepare, 1, NULL, &global,
                                                   &local, 0, NULL, NULL));
    printf("argument: %d\n", clSetKernelArg(p->prepare, 17, sizeof(local), &local));
}

static void tick(int number)
{
    (void)number;
}

/* A signal every two milliseconds, as profilers send. */
static void start_ticks(void)
{
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 2000}, {0, 2000}};

    if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &every, NULL))
        exit(1);
}

int main(int argc, char **argv)
{
    struct pipeline pipelines[2] = {{.seed = 1}, {.seed = 2}};
    pthread_t thread = pthread_self();

    if (getenv("PIPELINE"))
        behaviour = getenv("PIPELINE");
    if (argc > 1)
        rounds = atoi(argv[1]);
    if (argc > 2)
        count = (size_t)atoi(argv[2]);
    if (does("ticks"))
        start_ticks();
    for (int i = 0; i < (does("threads") ? 2 : 1); i++) {
        pipelines[i].count = count;
        pipelines[i].rounds = rounds;
        open_pipeline(&pipelines[i]);
    }
    if (does("threads") && pthread_create(&thread, NULL, run, &pipelines[1]))
        return 1;
    if (does("beside") && pthread_create(&thread, NULL, run_beside, &pipelines[0]))
        return 1;
    if (does("barge") && pthread_create(&thread, NULL, run_barge, &pipelines[0]))
        return 1;
    run(&pipelines[0]);
    done = 1;
    if (does("beside") || does("barge"))
        pthread_join(thread, NULL);
    if (does("wrong"))
        launch_wrongly(&pipelines[0]);
    if (does("fork") || does("leave")) {
        fflush(stdout);
        if (fork() == 0) {
            if (does("leave"))
                exit(0);
            _exit(0);
        }
        wait(NULL);
    }
    printf("%016llx\n", (unsigned long long)pipelines[0].checksum);
    close_pipeline(&pipelines[0]);
    if (does("threads")) {
        pthread_join(thread, NULL);
        printf("%016llx\n", (unsigned long long)pipelines[1].checksum);
        close_pipeline(&pipelines[1]);
    }
    return does("fail") ? 7 : 0;
}
