// SPDX-License-Identifier: Apache-2.0
// An OpenCL application that makes mistakes: it prints the result code of each wrong call, and of a right
// one after it.
//
//     refused [empty]
//
// With `empty`, it launches nothing, does not wait for it, and ends: the virtual driver would not survive
// that somebody waits.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 64 };

static const char source[] =
    "__kernel void fill(__global int *out, int value) { out[get_global_id(0)] = value; }\n"
    "__kernel void part(__local int *scratch, __global int *out)\n"
    "{\n"
    "    scratch[get_local_id(0)] = 1;\n"
    "    out[get_global_id(0)] = scratch[get_local_id(0)];\n"
    "}\n"
    "// #pragma virtual kernel none\n"
    "// #pragma virtual fault * * finish_abort\n"
    "__kernel void none(__global int *out) { out[get_global_id(0)] = 1; }\n";

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem out;
static cl_int code;

static void show(const char *what, cl_int result)
{
    printf("%s: %d\n", what, result);
}

static void must(void)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "refused: code %d\n", code);
    exit(1);
}

static void open_device(void)
{
    code = clGetPlatformIDs(1, &platform, NULL);
    must();
    code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    must();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must();
    queue = clCreateCommandQueue(context, device, 0, &code);
    must();
    out = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL, &code);
    must();
}

static void try_programs(void)
{
    const char *text = source;
    const char *broken = "__kernel void broken(";
    const char *none = NULL;
    const unsigned char bytes[] = "no program";
    const unsigned char *binary = bytes;
    const size_t size = sizeof(bytes);
    cl_program other;
    cl_kernel kernels[2];
    cl_int status = 0;

    clCreateProgramWithSource(context, 0, &text, NULL, &code);
    show("no source", code);
    clCreateProgramWithSource(context, 1, &none, NULL, &code);
    show("no text", code);
    clCreateProgramWithSource(NULL, 1, &text, NULL, &code);
    show("no context", code);
    clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, &code);
    show("a binary that is none", code);
    show("the same of its device", status);
    other = clCreateProgramWithSource(context, 1, &broken, NULL, &code);
    must();
    show("a source that does not build",
         clBuildProgram(other, 1, &device, "", NULL, NULL));
    clCreateKernel(other, "broken", &code);
    show("its kernel", code);
    show("release", clReleaseProgram(other));
    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    must();
    clCreateKernel(program, "fill", &code);
    show("a kernel before the build", code);
    show("an unknown option",
         clBuildProgram(program, 1, &device, "-no-such", NULL, NULL));
    show("no devices but a count", clBuildProgram(program, 1, NULL, "", NULL, NULL));
    show("no program", clBuildProgram(NULL, 1, &device, "", NULL, NULL));
    show("data but no function", clBuildProgram(program, 1, &device, "", NULL, &code));
    show("right", clBuildProgram(program, 1, &device, "", NULL, NULL));
    show("compiled without a program",
         clCompileProgram(NULL, 1, &device, "", 0, NULL, NULL, NULL, NULL));
    clLinkProgram(context, 1, &device, "", 0, NULL, NULL, NULL, &code);
    show("nothing linked", code);
    clCreateKernel(program, "absent", &code);
    show("a kernel that is not there", code);
    show("room for one of two kernels",
         clCreateKernelsInProgram(program, 1, kernels, NULL));
    kernel = clCreateKernel(program, "fill", &code);
    show("right", code);
    show("a build while there is a kernel",
         clBuildProgram(program, 1, &device, "-D X", NULL, NULL));
    show("release of nothing", clReleaseProgram(NULL));
}

static void show_options(const char *what, cl_program of)
{
    char text[256] = "";
    size_t size = 0;

    show(what, clGetProgramBuildInfo(of, device, CL_PROGRAM_BUILD_OPTIONS, sizeof(text),
                                     text, &size));
    printf("  '%s', %zu bytes\n", text, size);
    show("  without room",
         clGetProgramBuildInfo(of, device, CL_PROGRAM_BUILD_OPTIONS, 0, text, NULL));
}

