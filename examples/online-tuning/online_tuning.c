/* SPDX-License-Identifier: Apache-2.0 */
/* Scales an array a thousand times with the kernel of examples/scale, and tunes the kernel meanwhile:
 * 120 of the launches may try other configurations.  The second run begins with what the first has
 * found.  ./online_tuning [FOLDER [LAUNCHES [BUDGET]]] */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cltunedb-cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100000, KEPT = 16 };

/* A configuration's kernel. */
struct built {
    uint64_t number;
    cl_kernel kernel; /* NULL: none */
};

static struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem from, to;
    const char *source;
    struct built kept[KEPT]; /* by number, the last ones built */
} host;

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, (int)error);
        exit(1);
    }
}

static char *read_text(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

    if (!length) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    text[length] = '\0';
    return text;
}

static void open_device(void)
{
    static float in[N];
    cl_platform_id platform;
    cl_int error;

    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &host.device, NULL),
          "clGetDeviceIDs");
    host.context = clCreateContext(NULL, 1, &host.device, NULL, NULL, &error);
    check(error, "clCreateContext");
    host.queue = clCreateCommandQueue(host.context, host.device,
                                      CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    host.from =
        clCreateBuffer(host.context, CL_MEM_COPY_HOST_PTR, sizeof(in), in, &error);
    check(error, "clCreateBuffer");
    host.to = clCreateBuffer(host.context, CL_MEM_WRITE_ONLY, sizeof(in), NULL, &error);
    check(error, "clCreateBuffer");
}

/* Builds a configuration's kernel, or takes the one that was built before. */
static cl_int build(const cltunedb_tune_config *config, cl_kernel *out)
{
    struct built *place = &host.kept[config->number % KEPT];
    const cl_uint n = N;
    cl_program program;
    cl_int error;

    if (place->kernel && place->number == config->number) {
        *out = place->kernel;
        return CL_SUCCESS;
    }
    program = clCreateProgramWithSource(host.context, 1, &host.source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 1, &host.device, config->flags, NULL, NULL);
    *out = error == CL_SUCCESS
               ? clCreateKernel(program, config->launches[0].kernel, &error)
               : NULL;
    clReleaseProgram(program);
    if (error != CL_SUCCESS)
        return error;
    check(clSetKernelArg(*out, 0, sizeof(host.from), &host.from), "clSetKernelArg");
    check(clSetKernelArg(*out, 1, sizeof(host.to), &host.to), "clSetKernelArg");
    check(clSetKernelArg(*out, 2, sizeof(n), &n), "clSetKernelArg");
    if (place->kernel)
        clReleaseKernel(place->kernel);
    *place = (struct built){config->number, *out};
    return CL_SUCCESS;
}

/* One launch as `config` says, which is reported.  False: the work is still to be done. */
static int launch(cltunedb_tune *tune, const cltunedb_tune_config *config)
{
    const cltunedb_binary_launch *how = &config->launches[0];
    cltunedb_tune_outcome outcome = CLTUNEDB_TUNE_RAN;
    cl_event event = NULL;
    cl_kernel kernel;
    double time_ns = 0;
    cl_int error = build(config, &kernel);

    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(host.queue, kernel, how->dims, NULL, how->global,
                                       how->local[0] ? how->local : NULL, 0, NULL,
                                       config->measure ? &event : NULL);
    if (error != CL_SUCCESS)
        outcome = cltunedb_cl_outcome(error);
    else if (config->measure) {
        time_ns = cltunedb_cl_event_ns(event, &outcome);
        clReleaseEvent(event);
    }
    if (config->measure || outcome != CLTUNEDB_TUNE_RAN)
        cltunedb_tune_report(tune, outcome, time_ns);
    return outcome == CLTUNEDB_TUNE_RAN;
}

static cltunedb_tune *begin(const char *folder, unsigned long budget)
{
    static cltunedb_cl_device facts;
    static char path[4096];
    const cltunedb_value size = {"n", CLTUNEDB_INT, N, N, ""};
    cltunedb_tune_request request = CLTUNEDB_TUNE_REQUEST_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_tune *tune;

    cltunedb_cl_facts(host.device, &facts);
    snprintf(path, sizeof(path), "%s/scale.ini", folder);
    request.space_file = path;
    request.device = facts.values;
    request.device_count = facts.count;
    request.problem = &size;
    request.problem_count = 1;
    request.budget_launches = budget;
    if (cltunedb_tune_begin(&request, &tune, message, sizeof(message)) != CLTUNEDB_OK) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
    if (*cltunedb_tune_fault(tune))
        printf("not stored: %s\n", cltunedb_tune_fault(tune));
    return tune;
}

static void check_result(void)
{
    static float out[N];

    check(clEnqueueReadBuffer(host.queue, host.to, CL_TRUE, 0, sizeof(out), out, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < N; i++)
        if (out[i] != 2 * (float)i) {
            fprintf(stderr, "wrong at %d\n", i);
            exit(1);
        }
    puts("right");
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "../scale";
    unsigned long launches = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    unsigned long budget = argc > 3 ? strtoul(argv[3], NULL, 10) : 120;
    unsigned long counts[3] = {0};
    const cltunedb_tune_config *config = NULL;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    char path[4096];
    cltunedb_tune *tune;

    snprintf(path, sizeof(path), "%s/scale.cl", folder);
    host.source = read_text(path);
    open_device();
    tune = begin(folder, budget);
    for (unsigned long i = 0; i < launches;) {
        if (cltunedb_tune_next(tune, &config, message, sizeof(message)) != CLTUNEDB_OK) {
            fprintf(stderr, "%s\n", message);
            return 1;
        }
        counts[config->phase]++;
        i += launch(tune, config) ? 1 : 0;
    }
    check_result();
    printf("tried: %lu launches, confirmed: %lu, settled: %lu\n",
           counts[CLTUNEDB_TUNE_TRYING], counts[CLTUNEDB_TUNE_CONFIRMING],
           counts[CLTUNEDB_TUNE_SETTLED]);
    if (config)
        printf("now: %s\n", config->flags);
    if (cltunedb_tune_done(tune, message, sizeof(message)) != CLTUNEDB_OK)
        printf("not stored: %s\n", message);
    for (int i = 0; i < KEPT; i++)
        if (host.kept[i].kernel)
            clReleaseKernel(host.kept[i].kernel);
    clReleaseMemObject(host.to);
    clReleaseMemObject(host.from);
    clReleaseCommandQueue(host.queue);
    clReleaseContext(host.context);
    return 0;
}
