// SPDX-License-Identifier: Apache-2.0
// An OpenCL application that uses what few do: several devices and platforms, shared virtual memory,
// intermediate languages, and calls that must fail.  It prints what it computes, and result codes.
//
//     devices [all|pair|parts|svm|il]...
//
// `all` runs a kernel on each device of each platform, `pair` in one context of the first platform's
// devices, from a thread for each, and one kernel object on all of them in turn; `parts` does the same
// with the first device's sub-devices.  `svm` passes pointers of shared virtual memory, one of them
// inside of it.  `il` loads an intermediate language.  What there is not is said.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 256, ROUNDS = 20, MOST = 8 };

static const char source[] =
    "__kernel void scale(__global const float *in, __global float *out, float by)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = in[i] * by + (float)i;\n"
    "}\n"
    "struct link { __global int *values; int step; };\n"
    "__kernel void follow(__global const struct link *first)\n"
    "{\n"
    "    first->values[get_global_id(0)] += first->step;\n"
    "}\n";

/* One device, with what it needs to run `scale`. */
struct lane {
    cl_context context;
    cl_device_id device;
    cl_program program;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem in;
    cl_mem out;
    float by;
};

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "devices: %s failed: %d\n", what, code);
    exit(1);
}

static cl_program build(cl_context context, cl_uint count, const cl_device_id *devices)
{
    const char *text = source;
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);

    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, count, devices, "", NULL, NULL), "clBuildProgram");
    return program;
}

static void open_lane(struct lane *lane, cl_context context, cl_device_id device,
                      cl_program program, float by)
{
    float values[ITEMS];
    cl_int code;

    for (int i = 0; i < ITEMS; i++)
        values[i] = (float)i / 8;
    *lane =
        (struct lane){.context = context, .device = device, .program = program, .by = by};
    lane->queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    lane->kernel = clCreateKernel(program, "scale", &code);
    check(code, "clCreateKernel");
    lane->in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                              sizeof(values), values, &code);
    check(code, "clCreateBuffer");
    lane->out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(values), NULL, &code);
    check(code, "clCreateBuffer");
}

static void close_lane(struct lane *lane)
{
    clReleaseMemObject(lane->in);
    clReleaseMemObject(lane->out);
    clReleaseKernel(lane->kernel);
    clReleaseCommandQueue(lane->queue);
}

static void launch(const struct lane *lane, cl_kernel kernel)
{
    const size_t items = ITEMS;
    const size_t group = 1;

    check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &lane->in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof(cl_mem), &lane->out), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof(float), &lane->by), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(lane->queue, kernel, 1, NULL, &items, &group, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
}

static void *run_lane(void *given)
{
    const struct lane *lane = given;

    for (int round = 0; round < ROUNDS; round++)
        launch(lane, lane->kernel);
    check(clFinish(lane->queue), "clFinish");
    return NULL;
}

static uint64_t checksum(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t sum = 14695981039346656037u;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * 1099511628211u;
    return sum;
}

static void show(const char *name, size_t index, const struct lane *lane)
{
    float values[ITEMS];

    check(clEnqueueReadBuffer(lane->queue, lane->out, CL_TRUE, 0, sizeof(values), values,
                              0, NULL, NULL),
          "clEnqueueReadBuffer");
    printf("%s %zu %016llx\n", name, index,
           (unsigned long long)checksum(values, sizeof(values)));
}

/* Devices of one context: each from a thread of its own, then one kernel on all of them. */
static void run_together(const char *name, const cl_device_id *devices, cl_uint count)
{
    struct lane lanes[MOST];
    pthread_t threads[MOST];
    cl_int code;
    cl_context context = clCreateContext(NULL, count, devices, NULL, NULL, &code);
    cl_program program;

    check(code, "clCreateContext");
    program = build(context, count, devices);
    for (cl_uint i = 0; i < count; i++)
        open_lane(&lanes[i], context, devices[i], program, (float)(i + 2));
    for (cl_uint i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_lane, &lanes[i]))
            exit(1);
    for (cl_uint i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (cl_uint i = 0; i < count; i++)
        show(name, i, &lanes[i]);
    for (int round = 0; round < ROUNDS; round++)
        for (cl_uint i = 0; i < count; i++) {
            lanes[i].by = (float)(round + 1);
            launch(&lanes[i], lanes[0].kernel);
            check(clFinish(lanes[i].queue), "clFinish");
        }
    for (cl_uint i = 0; i < count; i++) {
        show(name, i, &lanes[i]);
        close_lane(&lanes[i]);
    }
    clReleaseProgram(program);
    clReleaseContext(context);
}

static cl_uint list_devices(cl_platform_id platform, cl_device_id *devices)
{
    cl_uint count = 0;

    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, devices, &count))
        return 0;
    return count < MOST ? count : MOST;
}