/* What a kernel tells about its arguments, which few programs have asked for at the build. */
static void show_arguments(const char *what, cl_program of, const char *name)
{
    cl_kernel one = clCreateKernel(of, name, &code);
    char text[256];

    show(what, code);
    for (cl_kernel_arg_info info = CL_KERNEL_ARG_ADDRESS_QUALIFIER;
         info <= CL_KERNEL_ARG_NAME; info++)
        for (cl_uint index = 0; index < 3; index++)
            show("  argument",
                 clGetKernelArgInfo(one, index, info, sizeof(text), text, NULL));
    show("  unknown", clGetKernelArgInfo(one, 0, 1, sizeof(text), text, NULL));
    show("  without room", clGetKernelArgInfo(one, 0, CL_KERNEL_ARG_NAME, 0, text, NULL));
    clReleaseKernel(one);
}

static void try_answers(void)
{
    static const char *const options[] = {NULL, "", " -D WIDE=2 -w",
                                          "-cl-kernel-arg-info"};
    const char *text = source;
    cl_program other;
    cl_program linked;

    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        other = clCreateProgramWithSource(context, 1, &text, NULL, &code);
        must();
        show("built", clBuildProgram(other, 1, &device, options[i], NULL, NULL));
        show_options("options", other);
        show_arguments("arguments", other, "fill");
        clReleaseProgram(other);
    }
    other = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    must();
    show("compiled",
         clCompileProgram(other, 1, &device, "-D WIDE=3", 0, NULL, NULL, NULL, NULL));
    show_options("options", other);
    linked = clLinkProgram(context, 1, &device, "", 1, &other, NULL, NULL, &code);
    show("linked", code);
    if (!linked)
        return;
    show_options("options", linked);
    show_arguments("arguments", linked, "fill");
    clReleaseProgram(linked);
    clReleaseProgram(other);
}

static cl_int enqueue(cl_uint dimensions, const size_t *offset, const size_t *global,
                      const size_t *local)
{
    return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0,
                                  NULL, NULL);
}

static void try_arguments(void)
{
    const cl_int value = 7;
    const size_t items = ITEMS;

    show("launch without arguments", enqueue(1, NULL, &items, NULL));
    show("task without arguments", clEnqueueTask(queue, kernel, 0, NULL, NULL));
    show("argument out of range", clSetKernelArg(kernel, 2, sizeof(value), &value));
    show("argument of a wrong size", clSetKernelArg(kernel, 1, 1, &value));
    show("no value", clSetKernelArg(kernel, 1, sizeof(value), NULL));
    show("no kernel", clSetKernelArg(NULL, 0, sizeof(out), &out));
    show("a pointer out of range", clSetKernelArgSVMPointer(kernel, 9, NULL));
    show("right", clSetKernelArg(kernel, 0, sizeof(out), &out));
    show("launch without one argument", enqueue(1, NULL, &items, NULL));
    show("right", clSetKernelArg(kernel, 1, sizeof(value), &value));
    clCloneKernel(NULL, &code);
    show("a copy of nothing", code);
    show("release of nothing", clReleaseKernel(NULL));
}

static void try_launches(void)
{
    const size_t items = ITEMS;
    const size_t large[3] = {(size_t)1 << 20, 1, 1};
    const size_t seven = 7;
    const size_t zero = 0;
    const size_t sizes[4] = {ITEMS, 1, 1, 1};

    for (int twice = 0; twice < 2; twice++) {
        show("no dimension", enqueue(0, NULL, &items, NULL));
        show("four dimensions", enqueue(4, NULL, sizes, NULL));
        show("no size", enqueue(1, NULL, NULL, NULL));
        show("a size of 0", enqueue(1, NULL, &zero, NULL));
        show("too large a group", enqueue(1, NULL, large, large));
        show("a group that does not divide", enqueue(1, NULL, &items, &seven));
        show("a group of 0", enqueue(1, NULL, &items, &zero));
        show("no queue",
             clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        show("right", enqueue(1, NULL, &items, NULL));
    }
}

/* The list of properties of a queue without profiling, in as much room as it needs. */
static void show_list(void)
{
    const cl_queue_properties none[] = {0};
    cl_queue_properties list[8];
    size_t size = 0;
    cl_command_queue other =
        clCreateCommandQueueWithProperties(context, device, none, &code);

    must();
    show("an empty list",
         clGetCommandQueueInfo(other, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    show("in its room",
         clGetCommandQueueInfo(other, CL_QUEUE_PROPERTIES_ARRAY, size, list, NULL));
    clReleaseCommandQueue(other);
}

/* Queues with profiling, which may get the handles of earlier ones without: these end when their
 * events do. */
static void show_times(void)
{
    enum { QUEUES = 64 };
    const size_t items = ITEMS;
    cl_command_queue queues[QUEUES];
    cl_event events[QUEUES];
    cl_ulong time_ns;
    int lacking = 0;

    for (int timed = 0; timed < 2; timed++) {
        for (int i = 0; i < QUEUES; i++) {
            queues[i] = clCreateCommandQueue(
                context, device, timed ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
            must();
            code = clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &items, NULL, 0,
                                          NULL, &events[i]);
            must();
            clFinish(queues[i]);
            lacking += timed && clGetEventProfilingInfo(
                                    events[i], CL_PROFILING_COMMAND_START,
                                    sizeof(time_ns), &time_ns, NULL) != CL_SUCCESS;
        }
        for (int i = 0; i < QUEUES; i++)
            clReleaseCommandQueue(queues[i]);
        for (int i = 0; i < QUEUES; i++)
            clReleaseEvent(events[i]);
    }
    show("queues that lack times", lacking);
}

/* PoCL does not survive it. */
static void launch_without_events(void)
{
    const size_t items = ITEMS;
    char name[256] = "";

    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name) - 1, name, NULL);
    if (!strstr(name, "Portable Computing Language"))
        show("events that are missing",
             clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 1, NULL, NULL));
}

