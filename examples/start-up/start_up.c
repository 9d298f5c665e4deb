/* SPDX-License-Identifier: Apache-2.0 */
/* Asks at start-up how the kernel of examples/scale is fastest on this device, and runs it; with
 * defaults if there is no answer. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cltunedb.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100000 };
static const char defaults[] = "-cl-std=CL1.2 -D ITEMS=1 -D WG=0";

/* How to build and launch. */
struct choice {
    char flags[1024];
    size_t group; /* 0: the driver chooses */
    size_t items;
};

static void use_answer(const cltunedb_answer *a, struct choice *out)
{
    /* Options that hold for another size only are no options here. */
    if (!a->problem_flags || strlen(a->problem_flags) >= sizeof(out->flags))
        return;
    strcpy(out->flags, a->problem_flags);
    for (size_t i = 0; i < a->configuration_count; i++) {
        const cltunedb_value *value = &a->configuration[i];

        if (strcmp(value->name, "WG") == 0)
            out->group = (size_t)value->i;
        else if (strcmp(value->name, "ITEMS") == 0)
            out->items = (size_t)value->i;
    }
    printf("tuned: %s (%s)\n", out->flags, cltunedb_evidence_text(a->evidence));
}

/* The best that is known for the device; nothing that goes wrong here is a reason to fail. */
static void choose(cl_device_id device, struct choice *out)
{
    static char name[256], vendor[256], driver[256];
    const cltunedb_value size = {"n", CLTUNEDB_INT, N, N, ""};
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_answers *answers = NULL;
    cltunedb *db = NULL;

    *out = (struct choice){"", 0, 1};
    strcpy(out->flags, defaults);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof(vendor), vendor, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof(driver), driver, NULL);
    query.kernel = "scale";
    query.device_name = name;
    query.device_vendor = vendor;
    query.driver_version = driver;
    query.problem = &size;
    query.problem_count = 1;
    if (cltunedb_open(NULL, &db, message, sizeof(message)) == CLTUNEDB_OK &&
        cltunedb_find(db, &query, &answers, message, sizeof(message)) == CLTUNEDB_OK)
        use_answer(cltunedb_answer_at(answers, 0), out);
    else
        printf("defaults: %s\n", message);
    cltunedb_free(answers);
    cltunedb_close(db);
}

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

int main(int argc, char **argv)
{
    static float in[N], out[N];
    const char *source = read_text(argc > 1 ? argv[1] : "../scale/scale.cl");
    const cl_uint n = N;
    struct choice choice;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;

    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
          "clGetDeviceIDs");
    choose(device, &choice);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    /* A driver that no longer accepts the stored options is no reason to fail. */
    if (clBuildProgram(program, 1, &device, choice.flags, NULL, NULL) != CL_SUCCESS) {
        choice = (struct choice){"", 0, 1};
        check(clBuildProgram(program, 1, &device, defaults, NULL, NULL),
              "clBuildProgram");
    }
    cl_kernel kernel = clCreateKernel(program, "scale", &error);
    check(error, "clCreateKernel");
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    cl_mem from = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(in), in, &error);
    check(error, "clCreateBuffer");
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof(out), NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof(from), &from), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof(to), &to), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof(n), &n), "clSetKernelArg");
    size_t group = choice.group ? choice.group : 1;
    size_t global = (N + choice.items - 1) / choice.items;
    global = (global + group - 1) / group * group;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global,
                                 choice.group ? &group : NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < N; i++)
        if (out[i] != 2 * in[i]) {
            fprintf(stderr, "wrong at %d\n", i);
            return 1;
        }
    puts("right");
    clReleaseMemObject(to);
    clReleaseMemObject(from);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