/* Each device of each platform in a context of its own, all of them at the same time. */
static void run_all(void)
{
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    struct lane lanes[MOST];
    cl_uint platform_count = 0;
    cl_uint lane_count = 0;
    cl_int code;

    check(clGetPlatformIDs(MOST, platforms, &platform_count), "clGetPlatformIDs");
    for (cl_uint p = 0; p < platform_count && p < MOST; p++) {
        cl_uint count = list_devices(platforms[p], devices);

        for (cl_uint d = 0; d < count && lane_count < MOST; d++) {
            cl_context context = clCreateContext(NULL, 1, &devices[d], NULL, NULL, &code);

            check(code, "clCreateContext");
            open_lane(&lanes[lane_count++], context, devices[d],
                      build(context, 1, &devices[d]), 3);
        }
    }
    for (int round = 0; round < ROUNDS; round++)
        for (cl_uint i = 0; i < lane_count; i++)
            launch(&lanes[i], lanes[i].kernel);
    for (cl_uint i = 0; i < lane_count; i++) {
        show("all", i, &lanes[i]);
        close_lane(&lanes[i]);
        clReleaseProgram(lanes[i].program);
        clReleaseContext(lanes[i].context);
    }
}

static void run_parts(cl_device_id device)
{
    const cl_device_partition_property each[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[MOST];
    cl_uint count = 0;
    cl_int code = clCreateSubDevices(device, each, MOST, parts, &count);

    if (code) {
        printf("parts: none, code %d\n", code);
        return;
    }
    run_together("parts", parts, count < MOST ? count : MOST);
    for (cl_uint i = 0; i < count && i < MOST; i++)
        clReleaseDevice(parts[i]);
}

/* --- shared virtual memory --- */

struct link {
    cl_int *values;
    cl_int step;
};

static void run_svm(cl_device_id device)
{
    cl_device_svm_capabilities can = 0;
    const size_t items = ITEMS;
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    struct link *first;
    void *inside[1];

    check(code, "clCreateContext");
    clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(can), &can, NULL);
    if (!can) {
        printf("svm: none\n");
        return;
    }
    program = build(context, 1, &device);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");
    kernel = clCreateKernel(program, "follow", &code);
    check(code, "clCreateKernel");
    first = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(*first), 0);
    inside[0] = clSVMAlloc(context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), 0);
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, first, sizeof(*first), 0, NULL,
                          NULL),
          "clEnqueueSVMMap");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, inside[0], ITEMS * sizeof(cl_int),
                          0, NULL, NULL),
          "clEnqueueSVMMap");
    *first = (struct link){inside[0], 5};
    for (cl_int i = 0; i < ITEMS; i++)
        first->values[i] = i;
    clEnqueueSVMUnmap(queue, first, 0, NULL, NULL);
    clEnqueueSVMUnmap(queue, inside[0], 0, NULL, NULL);
    check(clSetKernelArgSVMPointer(kernel, 0, first), "clSetKernelArgSVMPointer");
    check(
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(inside), inside),
        "clSetKernelExecInfo");
    for (int round = 0; round < ROUNDS; round++)
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, inside[0], ITEMS * sizeof(cl_int),
                          0, NULL, NULL),
          "clEnqueueSVMMap");
    printf("svm %016llx\n",
           (unsigned long long)checksum(inside[0], ITEMS * sizeof(cl_int)));
    clEnqueueSVMUnmap(queue, inside[0], 0, NULL, NULL);
    check(clFinish(queue), "clFinish");
    clSVMFree(context, first);
    clSVMFree(context, inside[0]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

/* The head of an empty SPIR-V module: drivers that take it build it, all others say so. */
static void run_il(cl_device_id device)
{
    static const cl_uint module[] = {0x07230203, 0x00010000, 0, 1, 0};
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_program program;

    check(code, "clCreateContext");
    program = clCreateProgramWithIL(context, module, sizeof(module), &code);
    printf("il: %s, code %d", program ? "loaded" : "refused", code);
    if (program) {
        printf(", build %d", clBuildProgram(program, 1, &device, "", NULL, NULL));
        clReleaseProgram(program);
    }
    program = clCreateProgramWithIL(context, NULL, 0, &code);
    printf(", empty %d\n", code);
    clReleaseContext(context);
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id devices[MOST];
    cl_uint count;

    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    count = list_devices(platform, devices);
    if (!count)
        return 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "all") == 0)
            run_all();
        else if (strcmp(argv[i], "pair") == 0)
            run_together("pair", devices, count);
        else if (strcmp(argv[i], "parts") == 0)
            run_parts(devices[0]);
        else if (strcmp(argv[i], "svm") == 0)
            run_svm(devices[0]);
        else if (strcmp(argv[i], "il") == 0)
            run_il(devices[0]);
    }
    return 0;
}