/* Times of a queue without profiling, and what it says of itself. */
static void try_queues(void)
{
    const size_t items = ITEMS;
    const cl_queue_properties odd[] = {CL_QUEUE_PROPERTIES, (cl_queue_properties)1 << 40,
                                       0};
    cl_queue_properties list[8];
    cl_command_queue_properties properties = 99;
    cl_ulong time_ns = 0;
    size_t size = 99;
    cl_event event;
    char byte;

    code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event);
    must();
    show("wait", clWaitForEvents(1, &event));
    show("times without profiling",
         clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(time_ns),
                                 &time_ns, NULL));
    show("no event", clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_START,
                                             sizeof(time_ns), &time_ns, NULL));
    clReleaseEvent(event);
    show("properties", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES,
                                             sizeof(properties), &properties, NULL));
    show("which are", (cl_int)properties);
    show("no room for them",
         clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 1, &byte, NULL));
    show("as a list", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY,
                                            sizeof(list), list, &size));
    show("which is long", (cl_int)size);
    show("no queue",
         clGetCommandQueueInfo(NULL, CL_QUEUE_CONTEXT, sizeof(list), list, NULL));
    clCreateCommandQueue(context, device, (cl_command_queue_properties)1 << 40, &code);
    show("unknown properties", code);
    clCreateCommandQueue(context, NULL, 0, &code);
    show("no device", code);
    clCreateCommandQueueWithProperties(context, device, odd, &code);
    show("unknown properties in a list", code);
    show("nothing to wait for", clWaitForEvents(0, NULL));
    show("finish nothing", clFinish(NULL));
    show("release nothing", clReleaseCommandQueue(NULL));
}

static void try_transfers(void)
{
    cl_int values[ITEMS] = {0};

    show("read too much", clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 2 * sizeof(values),
                                              values, 0, NULL, NULL));
    show("read to nowhere", clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(values),
                                                NULL, 0, NULL, NULL));
    clEnqueueMapBuffer(queue, out, CL_TRUE, CL_MAP_READ, sizeof(values), sizeof(values),
                       0, NULL, NULL, &code);
    show("map too much", code);
    show("right", clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(values), values, 0,
                                      NULL, NULL));
    show("what was computed", values[ITEMS - 1]);
}

static void launch_nothing(void)
{
    const char *text = source;
    const size_t zero = 0;

    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    must();
    code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    must();
    kernel = clCreateKernel(program, "none", &code);
    must();
    show("argument", clSetKernelArg(kernel, 0, sizeof(out), &out));
    show("nothing", enqueue(1, NULL, &zero, NULL));
    _exit(0);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    open_device();
    if (argc > 1 && strcmp(argv[1], "empty") == 0)
        launch_nothing();
    try_programs();
    try_answers();
    try_arguments();
    try_launches();
    launch_without_events();
    try_queues();
    show_list();
    show_times();
    try_transfers();
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
