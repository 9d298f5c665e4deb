// SPDX-License-Identifier: Apache-2.0
// An OpenCL application that builds one program anew with other options, between its launches, and
// prints what they compute.
//
//     rebuild [each]
//
// A second build while there is a kernel is refused, and changes nothing.  With `each`, two devices of
// one context get options of their own.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64 };

static const char *source = "__kernel void put(__global int *out)\n"
                            "{\n"
                            "    out[get_global_id(0)] = 10 * VALUE + CHUNK - CHUNK;\n"
                            "}\n";

static cl_context context;
static cl_device_id devices[2];
static cl_program program;
static cl_int code;

static void check(const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "rebuild: %s failed: %d\n", what, code);
    exit(1);
}

static void open_devices(cl_uint count)
{
    cl_platform_id platform;

    code = clGetPlatformIDs(1, &platform, NULL);
    check("clGetPlatformIDs");
    code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL);
    check("clGetDeviceIDs");
    context = clCreateContext(NULL, count, devices, NULL, NULL, &code);
    check("clCreateContext");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check("clCreateProgramWithSource");
}

static void build(cl_device_id device, const char *options)
{
    code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    check("clBuildProgram");
}

static void launch(cl_device_id device)
{
    const size_t items = ITEMS;
    const size_t one = 1;
    cl_int values[ITEMS] = {0};
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(values), NULL, NULL);
    cl_kernel kernel;

    check("clCreateCommandQueue");
    kernel = clCreateKernel(program, "put", &code);
    check("clCreateKernel");
    printf("again: %d\n",
           clBuildProgram(program, 1, &device, "-D VALUE=9 -D CHUNK=1", NULL, NULL));
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &out);
    for (int n = 0; n < 8; n++) {
        code =
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &one, 0, NULL, NULL);
        check("clEnqueueNDRangeKernel");
        code = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(values), values, 0,
                                   NULL, NULL);
        check("clEnqueueReadBuffer");
        printf("%d\n", values[ITEMS - 1]);
    }
    clReleaseKernel(kernel);
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
}

int main(int argc, char **argv)
{
    cl_uint count = argc > 1 && strcmp(argv[1], "each") == 0 ? 2 : 1;

    open_devices(count);
    build(devices[0], "-cl-kernel-arg-info -D VALUE=1 -D CHUNK=1");
    if (count == 1)
        launch(devices[0]);
    build(devices[count - 1], "-cl-kernel-arg-info -D VALUE=2 -D CHUNK=1");
    for (cl_uint i = 0; i < count; i++)
        launch(devices[i]);
    clReleaseProgram(program);
    clReleaseContext(context);
    return 0;
}
